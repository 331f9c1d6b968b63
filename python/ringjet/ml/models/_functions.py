"""Activations by their names."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def function(name: str) -> Callable[[Array], Array]:
    """The activation with this name, on arrays of numbers: one of `PLAIN`, or a name with numbers: "clip a b",
    "elu a", "leaky relu a", "power n". Raises KeyError or ValueError for anything else."""
    if name in PLAIN:
        return PLAIN[name]
    for kind, (count, made) in _FAMILIES.items():
        if name.startswith(f"{kind} "):
            numbers = [float(word) for word in name.removeprefix(f"{kind} ").split()]
            if len(numbers) == count and not any(map(math.isnan, numbers)):
                return functools.partial(made, *numbers)
    raise KeyError(name)


def named(kind: str, *numbers: float) -> str:
    """The name of an activation with numbers. Numbers that single precision holds are as short as there."""
    words = []
    for number in map(float, numbers):
        single = np.float32(number)
        words.append(str(single) if math.isfinite(number) and float(single) == number else repr(number))
    return " ".join([kind, *words])


def erf(x: Array) -> Array:
    """The error function."""
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), float)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(np.minimum(-x, 700.0))))


def _softplus(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + erf(x / math.sqrt(2))))


def _gelu_tanh(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


def _hard_sigmoid(x: Array) -> Array:
    return np.clip(x / 6 + 0.5, 0, 1)


def _elu(a: float, x: Array) -> Array:
    return np.where(x > 0, x, a * np.expm1(np.minimum(x, 0)))


def _power(n: float, x: Array) -> Array:
    return np.asarray(x ** (int(n) if n == int(n) and n >= 0 else n))


PLAIN: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "erf": erf,
    "exp": np.exp,
    "gelu": _gelu,
    "gelu tanh": _gelu_tanh,
    "hard sigmoid": _hard_sigmoid,
    "hard swish": lambda x: x * _hard_sigmoid(x),
    "inverse square root": lambda x: 1 / np.sqrt(x),
    "log": np.log,
    "mish": lambda x: x * np.tanh(_softplus(x)),
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "softplus": _softplus,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "square": np.square,
    "square root": np.sqrt,
    "tanh": np.tanh,
}

#: How many numbers the name of an activation has, and the function of these and of an array.
_FAMILIES: dict[str, tuple[int, Callable[..., Array]]] = {
    "clip": (2, lambda a, b, x: np.clip(x, a, b)),
    "elu": (1, _elu),
    "leaky relu": (1, lambda a, x: np.where(x > 0, x, a * x)),
    "power": (1, _power),
}


def exact_degree(name: str) -> int | None:
    """The degree of a function that is a polynomial; None for any other one."""
    kind, *numbers = name.split()
    degrees = {"square": 2, "power": int(numbers[0]) if kind == "power" and numbers[0].isdigit() else None}
    return degrees.get(kind)


def needs_positive(name: str) -> bool:
    """Whether a function of positive numbers has no smooth continuation to 0."""
    return name in ("inverse square root", "log", "reciprocal", "square root")
