"""Walks the operations of a function: control flow, tensors, and calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import RingjetError
from . import _lanes, _values
from ._encrypted import ENCRYPTED, Ranges
from ._text import Function, Module, Operation, malformed, unsupported
from ._values import Array

#: Attributes that say nothing about values.
_IGNORED = {"fastmath", "overflowFlags", "operandSegmentSizes"}


class Machine:
    """Runs functions of a file. Encrypted vectors are ciphertexts of ringjet, or arrays with a row for each sample."""

    def __init__(self, module: Module, slots: int) -> None:
        self.module, self.slots = module, slots
        self.ranges = Ranges()
        self._constants: dict[int, Any] = {}
        #: The functions that are being run.
        self._running: list[str] = []
        #: Arguments and result of each function that packs, which are called more than once.
        self._packed: dict[str, tuple[list[Any], Any]] = {}

    def call(self, function: Function, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """What a function returns."""
        if len(arguments) != len(function.arguments) or not function.operations:
            raise malformed(function.line, f"@{function.name} with {len(arguments)} arguments")
        known = self._packed.get(function.name)
        if known is not None and all(a is b for a, b in zip(known[0], arguments, strict=True)):
            return tuple(known[1])
        if function.name in self._running:
            raise unsupported(function.line, f"@{function.name} calls itself", "functions that end")
        names = (name for name, _, _ in function.arguments)
        self._running.append(function.name)
        try:
            made = self.run(function.operations, dict(zip(names, arguments, strict=True)))
        finally:
            self._running.pop()
        if len(made) != len(function.results):
            raise malformed(function.line, f"@{function.name} returns {len(made)} values, not {len(function.results)}")
        if "client.pack" in function.roles:
            self._packed[function.name] = list(arguments), made
        return made

    def run(self, operations: Sequence[Operation], values: dict[str, Any]) -> tuple[Any, ...]:
        """Runs the operations of a region. Returns what the last one gives to what is around them."""
        for op in operations:
            given = [_found(values, name, op) for name in op.operands] if op.name != "scf.for" else []
            if op.name in ("func.return", "scf.yield"):
                return tuple(given)
            try:
                made = self._made(op, given, values)
            except RingjetError:
                raise
            except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
                raise malformed(op.line, f"{op.name}: {error}") from error
            if len(made) != len(op.results):
                raise malformed(op.line, f"{op.name} with {len(op.results)} results")
            values.update(zip(op.results, made, strict=True))
        return ()

    def _made(self, op: Operation, given: list[Any], values: dict[str, Any]) -> tuple[Any, ...]:
        """The results of an operation."""
        if op.name == "scf.for":
            return self._loop(op, values)
        if op.name == "scf.if":
            chosen = 0 if given[0] else 1
            return self.run(op.regions[chosen], dict(values)) if chosen < len(op.regions) else ()
        if op.name == "func.call":
            return self._call(op, given)
        if op.name == "arith.constant":
            if op.line not in self._constants:
                self._constants[op.line] = _values.constant(self.module, op)
            return (self._constants[op.line],)
        function, known = _values.elementwise(op), ENCRYPTED.get(op.name)
        if function is None and known is None and op.name not in TENSOR:
            raise unsupported(op.line, op.name)
        _expect_attributes(op, () if known is None else known.attributes)
        lists = [[int(_found(values, v, op)) if v[0] == "%" else _whole(v, op) for v in group] for group in op.brackets]
        if known is not None:
            return known.function(self, op, given, lists)
        return (TENSOR[op.name](op, given, lists) if function is None else function(*given),)

    def _call(self, op: Operation, given: list[Any]) -> tuple[Any, ...]:
        found = re.match(r'@([\w$.-]+|"[^"]*")', op.text)
        function = self.module.functions.get(found[1].strip('"')) if found else None
        if function is None:
            raise unsupported(op.line, f"call {op.text[:60]}", "a function of the file")
        return self.call(function, given)

    def _loop(self, op: Operation, values: dict[str, Any]) -> tuple[Any, ...]:
        index, low, high, step, *carried = op.operands
        names, current = carried[0::2], tuple(_found(values, name, op) for name in carried[1::2])
        bounds = [int(_found(values, name, op)) for name in (low, high, step)]
        if bounds[2] < 1:
            raise malformed(op.line, f"scf.for with the step {bounds[2]}")
        if len(current) == 1 and isinstance(current[0], np.ndarray) and current[0].dtype != object:
            packed = _lanes.packed(op, bounds, current[0], values, self._constant)
            if packed is not None:
                return (packed,)
        # names within a loop end with it: another loop may have the same ones
        values = dict(values)
        for i in range(*bounds):
            values.update({index: i, **dict(zip(names, current, strict=True))})
            current = self.run(op.regions[0], values)
        return current

    def _constant(self, op: Operation) -> Any:
        return self._made(op, [], {})[0]


def _found(values: dict[str, Any], name: str, op: Operation) -> Any:
    if name not in values:
        raise malformed(op.line, f"{op.name} of {name}, which nothing before it makes")
    return values[name]


def _whole(text: str, op: Operation) -> int:
    if not re.fullmatch(r"-?\d+", text):
        raise malformed(op.line, f"{op.name} with [{text[:40]}]")
    return int(text)


def _expect_attributes(op: Operation, known: Sequence[str]) -> None:
    """Refuses attributes that are not known. Those with a dot are notes of other passes."""
    for name in op.attributes:
        if "." not in name and name not in known and name not in _IGNORED:
            raise unsupported(op.line, f"{op.name} with the attribute {name}", "an attribute that ringjet reads")


def _inserted(op: Operation, given: list[Any], lists: list[list[int]]) -> Array:
    value, target = given
    made: Array = target.copy()
    made[tuple(_inside(op, target, lists[0]))] = value
    return made


def _extracted(op: Operation, given: list[Any], lists: list[list[int]]) -> Any:
    found = given[0][tuple(_inside(op, given[0], lists[0] if lists else []))]
    if found is None:
        raise malformed(op.line, "tensor.extract of an element that was not set")
    return found


def _inside(op: Operation, target: Array, indices: list[int]) -> list[int]:
    if len(indices) != target.ndim or not all(0 <= i < n for i, n in zip(indices, target.shape, strict=True)):
        raise malformed(op.line, f"{op.name} at {indices} of a tensor of shape {target.shape}")
    return indices


def _inserted_slice(op: Operation, given: list[Any], lists: list[list[int]]) -> Array:
    source, target = given
    made: Array = target.copy()
    part = made[_values.slices(op, lists, made.shape)]
    part[...] = _values.fitting(op, source, part.shape)
    return made


def _extracted_slice(op: Operation, given: list[Any], lists: list[list[int]]) -> Array:
    dimensions, _ = _values.tensor(op, op.types.split(" to ")[-1])
    return _values.fitting(op, given[0][_values.slices(op, lists, given[0].shape)], dimensions)


def _empty(op: Operation, given: list[Any], lists: list[list[int]]) -> Array:
    return _values.empty(*_values.tensor(op, op.types))


def _filled(op: Operation, given: list[Any], lists: list[list[int]]) -> Array:
    """`tensor.splat` of one value, and `tensor.from_elements`."""
    made = _values.empty(*_values.tensor(op, op.types))
    if op.name == "tensor.from_elements" and len(given) != made.size:
        raise malformed(op.line, f"{op.name}: {len(given)} elements for {made.shape}")
    for i, place in enumerate(np.ndindex(made.shape)):
        made[place] = given[i if op.name == "tensor.from_elements" else 0]
    return made


def _reshaped(op: Operation, given: list[Any], lists: list[list[int]]) -> Array:
    dimensions, _ = _values.tensor(op, op.types.split(" into ")[-1])
    return _values.fitting(op, given[0], dimensions)


#: The operations of tensor.
TENSOR: dict[str, Callable[[Operation, list[Any], list[list[int]]], Any]] = {
    "tensor.empty": _empty,
    "tensor.extract": _extracted,
    "tensor.extract_slice": _extracted_slice,
    "tensor.from_elements": _filled,
    "tensor.insert": _inserted,
    "tensor.insert_slice": _inserted_slice,
    "tensor.splat": _filled,
}
