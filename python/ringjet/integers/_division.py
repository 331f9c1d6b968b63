"""Quotients and remainders of unsigned integers.

Division bit by bit without restoring: a multiple of y by a power of two is subtracted from a remainder, or
added to it where the remainder is negative. A remainder is kept modulo a power of 16, and its sign is the
carry out of the sum, which is also a bit of the quotient. Multiples that are too large are left out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._ringjet import Ciphertext
from . import _bits, _products, _sums, _tables
from ._carries import carried, scanned
from ._digits import DIGIT_BITS, RADIX, Digit, coded, combined, counted, known, looked_up, ready

#: Remainders are kept as numbers of this base, so that a sum of two digits takes no level.
_WIDE = 2 * RADIX
_SUMS = np.arange(_WIDE)
_DIGITS = np.arange(RADIX)

#: The precision of sums, in bits, which are bootstrapped once more where it is less.
_PRECISION = 21.5

#: What a digit divided by a small factor costs, with all its tables, in bootstraps of a sum: measured with `n16-int`,
#: 0.8 for 3 and 1.2 for 10.
_SMALL_COST = 1.5

#: What the remainder costs for each digit where there are several factors: a product and a difference.
_REMAINDER_COST = 4.0

#: What may be encrypted, known for each slot, or known for all: a digit divided by 16, or ones and zeros.
_Value = Any


def divided(
    x: Sequence[Digit], y: Sequence[_sums.Part], op: str, *, remainder: bool
) -> tuple[list[Digit], list[Digit]]:
    """The digits of `x // y`, and where they are wanted those of `x % y`. Where an encrypted y is 0, all bits
    of the quotient are 1, and the remainder is x."""
    if (constant := _known_divisor(y)) is not None:
        quick = _by_constant(x, constant, op, remainder=remainder)
        if quick is not None:
            return quick
    elif len(x) == 1 and isinstance(y[0], Digit):
        pairs = [(m, n) for n in range(RADIX) for m in range(RADIX)]
        found = [[m // n if n else RADIX - 1 for m, n in pairs], [m % n if n else m for m, n in pairs]]
        quotient, rest = _tables.results([x[0], y[0]], [np.array(own)[:, None] for own in found], op)
        return quotient, rest
    return _by_bits(x, y, op, remainder=remainder)


def _by_bits(
    x: Sequence[Digit], y: Sequence[_sums.Part], op: str, *, remainder: bool
) -> tuple[list[Digit], list[Digit]]:
    count = len(x)
    x = [combined([(1, digit)], 0, _WIDE) for digit in ready(x, 1, op)]
    multiples, fits = _multiples(y, op)
    zero = x[0].ciphertext * 0
    bits: list[Ciphertext] = []
    rest: list[Digit] = []
    negative: _Value = None
    for step in reversed(range(DIGIT_BITS * count)):
        place, by = divmod(step, DIGIT_BITS)
        if by == DIGIT_BITS - 1:
            rest.insert(0, x[place])
        fit = fits(place, by)
        if _is_nowhere(fit):
            bits.insert(0, zero)
            continue
        # `-y` where it fits, but `y` where the remainder is negative, which it is only where y fits
        parts = []
        for i, digit in enumerate(multiples[by][: count - place]):
            top = 1 if i == 0 else (RADIX - 1) / RADIX
            part = _times(fit, top - digit)
            parts.append(part if negative is None else part + _times(negative, digit * 2 - top))
        rest, positive = _summed(rest, parts, op)
        bits.insert(0, positive)
        negative = fit - positive
    quotient = _bits.of_bits(bits)
    if not remainder:
        return quotient, []
    # a negative remainder gets y once more
    sums = [_plus(digit, _times(negative, part)) for digit, part in zip(rest, multiples[0], strict=True)]
    return quotient, _sums.propagated(sums, offset=0, op=op)


def _summed(rest: Sequence[Digit], parts: Sequence[_Value], op: str) -> tuple[list[Digit], Ciphertext]:
    """The sum of a remainder and of digits in sixteenths, and the carry out of it."""
    sums = [_plus(digit, part) for digit, part in zip(rest, parts, strict=True)]
    # carries of many digits add up their errors, which would grow from step to step
    sums = ready(sums, 0, op, bits=_PRECISION)
    tables = [coded(_SUMS % RADIX, _WIDE), (_SUMS >= RADIX).astype(float), (_SUMS == RADIX - 1).astype(float)]
    found = looked_up(sums, [tables[: 3 if i > 0 else 2] for i in range(len(sums))], op)
    carries = carried([(own[1], own[2] if i > 0 else None) for i, own in enumerate(found)])
    made = [found[0][0]]
    made += [own[0] + c * (own[2] * -1 + 1 / RADIX) for own, c in zip(found[1:], carries, strict=False)]
    least, most = coded([0, RADIX - 1], _WIDE)
    return [Digit(value.with_range(least, most), _WIDE) for value in made], carries[-1]


def _plus(digit: Digit, part: _Value) -> Digit:
    """The sum of a digit of a remainder, and of one in sixteenths."""
    made = counted(digit.ciphertext + part, [digit.ciphertext, part])
    least, most = coded([0, _WIDE - 1], _WIDE)
    return Digit(made.with_range(least, most), _WIDE)


def _times(flag: _Value, value: _Value) -> _Value:
    """The product of ones and zeros with numbers of at most 1 in size."""
    if isinstance(flag, float):
        return value * flag if flag != 1 else value
    made = flag * value
    return made.with_range(-1, 1) if isinstance(made, Ciphertext) else made


def _is_nowhere(fit: _Value) -> bool:
    return not isinstance(fit, Ciphertext) and not np.any(fit)


def _multiples(y: Sequence[_sums.Part], op: str) -> tuple[list[list[_Value]], Callable[[int, int], _Value]]:
    """The digits of `y * 2**by` for by below 4, in sixteenths, as many as y has; and a function of (place, by) with 1
    where `y * 16**place * 2**by` fits that many digits, else 0."""
    count = len(y)
    tables = [(_DIGITS << by & (RADIX - 1)) / RADIX for by in range(DIGIT_BITS)]
    tables += [(_DIGITS >> (DIGIT_BITS - by)) / RADIX for by in range(1, DIGIT_BITS)]
    tables += [(_DIGITS >> (DIGIT_BITS - by) == 0).astype(float) for by in range(1, DIGIT_BITS)]
    tables += [(_DIGITS == 0).astype(float)]
    encrypted = [digit for digit in y if isinstance(digit, Digit)]
    found: list[Any]
    if encrypted:
        found = looked_up(encrypted, [tables] * count, op)
    else:
        # a known number of all slots becomes a float
        clear = [digit for digit in y if not isinstance(digit, Digit)]
        found = [[table[digit] if digit.ndim else float(table[digit]) for table in tables] for digit in clear]
    own = [row[:DIGIT_BITS] for row in found]
    upper = [[0.0, *row[DIGIT_BITS : 2 * DIGIT_BITS - 1]] for row in found]
    small = [[1.0, *row[2 * DIGIT_BITS - 1 : -1]] for row in found]
    # whether the digits from a place on are 0
    zeros = [*scanned([row[-1] for row in reversed(found)], operator.mul)[::-1], 1.0]
    digits = [
        [own[i][by] + upper[i - 1][by] if i > 0 and by > 0 else own[i][by] for i in range(count)]
        for by in range(DIGIT_BITS)
    ]

    def fits(place: int, by: int) -> _Value:
        return _times(zeros[count - place], small[count - place - 1][by])

    return digits, fits


def _known_divisor(y: Sequence[_sums.Part]) -> int | None:
    """The number y where it is one known number."""
    total = 0
    for i, digit in enumerate(y):
        if isinstance(digit, Digit) or np.ndim(digit):
            return None
        total += int(digit) << DIGIT_BITS * i
    return total


def _by_constant(x: Sequence[Digit], y: int, op: str, *, remainder: bool) -> tuple[list[Digit], list[Digit]] | None:
    """As `divided`, in shorter ways where there are some."""
    count = len(x)
    zero = known(x[0].ciphertext, 0)
    if count <= 2:
        numbers = np.arange(RADIX**count)
        columns = [
            np.stack([v >> DIGIT_BITS * i & (RADIX - 1) for i in range(count)], axis=1)
            for v in (numbers // y, numbers % y)
        ]
        made = _tables.results(x, columns[: 2 if remainder else 1], op)
        return made[0], made[1] if remainder else []
    if y & (y - 1) == 0:
        by = y.bit_length() - 1
        quotient = [digit or zero for digit in _bits.shifted(x, -by, op)]
        return quotient, _low_bits(x, by, zero, op) if remainder else []
    factors = _factors(y)
    steps = range(DIGIT_BITS * count - y.bit_length() + 1)
    sums = sum((count - step // DIGIT_BITS + 1) // 2 for step in steps)
    if factors is None:
        return None
    cost = len(factors) * _SMALL_COST + (_REMAINDER_COST if remainder and len(factors) > 1 else 0)
    if cost * count > sums:
        return None
    quotient, rest = list(x), [zero] * count
    for factor in factors:
        quotient, rest[0] = _by_small(quotient, factor, op)
    if remainder and len(factors) > 1:
        parts = [np.array(y >> DIGIT_BITS * i & (RADIX - 1)) for i in range(count)]
        whole = _products.multiplied(quotient, parts, op)
        rest = _sums.added(x, _sums.complement(whole), carry=1, offset=0, op=op)
    return quotient, rest


def _low_bits(x: Sequence[Digit], by: int, zero: Digit, op: str) -> list[Digit]:
    """The digits of `x % 2**by`."""
    place, rest = divmod(by, DIGIT_BITS)
    made = [*x[:place], *([zero] * (len(x) - place))]
    if rest:
        made[place] = Digit(looked_up([x[place]], [[coded(_DIGITS & ((1 << rest) - 1), RADIX)]], op)[0][0])
    return made


def _factors(y: int) -> list[int] | None:
    """Factors of at most 16, or None where there are none."""
    found = []
    while y > 1:
        factor = next((f for f in range(RADIX, 1, -1) if y % f == 0), None)
        if factor is None:
            return None
        found.append(factor)
        y //= factor
    return found


def _by_small(x: Sequence[Digit], y: int, op: str) -> tuple[list[Digit], Digit]:
    """Quotient and remainder for a y of at most 16: from the highest digit on, a table of the remainder so far
    and of the next digit."""
    numbers = np.arange(RADIX)[:, None]
    made = _tables.results([x[-1]], [numbers // y, numbers % y], op)
    (digit,), (rest,) = made
    quotient = [digit]
    numbers = np.arange(RADIX * y)[:, None]
    for lower in reversed(x[:-1]):
        (digit,), (rest,) = _tables.results([lower, rest], [numbers // y, numbers % y], op)
        quotient.insert(0, digit)
    return quotient, rest
