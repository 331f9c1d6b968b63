"""Integers made of real numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import _arrays
from .._checks import real, refusal
from .._ringjet import Ciphertext
from ..errors import LevelExhaustedError
from . import _circle
from ._digits import DEVIATIONS, RADIX, Digit, coded, imprecise, looked_up, ready
from ._products import sixteenth
from ._types import IntegerType, expect_sine

if TYPE_CHECKING:
    from ._values import EncryptedIntegers


#: The largest distance of values from integers.
MOST_GAP = 1 / 16

#: The precision of digits, in bits: those with less than the first are bootstrapped once more, and those that
#: then still have less than the second are refused. From about 15 bits on, sums remove more of their digits'
#: errors than they add.
_BITS, _LEAST_BITS = 20.0, 16.0


def to_integer(x: Ciphertext, kind: IntegerType, gap: float | None) -> EncryptedIntegers:
    """As `Ciphertext.to_integer`: from the lowest digit on, the rest modulo 16, which is then subtracted."""
    from ._values import EncryptedIntegers

    if not isinstance(kind, IntegerType):
        raise TypeError(f"to_integer: a type such as rj.integers(8) is needed, not {type(kind).__name__}")
    expect_sine(x.params)
    x = real(x)
    gap = usual_gap(kind) if gap is None else float(_arrays.number(gap, "gap").real)
    if not 0 <= gap <= MOST_GAP:
        raise refusal("gap", gap, f"a number from 0 to {MOST_GAP}")
    low, high = x.range
    if low < kind.low - gap or high > kind.high + gap:
        range_text = f"values from {low} to {high}"
        raise refusal("x", range_text, f"values within {kind.low} to {kind.high}; x.with_range(low, high) states them")
    _expect_levels(x, kind.digits)
    # half circles have twice as much room between digits, and serve one digit
    scale = 2 / RADIX if kind.digits == 1 else 1 / 4
    value = (x - kind.low) * scale
    # a distance from an integer that may be as large as `gap` in every slot counts as an error
    value = value.with_error(math.hypot(2.0**-value.precision_bits, gap * scale / DEVIATIONS))
    if kind.digits == 1:
        low, high = coded([0, RADIX - 1], RADIX)
        digit = Digit((value + low).with_range(low, high))
        same = coded(np.arange(RADIX), RADIX)
        digits = [Digit(looked_up([digit], [[same]], "to_integer")[0][0])]
    else:
        value = value.with_range(0, ((1 << kind.bits) - 1) / 4)
        digits = []
        for left in reversed(range(kind.digits)):
            digits.append(_circle.remainders([value], "to_integer")[0])
            value = sixteenth(value, digits[-1]) if left else value
    clean = ready([digit.expect_certain("to_integer") for digit in digits], 0, "to_integer", bits=_BITS)
    precision = min(digit.ciphertext.precision_bits for digit in clean)
    if precision < _LEAST_BITS:
        missing = _LEAST_BITS - precision
        reason = f"digits of {precision:.1f} bits of precision are {missing:.1f} bits too vague for further operations"
        advice = f"state a gap below {gap}, or compute values with fewer errors or of fewer bits"
        raise imprecise("to_integer", missing, f"{reason}: {advice}")
    return EncryptedIntegers(kind, [digit.ciphertext for digit in clean])


def usual_gap(kind: IntegerType) -> float:
    """The gap where none is given. Digits of values with more bits have larger errors."""
    return MOST_GAP if kind.bits == 4 else 1 / 64 if kind.bits == 8 else 1 / 4096


def _expect_levels(x: Ciphertext, needed: int) -> None:
    """Refuses a ciphertext with fewer than `needed` levels above those that a bootstrap takes."""
    left = x.level - (x.params.bootstrap_input_level or 0)
    if left >= needed:
        return
    error = LevelExhaustedError(
        f"to_integer: takes {needed} levels above the {x.params.bootstrap_input_level} that a bootstrap takes, one for each "
        f"digit, and {left} are left: convert earlier, or to fewer bits"
    )
    error.op, error.needed, error.left = "to_integer", needed, left
    raise error
