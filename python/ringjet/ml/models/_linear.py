"""Linear layers of networks on flat vectors, which are the C order of a tensor (channels, height, width).

Each layer has `inputs` and `outputs`, the lengths of its vectors, and `bias`, what it gives for zeros. A call
computes it for samples, one a row. `entries` gives the elements of its matrix: arrays of rows, columns and values.
Elements with the same place add up, and places in the padding are absent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ._layers import Affine, Array

#: The rows, columns and values of a matrix.
Entries = tuple[Array, Array, Array]

#: (channels, height, width).
Shape = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Convolution:
    """The sum over a window of each channel, times a kernel, as neural networks define it: the kernel is not
    flipped.

    kernel: (outputs, inputs / groups, height, width) in channels. channel_bias: one for each output channel, or for
    each element of the result, as (channels, height, width), which those at the border need where zeros in the padding
    stand for something else. shape: of a sample. strides, dilations: (vertical, horizontal). padding: zeros at top, left, bottom, right.
    """

    kernel: Array
    channel_bias: Array
    shape: Shape
    strides: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilations: tuple[int, int] = (1, 1)
    groups: int = 1

    def __post_init__(self) -> None:
        kernel, groups = self.kernel, self.groups
        _expect(kernel.ndim == 4 and kernel.dtype.kind == "f", f"a kernel of shape {kernel.shape}")
        divided = groups > 0 and kernel.shape[0] % groups == 0 and kernel.shape[1] * groups == self.shape[0]
        _expect(divided, f"a kernel {kernel.shape} in {groups} groups for a tensor {self.shape}")
        _expect_windows(self.shape, kernel.shape[2:], self.strides, self.padding, self.dilations)
        biases = kernel.shape[:1], self.output_shape
        _expect(self.channel_bias.shape in biases, f"a bias of shape {self.channel_bias.shape}")

    @property
    def output_shape(self) -> Shape:
        """(channels, height, width) of the result."""
        size = _output_size(self.shape, self.kernel.shape[2:], self.strides, self.padding, self.dilations)
        return (len(self.kernel), *size)

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return math.prod(self.shape)

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return math.prod(self.output_shape)

    @property
    def bias(self) -> Array:
        """What it gives for zeros."""
        return np.broadcast_to(_as_tensor(self.channel_bias), self.output_shape).ravel()

    def scaled(self, factor: Array, shift: Array) -> Convolution:
        """Its results times a factor of each channel, plus a shift of each channel or of each element."""
        kernel = self.kernel * factor[:, None, None, None]
        if shift.shape == self.channel_bias.shape == factor.shape:
            return replace(self, kernel=kernel, channel_bias=self.channel_bias * factor + shift)
        bias = _as_tensor(self.channel_bias) * _as_tensor(factor) + _as_tensor(shift)
        return replace(self, kernel=kernel, channel_bias=bias)

    def __call__(self, x: Array) -> Array:
        channels, rows, columns = self.output_shape
        taps = np.indices(self.kernel.shape[2:]).reshape(2, -1).T * self.dilations
        by_group = self.kernel.reshape(self.groups, channels // self.groups, -1)
        result = np.empty((len(x), self.groups, channels // self.groups, rows * columns))
        # sample by sample, so that the windows stay in the cache
        for sample, made in zip(_padded(x, self.shape, self.padding), result, strict=True):
            seen = np.stack([_seen(sample, (i, j), self.strides, (rows, columns)) for i, j in taps], axis=1)
            windows = seen.reshape(self.groups, -1, rows * columns)
            for group in range(self.groups):
                np.matmul(by_group[group], windows[group], out=made[group])
        return result.reshape(len(x), -1) + self.bias

    def entries(self) -> Entries:
        """The elements of its matrix."""
        tap, to, of = _pairs(self.shape, self.kernel.shape[2:], self.strides, self.padding, self.dilations)
        channels, rows, columns = self.output_shape
        shape = (*self.kernel.shape[:2], len(tap))
        group = np.arange(channels) // (channels // self.groups)
        channel = group[:, None] * self.kernel.shape[1] + np.arange(self.kernel.shape[1])
        row = np.arange(channels)[:, None, None] * (rows * columns) + to
        column = channel[:, :, None] * (self.shape[1] * self.shape[2]) + of
        values = self.kernel.reshape(*self.kernel.shape[:2], -1)[:, :, tap]
        return np.broadcast_to(row, shape).ravel(), column.ravel(), values.ravel()


@dataclass(frozen=True, eq=False)
class Pool:
    """The mean over a window of each channel. shape, strides, padding: as for `Convolution`. counts_padding:
    whether zeros in the padding count in the mean. is_sum: the sum instead of the mean."""

    shape: Shape
    window: tuple[int, int]
    strides: tuple[int, int]
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    counts_padding: bool = False
    is_sum: bool = False

    def __post_init__(self) -> None:
        _expect_windows(self.shape, self.window, self.strides, self.padding, (1, 1))
        _expect(bool(np.all(self._counts() > 0)), "windows with padding alone")

    @property
    def output_shape(self) -> Shape:
        """(channels, height, width) of the result."""
        return (self.shape[0], *_output_size(self.shape, self.window, self.strides, self.padding, (1, 1)))

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return math.prod(self.shape)

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return math.prod(self.output_shape)

    @property
    def bias(self) -> Array:
        """Zeros."""
        return np.zeros(self.outputs)

    @property
    def keeps_shift(self) -> bool:
        """Whether the mean of a constant is the constant, also at the borders."""
        return not self.is_sum and (not self.counts_padding or not any(self.padding))

    def __call__(self, x: Array) -> Array:
        padded, size = _padded(x, self.shape, self.padding), self.output_shape[1:]
        taps = np.ndindex(*self.window)
        total = sum((_seen(padded, at, self.strides, size) for at in taps), np.zeros((len(x), self.shape[0], *size)))
        return (total / self._counts()).reshape(len(x), -1)

    def entries(self) -> Entries:
        """The elements of its matrix."""
        _, to, of = _pairs(self.shape, self.window, self.strides, self.padding, (1, 1))
        channel = np.arange(self.shape[0])[:, None]
        row = channel * math.prod(self.output_shape[1:]) + to
        column = channel * math.prod(self.shape[1:]) + of
        values = np.broadcast_to(1 / self._counts().ravel()[to], row.shape)
        return row.ravel(), column.ravel(), values.ravel()

    def _counts(self) -> Array:
        """What the sum of each window is divided by: (height, width)."""
        size = self.output_shape[1:]
        if self.is_sum or self.counts_padding:
            return np.full(size, 1 if self.is_sum else math.prod(self.window))
        _, to, _ = _pairs(self.shape, self.window, self.strides, self.padding, (1, 1))
        return np.bincount(to, minlength=math.prod(size)).reshape(size)


@dataclass(frozen=True, eq=False)
class Scale:
    """`factor * x + shift` for every element x of a tensor of this shape, to which factor and shift broadcast: a
    number for each channel of a tensor (channels, height, width) is an array (channels, 1, 1)."""

    factor: Array
    shift: Array
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        for array in (self.factor, self.shift):
            _expect(array.dtype.kind == "f", f"numbers of type {array.dtype}")
            _expect(np.broadcast_shapes(array.shape, self.shape) == self.shape, f"{array.shape} for {self.shape}")

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The same shape."""
        return self.shape

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return math.prod(self.shape)

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return self.inputs

    @property
    def bias(self) -> Array:
        """The shift of each element."""
        return np.broadcast_to(self.shift, self.shape).ravel()

    @property
    def factors(self) -> Array:
        """The factor of each element."""
        return np.broadcast_to(self.factor, self.shape).ravel()

    def __call__(self, x: Array) -> Array:
        return np.asarray(x * self.factors + self.bias)

    def entries(self) -> Entries:
        """The elements of its matrix."""
        place = np.arange(self.inputs)
        return place, place, self.factors


