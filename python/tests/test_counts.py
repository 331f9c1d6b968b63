"""How many values a ciphertext holds, and intervals that are stated at encryption."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ringjet as rj

AGES = np.array([23.0, 41.0, 35.0, 64.0])
ROTATIONS = rj.inner_sum_rotations(1, 1024)


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return rj.params(11, [50] + [42] * 8, [50] * 2, allow_insecure=True)


@pytest.fixture(scope="module")
def client(params):
    return rj.Client(params, seed=11, magnitude=100)


@pytest.fixture(scope="module")
def server(client):
    return rj.Server(client.evaluation_keys(rotations=[*ROTATIONS, -1, 3], conjugation=True))


@pytest.fixture(scope="module")
def x(client, server):
    return server.load(client.encrypt(AGES).to_bytes())


def close(got, want, error=1e-4):
    assert np.shape(got) == np.shape(want) and np.max(np.abs(np.asarray(got) - want)) < error, (got, want)


def test_statistics_are_over_the_values(client, x):
    assert x.count == 4 and "4 values, 1024 slots" in repr(x) and ">4<" in x._repr_html_()
    for found, want in [
        (x.mean(), AGES.mean()),
        (x.sum(), AGES.sum()),
        (x.dot(x), AGES @ AGES),
        (x.dot(AGES), AGES @ AGES),
    ]:
        assert found.count == found.slots
        close(client.decrypt(found), np.full(1024, want), 1e-2)
    close(client.decrypt(x.var())[0], AGES.var(), 1e-2)
    close(client.decrypt(x.var(ddof=1))[0], AGES.var(ddof=1), 1e-2)
    # padding that is not 0 does not count
    close(client.decrypt((x + 1).mean())[0], AGES.mean() + 1)
    close(client.decrypt((x + 1).sum())[0], AGES.sum() + 4, 1e-2)
    close(client.decrypt((2 * x + 1).dot(x + 3))[0], (2 * AGES + 1) @ (AGES + 3), 1e-1)
    close(client.decrypt(rj.cov(x, x * x * 0.01))[0], np.cov(AGES, AGES**2 * 0.01, ddof=0)[0, 1], 1e-1)


def test_the_sum_of_zero_padded_values_takes_no_level(x):
    assert x.sum().level == x.level and (x + 1).sum().level == x.level - 1
    assert (x * x - 3 * x).sum().level == x.level - 1
    # filled with other values
    assert x.sum(3).level == x.level - 1


def test_moving_sums_and_standardised_values_know_their_number(client, server, x):
    smooth = (x * 0.01).moving_sum(2)
    assert smooth.count == 3
    close(client.decrypt(smooth), np.convolve(AGES * 0.01, [1, 1], "valid"))
    y = (x * 0.01).with_range(0, 1)
    ready = y.standardise(low=0.01, high=0.1, error=1e-2)
    assert ready.count == 4
    close(client.decrypt(ready), (AGES - AGES.mean()) / AGES.std(), 0.05)


def test_softmax_knows_the_number():
    client = rj.Client(rj.params(11, [50] + [42] * 12, [50] * 3, allow_insecure=True), seed=5)
    server = rj.Server(client.evaluation_keys(rotations=ROTATIONS))
    x = server.load(client.encrypt([0.1, 0.7, -0.4]))
    made = x.softmax(bound=1, error=1e-2)
    assert made.count == 3
    weights = np.exp([0.1, 0.7, -0.4])
    close(client.decrypt(made), weights / weights.sum(), 2e-2)


def test_decryption_returns_the_values(client, x):
    close(client.decrypt(x), AGES)
    close(client.decrypt(x.to_bytes()), AGES)
    close(client.decrypt(x * 2 + 1, complex=True), 2 * AGES + 1)
    every = client.decrypt(x + 1, all_slots=True)
    close(every, np.append(AGES, np.zeros(1020)) + 1)
    close(client.decrypt(x.with_count(6)), np.append(AGES, [0, 0]))


def test_sharing_returns_the_values():
    client = rj.Client("n14-share-depth2", seed=4)
    server = rj.Server(client.evaluation_keys(relinearization=False))
    plan = rj.plan(lambda x: x * 0.5, client.params, magnitudes=100, counts=4)
    shared = server.load(client.encrypt(AGES, magnitude=100)) * 0.5
    close(client.decrypt_for_sharing(shared, 4, plan=plan), AGES / 2, 2**-4)
    assert client.decrypt_for_sharing(shared, 4, plan=plan, all_slots=True).shape == (client.slots,)


def test_a_sender_does_not_decide_how_many_values_are_shared():
    """The bytes of a result state its count, and the client's own plan says how many are meant."""
    client = rj.Client("n14-share-depth2", seed=5)
    plan = rj.plan(lambda x: 2 * x, client.params, counts=1)
    result = 2 * rj.Server(client.evaluation_keys()).load(client.encrypt([0.5]).to_bytes())
    assert client.decrypt_for_sharing(result, 8, plan=plan).shape == (1,)
    with pytest.raises(rj.NotSharableError, match="states 8192 values, and the result of its plan holds 1"):
        client.decrypt_for_sharing(result.with_count(client.slots), 8, plan=plan)
    assert client.answers_given == 1


