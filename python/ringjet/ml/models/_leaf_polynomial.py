"""The polynomial that tells chosen leaves from others: 1 at 0, and 0 at -1, ..., -d.

With an even number d of roots it is a product of `(x + (d + 1) / 2)**2 - r**2` for r = 1/2, 3/2, ..., which takes
`log2(d)` levels, rounded up.
"""

from __future__ import annotations

import math

import numpy as np

from ..._ringjet import Ciphertext
from ._layers import Array

#: The largest error of a condition.
ROOM = 2.0**-8


def _roots(degree: int) -> int:
    return 1 if degree == 1 else degree + degree % 2


def middle(degree: int) -> float:
    """The middle of the roots, with its sign changed."""
    return (_roots(degree) + 1) / 2


def scale(degree: int) -> float:
    """What sums of conditions are divided by, so that the product of all factors is 1 at 0."""
    roots = _roots(degree)
    return float(math.factorial(roots) ** (1 / roots))


def interval(degree: int) -> tuple[float, float]:
    """The range of sums from -degree to 0, as `encrypted` takes them, with room for errors of conditions."""
    room = degree * ROOM
    return (middle(degree) - degree - room) / scale(degree), (middle(degree) + room) / scale(degree)


def levels(degree: int) -> int:
    """The levels that `encrypted` takes."""
    return math.ceil(math.log2(_roots(degree)))


def values(sums: Array, degree: int) -> Array:
    """1 for the sum 0, 0 for -1, ..., -degree, and the polynomial of `encrypted` between them."""
    return np.asarray(np.prod([(sums + k) / k for k in range(1, _roots(degree) + 1)], axis=0))


def encrypted(x: Ciphertext, degree: int) -> Ciphertext:
    """1 in slots of chosen leaves, and 0 in those of others. x: sums of conditions plus `middle`, divided by
    `scale`."""
    if degree == 1:
        return x
    size = scale(degree) ** 2
    roots = [(k + 0.5) ** 2 / size for k in range(_roots(degree) // 2)]
    most = max(abs(end) for end in interval(degree)) ** 2
    y = (x * x).with_range(0, most)
    factors: list[Ciphertext] = []
    if len(roots) > 1:
        square = (y * y).with_range(0, most**2)
        while len(roots) > 1:
            low, high = roots.pop(0), roots.pop()
            ends = -((high - low) ** 2) / 4, max(low * high, (most - low) * (most - high))
            factors.append((square - (low + high) * y + low * high).with_range(*ends))
    factors += [y - root for root in roots]
    while len(factors) > 1:
        pairs = [factors[k] * factors[k + 1] for k in range(0, len(factors) - 1, 2)]
        factors = pairs + factors[2 * len(pairs) :]
    return factors[0].with_range(-1, 1)
