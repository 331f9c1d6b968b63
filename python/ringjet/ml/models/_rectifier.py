"""Piecewise linear functions with a kink at 0, by comparisons: no single polynomial of a low degree is near to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev

from ..._ringjet import Ciphertext, sign_stages
from ._functions import function
from ._layers import Array
from ._polynomial import chebyshev, points

#: How often the interval of gaps is halved.
_HALVINGS = 12

#: Points at which a function is fitted: several within the smallest gaps that are of use.
_POINTS = 20001

#: The smallest and the largest gap that are tried.
_GAPS = (2.0**-20, 0.5)

#: The share of the interval in which inputs lie.
_REACH = 0.99

#: By how much results may exceed their interval: errors of ciphertexts, and values between points.
_ROOM = 1e-3


class Kind(NamedTuple):
    """What stands for an activation: a polynomial of a degree, or comparisons with a number of levels."""

    levels: int
    #: 0 for comparisons.
    degree: int = 0

    @property
    def is_comparison(self) -> bool:
        """Whether it computes comparisons."""
        return not self.degree


@dataclass(frozen=True)
class Rectifier:
    """A function that is linear on both sides of 0, by the sign of x: `x * (slope + gain * sign(x)) + shift`. A composition of
    polynomials stands for the sign (Lee et al., ePrint 2021/1215). Slope, gain and shift are fitted, since the
    composition is always nearer to 0 than the sign, and many such errors of one sign add up in a deep network."""

    function: str
    #: Inputs lie between -high and high, and a little farther from the ends, so that results do, too.
    high: float
    #: The Chebyshev coefficients of each polynomial of the composition on the interval from -1 to 1, and its largest slope.
    stages: tuple[tuple[tuple[float, ...], float], ...]
    #: For inputs and results that are divided by `high`.
    slope: float
    gain: float
    shift: float
    #: Whether the layers around it divide inputs by `high`, and multiply results by it.
    is_mapped: bool = False

    @staticmethod
    def fitted(name: str, high: float, levels: int, values: Array) -> Rectifier:
        """The most precise one with so many levels, for inputs up to `high` in size, fitted to these."""
        high /= _REACH
        stages = _sign(levels - 1)
        u, weights, _ = points(values / high, _POINTS)
        terms = np.stack([u, u * _composed(stages, u), np.ones_like(u)], axis=1) * weights[:, None]
        slope, gain, shift = map(float, np.linalg.lstsq(terms, function(name)(u) * weights, rcond=None)[0])
        return Rectifier(name, high, stages, slope, gain, shift)

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return -self.high

    @property
    def levels(self) -> int:
        """How many levels it takes at least."""
        return 1 + _depth(self.stages)

    @property
    def degree(self) -> str:
        """The degrees of its polynomials."""
        return ", ".join(str(len(c) - 1) for c, _ in self.stages)

    @property
    def domain(self) -> tuple[float, float]:
        """The interval of its inputs."""
        return -_REACH * self._unit, _REACH * self._unit

    @property
    def _unit(self) -> float:
        """What the polynomials take for 1."""
        return 1.0 if self.is_mapped else self.high

    def __call__(self, x: Array) -> Array:
        return self.noisy(x, [])

    def noisy(self, x: Array, errors: Sequence[Array]) -> Array:
        """The function with errors that are added to the result of each polynomial and of the product; none without."""
        added = iter(errors)
        half = self._unit
        found = x / half
        for series, _ in self.series():
            found = chebyshev(series.coef, found) + next(added, 0.0)
        return np.asarray(x * found + self.shift * half + next(added, 0.0))

    def series(self) -> list[tuple[Chebyshev, float]]:
        """The polynomials, one after the other, and their largest slopes. The last one gives `slope + gain * sign(x)`."""
        made = [(Chebyshev(coefficients), steepest) for coefficients, steepest in self.stages]
        last, steepest = made[-1]
        return [*made[:-1], (self.slope + self.gain * last, steepest * abs(self.gain))]

    def encrypted(self, x: Ciphertext) -> Ciphertext:
        """The function of every slot. It is stated that the values lie in the interval."""
        half = self._unit
        x = x.with_range(*self.domain)
        found = x if self.is_mapped else x * (1 / half)
        for k, (series, slope) in enumerate(self.series()):
            found = found.with_range(-1.0, 1.0) if k else found
            found = found.polynomial(series, slope=slope)
        return (x * found + self.shift * half).with_range(*self.results())

    def outside(self, x: Array) -> Array:
        """Which inputs lie outside the interval."""
        return (x < self.domain[0]) | (x > self.domain[1])

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        stages = [{"coefficients": list(c), "slope": slope} for c, slope in self.stages]
        numbers = {name: getattr(self, name) for name in ("high", "slope", "gain", "shift")}
        return {"function": self.function, **numbers, "stages": stages, "is_mapped": self.is_mapped}

    @staticmethod
    def restored(found: Mapping[str, Any]) -> Rectifier:
        """Reads what `stored` gave."""
        if not has_kink(found["function"]):
            raise ValueError(f"{found['function']!r} by comparisons")
        high, slope, gain, shift = numbers = [float(found[name]) for name in ("high", "slope", "gain", "shift")]
        stages = tuple((tuple(map(float, s["coefficients"])), float(s["slope"])) for s in found["stages"])
        numbers += [v for c, steepest in stages for v in (*c, steepest)]
        if not (high > 0 and stages and all(c for c, _ in stages) and all(map(math.isfinite, numbers))):
            raise ValueError(f"a function by comparisons up to {high} with {len(stages)} polynomials")
        return Rectifier(found["function"], high, stages, slope, gain, shift, found["is_mapped"] is True)

    def results(self) -> tuple[float, float]:
        """The interval of its results."""
        found = self(np.linspace(*self.domain, _POINTS))
        room = _ROOM * float(np.abs(found).max())
        return float(found.min()) - room, float(found.max()) + room


def has_kink(name: str) -> bool:
    """Whether a function is linear on both sides of 0, with different slopes."""
    return name in ("relu", "abs") or name.startswith("leaky relu ")


def _composed(stages: tuple[tuple[tuple[float, ...], float], ...], x: Array) -> Array:
    for coefficients, _ in stages:
        x = chebyshev(coefficients, x)
    return x


def _depth(stages: tuple[tuple[tuple[float, ...], float], ...]) -> int:
    return sum((len(c) - 1).bit_length() for c, _ in stages)


def _sign(levels: int) -> tuple[tuple[tuple[float, ...], float], ...]:
    """The composition with so many levels whose error, and the numbers around 0 for which it is larger, are the smallest."""
    if levels in _SIGNS:
        return _SIGNS[levels]
    low, high = _GAPS
    best = None
    for _ in range(_HALVINGS):
        gap = math.sqrt(low * high)
        found = tuple((tuple(c), slope) for c, slope in sign_stages(gap, gap))
        if _depth(found) <= levels:
            high, best = gap, found
        else:
            low = gap
    if best is None:
        raise ValueError(f"a sign with {levels} levels")
    _SIGNS[levels] = best
    return best


#: What `_sign` found: it takes seconds.
_SIGNS: dict[int, tuple[tuple[tuple[float, ...], float], ...]] = {}
