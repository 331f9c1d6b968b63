"""Operators of ONNX files with windows: convolutions, means and maxima."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._layers import Array
from ._linear import Convolution, Pool, Shape
from ._network import Sum
from ._onnx_call import Call, Tensor, places, text

#: From where to where a window reaches along an axis.
_Interval = tuple[int, int]


@dataclass(frozen=True)
class _Windows:
    """The windows of an operator on tensors (channels, height, width)."""

    shape: Shape
    window: tuple[int, int]
    strides: tuple[int, int]
    padding: tuple[int, int, int, int]
    dilations: tuple[int, int]


def convolution(call: Call) -> Tensor:
    """Conv."""
    x, kernel = call.tensor(), call.numbers(1, "a kernel")
    if kernel.ndim != len(x.shape) + 1:
        raise call.refusal(f"a kernel of shape {kernel.shape}", f"a kernel for a tensor {x.shape}")
    found = _windows(call, x, kernel.shape[2:])
    bias = call.numbers(2, "a bias") if len(call.inputs) > 2 and call.inputs[2] is not None else np.zeros(len(kernel))
    layer = Convolution(
        kernel.reshape(*kernel.shape[:2], *found.window),
        bias,
        found.shape,
        found.strides,
        found.padding,
        found.dilations,
        int(call.attribute("group", 1)),
    )
    return call.add(layer, x, shape=_shape(layer.output_shape, x))


def transposed(call: Call) -> Tensor:
    """ConvTranspose: a convolution of the input with zeros between its elements."""
    x, kernel = call.tensor(), call.numbers(1, "a kernel")
    if call.attribute("output_shape") is not None or text(call.attribute("auto_pad", "NOTSET")) != "NOTSET":
        raise call.refusal("output_shape or auto_pad", "ConvTranspose with pads")
    if call.attribute("group", 1) != 1:
        raise call.refusal("several groups", "one group")
    found = _windows(call, x, kernel.shape[2:])
    more = [int(n) for n in call.attribute("output_padding", [0] * (len(x.shape) - 1))]
    size = [(n - 1) * stride + 1 for n, stride in zip(found.shape[1:], found.strides, strict=True)]
    apart = np.full((x.shape[0], *size), -1)
    apart[:, :: found.strides[0], :: found.strides[1]] = places(x).reshape(found.shape)
    reach = [(w - 1) * dilation for w, dilation in zip(found.window, found.dilations, strict=True)] * 2
    padding = [n - pad for n, pad in zip(reach, found.padding, strict=True)]
    padding[2:] = [n + extra for n, extra in zip(padding[2:], [0, *more][-2:], strict=True)]
    # (inputs, outputs, ...) becomes (outputs, inputs, ...), turned around
    turned = kernel.reshape(*kernel.shape[:2], *found.window).swapaxes(0, 1)[:, :, ::-1, ::-1].copy()
    bias = call.numbers(2, "a bias") if len(call.inputs) > 2 and call.inputs[2] is not None else np.zeros(len(turned))
    shape = (x.shape[0], size[0], size[1])
    pads = (padding[0], padding[1], padding[2], padding[3])
    layer = Convolution(turned, bias, shape, padding=pads, dilations=found.dilations)
    return call.add(layer, call.selected(x, apart), shape=_shape(layer.output_shape, x))


def average(call: Call) -> Tensor:
    """AveragePool."""
    x, counts = call.tensor(), bool(call.attribute("count_include_pad", 0))
    found = _undilated(call, x)
    strides, padding = found.strides, _rounded_up(call, found)
    if counts and padding != found.padding:
        raise call.refusal("ceil_mode=1, count_include_pad=1", "ceil_mode=0, or a shape that windows fill")
    layer = Pool(found.shape, found.window, strides, padding, counts)
    return call.add(layer, x, shape=_shape(layer.output_shape, x))


def maximum(call: Call) -> Tensor:
    """MaxPool: by `max(a, b) = b + relu(a - b)` of selections, once for each doubling of a window's width and
    height."""
    x = call.tensor()
    if len([name for name in call.node.output if name]) > 1:
        raise call.refusal("the places of maxima", "MaxPool with one result")
    found = _undilated(call, x)
    padding = _rounded_up(call, found)
    y = Tensor(x.number, found.shape)
    for axis in (2, 1):
        ends = (padding[axis - 1], padding[axis + 1])
        intervals = _intervals(found, axis - 1, ends)
        if not intervals or any(low >= high for low, high in intervals):
            raise call.refusal(f"a window {found.window} of a tensor {x.shape}", "windows that are not padding alone")
        y = _maxima(call, y, axis, intervals)
    return Tensor(y.number, _shape((y.shape[0], y.shape[1], y.shape[2]), x))


def global_average(call: Call) -> Tensor:
    """GlobalAveragePool."""
    x = call.tensor()
    return call.mean(x, range(1, len(x.shape)))


def global_maximum(call: Call) -> Tensor:
    """GlobalMaxPool."""
    x = call.tensor()
    y = Tensor(x.number, (x.shape[0], math.prod(x.shape[1:])))
    y = _maxima(call, y, 1, [(0, y.shape[1])])
    return Tensor(y.number, (x.shape[0], *(1 for _ in x.shape[1:])))


def reduced_maximum(call: Call) -> Tensor:
    """ReduceMax."""
    x, axes = call.tensor(), call.whole(1, "axes")
    along = call.axes(x, axes or [0])
    for axis in along:
        outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
        y = _maxima(call, Tensor(x.number, (outer, x.shape[axis], inner)), 1, [(0, x.shape[axis])])
        x = Tensor(y.number, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    kept = x.shape if call.attribute("keepdims", 1) else tuple(n for k, n in enumerate(x.shape) if k not in along)
    return Tensor(x.number, kept)


def larger(call: Call, x: Tensor, y: Tensor) -> Tensor:
    """The larger one of every two elements."""
    difference = call.add(Sum((1, -1)), x, y, shape=x.shape)
    return call.add(Sum((1, 1)), y, call.activation("relu", difference), shape=x.shape)


def _windows(call: Call, x: Tensor, window: Sequence[int]) -> _Windows:
    """The windows of an operator; those of a tensor (channels, length) as of one with height 1."""
    axes = len(x.shape) - 1
    if axes not in (1, 2):
        raise call.refusal(f"a tensor {x.shape}", "one or two axes beside channels")
    strides = [int(n) for n in call.attribute("strides", [1] * axes)]
    dilations = [int(n) for n in call.attribute("dilations", [1] * axes)]
    kind = text(call.attribute("auto_pad", "NOTSET"))
    if kind in ("SAME_UPPER", "SAME_LOWER"):
        pads = _same(x.shape[1:], window, strides, dilations, lower=kind == "SAME_LOWER")
    else:
        pads = [int(n) for n in call.attribute("pads", [0] * 2 * axes)] if kind == "NOTSET" else [0] * 2 * axes
    if any(len(part) != axes for part in (window, strides, dilations)) or len(pads) != 2 * axes:
        raise call.refusal(f"a window {tuple(window)} of a tensor {x.shape}", "a window, strides and pads that fit")
    if axes == 1:
        shape = (x.shape[0], 1, x.shape[1])
        padding = (0, pads[0], 0, pads[1])
        return _Windows(shape, (1, int(window[0])), (1, strides[0]), padding, (1, dilations[0]))
    return _Windows(
        (x.shape[0], x.shape[1], x.shape[2]),
        (int(window[0]), int(window[1])),
        (strides[0], strides[1]),
        (pads[0], pads[1], pads[2], pads[3]),
        (dilations[0], dilations[1]),
    )


def _undilated(call: Call, x: Tensor) -> _Windows:
    found = _windows(call, x, [int(n) for n in call.attribute("kernel_shape", [])])
    if found.dilations != (1, 1):
        raise call.refusal(f"dilations {found.dilations}", f"{call.op} without dilations")
    return found


def _same(
    size: Sequence[int], window: Sequence[int], strides: Sequence[int], dilations: Sequence[int], lower: bool
) -> list[int]:
    """The padding with which there are as many windows as elements divided by strides, rounded up."""
    totals = [
        max((-(-n // stride) - 1) * stride + (w - 1) * dilation + 1 - n, 0)
        for n, w, stride, dilation in zip(size, window, strides, dilations, strict=False)
    ]
    first = [(total + lower) // 2 for total in totals]
    return first + [total - begin for total, begin in zip(totals, first, strict=True)]


def _rounded_up(call: Call, found: _Windows) -> tuple[int, int, int, int]:
    """The padding with which the last windows are whole, where the operator has windows that are not."""
    if not call.attribute("ceil_mode", 0):
        return found.padding
    ends = []
    for k in (0, 1):
        size = found.shape[1 + k] + found.padding[k] + found.padding[2 + k]
        windows = -(-(size - found.window[k]) // found.strides[k]) + 1
        # a window that begins behind the tensor is left out
        windows -= (windows - 1) * found.strides[k] >= found.shape[1 + k] + found.padding[k]
        ends.append(found.padding[2 + k] + max((windows - 1) * found.strides[k] + found.window[k] - size, 0))
    return (*found.padding[:2], ends[0], ends[1])


def _shape(found: Shape, x: Tensor) -> tuple[int, ...]:
    """The shape of a result, without the height that the input does not have."""
    return found if len(x.shape) == 3 else (found[0], found[2])


# --- maxima ---


def _intervals(found: _Windows, k: int, padding: tuple[int, int]) -> list[_Interval]:
    """The windows along the vertical axis (k = 0) or the horizontal one, without padding."""
    size, window, stride = found.shape[1 + k], found.window[k], found.strides[k]
    count = (size + sum(padding) - window) // stride + 1
    begins = [i * stride - padding[0] for i in range(count)]
    return [(max(begin, 0), min(begin + window, size)) for begin in begins]


def _maxima(call: Call, x: Tensor, axis: int, intervals: Sequence[_Interval]) -> Tensor:
    """The maximum along an axis in each interval. The maximum of a long interval is the larger one of those of two
    shorter ones, which may overlap."""
    rounds: list[tuple[list[int], list[int]]] = []
    while (longest := max(high - low for low, high in intervals)) > 1:
        half = 1 << ((longest - 1).bit_length() - 1)
        first = [(low, min(low + half, high)) for low, high in intervals]
        second = [(max(high - half, low), high) for low, high in intervals]
        intervals = sorted({*first, *second})
        rounds.insert(0, ([intervals.index(part) for part in first], [intervals.index(part) for part in second]))
    along: Array = np.array([low for low, _ in intervals])
    if not rounds:
        return call.selected(x, np.take(places(x), along, axis))
    for first_places, second_places in rounds:
        one, other = (np.take(places(x), along[chosen], axis) for chosen in (first_places, second_places))
        x = larger(call, call.selected(x, one), call.selected(x, other))
        along = np.arange(x.shape[axis])
    return x
