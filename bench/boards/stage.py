"""What the stages and the descriptions of all suites share: how a stage is named, and how it writes its files.

A stage writes to a hidden name that ends in `.partial`, and renames at the end. So a file or a folder with its
proper name is always complete, whenever the stage is killed.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Stage:
    """A program of a suite: its name, its arguments, and the files or folders that it sends to the other side, each with
    a label. Paths are relative to the folder in which the stage runs."""

    name: str
    arguments: list[str] = field(default_factory=list)
    messages: dict[str, str] = field(default_factory=dict)


def partial_name(path: Path) -> Path:
    """The name under which a file or a folder is written."""
    return path.with_name(f".{path.name}.partial")


def remove(path: Path) -> None:
    """Removes a file, or a folder with all that it contains, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write(path: Path, data: bytes) -> None:
    """Writes a file. A file that is there already stays as it was until the new one is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_name(path)
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to write to. It gets the name `path` at the end of the block, in place of a folder of this name."""
    partial = partial_name(path)
    remove(partial)
    partial.mkdir(parents=True)
    yield partial
    remove(path)
    partial.rename(path)


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return path.stat().st_size
