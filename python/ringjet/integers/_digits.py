"""Digits: numbers of 0 to p - 1 in the slots of a ciphertext, and tables of them.

The number m of p is encoded as the value `(2 * m + 1 - p) / p`, between -1 and 1. A bootstrap of parameters
with `has_sine` returns the sine of a quarter turn times the value, and a table of p results is a polynomial
in it, which also removes most of the digit's error (docs/design/integers.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _ringjet
from .._ringjet import Ciphertext
from ..errors import IntegerPrecisionError, LevelExhaustedError
from ..vectors._cache import cached

#: The base of the digits of integers.
RADIX = 16

#: The bits of such a digit.
DIGIT_BITS = 4

#: The least and the largest value of a digit.
LOWEST, HIGHEST = -(RADIX - 1) / RADIX, (RADIX - 1) / RADIX

#: A result counts as certain where so many standard deviations of its error are below half the distance
#: between two numbers. An error of a rounding is a product of two random numbers, one of which is the
#: secret's; it lies beyond this many deviations with a probability of 2**-94 (docs/design/integers.md).
DEVIATIONS = 48

#: The levels of a table of 16 numbers, which a digit has lost after a bootstrap.
REFRESHED = 5

#: A table: one result for each number.
Table = Sequence[float] | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Digit:
    """Numbers of 0 to `base` - 1, one in each slot."""

    ciphertext: Ciphertext
    base: int = RADIX

    @property
    def level(self) -> int:
        """The level of the ciphertext."""
        return self.ciphertext.level

    @property
    def deviation(self) -> float:
        """The standard deviation of the error, in units of the distance between two numbers."""
        return deviation_of(self.ciphertext.precision_bits, self.base)

    def expect_certain(self, op: str) -> Digit:
        """This digit, whose numbers can be told apart with certainty."""
        expect_certain(self.deviation, self.base, op)
        return self


def deviation_of(precision_bits: float, base: int) -> float:
    """The standard deviation of the error of numbers below `base`, in units of the distance between two."""
    return float(2.0**-precision_bits) * base / 2


def expect_certain(deviation: float, base: int, op: str) -> None:
    """Refuses errors with which numbers below `base` cannot be told apart with certainty."""
    if DEVIATIONS * deviation < 0.5:
        return
    missing = math.log2(2 * DEVIATIONS * deviation)
    raise imprecise(
        op,
        missing,
        f"errors of 2^{math.log2(deviation):.1f} of the distance between two digits (standard deviation) are "
        f"{missing:.1f} bits too large to tell {base} numbers apart with certainty: use parameters with a larger scale",
    )


def imprecise(op: str, missing: float, reason: str) -> IntegerPrecisionError:
    """The error of an operation on values that are `missing` bits too vague."""
    error = IntegerPrecisionError(f"{op}: {reason}")
    error.op, error.missing = op, missing
    return error


def coded(numbers: npt.ArrayLike, base: int) -> npt.NDArray[np.float64]:
    """The values that stand for numbers of 0 to `base` - 1."""
    return (2 * np.asarray(numbers, np.float64) + 1 - base) / base


def decoded(values: npt.ArrayLike, base: int) -> npt.NDArray[np.float64]:
    """The numbers that values stand for, not rounded."""
    return (np.asarray(values, np.float64) * base + base - 1) / 2


def known(like: Ciphertext, numbers: npt.ArrayLike) -> Digit:
    """A known number, or one for each slot, encrypted without randomness."""
    values = coded(numbers, RADIX)
    made = like * 0 + (values.item() if values.ndim == 0 else values)
    return Digit(counted(made, [like]).with_range(LOWEST, HIGHEST))


def counted(made: Ciphertext, operands: Sequence[Any]) -> Ciphertext:
    """The result with the count of the encrypted operands, which known ones do not change."""
    count = min(x.count for x in operands if isinstance(x, Ciphertext))
    return made if made.count == count else made.with_count(count)


def combined(terms: Sequence[tuple[int, Digit]], constant: Any, base: int) -> Digit:
    """The sums of `weight * number`, and of `constant`, a number or an array, as numbers of 0 to `base` - 1; the
    caller knows that they are. It takes a level where a digit has another base."""
    # a value of a digit is (2 m + 1 - p) / p
    weights = [weight * digit.base / base for weight, digit in terms]
    offset = sum(weight * (digit.base - 1) / 2 for weight, digit in terms)
    given = coded(np.asarray(constant, np.float64) + offset, base)
    ciphertexts = [digit.ciphertext for _, digit in terms]
    if all(weight in (1, -1) for weight in weights):
        first, *rest = (x if weight == 1 else -x for weight, x in zip(weights, ciphertexts, strict=True))
        made = sum(rest, first)
    else:
        made = _ringjet.weighted_sum(ciphertexts, weights)
    made = counted(made + (float(given) if given.ndim == 0 else given), ciphertexts)
    return Digit(made.with_range(-(base - 1) / base, (base - 1) / base), base)


def looked_up(digits: Sequence[Digit], tables: Sequence[Sequence[Table]], op: str) -> list[list[Ciphertext]]:
    """The results of each digit's tables. All digits are bootstrapped, two at a time. A digit without tables
    is left out."""
    for digit, own in zip(digits, tables, strict=True):
        if own:
            expect_depth(digit.ciphertext, (2 * digit.base - 1).bit_length(), op)
    used = [lowered(digit.expect_certain(op)).ciphertext for digit, own in zip(digits, tables, strict=True) if own]
    sines = zip(used, _ringjet.sines(used), strict=True)
    made: list[list[Ciphertext]] = []
    for digit, own in zip(digits, tables, strict=True):
        if not own:
            made.append([])
            continue
        lists = [[float(x) for x in table] for table in own]
        assert all(len(table) == digit.base for table in lists), "a table has a result for each number"
        value, sine = next(sines)
        # The error of a value moves it along the sine, where a table is flat; what a bootstrap adds to the sine
        # does not, and weighs most near 1 and -1.
        results = sine.with_error(added(value, sine))._tables(lists)
        made.append([_stated(x, table, value) for x, table in zip(results, lists, strict=True)])
    return made


def expect_depth(x: Ciphertext, levels: int, op: str) -> None:
    """Refuses parameters with fewer levels between two bootstraps than an operation takes."""
    if x.params.depth >= levels:
        return
    error = LevelExhaustedError(
        f"{op}: takes {levels} levels after a bootstrap, and {x.params.depth} are left: use parameters with more, such as "
        'rj.preset("n16-int")'
    )
    error.op, error.needed, error.left = op, levels, x.params.depth
    raise error


def added(value: Ciphertext, sine: Ciphertext) -> float:
    """The standard deviation of the error that a bootstrap added to the sine of a value."""
    along = math.pi / 2 * 2.0**-value.precision_bits
    return float(math.sqrt(max(4.0**-sine.precision_bits - along**2, 0.0)) + 2.0**-50)


def _stated(result: Ciphertext, table: list[float], value: Ciphertext) -> Ciphertext:
    """The result of a table with its range, and with the error that the value's error causes."""
    brought = _error(tuple(table), DEVIATIONS * 2.0**-value.precision_bits) / DEVIATIONS
    # both errors move the angle, so the square of their sum is left
    deviation = float((math.sqrt(2.0**-result.precision_bits) + math.sqrt(brought)) ** 2)
    result = result.with_range(min(table), max(table))
    return result.with_error(deviation) if deviation > 0 else result