def test_repeated_values_keep_their_number(client, server):
    few = rj.Client(client.params, 8, seed=11)
    assert few.key_id == client.key_id
    x = server.load(few.encrypt([0.25, 0.5, 0.75]).to_bytes())
    more = x.with_slots(16)
    assert (x.count, more.count) == (3, 3)
    close(client.decrypt(more.mean())[0], 0.5)


def test_the_rule_of_operations(client, server, x):
    every = server.load(client.encrypt(np.ones(1024)))
    assert every.count == 1024
    kept = [
        x + x,
        x - every,
        every * x,
        x + 1,
        -x,
        x * 0.5,
        x**3,
        x.conjugate(),
        x.times_i(),
        x / 2,
        x.polynomial([1, 2, 3]),
    ]
    kept += [
        x + np.ones(1024),
        x * np.ones(1024),
        rj.weighted_sum([x, every], [1, 2]),
        rj.sum_of_products([x], [every]),
    ]
    assert [y.count for y in kept] == [4] * len(kept)
    moved = [x.rotate(3), x.inner_sum(1, 4), x.sum(), x.rotations([3])[0]]
    assert [y.count for y in moved] == [1024] * 4
    assert (x - x.mean()).count == 4 and x.rotate(0).count == 4
    assert pickle.loads(pickle.dumps(x.to_bytes())) == x.to_bytes()


def test_different_counts_are_refused(client, server, x):
    y = server.load(client.encrypt([1.0, 2.0]))
    for program in (lambda: x + y, lambda: y * x, lambda: x.dot(y), lambda: rj.cov(x, y)):
        with pytest.raises(rj.CountMismatchError) as refused:
            program()
        assert {refused.value.lhs, refused.value.rhs} == {4, 2}
        assert "with_count" in str(refused.value)
    # what is meant is said
    close(client.decrypt(x.dot(y, 2))[0], AGES[:2] @ [1, 2], 1e-2)
    close(client.decrypt(x + y.with_count(4)), AGES + [1, 2, 0, 0])
    close(client.decrypt(x + y.with_count(y.slots)), AGES + [1, 2, 0, 0])
    for n in (0, 5):
        with pytest.raises(rj.ArgumentError, match=r"1 to 4, the number of values; with_count states another"):
            x.mean(n)
    with pytest.raises(rj.ArgumentError, match="count = 1025: expected 1 to 1024"):
        x.with_count(1025)


