"""Errors that the Python half raises."""

from __future__ import annotations

from .errors import ArgumentError


def refusal(name: str, value: object, expected: str) -> ArgumentError:
    """The error for an argument out of range."""
    error = ArgumentError(f"{name} = {value}: expected {expected}")
    error.name, error.value, error.expected = name, str(value), expected
    return error
