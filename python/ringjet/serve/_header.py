"""Headers of ringjet's objects. They say what an object is, before anybody reads all of it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ._problems import Problem

#: Kinds of objects (docs/design/wire-format.md).
KEYS, CIPHERTEXT = 4, 7
_SECRET = 2
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
    """The header of an object of this kind, whose length and checksum are verified."""
    with path.open("rb") as file:
        header = read(file.read(_SIZE), kind)
        size = path.stat().st_size
        if header.length != size:
            raise Problem("invalid", f"{_NAMES[kind]}: the header says {header.length} bytes, and {size} came", offset=24)
        file.seek(0)
        if not _sound(file, size):
            raise Problem("invalid", f"{_NAMES[kind]}: the checksum is wrong; the bytes are damaged", offset=size - 4)
    return header


def of_bytes(data: bytes, kind: int) -> Header:
    """As `of_file`, of bytes."""
    header = read(data[:_SIZE], kind)
    if header.length != len(data):
        raise Problem("invalid", f"{_NAMES[kind]}: the header says {header.length} bytes, and {len(data)} came", offset=24)
    if zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise Problem("invalid", f"{_NAMES[kind]}: the checksum is wrong; the bytes are damaged", offset=len(data) - 4)
    return header


def read(head: bytes, kind: int) -> Header:
    """The header in the first 48 bytes of an object of this kind."""
    wanted = _NAMES[kind]
    if len(head) < _SIZE or head[:4] != b"RJET":
        raise Problem("invalid", f"{wanted}: these bytes are not an object of ringjet", offset=0)
    found = head[7]
    if found == _SECRET:
        detail = "this is a SECRET KEY. It was not stored. Never send it to anybody, and make a new one"
        raise Problem("invalid", detail, offset=7)
    if found != kind:
        raise Problem("invalid", f"{wanted}: this is {_NAMES.get(found, 'an unknown object')}", offset=7)
    (length,) = struct.unpack("<Q", head[24:32])
    if length < _SIZE + 4:
        raise Problem("invalid", f"{wanted}: a length of {length} bytes is too small", offset=24)
    return Header(head[8:24].hex(), length, head[32:48].hex())


def _sound(file: BinaryIO, size: int) -> bool:
    left, check = size - 4, 0
    while left:
        piece = file.read(min(left, _PIECE))
        if not piece:
            return False
        check, left = zlib.crc32(piece, check), left - len(piece)
    return check == int.from_bytes(file.read(4), "little")
