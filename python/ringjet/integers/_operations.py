"""Functions of encrypted integers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._checks import refusal
from .._ringjet import Ciphertext
from . import _tables
from ._digits import known
from ._types import IntegerType
from ._values import Clear, EncryptedIntegers

#: A table: a result for each integer, or a function of an integer.
Table = Callable[[int], int] | npt.ArrayLike


def tables(
    x: EncryptedIntegers, functions: Sequence[Table], *, kind: IntegerType | None = None
) -> list[EncryptedIntegers]:
    """Several functions of integers of 4 or 8 bits, from one bootstrap.

    functions: for each a list of results, or a function of an integer. A list has the results from the least
    integer to the largest. kind: the type of the results, by default that of x."""
    if x.type.bits not in (4, 8):
        raise refusal("x", repr(x.type), "integers of 4 or 8 bits; a table of more takes one for each part")
    kind = x.type if kind is None else kind
    made = [np.stack(kind.split(_values(x.type, function)), axis=1) for function in functions]
    if not made:
        return []
    found = _tables.results(x._digits, made, "table")
    return [EncryptedIntegers(kind, [digit.ciphertext for digit in digits]) for digits in found]


def _values(kind: IntegerType, function: Table) -> list[int]:
    """The results for all integers of a type, from the least one."""
    if callable(function):
        return [_arrays.integer(function(m)) for m in range(kind.low, kind.high + 1)]
    given = _arrays.integers(function, "functions")
    if given.shape != (1 << kind.bits,):
        raise refusal(
            "functions", f"an array of shape {given.shape}", f"{1 << kind.bits} results, one for each integer"
        )
    return [int(m) for m in given]


def where(condition: Ciphertext, x: EncryptedIntegers | Clear, y: EncryptedIntegers | Clear) -> EncryptedIntegers:
    """x where the condition is 1, and y where it is 0. It takes a level, and no bootstrap."""
    if not isinstance(condition, Ciphertext):
        raise TypeError(f"condition: a ciphertext of ones and zeros is needed, not {type(condition).__name__}")
    if not isinstance(x, EncryptedIntegers):
        return where((1 - condition).with_range(0, 1), y, x)
    return x._where(condition, y)


def maximum(x: EncryptedIntegers | Clear, y: EncryptedIntegers | Clear) -> EncryptedIntegers:
    """The larger one of two integers."""
    x, y = _encrypted_first(x, y)
    return where(x > y, x, y)


def _encrypted_first(
    x: EncryptedIntegers | Clear, y: EncryptedIntegers | Clear
) -> tuple[EncryptedIntegers, EncryptedIntegers | Clear]:
    """The two, of which at least one is encrypted, in an order in which the first one is."""
    if isinstance(x, EncryptedIntegers):
        return x, y
    assert isinstance(y, EncryptedIntegers), "one of the two is encrypted"
    return y, x


def minimum(x: EncryptedIntegers | Clear, y: EncryptedIntegers | Clear) -> EncryptedIntegers:
    """The smaller one of two integers."""
    x, y = _encrypted_first(x, y)
    return where(x < y, x, y)


def argmax(vectors: Sequence[EncryptedIntegers]) -> EncryptedIntegers:
    """For each slot the index of the vector with the largest integer: of equal ones the first. Of up to 16 vectors
    it is an integer of 4 bits, and of up to 256 one of 8 bits."""
    return _index(vectors, operator.ge, "argmax")


def argmin(vectors: Sequence[EncryptedIntegers]) -> EncryptedIntegers:
    """As `argmax`, for the least integer."""
    return _index(vectors, operator.le, "argmin")


def _index(vectors: Sequence[EncryptedIntegers], keeps: Callable[[Any, Any], Ciphertext], op: str) -> EncryptedIntegers:
    """The index of the vector that is kept against all others; `keeps` says whether an earlier one is."""
    if not 1 <= len(vectors) <= 256:
        raise refusal("vectors", f"{len(vectors)} of them", "1 to 256 vectors of integers")
    if not all(isinstance(x, EncryptedIntegers) for x in vectors):
        raise TypeError(f"{op}: vectors of encrypted integers are needed")
    kind = IntegerType(4 if len(vectors) <= 16 else 8)
    left = [(x, _constant(x, kind, i)) for i, x in enumerate(vectors)]
    while len(left) > 1:
        made = []
        for (x, i), (y, j) in zip(left[::2], left[1::2], strict=False):
            earlier = keeps(x, y)
            # the integers of the last pair are not needed
            made.append((x if len(left) == 2 else where(earlier, x, y), where(earlier, i, j)))
        left = made + left[2 * len(made) :]
    return left[0][1]


def _constant(like: EncryptedIntegers, kind: IntegerType, value: int) -> EncryptedIntegers:
    """One integer in all slots, encrypted without randomness."""
    return EncryptedIntegers(kind, [known(like.ciphertexts[0], part[0]).ciphertext for part in kind.split(value)])