@cached(256)
def _error(table: tuple[float, ...], within: float) -> float:
    return _ringjet.table_error(list(table), within)


def certain(flag: Ciphertext, levels: int, op: str) -> Ciphertext:
    """Ones and zeros with at least `levels` levels above those that a bootstrap takes: with fewer, they are
    bootstrapped."""
    least = flag.params.bootstrap_input_level or 0
    if flag.level >= least + levels:
        return flag
    # 1 and 0 are numbers of base 2
    digit = Digit((flag - 0.5).with_range(-0.5, 0.5), 2)
    return looked_up([digit], [[[0.0, 1.0]]], op)[0][0]


def lowered(digit: Digit) -> Digit:
    """The digit at the level from which it is bootstrapped; one with fewer levels is refused there."""
    least = digit.ciphertext.params.bootstrap_input_level
    if least is None or digit.level <= least:
        return digit
    return Digit(digit.ciphertext.to_level(least), digit.base)


def ready(digits: Sequence[Digit], levels: int, op: str, *, bits: float = 0.0) -> list[Digit]:
    """The digits with at least `levels` levels above those that a bootstrap takes, and `bits` bits of precision:
    digits with fewer are bootstrapped, which also removes most of their errors."""
    needed = levels + (digits[0].ciphertext.params.bootstrap_input_level or 0) if digits else 0
    few = [i for i, digit in enumerate(digits) if digit.level < needed or digit.ciphertext.precision_bits < bits]
    if few:
        expect_depth(digits[0].ciphertext, levels + REFRESHED, op)
    fresh = list(digits)
    same = [[coded(np.arange(digits[i].base), digits[i].base)] for i in few]
    for i, made in zip(few, looked_up([digits[i] for i in few], same, op) if few else [], strict=True):
        fresh[i] = Digit(made[0], digits[i].base)
    return fresh
