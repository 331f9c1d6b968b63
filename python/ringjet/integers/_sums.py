"""Sums, differences and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._ringjet import Ciphertext
from ._carries import carried, last, product
from ._digits import HIGHEST, LOWEST, RADIX, Digit, certain, coded, combined, counted, looked_up, ready

#: A digit: encrypted, or known, which is a number or one number for each slot.
Part = Digit | npt.NDArray[Any]

#: Sums of two digits, and of one with the complement of another, have this base.
_SUMS = 2 * RADIX
_ALL = np.arange(_SUMS)

#: The difference that 1 makes to the value of a digit.
_ONE = 2 / RADIX


def _is(numbers: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return numbers.astype(np.float64)


def added(x: Sequence[Digit], y: Sequence[Part], *, carry: int, offset: int, op: str) -> list[Digit]:
    """The digits of `x + y + carry`, without the carry out of the highest one, to which `offset` is added."""
    return propagated(_sums(x, y, carry, op), offset=offset, op=op)


def added_checked(
    x: Sequence[Digit], y: Sequence[Part], *, carry: int, offset: int, op: str
) -> tuple[list[Digit], Ciphertext, Ciphertext]:
    """As `added`, with the carry out of the highest digit, and the highest bit without the offset."""
    sums = _sums(x, y, carry, op)
    top = len(sums) - 1
    half, last_digit = RADIX // 2, _ALL % RADIX
    # a carry changes the highest bit of 7, to 1, and of 15, to 0
    changed = _is(last_digit == half - 1) - _is(last_digit == RADIX - 1)
    extra = [_is(_ALL >= RADIX), _is(_ALL == RADIX - 1), _is(last_digit >= half), changed]
    made, carries, (out, passed, highest, change) = _propagated(sums, extra, offset, op)
    if top > 0:
        out, highest = out + passed * carries[-1], highest + change * carries[-1]
    return made, out.with_range(0, 1), highest.with_range(0, 1)


def propagated(sums: Sequence[Digit], *, offset: int, op: str) -> list[Digit]:
    """The digits of a number with digits of up to 30, the lowest of up to 31, without the carry out of the
    highest one, to which `offset` is added."""
    return _propagated(sums, [], offset, op)[0]


def _propagated(
    sums: Sequence[Digit], extra: Sequence[npt.NDArray[np.float64]], offset: int, op: str
) -> tuple[list[Digit], list[Ciphertext], list[Ciphertext]]:
    """As `propagated`, with the carries out of all digits but the highest one, and the tables `extra` of that."""
    top = len(sums) - 1

    def tables(i: int) -> list[npt.NDArray[np.float64]]:
        digit = (_ALL + (offset if i == top else 0)) % RADIX
        # a digit of 15 becomes 0 with a carry; below the highest digit it also passes the carry on
        full = _is(digit == RADIX - 1) if i == top else _is(_ALL == RADIX - 1)
        return [coded(digit, RADIX), *([full] if i > 0 else []), *([_is(_ALL >= RADIX)] if i < top else extra)]

    found = looked_up(sums, [tables(i) for i in range(top + 1)], op)
    carries = carried([(own[-1], own[1] if i > 0 else None) for i, own in enumerate(found[:top])])
    made = [found[0][0]]
    made += [own[0] + c * (own[1] * -2 + _ONE) for own, c in zip(found[1:], carries, strict=True)]
    digits = [Digit(value.with_range(LOWEST, HIGHEST)) for value in made]
    return digits, carries, found[top][-len(extra) :] if extra else []


def greater(x: Sequence[Digit], y: Sequence[Part], op: str) -> Ciphertext:
    """1 where x is larger than y, else 0: the carry out of `x` and the complement of `y`."""
    sums = _sums(x, complement(y), 0, op)
    tables = [[_is(_ALL >= RADIX), *([_is(_ALL == RADIX - 1)] if i > 0 else [])] for i in range(len(sums))]
    found = looked_up(sums, tables, op)
    return last([(own[0], own[1] if i > 0 else None) for i, own in enumerate(found)])


def equal(x: Sequence[Digit], y: Sequence[Part], op: str) -> Ciphertext:
    """1 where x is y, else 0."""
    sums = _sums(x, complement(y), 0, op)
    return product([own[0] for own in looked_up(sums, [[_is(_ALL == RADIX - 1)]] * len(sums), op)])


def complement(y: Sequence[Part]) -> list[Part]:
    """15 minus each digit."""
    return [combined([(-1, d)], RADIX - 1, RADIX) if isinstance(d, Digit) else RADIX - 1 - d for d in y]


def chosen(condition: Ciphertext, x: Sequence[Digit], y: Sequence[Part], op: str) -> list[Digit]:
    """The digits of x where the condition is 1, and those of y where it is 0."""
    made, condition = [], certain(condition, 1, op)
    fresh = ready([*x, *(d for d in y if isinstance(d, Digit))], 1, op)
    own, others = fresh[: len(x)], iter(fresh[len(x) :])
    for a, b in zip(own, y, strict=True):
        other: Any = next(others).ciphertext if isinstance(b, Digit) else coded(b, RADIX)
        value = condition * (a.ciphertext - other) + other
        made.append(Digit(counted(value, [condition, a.ciphertext, other]).with_range(LOWEST, HIGHEST)))
    return made


def _sums(x: Sequence[Digit], y: Sequence[Part], carry: int, op: str) -> list[Digit]:
    """The sums of the digits, before any carry but the first one. They take a level."""
    digits = [*x, *(d for d in y if isinstance(d, Digit))]
    fresh = ready(digits, 1, op)
    own, others = fresh[: len(x)], iter(fresh[len(x) :])
    made = []
    for i, (a, b) in enumerate(zip(own, y, strict=True)):
        terms = [(1, a), *([(1, next(others))] if isinstance(b, Digit) else [])]
        constant = (0 if isinstance(b, Digit) else b) + (carry if i == 0 else 0)
        made.append(combined(terms, constant, _SUMS))
    return made
