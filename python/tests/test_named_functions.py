"""Functions of every slot by name, by Newton's and Goldschmidt's iterations, and softmax."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors import _functions

SEED = 11

#: Errors of encryption in these tests are below it.
NOISE = 2e-6


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return rj.params(11, [50] + [42] * 16, [50] * 3, allow_insecure=True)


@pytest.fixture(scope="module")
def client(params):
    return rj.Client(params, seed=SEED)


@pytest.fixture(scope="module")
def server(client, params):
    return rj.Server(client.evaluation_keys(rotations=rj.inner_sum_rotations(1, params.slots)))


@pytest.fixture
def rng():
    print(f"seed {SEED}")
    return np.random.default_rng(SEED)


def between(rng, low, high, slots):
    """Random values with both ends, half of them evenly on a logarithmic scale where low > 0."""
    values = rng.uniform(low, high, slots)
    if low > 0:
        values[::2] = np.geomspace(low, high, values[::2].size)
    values[:2] = low, high
    return values


def softmax(v):
    e = np.exp(v - v.max())
    return e / e.sum()


EXACT = {
    "exp": np.exp,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "gelu": lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "log": np.log,
    "reciprocal": lambda x: 1 / x,
    "sqrt": np.sqrt,
    "inverse_sqrt": lambda x: x**-0.5,
}


@pytest.mark.parametrize("name", [*EXACT][:10])
def test_functions_have_names(client, server, rng, name):
    low, high = (0.2, 3) if name == "log" else (-3, 3)
    v = between(rng, low, high, client.slots)
    x = server.load(client.encrypt(v, magnitude=3)).with_range(low, high)
    y = getattr(x, name)((low, high), error=1e-3)
    assert np.max(np.abs(client.decrypt(y) - EXACT[name](v))) <= 1e-3 + NOISE
    assert x.level - y.level == rj.approximate(name, (low, high), 1e-3).depth


@pytest.mark.parametrize(
    ("name", "low", "high", "levels"),
    [
        ("reciprocal", 0.1, 1, 5),  # [0.1, 1.1] is mapped to [-1, 1] without a level
        ("reciprocal", 0.5, 8, 6),
        ("reciprocal", -4, -0.25, 6),
        ("sqrt", 0, 1, 8),
        ("sqrt", 0.05, 1, 4),
        ("sqrt", 1, 50, 6),
        ("inverse_sqrt", 0.05, 1, 5),
        ("inverse_sqrt", 1, 50, 6),
    ],
)
def test_roots_and_reciprocals_keep_the_error(client, server, rng, name, low, high, levels):
    error = 1e-3 if low == 0 else 1e-4
    v = between(rng, low, high, client.slots)
    x = server.load(client.encrypt(v, magnitude=max(abs(low), high))).with_range(low, high)
    y = getattr(x, name)(low, high, error=error)
    off = np.max(np.abs(client.decrypt(y) - EXACT[name](v)))
    print(name, low, high, "off by", off, "estimated noise", 2**-y.precision_bits)
    assert off <= error + NOISE
    assert x.level - y.level == levels
    # the true values, with the error, are in the range that the result states
    exact = EXACT[name](v)
    assert y.range[0] <= exact.min() + error and exact.max() - error <= y.range[1]


@pytest.mark.parametrize(
    ("name", "low", "high", "error", "kind"),
    [
        ("reciprocal", 1e-4, 1, 1e-2, "3 steps from degree"),
        ("reciprocal", 1, 1e6, 1e-6, "steps from degree"),
        ("inverse_sqrt", 1, 1e6, 1e-5, "4 factors"),
        ("inverse_sqrt", 1e-6, 1, 1e-2, "4 factors"),
        ("sqrt", 0, 1, 1e-4, "polynomial"),
        ("sqrt", 0, 1, 1e-5, "6 factors"),
    ],
)
def test_programs_keep_the_error_on_a_dense_grid(name, low, high, error, kind):
    program = _functions._program(name, low, high, error)
    assert kind in program.name
    x = np.concatenate([np.linspace(low, high, 30_011), np.geomspace(max(low, 1e-13), high, 30_011), [low, high]])
    x = np.clip(x, low, high)
    assert np.max(np.abs(program.run(x) - EXACT[name](x))) <= error


def test_programs_of_several_polynomials_are_computed(client, server, rng):
    """Small cases of the programs that take many levels on wide intervals."""
    v = between(rng, 0.05, 1, client.slots)
    x = server.load(client.encrypt(v)).with_range(0.05, 1)
    goldschmidt = [p for p in _functions._goldschmidt(0.05, 1, 1e-4) if p.levels <= 8]
    products = [(n, p) for n in ("sqrt", "inverse_sqrt") for p in _functions._products(n, 0.05, 1, 1e-6)]
    assert len(goldschmidt) >= 3 and len(products) == 2
    for name, program in [("reciprocal", p) for p in goldschmidt] + products:
        y = program.run(x)
        got = client.decrypt(y)
        off, noise = np.max(np.abs(got - EXACT[name](v))), np.abs(got - program.run(v))
        print(name, program.name, "off by", off, "noise", noise.max(), "estimated", 2**-y.precision_bits, y.error_bound)
        assert noise.max() <= y.error_bound and np.std(noise) <= 2 * 2**-y.precision_bits
        assert off <= (1e-4 if name == "reciprocal" else 1e-6) + NOISE
        assert x.level - y.level == program.levels
        assert program.distance(EXACT[name], 0.05, 1) <= 1e-4


@pytest.mark.parametrize("exponent", [0, 1, 3, -1, 0.5, -0.5, 1.5, -2, 0.2])
def test_powers(client, server, rng, exponent):
    v = between(rng, 0.2, 1.5, client.slots)
    x = server.load(client.encrypt(v, magnitude=1.5)).with_range(0.2, 1.5)
    y = x.power(exponent, None if exponent in (0, 1, 3) else (0.2, 1.5), error=1e-4)
    allowed = 0 if exponent in (0, 1, 3) else 1e-4
    assert np.max(np.abs(client.decrypt(y) - v**exponent)) <= allowed + NOISE


@pytest.mark.parametrize(
    ("n", "bound", "error"), [(10, 2.0, 1e-4), (3, 4.0, 1e-3), (200, 1.5, 1e-4), (None, 1.0, 1e-5)]
)
def test_softmax(client, server, rng, n, bound, error):
    count = n or client.slots
    v = rng.uniform(-bound, bound, count)
    v[:2] = bound, -bound
    x = server.load(client.encrypt(v, magnitude=bound, fill=0.9 * bound))
    y = x.softmax(n, bound=bound, error=error)
    got = client.decrypt(y)
    off = np.max(np.abs(got[:count] - softmax(v)))
    print("softmax", n, "off by", off, "estimated noise", 2**-y.precision_bits)
    assert off <= error + NOISE
    assert abs(got[:count].sum() - 1) <= count * (error + NOISE)
    assert np.max(np.abs(got[count:]), initial=0) <= NOISE


def test_the_worst_values_of_softmax_keep_the_error(client, server):
    """One large value, or one small one, among values at the other end."""
    for one in (1, -1):
        v = np.full(8, -2.0 * one)
        v[3] = 2.0 * one
        x = server.load(client.encrypt(v, magnitude=2))
        assert np.max(np.abs(client.decrypt(x.softmax(8, bound=2, error=1e-4))[:8] - softmax(v))) <= 1e-4 + NOISE


def program(x):
    x = x.with_range(0.1, 1)
    return x.reciprocal(0.1, 1), x.sqrt(0.1, 1), x.inverse_sqrt(0.1, 1), x.power(-1.5, (0.1, 1)), x.softmax(8, bound=1)


def test_plans_and_simulations_know_the_functions(params):
    plan = rj.plan(program, params)
    assert set(plan.keys["rotations"]) == set(rj.inner_sum_rotations(1, params.slots))
    v = between(np.random.default_rng(SEED), 0.1, 1, params.slots)
    found = rj.simulate(program, v, params=params, noise=False)
    assert [o.level for o in found.outputs] == [o.level for o in plan.outputs]
    exact = [1 / v, np.sqrt(v), v**-0.5, v**-1.5, softmax(v[:8])]
    for output, want in zip(found.outputs, exact, strict=True):
        assert np.max(np.abs(output.values - want)) <= 1e-4 + 1e-9
    assert not found.warnings
    outside = rj.simulate(lambda x: x.reciprocal(0.5, 2), np.full(params.slots, 0.25), params=params)
    assert "leave [0.5, 2]" in str(outside.warnings)


def test_what_cannot_be_is_refused(client, server, rng):
    x = server.load(client.encrypt(rng.uniform(-1, 1, 4)))
    for call, name, value in [
        (lambda: x.reciprocal(-1, 1), "interval", "[-1, 1]"),
        (lambda: x.reciprocal(0, 1), "interval", "[0, 1]"),
        (lambda: x.reciprocal(2, 1), "interval", "[2, 1]"),
        (lambda: x.inverse_sqrt(0, 1), "interval", "[0, 1]"),
        (lambda: x.sqrt(-0.5, 1), "interval", "[-0.5, 1]"),
        (lambda: x.sqrt(0, math.inf), "interval", "[0, inf]"),
        (lambda: x.log((0, 1)), "interval", "[0, 1]"),
        (lambda: x.power(-2), "interval", "None"),
        (lambda: x.power(0.5, (-1, 1)), "interval", "[-1, 1]"),
        (lambda: x.power(math.nan, (1, 2)), "exponent", "nan"),
        (lambda: x.with_range(0.5, 1).reciprocal(0.5, 1, error=0), "error", "0"),
        (lambda: x.softmax(0, bound=1), "n", "0"),
        (lambda: x.softmax(5000, bound=1), "n", "5000"),
        (lambda: x.softmax(4, bound=30), "bound", "30"),
        (lambda: x.softmax(4, bound=0), "bound", "0"),
    ]:
        with pytest.raises(rj.ArgumentError) as refused:
            call()
        assert (refused.value.name, refused.value.value) == (name, value)
    with pytest.raises(rj.ArgumentError):
        x.with_range(0, 1).sqrt(0, 1, error=1e-11)


def test_values_outside_of_the_interval_are_refused_first(client, server, rng):
    x = server.load(client.encrypt(rng.uniform(0.5, 1, 4)))
    for call in (lambda: x.reciprocal(0.5, 1), lambda: x.sqrt(0.5, 1), lambda: x.inverse_sqrt(0.5, 1)):
        with pytest.raises(rj.OutsideIntervalError) as refused:
            call()
        assert (refused.value.low, refused.value.a, refused.value.b) == (-1, 0.5, 1)
    with pytest.raises(rj.OutsideIntervalError) as refused:
        x.softmax(4, bound=0.5)
    assert (refused.value.high, refused.value.a, refused.value.b) == (1, -0.5, 0.5)


@pytest.mark.parametrize("scheme", ["bgv", "bfv", "heaan"])
def test_other_schemes_are_refused(scheme):
    params = rj.heaan(10, 120, 30, 8, allow_insecure=True) if scheme == "heaan" else rj.preset(f"{scheme}-n13")
    client = rj.Client(params, seed=SEED)
    x = rj.Server(client.evaluation_keys(), allow_insecure=True).load(client.encrypt([1, 0]))
    for call in (
        lambda: x.exp((0, 2)),
        lambda: x.reciprocal(1, 2),
        lambda: x.sqrt(0, 2),
        lambda: x.inverse_sqrt(1, 2),
        lambda: x.power(0.3, (1, 2)),
        lambda: x.softmax(2, bound=2),
    ):
        with pytest.raises(rj.SchemeError):
            call()


def test_softmax_names_all_missing_keys(client):
    bare = rj.Server(client.evaluation_keys(rotations=[1]))
    x = bare.load(client.encrypt([0.5, 0.25]))
    with pytest.raises(rj.MissingRotationKeyError) as missing:
        x.softmax(2, bound=1)
    assert set(missing.value.rotations) == set(rj.inner_sum_rotations(1, client.slots)) - {1}
