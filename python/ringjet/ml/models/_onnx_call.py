"""One operator of an ONNX file, as it is read."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._checks import refusal
from ...errors import ArgumentError
from ._functions import function
from ._layers import Activation, Affine, Array
from ._linear import Convolution, Pool, Scale, Select
from ._network import Layer, Node, output_size


@dataclass(frozen=True)
class Tensor:
    """A value that depends on the sample. shape: without the axis of samples."""

    number: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its elements."""
        return math.prod(self.shape)


#: What an operator gives: tensors, or constants.
Value = Tensor | Array


@dataclass
class Call:
    """An operator with its inputs. nodes: of the network, to which `add` appends. node: as the file has it."""

    node: Any
    inputs: list[Value | None]
    opset: int
    nodes: list[Node]
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def op(self) -> str:
        """The operator."""
        return str(self.node.op_type)

    @property
    def name(self) -> str:
        """The operator and the name of the node, or of its result."""
        return f"{self.op} {self.node.name or next(iter(self.node.output), '')}"

    def refusal(self, found: str, expected: str) -> ArgumentError:
        """The error for a node that cannot be computed on encrypted samples."""
        return refusal("model", f"{self.name} with {found}" if found else self.name, expected)

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute of the operator."""
        return self.attributes.get(name, default)

    def tensor(self, i: int = 0) -> Tensor:
        """Input i, which depends on the sample."""
        value = self.inputs[i] if i < len(self.inputs) else None
        if not isinstance(value, Tensor):
            raise self.refusal(f"a constant as input {i}", f"a value of the network as input {i}")
        return value

    def constant(self, i: int, what: str) -> Array | None:
        """Input i, which does not depend on the sample; None if it is absent."""
        value = self.inputs[i] if i < len(self.inputs) else None
        if isinstance(value, Tensor):
            raise self.refusal(f"{what} that depends on the sample", f"a constant as input {i}")
        return None if value is None else np.asarray(value)

    def numbers(self, i: int, what: str) -> Array:
        """Input i as finite constant numbers."""
        value = self.constant(i, what)
        if value is None or value.dtype.kind not in "fiub":
            raise self.refusal(f"no {what}", f"numbers as input {i}")
        return value.astype(float)

    def whole(self, i: int, name: str) -> list[int] | None:
        """Whole numbers: an attribute in older files, input i in newer ones; None if they are absent."""
        if name in self.attributes:
            return [int(v) for v in np.ravel(self.attributes[name])]
        value = self.constant(i, name)
        return None if value is None else [int(v) for v in value.ravel()]

    def axes(self, x: Tensor, axes: Sequence[int]) -> list[int]:
        """Axes of a batch as axes of a sample, in order. Refuses the axis of samples."""
        rank = len(x.shape) + 1
        found = sorted({axis % rank for axis in axes if -rank <= axis < rank})
        if len(found) < len(axes) or found[0] == 0:
            raise self.refusal(
                f"axes {list(axes)} of a tensor {x.shape}", "other axes than that of samples, which is 0"
            )
        return [axis - 1 for axis in found]

    def add(self, layer: Layer, *inputs: Tensor, shape: tuple[int, ...]) -> Tensor:
        """A node of the network, and its result."""
        for array in vars(layer).values():
            if isinstance(array, np.ndarray) and not np.all(np.isfinite(array)):
                raise self.refusal("numbers that are not finite", "finite weights")
        if output_size(layer, [x.size for x in inputs]) != math.prod(shape):
            raise ValueError(f"a result of shape {shape}")
        self.nodes.append(Node(layer, tuple(x.number for x in inputs), self.name))
        return Tensor(len(self.nodes), shape)

    # --- the layers that many operators need ---

    def activation(self, name: str, x: Tensor) -> Tensor:
        """A function of every element."""
        before = self.nodes[x.number - 1] if x.number else None
        pair = (before.layer.function if before and isinstance(before.layer, Activation) else "", name)
        if before and pair in (("square root", "reciprocal"), ("reciprocal", "square root")):
            name, x = "inverse square root", Tensor(before.inputs[0], x.shape)
        function(name)  # refuses numbers that it cannot have
        return self.add(Activation(name), x, shape=x.shape)

    def scaled(self, x: Tensor, factor: Array | float, shift: Array | float) -> Tensor:
        """`factor * x + shift`, where factor and shift broadcast to a sample."""
        parts = [np.asarray(part, float) for part in (factor, shift)]
        return self.add(Scale(parts[0], parts[1], x.shape), x, shape=x.shape)

    def selected(self, x: Tensor, places: Array) -> Tensor:
        """The elements at some places, as a tensor of the shape of `places`; zero for -1."""
        shape = tuple(int(n) for n in places.shape)
        indices = places.ravel().astype(np.int64)
        if len(indices) == x.size and np.array_equal(indices, np.arange(x.size)):
            return Tensor(x.number, shape)
        return self.add(Select(indices, x.size), x, shape=shape)

    def expanded(self, x: Tensor, shape: tuple[int, ...]) -> Tensor:
        """x with elements repeated, as it broadcasts to a shape."""
        return self.selected(x, np.broadcast_to(places(x), shape))

    def mean(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """The mean along axes of a sample, which have length 1 then."""
        if len(x.shape) == 3 and list(axes) == [1, 2]:
            window = (x.shape[1], x.shape[2])
            return self.add(Pool((x.shape[0], *window), window, window), x, shape=(x.shape[0], 1, 1))
        runs: list[list[int]] = []
        for axis in axes:
            if runs and runs[-1][-1] == axis - 1:
                runs[-1].append(axis)
            else:
                runs.append([axis])
        for run in runs:
            outer, inner = math.prod(x.shape[: run[0]]), math.prod(x.shape[run[-1] + 1 :])
            length = math.prod(x.shape[k] for k in run)
            shape = tuple(1 if k in run else n for k, n in enumerate(x.shape))
            x = self.add(Pool((outer, length, inner), (length, 1), (length, 1)), x, shape=shape)
        return x

    def weighted(self, x: Tensor, weights: Array, bias: Array | float = 0.0) -> Tensor:
        """The last axis times weights of shape (outputs, inputs), plus a bias."""
        outputs, inputs = weights.shape
        if x.shape[-1:] != (inputs,):
            raise ValueError(f"weights for {inputs} numbers, and a tensor {x.shape}")
        rows, shape = math.prod(x.shape[:-1]), (*x.shape[:-1], outputs)
        biases = np.broadcast_to(np.asarray(bias, float), (outputs,)).copy()
        if rows == 1:
            return self.add(Affine(weights, biases), x, shape=shape)
        layer = Convolution(weights[:, None, None, :].copy(), biases, (1, rows, inputs))
        by_output = self.add(layer, x, shape=(outputs, rows))
        return self.selected(by_output, places(by_output).T.reshape(shape))


def places(x: Tensor) -> Array:
    """The number of each element, as a tensor."""
    return np.arange(x.size).reshape(x.shape)


def package(name: str = "onnx") -> Any:
    """The package onnx, or a module of it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise refusal(
            "model", "a network", f"the package onnx to read it: pip install ringjet[onnx] ({error})"
        ) from None


