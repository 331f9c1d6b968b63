"""Where the values of a network lie in the slots of a ciphertext, and linear layers between such places."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..._ringjet import Ciphertext, LinearTransform, inner_sum_rotations
from ._layers import Affine, Array
from ._linear import Convolution, Linear, Pool, Scale


@dataclass(frozen=True)
class Place:
    """Where a value lies in the slots."""

    #: The slot of each element.
    slots: Array
    #: All slots repeat with this period: an element is also this many slots further. None where they do not repeat.
    period: int | None = None
    #: (rows, columns, gap) of the planes of an image. Neighbours in a channel are `gap` rows or columns apart, and
    #: a plane holds gap**2 channels, one between the elements of the other (multiplexed packing; Lee et al., "Low-
    #: Complexity Deep Convolutional Neural Networks on Fully Homomorphic Encryption", ICML 2022).
    planes: tuple[int, int, int] | None = None

    @staticmethod
    def packed(shape: tuple[int, ...]) -> Place:
        """Elements one after the other, those of a tensor (channels, height, width) in planes."""
        planes = (shape[1], shape[2], 1) if len(shape) == 3 else None
        return Place(np.arange(math.prod(shape)), None, planes)

    @property
    def room(self) -> int:
        """The least number of slots that hold it."""
        return max(int(self.slots.max()) + 1, self.period or 0)

    def is_like(self, other: Place) -> bool:
        """Whether equal elements lie in equal slots."""
        return np.array_equal(self.slots, other.slots)

    def image(self, shape: tuple[int, int, int], strides: tuple[int, int]) -> Place:
        """The place of a tensor (channels, height, width) that windows with these strides make of this one. The gap
        grows with the strides, so that a window stays where its elements are."""
        _, height, width = shape
        if self.planes is None or strides[0] != strides[1]:
            return Place.packed(shape)
        rows, columns, gap = self.planes
        gap *= strides[0]
        if height * gap > rows or width * gap > columns:
            return Place.packed(shape)
        c, y, x = np.indices(shape).reshape(3, -1)
        plane, within = np.divmod(c, gap * gap)
        slots = (plane * rows + y * gap + within // gap) * columns + x * gap + within % gap
        return Place(slots, None, (rows, columns, gap))


def after(layer: Linear, place: Place) -> Place:
    """Where the result of a layer lies, for an input that lies here."""
    if isinstance(layer, Affine):
        return Place(np.arange(layer.outputs), 1 << (layer.outputs - 1).bit_length())
    if isinstance(layer, Scale):
        return place
    if isinstance(layer, (Convolution, Pool)):
        return place.image(layer.output_shape, layer.strides)
    return Place.packed((layer.outputs,))


@dataclass(frozen=True)
class Transform:
    """A linear layer on slots: products with diagonals, the sum of `count` slots that lie `stride` apart, and numbers
    that are added."""

    #: A matrix, or a vector of factors.
    matrix: LinearTransform | Array
    stride: int
    count: int
    bias: Array

    def __call__(self, x: Ciphertext) -> Ciphertext:
        made = x.matmul(self.matrix) if isinstance(self.matrix, LinearTransform) else x * self.matrix
        if self.count > 1:
            made = made.inner_sum(self.stride, self.count)
        return made + self.bias if np.any(self.bias) else made

    @property
    def rotations(self) -> list[int]:
        """The rotations that it takes."""
        sums = inner_sum_rotations(self.stride, self.count) if self.count > 1 else []
        return [*(self.matrix.rotations if isinstance(self.matrix, LinearTransform) else []), *sums]


def transform(layer: Linear, columns: slice, at: Place, to: Place, slots: int, with_bias: bool) -> Transform:
    """The part of a layer that takes these of its inputs, which lie `at` a place, to another one."""
    bias = _repeated(layer.bias, to, slots) if with_bias else np.zeros(slots)
    if isinstance(layer, Scale):
        factors = layer.factors[columns]
        uniform = np.full(slots, factors[0]) if np.all(factors == factors[0]) else _repeated(factors, at, slots)
        return Transform(uniform, 1, 1, bias)
    row, column, value = layer.entries()
    if columns != slice(0, layer.inputs):
        within = (column >= columns.start) & (column < columns.stop)
        row, column, value = row[within], column[within] - columns.start, value[within]
    if to.period is not None:
        return Transform(*_folded(row, at.slots[column], value, at.period or slots, to.period, slots), bias)
    offset = (at.slots[column] - to.slots[row]) % slots
    return Transform(_matrix(offset, to.slots[row], value, slots, slots), 1, 1, bias)


def _folded(
    row: Array, slot: Array, value: Array, period: int, folded: int, slots: int
) -> tuple[LinearTransform, int, int]:
    """A matrix with these elements: row, slot of its column, value; as the sum of slots `folded` apart, of which each
    has its part. So there are at most `folded` diagonals, wherever the columns lie."""
    # the columns may lie in any of their copies
    period = max(period, folded)
    offset = (slot - row) % folded
    return _matrix(offset, (slot - offset) % period, value, period, slots), folded, period // folded


def _matrix(offset: Array, row: Array, value: Array, period: int, slots: int) -> LinearTransform:
    """The matrix with elements in these diagonals and rows, which repeats with a period."""
    kept = value != 0
    offset, row, value = offset[kept], row[kept], value[kept]
    offsets, which = np.unique(offset, return_inverse=True)
    diagonals = np.bincount(which * period + row, value, len(offsets) * period).reshape(-1, period)
    copies = slots // period
    return LinearTransform.from_diagonals(slots, {int(k): np.tile(d, copies) for k, d in zip(offsets, diagonals)})


def _repeated(values: Array, place: Place, slots: int) -> Array:
    """A vector for all slots with the elements of a value, and zeros elsewhere."""
    period = place.period or slots
    found = np.zeros(period)
    found[place.slots] = values
    return np.tile(found, slots // period)
