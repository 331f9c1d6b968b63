"""Networks: nodes on flat vectors, each of which computes a layer of the results of nodes before it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _linear
from ._functions import function
from ._layers import Activation, Affine, Array, Head, Squares
from ._linear import Convolution, Pool, Scale, Select
from ._polynomial import Polynomial
from ._rectifier import Rectifier

#: How many samples `Network` computes at once, which bounds its memory.
AT_ONCE = 64


@dataclass(frozen=True)
class Sum:
    """The sum of vectors of one length, each with a sign: (1, -1) is a difference."""

    signs: tuple[int, ...]

    def __call__(self, *x: Array) -> Array:
        return np.asarray(sum(sign * each for sign, each in zip(self.signs, x, strict=True)))


@dataclass(frozen=True)
class Product:
    """The product of two vectors, element by element."""

    def __call__(self, x: Array, y: Array) -> Array:
        return np.asarray(x * y)


@dataclass(frozen=True)
class Concat:
    """Vectors one after the other."""

    def __call__(self, *x: Array) -> Array:
        return np.concatenate(x, axis=1)


#: What stands for an activation on ciphertexts.
Approximation = Polynomial | Rectifier

Layer = Affine | Convolution | Pool | Scale | Select | Squares | Activation | Approximation | Sum | Product | Concat


@dataclass(frozen=True)
class Node:
    """A layer of a network. inputs: the numbers of values; value 0 is the sample, and value k is the result of node
    k - 1. name: what it comes from, for reports, such as "MaxPool /pool1"."""

    layer: Layer
    inputs: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True)
class Network:
    """Nodes in an order in which they can be computed. shape: of a sample, whose C order is the vector that the
    nodes see. output: the number of the value that has the scores."""

    nodes: list[Node]
    shape: tuple[int, ...]
    output: int
    head: Head

    def __post_init__(self) -> None:
        sizes = self.sizes()
        if not 0 <= self.output < len(sizes):
            raise ValueError(f"value {self.output} of {len(sizes)}")
        if self.head.scores() not in (None, sizes[self.output]):
            raise ValueError(f"{sizes[self.output]} scores, and {self.head.scores()} by the classes")

    def sizes(self) -> list[int]:
        """The length of each value."""
        sizes = [math.prod(self.shape)]
        for node in self.nodes:
            if not all(0 <= k < len(sizes) for k in node.inputs):
                raise ValueError(f"values {node.inputs} before they are computed")
            sizes.append(output_size(node.layer, [sizes[k] for k in node.inputs]))
        return sizes

    @property
    def features(self) -> int:
        """The number of numbers of a sample."""
        return math.prod(self.shape)

    def values(self, x: Array) -> list[Array]:
        """Every value for samples, one a row."""
        values = [np.asarray(x, float)]
        for node in self.nodes:
            values.append(node.layer(*(values[k] for k in node.inputs)))
        return values

    def __call__(self, x: Array) -> Array:
        parts = [x[i : i + AT_ONCE] for i in range(0, max(len(x), 1), AT_ONCE)]
        return np.concatenate([self.values(part)[self.output] for part in parts])

    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The nodes as JSON and arrays, which `restored` reads. The head is not stored here."""
        nodes, arrays = [], {}
        for i, node in enumerate(self.nodes):
            described, found = _stored(node.layer)
            nodes.append({**described, "inputs of node": list(node.inputs), "name": node.name})
            arrays.update({f"{i}.{name}": array for name, array in found.items()})
        return {"shape": list(self.shape), "output": self.output, "nodes": nodes}, arrays


def restored(found: Mapping[str, Any], arrays: Mapping[str, Array], head: Head) -> Network:
    """A network that was stored. Raises KeyError, TypeError or ValueError for anything else."""
    by_node: dict[int, dict[str, Array]] = {}
    for key, array in arrays.items():
        number, name = key.split(".")
        by_node.setdefault(int(number), {})[name] = array
    nodes = []
    for i, node in enumerate(found["nodes"]):
        inputs = tuple(int(k) for k in node["inputs of node"])
        nodes.append(Node(_restored(node, by_node.get(i, {})), inputs, str(node["name"])))
    shape = tuple(int(k) for k in found["shape"])
    if not shape or min(shape) < 1:
        raise ValueError(f"samples of shape {shape}")
    return Network(nodes, shape, int(found["output"]), head)


def output_size(layer: Layer, sizes: list[int]) -> int:
    """The length of a result for inputs of these lengths."""
    counts = {Sum: len(layer.signs) if isinstance(layer, Sum) else 0, Product: 2, Concat: len(sizes)}
    if not sizes or len(sizes) != counts.get(type(layer), 1):
        raise ValueError(f"{len(sizes)} inputs of {type(layer).__name__}")
    if isinstance(layer, Concat):
        return sum(sizes)
    if isinstance(layer, (Activation, Polynomial, Rectifier, Squares, Sum, Product)):
        if len(set(sizes)) > 1:
            raise ValueError(f"{type(layer).__name__} of vectors of lengths {sizes}")
        return sizes[0] * (2 if isinstance(layer, Squares) else 1)
    if layer.inputs != sizes[0]:
        raise ValueError(f"{type(layer).__name__} with {layer.inputs} inputs of a vector of length {sizes[0]}")
    return layer.outputs


#: Layers without arrays and numbers, by their names in files.
_PLAIN: dict[str, Layer] = {"squares": Squares(), "product": Product(), "concat": Concat()}


def _stored(layer: Layer) -> tuple[dict[str, Any], dict[str, Array]]:
    if isinstance(layer, Activation):
        bound = layer.upper_bound
        return {"layer": "activation", "function": layer.function, "upper": bound if bound < np.inf else None}, {}
    if isinstance(layer, Approximation):
        return {"layer": "polynomial" if isinstance(layer, Polynomial) else "rectifier", **layer.stored()}, {}
    if isinstance(layer, Sum):
        return {"layer": "sum", "signs": list(layer.signs)}, {}
    if isinstance(layer, (Squares, Product, Concat)):
        return {"layer": type(layer).__name__.lower()}, {}
    return _linear.stored(layer)


def _restored(found: Mapping[str, Any], arrays: Mapping[str, Array]) -> Layer:
    if found["layer"] == "activation":
        function(found["function"])
        return Activation(found["function"], np.inf if found["upper"] is None else float(found["upper"]))
    if found["layer"] == "polynomial":
        return Polynomial.restored(found)
    if found["layer"] == "rectifier":
        return Rectifier.restored(found)
    if found["layer"] == "sum":
        signs = tuple(int(sign) for sign in found["signs"])
        if not set(signs) <= {1, -1}:
            raise ValueError(f"a sum with the signs {signs}")
        return Sum(signs)
    return _PLAIN.get(found["layer"]) or _linear.restored(found, arrays)