def test_matrices_know_their_rows(client, server):
    matrix = np.arange(12.0).reshape(3, 4) / 12
    transform = rj.LinearTransform(matrix, 1024)
    mine = rj.Server(client.evaluation_keys(rotations=transform.rotations))
    x = mine.load(client.encrypt(AGES))
    for form in (transform, rj.LinearTransform.from_bytes(transform.to_bytes())):
        made = x.matmul(form)
        assert made.count == 3 and made.sum is not None
        close(client.decrypt(made), matrix @ AGES, 1e-2)
    # values that a matrix ignores, and padding that is not 0
    five = mine.load(client.encrypt([1.0, 2, 3, 4, 5]))
    three = mine.load(client.encrypt([1.0, 2, 3]))
    close(client.decrypt(three.matmul(transform)), matrix[:, :3] @ [1, 2, 3], 1e-2)
    for wrong in (five, three + 1):
        with pytest.raises(rj.CountMismatchError):
            wrong.matmul(transform)


def test_order_is_of_the_values():
    params = rj.params(11, [55] + [45] * 28, [55] * 6, allow_insecure=True)
    client = rj.Client(params, seed=3, slots=64)

    def program(x):
        return {
            "sorted": x.sort(gap=0.1),
            "largest": x.max(gap=0.1),
            "top": x.top_k(2, gap=0.1),
            "rank": x.rank(gap=0.1),
        }

    values = np.array([0.3, -0.5, 0.9])
    plan = rj.plan(program, params, slots=64, counts=3)
    server = rj.Server(client.evaluation_keys(**plan.keys))
    found = program(server.load(client.encrypt(values, fill=0.77)))
    close(client.decrypt(found["sorted"]), np.sort(values), 1e-2)
    close(client.decrypt(found["largest"]), np.full(64, 0.9), 1e-2)
    close(client.decrypt(found["top"]), [0.9, 0.3], 1e-2)
    close(client.decrypt(found["rank"]), [1, 0, 2], 2e-2)


def test_plan_knows_the_number(params, client):
    program = lambda x: (x + 1).sum()  # noqa: E731
    assert rj.plan(program, params).levels == [8]
    plan = rj.plan(program, params, counts=4)
    assert plan.levels == [7] and plan.outputs[0].count == 1024
    assert plan.keys["rotations"] == sorted(ROTATIONS)
    assert rj.plan(lambda x: x.sum(), params, counts=[4]).levels == [8]
    kept = rj.plan(lambda x, y: (x + 1, y), params, counts={"x": 4})
    assert [o.count for o in kept.outputs] == [4, 1024] and "4 values, 1024 slots" in str(kept.outputs[0])
    # what a plan says holds
    server = rj.Server(client.evaluation_keys(**plan.keys))
    assert program(server.load(client.encrypt(AGES))).level == 7


def test_simulate_knows_the_number(params):
    found = rj.simulate(lambda x: (x, x + 1, (x + 1).mean()), AGES, params=params, magnitudes=100)
    assert [o.count for o in found.outputs] == [4, 4, 1024]
    for got, want in zip(found.values, (AGES, AGES + 1, np.full(1024, AGES.mean() + 1)), strict=True):
        close(got, want, 1e-9)
    assert found.outputs[2].level == 7 and not found.warnings


def test_an_interval_is_filled_within(client, server, params):
    values = np.array([0.2, 0.7, 4.5, 5.0])
    fresh = client.encrypt(values, magnitude=(0.2, 5))
    assert fresh.range == (0.2, 5) and fresh.count == 4
    x = server.load(fresh.to_bytes())
    assert x.range == (0.2, 5)
    close(client.decrypt(x, all_slots=True), np.append(values, np.full(1020, 0.2)))
    inverse = x.reciprocal(0.2, 5, error=1e-2)
    assert inverse.count == 4
    close(client.decrypt(inverse), 1 / values, 2e-2)
    # padding of 0.2 does not count
    close(client.decrypt(x.sum())[0], values.sum(), 1e-3)
    close(client.decrypt(x.mean())[0], values.mean(), 1e-3)
    close(client.decrypt(inverse.mean())[0], (1 / values).mean(), 2e-2)
    public = rj.Encryptor(client.public_key(), magnitude=(-3, -1))
    close(client.decrypt(public.encrypt([-2.0]), all_slots=True), np.append([-2.0], np.full(1023, -1.0)))
    assert rj.Client(params, magnitude=(1, 2)).encrypt([1.5]).range == (1, 2)


