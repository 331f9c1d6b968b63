"""Loops that pack: all iterations at once.

A layout of HEIR is a nest of loops that computes places and copies numbers, a million times for a layer of a network.
Here the index of a loop is an array with an element for each iteration, a lane. Loops within loops have more lanes, and
branches have fewer. The loops write into one tensor and never read from it, so only the order of writes to one place
matters: two writes of one operation are in the order of the lanes, and two operations may not write to one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._text import Operation
from ._values import Array, elementwise

#: Iterations of the outer loop that are done at once.
_AT_ONCE = 32


class _NotPackingError(Exception):
    """The loops do something else than packing."""


def packed(
    op: Operation,
    bounds: Sequence[int],
    tensor: Array,
    values: dict[str, Any],
    constant: Callable[[Operation], Any],
) -> Array | None:
    """The tensor after a loop; None where the loop does something else than packing. values: those from outside."""
    outer = range(*bounds)
    nest = _Nest(tensor, values, constant)
    try:
        for start in range(0, len(outer), _AT_ONCE):
            index = np.array(outer[start : start + _AT_ONCE])
            nest.current = op.operands[4]
            nest.run(op.regions[0], {op.operands[0]: index}, len(index))
    except (_NotPackingError, ArithmeticError, IndexError, TypeError, ValueError):
        return None
    return nest.tensor


class _Nest:
    def __init__(self, tensor: Array, outside: dict[str, Any], constant: Callable[[Operation], Any]) -> None:
        self.tensor = tensor.copy()
        self._outside, self._constant = outside, constant
        #: The line of the operation that wrote an element.
        self._writer = np.zeros(tensor.shape, np.int64)
        #: The name that the tensor has now.
        self.current = ""

    def run(self, operations: Sequence[Operation], inside: dict[str, Any], lanes: int) -> None:
        """Runs the operations of a region in all lanes. inside: numbers, the same in all lanes, and arrays with an
        element for each lane."""
        for op in operations:
            if op.name == "scf.yield":
                self._expect(op.operands == (self.current,))
            elif op.name == "scf.for":
                self._loop(op, inside, lanes)
            elif op.name == "scf.if":
                self._branch(op, inside, lanes)
            elif op.name == "tensor.insert":
                self._insert(op, inside, lanes)
            else:
                self._expect(len(op.results) == 1)
                inside[op.results[0]] = self._computed(op, inside)

    def _computed(self, op: Operation, inside: dict[str, Any]) -> Any:
        if op.name == "arith.constant":
            return self._constant(op)
        if op.name == "tensor.extract":
            source = self._outside.get(op.operands[0])
            self._expect(isinstance(source, np.ndarray) and source.dtype != object)
            assert isinstance(source, np.ndarray)
            return source[self._indices(op, inside, source.shape)]
        function = elementwise(op)
        self._expect(function is not None)
        assert function is not None
        return function(*(self._number(inside, name) for name in op.operands))

    def _expect(self, holds: bool) -> None:
        if not holds:
            raise _NotPackingError

    def _number(self, inside: dict[str, Any], name: str) -> Any:
        """A number, or one for each lane."""
        if name in inside:
            return inside[name]
        self._expect(name in self._outside and np.ndim(self._outside[name]) == 0)
        return self._outside[name]

    def _indices(self, op: Operation, inside: dict[str, Any], shape: tuple[int, ...]) -> tuple[Any, ...]:
        named = op.brackets[0] if op.brackets else ()
        self._expect(len(named) == len(shape))
        found = [self._number(inside, v) if v[0] == "%" else int(v) for v in named]
        self._expect(all(np.all((np.asarray(i) >= 0) & (np.asarray(i) < n)) for i, n in zip(found, shape, strict=True)))
        return tuple(found)

    def _insert(self, op: Operation, inside: dict[str, Any], lanes: int) -> None:
        self._expect(op.operands[1] == self.current)
        value = self._number(inside, op.operands[0])
        if lanes:
            indices = self._indices(op, inside, self.tensor.shape)
            places = tuple(np.broadcast_to(i, (lanes,)) for i in indices)
            before = self._writer[places]
            self._expect(bool(np.all((before == 0) | (before == op.line))))
            self._writer[places] = op.line
            self.tensor[places] = value
        self.current = op.results[0]

    def _loop(self, op: Operation, inside: dict[str, Any], lanes: int) -> None:
        self._expect(len(op.operands) == 6 and op.operands[5] == self.current and len(op.results) == 1)
        low, high, step = (np.broadcast_to(self._number(inside, v), (lanes,)) for v in op.operands[1:4])
        self._expect(bool(np.all(step > 0)))
        counts = np.maximum(-((low - high) // step), 0)
        source = np.repeat(np.arange(lanes), counts)
        within = np.arange(len(source)) - np.repeat(np.cumsum(counts) - counts, counts)
        inner = _chosen(inside, source) | {op.operands[0]: low[source] + within * step[source]}
        self.current = op.operands[4]
        self.run(op.regions[0], inner, len(source))
        self.current = op.results[0]

    def _branch(self, op: Operation, inside: dict[str, Any], lanes: int) -> None:
        self._expect(len(op.results) == 1 and len(op.regions) == 2)
        holds = np.broadcast_to(self._number(inside, op.operands[0]), (lanes,)).astype(bool)
        before = self.current
        for region, where in zip(op.regions, (holds, ~holds), strict=True):
            self.current = before
            source = np.flatnonzero(where)
            self.run(region, _chosen(inside, source), len(source))
        self.current = op.results[0]


def _chosen(inside: dict[str, Any], source: Array) -> dict[str, Any]:
    """The values in the lanes `source`."""
    return {name: value[source] if np.ndim(value) else value for name, value in inside.items()}
