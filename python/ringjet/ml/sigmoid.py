"""Polynomials near the sigmoid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]


def sigmoid(z: npt.ArrayLike) -> Vector:
    """`1 / (1 + exp(-z))`."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(z, dtype=np.float64))))


def coefficients(degree: int, bound: float) -> tuple[float, ...]:
    """The polynomial nearest to the sigmoid of -z in the mean square over |z| <= bound: its coefficients in u = z / bound,
    constant first. Beside 1/2 only odd ones are not zero. For a bound of 8 these are those of HELR."""
    if degree not in (3, 5, 7):
        raise ValueError(f"degree = {degree}: 3, 5 and 7 are known")
    nodes, weights = np.polynomial.legendre.leggauss(400)
    values = sigmoid(-bound * nodes)
    terms = [
        (2 * k + 1) / 2 * np.sum(weights * values * np.polynomial.legendre.Legendre.basis(k)(nodes)) for k in range(degree + 1)
    ]
    power = np.polynomial.legendre.leg2poly(terms)
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
    roots = np.roots([lead, c[5], c[3], c[1]])
    r = float(roots[np.argmin(np.abs(roots.imag))].real)
    # (U - r)(U^2 + p U + q): by synthetic division
    p = c[5] / lead + r
    q = c[3] / lead + r * p
    return lead, p / 2, q - p * p / 4, r
