"""A progress bar of one line, on stderr."""

from __future__ import annotations

import sys
import time
from typing import Callable, TextIO


def bar(label: str, stream: TextIO | None = None) -> Callable[[int, int], None]:
    """A callable that takes (done, total) and redraws one line. If stderr is not a terminal, it
    writes the final line only."""
    out = stream if stream is not None else sys.stderr
    start = time.monotonic()
    width = 30

    def show(done: int, total: int) -> None:
        last = done >= total
        if not (last or out.isatty()):
            return
        elapsed = time.monotonic() - start
        left = elapsed / max(done, 1) * (total - done)
        filled = width * done // max(total, 1)
        clock = f"{elapsed:.1f} s" if last else f"{elapsed:.1f} s, {left:.0f} s left"
        line = f"{label:<12} [{'#' * filled}{'.' * (width - filled)}] {done}/{total}  {clock}"
        out.write(("\r\x1b[2K" if out.isatty() else "") + line + ("\n" if last else ""))
        out.flush()

    return show
