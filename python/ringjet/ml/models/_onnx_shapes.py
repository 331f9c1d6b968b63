"""Operators of ONNX files that move elements, or change shapes."""

from __future__ import annotations

import numpy as np

from ._layers import Array
from ._network import Concat
from ._onnx_call import Call, Tensor, Value, evaluated, text


def shape(call: Call) -> Value:
    """Shape."""
    full = np.array((1, *call.tensor().shape), np.int64)
    return full[call.attribute("start", 0) : call.attribute("end")]


def reshaped(call: Call) -> Value:
    """Operators that change the shape alone."""
    x = call.tensor()
    arrays = {name: np.zeros((1, *x.shape)) if i == 0 else call.constant(i, "a shape") for i, name in _names(call)}
    shape = evaluated(call.node, arrays, call.opset)[0].shape  # type: ignore[arg-type]
    if not shape or shape[0] != 1:
        raise call.refusal(f"a result of shape {shape} for one sample", "axis 0 to stay that of samples")
    return Tensor(x.number, tuple(shape[1:]))


def moved(call: Call) -> list[Tensor]:
    """Operators that copy elements: which ones, the reference implementation says of the elements' numbers."""
    if text(call.attribute("mode", "")) in ("linear", "cubic") or call.attribute("antialias", 0):
        raise call.refusal(f"mode {text(call.attribute('mode'))}", 'mode "nearest"')
    tensors = [v for v in call.inputs if isinstance(v, Tensor)]
    total, arrays, begin = sum(x.size for x in tensors), {}, 1
    for i, name in _names(call):
        value = call.inputs[i]
        if isinstance(value, Tensor):
            numbers = begin + np.arange(value.size, dtype=float).reshape(value.shape)
            # two samples, to see that neither gets elements of the other one
            arrays[name], begin = np.stack([numbers, numbers + total]), begin + value.size
        elif value is not None:
            arrays[name] = value
    if call.op == "Concat" and len(tensors) < len(call.inputs):
        raise call.refusal("constants", "values of the network alone")
    if call.op == "Pad":
        _expect_zeros(call, arrays)
    if call.op in ("Resize", "Upsample"):
        _expect_whole(call, arrays)
    found = evaluated(call.node, arrays, call.opset)
    for y in found:
        apart = y.shape[:1] == (2,) and np.array_equal(y[1], np.where(y[0] > 0, y[0] + total, 0))
        if not apart or np.any(y[0] > total):
            raise call.refusal("samples that are not kept apart", "axis 0 to stay that of samples")
    x = tensors[0]
    if len(tensors) > 1:
        x = call.add(Concat(), *tensors, shape=(total,))
    return [call.selected(x, y[0].astype(np.int64) - 1) for y in found]


def _expect_zeros(call: Call, arrays: dict[str, Array]) -> None:
    value = call.attribute("value", 0.0)
    if len(call.inputs) > 2 and call.inputs[2] is not None:
        value, name = call.numbers(2, "a number")[()], call.node.input[2]
        arrays[name] = np.asarray(arrays[name], float)
    if np.any(value):
        raise call.refusal(f"the number {np.ravel(value)[0]}", "zeros as padding")


def _expect_whole(call: Call, arrays: dict[str, Array]) -> None:
    """Refuses lengths that are not whole, for which implementations choose other elements. Sets the number of samples
    among the new lengths."""
    lengths = np.array((1, *call.tensor().shape))[call.attribute("axes", slice(None))]
    sizes = call.constant(3, "lengths")
    if sizes is not None and sizes.size:
        policy = text(call.attribute("keep_aspect_ratio_policy", "stretch"))
        if policy != "stretch":
            raise call.refusal(f"keep_aspect_ratio_policy {policy}", "the policy stretch")
        if "axes" not in call.attributes and sizes[0] == 1:
            arrays[call.node.input[3]] = np.array([2, *sizes[1:]], np.int64)
        return
    is_older = call.op == "Upsample"
    if call.opset < (9 if is_older else 11):
        raise call.refusal(f"opset {call.opset}", "Resize of opset 11 or later, or Upsample of opset 9")
    scales = call.numbers(1 if is_older else 2, "scales")
    if np.any(scales * lengths % 1) or (is_older and np.any(scales % 1)):
        raise call.refusal(f"scales {scales.tolist()} of lengths {lengths.tolist()}", "scales to whole lengths")


def _names(call: Call) -> list[tuple[int, str]]:
    return [(i, name) for i, name in enumerate(call.node.input) if name]
