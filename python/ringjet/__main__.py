"""The command `ringjet`, which is also `python -m ringjet`."""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import threading

from ._ringjet import command
from ._train import command as train
from .program import _command as estimate
from .serve import _command as serve

#: The exit status that a shell shows for programs that the signal SIGPIPE ends. Python ignores the signal.
READER_GONE = 128 + 13


#: Commands in Python. All others are in Rust.
PYTHON = {"estimate": estimate, "serve": serve, "train": train}


def main(arguments: list[str] | None = None) -> int:
    """Runs a command, and returns its exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] not in PYTHON:
        return _native(given)
    parser = argparse.ArgumentParser(prog="ringjet")
    commands = parser.add_subparsers()
    PYTHON[given[0]].add_to(commands)
    chosen = parser.parse_args(given)
    status: int = chosen.run(chosen)
    return status


def _native(arguments: list[str]) -> int:
    """Runs a command in Rust, which Ctrl-C ends at once, where it would raise KeyboardInterrupt in Python."""
    sys.stdout.flush()
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return command(arguments)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return command(arguments)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
