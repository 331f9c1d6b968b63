"""`python -m ringjet`."""

from __future__ import annotations

import argparse
import os
import select
import sys

from . import __version__
from ._train import command as train
from .program import _command as estimate
from .serve import _command as serve

#: The exit status that a shell shows for programs that the signal SIGPIPE ends. Python ignores the signal.
READER_GONE = 128 + 13


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


def run() -> int:
    """`main`, which ends quietly where nobody reads its output any more, as in `... | head -1`."""
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        if not _reader_is_gone():
            raise
        # what is left in the buffer goes nowhere: the interpreter would complain at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE


def _reader_is_gone() -> bool:
    """Whether the output is a pipe that nobody reads any more. Other broken pipes are errors. Linux
    reports POLLERR, and macOS POLLHUP; Windows has no poll, and the output is taken for the broken
    pipe."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


if __name__ == "__main__":
    sys.exit(run())
