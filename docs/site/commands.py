"""The help of the program `ringjet`, command by command, for `docs/reference/command-line.md`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Commands in Python. Their help is in the page's file.
PYTHON = {("train",), ("serve",), ("estimate",)}


def program() -> str | None:
    """The program that RINGJET names, or the one that was built last; None if there is none."""
    built = [path for kind in ("debug", "release") if (path := ROOT / "target" / kind / "ringjet").exists()]
    newest = max(built, key=lambda path: path.stat().st_mtime, default=None)
    return os.environ.get("RINGJET") or (str(newest) if newest else None)


def help_of(command: list[str], *names: str) -> str:
    """The help of a command."""
    environment = {**os.environ, "COLUMNS": "96", "NO_COLOR": "1"}
    run = subprocess.run([*command, *names, "--help"], capture_output=True, text=True, check=True, env=environment)
    return "\n".join(line.rstrip() for line in run.stdout.strip().splitlines())


def section(title: str, text: str) -> str:
    return f"### {title}\n\n```text\n{text}\n```\n"


def sections(binary: str, names: tuple[str, ...] = ()) -> Iterator[str]:
    """A section for each command of the program that is none of the Python package."""
    text = help_of([binary], *names)
    yield section(" ".join(["ringjet", *names]), text)
    commands = re.search(r"^Commands:\n((?:  .*\n|\n)*)", text + "\n", re.M)
    for name in re.findall(r"^  ([a-z][\w-]*)", commands[1], re.M) if commands else ():
        if name != "help" and (*names, name) not in PYTHON:
            yield from sections(binary, (*names, name))
