"""Where the values of a network lie in the slots of a ciphertext, and linear layers between such places."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..._ringjet import Ciphertext, LinearTransform
from ._layers import Affine, Array
from ._linear import Convolution, Linear, Pool, Scale


@dataclass(frozen=True)
class Planes:
    """How the channels of an image lie in slots: a plane has `size` slots, a power of two, with rows of `columns` slots.
    Neighbours in a channel are `gap` rows or columns apart, and a plane holds up to gap**2 channels, one between the
    elements of the other (multiplexed packing; Lee et al., "Low-Complexity Deep Convolutional Neural Networks on
    Fully Homomorphic Encryption", ICML 2022)."""

    rows: int
    columns: int
    gap: int

    @property
    def size(self) -> int:
        """The slots of a plane."""
        return 1 << (self.rows * self.columns - 1).bit_length()

    def slots(self, shape: tuple[int, ...]) -> Array:
        """The slot of each element of a tensor (channels, height, width)."""
        c, y, x = np.indices(shape).reshape(3, -1)
        plane, within = np.divmod(c, self.gap**2)
        down, right = np.divmod(within, self.gap)
        return np.asarray(plane * self.size + (y * self.gap + down) * self.columns + x * self.gap + right)


@dataclass(frozen=True)
class Place:
    """Where a value lies in the slots."""

    #: The slot of each element.
    slots: Array
    #: All slots repeat with this period: an element is also this many slots further. None where they do not repeat.
    period: int | None = None
    planes: Planes | None = None
    #: Whether slots without an element may hold anything. Otherwise they hold zeros, or what elements like zeros become.
    is_free: bool = False

    @staticmethod
    def packed(shape: tuple[int, ...], repeats: bool = False) -> Place:
        """Elements one after the other, those of a tensor (channels, height, width) in planes."""
        planes = Planes(shape[1], shape[2], 1) if len(shape) == 3 else None
        slots = np.arange(math.prod(shape)) if planes is None else planes.slots(shape)
        return Place(slots, _power_of_two(int(slots.max()) + 1) if repeats else None, planes)

    @property
    def room(self) -> int:
        """The least number of slots that hold it."""
        return max(int(self.slots.max()) + 1, self.period or 0)

    def is_like(self, other: Place) -> bool:
        """Whether equal elements lie in equal slots, and repeat with the same period."""
        return np.array_equal(self.slots, other.slots) and self.period == other.period

    def image(self, shape: tuple[int, int, int], strides: tuple[int, int]) -> Place:
        """The place of a tensor (channels, height, width) that windows with these strides make of this one. The gap
        grows with the strides, so that a window stays where its elements are."""
        if self.planes is None or strides[0] != strides[1]:
            return Place.packed(shape)
        planes = replace(self.planes, gap=self.planes.gap * strides[0])
        if shape[1] * planes.gap > planes.rows or shape[2] * planes.gap > planes.columns:
            return Place.packed(shape)
        slots = planes.slots(shape)
        return Place(slots, _power_of_two(int(slots.max()) + 1), planes)

    def vector(self, values: Array, slots: int) -> Array:
        """Vectors of slots with these elements, in their last axis, and zeros elsewhere."""
        found = np.zeros((*values.shape[:-1], self.period or slots))
        found[..., self.slots] = values
        return np.tile(found, slots // found.shape[-1])


def after(layer: Linear, place: Place, is_free: bool) -> Place:
    """Where the result of a layer lies, for an input that lies here. is_free: whether it may leave anything in other
    slots."""
    if isinstance(layer, Affine):
        return Place(np.arange(layer.outputs), _power_of_two(layer.outputs))
    if isinstance(layer, Scale):
        return replace(place, is_free=False)
    if is_free and isinstance(layer, Pool) and place.planes is not None and _is_sum_of_slots(layer, place):
        # sums of windows lie where their first elements were
        first = np.arange(layer.inputs).reshape(layer.shape)
        rows, columns = layer.output_shape[1:]
        seen = first[:, :: layer.strides[0], :: layer.strides[1]][:, :rows, :columns].ravel()
        planes = replace(place.planes, gap=place.planes.gap * layer.strides[0])
        return Place(place.slots[seen], place.period, planes, is_free=True)
    if isinstance(layer, (Convolution, Pool)):
        return place.image(layer.output_shape, layer.strides)
    return Place.packed((layer.outputs,))


def _is_sum_of_slots(layer: Pool, place: Place) -> bool:
    """Whether sums of slots at fixed distances are the sums of the windows."""
    return layer.is_sum and not any(layer.padding) and layer.strides[0] == layer.strides[1] and place.planes is not None


def _power_of_two(n: int) -> int:
    """The least power of two that is at least n."""
    return 1 << (n - 1).bit_length()


@dataclass(frozen=True)
class Transform:
    """A linear layer on slots: a product with a matrix or a vector, sums of slots, and numbers that are added."""

    #: A matrix, a vector of factors, or nothing.
    matrix: LinearTransform | Array | None
    #: (stride, count): each slot gets the sum of `count` slots that lie `stride` apart.
    sums: list[tuple[int, int]]
    bias: Array

    def __call__(self, x: Ciphertext) -> Ciphertext:
        if self.matrix is not None:
            x = x.matmul(self.matrix) if isinstance(self.matrix, LinearTransform) else x * self.matrix
        for stride, count in self.sums:
            x = x.inner_sum(stride, count) if count > 1 else x
        return x + self.bias if np.any(self.bias) else x


@dataclass(frozen=True)
class Room:
    """The slots of a ciphertext with several samples side by side: slot k of sample b is slot `k * samples + b`."""

    #: The slots of each sample.
    slots: int
    samples: int
    #: What a server keeps of diagonals, as of `LinearTransform`.
    keep: Literal["encoded", "coefficients"] = "encoded"

    def vector(self, values: Array) -> Array:
        """The same vector, or a part of it that repeats, for each sample."""
        return np.repeat(np.tile(values, self.slots // len(values)), self.samples)

    def matrix(self, offset: Array, row: Array, value: Array, period: int) -> LinearTransform:
        """The matrix with elements in these diagonals and rows, which repeats with a period, for each sample."""
        kept = value != 0
        offset, row, value = offset[kept], row[kept], value[kept]
        offsets, which = np.unique(offset, return_inverse=True)
        diagonals = np.bincount(which * period + row, value, len(offsets) * period).reshape(-1, period)
        found = {int(k) * self.samples: self.vector(d) for k, d in zip(offsets, diagonals, strict=True)}
        return LinearTransform.from_diagonals(self.slots * self.samples, found, keep=self.keep)

    def transform(self, layer: Linear, columns: slice, at: Place, to: Place) -> Transform:
        """What takes some inputs of a layer, `columns`, which lie at the place `at`, to the results at the place `to`. The
        sum over all inputs is the layer; its bias is in the first part."""
        bias = self.vector(to.vector(layer.bias, self.slots)) if columns.start == 0 else np.zeros(1)
        if isinstance(layer, Scale) and len(at.slots) == layer.inputs and at.is_like(to):
            # a shift alone takes no level
            factors = None if np.all(layer.factor == 1) else self.vector(at.vector(layer.factors, self.slots))
            return Transform(factors, [], bias)
        if isinstance(layer, Pool) and to.is_free and at.planes is not None:
            gap, across = at.planes.gap * self.samples, at.planes.columns
            return Transform(None, [(gap * across, layer.window[0]), (gap, layer.window[1])], bias)
        row, column, value = layer.entries()
        if columns != slice(0, layer.inputs):
            within = (column >= columns.start) & (column < columns.stop)
            row, column, value = row[within], column[within] - columns.start, value[within]
        slot, before, behind = at.slots[column], at.period or self.slots, to.period or self.slots
        if before <= behind:
            offset = (slot - to.slots[row]) % before
            return Transform(self.matrix(offset, to.slots[row], value, behind), [], bias)
        # the sum of slots `behind` apart, of which each has its part: so there are at most `behind` diagonals,
        # wherever the columns lie, which may be in any of their copies
        offset = (slot - to.slots[row]) % behind
        matrix = self.matrix(offset, (slot - offset) % before, value, before)
        return Transform(matrix, [(behind * self.samples, before // behind)], bias)