def test_values_outside_an_interval_are_refused(client):
    for values, fill, found in [([0.1], None, 0.1), ([1.0, 5.5], None, 5.5), ([1.0], 0.0, 0.0)]:
        with pytest.raises(rj.OutsideStatedError) as refused:
            client.encrypt(values, fill=fill, magnitude=(0.2, 5))
        assert (refused.value.found, refused.value.low, refused.value.high) == (found, 0.2, 5)
    with pytest.raises(rj.ArgumentError, match="real values where magnitude is an interval"):
        client.encrypt([1j], magnitude=(0.2, 5))
    for magnitude in [(5, 0.2), (0, np.inf), (1, 2, 3), 0, (np.nan, 1)]:
        with pytest.raises(rj.ArgumentError, match="magnitude = "):
            client.encrypt([1.0], magnitude=magnitude)
    integers = rj.Client(rj.bgv(10, 65537, [50, 50], [60], allow_insecure=True) if hasattr(rj, "bgv") else "bgv-n12")
    with pytest.raises(rj.SchemeError, match="wrap around"):
        integers.encrypt([1], magnitude=(0, 5))


def test_intervals_in_plan_and_simulate(params):
    program = lambda x: x.reciprocal(0.2, 5, error=1e-2)  # noqa: E731
    with pytest.raises(rj.OutsideIntervalError):
        rj.plan(program, params, magnitudes=5)
    for magnitudes in ((0.2, 5), [(0.2, 5)], {"x": (0.2, 5)}):
        assert rj.plan(program, params, magnitudes=magnitudes).levels
    both = rj.plan(lambda x, y: (x, y), params, magnitudes=[(0.2, 5), 3])
    assert [o.ciphertext.range for o in both.outputs] == [(0.2, 5), (-3, 3)]
    values = np.array([0.2, 0.5, 5.0])
    found = rj.simulate(program, values, params=params, magnitudes=[(0.2, 5)])
    assert not found.warnings
    close(found.values, 1 / values, 1e-2)
    outside = rj.simulate(lambda x: x + 1, [0.1, 0.5], params=params, magnitudes=[(0.2, 5)])
    assert "exceed the stated range [0.2, 5]" in str(outside.warnings[0])


def test_exact_integers_know_their_number():
    client = rj.Client("bgv-n12")
    server = rj.Server(client.evaluation_keys(rotations=rj.inner_sum_rotations(1, client.slots // 2), conjugation=True))
    values = np.array([3, 1, 4, 1, 5])
    x = server.load(client.encrypt(values))
    assert x.count == 5 and "5 values" in repr(x)
    assert client.decrypt(x * x + 1).tolist() == (values**2 + 1).tolist()
    assert client.decrypt((x + 1).sum())[0] == (values + 1).sum() and x.swap_rows().count == x.slots
    assert client.decrypt(x.dot(x + 2))[0] == values @ (values + 2)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_agree_with_numpy(client, server, seed):
    """Slot-wise programs and sums of their values, on vectors of a few values."""
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    for _ in range(8):
        n = int(rng.integers(1, 40))
        v, w = rng.uniform(-1, 1, (2, n))
        x, y = (server.load(client.encrypt(a, magnitude=1, fill=rng.choice([0, 0.5]))) for a in (v, w))
        for _ in range(3):
            step = rng.integers(6)
            c = float(rng.uniform(-1, 1))
            x, v = [
                (x + y, v + w),
                (x * y, v * w),
                (x + c, v + c),
                (x - x.mean(), v - v.mean()),
                (x * c, v * c),
                (x * np.append(w, np.zeros(1024 - n)), v * w),
            ][step]
        close(client.decrypt(x), v)
        close(client.decrypt(x.sum())[0], v.sum(), 1e-3)
        close(client.decrypt(x.mean())[0], v.mean(), 1e-3)
        close(client.decrypt(x.dot(y))[0], v @ w, 1e-3)
