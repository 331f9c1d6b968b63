"""Errors for operations that only some schemes have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import SchemeError

if TYPE_CHECKING:
    from ._ringjet import Ciphertext, Parameters

_CKKS = 'parameters of CKKS, such as rj.preset("n15-depth9")'

#: What an operation needs of a scheme, and what users of the other schemes can do instead.
FUNCTIONS, ORDER, EQUALITY, REALS, MATRICES = "functions", "order", "equality", "reals", "matrices"
_INSTEAD = {
    "heaan": {
        FUNCTIONS: f"it computes sums, products and x**n; functions of an interval take {_CKKS}",
        ORDER: f"it computes sums, products and x**n; let the client compare what it decrypts, or take {_CKKS}",
        EQUALITY: f"it computes sums, products and x**n; let the client compare what it decrypts, or take {_CKKS}",
        MATRICES: "sum up diagonals times x.rotate(k)",
    },
    "exact": {
        FUNCTIONS: "its values are integers modulo t; x.polynomial takes whole coefficients, and functions of real "
        f"numbers take {_CKKS}",
        ORDER: f"integers modulo t have no order; let the client compare what it decrypts, or take {_CKKS}",
        REALS: f"its values are integers modulo t, and x.sum and x.dot are exact; real numbers take {_CKKS}",
    },
}


def lacks(params: Parameters, need: str) -> str | None:
    """What users of these parameters can do instead of an operation that needs `need`; None where
    the scheme has it."""
    return _INSTEAD.get("exact" if params.t is not None else params.scheme, {}).get(need)


def refusal(params: Parameters, op: str, instead: str) -> SchemeError:
    """The error for the operation `op`, which the scheme of these parameters lacks."""
    name = params.scheme.upper()
    error = SchemeError(f"{name} has no {op}: {instead}")
    error.scheme, error.op = name, op
    return error


def expect(x: Ciphertext, op: str, need: str, instead: str | None = None) -> Ciphertext:
    """x, if its scheme has the operation `op`, which needs `need`. `instead` replaces the general
    advice."""
    if (general := lacks(x.params, need)) is not None:
        raise refusal(x.params, op, instead or general)
    return x


def is_ckks(params: Parameters) -> bool:
    """Whether values are approximate, and ciphertexts have levels."""
    return params.t is None and params.top_level is not None


def expect_ckks(params: Parameters, op: str, instead: str) -> None:
    """Refuses parameters of other schemes for the operation `op`, which only CKKS has. `instead` names
    the alternative."""
    if not is_ckks(params):
        raise refusal(params, op, instead)
