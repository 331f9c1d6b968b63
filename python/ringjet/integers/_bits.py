"""Bits of integers, and shifts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _ringjet
from .._ringjet import Ciphertext
from ._digits import HIGHEST, LOWEST, RADIX, Digit, Table, coded, looked_up

_ALL = np.arange(RADIX)
_BITS = range(4)


def bits(digits: Sequence[Digit], op: str) -> list[Ciphertext]:
    """The bits, the lowest first: numbers that are 0 or 1."""
    tables = [(_ALL >> k & 1).astype(float) for k in _BITS]
    return [bit for own in looked_up(digits, [tables] * len(digits), op) for bit in own]


def of_bits(all_bits: Sequence[Ciphertext]) -> list[Digit]:
    """The digits with these bits, a multiple of four."""
    made = []
    for i in range(0, len(all_bits), 4):
        value = _ringjet.weighted_sum(all_bits[i : i + 4], [2.0**k * 2 / RADIX for k in _BITS]) + LOWEST
        made.append(Digit(value.with_range(LOWEST, HIGHEST)))
    return made


def shifted(digits: Sequence[Digit], by: int, op: str) -> list[Digit | None]:
    """The digits of the integers times `2**by`, or with a negative `by` divided by `2**-by` and rounded down,
    without what leaves them. None: a digit that is 0."""
    places, rest = divmod(by, 4)
    count = len(digits)
    source = [digits[i - places] if 0 <= i - places < count else None for i in range(-1, count)]
    if rest == 0:
        return source[1:]
    # a digit of the result has the low bits of one digit, and the high bits of the next lower one
    high, low = [_ALL << rest & (RADIX - 1)], [_ALL >> (4 - rest)]
    used = [d for d in source if d is not None]
    tables: list[list[Table]] = [[coded(high[0], RADIX), low[0] * 2 / RADIX] for _ in used]
    found = iter(looked_up(used, tables, op))
    parts = [None if d is None else next(found) for d in source]
    made: list[Digit | None] = []
    for below, own in zip(parts, parts[1:], strict=False):
        if own is None and below is None:
            made.append(None)
        elif own is None and below is not None:
            made.append(_digit(below[1] + LOWEST))
        elif own is not None:
            made.append(_digit(own[0] if below is None else own[0] + below[1]))
    return made


def filled(digits: Sequence[Digit | None], by: int, positive: Ciphertext, zero: Digit) -> list[Digit]:
    """The digits of signed integers divided by `2**by`, from their digits with the offset, which were divided
    without a sign: where `positive` is 0, `by` ones come in at the top."""
    count = 4 * len(digits)
    # with the offset, the highest bit of positive integers is 1; division has moved it `by` places down
    gained = (1 << count - 1) - (1 << count - 1 - by)
    made = []
    for i, digit in enumerate(digits):
        if_positive = (1 << count - 1 >> 4 * i) & (RADIX - 1)
        if_positive -= (1 << count - 1 - by >> 4 * i) & (RADIX - 1)
        if_negative = gained >> 4 * i & (RADIX - 1)
        value = (digit or zero).ciphertext
        if if_positive != if_negative:
            value = value + positive * ((if_positive - if_negative) * 2 / RADIX) + if_negative * 2 / RADIX
        elif if_negative:
            value = value + if_negative * 2 / RADIX
        made.append(_digit(value))
    return made


def _digit(value: Ciphertext) -> Digit:
    return Digit(value.with_range(LOWEST, HIGHEST))
