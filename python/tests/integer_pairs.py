"""Encrypted integers of a small ring, beside the same ones in the clear."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import ringjet as rj

SEED = 20

#: The circuit of the preset n16-int in a ring that is not secure.
SMALL = rj.bootstrap_chain(
    log_n=9,
    message_levels=12,
    scale_bits=48,
    prime_bits=50,
    first_bits=50,
    slots_to_coeffs_bits=40,
    log_ratio=2.0,
    eval_mod_bits=57.0,
    coeffs_to_slots_bits=46.0,
    special=7,
    shared_primes=True,
    slots_to_coeffs=[3, 3, 2],
    coeffs_to_slots=[2, 2, 2, 2],
    matrix_keys=True,
    sine=True,
    allow_insecure=True,
)


def numbers(kind: rj.IntegerType, seed: int) -> list[int]:
    """The ends of a type, their neighbours, 0, and random integers."""
    rng = np.random.default_rng(seed)
    low, high = kind.low, kind.high
    edges = [high, low, high, 0, 5, high - 1, low, high, low + 1, -1 if kind.signed else 15, high // 2, high // 2 + 1]
    if seed % 2:
        edges = [1, high, high, 0, 5, high, low, low, high, 1, high // 2, high // 2]
    drawn = [int.from_bytes(rng.bytes(8), "little") % (1 << kind.bits) + low for _ in range(SMALL.slots)]
    # half of the random integers share their high digits with those of the other operand
    shared = np.random.default_rng(0)
    near = [int.from_bytes(shared.bytes(8), "little") % (1 << kind.bits) for _ in range(SMALL.slots // 2)]
    drawn[: len(near)] = [(n + int(rng.integers(3))) % (1 << kind.bits) + low for n in near]
    return edges + drawn[len(edges) :]


class Pair:
    """Two encrypted vectors, and the same ones in the clear."""

    def __init__(self, client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
        self.client, self.kind = client, kind
        self.a, self.b = numbers(kind, 2), numbers(kind, 3)
        self.x, self.y = (kind.load(server, kind.encrypt(client, v)) for v in (self.a, self.b))

    def wrapped(self, values: Iterable[int]) -> list[int]:
        return [(v - self.kind.low) % (1 << self.kind.bits) + self.kind.low for v in values]

    def expect(self, got: Any, want: Iterable[int], kind: rj.IntegerType | None = None) -> None:
        if isinstance(got, rj.EncryptedIntegers):
            found = [int(v) for v in (kind or self.kind).decrypt(self.client, got)]
        else:
            values = self.client.decrypt(got)
            assert np.max(np.abs(values - np.rint(values))) < 1e-6
            found = [int(v) for v in np.rint(values)]
        assert found == list(want)
