"""Headers of ringjet's objects. They say what an object is, before anybody reads all of it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

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
_SIZE = 48
_PIECE = 1 << 20


@dataclass(frozen=True)
class Header:
    """The fixed fields of an object."""

    fingerprint: str
    length: int
    key_id: str


def of_file(path: Path, kind: int) -> Header:
    """The header of an object of this kind. Its length and checksum are verified. Evaluation keys
    come with their parameters before them."""
    with path.open("rb") as file:
        return _of(file, path.stat().st_size, kind)


def of_bytes(data: bytes, kind: int) -> Header:
    """As `of_file`, of bytes."""
    return _of(BytesIO(data), len(data), kind)


def _of(file: BinaryIO, size: int, kind: int) -> Header:
    name, place = _NAMES[kind], 0
    head = file.read(_SIZE)
    if len(head) == _SIZE and head[:4] == b"RJET" and head[7] == _PARAMETERS and kind != _PARAMETERS:
        parameters = _checked(file, head, 0, size, _PARAMETERS)
        place = parameters.length
        file.seek(place)
        head = file.read(_SIZE)
    header = _checked(file, head, place, size, kind)
    if place + header.length != size:
        raise Problem("invalid", f"{name}: {size - place - header.length} bytes too many", offset=place + header.length)
    if kind != _PARAMETERS and not int(header.key_id, 16):
        raise Problem("invalid", f"{name}: these belong to no key, so their values are not protected", offset=place + 32)
    return header


def _checked(file: BinaryIO, head: bytes, place: int, size: int, kind: int) -> Header:
    """The header `head` of an object at `place` in the file, if its length and checksum are
    right."""
    name = _NAMES[kind]
    if len(head) < _SIZE or head[:4] != b"RJET":
        raise Problem("invalid", f"{name}: these bytes are not an object of ringjet", offset=place)
    found = head[7]
    if found == _SECRET:
        detail = "this is a SECRET KEY. It was not stored. Never send it to anybody, and make a new one"
        raise Problem("invalid", detail, offset=place + 7)
    if found != kind:
        raise Problem("invalid", f"{name}: this is {_NAMES.get(found, 'an unknown object')}", offset=place + 7)
    (length,) = struct.unpack("<Q", head[24:32])
    if not _SIZE + 4 <= length <= size - place:
        raise Problem("invalid", f"{name}: a length of {length} bytes, and {size - place} came", offset=place + 24)
    file.seek(place)
    if not _sound(file, length):
        raise Problem("invalid", f"{name}: the checksum is wrong; the bytes are damaged", offset=place + length - 4)
    return Header(head[8:24].hex(), length, head[32:48].hex())


def _sound(file: BinaryIO, size: int) -> bool:
    left, check = size - 4, 0
    while left:
        piece = file.read(min(left, _PIECE))
        if not piece:
            return False
        check, left = zlib.crc32(piece, check), left - len(piece)
    return check == int.from_bytes(file.read(4), "little")
