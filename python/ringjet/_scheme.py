"""Errors for operations that only one scheme has."""

from __future__ import annotations

from ._ringjet import Parameters
from .errors import SchemeError


def expect_ckks(params: Parameters, op: str, instead: str) -> None:
    """Refuses HEAAN parameters for the operation `op`, which only CKKS has. `instead` names the
    alternative."""
    if params.scheme == "ckks":
        return
    error = SchemeError(f"HEAAN has no {op}: {instead}")
    error.scheme, error.op = "HEAAN", op
    raise error
