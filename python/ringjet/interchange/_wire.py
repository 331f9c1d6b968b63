"""Objects of ringjet's wire format, version 2 (docs/design/wire-format.md), written from Python. The
library checks every field when it reads them."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

from .._ringjet import Parameters
from ._ring import Limb

SECRET_KEY, CIPHERTEXT = 2, 7

#: How the format writes a bound that is not known.
UNBOUNDED = np.finfo(np.float64).max


def framed(params: Parameters, kind: int, key_id: bytes, body: bytes) -> bytes:
    """An object with header and checksum."""
    scheme = 1 if params.scheme == "ckks" else 3
    fingerprint, length = bytes.fromhex(params.fingerprint), len(body) + 52
    data = struct.pack("<4sHBB16sQ16s", b"RJET", 2, scheme, kind, fingerprint, length, key_id) + body
    return data + struct.pack("<I", zlib.crc32(data))


def packed(limb: Limb, q: int) -> bytes:
    """The residues of a limb in the evaluation domain, each in `q.bit_length()` bits."""
    bits = np.unpackbits(limb.astype("<u8").view(np.uint8).reshape(len(limb), 8), axis=1, bitorder="little")
    return np.packbits(bits[:, : q.bit_length()].reshape(-1), bitorder="little").tobytes()


def ternary(coefficients: npt.NDArray[np.int64]) -> bytes:
    """The body of a secret key with these coefficients, which are 0, 1 or -1, and no answer given yet."""
    two_bits = coefficients.astype(np.int8).view(np.uint8).reshape(-1, 4) & 3
    quarters = (two_bits << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1).astype(np.uint8)
    return bytes(quarters) + bytes(8)
