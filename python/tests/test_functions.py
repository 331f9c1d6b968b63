"""Functions of encrypted values by `apply`, and the polynomials that `approximate` finds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ringjet as rj


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(
    ("f", "exact"), [("sigmoid", sigmoid), (np.tanh, np.tanh), (math.sin, np.sin), (lambda x: 2.0, lambda x: 2 + 0 * x)]
)
def test_a_polynomial_is_as_close_as_it_says(f, exact):
    p = rj.approximate(f, (-8, 8), 1e-4)
    x = np.linspace(-8, 8, 10_001)
    assert np.max(np.abs(p(x) - exact(x))) <= p.error <= 1e-4
    assert (p.domain, p.function) == ((-8, 8), None if isinstance(f, str) else f)
    assert len(p.coef) == p.degree + 1
    assert p(0.5) == p(np.array([[0.5]]))[0, 0]
    assert repr(p).startswith(f"Approximation(degree={p.degree}, depth={p.depth}, error=") and "domain=(-8, 8)" in repr(
        p
    )
    assert np.allclose(np.polynomial.Chebyshev(p.coef, domain=p.domain)(x), p(x))


def test_functions_of_encrypted_values(client, server, v):
    x = server.load(client.encrypt(v))
    for f, exact in [("exp", np.exp), (np.cos, np.cos), ("relu", lambda x: np.maximum(x, 0))]:
        error = 0.05 if f == "relu" else 1e-4
        y = x.apply(f, (-1, 1), error=error)
        assert y.level == x.level - rj.approximate(f, (-1, 1), error).depth
        assert np.max(np.abs(client.decrypt(y) - exact(v))) <= error + 1e-6
    sine = rj.approximate("sin", (-1, 1))
    assert np.max(np.abs(client.decrypt(x.polynomial(sine)) - np.sin(v))) <= sine.error + 1e-6


def test_plans_and_simulations_know_functions(params):
    def program(x):
        return x.apply(np.exp, (-2, 2), error=1e-3)

    depth = rj.approximate(np.exp, (-2, 2), 1e-3).depth
    plan = rj.plan(program, params)
    assert params.max_level - plan.outputs[0].level == depth
    simulation = rj.simulate(program, np.linspace(-1, 1, 100), params=params, noise=False)
    assert np.max(np.abs(simulation.outputs[0].values[:100] - np.exp(np.linspace(-1, 1, 100)))) <= 1e-3
    assert "leave [-2, 2]" in str(rj.simulate(program, np.full(100, 3.0), params=params).warnings)


def test_what_cannot_be_is_refused(client, server, v):
    with pytest.raises(rj.ArgumentError, match="least possible|at least"):
        rj.approximate(np.sign, (-1, 1), 1e-3)
    with pytest.raises(rj.ArgumentError, match="a function, or one of abs, "):
        rj.approximate("sine", (-1, 1))
    with pytest.raises(rj.ArgumentError, match="-inf at 0"), np.errstate(divide="ignore"):
        rj.approximate(np.log, (0, 1))
    with pytest.raises(rj.ArgumentError, match="interval"):
        rj.approximate(np.exp, (1, -1))
    with pytest.raises(ZeroDivisionError):
        rj.approximate(lambda x: 1 / 0, (-1, 1))
    with pytest.raises(rj.ArgumentError, match="complex values"):
        rj.approximate(lambda x: 1j * x, (-1, 1))
    with pytest.raises(rj.OutsideIntervalError):  # before anything is computed
        server.load(client.encrypt(v)).apply("exp", (-0.5, 0.5))


@pytest.mark.parametrize(("scheme", "values"), [("bgv", [1, 0]), ("bfv", [1, 0]), ("heaan", [1, 0.5])])
def test_schemes_without_polynomials_of_real_numbers(scheme, values):
    params = rj.heaan(10, 120, 30, 8, allow_insecure=True) if scheme == "heaan" else rj.preset(f"{scheme}-n13")
    client = rj.Client(params)
    x = rj.Server(client.evaluation_keys(), allow_insecure=True).load(client.encrypt(values))
    with pytest.raises(rj.SchemeError):
        x.apply("exp", (0, 2))
