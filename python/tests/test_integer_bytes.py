"""Encrypted integers as bytes and in files."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

import ringjet as rj

sys.path.insert(0, str(Path(__file__).parent))
from integer_pairs import SEED, SMALL  # noqa: E402

S12 = rj.integers(12, signed=True)
VALUES = [-2048, 2047, 0, -1, 700]


@pytest.fixture(scope="module")
def sides() -> tuple[rj.Client, rj.Server]:
    client = rj.Client(SMALL, seed=SEED)
    return client, rj.Server(client.evaluation_keys())


def sealed(data: bytearray) -> bytes:
    """The bytes with the checksum that belongs to them."""
    return bytes(data[:-4]) + struct.pack("<I", zlib.crc32(data[:-4]))


def test_integers_in_files(sides: tuple[rj.Client, rj.Server], tmp_path: Path) -> None:
    client, server = sides
    path, fresh = tmp_path / "x.integers", S12.encrypt(client, VALUES)
    fresh.save(path)
    data = fresh.to_bytes()
    assert path.read_bytes() == data
    # the front as the format says
    lengths = [len(x.to_bytes()) for x in fresh.ciphertexts]
    assert struct.unpack_from("<4sBBBB3Q", data) == (b"RJIN", 1, 12, 1, 0, *lengths)
    for source in (
        path,
        str(path),
        data,
        bytearray(data),
        memoryview(data),
        fresh,
        [x.to_bytes() for x in fresh.ciphertexts],
    ):
        assert S12.decrypt(client, source).tolist() == VALUES
        loaded = S12.load(server, source)
        assert loaded.type == S12 and S12.decrypt(client, loaded).tolist() == VALUES
    S12.load(server, path).save(path)
    assert S12.decrypt(client, path).tolist() == VALUES
    for other in (rj.integers(12), rj.integers(8)):
        with pytest.raises(rj.ArgumentError, match=r"integers = integers\(bits=12, signed=True\): expected"):
            other.load(server, path)
        with pytest.raises(rj.ArgumentError):
            other.decrypt(client, data)


def test_what_is_no_file_of_integers(sides: tuple[rj.Client, rj.Server], tmp_path: Path) -> None:
    client, server = sides
    path, data = tmp_path / "x", S12.encrypt(client, VALUES).to_bytes()
    path.write_bytes(data)
    for read in (lambda *x, **y: S12.load(server, *x, **y), lambda *x, **y: S12.decrypt(client, *x, **y)):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read(tmp_path / "nowhere")
        for source in (path, data):
            with pytest.raises(rj.TooManyBytesError, match="encrypted integers of .* exceeds the limit of 99") as large:
                read(source, max_bytes=99)
            assert (large.value.bytes, large.value.limit) == (len(data), 99)
        for cut in (0, 3, 8, 30, 40, len(data) - 1):
            with pytest.raises(rj.MalformedError, match="encrypted integers: truncated"):
                read(data[:cut])
        for place in (0, 20, 100, len(data) - 1):
            flipped = bytearray(data)
            flipped[place] ^= 4
            with pytest.raises(rj.MalformedError):
                read(flipped)
        with pytest.raises(rj.MalformedError, match="RJIN"):
            read(client.encrypt([1.0]).to_bytes())


#: Changes of the front, whose checksum is right: offset, value, and what the error says.
FORGERIES: list[Any] = [
    (4, 2, "format version 2, this library reads up to 1"),
    (4, 0, "never wrote"),
    (5, 13, "13 bits that this library never wrote"),
    (5, 0, "never wrote"),
    (5, 68, "never wrote"),
    (5, 16, "a length that no ciphertext has|truncated"),
    (5, 8, "too many at the end|truncated"),
    (6, 2, "never wrote"),
    (7, 1, "never wrote"),
    (15, 255, "truncated"),
]


@pytest.mark.parametrize(("offset", "value", "text"), FORGERIES)
def test_forged_fronts_are_refused(sides: tuple[rj.Client, rj.Server], offset: int, value: int, text: str) -> None:
    client, server = sides
    data = bytearray(S12.encrypt(client, VALUES).to_bytes())
    data[offset] = value
    with pytest.raises((rj.MalformedError, rj.NewerVersionError), match=text):
        S12.load(server, sealed(data))
