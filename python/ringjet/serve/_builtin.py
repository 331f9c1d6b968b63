"""The programs of a service that was started without any: exact totals, and statistics."""

from __future__ import annotations

from typing import Any

from ._service import Service

service = Service()


@service.program(params="n13-depth2")
def mean(x: Any) -> Any:
    """The mean of all values, in every slot. Values are in [-1, 1]."""
    return x.mean()


@service.program(params="n13-depth2", whole=True)
def variance(x: Any) -> Any:
    """The variance of all slots, in every slot. Values are in [-1, 1]."""
    return x.var()


@service.program(params="n13-depth2")
def dot(x: Any, y: Any) -> Any:
    """The sum of the products of two vectors, in every slot. Values are in [-1, 1]."""
    return x.dot(y)


@service.program(params="n13-depth2")
def product(x: Any, y: Any) -> Any:
    """The products of two vectors, slot by slot. Values are in [-1, 1]."""
    return x * y


@service.program(params="bgv-n12")
def total(x: Any) -> Any:
    """The sum of integers, exact modulo 65537, in every slot."""
    return x.sum()
