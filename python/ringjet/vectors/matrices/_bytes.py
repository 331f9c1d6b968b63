"""The bytes of an encrypted matrix.

All numbers are little endian. The ciphertexts are in the order of their rows, and their number
follows from the layout, the slots and the shape. `_pieces` says what follows the front.

    offset  bytes  field
         0      4  magic, "RJMX"
         4      1  version, 1
         5      1  binary logarithm of the number of slots of each ciphertext
         6      1  layout: 0 blocks, 1 rows, 2 columns, 3 stacked, 4 batch, 5 batch_columns
         7      1  zero
         8      4  number of matrices; 0 for a shape of two numbers, which is one matrix
        12      4  rows
        16      4  columns
        20         the ciphertexts
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from ... import _pieces
from ..._pieces import LIMIT as LIMIT
from ..._pieces import Pieces, Source
from ...errors import ArgumentError, MalformedError
from ._layout import Layout
from ._layouts import LAYOUTS

_WHAT = "encrypted matrix"
_MAGIC, _VERSION = b"RJMX", 1
_FRONT = struct.Struct("<4sBBBBIII")
#: The binary logarithm of the largest number of slots: half the degree of the largest ring.
_MOST_LOG_SLOTS = 16


@dataclass(frozen=True)
class Matrix:
    """The bytes of a matrix."""

    #: Those of its ciphertexts, row by row.
    pieces: Pieces
    shape: tuple[int, ...]
    layout: Layout


def written(shape: Sequence[int], layout: Layout, ciphertexts: Sequence[bytes]) -> bytes:
    """The bytes of a matrix with these ciphertexts, in the order of their rows."""
    number = shape[0] if len(shape) == 3 else 0
    front = _FRONT.pack(_MAGIC, _VERSION, layout.slots.bit_length() - 1, layout.code, 0, number, *shape[-2:])
    return _pieces.written(front, ciphertexts)


def read(source: Source, max_bytes: int) -> Matrix:
    """Checks everything but the ciphertexts themselves. It copies no ciphertext."""
    view = _pieces.opened(source, max_bytes, _WHAT)
    shape, layout = _shape(view)
    down, right = layout.grid(shape)
    pieces = _pieces.cut(view, _FRONT.size, down * right, _WHAT, f"{down} x {right} ciphertexts")
    return Matrix(pieces, shape, layout)


def malformed(reason: str, offset: int) -> MalformedError:
    """The error for bytes that are no matrix."""
    return _pieces.malformed(_WHAT, reason, offset)


def _shape(data: memoryview) -> tuple[tuple[int, ...], Layout]:
    """The shape and the layout that the first bytes state."""
    log_slots, code, zero, number, *sides = _pieces.fields(data, _FRONT, _WHAT, _MAGIC, _VERSION)
    if zero:
        raise malformed("a version that this library never wrote", 4)
    kind = next((kind for kind in LAYOUTS.values() if kind.code == code), None)
    if kind is None:
        raise malformed(f"layout {code}, which this library never wrote", 6)
    slots = 1 << min(log_slots, _MOST_LOG_SLOTS)
    if log_slots > _MOST_LOG_SLOTS or number > slots:
        raise malformed(f"{number} matrices in 2^{log_slots} slots, which no ring has", 5)
    if 0 in sides:
        raise malformed("a matrix without elements", 12)
    shape = (number, *sides) if number else tuple(sides)
    try:
        return shape, kind.of(slots, shape)
    except ArgumentError as error:
        raise malformed(str(error), 8) from None
