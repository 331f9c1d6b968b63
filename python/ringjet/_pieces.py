"""Bytes and files of objects that consist of ciphertexts: encrypted matrices and integers.

All numbers are little endian. `what` names the object in errors.

    front          of the object's own format: magic, version, shape
    8 bytes each   length of each ciphertext
    ciphertexts    each as `Ciphertext.to_bytes` writes it
    4 bytes        CRC-32 of all bytes before
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .errors import MalformedError, NewerVersionError, TooManyBytesError

#: What an object is read from: its bytes, or the path of a file with them.
Source = bytes | bytearray | memoryview | str | os.PathLike[str]

#: The most bytes that are read unless the caller states another limit.
LIMIT = 1 << 30

_LENGTH, _CHECKSUM = 8, 4
#: A ciphertext has at least a header and a checksum.
_LEAST = 52


@dataclass(frozen=True)
class Pieces:
    """Bytes, cut into those of their ciphertexts."""

    data: memoryview
    #: Where the first ciphertext begins, and where each one ends.
    ends: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """The number of ciphertexts."""
        return len(self.ends) - 1

    def __getitem__(self, k: int) -> bytes:
        """The bytes of a ciphertext, copied when it is needed."""
        if not 0 <= k < len(self):
            raise IndexError(k)
        return bytes(self.data[self.ends[k] : self.ends[k + 1]])

    def __iter__(self) -> Iterator[bytes]:
        """The bytes of the ciphertexts, one after the other."""
        return (self[k] for k in range(len(self)))


def written(front: bytes, ciphertexts: Sequence[bytes]) -> bytes:
    """The bytes of an object with these ciphertexts."""
    lengths = struct.pack(f"<{len(ciphertexts)}Q", *map(len, ciphertexts))
    body = b"".join([front, lengths, *ciphertexts])
    return body + struct.pack("<I", zlib.crc32(body))


def opened(source: Source, max_bytes: int, what: str) -> memoryview:
    """The bytes, or those of the file, at most `max_bytes`. Bytes are not copied."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            expect_size(os.fstat(file.fileno()).st_size, max_bytes, what)
            source = file.read(max_bytes + 1)
    if not isinstance(source, (bytes, bytearray, memoryview)):
        raise TypeError(f"{what}: bytes or the path of a file is needed, not {type(source).__name__}")
    view = memoryview(source).cast("B")
    expect_size(len(view), max_bytes, what)
    return view


def expect_size(found: int, limit: int, what: str) -> None:
    """Refuses more bytes than the limit."""
    if found <= limit:
        return
    text = f"{what} of {found} bytes exceeds the limit of {limit}: raise max_bytes if you trust the sender"
    error = TooManyBytesError(text)
    error.what, error.bytes, error.limit = what, found, limit
    raise error


def fields(data: memoryview, front: struct.Struct, what: str, magic: bytes, version: int) -> list[int]:
    """The fields of a front after its magic and its version. Refuses other objects and newer versions."""
    if data[: len(magic)] != magic[: len(data)]:
        raise malformed(what, f"does not begin with {magic.decode()}: these are bytes of something else", 0)
    if len(data) < front.size + _CHECKSUM:
        raise malformed(what, "truncated", len(data))
    _, found, *rest = front.unpack_from(data)
    if found > version:
        raise _newer(what, found, version)
    if found < version:
        raise malformed(what, "a version that this library never wrote", len(magic))
    return rest


def cut(data: memoryview, start: int, count: int, what: str, called: str) -> Pieces:
    """The `count` ciphertexts, whose lengths begin at `start`. It copies none. called: how many, in errors."""
    pieces = Pieces(data, _ends(data, start, count, what, called))
    if rest := len(data) - _CHECKSUM - int(pieces.ends[-1]):
        raise malformed(what, f"{rest} bytes too many at the end", len(data))
    (checksum,) = struct.unpack_from("<I", data, len(data) - _CHECKSUM)
    if zlib.crc32(data[:-_CHECKSUM]) != checksum:
        raise malformed(what, "the checksum does not match: the bytes were changed", len(data) - _CHECKSUM)
    return pieces


def malformed(what: str, reason: str, offset: int) -> MalformedError:
    """The error for bytes that are no such object."""
    error = MalformedError(f"{what}: {reason} (at byte {offset})")
    error.what, error.reason, error.offset = what, reason, offset
    return error


def _ends(data: memoryview, start: int, count: int, what: str, called: str) -> npt.NDArray[np.int64]:
    """Where the first ciphertext begins, and where each one ends, as the lengths say."""
    body = len(data) - start - _CHECKSUM
    # a number that was changed must not take memory: what is read is as large as the data
    if count * (_LENGTH + _LEAST) > body:
        raise malformed(what, f"truncated: {called} do not fit", len(data))
    lengths = np.frombuffer(data, "<u8", count, start)
    if (short := np.flatnonzero(lengths < _LEAST)).size:
        raise malformed(what, "a length that no ciphertext has", start + _LENGTH * int(short[0]))
    room = body - count * _LENGTH
    # as a float, so that a sum of false lengths does not wrap around
    if (total := np.sum(lengths, dtype=np.float64)) > room:
        raise malformed(what, f"truncated: {total - room:.0f} bytes are missing", len(data))
    first = start + count * _LENGTH
    return first + np.cumsum(np.concatenate([[0], lengths.astype(np.int64)]))


def _newer(what: str, found: int, supported: int) -> NewerVersionError:
    error = NewerVersionError(
        f"{what} of format version {found}, this library reads up to {supported}: upgrade ringjet"
    )
    error.what, error.found, error.supported = what, found, supported
    return error
