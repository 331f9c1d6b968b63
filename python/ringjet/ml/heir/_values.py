"""Numbers and tensors in the clear: constants, and the dialects arith and tensor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._text import Module, Operation, malformed, unsupported

Array = npt.NDArray[Any]

_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)(.*)>", re.DOTALL)
_TYPES = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "i1": "?", "i8": "<i1", "i16": "<i2", "i32": "<i4", "i64": "<i8"}


def shape(type_: str) -> tuple[tuple[int, ...], str] | None:
    """The shape and the type of the elements of a tensor, with -1 where its length is not known; None for other types."""
    found = _TENSOR.fullmatch(type_)
    if found is None:
        return None
    return tuple(-1 if d == "?" else int(d) for d in found[1].split("x")[:-1]), found[2]


def tensor(op: Operation, type_: str) -> tuple[tuple[int, ...], str]:
    """The shape and the type of the elements of a tensor. Refuses other types."""
    found = shape(type_)
    if found is None:
        raise malformed(op.line, f"{op.name}: {type_} is no tensor")
    return found


def is_opaque(element: str) -> bool:
    """Whether elements of this type are ciphertexts or plaintexts."""
    return element.startswith("!")


def empty(dimensions: tuple[int, ...], element: str) -> Array:
    """A tensor whose elements are not set."""
    return np.empty(dimensions, object) if is_opaque(element) else np.zeros(dimensions, _kind(element))


def integers(text: str) -> list[int]:
    """The numbers of `[0, 1]` or `array<i64: 0, 1>`."""
    return [int(part) for part in re.findall(r"(?<![\w.])-?\d+", text.partition(":")[2] or text)]


def floats(text: str) -> list[float]:
    """The numbers of `[0.5, 1.0]`, perhaps with their types."""
    return [_number(part.split(" : ")[0].strip()) for part in text.strip("[]").split(",") if part.strip()]


def constant(module: Module, op: Operation) -> Any:
    """The value of `arith.constant`."""
    found = shape(op.types)
    try:
        if found is None:
            value = _number(op.text)
            return value if op.types.startswith(("f", "bf")) else int(value)
        return _dense(module, op, *found)
    except ValueError as error:
        raise malformed(op.line, f"arith.constant: {error}") from None


def _kind(element: str) -> Any:
    return bool if element == "i1" else float if element.startswith(("f", "bf")) else np.int64


def _number(text: str) -> float:
    if text in ("true", "false"):
        return float(text == "true")
    if text.startswith("0x"):
        raise ValueError(f"{text} is no finite number")
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def _dense(module: Module, op: Operation, dimensions: tuple[int, ...], element: str) -> Array:
    resource = re.fullmatch(r"dense_resource<([^>]*)>", op.text)
    inside = re.fullmatch(r"dense<(.*)>", op.text, re.DOTALL)
    if resource:
        if resource[1] not in module.resources:
            raise ValueError(f"the file has no resource {resource[1]}")
        return _bits(bytes.fromhex(module.resources[resource[1]])[4:], dimensions, element)
    if inside is None:
        raise ValueError(op.text[:40])
    if inside[1].startswith('"0x'):
        return _bits(bytes.fromhex(inside[1][3:-1]), dimensions, element)
    listed = re.sub(r"[\[\]\s]", "", inside[1])
    values = np.array([_number(part) for part in listed.split(",")] if listed else [], _kind(element))
    return np.full(dimensions, values[0]) if inside[1][:1] != "[" and values.size else values.reshape(dimensions)


def _bits(data: bytes, dimensions: tuple[int, ...], element: str) -> Array:
    if element not in _TYPES or element == "i1":
        raise ValueError(f"elements of type {element} in hexadecimal")
    values = np.frombuffer(data, _TYPES[element]).astype(_kind(element))
    if not np.all(np.isfinite(values)):
        raise ValueError("numbers that are not finite")
    return np.full(dimensions, values[0]) if values.size == 1 else values.reshape(dimensions)


def _truncated(a: Any, b: Any) -> Any:
    """The quotient, rounded towards 0."""
    quotient = np.abs(a) // np.abs(b)
    return np.where((np.less(a, 0)) != (np.less(b, 0)), -quotient, quotient)[()]


def _same(a: Any) -> Any:
    return a


def _selected(condition: Any, a: Any, b: Any) -> Any:
    return np.where(condition, a, b)[()] if np.ndim(condition) else (a if condition else b)


#: The operations of arith on numbers, or element by element.
ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.andi": np.bitwise_and,
    "arith.ceildivsi": lambda a, b: -np.floor_divide(np.negative(a), b),
    "arith.divf": np.true_divide,
    "arith.divsi": _truncated,
    "arith.extf": _same,
    "arith.extsi": _same,
    "arith.floordivsi": np.floor_divide,
    "arith.index_cast": _same,
    "arith.maximumf": np.maximum,
    "arith.maxsi": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.minsi": np.minimum,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.negf": np.negative,
    "arith.ori": np.bitwise_or,
    "arith.remsi": lambda a, b: a - _truncated(a, b) * b,
    "arith.select": _selected,
    "arith.sitofp": lambda a: np.asarray(a, float)[()],
    "arith.subf": np.subtract,
    "arith.subi": np.subtract,
    "arith.truncf": _same,
    "arith.xori": np.bitwise_xor,
}

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}
#: Ordered and unordered comparisons of numbers that are finite are the same.
_FLOATS: dict[str, Callable[[Any, Any], Any]] = {
    **{kind + name: function for kind in "ou" for name, function in (("eq", np.equal), ("ne", np.not_equal))},
    **{kind + name: _COMPARISONS[f"s{name}"] for kind in "ou" for name in ("lt", "le", "gt", "ge")},
}


def elementwise(op: Operation) -> Callable[..., Any] | None:
    """What an operation of arith does with its operands; None for another operation."""
    if op.name not in ("arith.cmpi", "arith.cmpf"):
        return ELEMENTWISE.get(op.name)
    known, predicate = _FLOATS if op.name == "arith.cmpf" else _COMPARISONS, op.text.split(",")[0].strip()
    if predicate not in known:
        raise unsupported(op.line, f"{op.name} {predicate}", f"one of the comparisons {', '.join(known)}")
    return known[predicate]


def slices(op: Operation, lists: list[list[int]], dimensions: tuple[int, ...]) -> tuple[slice, ...]:
    """The slices of offsets, sizes and strides. Refuses what is outside of a tensor with this shape."""
    if len(lists) != 3 or any(len(found) != len(dimensions) for found in lists):
        raise malformed(op.line, f"{op.name} without offsets, sizes and strides")
    inside = (
        o >= 0 and n >= 0 and s > 0 and (o + (n - 1) * s < d) for o, n, s, d in zip(*lists, dimensions, strict=True)
    )
    if not all(inside):
        raise malformed(op.line, f"{op.name} at {lists} of a tensor of shape {dimensions}")
    return tuple(slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in zip(*lists, strict=True))


def fitting(op: Operation, source: Array, dimensions: tuple[int, ...]) -> Array:
    """A tensor with this shape, where -1 stands for any length. Refuses another number of elements."""
    if -1 in dimensions and source.ndim == len(dimensions):
        dimensions = tuple(n if d < 0 else d for n, d in zip(source.shape, dimensions, strict=True))
    if -1 in dimensions or source.size != int(np.prod(dimensions)):
        raise malformed(op.line, f"{op.name}: a tensor of shape {source.shape} for {dimensions}")
    return source.reshape(dimensions)
