"""Exact arithmetic modulo the plaintext modulus of BGV and BFV, on vectors in the clear.

A vector is an array of type int64 where products of two residues fit, and otherwise an array of
Python's integers. Its values are between `-modulus/2` and `modulus/2`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._ringjet import LinearTransform
from .errors import IntegerOverflowError, NotResidueError

Vector = npt.NDArray[Any]

#: The largest modulus of arrays of type int64: a sum of two products of residues has 63 bits.
_SMALL = 1 << 31
#: The least and the greatest value of type int64.
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def reduced(values: Vector, modulus: int) -> Vector:
    """Sums or products of two residues modulo `modulus`, between `-modulus/2` and `modulus/2`."""
    half = modulus // 2
    # arithmetic on an array of objects without dimensions makes a bare object
    return np.asarray((values + half) % modulus - half, values.dtype)


def beyond(values: Vector, modulus: int) -> float | None:
    """The largest absolute value, if it is no residue between `-modulus/2` and `modulus/2`."""
    number = float if values.dtype.kind == "f" else int
    largest = max(abs(number(values.min())), abs(number(values.max())))
    # doubles stand for integers that are too large to be computed, and are rounded
    limit = (modulus // 2) * (1 + 1e-9) if number is float else modulus // 2
    return None if largest <= limit else float(largest)


def power_beyond(values: Vector, exponent: int, modulus: int) -> float | None:
    """`beyond` for a power. The powers t - 1 and (t - 1) / 2 test residues and mean the residue."""
    base, made = int(max(abs(values.min()), abs(values.max()))), 1
    if base < 2 or exponent in (modulus - 1, (modulus - 1) // 2):
        return None
    # the first power that is too large, so that no power has more digits than needed
    for _ in range(exponent):
        made *= base
        if made > modulus // 2:
            return float(base) ** exponent if exponent * np.log2(base) < 1000 else float("inf")
    return None


def residues(values: Vector, modulus: int) -> Vector:
    """The residues of any integers, or of doubles that hold integers."""
    values = _whole(values)
    return reduced((values % modulus).astype(np.int64) if modulus <= _SMALL else values.astype(object), modulus)


def _whole(values: Vector) -> Vector:
    return np.rint(values.real).astype(np.int64) if values.dtype.kind in "fc" else values


def given(values: npt.ArrayLike, modulus: int, first: int = 0) -> Vector:
    """Values that a user gave as integers for the slots from `first` on, as an array of type int64.
    Refuses what the library refuses: numbers that are no integers, and integers outside the range of
    messages."""
    array = _arrays.integers(values)
    _expect_messages(array, modulus, first)
    return array.astype(np.int64)


def _expect_messages(array: Vector, modulus: int, first: int = 0) -> None:
    low, high = max(-(modulus // 2), _LEAST), min(modulus - 1, _MOST)
    outside = np.flatnonzero((array < low) | (array > high))
    if outside.size:
        value, index = int(array.flat[outside[0]]), first + int(outside[0])
        text = f"value {value} at index {index} is not an integer from {low} to {high}, the values modulo {modulus}"
        error = NotResidueError(text)
        error.index, error.value, error.low, error.high, error.modulus = index, value, low, high, modulus
        raise error


def decrypted(values: Vector, modulus: int) -> Vector:
    """The values as decryption returns them, of type int64."""
    outside = np.flatnonzero((values < _LEAST) | (values > _MOST))
    if outside.size:
        index = int(outside[0])
        value = int(values[index])
        text = (
            f"the value {value} of slot {index} does not fit 64 bits with sign; it is exact modulo T = {modulus}: "
            "compute with smaller values"
        )
        error = IntegerOverflowError(text)
        error.index, error.value, error.modulus = index, value, modulus
        raise error
    return values.astype(np.int64)


def power(values: Vector, exponent: int, modulus: int) -> Vector:
    """The values to the power of a non-negative `exponent`."""
    made, square = np.ones_like(values), values
    while exponent:
        made = reduced(made * square, modulus) if exponent & 1 else made
        square, exponent = reduced(square * square, modulus), exponent >> 1
    return made


def polynomial(coefficients: Vector, values: Vector, modulus: int) -> Vector:
    """The values of a polynomial of powers, with the constant first."""
    made = np.zeros_like(values)
    for c in residues(coefficients, modulus)[::-1]:
        made = reduced(made * values + c, modulus)
    return made


def transformed(matrix: LinearTransform | npt.ArrayLike, rows: Vector, modulus: int) -> Vector:
    """The product of a matrix with each row. Products and sums of doubles would not be exact.
    Refuses entries outside the range of messages."""
    made = np.zeros_like(rows)
    for k, diagonal in _transform(matrix, rows)._diagonals():
        _expect_messages(_whole(diagonal), modulus)
        made = reduced(made + residues(diagonal, modulus) * np.roll(rows, -k, axis=1), modulus)
    return made


def transformed_beyond(matrix: LinearTransform | npt.ArrayLike, rows: Vector, modulus: int) -> float | None:
    """`beyond` for the product of a matrix with each row."""
    size, numbers = np.zeros(rows.shape), rows.astype(float)
    for k, diagonal in _transform(matrix, rows)._diagonals():
        size += residues(diagonal, modulus).astype(float) * np.roll(numbers, -k, axis=1)
    return beyond(size, modulus)


def _transform(matrix: LinearTransform | npt.ArrayLike, rows: Vector) -> LinearTransform:
    return matrix if isinstance(matrix, LinearTransform) else LinearTransform(matrix, rows.shape[1])
