"""The bytes of Microsoft SEAL 4: a header of 16 bytes, then members, which may be compressed.

docs/design/interchange.md has the layouts and where they were found."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._ringjet import _decompress_zstd
from ..errors import _made
from ._ring import Limb

#: Versions whose bytes were read in tests, or that SEAL's own reader treats alike.
VERSIONS = "4.0 to 4.4"
HEADER = 16
_MAGIC = 0xA15E


def unsupported(what: str, found: object, supported: str) -> NoReturn:
    """Refuses an object that is valid but that ringjet cannot use."""
    message = f"{what}: {found} cannot be read; ringjet reads {supported}"
    raise _made("UnsupportedObjectError", message, {"what": what, "found": str(found), "supported": supported})


def malformed(what: str, reason: str, offset: int) -> NoReturn:
    """Refuses bytes that are no valid object."""
    fields = {"what": what, "reason": reason, "offset": offset}
    raise _made("MalformedError", f"malformed {what} at byte {offset}: {reason}", fields)


def refuse(name: str, value: object, expected: str) -> NoReturn:
    """Refuses an argument."""
    fields = {"name": name, "value": str(value), "expected": expected}
    raise _made("ArgumentError", f"{name} = {value}: {expected} is needed", fields)


def as_bytes(name: str, data: object) -> bytes:
    """The bytes of the argument `name`."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        refuse(name, None if data is None else f"a {type(data).__name__}", "an object of bytes")
    return bytes(data)


def expect_size(what: str, size: int, limit: int) -> None:
    """Refuses more bytes than the caller allows."""
    if size > limit:
        fields = {"what": what, "bytes": size, "limit": limit}
        raise _made("TooManyBytesError", f"{what}: {size} bytes exceed the limit of {limit}", fields)


def _none(data: bytes, limit: int) -> bytes | None:
    return data[:limit]


def _zlib(data: bytes, limit: int) -> bytes | None:
    try:
        reader = zlib.decompressobj()
        out = reader.decompress(data, limit)
    except zlib.error:
        return None
    if len(out) == limit:
        return out
    return out if reader.eof and not reader.unused_data else None


#: From a header's mode: the first so many bytes of the content. None where the bytes are damaged, or where more bytes
#: follow the content.
_COMPRESSIONS: dict[int, Callable[[bytes, int], bytes | None]] = {0: _none, 1: _zlib, 2: _decompress_zstd}


class Members:
    """Reads the members of one object of SEAL. Offsets in errors are those of the members after they were
    decompressed, which begin at 16."""

    def __init__(self, what: str, data: bytes) -> None:
        self.what, self._data, self._at = what, data, 0

    @property
    def offset(self) -> int:
        return HEADER + self._at

    def malformed(self, reason: str) -> NoReturn:
        malformed(self.what, reason, self.offset)

    def take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            self.malformed(f"{size} bytes are needed, {len(self._data) - self._at} are left")
        self._at += size
        return self._data[self._at - size : self._at]

    def read(self, form: str) -> tuple[Any, ...]:
        """Values of these types of `struct`, little endian."""
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def inner(self, form: str) -> tuple[Any, ...]:
        """The same, in an object of their own, with a header."""
        self._inner_header(struct.calcsize("<" + form))
        return self.read(form)

    def _inner_header(self, size: int) -> None:
        magic, header, _, _, mode, _, stated = self.read("HBBBBHQ")
        if (magic, header, mode, stated) != (_MAGIC, HEADER, 0, HEADER + size):
            self.malformed(f"no header of an inner object of {HEADER + size} bytes")

    def words(self, allowed: tuple[int, ...]) -> Limb:
        """An array of 64-bit words, as many as one of `allowed`."""
        magic, header, _, _, mode, _, stated, count = self.read("HBBBBHQQ")
        if (magic, header, mode, stated) != (_MAGIC, HEADER, 0, HEADER + 8 + 8 * count):
            self.malformed("no header of an array")
        if count not in allowed:
            self.malformed(f"an array of {count} words, where {' or '.join(map(str, allowed))} belong")
        return np.frombuffer(self.take(8 * count), "<u8").astype(np.uint64)

    def end(self) -> None:
        if self._at != len(self._data):
            self.malformed(f"{len(self._data) - self._at} bytes are left over")


def opened(what: str, data: bytes | bytearray, limit: int, name: str = "data") -> Members:
    """The members of the object `data`, which must be all of it. They may take up to `limit` bytes. `name` is the
    argument's name in errors."""
    data = as_bytes(name, data)
    expect_size(what, len(data), limit)
    if len(data) < HEADER or data[:3] != struct.pack("<HB", _MAGIC, HEADER):
        malformed(what, "no header of Microsoft SEAL (5e a1 10)", 0)
    major, minor, mode, _, size = struct.unpack("<BBBHQ", data[3:HEADER])
    if major != 4 or minor > 4:
        unsupported(what, f"SEAL {major}.{minor}", f"SEAL {VERSIONS}")
    if mode not in _COMPRESSIONS:
        unsupported(what, f"compression mode {mode}", "modes 0 (none), 1 (zlib) and 2 (zstd)")
    if size != len(data):
        malformed(what, f"the header states {size} bytes, there are {len(data)}", 8)
    members = _COMPRESSIONS[mode](data[HEADER:], limit + 1)
    if members is None:
        malformed(what, "the compressed members are damaged", HEADER)
    expect_size(what, HEADER + len(members), limit)
    return Members(what, members)
