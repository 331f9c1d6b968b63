"""Checks of arguments, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .errors import ArgumentError

if TYPE_CHECKING:
    from ._ringjet import Ciphertext


def refusal(name: str, value: object, expected: str) -> ArgumentError:
    """The error for an argument out of range."""
    error = ArgumentError(f"{name} = {value}: expected {expected}")
    error.name, error.value, error.expected = name, str(value), expected
    return error


def count(x: Ciphertext, n: int | None) -> int:
    """How many of the first slots are meant: n, by default those that hold values."""
    if n is None:
        return int(x.count)
    if not (n == int(n) and 1 <= n <= x.count):
        more = "" if x.count == x.slots else "; with_count states another one"
        raise refusal("n", n, f"1 to {x.count}, the number of values{more}")
    return int(n)


def whole(x: Ciphertext) -> Ciphertext:
    """x, as a vector with a value in every slot."""
    return x if x.count == x.slots else x.with_count(x.slots)


def both(x: Ciphertext, y: Ciphertext, n: int | None) -> tuple[Ciphertext, Ciphertext, int]:
    """Two vectors, and how many of their first slots are meant: n, by default those that hold values
    in both. Different counts are refused as by operators, unless n says which slots are meant."""
    if n is None:
        if x.count != y.count and max(x.count, y.count) < x.slots:
            _ = x + y  # refused
        return x, y, min(x.count, y.count)
    n = min(count(x, n), count(y, n))
    return (x, y, n) if x.count == y.count else (whole(x), whole(y), n)


def ends(interval: object, name: str = "interval") -> tuple[float, float]:
    """The ends of an interval."""
    try:
        low, high = map(float, cast(Any, interval))
    except (TypeError, ValueError):
        raise refusal(name, repr(interval), "(low, high), such as (-8, 8)") from None
    return low, high


def padding(magnitude: Any) -> float:
    """The number nearest to 0 within stated bounds: a number, or an interval (low, high) of any type
    of sequence. It fills slots without values, as in `Client.encrypt`."""
    if magnitude is None or np.ndim(magnitude) == 0:
        return 0
    low, high = ends(magnitude, "magnitude")
    return min(max(0.0, low), high)


def real(x: Ciphertext, name: str = "x") -> Ciphertext:
    """x, if its values are real."""
    if not x.is_real:
        raise refusal(name, "complex values", "real values: state them with with_range, or encrypt real numbers")
    return x
