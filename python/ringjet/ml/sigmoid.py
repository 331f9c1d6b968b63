"""Polynomials near the sigmoid."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

_KNOWN: dict[tuple[int, float], tuple[float, ...]] = {}


def sigmoid(z: npt.ArrayLike) -> Vector:
    """`1 / (1 + exp(-z))`."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(z, dtype=np.float64))))


def coefficients(degree: int, bound: float) -> tuple[float, ...]:
    """The polynomial nearest to the sigmoid of -z in the mean square over |z| <= bound: its coefficients in u = z / bound,
    constant first. Beside 1/2 only odd ones are not zero. For a bound of 8 these are those of HELR.

    The same on every machine: no linear algebra, whose last bits vary, takes part."""
    if degree not in (3, 5, 7):
        raise ValueError(f"degree = {degree}: 3, 5 and 7 are known")
    key = (degree, float(bound))
    if key not in _KNOWN:
        _KNOWN[key] = _coefficients(*key)
    return _KNOWN[key]


def _coefficients(degree: int, bound: float) -> tuple[float, ...]:
    # Simpson's rule; the integrands are odd functions' products, so half the interval is enough
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
    """The polynomial at u."""
    return np.asarray(np.polynomial.polynomial.polyval(np.asarray(u), c))


def factors(c: tuple[float, ...]) -> tuple[float, ...]:
    """The odd part as products of squares, so that it takes as few levels as possible; with U = u^2 it is

    - degree 3: `lead u (U + h)`, lead and h;
    - degree 5: `lead u ((U + h)^2 + k)`, lead, h and k;
    - degree 7: `lead u (U - r) ((U + h)^2 + k)`, lead, h, k and r.
    """
    lead = c[-1]
    if len(c) == 4:
        return lead, c[1] / lead
    if len(c) == 6:
        h = c[3] / (2 * lead)
        return lead, h, c[1] / lead - h * h
    r = _real_root(c[5] / lead, c[3] / lead, c[1] / lead)
    # (U - r)(U^2 + p U + q): by synthetic division
    p = c[5] / lead + r
    q = c[3] / lead + r * p
    return lead, p / 2, q - p * p / 4, r


def _real_root(a: float, b: float, c: float) -> float:
    """A real root of `U^3 + a U^2 + b U + c`, by bisection."""
    high = 1 + max(abs(a), abs(b), abs(c))
    low = -high
    for _ in range(200):
        middle = (low + high) / 2
        if ((middle + a) * middle + b) * middle + c > 0:
            high = middle
        else:
            low = middle
    return high
