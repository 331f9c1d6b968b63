"""Encrypted integers beside Python's."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ringjet as rj
from ringjet.integers import _carries

sys.path.insert(0, str(Path(__file__).parent))
from integer_pairs import SEED, SMALL, Pair  # noqa: E402

TYPES = [rj.integers(4), rj.integers(8, signed=True), rj.integers(16), rj.integers(20, signed=True), rj.integers(64)]
WIDEST = rj.integers(64, signed=True)


@pytest.fixture(scope="module")
def client() -> rj.Client:
    return rj.Client(SMALL, seed=SEED)


@pytest.fixture(scope="module")
def server(client: rj.Client) -> rj.Server:
    return rj.Server(client.evaluation_keys(bootstrapping=True))


@pytest.mark.parametrize("kind", TYPES, ids=repr)
def test_sums_and_differences(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    p.expect(p.x + p.y, p.wrapped(a + b for a, b in zip(p.a, p.b, strict=True)))
    p.expect(p.x - p.y, p.wrapped(a - b for a, b in zip(p.a, p.b, strict=True)))
    p.expect(p.x + 3, p.wrapped(a + 3 for a in p.a))
    p.expect(3 + p.x, p.wrapped(a + 3 for a in p.a))
    p.expect(p.x - 1, p.wrapped(a - 1 for a in p.a))
    p.expect(7 - p.x, p.wrapped(7 - a for a in p.a))
    p.expect(-p.x, p.wrapped(-a for a in p.a))
    p.expect(~p.x, p.wrapped(-1 - a for a in p.a))
    p.expect(p.x + p.b, p.wrapped(a + b for a, b in zip(p.a, p.b, strict=True)))


@pytest.mark.parametrize("kind", TYPES, ids=repr)
def test_comparisons(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    compared: list[tuple[Any, Callable[[int, int], bool]]] = [
        (p.x > p.y, lambda a, b: a > b),
        (p.x < p.y, lambda a, b: a < b),
        (p.x >= p.y, lambda a, b: a >= b),
        (p.x <= p.y, lambda a, b: a <= b),
        (p.x == p.y, lambda a, b: a == b),
        (p.x != p.y, lambda a, b: a != b),
    ]
    for got, of in compared:
        p.expect(got, [int(of(a, b)) for a, b in zip(p.a, p.b, strict=True)])
    p.expect(p.x > 5, [int(a > 5) for a in p.a])
    p.expect(5 > p.x, [int(a < 5) for a in p.a])
    p.expect(rj.maximum(p.x, p.y), map(max, p.a, p.b))
    p.expect(rj.minimum(p.x, p.y), map(min, p.a, p.b))
    p.expect(rj.maximum(p.x, 5), [max(a, 5) for a in p.a])
    p.expect(rj.where(p.x > p.y, p.x, 5), [a if a > b else 5 for a, b in zip(p.a, p.b, strict=True)])
    p.expect(rj.where(p.x > p.y, 5, p.y), [5 if a > b else b for a, b in zip(p.a, p.b, strict=True)])


@pytest.mark.parametrize("kind", TYPES, ids=repr)
def test_products(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    p.expect(p.x * p.y, p.wrapped(a * b for a, b in zip(p.a, p.b, strict=True)))
    if kind.bits <= 20:
        p.expect(p.x * 7, p.wrapped(a * 7 for a in p.a))
        p.expect(p.x * p.y * p.x, p.wrapped(a * b * a for a, b in zip(p.a, p.b, strict=True)))


@pytest.mark.parametrize("kind", TYPES[:3], ids=repr)
def test_bits(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    p.expect(p.x & p.y, [a & b for a, b in zip(p.a, p.b, strict=True)])
    p.expect(p.x | p.y, [a | b for a, b in zip(p.a, p.b, strict=True)])
    p.expect(p.x ^ p.y, [a ^ b for a, b in zip(p.a, p.b, strict=True)])
    p.expect(p.x & 5, [a & 5 for a in p.a])
    p.expect(p.x | 6, [a | 6 for a in p.a])
    p.expect(3 ^ p.x, [a ^ 3 for a in p.a])
    for k, bit in enumerate(p.x.bits()):
        p.expect(bit, [a >> k & 1 for a in p.a])


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("bits", [4, 12])
def test_shifts(client: rj.Client, server: rj.Server, bits: int, signed: bool) -> None:
    p = Pair(client, server, rj.integers(bits, signed=signed))
    for by in {0, 1, 3, 4, 6, bits - 1} & set(range(bits)):
        p.expect(p.x << by, p.wrapped(a << by for a in p.a))
        p.expect(p.x >> by, [a >> by for a in p.a])
    for shift in (operator.lshift, operator.rshift):
        with pytest.raises(rj.ArgumentError, match="0 to"):
            shift(p.x, bits)


@pytest.mark.parametrize("kind", TYPES, ids=repr)
def test_overflow(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    y: Any
    for y, b in ((p.y, p.b), (5, [5] * len(p.a)), (p.b, p.b)):
        checked: list[tuple[str, Callable[[int, int], int]]] = [
            ("overflowing_add", operator.add),
            ("overflowing_sub", operator.sub),
        ]
        if kind.bits <= 16:
            checked.append(("overflowing_mul", operator.mul))
        for name, clear in checked:
            made, overflow = getattr(p.x, name)(y)
            want = [clear(v, w) for v, w in zip(p.a, b, strict=True)]
            p.expect(made, p.wrapped(want))
            p.expect(overflow, [int(not kind.low <= v <= kind.high) for v in want])
    if kind.bits > 32:
        with pytest.raises(rj.ArgumentError, match="at most 32 bits"):
            p.x.overflowing_mul(p.y)
    with pytest.raises(TypeError, match="integers are needed"):
        p.x.overflowing_add(True)


@pytest.mark.parametrize("count", [1, 2, 5, 17])
def test_argmax(client: rj.Client, server: rj.Server, count: int) -> None:
    kind = rj.integers(8, signed=True)
    rng = np.random.default_rng(count)
    # few different integers, so that many are equal
    rows = rng.integers(-3, 3, (count, SMALL.slots))
    vectors = [kind.load(server, kind.encrypt(client, row)) for row in rows]
    index = rj.integers(4 if count <= 16 else 8)
    for of, clear in ((rj.argmax, np.argmax), (rj.argmin, np.argmin)):
        assert np.array_equal(index.decrypt(client, of(vectors)), clear(rows, axis=0))
    with pytest.raises(rj.ArgumentError, match="1 to 256"):
        rj.argmax([])


@pytest.mark.parametrize("kind", [rj.integers(8), rj.integers(8, signed=True)], ids=repr)
def test_types_are_converted(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    p = Pair(client, server, kind)
    for bits in (4, 8, 16):
        for signed in (False, True):
            other = rj.integers(bits, signed=signed)
            want = [(a - other.low) % (1 << bits) + other.low for a in p.a]
            p.expect(p.x.astype(other), want, other)
    assert p.x.astype(kind) is p.x
    # a client has bytes alone
    assert kind.decrypt(client, [x.to_bytes() for x in (p.x + 1).ciphertexts]).tolist() == p.wrapped(a + 1 for a in p.a)
    assert kind.decode(kind.encode(p.a, len(p.a)), len(p.a)).tolist() == p.a
    assert kind.decode(kind.encode([3], 2), 2).tolist() == [3, 0]
    with pytest.raises(rj.ArgumentError, match="one for each digit"):
        kind.decode([[0.0]], 1)
    with pytest.raises(rj.IntegerPrecisionError, match="decode"):
        kind.decode([[0.0], [0.0]], 1)
    with pytest.raises(rj.ArgumentError, match="number of slots"):
        kind.encode([1, 2], 1)
    real = client.decrypt(p.x.to_real(scale=1 / 256))
    assert np.max(np.abs(real - np.array(p.a) / 256)) < 1e-9


def test_results_can_be_used_again(client: rj.Client, server: rj.Server) -> None:
    """Sums of sums, minima of sums, and choices by conditions of conditions, whose levels come back."""
    p = Pair(client, server, rj.integers(8))
    z: rj.EncryptedIntegers = p.x
    want = p.a
    for _ in range(4):
        z = rj.minimum(z + p.y, z - p.y)
        sums, differences = (p.wrapped(a + s * b for a, b in zip(want, p.b, strict=True)) for s in (1, -1))
        want = list(map(min, sums, differences))
    p.expect(z, want)
    both = (p.x > p.y) * (p.x > 3) * (p.y != 7) * (p.x != 9) * (p.x < 250)
    wanted = [a > b and a > 3 and b != 7 and a != 9 and a < 250 for a, b in zip(p.a, p.b, strict=True)]
    p.expect(
        rj.where(both, p.x, p.y) + 1, p.wrapped(1 + (a if w else b) for a, b, w in zip(p.a, p.b, wanted, strict=True))
    )


@pytest.mark.parametrize("kind", [rj.integers(4), rj.integers(4, signed=True), rj.integers(8)], ids=repr)
def test_tables(client: rj.Client, server: rj.Server, kind: rj.IntegerType) -> None:
    """All integers of the type, through tables that are as rough as they can be."""
    count = 1 << kind.bits
    every = [kind.low + i % count for i in range(SMALL.slots)]
    x = kind.load(server, kind.encrypt(client, every))
    p = Pair(client, server, kind)
    shuffled = [int(v) + kind.low for v in np.random.default_rng(5).permutation(count)]
    alternating = [kind.low if i % 2 else kind.high for i in range(count)]
    step = [kind.low if i < count // 2 else kind.high for i in range(count)]
    found = rj.tables(x, [shuffled, alternating, step, [kind.low + 3] * count])
    for table, got in zip([shuffled, alternating, step, [kind.low + 3] * count], found, strict=True):
        p.expect(got, [table[m - kind.low] for m in every])
    wide = rj.integers(12, signed=True)
    p.expect(
        rj.tables(x, [lambda m: m * m - 40], kind=wide)[0], [m * m - 40 if m * m < 2088 else 0 for m in every], wide
    ) if kind.bits == 4 else None
    assert rj.tables(x, []) == []
    with pytest.raises(rj.ArgumentError, match="results, one for each integer"):
        rj.tables(x, [[1, 2, 3]])
    with pytest.raises(rj.ArgumentError, match="for integers"):
        rj.tables(x, [lambda m: kind.high + 1])


def test_slots_without_a_value(client: rj.Client, server: rj.Server) -> None:
    """Short vectors keep their count: padding is decrypted and counted nowhere."""
    for kind in (rj.integers(8), rj.integers(8, signed=True)):
        a, b = [3, 100, 7], [4, 100, 1]
        x, y = (kind.load(server, kind.encrypt(client, v)) for v in (a, b))
        assert [int(v) for v in kind.decrypt(client, x + y)] == kind.decrypt(
            client, kind.encrypt(client, [7, 200 - 256 * kind.signed, 8])
        ).tolist()
        assert kind.decrypt(client, x * y - b).tolist()[::2] == [8, 6]
        assert kind.decrypt(client, rj.minimum(x, [5, 6, 7])).tolist() == [3, 6, 7]
        for flag, count in ((x == y, 1), (x < 50, 2), (x > y, 1), (x >= [3, 3, 9], 2)):
            assert flag.count == 3 and np.rint(client.decrypt(flag)).sum() == count
        padding = client.decrypt(kind.encrypt(client, a).ciphertexts[-1], all_slots=True)[3:]
        assert np.allclose(padding, (2 * (8 if kind.signed else 0) - 15) / 16, atol=1e-6)


def test_counts_of_two_vectors(client: rj.Client, server: rj.Server) -> None:
    """Results of a long and a short vector hold as many integers as the short one, in both orders."""
    kind = rj.integers(8)
    x, y = (kind.load(server, kind.encrypt(client, v)) for v in ([7] * SMALL.slots, [3, 5, 1]))
    for made in (x + y, y + x, x - y, x * y, x // y, x % y, x & y, rj.where(x > y, x, y), rj.maximum(y, x)):
        assert [digit.count for digit in made.ciphertexts] == [3, 3]
    assert kind.decrypt(client, x // y).tolist() == [2, 1, 7]
    assert rj.argmax([x, y]).ciphertexts[0].count == rj.argmax([y, x]).ciphertexts[0].count == 3


def test_widest_products(client: rj.Client, server: rj.Server) -> None:
    p = Pair(client, server, WIDEST)
    p.expect(p.x * -3, p.wrapped(a * -3 for a in p.a))
    p.expect(p.x * np.array(7, np.int8), p.wrapped(a * 7 for a in p.a))
    p.expect(p.x * p.b, p.wrapped(a * b for a, b in zip(p.a, p.b, strict=True)))


def test_what_is_refused(client: rj.Client, server: rj.Server) -> None:
    p = Pair(client, server, rj.integers(8))
    with pytest.raises(TypeError, match="astype"):
        p.x + Pair(client, server, rj.integers(8, signed=True)).x
    with pytest.raises(TypeError, match="to_real"):
        p.x + p.x.ciphertexts[0]  # type: ignore[operator]
    with pytest.raises(TypeError):
        p.x + 1.5  # type: ignore[operator]
    for wrong in (256, -1, [300] * SMALL.slots):
        with pytest.raises(rj.ArgumentError, match="0 to 255"):
            p.x + wrong
    with pytest.raises(rj.ArgumentError, match="one for each digit"):
        rj.EncryptedIntegers(rj.integers(8), p.x.ciphertexts[:1])
    with pytest.raises(rj.ArgumentError, match="4 or 8 bits"):
        rj.tables(Pair(client, server, rj.integers(12)).x, [abs])
    with pytest.raises(rj.NoSineError, match='"int"'):
        rj.integers(8).encrypt(rj.Client("n13-depth2"), [1])
    with pytest.raises(rj.ArgumentError, match="integers"):
        rj.integers(12).decrypt(client, p.x)
    with pytest.raises(rj.NoBootstrappingError, match="sine"):
        p.x.ciphertexts[0].bootstrap()
    signed = rj.integers(8, signed=True)
    with pytest.raises(rj.ArgumentError, match="signed"):
        signed.load(server, kind_of := rj.integers(8).encrypt(client, [1]))
    assert kind_of.type == rj.integers(8)
    for other in (1.5, None, "1", True):
        with pytest.raises(TypeError, match="integers are needed"):
            p.x == other  # noqa: B015
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(p.x)
    with pytest.raises(rj.SlotMismatchError):
        p.x + [1, 2, 3]
    with pytest.raises(TypeError, match="type"):
        rj.tables(p.x, [lambda m: m / 2])  # type: ignore[list-item, return-value]
    with pytest.raises(TypeError, match="ones and zeros"):
        rj.where(True, p.x, p.x)  # type: ignore[call-overload]
    with pytest.raises(rj.ArgumentError, match="multiple of 4"):
        rj.IntegerType(10)


def test_operations_that_take_more_levels_than_there_are() -> None:
    """`n15-int` is for tables of 4-bit integers: others say what they take before they compute."""
    kind = rj.integers(8)

    def recorded(compute: Callable[[Any, Any], Any]) -> Any:
        def function(a0: Any, a1: Any, b0: Any, b1: Any) -> Any:
            x, y = rj.EncryptedIntegers(kind, [a0, a1]), rj.EncryptedIntegers(kind, [b0, b1])
            made = compute(x, y)
            return list(made.ciphertexts) if isinstance(made, rj.EncryptedIntegers) else made

        return rj.plan(function, "n15-int")

    for compute in (lambda x, y: x + y, lambda x, y: x < y, lambda x, y: x * y, lambda x, y: rj.tables(x, [abs])[0]):
        with pytest.raises(rj.LevelExhaustedError, match="n16-int"):
            recorded(compute)
    assert recorded(lambda x, y: x.bits()).bootstraps
    assert recorded(lambda x, y: x & 5).bootstraps
    # fresh digits have levels for a choice
    assert not recorded(lambda x, y: rj.where(x.ciphertexts[0], x, y)).bootstraps


def test_values_between_integers_are_refused(client: rj.Client, server: rj.Server) -> None:
    """Errors that are too large to tell numbers apart, and values that are no numbers."""
    kind = rj.integers(4)
    p = Pair(client, server, kind)
    vague = rj.EncryptedIntegers(kind, [p.x.ciphertexts[0].with_error(2.0**-9)])
    for use in (lambda: vague + 1, lambda: kind.decrypt(client, vague)):
        with pytest.raises(rj.IntegerPrecisionError, match="bits too large to tell") as refused:
            use()
        assert refused.value.missing > 0
    halves = rj.EncryptedIntegers(
        kind, [server.load(client.encrypt(np.full(SMALL.slots, 1 / 16 + 1 / 30), magnitude=1))]
    )
    with pytest.raises(rj.IntegerPrecisionError, match="no such numbers"):
        kind.decrypt(client, halves)


def test_programs(client: rj.Client) -> None:
    """Integers in programs: planned, compiled, stored, simulated, and run with the planned keys."""
    kind = rj.integers(8)

    def compute(a0: Any, a1: Any, b0: Any, b1: Any) -> dict[str, Any]:
        x, y = rj.EncryptedIntegers(kind, [a0, a1]), rj.EncryptedIntegers(kind, [b0, b1])
        return {"sum": (x + y).ciphertexts, "less": x < y}

    plan = rj.plan(compute, SMALL)
    assert len(plan.bootstraps) == 4 and plan.keys["bootstrapping"] == [SMALL.slots]
    made = rj.compile(compute, SMALL)
    made = type(made).from_bytes(made.to_bytes(), allow_insecure=True)
    server = rj.Server(client.evaluation_keys(**made.keys))
    p = Pair(client, server, kind)
    out = made.run(server, *p.x.ciphertexts, *p.y.ciphertexts)
    p.expect(rj.EncryptedIntegers(kind, out["sum"]), p.wrapped(a + b for a, b in zip(p.a, p.b, strict=True)))
    p.expect(out["less"], [int(a < b) for a, b in zip(p.a, p.b, strict=True)])
    codes = [(2 * np.array(digit) - 15) / 16 for v in (p.a, p.b) for digit in kind.split(v)]
    simulated = rj.simulate(compute, *codes, params=SMALL)
    assert not simulated.warnings
    less = next(output for output in simulated.outputs if output.name == "['less']")
    assert np.array_equal(np.rint(less.values), [int(a < b) for a, b in zip(p.a, p.b, strict=True)])
    # other parameters have no sine, so a preset with one is chosen
    assert rj.plan(compute).params == rj.preset("n16-int")


def test_carries() -> None:
    """All carries of all sums of generating and passing digits."""
    for count in range(1, 9):
        for state in range(3**count):
            digits = [state // 3**i % 3 for i in range(count)]
            if digits[0] == 2:
                continue  # the lowest digit passes on no carry
            pairs = [(Flag(d == 1), Flag(d == 2) if i else None) for i, d in enumerate(digits)]
            carry, want = 0, []
            for d in digits:
                carry = 1 if d == 1 or (d == 2 and carry) else 0
                want.append(carry)
            assert [int(c) for c in _carries.carried(pairs)] == want  # type: ignore[arg-type]
            assert int(_carries.last(pairs)) == want[-1]  # type: ignore[arg-type]


class Flag(int):
    """A number in place of a ciphertext of ones and zeros."""

    def __add__(self, other: int) -> Flag:
        return Flag(int(self) + int(other))

    def __mul__(self, other: int) -> Flag:
        return Flag(int(self) * int(other))

    def with_range(self, low: float, high: float) -> Flag:
        assert low <= self <= high
        return self
