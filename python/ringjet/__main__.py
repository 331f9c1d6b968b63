"""`python -m ringjet`."""

from __future__ import annotations

import argparse
import sys

from . import __version__
from ._train import command


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ringjet", description="Computing on encrypted vectors of numbers.")
    parser.add_argument("--version", action="version", version=f"ringjet {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command.add_to(commands)
    chosen = parser.parse_args(arguments)
    return command.run(chosen)


if __name__ == "__main__":
    sys.exit(main())
