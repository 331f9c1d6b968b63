"""A network as a server computes it on samples whose features are encrypted one by one."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from ..._checks import refusal
from ..._ringjet import Ciphertext, Parameters, Server
from ...program import Plan
from ...vectors.matrices import EncryptedMatrix, plan_matrices, simulate_matrices
from ...vectors.matrices._transfer import load_row_by_row
from ._layers import Affine, Array, Squares
from ._linear import Linear, Pool, Scale, Select
from ._network import Approximation, Concat, Network
from ._packing import Columns
from ._steps import at_lowest_level, combined, described, last_uses, outside

#: The ciphertexts of an element, for all samples.
_Element = tuple[Ciphertext, ...]


@dataclass(frozen=True)
class ColumnsCircuit:
    """A network on samples whose features are encrypted one by one: no layer moves elements between slots."""

    kind: ClassVar[str] = "columns"
    network: Network
    _levels: dict[str, int | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def together(self, params: Parameters) -> int:
        """How many samples a plan is for."""
        return params.slots

    def stated(self, params: Parameters, normal: Array) -> ColumnsCircuit:
        """The same: no error is known better than it is estimated."""
        return self

    def packing(self, params: Parameters, centre: Array, half: Array) -> Columns:
        """How a client packs samples."""
        return Columns(centre, half, self.level(params))

    def run(self, server: Server, data: memoryview) -> bytes:
        """Computes on the bytes of samples, as many at a time as a ciphertext has slots."""
        shape, parts = load_row_by_row(server, data, max_bytes=len(data))
        if shape[1] != self.network.features:
            raise refusal("data", f"a matrix of shape {shape}", f"(samples, {self.network.features})")
        made = [self(part) for part in parts]
        blocks = [row for part in made for row in part.blocks]
        return EncryptedMatrix(blocks, (shape[0], made[0].shape[1]), "columns").to_bytes()

    def plan(self, params: Parameters, device: str | PathLike[str] | None = None) -> Plan:
        """The plan for as many samples as a ciphertext has slots."""
        return self._planned(params, self.level(params), device)

    def _planned(self, params: Parameters, level: int | None, device: str | PathLike[str] | None = None) -> Plan:
        shape = (params.slots, self.network.features)
        return plan_matrices(self, params, [shape], layout="columns", level=level, device=device)

    def level(self, params: Parameters) -> int | None:
        """The lowest level of samples with which results have no levels left; None for all levels."""
        if params.fingerprint not in self._levels:

            def planned(level: int | None) -> tuple[int | None, Plan]:
                return level, self._planned(params, level)

            self._levels[params.fingerprint] = at_lowest_level(
                params, planned, lambda made: min(made[1].levels), lambda made: len(made[1].bootstraps)
            )[0]
        return self._levels[params.fingerprint]

    def simulate(self, params: Parameters, normal: Array, seed: int | None) -> tuple[Array, tuple[str, ...]]:
        """What the server returns for samples as they are sent, with the noise of ciphertexts, and warnings."""
        options: dict[str, Any] = {"layout": "columns", "level": self.level(params)}
        trial = simulate_matrices(self, normal, params=params, noise=True, seed=seed, **options)
        return np.asarray(trial.values), tuple(str(warning) for warning in trial.warnings)

    def __call__(self, x: EncryptedMatrix) -> EncryptedMatrix:
        """The scores of encrypted samples: a matrix in columns, a feature each."""
        values: list[EncryptedMatrix | None] = [x]
        last = last_uses(self.network)
        for k, node in enumerate(self.network.nodes):
            made = _applied(node.layer, [values[i] for i in node.inputs])
            # what no later node needs makes room
            for i in set(node.inputs):
                values[i] = values[i] if last[i] > k else None
            values.append(made)
        found = values[self.network.output]
        assert found is not None, "the result is kept"
        return found

    def described(self) -> list[list[str]]:
        """A row for each layer."""
        return described(self.network)

    def outside(self, normal: Array) -> float:
        """The share of activations whose input lies outside their interval."""
        return outside(self.network, normal)

    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """All of it for JSON, and the weights."""
        found, arrays = self.network.stored()
        return {"circuit": self.kind, **found}, arrays


def _applied(layer: Any, inputs: list[Any]) -> EncryptedMatrix:
    x: EncryptedMatrix = inputs[0]
    if isinstance(layer, Approximation):
        return x.map(layer.encrypted)
    if isinstance(layer, Squares):
        return _matrix(x, [*_elements(x), *_elements(x.map(lambda part: part * part))])
    if isinstance(layer, Concat):
        return _matrix(x, [element for value in inputs for element in _elements(value)])
    if isinstance(layer, Linear):
        return _linear(layer, x)
    return _matrix(x, [_each(layer, parts) for parts in zip(*map(_elements, inputs), strict=True)])


def _linear(layer: Linear, x: EncryptedMatrix) -> EncryptedMatrix:
    if isinstance(layer, Affine):
        return x.weighted_sums(layer.weights, bias=layer.bias)
    elements = _elements(x)
    if isinstance(layer, Scale):
        made = [
            tuple((c if factor == 1 else c * float(factor)) + float(shift) for c in element)
            for element, factor, shift in zip(elements, layer.factors, layer.bias, strict=True)
        ]
        return _matrix(x, made)
    if isinstance(layer, Select):
        zero = tuple(c - c for c in elements[0])
        return _matrix(x, [elements[i] if i >= 0 else zero for i in layer.indices])
    if isinstance(layer, Pool) and layer.is_sum:
        return _matrix(x, _sums(layer, elements))
    results: list[_Element] = [()] * layer.outputs
    bias = layer.bias
    for rows, columns, weights in _dense(layer):
        part = _matrix(x, [elements[k] for k in columns]).weighted_sums(weights, bias=bias[rows])
        for row, element in zip(rows, _elements(part), strict=True):
            results[row] = element
    return _matrix(x, results)


def _sums(layer: Pool, elements: list[_Element]) -> list[_Element]:
    """The sums of windows, without products."""
    row, column, _ = layer.entries()
    order = np.argsort(row, kind="stable")
    windows = np.split(column[order], np.flatnonzero(np.diff(row[order])) + 1)
    return [tuple(functools.reduce(operator.add, parts) for parts in zip(*(elements[k] for k in w))) for w in windows]


def _dense(layer: Linear) -> Iterator[tuple[Array, Array, Array]]:
    """The matrix of a layer as dense parts: the rows that have their elements in the same columns, these columns, and
    the elements."""
    row, column, value = layer.entries()
    # elements with the same place add up
    place, which = np.unique(row * np.int64(layer.inputs) + column, return_inverse=True)
    value = np.bincount(which, value)
    row, column = np.divmod(place, layer.inputs)
    starts = np.searchsorted(row, np.arange(layer.outputs + 1))
    groups: dict[bytes, list[int]] = {}
    for k in range(layer.outputs):
        groups.setdefault(column[starts[k] : starts[k + 1]].tobytes(), []).append(k)
    for rows in groups.values():
        spans = [slice(starts[k], starts[k + 1]) for k in rows]
        columns = column[spans[0]]
        if not len(columns):
            # nothing but the bias
            columns = np.zeros(1, int)
        weights = np.zeros((len(rows), len(columns)))
        for k, span in enumerate(spans):
            weights[k, : span.stop - span.start] = value[span]
        yield np.array(rows), columns, weights


def _elements(x: EncryptedMatrix) -> list[_Element]:
    return list(zip(*x.blocks, strict=True))


def _matrix(like: EncryptedMatrix, elements: list[_Element]) -> EncryptedMatrix:
    """The matrix of these elements, for the samples of another one."""
    return EncryptedMatrix(list(zip(*elements, strict=True)), (like.shape[0], len(elements)), "columns")


def _each(layer: Any, elements: tuple[_Element, ...]) -> _Element:
    """A layer of several inputs on an element of each."""
    return tuple(combined(layer, parts) for parts in zip(*elements, strict=True))
