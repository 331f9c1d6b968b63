"""Encrypted matrices: bytes and pickles."""

from __future__ import annotations

import copy
import pickle
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors.matrices import EncryptedMatrix, decrypt_matrix, encrypt_matrix, load_matrix


@pytest.fixture(scope="module")
def sides(params):
    """A client and a server, of ciphertexts with 64 slots: blocks of 8 x 8."""
    client = rj.Client(params, slots=64, seed=9)
    return client, rj.Server(client.evaluation_keys(), allow_insecure=True)


def sealed(data):
    """The bytes with the checksum that belongs to them."""
    return bytes(data[:-4]) + struct.pack("<I", zlib.crc32(data[:-4]))


@pytest.mark.parametrize("shape", [(3, 4), (17, 9), (3, 9, 5)])
def test_round_trips(sides, shape):
    client, server = sides
    a = np.random.default_rng(4).uniform(-1, 1, shape)
    sent = encrypt_matrix(client, a, magnitude=2).to_bytes()
    x = load_matrix(server, bytearray(sent))
    assert (x.shape, x.slots, x.magnitude, x.to_bytes()) == (shape, 64, 2, sent)
    for m, want in [(sent, a), (x, a), ((x + 1).to_bytes(), a + 1), (load_matrix(server, x), a)]:
        found = decrypt_matrix(client, m)
        assert found.shape == shape and np.max(np.abs(found - want)) < 1e-6
    number = shape[0] if len(shape) == 3 else 0
    count = sum(map(len, x.blocks))
    lengths = [len(block.to_bytes()) for row in x.blocks for block in row]
    # the header as the format says
    assert struct.unpack_from(f"<4sBBHIII{count}Q", sent) == (b"RJMX", 1, 6, 0, number, *shape[-2:], *lengths)


def test_an_encryptor_encrypts_matrices(sides):
    client, _ = sides
    encryptor = rj.Encryptor.from_bytes(rj.Encryptor(client.public_key(), slots=64).to_bytes(), allow_insecure=True)
    a = np.linspace(-1, 1, 90).reshape(10, 9)
    assert np.max(np.abs(decrypt_matrix(client, encrypt_matrix(encryptor, a, level=3)) - a)) < 1e-6
    assert encrypt_matrix(encryptor, a, level=3).level == 3


@pytest.mark.parametrize("reads", ["load", "decrypt"])
def test_damaged_bytes_are_refused(sides, rng, reads):
    client, server = sides
    data = encrypt_matrix(client, np.ones((4, 9)), level=0).to_bytes()

    def read(data, **limit):
        return load_matrix(server, data, **limit) if reads == "load" else decrypt_matrix(client, data, **limit)

    read(data, max_bytes=len(data))
    with pytest.raises(rj.TooManyBytesError, match=f"{len(data)} bytes exceeds the limit of {len(data) - 1}") as large:
        read(data, max_bytes=len(data) - 1)
    assert (large.value.what, large.value.bytes, large.value.limit) == ("encrypted matrix", len(data), len(data) - 1)
    for cut in (0, 3, 19, 20, 24, 36, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(rj.MalformedError, match="encrypted matrix: truncated") as short:
            read(data[:cut])
        assert short.value.offset == cut
    with pytest.raises(rj.MalformedError, match="1 bytes too many") as long:
        read(data + b"x")
    assert (long.value.what, long.value.offset) == ("encrypted matrix", len(data) + 1)
    for place in [*range(36), *rng.integers(len(data), size=30)]:
        flipped = bytearray(data)
        flipped[place] ^= 1 << rng.integers(8)
        with pytest.raises(rj.RingjetError):
            read(bytes(flipped))
    read(memoryview(data))
    with pytest.raises(TypeError, match="encrypted matrix: bytes or the path of a file is needed, not int"):
        read(3)
    with pytest.raises(rj.MalformedError, match="RJMX"):
        read(client.encrypt([1.0]).to_bytes())


#: Changes of the bytes of a 4 x 9 matrix, whose checksum is right: format, offset, value, and what
#: the error says.
FORGERIES = [
    ("<B", 4, 2, "format version 2, this library reads up to 1"),
    ("<B", 4, 0, "never wrote"),
    ("<B", 6, 9, "layout 9, which this library never wrote"),
    ("<B", 6, 1, "truncated"),
    ("<B", 6, 2, "9 ciphertexts do not fit|truncated"),
    ("<B", 7, 1, "never wrote"),
    ("<B", 5, 17, "no ring has"),
    ("<B", 5, 255, "no ring has"),
    ("<I", 8, 65, "no ring has"),
    ("<I", 12, 0, "without elements"),
    ("<I", 16, 0, "without elements"),
    ("<I", 12, 2**32 - 1, "536870912 x 2 ciphertexts do not fit"),
    ("<I", 16, 17, "truncated"),
    ("<I", 16, 8, "too many at the end"),
    ("<Q", 20, 51, "that no ciphertext has"),
    ("<Q", 28, 2**64 - 1, "truncated: 1844674407"),
    ("<Q", 20, 1000, "too many at the end"),
]


@pytest.mark.parametrize(("kind", "offset", "value", "text"), FORGERIES)
def test_forged_headers_are_refused(sides, kind, offset, value, text):
    client, server = sides
    data = bytearray(encrypt_matrix(client, np.ones((4, 9)), level=0).to_bytes())
    struct.pack_into(kind, data, offset, value)
    tracemalloc.start()
    try:
        with pytest.raises((rj.MalformedError, rj.NewerVersionError), match=text):
            load_matrix(server, sealed(data))
        # about the copy of the bytes that the test makes
        assert tracemalloc.get_traced_memory()[1] < 4 * len(data)
    finally:
        tracemalloc.stop()


def test_ciphertexts_of_something_else_are_refused(sides):
    client, server = sides
    data = bytearray(encrypt_matrix(client, np.ones((4, 4)), level=0).to_bytes())
    data[5] = 8
    for read in (lambda d: load_matrix(server, d), lambda d: decrypt_matrix(client, d)):
        with pytest.raises(rj.MalformedError, match="a ciphertext with 64 slots in a matrix of 256 slots") as e:
            read(sealed(data))
        assert e.value.offset == 28
    stranger = rj.Client(client.params, slots=64, seed=10)
    with pytest.raises(rj.KeyMismatchError):
        load_matrix(server, encrypt_matrix(stranger, np.ones((4, 9))).to_bytes())
    two = bytearray(encrypt_matrix(client, np.ones((4, 9)), level=0).to_bytes())
    first, second = struct.unpack_from("<2Q", two, 20)
    struct.pack_into("<2Q", two, 20, first + 1, second - 1)
    with pytest.raises(rj.MalformedError, match="ciphertext: "):
        load_matrix(server, sealed(two))


def test_pickles_and_copies(sides, insecure_pickles):
    client, server = sides
    a = np.random.default_rng(5).uniform(-1, 1, (4, 9))
    x = load_matrix(server, encrypt_matrix(client, a))
    for m in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert type(m) is EncryptedMatrix and m.shape == (4, 9)
        # as a ciphertext does, it joins the only server that has its keys
        assert np.max(np.abs(decrypt_matrix(client, m + m) - 2 * a)) < 1e-6
