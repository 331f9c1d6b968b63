"""Polynomials that stand for activations."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev

from ..._ringjet import Ciphertext
from ._functions import function
from ._layers import Array


@dataclass(frozen=True)
class Polynomial:
    """A polynomial that stands for an activation on an interval."""

    function: str
    low: float
    high: float
    degree: int
    #: Whether the layer before it maps the interval to that from -1 to 1.
    is_mapped: bool = False

    @functools.cached_property
    def series(self) -> Chebyshev:
        """The polynomial of its inputs."""
        made = Chebyshev.interpolate(function(self.function), self.degree, domain=[self.low, self.high])
        return Chebyshev(made.coef) if self.is_mapped else made

    @property
    def domain(self) -> tuple[float, float]:
        """The interval of its inputs."""
        return (-1.0, 1.0) if self.is_mapped else (self.low, self.high)

    def __call__(self, x: Array) -> Array:
        return np.asarray(self.series(x))

    def encrypted(self, x: Ciphertext) -> Ciphertext:
        """The polynomial of every slot. It is stated that the values lie in the interval."""
        x = x.with_range(*self.domain)
        return x * x if self.function == "square" else x.polynomial(self.series)

    @property
    def levels(self) -> int:
        """How many levels it takes at least."""
        return 1 if self.function == "square" else self.degree.bit_length()

    def outside(self, x: Array) -> Array:
        """Which inputs lie outside the interval."""
        return (x < self.domain[0]) | (x > self.domain[1])

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @staticmethod
    def restored(found: Mapping[str, Any]) -> Polynomial:
        """Reads what `stored` gave."""
        function(found["function"])
        ends = float(found["low"]), float(found["high"])
        if not ends[0] < ends[1]:
            raise ValueError(f"an interval from {ends[0]} to {ends[1]}")
        return Polynomial(str(found["function"]), *ends, int(found["degree"]), found["is_mapped"] is True)