@dataclass(frozen=True, eq=False)
class Select:
    """Element i of the result is element `indices[i]` of the vector, or zero for -1. inputs: the length of the
    vector."""

    indices: Array
    inputs: int

    def __post_init__(self) -> None:
        _expect(self.indices.ndim == 1 and self.indices.dtype.kind == "i", f"indices of shape {self.indices.shape}")
        fits = bool(np.all((self.indices >= -1) & (self.indices < self.inputs)))
        _expect(fits, f"indices of a vector of other than {self.inputs} elements")

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.indices)

    @property
    def bias(self) -> Array:
        """Zeros."""
        return np.zeros(self.outputs)

    def __call__(self, x: Array) -> Array:
        return np.where(self.indices >= 0, x[:, self.indices], 0.0)

    def entries(self) -> Entries:
        """The elements of its matrix."""
        row = np.flatnonzero(self.indices >= 0)
        return row, self.indices[row], np.ones(len(row))


Linear = Affine | Convolution | Pool | Scale | Select

#: The name of each layer in files.
_NAMES: dict[type[Any], str] = {
    Affine: "affine",
    Convolution: "convolution",
    Pool: "pool",
    Scale: "scale",
    Select: "select",
}


def stored(layer: Linear) -> tuple[dict[str, Any], dict[str, Array]]:
    """A linear layer as JSON and arrays, which `restored` reads."""
    described: dict[str, Any] = {"layer": _NAMES[type(layer)]}
    arrays: dict[str, Array] = {}
    for field in fields(layer):
        value = getattr(layer, field.name)
        if isinstance(value, (np.ndarray, np.floating)):  # numpy has no arrays of one number as results
            arrays[field.name] = np.asarray(value)
        else:
            described[field.name] = list(value) if isinstance(value, tuple) else value
    return described, arrays


