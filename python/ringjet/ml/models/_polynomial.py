"""Polynomials that stand for activations."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebfit, chebval

from ..._ringjet import Ciphertext
from ._functions import exact_degree, function
from ._layers import Array

#: Points at which a polynomial is fitted, and intervals in which values are counted.
_POINTS, _BINS = 2001, 200

#: How many values are computed at once.
_PART = 1 << 13

#: The weight of points where no value is, in that of the average point.
_ELSEWHERE = 0.05


def chebyshev(coefficients: Sequence[float] | Array, x: Array) -> Array:
    """The sum of Chebyshev polynomials. Parts of the array stay in the cache."""
    flat = np.ravel(x)
    found = np.empty(flat.shape)
    for i in range(0, len(flat), _PART):
        found[i : i + _PART] = chebval(flat[i : i + _PART], coefficients)
    return found.reshape(np.shape(x))


def points(values: Array, count: int = _POINTS) -> tuple[Array, Array, Array]:
    """Points between -1 and 1, their weights in a fit for values that lie there, and whether there are values near each. A
    weight is the square root of the share of these values; without values it is that of `_ELSEWHERE`."""
    u = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    counts, _ = np.histogram(values, bins=_BINS, range=(-1, 1))
    density = (counts * _BINS / max(counts.sum(), 1))[np.minimum(((u + 1) / 2 * _BINS).astype(int), _BINS - 1)]
    # the points are denser at the ends
    return u, np.sqrt(((1 - _ELSEWHERE) * density + _ELSEWHERE) * np.sqrt(1 - u * u)), density > 0


@dataclass(frozen=True)
class Polynomial:
    """A polynomial that stands for an activation on an interval."""

    function: str
    low: float
    high: float
    #: Of Chebyshev polynomials on the interval, the constant first.
    coefficients: tuple[float, ...]
    #: Its largest slope at the values to which it was fitted.
    slope: float
    #: Whether the layer before it maps the interval to that from -1 to 1.
    is_mapped: bool = False

    @staticmethod
    def fitted(name: str, low: float, high: float, degree: int, values: Array) -> Polynomial:
        """The polynomial of a degree that is nearest to a function at these values, in the mean square. Elsewhere in
        the interval it is near to it with less weight, so that it stays bounded there."""
        degree = min(degree, exact_degree(name) or degree)
        middle, half = (low + high) / 2, (high - low) / 2
        u, weights, has_values = points((values - middle) / half)
        found = chebfit(u, function(name)(middle + half * u), degree, w=weights)
        slope = np.abs(Chebyshev(found).deriv()(u[has_values])).max() / half
        return Polynomial(name, low, high, tuple(map(float, found)), float(slope))

    @property
    def degree(self) -> int:
        """The degree."""
        return len(self.coefficients) - 1

    @property
    def levels(self) -> int:
        """How many levels it takes at least."""
        return 1 if self.function == "square" else self.degree.bit_length()

    @property
    def domain(self) -> tuple[float, float]:
        """The interval of its inputs."""
        return (-1.0, 1.0) if self.is_mapped else (self.low, self.high)

    @functools.cached_property
    def series(self) -> Chebyshev:
        """The polynomial of its inputs."""
        return Chebyshev(self.coefficients, self.domain)

    def __call__(self, x: Array) -> Array:
        middle, half = (self.domain[0] + self.domain[1]) / 2, (self.domain[1] - self.domain[0]) / 2
        return chebyshev(self.coefficients, (x - middle) / half)

    def encrypted(self, x: Ciphertext) -> Ciphertext:
        """The polynomial of every slot. It is stated that the values lie in the interval."""
        x = x.with_range(*self.domain)
        if self.function == "square":
            return x * x
        half = (self.high - self.low) / 2
        return x.polynomial(self.series, slope=self.slope * half if self.is_mapped else self.slope)

    def outside(self, x: Array) -> Array:
        """Which inputs lie outside the interval."""
        return (x < self.domain[0]) | (x > self.domain[1])

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        own = {"low": self.low, "high": self.high, "coefficients": list(self.coefficients), "slope": self.slope}
        return {"function": self.function, **own, "is_mapped": self.is_mapped}

    @staticmethod
    def restored(found: Mapping[str, Any]) -> Polynomial:
        """Reads what `stored` gave."""
        function(found["function"])
        low, high, slope = (float(found[name]) for name in ("low", "high", "slope"))
        coefficients = tuple(float(c) for c in found["coefficients"])
        if not low < high or not coefficients or not np.all(np.isfinite([low, high, slope, *coefficients])):
            raise ValueError(f"a polynomial from {low} to {high} with {len(coefficients)} coefficients")
        return Polynomial(str(found["function"]), low, high, coefficients, slope, found["is_mapped"] is True)


#: The square of values between -1 and 1.
UNIT_SQUARE = Polynomial("square", -1.0, 1.0, (0.5, 0.0, 0.5), 2.0)
