"""What TenSEAL 0.3 serializes: protocol buffers around objects of SEAL."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from ._seal import SealParameters
from ._stream import as_bytes, expect_size, malformed, unsupported

#: Maximum number of fields of a message, and of numbers in a field. A field of two bytes takes a hundred in memory.
_MAX_FIELDS = 4096


@dataclass(frozen=True)
class TensealContext:
    """A context of TenSEAL."""

    parameters: SealParameters
    #: `global_scale`, the scale of what is encrypted; None where it was not set.
    scale: float | None
    #: The secret key as SEAL writes it, for `SealParameters.client`; None in a public context.
    secret_key: bytes | None = field(repr=False)

    @staticmethod
    def from_bytes(data: bytes | bytearray, *, max_bytes: int = 16 << 20) -> TensealContext:
        """From what `context.serialize(save_secret_key=True)` writes. Public keys, relinearization keys and Galois keys are
        skipped: a client with the secret makes ringjet's own. A context with Galois keys may need a larger `max_bytes`."""
        what = "TenSEAL context"
        fields = _fields(what, as_bytes("data", data), max_bytes)
        parameters = _bytes(what, fields, 1, "encryption parameters")
        scale = _last(_fields(what, _last(fields, 2) or b"", max_bytes), 3)
        secret = _last(_fields(what, _last(fields, 3) or b"", max_bytes), 1)
        return TensealContext(
            SealParameters.from_bytes(parameters),
            struct.unpack("<d", scale)[0] if isinstance(scale, bytes) and len(scale) == 8 else None,
            secret if isinstance(secret, bytes) else None,
        )


@dataclass(frozen=True)
class TensealVector:
    """A vector of TenSEAL: `ckks_vector` or `bfv_vector`."""

    #: How many values each ciphertext holds, in SEAL's first slots.
    sizes: tuple[int, ...]
    #: The ciphertexts as SEAL writes them, for `SealCiphertext.from_bytes`.
    ciphertexts: tuple[bytes, ...] = field(repr=False)

    @staticmethod
    def from_bytes(data: bytes | bytearray, *, max_bytes: int = 256 << 20) -> TensealVector:
        """From what `vector.serialize()` writes. Tensors (`ckks_tensor`, `bfv_tensor`) have another format and are
        refused."""
        what = "TenSEAL vector"
        fields = _fields(what, as_bytes("data", data), max_bytes)
        sizes = [
            n for value in fields.get(1, []) for n in (_varints(what, value) if isinstance(value, bytes) else [value])
        ]
        ciphertexts = [value for value in fields.get(2, []) if isinstance(value, bytes)]
        if not ciphertexts or len(ciphertexts) != len(sizes) or set(fields) - {1, 2, 3}:
            unsupported(what, f"{len(sizes)} sizes and {len(ciphertexts)} ciphertexts", "ckks_vector and bfv_vector")
        return TensealVector(tuple(sizes), tuple(ciphertexts))


def _last(fields: dict[int, list[int | bytes]], number: int) -> int | bytes | None:
    return fields.get(number, [None])[-1]


def _bytes(what: str, fields: dict[int, list[int | bytes]], number: int, name: str) -> bytes:
    value = _last(fields, number)
    if not isinstance(value, bytes):
        malformed(what, f"it has no {name}", 0)
    return value


def _fields(what: str, data: int | bytes, limit: int) -> dict[int, list[int | bytes]]:
    """The fields of a message by their numbers."""
    if isinstance(data, int):
        malformed(what, "a number where a message belongs", 0)
    expect_size(what, len(data), limit)
    fields: dict[int, list[int | bytes]] = {}
    at = count = 0
    while at < len(data):
        count += 1
        if count > _MAX_FIELDS:
            unsupported(what, f"a message of more than {_MAX_FIELDS} fields", f"up to {_MAX_FIELDS} fields")
        key, at = _varint(what, data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(what, data, at)
            fields.setdefault(key >> 3, []).append(value)
            continue
        if kind == 2:
            size, at = _varint(what, data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            malformed(what, f"a field of wire type {kind}", at)
        if size > len(data) - at:
            malformed(what, f"a field of {size} bytes, {len(data) - at} are left", at)
        fields.setdefault(key >> 3, []).append(data[at : at + size])
        at += size
    return fields


def _varint(what: str, data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at == len(data):
            malformed(what, "a number is cut off", at)
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    malformed(what, "a number of more than 64 bits", at)


def _varints(what: str, data: bytes) -> list[int]:
    values: list[int] = []
    at = 0
    while at < len(data):
        if len(values) == _MAX_FIELDS:
            unsupported(what, f"a field of more than {_MAX_FIELDS} numbers", f"up to {_MAX_FIELDS} numbers")
        value, at = _varint(what, data, at)
        values.append(value)
    return values