def attributes_of(node: Any) -> dict[str, Any]:
    """The attributes of a node."""
    return {attribute.name: package().helper.get_attribute_value(attribute) for attribute in node.attribute}


def text(value: Any) -> str:
    """An attribute that is text."""
    return value.decode() if isinstance(value, bytes) else str(value)


def evaluator(model: Any) -> Any:
    """The reference implementation of ONNX for a model, in evaluation mode. Its own batch normalisation of opset 7 to
    13 is that of training."""
    plain = package("onnx.reference.op_run").OpRun
    norm = type("BatchNormalization", (plain,), {"_run": _normalised})
    return package("onnx.reference").ReferenceEvaluator(model, new_ops=[norm])


def _normalised(self: Any, x: Array, *parts: Array, epsilon: float | None = None, **_: Any) -> tuple[Array]:
    scale, shift, mean, variance = (part.reshape(-1, *[1] * (x.ndim - 2)) for part in parts)
    root = np.sqrt(variance + (1e-5 if epsilon is None else epsilon))
    return ((scale * (x - mean) / root + shift).astype(x.dtype),)


def evaluated(node: Any, arrays: Mapping[str, Array], opset: int) -> list[Array]:
    """The results of a node for arrays, as the reference implementation of ONNX computes them."""
    onnx = package()
    inputs = [onnx.helper.make_value_info(name, onnx.TypeProto()) for name in arrays]
    outputs = [onnx.helper.make_value_info(name, onnx.TypeProto()) for name in node.output if name]
    graph = onnx.helper.make_graph([node], "node", inputs, outputs)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])
    try:
        return list(evaluator(model).run(None, dict(arrays)))
    except Exception as error:  # any that an operator raises
        raise ValueError(str(error)) from None
