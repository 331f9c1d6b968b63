"""Tables on the full circle: functions of an integer of any size modulo 16.

The integer v is encoded as the value `v / 4`, in quarter turns of a circle with 16 integers. Of `v / 4 +
1 / 8` a sine s and a cosine c are computed, in which whole turns vanish; the cosine is the sine of one
quarter turn more. The table is Fejér's sum of its results (Fejér, "Über Interpolation", 1916): a sum of
`cos(k * angle)` and `sin(k * angle)` for k below 16 that has the results at the 16 angles, and
derivatives of 0. The cosines are Chebyshev polynomials of c, and the sines are s times others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev

from .. import _ringjet
from .._ringjet import Ciphertext
from ..vectors._cache import cached
from ._digits import DEVIATIONS, HIGHEST, LOWEST, RADIX, Digit, added, coded, imprecise


#: The largest distance of values from integers of which remainders are computed.
NEAR = 3 / 32


@dataclass(frozen=True)
class _Table:
    """A table as `first(c) + s * second(c)`."""

    first: Chebyshev
    second: Chebyshev
    #: The largest size of `second` at an angle.
    largest: float
    #: The largest derivative by s and c at an angle. Along the circle it is 0.
    slope: float
    #: Half the largest second derivative by the angle, where it is up to `NEAR` from an integer.
    curvature: float


def remainders(values: Sequence[Ciphertext], op: str) -> list[Digit]:
    """The integers v modulo 16 of values `v / 4`. The ciphertexts have the levels that a bootstrap takes."""
    for x in values:
        _expect_near(x, op)
    least = values[0].params.bootstrap_input_level or 0
    low = [x.to_level(least) if x.level > least else x for x in values]
    moved = [x + 1 / 8 for x in low]
    sines = _ringjet.sines([y for x in moved for y in (x, x + 1)], wraps=True)
    table = _table()
    made = []
    for x, s, c in zip(moved, sines[::2], sines[1::2], strict=True):
        # The error of a value moves s and c along the circle, where the table is flat: its square is left.
        # Only errors that a bootstrap adds change the distance from the centre.
        along, own = math.pi / 2 * 2.0**-x.precision_bits, added(x, s)
        a, b = c.polynomials([table.first, table.second], slopes=[0, 0], near=_COSINES)
        value = a + s.with_error(own) * b.with_range(-table.largest, table.largest)
        brought = math.hypot(math.sqrt(2) * table.slope * own, table.curvature * DEVIATIONS * along**2)
        made.append(
            Digit(value.with_error(math.hypot(2.0**-value.precision_bits, brought)).with_range(LOWEST, HIGHEST))
        )
    return made


def _expect_near(x: Ciphertext, op: str) -> None:
    """Refuses values `v / 4` that may be further than `NEAR` from those of integers."""
    off = DEVIATIONS * 4 * 2.0**-x.precision_bits
    if off <= NEAR:
        return
    missing = math.log2(off / NEAR)
    reason = f"values may be {off:.2g} away from integers, and up to {NEAR} is allowed: {missing:.1f} bits of precision"
    raise imprecise(op, missing, f"{reason} are missing; use integers of fewer bits, or parameters with a larger scale")


@cached(1)
def _table() -> _Table:
    """The table of the digits themselves."""
    count, results = RADIX, coded(np.arange(RADIX), RADIX)
    angles = 2 * np.pi * (np.arange(count) + 0.5) / count
    k = np.arange(count)
    weights = np.where(k == 0, 1, 2) / count * (1 - k / count)
    cosines = weights * (np.cos(np.outer(k, angles)) @ results)
    sines = weights * (np.sin(np.outer(k, angles)) @ results)
    # sin(k t) = s * U_(k-1)(c), and U_n = 2 (T_n + T_(n-2) + ...), where T_0 counts half
    second: npt.NDArray[np.float64] = np.zeros(count - 1)
    for degree in range(count - 1):
        second[degree % 2 : degree + 1 : 2] += 2 * sines[degree + 1]
        if degree % 2 == 0:
            second[0] -= sines[degree + 1]
    a, b = Chebyshev(cosines), Chebyshev(second)
    c, s = np.cos(angles), np.sin(angles)
    slope = float(np.max(np.hypot(a.deriv()(c) + s * b.deriv()(c), b(c))))
    near = np.add.outer(np.linspace(-NEAR, NEAR, 17) * 2 * np.pi / count, angles).ravel()
    bent = np.cos(np.outer(near, k)) @ (k**2 * cosines) + np.sin(np.outer(near, k)) @ (k**2 * sines)
    return _Table(a, b, float(np.max(np.abs(b(c)))) + 1e-9, slope, float(np.max(np.abs(bent))) / 2)


#: The cosines of the 16 angles.
_COSINES = np.cos(2 * np.pi * (np.arange(RADIX) + 0.5) / RADIX).tolist()
