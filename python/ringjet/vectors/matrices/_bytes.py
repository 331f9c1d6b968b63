"""The bytes of an encrypted matrix.

All numbers are little endian. The ciphertexts are in the order of their rows, and their number
follows from the layout, the slots and the shape.

    offset  bytes  field
         0      4  magic, "RJMX"
         4      1  version, 1
         5      1  binary logarithm of the number of slots of each ciphertext
         6      1  layout: 0 blocks, 1 rows, 2 columns, 3 stacked, 4 batch, 5 batch_columns
         7      1  zero
         8      4  number of matrices; 0 for a shape of two numbers, which is one matrix
        12      4  rows
        16      4  columns
        20      8  length of the first ciphertext, then those of the others
       ...         the ciphertexts, each as `Ciphertext.to_bytes` writes it
       end      4  CRC-32 of all bytes before
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...errors import ArgumentError, MalformedError, NewerVersionError, TooManyBytesError
from ._layout import Layout
from ._layouts import LAYOUTS

#: What a matrix is read from.
Bytes = bytes | bytearray | memoryview

#: The most bytes that are read unless the caller states another limit.
LIMIT = 1 << 30

_WHAT = "encrypted matrix"
_MAGIC, _VERSION = b"RJMX", 1
_FRONT = struct.Struct("<4sBBBBIII")
_LENGTH, _CHECKSUM = 8, 4
#: A ciphertext has at least a header and a checksum.
_LEAST = 52
#: The binary logarithm of the largest number of slots: half the degree of the largest ring.
_MOST_LOG_SLOTS = 16


@dataclass(frozen=True)
class Pieces:
    """The bytes of a matrix, cut into those of its ciphertexts."""

    data: memoryview
    shape: tuple[int, ...]
    layout: Layout
    #: Where the first ciphertext begins, and where each one ends.
    ends: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """The number of ciphertexts."""
        return len(self.ends) - 1

    def __getitem__(self, k: int) -> bytes:
        """The bytes of a ciphertext, row by row, copied when it is needed."""
        if not 0 <= k < len(self):
            raise IndexError(k)
        return bytes(self.data[self.ends[k] : self.ends[k + 1]])

    def __iter__(self) -> Iterator[bytes]:
        """The bytes of the ciphertexts, one after the other."""
        return (self[k] for k in range(len(self)))


def written(shape: Sequence[int], layout: Layout, ciphertexts: Sequence[bytes]) -> bytes:
    """The bytes of a matrix with these ciphertexts, in the order of their rows."""
    number = shape[0] if len(shape) == 3 else 0
    front = _FRONT.pack(_MAGIC, _VERSION, layout.slots.bit_length() - 1, layout.code, 0, number, *shape[-2:])
    lengths = struct.pack(f"<{len(ciphertexts)}Q", *map(len, ciphertexts))
    body = b"".join([front, lengths, *ciphertexts])
    return body + struct.pack("<I", zlib.crc32(body))


def read(data: Bytes, max_bytes: int) -> Pieces:
    """Checks everything but the ciphertexts themselves. It copies no ciphertext."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"an encrypted matrix is read from bytes, not from {type(data).__name__}")
    view = memoryview(data).cast("B")
    if len(view) > max_bytes:
        raise _too_many(len(view), max_bytes)
    shape, layout = _shape(view)
    ends = _ends(view, *layout.grid(shape))
    if rest := len(view) - _CHECKSUM - int(ends[-1]):
        raise malformed(f"{rest} bytes too many at the end", len(view))
    (checksum,) = struct.unpack_from("<I", view, len(view) - _CHECKSUM)
    if zlib.crc32(view[:-_CHECKSUM]) != checksum:
        raise malformed("the checksum does not match: the bytes were changed", len(data) - _CHECKSUM)
    return Pieces(view, shape, layout, ends)


def malformed(reason: str, offset: int) -> MalformedError:
    """The error for bytes that are no matrix."""
    error = MalformedError(f"{_WHAT}: {reason} (at byte {offset})")
    error.what, error.reason, error.offset = _WHAT, reason, offset
    return error


def _ends(data: memoryview, down: int, right: int) -> npt.NDArray[np.int64]:
    """Where the first ciphertext begins, and where each one ends, as the lengths say."""
    count, body = down * right, len(data) - _FRONT.size - _CHECKSUM
    # a shape that was changed must not take memory: what is read is as large as the data
    if count * (_LENGTH + _LEAST) > body:
        raise malformed(f"truncated: {down} x {right} ciphertexts do not fit", len(data))
    lengths = np.frombuffer(data, "<u8", count, _FRONT.size)
    if (short := np.flatnonzero(lengths < _LEAST)).size:
        raise malformed("a length that no ciphertext has", _FRONT.size + _LENGTH * int(short[0]))
    room = body - count * _LENGTH
    # as a float, so that a sum of false lengths does not wrap around
    if (total := np.sum(lengths, dtype=np.float64)) > room:
        raise malformed(f"truncated: {total - room:.0f} bytes are missing", len(data))
    start = _FRONT.size + count * _LENGTH
    return start + np.cumsum(np.concatenate([[0], lengths.astype(np.int64)]))


def _shape(data: memoryview) -> tuple[tuple[int, ...], Layout]:
    """The shape and the layout that the first bytes state."""
    if data[: len(_MAGIC)] != _MAGIC[: len(data)]:
        raise malformed("does not begin with RJMX: these are bytes of something else", 0)
    if len(data) < _FRONT.size + _CHECKSUM:
        raise malformed("truncated", len(data))
    _, version, log_slots, code, zero, number, *sides = _FRONT.unpack_from(data)
    if version > _VERSION:
        raise _newer(version)
    if version < _VERSION or zero:
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


def _newer(version: int) -> NewerVersionError:
    error = NewerVersionError(
        f"{_WHAT} of format version {version}, this library reads up to {_VERSION}: upgrade ringjet"
    )
    error.what, error.found, error.supported = _WHAT, version, _VERSION
    return error


def _too_many(found: int, limit: int) -> TooManyBytesError:
    text = f"{_WHAT} of {found} bytes exceeds the limit of {limit}: raise max_bytes if you trust the sender"
    error = TooManyBytesError(text)
    error.what, error.bytes, error.limit = _WHAT, found, limit
    return error
