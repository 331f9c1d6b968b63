"""Headers of ringjet's objects. They say what an object is, before anybody reads all of it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

from .._ringjet import Parameters
from ._problems import Problem

#: Kinds of objects (docs/design/wire-format.md).
KEYS, CIPHERTEXT = 4, 7
_PARAMETERS, _SECRET = 1, 2
_NAMES = {
    1: "parameters",
    2: "a secret key",
    3: "a public key",
    4: "evaluation keys",
    5: "a switching key",
    6: "a plaintext",
    7: "a ciphertext",
}
#: The length of a header.
SIZE = 48
_LEAST = SIZE + 4
_PIECE = 1 << 20
#: Parameters are shorter.
_FRONT = 1 << 16


@dataclass(frozen=True)
class Header:
    """The fixed fields of an object."""

    fingerprint: str
    length: int
    key_id: str


class Watch:
    """Reads an object while its bytes come: first its header, in the end its checksum."""

    def __init__(self, kind: int, size: int | None, place: int = 0) -> None:
        """`size`: the length of the object, if it is known. `place`: where it begins."""
        self._kind, self._size, self._place = kind, size, place
        self._head, self._tail = b"", b""
        self._check, self.came = 0, 0
        #: The header, once it has come.
        self.header: Header | None = None

    def feed(self, data: bytes) -> None:
        """Takes the next bytes. Refuses other objects with the first ones."""
        if self.header is None:
            self._head += data[:_FRONT]
            self._begin()
        self.came += len(data)
        # the last four bytes are the checksum of those before
        rest = self._tail + data
        self._check, self._tail = zlib.crc32(rest[:-4], self._check), rest[-4:]

    def _begin(self) -> None:
        """Reads the header, if it has come."""
        place = 0 if self._kind == _PARAMETERS else _front(self._head[:SIZE])
        if place:
            # such as a secret key in a file: what follows its parameters says more
            if len(self._head) >= min(place + SIZE, _FRONT):
                parsed(self._head[place : place + SIZE], self._kind, self._place + place)
                raise Problem("invalid", f"{_NAMES[self._kind]}: parameters come before it", offset=self._place)
        elif len(self._head) >= SIZE:
            self.header = parsed(self._head[:SIZE], self._kind, self._place)
            if self._size is not None and self.header.length != self._size:
                raise self._wrong_length(self._size)

    def finish(self) -> Header:
        """The header of an object that is complete and undamaged."""
        name = _NAMES[self._kind]
        if self.header is None:
            raise Problem("invalid", f"{name}: these bytes are not an object of ringjet", offset=self._place)
        if self.header.length != self.came:
            raise self._wrong_length(self.came)
        if self._check != int.from_bytes(self._tail, "little"):
            end = self._place + self.came - 4
            raise Problem("invalid", f"{name}: the checksum is wrong; the bytes are damaged", offset=end)
        return self.header

    def _wrong_length(self, size: int) -> Problem:
        assert self.header is not None
        detail = f"{_NAMES[self._kind]}: a length of {self.header.length} bytes, and {size} came"
        return Problem("invalid", detail, offset=self._place + 24)


def parsed(head: bytes, kind: int, place: int) -> Header:
    """The header `head` of an object of this kind, which begins at `place`."""
    name = _NAMES[kind]
    if len(head) < SIZE or head[:4] != b"RJET":
        raise Problem("invalid", f"{name}: these bytes are not an object of ringjet", offset=place)
    found = head[7]
    if found == _SECRET:
        detail = "this is a SECRET KEY. It was not stored. Never send it to anybody, and make a new one"
        raise Problem("invalid", detail, offset=place + 7)
    if found != kind:
        raise Problem("invalid", f"{name}: this is {_NAMES.get(found, 'an unknown object')}", offset=place + 7)
    (length,) = struct.unpack("<Q", head[24:32])
    if length < _LEAST:
        raise Problem("invalid", f"{name}: a length of {length} bytes, and {_LEAST} is the least", offset=place + 24)
    header = Header(head[8:24].hex(), length, head[32:48].hex())
    if kind != _PARAMETERS and not int(header.key_id, 16):
        raise Problem(
            "invalid", f"{name}: these belong to no key, so their values are not protected", offset=place + 32
        )
    return header


def longest(params: Parameters) -> int:
    """More bytes than any ciphertext of these parameters has: it has two polynomials, or three if it
    is a product that is not relinearised."""
    return int(2 * params.sizes["ciphertext"]) + _FRONT


def check_length(header: Header, limit: int) -> None:
    """Refuses a ciphertext that is longer than any of its parameters."""
    if header.length > limit:
        detail = f"a ciphertext of {header.length} bytes, and with these parameters none has more than {limit}"
        raise Problem("too-large", detail, error="TooManyBytesError", limit=limit)


def of_beginning(data: bytes, total: int) -> Header | None:
    """The header of evaluation keys, of which the beginning has come, and which are `total` bytes
    with their parameters before them; None if the header is not there yet. Its key and length are
    right if it returns."""
    place = _front(data[:SIZE])
    if place + _LEAST > total:
        raise Problem("invalid", f"parameters: a length of {place} bytes, and {total} were announced", offset=24)
    if len(data) < place + SIZE:
        return None
    header = parsed(data[place : place + SIZE], KEYS, place)
    if place + header.length != total:
        detail = f"evaluation keys: a length of {header.length} bytes, and {total - place} were announced"
        raise Problem("invalid", detail, offset=place + 24)
    return header


def of_keys(path: Path) -> Header:
    """The header of complete evaluation keys in a file. Lengths and checksums are verified."""
    size = path.stat().st_size
    with path.open("rb") as file:
        place = _front(file.read(SIZE))
        file.seek(0)
        if place:
            parameters = Watch(_PARAMETERS, place)
            parameters.feed(file.read(min(place, _PIECE)))
            parameters.finish()
        keys = Watch(KEYS, size - place, place)
        while piece := file.read(_PIECE):
            keys.feed(piece)
    return keys.finish()


def _front(head: bytes) -> int:
    """The length of the parameters that come before keys."""
    if len(head) == SIZE and head[:4] == b"RJET" and head[7] == _PARAMETERS:
        return parsed(head, _PARAMETERS, 0).length
    return 0
