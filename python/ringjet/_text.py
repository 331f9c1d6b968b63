"""Formats numbers and tables for printing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from ._ringjet import Parameters


def aligned(rows: Sequence[Sequence[str]], right: bool = False) -> str:
    """Rows with aligned columns. The first column is left-aligned. The other columns are
    left-aligned too, or right-aligned if `right` is true."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]

    def line(row: Sequence[str]) -> str:
        first, *rest = zip(row, widths, strict=True)
        cells = [cell.rjust(width) if right else cell.ljust(width) for cell, width in rest]
        return "  ".join([first[0].ljust(first[1]), *cells]).rstrip()

    return "\n".join(map(line, rows))


def csv_lines(records: Sequence[dict[str, Any]]) -> str:
    """A line of names, and a line of values for each record. A part of a part has a name such as `keys.count`, and
    a list is JSON, as in the commands that are in Rust."""
    rows = [dict(_cells("", record)) for record in records]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _cells(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The names and values of a record."""
    if isinstance(value, dict):
        for part, inner in value.items():
            yield from _cells(f"{name}.{part}" if name else part, inner)
    else:
        yield name, value if value is None or isinstance(value, str) else json.dumps(value)


def size(n: float) -> str:
    """A number of bytes with a unit."""
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if n >= 100 or unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.2f} GB"


def duration(seconds: float) -> str:
    """A time with a unit."""
    return (
        quantity(seconds, "s")
        if seconds < 120
        else f"{seconds / 60:.1f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def quantity(x: float, unit: str) -> str:
    """A number with three digits and a unit."""
    for factor, prefix in ((1.0, ""), (1e-3, "m"), (1e-6, "u")):
        if x >= factor:
            return f"{x / factor:.3g} {prefix}{unit}"
    return f"{x / 1e-9:.3g} n{unit}" if x else f"0 {unit}"


def unit(params: Parameters) -> str:
    """The property of ciphertexts that says how much is left: "level" or "log_q"; empty where exact
    schemes have one level, as BFV does."""
    return "" if params.t is not None and params.top_level == 0 else params._unit


def left(name: str, level: int) -> str:
    """The level, or the bits of the modulus, in front of more text."""
    return f"{name} {level}, " if name else ""
