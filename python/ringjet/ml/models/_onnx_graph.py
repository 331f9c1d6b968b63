"""Reads the operators of an ONNX graph, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._checks import refusal
from ...errors import ArgumentError, MalformedError, RingjetError
from ._layers import Array
from ._network import Node
from ._onnx_call import Call, Tensor, Value, attributes_of, evaluated, package
from ._onnx_operators import NEAREST, OPERATORS

#: What is raised where parts of a file contradict each other.
DAMAGES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

#: Operators that give other results each time.
_RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")


def expect_known(graph: Any, source: str, wanted: str) -> None:
    """Refuses a graph with operators that cannot be read, on the way from its input to a value."""
    depends = {source}
    for node in graph.node:
        # a shape is the same for all samples
        if node.op_type != "Shape" and any(name in depends for name in node.input):
            depends.update(name for name in node.output if name)
    for node in needed(graph, [wanted]):
        if any(name in depends for name in node.input) and (node.op_type not in OPERATORS or not _is_plain(node)):
            raise _unknown(node)


def read_nodes(graph: Any, opset: int, source: str, shape: tuple[int, ...], wanted: str) -> tuple[list[Node], Tensor]:
    """The nodes of a network that computes a value, and this value. source, shape: the name of the graph's input and
    the shape of a sample."""
    nodes: list[Node] = []
    try:
        values: dict[str, Value] = {
            weight.name: package().numpy_helper.to_array(weight) for weight in graph.initializer
        }
    except (*DAMAGES, OSError, package("onnx.checker").ValidationError) as error:
        raise MalformedError(f"damaged weights: {error}") from None
    values[source] = Tensor(0, shape)
    for node in needed(graph, [wanted]):
        missing = [name for name in node.input if name and name not in values]
        if missing:
            raise MalformedError(f"{node.op_type} {node.name}: no value {missing[0]}, or only after it")
        call = Call(node, [values.get(name) for name in node.input], opset, nodes, attributes_of(node))
        found = _computed(call, values)
        for name, value in zip(node.output, found, strict=False):
            values[name] = value
    result = values.get(wanted)
    if not isinstance(result, Tensor):
        raise refusal("model", f"a result {wanted} that is the same for all samples", "a result of the samples")
    return nodes, result


def needed(graph: Any, wanted: Sequence[str]) -> list[Any]:
    """The nodes on which values depend, in the order of the graph."""
    names, found = set(wanted), []
    for node in reversed(graph.node):
        if any(name in names for name in node.output):
            found.append(node)
            names.update(name for name in node.input if name)
    return found[::-1]


def _computed(call: Call, values: Mapping[str, Value]) -> Sequence[Value]:
    """The results of an operator: constants of constants."""
    try:
        if any(isinstance(value, Tensor) for value in call.inputs):
            if call.op not in OPERATORS or not _is_plain(call.node):
                raise _unknown(call.node)
            found = OPERATORS[call.op](call)
            return found if isinstance(found, list) else [found]  # type: ignore[list-item]
        if call.op in _RANDOM:
            raise call.refusal("random numbers", "operators with the same results each time")
        arrays: dict[str, Array] = {name: np.asarray(values[name]) for name in call.node.input if name}
        return evaluated(call.node, arrays, call.opset)
    except RingjetError:
        raise
    except DAMAGES as error:
        raise call.refusal("", f"an operator whose inputs and attributes fit: {error}") from None


def _is_plain(node: Any) -> bool:
    return node.domain in ("", "ai.onnx")


def _unknown(node: Any) -> ArgumentError:
    name = f"{node.op_type} {node.name or next(iter(node.output), '')}"
    if node.domain == "ai.onnx.ml":
        return refusal("model", name, "the model of scikit-learn, XGBoost or LightGBM itself, not its ONNX file")
    if not _is_plain(node):
        name = f"{name} of {node.domain}"
    known = f"one of these operators: {', '.join(sorted(OPERATORS))}"
    return refusal("model", name, NEAREST.get(node.op_type, known) if _is_plain(node) else known)
