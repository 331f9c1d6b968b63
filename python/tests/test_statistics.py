"""Statistics over the first slots of 1,000 rows, with other values in the slots behind them."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj
from ringjet import corrcoef, cov

SEED, N = 5, 1000

#: Errors of encryption in these tests are below it.
NOISE = 1e-6


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return rj.params(11, [50] + [42] * 12, [50] * 3, allow_insecure=True)


@pytest.fixture(scope="module")
def client(params):
    return rj.Client(params, seed=SEED)


@pytest.fixture(scope="module")
def server(client, params):
    return rj.Server(client.evaluation_keys(rotations=[*rj.inner_sum_rotations(1, params.slots), 3]))


@pytest.fixture(scope="module")
def data():
    """Two correlated vectors; their means are large beside their deviations."""
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    v = 0.5 + rng.uniform(-0.5, 0.5, N)
    return v, 0.6 * v - 0.4 * rng.uniform(0, 1, N)


@pytest.fixture(scope="module")
def encrypted(client, server, data):
    """The slots from N on hold values that are larger than all others."""
    return [
        server.load(client.encrypt(values, magnitude=9, fill=fill)) for values, fill in zip(data, (-9, 7), strict=True)
    ]


@pytest.fixture(scope="module")
def whole(client, server):
    """A vector of all slots."""
    values = np.random.default_rng(SEED + 1).uniform(-1, 1, client.slots)
    return values, server.load(client.encrypt(values))


def check(client, y, want, error=0.0, noise=NOISE):
    """All slots are within the stated error of one number, or of an array with zeros behind it. The
    result knows how many values it holds."""
    want = np.asarray(want)
    expected = np.full(client.slots, want) if want.ndim == 0 else np.append(want, np.zeros(client.slots - want.size))
    assert y.count == (want.size if want.ndim else y.slots)
    off = np.max(np.abs(client.decrypt(y, all_slots=True) - expected))
    print(f"off by {off:.1e}, of that {error:.0e} by approximation; estimated noise {2**-y.precision_bits:.0e}")
    assert off <= error + noise
    low, high = y.range
    assert low - error <= expected.min() and expected.max() <= high + error


def test_sums_and_means(client, data, encrypted, whole):
    (v, w), (x, y) = data, encrypted
    check(client, x.sum(N), v.sum())
    check(client, x.mean(N), v.mean())
    check(client, x.sum(1), v[0])
    check(client, y.mean(17), w[:17].mean())
    check(client, whole[1].sum(), whole[0].sum())
    check(client, whole[1].mean(), whole[0].mean())
    assert (x.level - x.sum(N).level, x.level - x.mean(N).level, whole[1].level - whole[1].sum().level) == (1, 1, 0)


def test_variances(client, data, encrypted, whole):
    v, x = data[0], encrypted[0]
    check(client, x.var(N), v.var())
    check(client, x.var(N, ddof=1), v.var(ddof=1))
    check(client, x.var(7), v[:7].var())
    check(client, whole[1].var(), whole[0].var())
    assert (x.level - x.var(N).level, whole[1].level - whole[1].var().level) == (3, 2)


def test_variances_beside_large_means_are_exact(client, server):
    """The difference of the mean of squares and the square of the mean would lose these digits."""
    v = 100 + np.random.default_rng(SEED).uniform(-0.1, 0.1, N)
    x = server.load(client.encrypt(v, magnitude=101, fill=-50)).with_range(-50, 101)
    check(client, x.var(N), v.var(), noise=1e-7)


def test_standard_deviations(client, data, encrypted):
    (v, _), (x, _) = data, encrypted
    check(client, x.std(N, low=0.02, high=0.3), v.std(), 1e-4)
    check(client, x.std(N, ddof=1, low=0.02, high=0.3, error=1e-5), v.std(ddof=1), 1e-5)
    standardised = x.standardise(N, low=0.04, high=0.2, error=1e-3)
    check(client, standardised, (v - v.mean()) / v.std(), 1e-3)


def test_dots_and_norms(client, data, encrypted, whole):
    (v, w), (x, y) = data, encrypted
    check(client, x.dot(y, N), v @ w)
    check(client, x.dot(w, N), v @ w)
    check(client, x.dot([1, -2, 3], 3), v[:3] @ [1, -2, 3])
    check(client, whole[1].dot(whole[1]), whole[0] @ whole[0])
    check(client, x.norm(N, low=100, high=1000), np.linalg.norm(v), 1e-4)
    assert (x.level - x.dot(y, N).level, x.level - x.dot(w, N).level) == (2, 1)


def test_covariances_and_correlations(client, data, encrypted, whole):
    (v, w), (x, y) = data, encrypted
    check(client, cov(x, y, N), np.cov(v, w, ddof=0)[0, 1])
    check(client, cov(x, y, N, ddof=1), np.cov(v, w)[0, 1])
    check(client, cov(whole[1], whole[1]), whole[0].var())
    check(client, corrcoef(x, y, N, low=0.02, high=0.2), np.corrcoef(v, w)[0, 1], 1e-4)
    check(client, corrcoef(x, -x, N, low=0.04, high=0.2, error=1e-3), -1, 1e-3)


@pytest.mark.parametrize("width", [1, 2, 12])
def test_moving_windows(client, data, encrypted, whole, width):
    v, x = data[0], encrypted[0]
    sums = np.convolve(v, np.ones(width), "valid")
    check(client, x.moving_sum(width, N), sums)
    check(client, x.moving_mean(width, N, mode="valid"), sums / width)
    check(client, whole[1].moving_sum(width), np.convolve(whole[0], np.ones(width), "valid"))
    assert x.level - x.moving_mean(width, N).level == 1
    check(client, x.moving_sum(4, 4), v[:4].sum()[None])


def program(x, y):
    root = {"low": 0.02, "high": 0.3}
    return [
        x.sum(N),
        x.mean(N),
        x.var(N),
        x.std(N, **root),
        x.dot(y, N),
        x.norm(N, low=100, high=1000),
        x.standardise(N, **root),
        cov(x, y, N),
        corrcoef(x, y, N, **root),
        x.moving_mean(8, N),
    ]


def test_plans_and_simulations_know_statistics(client, params, data):
    v, w = data
    plan = rj.plan(program, params, magnitudes=[9, 9])
    assert set(plan.keys["rotations"]) == set(rj.inner_sum_rotations(1, params.slots))
    found = rj.simulate(program, np.append(v, [9]), np.append(w, [7]), params=params, magnitudes=[9, 9], noise=False)
    standardised, moving = (v - v.mean()) / v.std(), np.convolve(v, np.full(8, 1 / 8), "valid")
    numbers = [v.sum(), v.mean(), v.var(), v.std(), v @ w, np.linalg.norm(v)]
    numbers += [standardised, np.cov(v, w, ddof=0)[0, 1], np.corrcoef(v, w)[0, 1], moving]
    for output, planned, want in zip(found.outputs, plan.outputs, numbers, strict=True):
        assert np.max(np.abs(output.values - want)) <= 1e-4 + 1e-9
        assert output.level == planned.level
    assert not found.warnings
    wrong = rj.simulate(lambda x: x.std(N, low=0.5, high=1), v, params=params)
    assert "stated range [0.5, 1]" in str(wrong.warnings)


def test_missing_keys_are_named_together(client, data):
    x = rj.Server(client.evaluation_keys(rotations=[2, 8])).load(client.encrypt(data[0]))
    for call in (lambda: x.sum(N), lambda: x.var(N), lambda: x.standardise(N, low=0.02, high=0.3)):
        with pytest.raises(rj.MissingRotationKeyError) as missing:
            call()
        assert set(missing.value.rotations) == set(rj.inner_sum_rotations(1, client.slots)) - {2, 8}
    with pytest.raises(rj.MissingRotationKeyError) as missing:
        x.moving_sum(12, N)
    assert set(missing.value.rotations) == set(rj.inner_sum_rotations(1, 12)) - {2, 8}


def test_what_cannot_be_is_refused(client, server, encrypted):
    x, y = encrypted
    z = server.load(client.encrypt([1j, 0.5]))
    root = {"low": 0.1, "high": 1}
    for call, name, value in [
        (lambda: x.sum(0), "n", "0"),
        (lambda: x.mean(client.slots + 1), "n", str(client.slots + 1)),
        (lambda: x.var(2.5), "n", "2.5"),
        (lambda: x.var(3, ddof=3), "ddof", "3"),
        (lambda: cov(x, y, 2, ddof=-1), "ddof", "-1"),
        (lambda: x.dot([1, 2], 3), "y", "an array of shape (2,)"),
        (lambda: x.dot([1, 2, 3, 4], 3), "y", "an array of shape (4,)"),
        (lambda: x.dot([1j, 2], 2), "y", "complex values"),
        (lambda: x.std(N, low=-1, high=1), "interval", "[-1, 1]"),
        (lambda: x.standardise(N, low=0, high=1), "interval", "[0, 1]"),
        (lambda: corrcoef(x, y, N, low=0, high=1), "interval", "[0, 1]"),
        (lambda: x.moving_sum(0), "width", "0"),
        (lambda: x.moving_sum(6, 5), "width", "6"),
        (lambda: x.moving_mean(2, mode="same"), "mode", "'same'"),
        (lambda: z.sum(), "x", "complex values"),
        (lambda: z.standardise(**root), "x", "complex values"),
        (lambda: x.dot(z), "y", "complex values"),
        (lambda: cov(x, z), "y", "complex values"),
    ]:
        with pytest.raises(rj.ArgumentError) as refused:
            call()
        assert (refused.value.name, refused.value.value) == (name, value)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_sums_of_integers_are_exact(scheme):
    t = 12289
    params = rj.bgv(10, t, [28, 27, 27, 27], [33], scheme=scheme, allow_insecure=True)
    client = rj.Client(params, seed=SEED)
    half = client.slots // 2
    keys = client.evaluation_keys(rotations=rj.inner_sum_rotations(1, half), conjugation=True)
    server = rj.Server(keys, allow_insecure=True)
    a, b = np.random.default_rng(SEED).integers(-6, 7, size=(2, client.slots))
    x, y = server.load(client.encrypt(a)), server.load(client.encrypt(b))
    n = half + 100  # in both rows
    for got, want in [
        (x.sum(), a.sum()),
        (x.sum(n), a[:n].sum()),
        (x.dot(y, n), a[:n] @ b[:n]),
        (x.dot(b, 9), a[:9] @ b[:9]),
    ]:
        assert np.array_equal(client.decrypt(got), np.full(client.slots, (want + t // 2) % t - t // 2))
    plan = rj.plan(lambda x, y: x.dot(y, n), params)
    assert set(plan.keys["rotations"]) == set(rj.inner_sum_rotations(1, half)) and plan.keys["conjugation"]
    for op, call in [
        ("mean", lambda: x.mean(3)),
        ("var", lambda: x.var(3)),
        ("std", lambda: x.std(3, low=0, high=1)),
        ("norm", lambda: x.norm(3, low=0, high=1)),
        ("standardise", lambda: x.standardise(3, low=0.5, high=1)),
        ("moving_sum", lambda: x.moving_sum(3)),
        ("moving_mean", lambda: x.moving_mean(3)),
        ("cov", lambda: cov(x, y, 3)),
        ("corrcoef", lambda: corrcoef(x, y, 3, low=0.5, high=1)),
    ]:
        with pytest.raises(rj.SchemeError, match=f"has no {op}: ") as refused:
            call()
        assert (refused.value.scheme, refused.value.op) == (scheme.upper(), op)


def test_sums_modulo_powers_of_two():
    params = rj.heaan(10, 240, 40, 64, allow_insecure=True)
    client = rj.Client(params, seed=SEED)
    server = rj.Server(client.evaluation_keys(rotations=rj.inner_sum_rotations(1, 64)), allow_insecure=True)
    v = np.random.default_rng(SEED).uniform(-1, 1, 50)
    x = server.load(client.encrypt(v, fill=0.7))
    for got, want in [
        (x.sum(50), v.sum()),
        (x.mean(50), v.mean()),
        (x.var(50), v.var()),
        (x.dot(x, 50), v @ v),
        (cov(x, x, 50, ddof=1), v.var(ddof=1)),
    ]:
        check(client, got, want)
    with pytest.raises(rj.SchemeError):
        x.std(50, low=0.1, high=1)


def test_sums_are_bounded_by_their_values(params):
    """Few values among many slots: their sum needs no more room than they take."""
    narrow = rj.params(14, [50] + [45] * 2, [50], allow_insecure=True)
    for make in (lambda x: x.sum(4), lambda x: x.mean(16), lambda x: x.dot(np.ones(4), 4)):
        assert rj.plan(make, narrow, level=1).outputs[0].level == 0
    client = rj.Client(params, slots=64, seed=9)
    server = rj.Server(client.evaluation_keys(rotations=rj.inner_sum_rotations(1, 64)), allow_insecure=True)
    x = server.load(client.encrypt(np.arange(3) / 4))
    y = x.inner_sum(1, 64, terms=3)
    assert np.max(np.abs(client.decrypt(y) - 0.75)) < 1e-6
    assert y.magnitude == pytest.approx(3) and x.inner_sum(1, 64).magnitude == pytest.approx(64)
    with pytest.raises(rj.ArgumentError, match="terms = 0"):
        x.inner_sum(1, 64, terms=0)
    with pytest.raises(rj.ArgumentError, match="n = 2.5"):
        x.sum(2.5)
