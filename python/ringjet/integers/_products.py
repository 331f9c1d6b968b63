"""Products of integers.

Products of digits are added up in columns. A column's sum, below 2**12, gives three digits: it is reduced
modulo 16, the rest is divided by 16, and so on. These digits are added up again, and carries are propagated
as those of any sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _ringjet
from .._ringjet import Ciphertext
from . import _circle, _sums
from ._digits import RADIX, REFRESHED, Digit, combined, counted, expect_depth, ready

#: A digit m has the value (2 m - 15) / 16. In quarter turns of a circle of 16, it is `2 * value + 15 / 8`.
_QUARTERS, _MIDDLE = 2, 15 / 8

#: The levels that the digits of factors need above those of a bootstrap.
_LEVELS = 5

#: The precision that the values of digits of factors need: a product of two digits magnifies their errors.
_BITS = 22.0


def multiplied(x: Sequence[Digit], y: Sequence[_sums.Part], op: str) -> list[Digit]:
    """The digits of `x * y`, as many as x has."""
    expect_depth(x[0].ciphertext, _LEVELS + REFRESHED, op)
    fresh = ready([*x, *(d for d in y if isinstance(d, Digit))], _LEVELS, op, bits=_BITS)
    own, others = fresh[: len(x)], fresh[len(x) :]
    columns = _columns(own, others if others else y)
    count = len(columns)
    # three digits of each column, in quarter turns: r + 16 * (r' + 16 * r'')
    first = _circle.remainders(columns, op)
    rest = [sixteenth(v, r) for v, r in zip(columns, first, strict=True)][: count - 1]
    second = _circle.remainders(rest, op) if rest else []
    third = [sixteenth(v, r) for v, r in zip(rest, second, strict=True)][: max(0, count - 2)]
    sums = []
    for i in range(count):
        total: Any = _quarters(first[i])
        if i >= 1:
            total = total + _quarters(second[i - 1])
        if i >= 2:
            total = total + third[i - 2]
        sums.append(total.with_range(0, 3 * (RADIX - 1) / 4))
    # the lowest column has one digit, so no carry leaves it; others leave at most 2
    digits = [first[0], *(_circle.remainders(sums[1:], op) if count > 1 else [])]
    carries = [None, None, *(sixteenth(v, r) for v, r in zip(sums[1:], digits[1:], strict=True))]
    made = []
    for digit, carry in zip(digits, carries, strict=False):
        made.append(combined([(1, digit)], 0, 2 * RADIX) if carry is None else _with_carry(digit, carry))
    return _sums.propagated(made, offset=0, op=op)


def _columns(x: Sequence[Digit], y: Sequence[_sums.Part]) -> list[Ciphertext]:
    """For each column the sum of its products of digits, in quarter turns of a circle of 16."""
    whole = [_quarters(digit) for digit in x]
    halves = [value * 2 for value in whole]  # half of each digit
    others = [_quarters(digit) * 2 for digit in y if isinstance(digit, Digit)]
    known = [digit for digit in y if not isinstance(digit, Digit)]
    made = []
    for i in range(len(x)):
        if others:
            value = _ringjet.sum_of_products(halves[: i + 1], others[i::-1])
        else:
            terms = [part * _plain(digit) for part, digit in zip(whole, known[i::-1], strict=False)]
            value = sum(terms[1:], terms[0])
        value = value.with_range(0, (i + 1) * (RADIX - 1) ** 2 / 4)
        made.append(counted(value, [*whole, *others]))
    return made


def _plain(digit: npt.NDArray[Any]) -> Any:
    """A known digit as a factor: a number, or an array of one for each slot."""
    return int(digit) if digit.ndim == 0 else digit.astype(np.float64)


def _quarters(digit: Digit) -> Ciphertext:
    """A digit in quarter turns of a circle of 16, from 0 to 15 / 4. It takes no level."""
    return (digit.ciphertext * _QUARTERS + _MIDDLE).with_range(0, (RADIX - 1) / 4)


def sixteenth(value: Ciphertext, remainder: Digit) -> Ciphertext:
    """`(v - r) / 16` in quarter turns, for v in quarter turns and its remainder r. It takes a level."""
    made = _ringjet.weighted_sum([value, remainder.ciphertext], [1 / RADIX, -_QUARTERS / RADIX]) - _MIDDLE / RADIX
    return made.with_range(0, max(value.range[1] / RADIX, 0.25))


def _with_carry(digit: Digit, carry: Ciphertext) -> Digit:
    """The sum of a digit and a carry in quarter turns, as a number of base 32. It takes a level."""
    # the number n of 32 is encoded as (2 n - 31) / 32, a digit m as (2 m - 15) / 16, a carry c as c / 4
    value = _ringjet.weighted_sum([digit.ciphertext, carry], [0.5, 0.25]) + (15 / 32 - 31 / 32)
    return Digit(value.with_range(-31 / 32, 31 / 32), 2 * RADIX)
