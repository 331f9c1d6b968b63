"""Finds the line of the user's code that called into this package."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import FrameType

_PACKAGE = str(Path(__file__).parent)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


#: What `own` says of the files that were asked for.
_known: dict[str, bool] = {}


def own(file: str) -> bool:
    """Whether `file` belongs to the user's code."""
    return not (file.startswith((_PACKAGE, *_LIBRARIES)) or file.startswith("<"))


def place(file: str, line: int) -> str:
    """`file:line`; the file's path is relative to the current directory if it lies below it."""
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return f"{path}:{line}"


def caller() -> str:
    """The innermost line of the user's code. Without one, the innermost line outside of this
    package, or "?"."""
    frame: FrameType | None = sys._getframe(1)
    outside = None
    while frame is not None:
        file = frame.f_code.co_filename
        if file not in _known:
            _known[file] = own(file)
        if _known[file]:
            return place(file, frame.f_lineno)
        if outside is None and not file.startswith((_PACKAGE, "<frozen")):
            outside = place(file, frame.f_lineno)
        frame = frame.f_back
    return outside or "?"
