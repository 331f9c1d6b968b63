"""Operators of ONNX files with matrices, means and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ._linear import Convolution
from ._network import Product, Sum
from ._onnx_call import Call, Tensor, Value


def gemm(call: Call) -> Value:
    """Gemm with constant weights."""
    x, weights = call.tensor(), call.numbers(1, "a matrix")
    if len(x.shape) != 1 or call.attribute("transA", 0) or weights.ndim != 2:
        raise call.refusal(f"transA or a tensor {x.shape}", "a vector for each sample, times constants")
    weights = weights if call.attribute("transB", 0) else weights.T
    bias = call.numbers(2, "a bias") if len(call.inputs) > 2 and call.inputs[2] is not None else np.zeros(1)
    if bias.ndim > 1 and bias.shape[0] != 1:
        raise call.refusal(f"a bias of shape {bias.shape}", "the same bias for all samples")
    factors = call.attribute("alpha", 1.0), call.attribute("beta", 1.0)
    return call.weighted(x, factors[0] * weights, factors[1] * np.ravel(bias))


def matmul(call: Call) -> Value:
    """MatMul with constant weights."""
    if all(isinstance(value, Tensor) for value in call.inputs):
        raise call.refusal(
            "two matrices that depend on the sample", "a matrix of constants; Mul has products of two values"
        )
    if not isinstance(call.inputs[0], Tensor):
        return _matmul_left(call)
    x, weights = call.tensor(), call.numbers(1, "a matrix")
    if weights.ndim > 2 and math.prod(weights.shape[:-2]) == 1 and weights.ndim <= len(x.shape) + 1:
        weights = weights.reshape(weights.shape[-2:])
    if weights.ndim not in (1, 2) or not x.shape:
        raise call.refusal(f"weights of shape {weights.shape}", "one matrix of weights")
    if weights.ndim == 1:
        y = call.weighted(x, weights[None])
        return Tensor(y.number, y.shape[:-1])
    return call.weighted(x, weights.T)


def _matmul_left(call: Call) -> Value:
    """A constant matrix times a matrix for each sample."""
    x, weights = call.tensor(1), call.numbers(0, "a matrix")
    if len(x.shape) != 2 or weights.ndim != 2:
        raise call.refusal(
            f"shapes {weights.shape} and {x.shape}", "one matrix of weights, and a matrix for each sample"
        )
    layer = Convolution(weights[:, :, None, None].copy(), np.zeros(len(weights)), (x.shape[0], 1, x.shape[1]))
    return call.add(layer, x, shape=(len(weights), x.shape[1]))


# --- means and norms ---


def reduce(call: Call) -> Value:
    """ReduceMean, and sums of elements and of squares."""
    x, axes = call.tensor(), call.whole(1, "axes")
    if not axes:
        if call.attribute("noop_with_empty_axes", 0):
            return x
        raise call.refusal("no axes, which are all axes", "axes without that of samples, which is 0")
    along = call.axes(x, axes)
    squared = call.op in ("ReduceL2", "ReduceSumSquare")
    y = call.mean(call.activation("square", x) if squared else x, along)
    if call.op != "ReduceMean":
        y = call.scaled(y, float(math.prod(x.shape[k] for k in along)), 0.0)
    if call.op == "ReduceL2":
        y = call.activation("square root", y)
    kept = y.shape if call.attribute("keepdims", 1) else tuple(n for k, n in enumerate(y.shape) if k not in along)
    return Tensor(y.number, kept)


def batch_norm(call: Call) -> Value:
    """BatchNormalization."""
    x = call.tensor()
    if call.attribute("training_mode", 0) or len([name for name in call.node.output if name]) > 1:
        raise call.refusal("training_mode", "a file that was exported in evaluation mode")
    names = ("a scale", "a bias", "a mean", "a variance")
    scale, bias, mean, variance = (call.numbers(i, what) for i, what in enumerate(names, start=1))
    if np.any(variance < 0) or any(part.shape != x.shape[:1] for part in (scale, bias, mean, variance)):
        raise call.refusal("statistics that do not fit", "numbers for each channel, and no negative variances")
    factor = scale / np.sqrt(variance + call.attribute("epsilon", 1e-5))
    by_channel = (-1, *(1 for _ in x.shape[1:]))
    return call.scaled(x, factor.reshape(by_channel), (bias - mean * factor).reshape(by_channel))


def _normalised(call: Call, x: Tensor, axes: Sequence[int]) -> Tensor:
    """x with mean 0 and variance 1 along axes."""
    mean = call.expanded(call.mean(x, axes), x.shape)
    return _with_length_one(call, call.add(Sum((1, -1)), x, mean, shape=x.shape), axes)


def _with_length_one(call: Call, x: Tensor, axes: Sequence[int]) -> Tensor:
    """x divided by the root of the mean of its squares along axes."""
    squares = call.mean(call.activation("square", x), axes)
    shifted = call.scaled(squares, 1.0, float(call.attribute("epsilon", 1e-5)))
    factor = call.expanded(call.activation("inverse square root", shifted), x.shape)
    return call.add(Product(), x, factor, shape=x.shape)


def layer_norm(call: Call) -> Value:
    """LayerNormalization."""
    if len([name for name in call.node.output if name]) > 1:
        raise call.refusal("means as results", "LayerNormalization with one result")
    x, scale = call.tensor(), call.numbers(1, "a scale")
    axes = _last_axes(call, x)
    bias = call.numbers(2, "a bias") if len(call.inputs) > 2 and call.inputs[2] is not None else 0.0
    return call.scaled(_normalised(call, x, axes), scale, bias)


def _last_axes(call: Call, x: Tensor) -> list[int]:
    rank = len(x.shape) + 1
    return call.axes(x, list(range(call.attribute("axis", -1) % rank, rank)))


def rms_norm(call: Call) -> Value:
    """RMSNormalization."""
    x, scale = call.tensor(), call.numbers(1, "a scale")
    return call.scaled(_with_length_one(call, x, _last_axes(call, x)), scale, 0.0)


def group_norm(call: Call) -> Value:
    """GroupNormalization."""
    x, groups = call.tensor(), int(call.attribute("num_groups", 1))
    if groups < 1 or x.shape[0] % groups:
        raise call.refusal(f"{groups} groups of {x.shape[0]} channels", "groups of equal size")
    made = _normalised(call, Tensor(x.number, (groups, x.size // groups)), [1])
    # older files have a number for each group, newer ones for each channel
    scale, bias = (
        np.repeat(part, x.shape[0] // len(part)).reshape(-1, *(1 for _ in x.shape[1:]))
        for part in (call.numbers(1, "a scale"), call.numbers(2, "a bias"))
    )
    return call.scaled(Tensor(made.number, x.shape), scale, bias)


def instance_norm(call: Call) -> Value:
    """InstanceNormalization."""
    x, scale, bias = call.tensor(), call.numbers(1, "a scale"), call.numbers(2, "a bias")
    by_channel = (-1, *(1 for _ in x.shape[1:]))
    made = _normalised(call, x, list(range(1, len(x.shape))))
    return call.scaled(made, scale.reshape(by_channel), bias.reshape(by_channel))


def softmax(call: Call) -> Value:
    """Softmax and LogSoftmax inside a network."""
    x = call.tensor()
    rank = len(x.shape) + 1
    axis = call.attribute("axis", -1 if call.opset >= 13 else 1) % rank
    axes = call.axes(x, [axis])
    # older files mean all axes from this one on
    if call.opset < 13 and math.prod(x.shape[axis:]) > 1:
        raise call.refusal(f"axis {axis} of a tensor {x.shape}", "the last axis, or opset 13 or later")
    powers = call.activation("exp", x)
    total = call.scaled(call.mean(powers, axes), float(math.prod(x.shape[k] for k in axes)), 0.0)
    if call.op == "LogSoftmax":
        return call.add(Sum((1, -1)), x, call.expanded(call.activation("log", total), x.shape), shape=x.shape)
    inverse = call.expanded(call.activation("reciprocal", total), x.shape)
    return call.add(Product(), powers, inverse, shape=x.shape)
