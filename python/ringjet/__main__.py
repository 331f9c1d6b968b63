"""`python -m ringjet`."""

from __future__ import annotations

import argparse
import sys

from . import __version__
from ._model import command as estimate
from ._train import command as train
from .serve import _command as serve


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ringjet", description="Computing on encrypted vectors of numbers.")
    parser.add_argument("--version", action="version", version=f"ringjet {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    estimate.add_to(commands)
    serve.add_to(commands)
    train.add_to(commands)
    chosen = parser.parse_args(arguments)
    status: int = chosen.run(chosen)
    return status


if __name__ == "__main__":
    sys.exit(main())
