"""Carries of sums of digits, and what comparisons make of them.

A digit i of a sum generates a carry (g = 1), or passes on the carry that it gets (p = 1). Two neighbours
together generate `g + p * g'` and pass on `p * p'`, where g' and p' are those of the lower one. Sklansky's
tree needs `log2(n)` products in a row for n digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from .._ringjet import Ciphertext

#: What a digit, or several neighbours, do with carries: generate one, and pass one on. The lowest digit passes
#: on none.
Carry = tuple[Ciphertext, Ciphertext | None]

Part = TypeVar("Part")


def joined(high: Carry, low: Carry) -> Carry:
    """What two neighbours do."""
    (g, p), (lower_g, lower_p) = high, low
    assert p is not None, "only the lowest digit passes on no carry"
    return (g + p * lower_g).with_range(0, 1), None if lower_p is None else (p * lower_p).with_range(0, 1)


def carried(digits: Sequence[Carry]) -> list[Ciphertext]:
    """The carry out of each digit, the lowest first."""
    return [g for g, _ in scanned(digits, joined)]


def scanned(parts: Sequence[Part], join: Callable[[Part, Part], Part]) -> list[Part]:
    """Each part joined with all before it, where `join` takes a later part first."""
    made = list(parts)
    step = 1
    while step < len(made):
        # within each block of 2 * step parts the upper half gets what the lower one makes
        for i in range(len(made)):
            if i // step % 2:
                made[i] = join(made[i], made[i // step * step - 1])
        step *= 2
    return made


def last(digits: Sequence[Carry]) -> Ciphertext:
    """The carry out of the highest digit."""
    made = list(digits)
    while len(made) > 1:
        pairs = [joined(made[i + 1], made[i]) for i in range(0, len(made) - 1, 2)]
        made = pairs + made[2 * len(pairs) :]
    return made[0][0]


def product(flags: Sequence[Ciphertext]) -> Ciphertext:
    """1 where all flags are 1, else 0."""
    made = list(flags)
    while len(made) > 1:
        pairs = [(made[i + 1] * made[i]).with_range(0, 1) for i in range(0, len(made) - 1, 2)]
        made = pairs + made[2 * len(pairs) :]
    return made[0]
