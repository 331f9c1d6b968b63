"""Statistics over the first slots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .. import _arrays, _ringjet
from .._checks import both, count, real, refusal
from .._scheme import FUNCTIONS, REALS, expect

if TYPE_CHECKING:
    from .._ringjet import Ciphertext

_Vector = npt.NDArray[Any]


class Statistics:
    """Methods over the first n slots; n = None means the `count` values that the ciphertext holds.

    The values of the other slots have no influence on results. Values must be real. A result that is
    one number is in every slot. Sums take the keys of `rj.inner_sum_rotations(1, slots)`; `rj.plan`
    lists the keys of a whole program. Where n is less than the number of slots, a mask takes a
    level, unless the other slots are known to hold 0, as in a fresh ciphertext that was filled with
    zeros. Values are centred before they are squared, so results are exact for large means, too.

    low, high: bounds that the caller knows for the number whose root is taken. They are stated of
    it, as with `with_range`; if they are wrong, results are wrong. error: the largest distance of
    the result from the true one. The errors of encryption come on top of it.

    With BGV and BFV there are `sum` and `dot`, which are exact modulo t, and take the keys of
    `rj.inner_sum_rotations(1, slots // 2)` and of `conjugation=True`.
    """

    __slots__ = ()

    def sum(self, n: int | None = None) -> Ciphertext:
        """The sum, in every slot. It takes a level, or none for all slots, and where all other slots
        hold 0."""
        x = cast("Ciphertext", self)
        n = count(x, n)
        if x.params.rows == 2:
            return _total_of_rows(_masked(x, n, 1))
        return _ranged(_masked(real(x), n, 1.0).inner_sum(1, x.slots, terms=n), x, n)

    def mean(self, n: int | None = None) -> Ciphertext:
        """The mean, in every slot. It takes one level."""
        x = _approximate(cast("Ciphertext", self), "mean", "sum gives n times the mean")
        n = count(x, n)
        return _ranged(_masked(x, n, 1 / n).inner_sum(1, x.slots, terms=n), x, 1)

    def var(self, n: int | None = None, *, ddof: int = 0) -> Ciphertext:
        """The variance, in every slot: the sum of squared distances from the mean, divided by
        n - ddof. It takes three levels, or two for all slots."""
        x = _approximate(cast("Ciphertext", self), "var", _POWERS)
        n = count(x, n)
        divisor = _divisor(n, ddof)
        centred = _centred(x, n, 1 / math.sqrt(divisor))
        # no variance is larger than a quarter of the squared width
        low, high = x.range
        return (centred**2).inner_sum(1, x.slots, terms=n).with_range(0, 0.25 * (high - low) ** 2 * n / divisor)

    def std(self, n: int | None = None, *, ddof: int = 0, low: float, high: float, error: float = 1e-4) -> Ciphertext:
        """The standard deviation, in every slot. low, high: bounds of the variance, low >= 0."""
        _approximate(cast("Ciphertext", self), "std", _POWERS, FUNCTIONS)
        return _rooted(self.var(n, ddof=ddof), low, high, error)

    def dot(self, y: Ciphertext | npt.ArrayLike, n: int | None = None) -> Ciphertext:
        """The sum of the products with the slots of y, in every slot: a ciphertext, or an array of n
        numbers or of one for each slot. It takes one level for all slots, for an array, and where all
        other slots of x or y hold 0; otherwise two."""
        x = cast("Ciphertext", self)
        exact = x.params.rows == 2
        x = x if exact else real(x)
        if not isinstance(y, _ringjet.Ciphertext):
            values = _padded(y, x, n)
            n = count(x, n)
            total = x * values
        else:
            x, y, n = both(x, y if exact else real(y, "y"), n)
            if _is_masked(y, n):
                x, y = y, x
            total = _masked(x, n, 1 if exact else 1.0) * y
        return _total_of_rows(total) if exact else _summed(total, n)

    def norm(self, n: int | None = None, *, low: float, high: float, error: float = 1e-4) -> Ciphertext:
        """The square root of the sum of squares, in every slot. low, high: bounds of the sum of
        squares, low >= 0."""
        x = _approximate(cast("Ciphertext", self), "norm", _POWERS, FUNCTIONS)
        squares = _masked(x, count(x, n), 1.0) ** 2
        return _rooted(squares.inner_sum(1, x.slots, terms=n), low, high, error)

    def standardise(
        self, n: int | None = None, *, ddof: int = 0, low: float, high: float, error: float = 1e-4
    ) -> Ciphertext:
        """The distances from the mean divided by the standard deviation; 0 in the slots from n on.
        low, high: bounds of the variance, low > 0."""
        x = _approximate(cast("Ciphertext", self), "standardise", _POWERS, FUNCTIONS)
        n = count(x, n)
        divisor = _divisor(n, ddof)
        # neither the range nor the variance lets a distance from the mean be larger
        width = x.range[1] - x.range[0]
        most = min(width, math.sqrt(divisor * max(high, 0)))
        centred = _centred(x, n, 1.0)
        variance = (_centred(x, n, 1 / math.sqrt(divisor)) ** 2).inner_sum(1, x.slots, terms=n)
        inverse = variance.with_range(low, high).inverse_sqrt(low, high, error=error / max(most, 1e-300))
        largest = math.sqrt(divisor) + error
        return (centred * inverse).with_range(-largest, largest).with_count(n)

    def moving_sum(self, width: int, n: int | None = None, *, mode: Literal["valid"] = "valid") -> Ciphertext:
        """The sum of slots i to i + width - 1 in slot i, for windows within the first n slots; 0 in
        the slots from n - width + 1 on. It takes a level, and the keys of
        `rj.inner_sum_rotations(1, width)`."""
        return _moving(cast("Ciphertext", self), "moving_sum", width, n, mode, 1.0)

    def moving_mean(self, width: int, n: int | None = None, *, mode: Literal["valid"] = "valid") -> Ciphertext:
        """The mean of slots i to i + width - 1 in slot i; otherwise as `moving_sum`."""
        return _moving(cast("Ciphertext", self), "moving_mean", width, n, mode, 1 / max(width, 1))


@_arrays.plain_scalars
def cov(x: Ciphertext, y: Ciphertext, n: int | None = None, *, ddof: int = 0) -> Ciphertext:
    """The covariance of the first n values of x and y, by default of those that both hold, in every
    slot: the sum of the products of their distances from their means, divided by n - ddof. It takes
    three levels, or two for all slots."""
    x, y, n = both(_approximate(x, "cov", "dot is the sum of products"), real(y, "y"), n)
    root = math.sqrt(_divisor(n, ddof))
    total = (_centred(x, n, 1 / root) * _centred(y, n, 1 / root)).inner_sum(1, x.slots, terms=n)
    widths = [high - low for low, high in (x.range, y.range)]
    most = 0.25 * widths[0] * widths[1] * n / root**2
    return total.with_range(-most, most)


@_arrays.plain_scalars
def corrcoef(
    x: Ciphertext, y: Ciphertext, n: int | None = None, *, low: float, high: float, error: float = 1e-4
) -> Ciphertext:
    """The correlation coefficient of the first n values of x and y, by default of those that both
    hold, in every slot.
    low, high: bounds that the caller knows for both variances (with ddof = 0), low > 0; if they are
    wrong, results are wrong. error: the largest distance from the true coefficient, to which the
    errors of encryption are added."""
    x, y, n = both(_approximate(x, "corrcoef", "dot is the sum of products", FUNCTIONS), real(y, "y"), n)
    # |cov| <= sx * sy, so with errors d of 1 / sx and 1 / sy the result is off by at most
    # (sx + sy) * d + sx * sy * d**2
    each = min(error, 1.0) / (3 * math.sqrt(max(high, 1e-300)))
    a, b = (_centred(z, n, 1 / math.sqrt(n)) for z in (x, y))
    total = (a * b).inner_sum(1, x.slots, terms=n).with_range(-high, high)
    for z in (a, b):
        variance = (z**2).inner_sum(1, x.slots, terms=n).with_range(low, high)
        total = total * variance.inverse_sqrt(low, high, error=each)
    return total.with_range(-1 - error, 1 + error)


_POWERS = "sums of x * x are exact"


def _approximate(x: Ciphertext, op: str, instead: str, need: str = REALS) -> Ciphertext:
    """x, if it has real values. Integers are refused; `instead` says what users of theirs can do."""
    return real(expect(x, op, need, None if x.params.t is None else instead))


def _divisor(n: int, ddof: int) -> float:
    if not 0 <= ddof < n:
        raise refusal("ddof", ddof, f"0 to {n - 1}, less than the number of values")
    return n - ddof


def _masked(x: Ciphertext, n: int, factor: float) -> Ciphertext:
    """The first n values times a factor, and 0 in all other slots."""
    if n == x.slots or (factor == 1 and _is_masked(x, n)):
        return x if factor == 1 else x * factor
    # where a product is needed in any case, a mask also removes the errors of the other slots
    # whole numbers stay whole, for exact schemes
    return x * np.where(np.arange(x.slots) < n, factor, type(factor)(0))


def _is_masked(x: Ciphertext, n: int) -> bool:
    """Whether all slots but the first n are known to hold 0, or there are no others."""
    return n == x.slots or (n == x.count and x._zero_padded)


def _centred(x: Ciphertext, n: int, factor: float) -> Ciphertext:
    """The first n values less their mean, times a factor, and 0 in all other slots. It takes two
    levels, or one for all slots."""
    low, high = x.range
    most = (high - low) * factor
    if n == x.slots:
        made = _masked(x, n, factor) - _masked(x, n, factor / n).inner_sum(1, n)
    else:
        made = _masked(x - x.mean(n), n, factor)
    return made.with_range(-most, most)


def _ranged(total: Ciphertext, x: Ciphertext, n: int) -> Ciphertext:
    """A sum of n values, or their mean for n = 1, with the range that follows from theirs."""
    low, high = x.range
    return total.with_range(n * low, n * high)


def _summed(x: Ciphertext, n: int) -> Ciphertext:
    """The sum of all slots, of which the first n are not 0."""
    low, high = x.range
    return x.inner_sum(1, x.slots, terms=n).with_range(n * min(low, 0), n * max(high, 0))


def _total_of_rows(x: Ciphertext) -> Ciphertext:
    """The sum of all slots of both rows."""
    total = x.inner_sum(1, x.slots // 2)
    return total + total.swap_rows()


def _padded(y: npt.ArrayLike, x: Ciphertext, n: int | None) -> _Vector:
    """The first n numbers of y, by default one for each value of x, and zeros in all other slots."""
    values, n = _arrays.integers(y, "y") if x.params.t is not None else _arrays.reals(y, "y"), count(x, n)
    if values.shape not in ((n,), (x.count,), (x.slots,)):
        wanted = " or ".join(map(str, sorted({n, x.count, x.slots})))
        raise refusal("y", f"an array of shape {values.shape}", f"{wanted} numbers")
    return np.concatenate([values[:n], np.zeros(x.slots - n, values.dtype)])


def _rooted(x: Ciphertext, low: float, high: float, error: float) -> Ciphertext:
    """The square root of a number that is known to be from low to high."""
    if not 0 <= low < high:
        raise refusal("interval", f"[{low:g}, {high:g}]", "an interval from 0 on: low < high")
    return x.with_range(low, high).sqrt(low, high, error=error)


def _moving(x: Ciphertext, op: str, width: int, n: int | None, mode: str, factor: float) -> Ciphertext:
    x = _approximate(x, op, "inner_sum(1, width) sums slots within each row")
    n = count(x, n)
    if mode != "valid":
        raise refusal("mode", repr(mode), '"valid": only windows within the first n slots')
    if not (width == int(width) and 1 <= width <= n):
        raise refusal("width", width, f"1 to {n}, the number of values")
    low, high = (width * factor * end for end in x.range)
    left = n - int(width) + 1
    total = _masked(x.inner_sum(1, int(width)), left, factor)
    return total.with_range(min(low, 0), max(high, 0)).with_count(left)
