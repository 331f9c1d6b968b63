"""Random programs on arrays of random types, against numpy in doubles or in Python's integers: every
result is right, or the call is refused with an exception that says why. None is silently wrong.

Each program is computed twice, on ciphertexts and in a simulation. RINGJET_PROGRAMS says how many
programs run, RINGJET_SEED where they begin; with RINGJET_FULL there are 10,000.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ringjet as rj

SLOTS = 16
PROGRAMS = int(os.environ.get("RINGJET_PROGRAMS", "10000" if os.environ.get("RINGJET_FULL") else "300"))
SEED = int(os.environ.get("RINGJET_SEED", "1"))
#: What a refusal may be. A KeyError, an AttributeError or an AssertionError is a fault.
REFUSALS = (rj.RingjetError, TypeError, ZeroDivisionError)

INTEGERS = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", ">i2", ">u4", ">i8"]
FLOATS = ["f2", "f4", "f8", "g", ">f2", ">f4", ">f8"]
COMPLEX = ["F", "D", "G", ">c8"]


class Scheme:
    """A client, its server, and the arithmetic that results are compared with."""

    def __init__(self, name: str, params: rj.Parameters) -> None:
        self.name, self.params, self.t = name, params, params.t
        self.client = rj.Client(params, None if self.t else SLOTS, seed=11)
        self.slots = self.client.slots
        rotations = range(1, SLOTS)
        self.server = rj.Server(self.client.evaluation_keys(rotations=list(rotations), conjugation=True))

    def reduced(self, values: np.ndarray) -> np.ndarray:
        """The values as the scheme holds them: of exact schemes modulo t."""
        if self.t is None:
            return values
        half = self.t // 2
        return np.array([(int(v) + half) % self.t - half for v in values], object)


def schemes() -> list[Scheme]:
    exact = {"q_bits": [50] * 6, "p_bits": [50, 50], "allow_insecure": True}
    return [
        Scheme("ckks", rj.params(6, [50] + [40] * 4, [50], allow_insecure=True)),
        Scheme("bgv", rj.bgv(5, scheme="bgv", **exact)),
        Scheme("bgv64", rj.bgv(5, t_bits=64, scheme="bgv", **exact)),
        Scheme("bfv", rj.bgv(5, scheme="bfv", **exact)),
        Scheme("bfv64", rj.bgv(5, t_bits=64, scheme="bfv", **exact)),
    ]


@dataclass
class Given:
    """What a user gives, and the numbers that it means; None if nobody can say what it means."""

    given: Any
    clear: np.ndarray | None
    kind: str


class Draw:
    """Random arrays of all types."""

    def __init__(self, scheme: Scheme, rng: np.random.Generator) -> None:
        self.scheme, self.rng = scheme, rng
        self.largest = 1.0
        #: How many values the ciphertext holds.
        self.count = scheme.slots

    def pick(self, *of: Any) -> Any:
        return of[int(self.rng.integers(len(of)))]

    def some(self, chance: float) -> bool:
        return bool(self.rng.random() < chance)

    def kind(self) -> str:
        """A type of elements: mostly one that the scheme takes."""
        if self.scheme.t is not None and self.some(0.9):
            return str(self.pick(*INTEGERS))
        return str(
            self.pick(*INTEGERS, *FLOATS, *COMPLEX)
            if self.some(0.9)
            else self.pick("M8[D]", "m8[s]", "U1", "S1", "V2", "O")
        )

    def elements(self, size: int) -> np.ndarray:
        """Random elements of a random type, with those at the type's ends."""
        kind, r = np.dtype(self.kind()), self.rng
        if kind.kind == "b":
            return r.integers(0, 2, size).astype(bool)
        if kind.kind in "iu":
            info = np.iinfo(kind)
            ends = [info.min, info.max, 0, 1, info.max // 2 + 1]
            limit = 2**62 if (self.scheme.t or 0) > 2**32 else 2**15 if self.scheme.t else 2**20
            low, high = max(info.min, -limit), min(info.max, limit - 1)
            made = [
                self.pick(*ends) if self.some(0.1) else int(r.integers(low, high, endpoint=True)) for _ in range(size)
            ]
            fits = [min(max(x, low), high) if self.some(0.97) else x for x in made]
            return np.array(fits, kind)
        if kind.kind in "fc":
            made = r.uniform(-4, 4, size) * self.pick(1, 1, 2.0**-10, 500)
            if kind.kind == "c":
                made = made + 1j * r.uniform(-4, 4, size)
            if self.some(0.03):
                made[int(r.integers(size))] = self.pick(np.nan, np.inf, -np.inf)
            return made.astype(kind)
        if kind.kind == "O":
            number = int(r.integers(-99, 99))
            objects = [
                Decimal(number) / 8,
                Fraction(number, 7),
                number,
                2**70,
                np.float16(0.1),
                np.uint8(200),
                None,
                "1",
                1j,
                True,
            ]
            return np.array([self.pick(*objects) for _ in range(size)], object)
        return np.arange(size).astype(kind) if kind.kind != "V" else np.zeros(size, kind)

    def vector(self, size: int) -> Given:
        """A vector: an array in some memory, a list, a masked array or a pandas Series."""
        array = self.elements(size)
        clear = meaning(self.scheme, array)
        if clear is not None:
            self.largest = max(self.largest, float(np.max(np.abs(clear))))
        form = self.pick(
            "array",
            "strided",
            "negative",
            "column",
            "readonly",
            "list",
            "masked",
            "shown",
            "series",
            "nullable",
            "tuple",
        )
        made: Any = array
        if form == "strided":
            made = np.repeat(array, 3)[::3]
        elif form == "negative":
            made = array[::-1].copy()[::-1]
        elif form == "column":
            made = np.asfortranarray(np.stack([array, array[::-1]], axis=1))[:, 0]
        elif form == "readonly":
            made = array.copy()
            made.setflags(write=False)
        elif form in ("list", "tuple"):
            made = array.tolist() if self.some(0.5) else list(array)
            clear = meaning(self.scheme, np.array(made, object), listed=True)
            made = tuple(made) if form == "tuple" else made
        elif form in ("masked", "shown"):
            mask = np.arange(size) == int(self.rng.integers(size)) if form == "masked" else np.zeros(size, bool)
            if array.dtype.kind == "V":
                return Given(array, None, form)
            made, clear = np.ma.array(array, mask=mask), None if form == "masked" else clear
        elif (
            form in ("series", "nullable")
            and array.dtype.isnative
            and array.dtype.kind in "biufO"
            and array.dtype.char not in "g"
        ):
            pd = pytest.importorskip("pandas")
            made = pd.Series(array, index=np.arange(size)[::-1])
            if form == "nullable" and array.dtype.kind in "biu":
                made = made.convert_dtypes()
                if self.some(0.2):
                    made, clear = made.where(np.arange(size) != int(self.rng.integers(size))), None
            elif made.isna().any():
                clear = None
        return Given(made, clear, f"{array.dtype.str} {form}")

    def scalar(self) -> Given:
        array = self.elements(1)
        if array.dtype.kind in "MmUSV":
            return Given(array[0], None, str(array.dtype))
        clear = meaning(self.scheme, array)
        made = self.pick(array[0], array[:1], array.reshape(()), [array[0]])
        if isinstance(made, list):
            clear = meaning(self.scheme, np.array(made, object), listed=True)
        if array.dtype.kind in "biufc" and self.some(0.3):
            made = array.reshape(())[()].item() if array.dtype.char not in "gG" else made
        elif array.dtype.kind == "O" and not isinstance(made, list):
            made = array[0]
        return Given(made, clear, f"{array.dtype.str} scalar")

    def operand(self) -> Given:
        """A number, or a vector that fits or does not."""
        if self.some(0.3):
            return self.scalar()
        slots = self.scheme.slots
        size = (
            int(self.pick(slots, self.count))
            if self.some(0.85)
            else int(self.pick(2, slots - 1, slots + 1, slots // 2))
        )
        made = self.vector(size)
        return made if size in (1, self.count, slots) else Given(made.given, None, f"{made.kind} of {size}")


def meaning(scheme: Scheme, array: np.ndarray, listed: bool = False) -> np.ndarray | None:
    """The numbers of an array; None if the scheme has to refuse them."""
    found: list[Any] = []
    for x in array.ravel().tolist() if array.dtype.kind in "biu" else list(array.ravel()):
        if (
            x is None
            or isinstance(x, (str, bytes, np.void, np.datetime64, np.timedelta64))
            or hasattr(x, "isoformat")
            or hasattr(x, "days")
        ):
            return None
        if scheme.t is not None:
            if not isinstance(x, (bool, int, np.bool_, np.integer)):
                return None
            x = int(x)
            low, high = max(-(scheme.t // 2), -(2**63)), min(scheme.t - 1, 2**63 - 1)
            if not low <= x <= high:
                return None
        else:
            x = complex(x) if isinstance(x, (complex, np.complexfloating)) else float(x)
            if not np.isfinite(x):
                return None
        found.append(x)
    if scheme.t is not None:
        return np.array(found, object)
    return np.array(found, complex if any(isinstance(x, complex) for x in found) else float)


@dataclass
class Program:
    """Steps on one ciphertext: the calls, and what they mean in the clear."""

    text: list[str] = field(default_factory=list)
    steps: list[Callable[[Any], Any]] = field(default_factory=list)
    #: None as soon as a step has to be refused.
    clear: np.ndarray | None = None
    #: The largest number that was given: doubles have 53 bits of it.
    largest: float = 1.0


def random_program(scheme: Scheme, rng: np.random.Generator) -> tuple[Given, Program]:
    draw = Draw(scheme, rng)
    first = draw.vector(scheme.slots if draw.some(0.7) else int(rng.integers(1, scheme.slots + 1)))
    program, draw.count = Program(), len(first.given)
    if first.clear is not None:
        program.clear = np.concatenate([first.clear, np.zeros(scheme.slots - first.clear.size, first.clear.dtype)])
    for _ in range(int(rng.integers(1, 4))):
        step(scheme, draw, program)
    program.largest = draw.largest
    return first, program


def step(scheme: Scheme, draw: Draw, program: Program) -> None:
    """Adds a random step."""
    name = draw.pick(
        "+", "-", "r-", "*", "*", "/", "where", "where", "dot", "weights", "polynomial", "matmul", "rotate", "sum"
    )
    add, clear = _STEPS[name](scheme, draw, program.clear)
    program.text.append(f"{name}{add[0]}")
    program.steps.append(add[1])
    program.clear = None if clear is None else scheme.reduced(clear)


def _operator(name: str) -> Callable[..., Any]:
    def made(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
        c = draw.operand()
        f: Callable[[Any], Any] = {
            "+": lambda x: x + c.given, "-": lambda x: x - c.given, "r-": lambda x: c.given - x,
            "*": lambda x: c.given * x if draw_left else x * c.given, "/": lambda x: x / c.given,
        }[name]  # fmt: skip
        draw_left = draw.some(0.5)
        if v is None or c.clear is None or (name == "/" and (scheme.t is not None or not np.all(c.clear))):
            return (f" {c.kind}", f), None
        # slots behind the last value stay as they are, up to their sign
        rest = scheme.slots - c.clear.size if c.clear.size > 1 else 0
        b = np.concatenate([c.clear, np.full(rest, 1 if name in "*/" else 0, c.clear.dtype)])
        w = {"+": lambda: v + b, "-": lambda: v - b, "r-": lambda: b - v, "*": lambda: v * b, "/": lambda: v / b}[
            name
        ]()
        return (f" {c.kind}", f), w

    return made


def _where(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    """Chooses by random bits, which are added to zeros."""
    draw.count = scheme.slots
    a, b = draw.operand(), draw.operand()
    mask = draw.rng.integers(0, 2, scheme.slots)
    f = lambda x: rj.where((x * 0 + mask).with_count(x.slots), a.given, b.given)  # noqa: E731
    if a.clear is None or b.clear is None:
        return (f" {a.kind}, {b.kind}", f), None
    a_, b_ = (np.broadcast_to(z, scheme.slots) for z in (a.clear, b.clear))
    return (f" {a.kind}, {b.kind}", f), None if v is None else np.where(mask, a_, b_)


def _dot(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    n, draw.count = draw.count, scheme.slots
    c = draw.vector(n)
    refused = v is None or c.clear is None or np.iscomplexobj(c.clear) or np.iscomplexobj(v)
    return (f" {c.kind}", lambda x: x.dot(c.given)), None if refused else np.full(scheme.slots, np.sum(v[:n] * c.clear))


def _weights(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    c = draw.vector(2)
    f = lambda x: rj.weighted_sum([x, x], c.given)  # noqa: E731
    if v is None or c.clear is None or (scheme.t is not None and max(abs(int(x)) for x in c.clear) >= 2**53):
        return (f" {c.kind}", f), None
    return (f" {c.kind}", f), v * c.clear[0] + v * c.clear[1]


def _polynomial(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    c = draw.vector(3)
    p = c.given
    wrapped = (
        draw.some(0.4) and isinstance(p, np.ndarray) and not isinstance(p, np.ma.MaskedArray) and p.dtype.kind in "iuf"
    )
    if wrapped:
        p = np.polynomial.Polynomial(p) if draw.some(0.5) and p.dtype.kind == "f" else np.poly1d(p[::-1])
    f = lambda x: x.polynomial(p)  # noqa: E731
    text = f" {c.kind}{' wrapped' if wrapped else ''}"
    if v is None or c.clear is None or (scheme.t is not None and max(abs(int(x)) for x in c.clear) >= 2**53):
        return (text, f), None
    if np.iscomplexobj(c.clear):
        return (text, f), None
    return (text, f), c.clear[0] + v * (c.clear[1] + v * c.clear[2])


def _matmul(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    rows = [draw.vector(SLOTS)] * SLOTS if draw.some(0.2) else None
    if rows is None:
        flat = draw.elements(SLOTS * SLOTS).reshape(SLOTS, SLOTS)
        given: Any = draw.pick(
            flat,
            np.asfortranarray(flat),
            flat[::-1].copy()[::-1],
            flat.tolist(),
            np.ma.array(flat) if flat.dtype.kind != "V" else flat,
        )
        clear = meaning(
            scheme, np.array(flat.tolist(), object) if isinstance(given, list) else flat, isinstance(given, list)
        )
        kind = flat.dtype.str
    else:
        given = [row.given for row in rows]
        clear = None if rows[0].clear is None else np.concatenate([row.clear for row in rows])  # type: ignore[misc]
        kind = f"rows of {rows[0].kind}"
    f = lambda x: (given @ x if hasattr(given, "dtype") else x.matmul(given)).with_count(x.slots)  # noqa: E731
    draw.count = scheme.slots
    if v is None or clear is None or (scheme.t is not None and max(abs(int(x)) for x in clear) >= 2**53):
        return (f" {kind}", f), None
    m = clear.reshape(SLOTS, SLOTS)
    return (f" {kind}", f), np.concatenate([m @ part for part in v.reshape(-1, SLOTS)])


def _rotate(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    k = draw.pick(1, np.uint8(3), np.int8(-5), np.uint64(2), 1000, -17)
    f = lambda x: x.rotate(k)  # noqa: E731
    draw.count = scheme.slots
    return (f" {k!r}", f), None if v is None else np.roll(v.reshape(-1, SLOTS), -int(k), axis=1).ravel()


def _sum(scheme: Scheme, draw: Draw, v: np.ndarray | None) -> Any:
    stride, count = int(draw.pick(1, 2, -3, 4, 0, 5)), int(draw.pick(2, 3, 8, 16, 17, 32))
    distinct = SLOTS // np.gcd(stride, SLOTS)
    f = lambda x: x.inner_sum(stride, count)  # noqa: E731
    draw.count = scheme.slots
    if v is None or count > distinct:
        return (f" {stride} {count}", f), None
    rows = v.reshape(-1, SLOTS)
    return (f" {stride} {count}", f), sum(np.roll(rows, -i * stride, axis=1) for i in range(count)).ravel()


_STEPS: dict[str, Callable[..., Any]] = {name: _operator(name) for name in ("+", "-", "r-", "*", "/")}
_STEPS |= {
    "where": _where,
    "dot": _dot,
    "weights": _weights,
    "polynomial": _polynomial,
    "matmul": _matmul,
    "rotate": _rotate,
    "sum": _sum,
}


def outcome(run: Callable[[], Any]) -> Any:
    """The result, or the refusal."""
    try:
        return run()
    except REFUSALS as refused:
        return refused


def verdict(scheme: Scheme, number: int, first: Given, program: Program) -> str:
    """Runs a program on ciphertexts and in a simulation. Fails where a result is wrong."""
    size = np.max(np.abs(first.clear)) if first.clear is not None and scheme.t is None else 1.0
    magnitude = float(max(1.0, size))
    options: dict[str, Any] = {} if scheme.t else {"magnitude": magnitude}
    where = f"{scheme.name} seed {SEED + number}: encrypt {first.kind}, {'; '.join(program.text)}"

    def through(x: Any) -> Any:
        for one in program.steps:
            x = one(x)
        return x

    def encrypted() -> Any:
        x = through(scheme.server.load(scheme.client.encrypt(first.given, **options)))
        if scheme.t is None:
            return scheme.client.decrypt(x, complex=True), 40 * 2.0**-x.precision_bits
        return scheme.client.decrypt(x), 0

    def simulated() -> Any:
        limits = {} if scheme.t else {"magnitudes": magnitude}
        return rj.simulate(through, first.given, params=scheme.params, slots=scheme.slots, **limits)

    found, dry = outcome(encrypted), outcome(simulated)
    if isinstance(found, Exception):
        if not isinstance(dry, Exception) and program.clear is None:
            assert dry.warnings, f"{where}\nrefused ({found!r}), and not in a simulation"
        return "refused" if program.clear is None else f"refused, {type(found).__name__}"
    assert program.clear is not None, f"{where}\naccepted, and nobody knows what it means: {found[0]}"
    values, slack = found
    clear = program.clear[: values.size]
    if scheme.t is None:
        close = slack + 1e-9 * max(program.largest, float(np.max(np.abs(clear))))
        assert np.max(np.abs(values - clear)) <= close, f"{where}\n{values}\nis not\n{clear}"
    else:
        assert values.tolist() == clear.tolist(), f"{where}\n{values}\nis not\n{clear}"
    assert not isinstance(dry, Exception), f"{where}\nthe simulation is refused: {dry!r}"
    same = np.asarray(dry.values, complex if scheme.t is None else object)
    clear = program.clear[: same.size]
    if scheme.t is None:
        assert np.max(np.abs(same - clear)) <= 1e-9 * max(program.largest, float(np.max(np.abs(clear)))), (
            f"{where}\nsimulation:\n{same}"
        )
    else:
        assert same.tolist() == clear.tolist(), f"{where}\nsimulation:\n{same}\nis not\n{clear}"
    return "right"


def test_random_programs_are_right_or_refused() -> None:
    counts: Counter[str] = Counter()
    all_schemes = schemes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(PROGRAMS):
            rng = np.random.default_rng(SEED + number)
            scheme = all_schemes[number % len(all_schemes)]
            first, program = random_program(scheme, rng)
            counts[f"{scheme.name} {verdict(scheme, number, first, program)}"] += 1
    print(*(f"{name}: {count}" for name, count in sorted(counts.items())), sep="\n")
    for scheme in all_schemes:
        assert counts[f"{scheme.name} right"] > PROGRAMS // 50, counts
