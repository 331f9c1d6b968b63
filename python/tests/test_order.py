"""Ranks, sorted values and order statistics of encrypted values."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj

N, GAP = 12, 1 / 32


@pytest.fixture(scope="module")
def deep() -> rj.Parameters:
    return rj.params(10, [50] + [40] * 30, [50] * 6, allow_insecure=True)


def program(x: rj.Ciphertext) -> dict[str, rj.Ciphertext]:
    options = {"gap": GAP, "error": 2**-8}
    return {
        "rank": x.rank(N, **options),
        "sort": x.sort(N, **options),
        "descending": x.sort(N, descending=True, **options),
        "top": x.top_k(3, N, **options),
        "median": x.median(N, **options),
        "quantile": x.quantile(0.3, N, **options),
        "max": x.max(N, **options),
        "min": x.min(N, **options),
        "argmax": x.argmax(N, **options),
        "argmin": x.argmin(N, **options),
        "largest": x.argmax(N, one_hot=True, **options),
    }


def expected(v: np.ndarray, slots: int) -> dict[str, np.ndarray]:
    """What numpy makes of the first N values: with zeros behind them, or the same in every slot."""
    v = v[:N]
    less, equal = (v[:, None] > v).sum(axis=1), (v[:, None] == v).sum(axis=1)
    vectors = {
        "rank": less + (equal - 1) / 2,
        "sort": np.sort(v),
        "descending": np.sort(v)[::-1],
        "top": np.sort(v)[::-1][:3],
        "largest": np.eye(N)[np.argmax(v)],
    }
    numbers = {
        "median": np.median(v),
        "quantile": np.quantile(v, 0.3),
        "max": v.max(),
        "min": v.min(),
        "argmax": np.argmax(v),
        "argmin": np.argmin(v),
    }
    padded = {name: np.concatenate([vector, np.zeros(slots - vector.size)]) for name, vector in vectors.items()}
    return padded | {name: np.full(slots, number) for name, number in numbers.items()}


def compare(seen: dict[str, np.ndarray], v: np.ndarray, slots: int, noise: float) -> None:
    width = 2.0
    for name, known in expected(v, slots).items():
        allowed = 2**-8 * {"rank": 1, "argmax": N, "argmin": N, "largest": 1}.get(name, width) + noise
        assert np.max(np.abs(seen[name] - known)) <= allowed, name


def drawn(rng: np.random.Generator, ties: bool) -> np.ndarray:
    """Values in [-1, 1] that are multiples of the gap, with and without equal ones; garbage behind
    them."""
    grid = np.arange(-32, 33) * GAP
    return np.concatenate([rng.choice(grid, N, replace=ties), rng.uniform(-1, 1, 16 - N)])


@pytest.mark.parametrize("slots", [16, 64, 256, 512])  # squares in 16, 4 and 1 ciphertexts, and one that repeats
@pytest.mark.parametrize("ties", [False, True])
def test_order_in_the_clear(deep, slots, ties):
    rng = np.random.default_rng(slots)
    for _ in range(3):
        v = drawn(rng, ties)
        result = rj.simulate(program, v, params=deep, slots=slots, noise=False)
        compare({output.name[2:-2]: output.slot_values for output in result.outputs}, v, slots, 1e-6)
        assert [o.count for o in result.outputs] == [
            {"rank": N, "sort": N, "descending": N, "top": 3, "largest": N}.get(o.name[2:-2], slots)
            for o in result.outputs
        ]
        assert not result.warnings


def test_encrypted_order(deep):
    plan = rj.plan(program, deep, slots=256)
    client = rj.Client(deep, slots=256, seed=4)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    for ties in (False, True):
        v = drawn(np.random.default_rng(11 + ties), ties)
        results = program(server.load(client.encrypt(v)))
        compare({name: client.decrypt(y, all_slots=True) for name, y in results.items()}, v, 256, 2e-3)
    # a range that is known to be narrow makes the gap wide
    x = server.load(client.encrypt(0.1 * v + 5, magnitude=6)).with_range(4.8, 5.2)
    assert abs(client.decrypt(x.median(N, gap=GAP / 10))[0] - np.median(0.1 * v[:N] + 5)) <= 0.4 * 2**-10 + 1e-3


def test_one_value(deep):
    v = np.array([0.5, -0.25])
    result = rj.simulate(
        lambda x: [x.sort(1), x.max(1), x.argmax(1), x.argmin(1, one_hot=True), x.rank(1)],
        v,
        params=deep,
        slots=16,
        noise=False,
    )
    first = np.eye(16)[0]
    for output, known in zip(result.outputs, [0.5 * first, 0.5, 0, first, 0], strict=True):
        assert np.max(np.abs(output.slot_values - known)) <= 2**-9


def test_close_values_get_ranks_between(deep):
    v = np.array([-0.5, 0.0, GAP / 4, 0.5])
    ranks = rj.simulate(lambda x: x.rank(4, gap=GAP), v, params=deep, slots=16, noise=False).outputs[0].values[:4]
    assert np.max(np.abs(ranks[[0, 3]] - [0, 3])) < 0.01
    assert 1 <= ranks[1] < 1.5 < ranks[2] <= 2 and abs(ranks[1] + ranks[2] - 3) < 0.01


def test_histograms(deep):
    rng = np.random.default_rng(5)
    v = (rng.integers(-16, 16, 64) + 0.5) / 16
    edges = [-1, -0.5, 0, 0.25, 1]
    counts = np.histogram(v[:50], edges)[0]
    result = rj.simulate(lambda x: x.histogram(edges, 50, gap=GAP), v, params=deep, slots=64, noise=False)
    assert np.max(np.abs(result.outputs[0].slot_values - np.concatenate([counts, np.zeros(60)]))) <= 2**-9
    assert result.outputs[0].count == 4
    assert not result.warnings


def test_what_cannot_be_is_refused(deep):
    def refused(make, text):
        with pytest.raises(rj.ArgumentError, match=text):
            rj.plan(make, deep, slots=16)

    refused(lambda x: x.sort(17), "n = 17: .*1 to 16")
    refused(lambda x: x.sort(2.5), "n = 2.5: .*1 to 16")
    refused(lambda x: x.sort(0), "n = 0: .*1 to 16")
    refused(lambda x: x.top_k(5, 4), "k = 5: .*1 to 4")
    refused(lambda x: x.quantile(1.5), "q = 1.5: .*0 to 1")
    refused(lambda x: x.sort(gap=3.0), "gap = 3.0: .*by which values may differ")
    refused(lambda x: x.sort(gap=-1), "gap = -1")
    refused(lambda x: x.rank(ties="first"), "ties = 'first'")
    refused(lambda x: x.histogram([0.0]), "edges")
    refused(lambda x: x.histogram([0.0, 0.0]), "edges")
    refused(lambda x: x.times_i().sort(), "real values")
    wide = rj.params(13, [50] + [40] * 4, [50] * 2, allow_insecure=True)
    with pytest.raises(rj.ArgumentError, match="at most 1024 values"):
        rj.plan(lambda x: x.sort(2000), wide)
    with pytest.raises(rj.LevelExhaustedError):
        rj.plan(lambda x: x.sort(100), wide)
    client = rj.Client(deep, slots=16)
    x = rj.Server(client.evaluation_keys(), allow_insecure=True).load(client.encrypt([0.5, 0.25, 0, 1]))
    with pytest.raises(rj.MissingRotationKeyError):
        x.sort()


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x.sort(16, gap=2**-6),
        lambda x: x.rank(16, gap=2**-6),
        lambda x: x.median(16, gap=2**-6, ties="average"),
        lambda x: x.argmax(16, gap=2**-6),
        lambda x: x.top_k(3, 16, gap=2**-6),
    ],
    ids=["sort", "rank", "median", "argmax", "top_k"],
)
def test_missing_levels_are_said_before_anything_is_computed(program):
    def plan(levels):
        return rj.plan(program, rj.params(13, [50] + [42] * levels, [50] * 4, allow_insecure=True), slots=256)

    with pytest.raises(rj.LevelExhaustedError, match="^(sort|rank|median|argmax|top_k) needs") as caught:
        plan(14)
    needed = caught.value.needed
    with pytest.raises(rj.LevelExhaustedError, match=f"needs {needed} levels, but {needed - 1} are left"):
        plan(needed - 1)
    assert plan(needed).levels == [0]