def restored(found: Mapping[str, Any], arrays: Mapping[str, Array]) -> Linear:
    """A layer that was stored. Raises KeyError, TypeError or ValueError for anything else."""
    kinds = {name: kind for kind, name in _NAMES.items()}
    kind = kinds[found["layer"]]
    values: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in arrays:
            values[field.name] = arrays[field.name]
            continue
        value = found[field.name]
        whole = [type(v) is int for v in value] if isinstance(value, list) else [type(value) in (int, bool)]
        _expect(all(whole), f"{field.name} = {value}")
        values[field.name] = tuple(value) if isinstance(value, list) else value
    layer: Linear = kind(**values)
    if isinstance(layer, Affine):
        _expect(layer.weights.ndim == 2 and layer.bias.shape == layer.weights.shape[:1], "weights without their bias")
    _expect(all(np.all(np.isfinite(array)) for array in arrays.values()), "numbers that are not finite")
    return layer


def _expect(holds: bool, found: str) -> None:
    if not holds:
        raise ValueError(found)


def _expect_windows(
    shape: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
) -> None:
    """Refuses windows that contradict each other, and those that are larger than the padded tensor."""
    lengths = [len(part) for part in (shape, window, strides, padding, dilations)]
    _expect(lengths == [3, 2, 2, 4, 2], f"a tensor {shape} with windows {window}")
    _expect(
        min(*shape, *window, *strides, *dilations) > 0 and min(padding) >= 0, f"a tensor {shape}, padding {padding}"
    )
    size = _output_size(shape, window, strides, padding, dilations)
    _expect(min(size) > 0, f"a window {window} that is larger than a tensor {shape}")


def _output_size(
    shape: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
) -> tuple[int, int]:
    """How many windows there are: (vertically, horizontally)."""
    rows, columns = (
        (shape[1 + k] + padding[k] + padding[2 + k] - dilations[k] * (window[k] - 1) - 1) // strides[k] + 1
        for k in (0, 1)
    )
    return rows, columns


def _as_tensor(numbers: Array) -> Array:
    """Numbers of channels, or of all elements of a tensor, with three axes."""
    return numbers[:, None, None] if numbers.ndim == 1 else numbers


def _padded(x: Array, shape: Shape, padding: tuple[int, int, int, int]) -> Array:
    """Samples as tensors (samples, channels, height, width) with zeros around them."""
    top, left, bottom, right = padding
    return np.pad(x.reshape(-1, *shape), ((0, 0), (0, 0), (top, bottom), (left, right)))


def _seen(padded: Array, at: tuple[int, ...], strides: tuple[int, int], size: tuple[int, ...]) -> Array:
    """The element at `at` of every window."""
    (top, left), (down, across), (rows, columns) = at, strides, size
    return padded[..., top : top + down * (rows - 1) + 1 : down, left : left + across * (columns - 1) + 1 : across]


def _pairs(
    shape: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Entries:
    """Where windows lie: for each element of a window that is not in the padding its number in the window, the
    number of the window, and the number of the element in its channel."""
    size = _output_size(shape, window, strides, padding, dilations)
    axes = []
    for k in (0, 1):
        tap, to = np.indices((window[k], size[k]))
        of = to * strides[k] + tap * dilations[k] - padding[k]
        inside = (of >= 0) & (of < shape[1 + k])
        axes.append((tap[inside], to[inside], of[inside]))
    widths = window[1], size[1], shape[2]
    tap, to, of = ((y[:, None] * width + x).ravel() for width, y, x in zip(widths, *axes, strict=True))
    return tap, to, of
