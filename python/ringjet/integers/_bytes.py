"""The bytes of encrypted integers.

All numbers are little endian. `_pieces` says what follows the front.

    offset  bytes  field
         0      4  magic, "RJIN"
         4      1  version, 1
         5      1  bits of an integer
         6      1  1 for signed integers, otherwise 0
         7      1  zero
         8         the ciphertexts of the digits, the lowest first: one for every 4 bits
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .. import _pieces
from .._pieces import Pieces, Source
from ._digits import DIGIT_BITS

_WHAT = "encrypted integers"
_MAGIC, _VERSION = b"RJIN", 1
_FRONT = struct.Struct("<4sBBBB")


def written(bits: int, signed: bool, ciphertexts: Sequence[bytes]) -> bytes:
    """The bytes of integers with these digits."""
    return _pieces.written(_FRONT.pack(_MAGIC, _VERSION, bits, signed, 0), ciphertexts)


def read(source: Source, max_bytes: int) -> tuple[int, bool, Pieces]:
    """The bits, whether the integers are signed, and the bytes of the digits, which are not read yet."""
    view = _pieces.opened(source, max_bytes, _WHAT)
    bits, signed, zero = _pieces.fields(view, _FRONT, _WHAT, _MAGIC, _VERSION)
    if not 4 <= bits <= 64 or bits % DIGIT_BITS or signed > 1 or zero:
        raise _pieces.malformed(_WHAT, f"a type of {bits} bits that this library never wrote", 5)
    count = bits // DIGIT_BITS
    return bits, bool(signed), _pieces.cut(view, _FRONT.size, count, _WHAT, f"{count} ciphertexts")
