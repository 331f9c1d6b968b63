"""Errors for operations that only one scheme has."""

from __future__ import annotations

from ._ringjet import Parameters
from .errors import SchemeError


def expect_ckks(params: Parameters, op: str, instead: str) -> None:
    """Refuses parameters of other schemes for the operation `op`, which only CKKS has. `instead` names
    the alternative."""
    if params.scheme == "ckks":
        return
    name = params.scheme.upper()
    error = SchemeError(f"{name} has no {op}: {instead}")
    error.scheme, error.op = name, op
    raise error
