"""Quotients and remainders of encrypted integers beside Python's, and integers made of real numbers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ringjet as rj
from ringjet.integers import _division

sys.path.insert(0, str(Path(__file__).parent))
from integer_pairs import SEED, SMALL, Pair  # noqa: E402


@pytest.fixture(scope="module")
def client() -> rj.Client:
    return rj.Client(SMALL, seed=SEED)


@pytest.fixture(scope="module")
def server(client: rj.Client) -> rj.Server:
    return rj.Server(client.evaluation_keys(bootstrapping=True))


KINDS = [rj.integers(4), rj.integers(4, signed=True), rj.integers(8), rj.integers(8, signed=True), rj.integers(12)]


def divisors(p: Pair) -> list[int]:
    """Divisors of all sizes, without 0."""
    return [b // 2 ** (i % p.kind.bits) or 1 for i, b in enumerate(p.b)]


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_division_by_encrypted_integers(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    b = divisors(p)
    y = kind.load(server, kind.encrypt(client, b))
    pairs = list(zip(p.a, b, strict=True))
    for quotient, remainder in (divmod(p.x, y), (p.x // y, p.x % y)):
        p.expect(quotient, p.wrapped(v // w for v, w in pairs))
        p.expect(remainder, [v % w for v, w in pairs])
    quotient, remainder = divmod(kind.high, y)
    p.expect(quotient, p.wrapped(kind.high // w for w in b))
    p.expect(remainder, [kind.high % w for w in b])
    quotient, remainder = divmod(p.x, b)
    p.expect(quotient, p.wrapped(v // w for v, w in pairs))
    p.expect(remainder, [v % w for v, w in pairs])


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_encrypted_divisors_that_are_0(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    quotient, remainder = divmod(p.x, p.x * 0)
    if not kind.signed:
        p.expect(quotient, [kind.high] * len(p.a))
    p.expect(remainder, p.a)
    with pytest.raises(TypeError, match="to_real"):
        p.x // p.x.ciphertexts[0]
    for zero in (0, [0, *p.b[1:]]):
        with pytest.raises(ZeroDivisionError):
            p.x // zero


@pytest.mark.parametrize(
    ("kind", "constants"),
    [
        (rj.integers(4), [1, 3, 8, 15]),
        (rj.integers(8), [7, 16, 100, 255]),
        (rj.integers(8, signed=True), [-1, 3, -8, 100]),
        # a power of two, small factors, several of them, and other numbers
        (rj.integers(16), [32, 10, 21, 1000, 997, 40000]),
        (rj.integers(32), [18]),
    ],
    ids=repr,
)
def test_division_by_constants(
    client: rj.Client, server: rj.Server, kind: rj.IntegerType, constants: list[int]
) -> None:
    p = Pair(client, server, kind)
    for constant in constants:
        quotient, remainder = divmod(p.x, constant)
        p.expect(quotient, p.wrapped(a // constant for a in p.a))
        p.expect(remainder, [a % constant for a in p.a])
        p.expect(p.x // constant, p.wrapped(a // constant for a in p.a))


def test_factors_of_constants() -> None:
    for y in range(2, 300):
        found = _division._factors(y)
        if found is None:
            assert any(y % prime == 0 for prime in range(17, y + 1) if all(prime % f for f in range(2, prime)))
        else:
            assert np.prod(found) == y and max(found) <= 16


@pytest.mark.parametrize("kind", [*KINDS, rj.integers(16)], ids=repr)
def test_integers_of_real_numbers(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    rng = np.random.default_rng(SEED)
    for gap in (0, 1 / 4096, 1 / 64, 1 / 16):
        if gap * 4 ** (kind.bits // 4) > 1 / 4:
            continue
        # the ends of the gap, where errors are largest
        values = np.array(p.a, float) + gap * rng.choice([-1, 1], len(p.a))
        x = server.load(client.encrypt(values, magnitude=(kind.low - gap, kind.high + gap)))
        made = x.to_integer(kind, gap=gap)
        p.expect(made, p.a)
        p.expect(made + p.y, p.wrapped(a + b for a, b in zip(p.a, p.b, strict=True)))
    back = (p.x.to_real() + 0).to_integer(kind, gap=1 / 4096)
    p.expect(back, p.a)


def test_real_numbers_that_are_refused(client: rj.Client, server: rj.Server) -> None:
    kind = rj.integers(8)

    def loaded(**bounds: Any) -> rj.Ciphertext:
        return server.load(client.encrypt([1.0, 200.0], **bounds))

    with pytest.raises(rj.ArgumentError, match="with_range"):
        loaded(magnitude=(0, 300)).to_integer(kind)
    with pytest.raises(rj.ArgumentError, match="gap"):
        loaded(magnitude=(0, 255)).to_integer(kind, gap=0.2)
    with pytest.raises(rj.IntegerPrecisionError, match="to_integer"):
        loaded(magnitude=(0, 255)).with_error(2.0**-9).to_integer(kind)
    with pytest.raises(rj.IntegerPrecisionError, match="state a gap below"):
        loaded(magnitude=(0, 255)).to_integer(kind, gap=1 / 16)
    with pytest.raises(rj.LevelExhaustedError, match="one for each digit"):
        loaded(magnitude=(0, 255), level=(SMALL.bootstrap_input_level or 0) + 1).to_integer(kind)
    with pytest.raises(TypeError, match=r"rj\.integers"):
        loaded(magnitude=(0, 255)).to_integer(8)  # type: ignore[arg-type]
    with pytest.raises(rj.NoSineError):
        other = rj.Client("n13-depth2")
        rj.Server(other.evaluation_keys()).load(other.encrypt([1.0], magnitude=(0, 15))).to_integer(rj.integers(4))
