"""Inputs of jobs against the inputs of plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._ringjet import Ciphertext
from ._problems import Problem

#: Rounding of sums and logarithms that are computed in another order.
_ROUNDING = 1e-3


def as_planned(x: Ciphertext, name: str, planned: Ciphertext, count: int | None) -> Ciphertext:
    """The input `name`, if all that its bytes state is as in the plan. Operations choose their
    rotations, degrees and masks by it, so that others could take much more time than predicted.
    `planned` is the input of the model server, `count` the number of values, None for any."""
    for what, found, expected in _differences(x, planned, count):
        detail = f"input {name} has {what} {found}; the program takes {what} {expected}"
        raise Problem("invalid", detail, input=name, level=planned._left, slots=planned.slots, count=count)
    return x


def _differences(x: Ciphertext, planned: Ciphertext, count: int | None) -> Iterator[tuple[str, Any, Any]]:
    """What differs, as found and as expected."""
    if x._left != planned._left:
        yield "level", x._left, planned._left
    if x.slots != planned.slots:
        yield "slots", x.slots, planned.slots
    if count is not None and x.count != count:
        yield "count", x.count, count
    if planned._zero_padded and not x._zero_padded:
        yield "slots after its values with", "unknown numbers", "zeros"
    if planned.params.t is not None:
        if x.noise_budget < planned.noise_budget - _ROUNDING:
            yield "a noise budget of", f"{x.noise_budget:.2f}", f"{planned.noise_budget:.2f} bits at least"
        return
    if planned.is_real and not x.is_real:
        yield "values that are", "complex", "real"
    (low, high), (least, largest) = x.range, planned.range
    if low < least or high > largest or x.magnitude > planned.magnitude:
        yield "values within", _interval(x), f"{_interval(planned)} at most"
    if x.precision_bits < planned.precision_bits - _ROUNDING:
        yield "a precision of", f"{x.precision_bits:.2f}", f"{planned.precision_bits:.2f} bits at least"


def _interval(x: Ciphertext) -> str:
    low, high = x.range
    size = "" if x.magnitude == max(-low, high) else f" (magnitude {x.magnitude:g})"
    return f"[{low:g}, {high:g}]{size}"
