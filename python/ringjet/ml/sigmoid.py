"""Polynomials that approximate the sigmoid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

#: The supported degrees.
DEGREES = (3, 5, 7, 9, 11, 13, 15)

_KNOWN: dict[tuple[int, float], tuple[float, ...]] = {}


def sigmoid(z: npt.ArrayLike) -> Vector:
    """`1 / (1 + exp(-z))`."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(z, dtype=np.float64))))


def coefficients(degree: int, bound: float) -> tuple[float, ...]:
    """The least-squares approximation of the sigmoid of -z for |z| <= bound: coefficients in powers
    of u = z / bound, constant first. Even coefficients except the constant 1/2 are zero. For a
    bound of 8 it is the polynomial of HELR (Han, Song, Cheon, Park, AAAI 2019).

    The result is the same on every machine, since no linear algebra library is used, whose last
    bits vary.
    """
    if degree not in DEGREES:
        raise ValueError(f"degree = {degree}: odd numbers from 3 to 15 are known")
    key = (degree, float(bound))
    if key not in _KNOWN:
        _KNOWN[key] = _coefficients(*key)
    return _KNOWN[key]


def _coefficients(degree: int, bound: float) -> tuple[float, ...]:
    # Simpson's rule; integrands are products of two odd functions, so half the interval suffices
    u = np.linspace(0.0, 1.0, 4001)
    weights = np.where(np.arange(4001) % 2, 4.0, 2.0) / (3 * 4000)
    weights[[0, -1]] /= 2
    values = 0.5 * np.tanh(-0.5 * bound * u) * weights
    power = np.zeros(degree + 1)
    for k in range(1, degree + 1, 2):
        legendre = np.polynomial.legendre.leg2poly([0.0] * k + [1.0])
        factor = (2 * k + 1) * math.fsum(values * np.polynomial.polynomial.polyval(u, legendre))
        power[: k + 1] += factor * legendre
    return tuple(0.5 if k == 0 else float(c) if k % 2 else 0.0 for k, c in enumerate(power))


def evaluate(c: tuple[float, ...], u: npt.ArrayLike) -> Vector:
    """The value of the polynomial at u."""
    return np.asarray(np.polynomial.polynomial.polyval(np.asarray(u), c))


def reach(degree: int, bound: float) -> float:
    """The score beyond which the polynomial's error exceeds 1/2, so that training diverges. It is a
    little above `bound`."""
    u = np.linspace(1.0, 2.0, 1001)
    wrong = np.abs(evaluate(coefficients(degree, bound), u) - sigmoid(-bound * u)) > 0.5
    return float(bound * u[np.argmax(wrong)])


#: Bounds on the polynomial's values for scores up to `reach`, where its error is little more than
#: 1/2.
VALUES = (-0.55, 1.55)


def warning(degree: int, bound: float, scores: npt.ArrayLike) -> str:
    """A warning for a model whose scores leave the range of its training; empty if they do not."""
    reached = float(np.max(np.abs(np.asarray(scores))))
    if reached <= reach(degree, bound):
        return ""
    return (
        f"scores reach {reached:.3g}, too far beyond bound={bound:g}, where the sigmoid's polynomial is near it: "
        "use a larger bound or l2, or a lower learning_rate"
    )


@dataclass(frozen=True)
class Factors:
    """The odd part of a polynomial in u as a product with the least number of levels. With U =
    u**2, the factors are `lead * u`, then `U - root` unless root is None, then `(U + h)**2 + k` for
    every pair (h, k) of `squares`."""

    lead: float
    root: float | None
    squares: tuple[tuple[float, float], ...]


def factors(c: tuple[float, ...]) -> Factors:
    """The factors of a polynomial from `coefficients`."""
    odd = c[1::2]
    roots = _roots([x / odd[-1] for x in odd])
    real = sorted(z.real for z in roots if abs(z.imag) < 1e-9)
    squares = [(-z.real, z.imag * z.imag) for z in sorted(roots, key=lambda z: (z.real, z.imag)) if z.imag >= 1e-9]
    alone = real.pop() if len(real) % 2 else None
    for a, b in zip(real[::2], real[1::2]):
        squares.append((-(a + b) / 2, -((a - b) ** 2) / 4))
    return Factors(odd[-1], alone, tuple(squares))


def _roots(c: Sequence[float]) -> list[complex]:
    """All roots of a monic polynomial (coefficients with the constant first), by the method of
    Durand and Kerner."""
    z = [(0.4 + 0.9j) ** k for k in range(len(c) - 1)]
    for _ in range(200):
        for i, at in enumerate(z):
            value, others = 0j, 1 + 0j
            for x in reversed(c):
                value = value * at + x
            for j, other in enumerate(z):
                if j != i:
                    others *= at - other
            z[i] = at - value / others
    return z
