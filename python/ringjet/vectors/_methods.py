"""The methods of a ciphertext that are programs of its native operations.

They are the same for `Ciphertext` and for the ciphertexts of `plan` and `simulate`, which therefore
know every step of them: its levels, keys, bootstraps and ranges of values.
"""

from __future__ import annotations

from .. import _ringjet
from .._arrays import plain_scalars
from .._idioms import Idioms
from ._comparisons import Comparisons
from ._functions import Functions
from ._order import Order
from ._rounding import Rounding
from ._statistics import Statistics


class Methods(Functions, Comparisons, Order, Rounding, Statistics, Idioms):
    """Methods of `Ciphertext` that are made of its other methods."""


def install() -> None:
    """Gives the native class the methods."""
    for part in reversed(Methods.__mro__):
        for name, method in list(vars(part).items()):
            if part is not object and not name.startswith("_"):
                setattr(part, name, plain_scalars(method))
                setattr(_ringjet.Ciphertext, name, vars(part)[name])
    # operators of idioms are methods of Python with underscores
    for name, method in vars(Idioms).items():
        if name not in _PLUMBING:
            setattr(_ringjet.Ciphertext, name, method)


#: Attributes that every class has of its own.
_PLUMBING = {"__slots__", "__hash__", *vars(type("_Empty", (), {}))}
