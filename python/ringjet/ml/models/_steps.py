"""A model's layers as a server computes them, on samples whose features are encrypted one by one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev

from ..._ringjet import Ciphertext
from ...vectors.matrices import EncryptedMatrix
from ._layers import Activation, Affine, Array, Layer, Squares, function


@dataclass(frozen=True)
class Polynomial:
    """A polynomial that stands for an activation on an interval."""

    function: str
    low: float
    high: float
    degree: int

    @functools.cached_property
    def series(self) -> Chebyshev:
        """The polynomial."""
        return Chebyshev.interpolate(function(self.function), self.degree, domain=[self.low, self.high])

    def __call__(self, x: Array) -> Array:
        return np.asarray(self.series(x))

    def encrypted(self, x: Ciphertext) -> Ciphertext:
        """The polynomial of every slot. It is stated that the values lie in the interval."""
        return x.with_range(self.low, self.high).polynomial(self.series)

    def outside(self, x: Array) -> Array:
        """Which values lie outside the interval."""
        return (x < self.low) | (x > self.high)


#: What a server computes.
Step = Affine | Squares | Polynomial


def encrypted(steps: Sequence[Step], x: EncryptedMatrix) -> EncryptedMatrix:
    """The scores of encrypted samples: a matrix in columns, a feature each."""
    for step in steps:
        if isinstance(step, Affine):
            x = x.weighted_sums(step.weights, bias=step.bias)
        elif isinstance(step, Squares):
            both = [[*row, *(y * y for y in row)] for row in x.blocks]
            x = EncryptedMatrix(both, (x.shape[0], 2 * x.shape[1]), x.layout)
        else:
            x = x.map(step.encrypted)
    return x


def fitted(layers: Sequence[Layer], samples: Array, margin: float, degree: int) -> list[Step]:
    """The layers as steps: for an activation the polynomial of this degree on the interval of its inputs for the
    samples, made `margin` times as wide."""
    steps: list[Step] = []
    for layer in layers:
        if isinstance(layer, Activation):
            low, high = _wider(float(samples.min()), float(samples.max()), margin, layer.upper_bound)
            steps.append(Polynomial(layer.function, low, high, degree))
        else:
            steps.append(layer)
        samples = layer(samples)
    return steps


def _wider(low: float, high: float, margin: float, most: float) -> tuple[float, float]:
    """The interval from low to high, `margin` times as wide, up to `most` where no value is larger."""
    if most < np.inf:
        return most - margin * max(most - low, 1e-3), most
    middle, half = (low + high) / 2, margin * max((high - low) / 2, 1e-3)
    return middle - half, middle + half


def described(steps: Sequence[Step]) -> list[list[str]]:
    """A row for each step: what it is, its size, the interval of an activation."""
    rows = []
    for step in steps:
        if isinstance(step, Affine):
            rows.append(["affine", f"{step.inputs} -> {step.outputs}", ""])
        elif isinstance(step, Squares):
            rows.append(["squares", "beside the inputs", ""])
        else:
            rows.append([step.function, f"degree {step.degree}", f"{step.low:.4g} to {step.high:.4g}"])
    return rows
