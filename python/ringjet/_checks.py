"""Checks of arguments, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import ArgumentError

if TYPE_CHECKING:
    from ._ringjet import Ciphertext


def refusal(name: str, value: object, expected: str) -> ArgumentError:
    """The error for an argument out of range."""
    error = ArgumentError(f"{name} = {value}: expected {expected}")
    error.name, error.value, error.expected = name, str(value), expected
    return error


def count(x: Ciphertext, n: int | None) -> int:
    """How many of the first slots are meant: n, by default all."""
    if n is None:
        return int(x.slots)
    if not (n == int(n) and 1 <= n <= x.slots):
        raise refusal("n", n, f"1 to {x.slots}, the number of slots")
    return int(n)


def real(x: Ciphertext, name: str = "x") -> Ciphertext:
    """x, if its values are real."""
    if not x.is_real:
        raise refusal(name, "complex values", "real values: state them with with_range, or encrypt real numbers")
    return x
