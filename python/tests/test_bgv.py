"""BGV and BFV: exact integers modulo t."""

from __future__ import annotations

import pickle
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import ringjet as rj

EXAMPLE = Path(__file__).parents[2] / "examples" / "census.py"
T = 12289


def small(scheme: str = "bgv") -> rj.Parameters:
    return rj.bgv(10, T, [28, 27, 27, 27], [33], scheme=scheme, allow_insecure=True)


def centred(x: np.ndarray) -> np.ndarray:
    return (x + T // 2) % T - T // 2


class Pair:
    """A client, its server, and two encrypted vectors."""

    def __init__(self, scheme: str) -> None:
        self.client = rj.Client(small(scheme), seed=1)
        keys = self.client.evaluation_keys(rotations=[1, -2, *rj.inner_sum_rotations(1, 512)], conjugation=True)
        self.server = rj.Server(keys.to_bytes(), allow_insecure=True)
        rng = np.random.default_rng(5)
        self.a, self.b = rng.integers(-(T // 2), T // 2 + 1, size=(2, self.client.slots))
        self.x, self.y = (self.server.load(self.client.encrypt(v).to_bytes()) for v in (self.a, self.b))


@pytest.fixture(scope="module", params=["bgv", "bfv"])
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair(request.param)


def check(pair: Pair, ct: rj.Ciphertext, want: np.ndarray) -> None:
    got = pair.client.decrypt(ct.to_bytes())
    assert got.dtype == np.int64 and np.array_equal(got, centred(want))


def test_operators_are_exact(pair: Pair) -> None:
    a, b, x, y = pair.a, pair.b, pair.x, pair.y
    check(pair, x + y, a + b)
    check(pair, x - y, a - b)
    check(pair, x * y, a * b)
    check(pair, -x, -a)
    check(pair, 3 * x - 7, 3 * a - 7)
    check(pair, 5 - x, 5 - a)
    check(pair, x * b + a, a * b + a)
    check(pair, x + list(range(len(a))), a + np.arange(len(a)))
    check(pair, x**2 * y, centred(a * a) * b)
    check(pair, x.polynomial([1, -2, 3]), 1 - 2 * a + 3 * a * a)
    check(pair, rj.sum_of_products([x, y], [y, y]), a * b + b * b)
    check(pair, rj.weighted_sum([x, y], [2, -9]), 2 * a - 9 * b)
    check(pair, x * np.int32(4) + np.uint8(3) + True, a * 4 + 4)


def test_a_vector_that_multiplies_again_is_not_prepared_again(pair: Pair) -> None:
    a, b = pair.a, pair.b.copy()
    for _ in range(2):
        check(pair, pair.x * b, a * b)
    assert (pair.x * b.tolist()).to_bytes() == (b * pair.x).to_bytes()
    b[5] += 1 if b[5] < T // 2 else -1
    check(pair, pair.x * b, a * b)
    check(pair, pair.y * b, pair.b * b)

    # a server that counts does what this one does: no transform, only two products of polynomials
    model = rj.Server(backend="model", params=pair.client.params)
    x = model.input()

    def operations(v: np.ndarray) -> float:
        model.reset_counts()
        assert (x * v).noise_budget > 0
        return model.estimate("a100-80gb").operations

    first, again, other = operations(a), operations(a.copy()), operations(b)
    assert first == other > 10 * again > 0


def test_rows_are_rotated_and_swapped(pair: Pair) -> None:
    a, x = pair.a, pair.x
    rows = a.reshape(2, -1)
    assert pair.client.params.rows == 2
    check(pair, x.rotate(1), np.roll(rows, -1, axis=1).ravel())
    for turned, k in zip(x.rotations([1, -2]), [1, -2], strict=True):
        check(pair, turned, np.roll(rows, -k, axis=1).ravel())
    check(pair, x.swap_rows(), rows[::-1].ravel())
    total = x.inner_sum(1, 512)
    check(pair, total + total.swap_rows(), np.full(a.size, a.sum()))


def test_values_are_integers_modulo_t(pair: Pair) -> None:
    client, x = pair.client, pair.x
    fresh = client.encrypt([T - 1, -1, T // 2])
    assert np.array_equal(client.decrypt(fresh), [-1, -1, T // 2])
    assert np.array_equal(client.decrypt(fresh, all_slots=True), [-1, -1, T // 2, *[0] * (client.slots - 3)])
    for value in (T, -(T // 2) - 1, 2**62):
        with pytest.raises(rj.NotResidueError) as refused:
            client.encrypt([0, value])
        assert (refused.value.index, refused.value.high, refused.value.modulus) == (1, T - 1, T)
    for floats in (
        lambda: client.encrypt([1.0]),
        lambda: x * 0.5,
        lambda: x + np.ones(4),
        lambda: client.encrypt([1], fill=0.5),
    ):
        with pytest.raises(TypeError, match="integers"):
            floats()
    with pytest.raises(TypeError, match="inverse modulo t"):
        x / 2
    with pytest.raises(rj.NotResidueError):
        x.polynomial([0.5, 1])
    with pytest.raises(rj.SlotCountError):
        client.encrypt(np.zeros(client.slots + 1, int))
    with pytest.raises(rj.ArgumentError):
        rj.Client(small(), slots=16)


def test_integers_of_every_type_are_taken_exactly(pair: Pair) -> None:
    client, a, x = pair.client, pair.a, pair.x
    rest = np.zeros(len(a) - 3, int)
    for dtype in ("uint64", "int64", "uint32", "int8", "uint8", "bool", "object"):
        v = np.array([1, 0, 1], dtype)
        assert client.decrypt(client.encrypt(v)).tolist() == [1, 0, 1]
        check(pair, x * np.r_[v, rest.astype(dtype)], a * np.r_[1, 0, 1, rest])
    ends = np.tile(np.int8([-128, 127]), len(a) // 2)
    check(pair, x + ends, a + ends)
    # the ends of the range, also where they are subtracted
    for c in (T - 1, -(T // 2)):
        check(pair, x - c, a - c)
        check(pair, x - np.full(len(a), c), a - c)
        check(pair, c - x, c - a)
        check(pair, c * x, c * a)
    for floats in (np.ones(2), np.float32(1), [1.0, 2], [1j], 1 + 0j, np.array([0.5], object)):
        for refused in (
            lambda v=floats: client.encrypt(np.atleast_1d(v)),
            lambda v=floats: x * v,
            lambda v=floats: v + x,
        ):
            with pytest.raises(TypeError, match="integers"):
                refused()
    with pytest.raises(TypeError, match="no numbers"):
        client.encrypt(["1"])


def test_integers_beyond_the_range_are_named(pair: Pair) -> None:
    client, x = pair.client, pair.x.with_count(2)
    for value in (2**53 + 1, 2**62 + 1, 2**63, 2**64 - 1, 2**70 + 1, -(2**63) - 1):
        vectors = [[0, value], np.array([0, value], object), [-1, value]]
        if 2**63 <= value < 2**64:
            vectors.append(np.array([0, value], np.uint64))
        for v in vectors:
            for refused in (lambda v=v: client.encrypt(v), lambda v=v: x + v, lambda v=v: x - v, lambda v=v: x * v):
                with pytest.raises(rj.NotResidueError) as e:
                    refused()
                assert (e.value.index, e.value.value, e.value.modulus) == (1, value, T) and f"value {value} " in str(
                    e.value
                )
            with pytest.raises(rj.NotResidueError) as simulated:
                rj.simulate(lambda x: x, v, params=client.params)
            assert str(simulated.value) == str(e.value)
        with pytest.raises(rj.NotResidueError) as fill:
            client.encrypt([1, 2, 3], fill=value)
        assert (fill.value.index, fill.value.value) == (3, value)
    with pytest.raises(rj.NotResidueError) as real:
        client.encrypt([2**200])
    assert real.value.value == 2.0**200


def test_constants_have_the_range_of_messages(pair: Pair) -> None:
    def operations(x: rj.Ciphertext, c: int) -> list:
        return [lambda: x + c, lambda: c + x, lambda: x - c, lambda: c - x, lambda: x * c, lambda: c * x]

    for c in (T, -(T // 2) - 1, 70000, 2**40, 2**63 - 1, -(2**63), 2**63, -(2**70)):
        for refused in operations(pair.x, c):
            with pytest.raises(rj.NotResidueError) as e:
                refused()
            assert (e.value.index, e.value.value, e.value.low, e.value.high) == (0, c, -(T // 2), T - 1)
        for other in (c, [1] * (pair.client.slots - 1) + [c], np.full(pair.client.slots, c)):
            with pytest.raises(rj.NotResidueError):
                rj.plan(lambda x, other=other: x * other, pair.client.params)
        with pytest.raises(rj.NotResidueError):
            rj.simulate(lambda x, c=c: x - [c, 0], [1, 2], params=pair.client.params)


def test_what_exact_schemes_lack_is_said(pair: Pair) -> None:
    x = pair.x
    for lacking in (
        lambda: x.conjugate(),
        lambda: x.times_i(),
        lambda: x.with_magnitude(2),
        lambda: x.with_range(0, 1),
        lambda: x.with_error(0.1),
        lambda: x.with_slots(x.slots),
        lambda: x.log_q,
        lambda: pair.client.encrypt([1], log_q=30),
    ):
        with pytest.raises(rj.SchemeError):
            lacking()
    with pytest.raises(rj.NoBootstrappingError):
        x.bootstrap()
    with pytest.raises(rj.SchemeError):
        rj.Client("n13-depth2", slots=4).noise_budget(rj.Client("n13-depth2", slots=4).encrypt([1.0]))
    if pair.client.params.scheme == "bfv":
        for levels in (lambda: x.to_level(0), lambda: x.level, lambda: pair.client.encrypt([1], level=0)):
            with pytest.raises(rj.SchemeError):
                levels()
    else:
        low = x.to_level(1)
        assert low.level == 1
        check(pair, low + pair.y, pair.a + pair.b)


def test_the_noise_budget_is_bounded_and_measured(pair: Pair) -> None:
    client, x, y = pair.client, pair.x, pair.y
    for ct in (x, x * y, x.rotate(1), x.rotate(1) * y):
        # the bound on a product is that of dependent factors, sqrt(N) times the usual coefficient
        assert 1.0 < client.noise_budget(ct) - ct.noise_budget < 10.0
    with pytest.raises(rj.NoiseBudgetError) as refused:
        for _ in range(20):
            x = x * x
    assert refused.value.needed > refused.value.available > 0


def test_a_spent_budget_is_an_error_and_never_a_number() -> None:
    """A foreign ciphertext whose bytes claim a small noise."""
    first, second = (rj.Client(small(), seed=s) for s in (1, 2))
    data = bytearray(first.encrypt([1, 2, 3]).to_bytes())
    # the identity of the key in the header, and the checksum over it
    data[32:48] = bytes.fromhex(second.key_id)
    data[-4:] = zlib.crc32(data[:-4]).to_bytes(4, "little")
    with pytest.raises(rj.NoiseBudgetSpentError) as refused:
        second.decrypt(bytes(data))
    assert refused.value.budget < refused.value.least
    assert second.decrypt(bytes(data), check=False).dtype == np.int64


def test_plans_and_simulations_follow(pair: Pair) -> None:
    def program(x, y):
        return (x * y + 3 * x - 7) * y + x.rotate(1).swap_rows() + x.inner_sum(1, 512)

    params = pair.client.params
    plan = rj.plan(program, params)
    assert plan.keys["conjugation"] and plan.keys["relinearization"] and 1 in plan.keys["rotations"]
    result = program(pair.x, pair.y)
    assert plan.outputs[0].ciphertext.noise_budget == pytest.approx(result.noise_budget, abs=0.5)
    assert "budget" in plan.table() and "exact" in str(plan)
    simulated = rj.simulate(program, pair.a, pair.b, params=params, modular=True)
    assert not simulated.warnings and simulated.values.dtype == np.int64
    check(pair, result, simulated.values)
    polynomial = rj.simulate(lambda x: x.polynomial([3, 0, -1]) ** 2, pair.a, params=params)
    assert np.array_equal(polynomial.values, centred(centred(3 - centred(pair.a**2)) ** 2))
    with pytest.raises(rj.NoiseBudgetError):
        rj.plan(lambda x: x**64, params)
    with pytest.raises(rj.NotResidueError):
        rj.simulate(lambda x: x, [T], params=params)
    weighted = rj.simulate(lambda x, y: rj.weighted_sum([x, y], [2, T - 9]), pair.a, pair.b, params=params)
    check(pair, rj.weighted_sum([pair.x, pair.y], [2, -9]), weighted.values)


def test_plans_of_bfv_show_no_levels(pair: Pair) -> None:
    def program(x):
        return x * x

    shown = pair.client.params.scheme == "bgv"
    plan = rj.plan(program, pair.client.params)
    for text in (repr(plan), str(plan), repr(rj.simulate(program, [1, 2], params=pair.client.params))):
        assert ("level" in text) == shown, text


def test_simulated_matrices_are_exact() -> None:
    """Sums of products of 29 bits each do not fit into doubles."""
    t = 1073479681
    params = rj.bgv(10, t, [50] * 3, [55], allow_insecure=True)
    client = rj.Client(params)
    rng = np.random.default_rng(3)
    values = rng.integers(-(t // 2), t // 2, size=client.slots)
    matrix = np.zeros((512, 512), np.int64)
    for k in (0, 3, 200):
        matrix[np.arange(512), (np.arange(512) + k) % 512] = rng.integers(-(t // 2), t // 2, size=512)
    transform = rj.LinearTransform(matrix)
    server = rj.Server(client.evaluation_keys(rotations=transform.rotations), allow_insecure=True)
    want = [
        int(sum(int(m) * int(v) for m, v in zip(row, half, strict=True) if m))
        for half in values.reshape(2, -1)
        for row in matrix
    ]
    want = [(w + t // 2) % t - t // 2 for w in want]
    for given in (transform, matrix):
        simulated = rj.simulate(lambda x, given=given: x.matmul(given), values, params=params)
        assert simulated.values.tolist() == want
    assert client.decrypt(server.load(client.encrypt(values)).matmul(transform)).tolist() == want


def test_simulated_sums_of_many_products_are_exact() -> None:
    """The sum of 100 products of 29 bits each has more than 64 bits."""
    t = 1073479681
    params = rj.bgv(10, t, [50] * 3, [55], allow_insecure=True)
    values, terms = np.full(1024, t // 2), range(100)
    weighted = rj.simulate(
        lambda x: rj.weighted_sum([x for _ in terms], [t // 2 for _ in terms]), values, params=params
    )
    products = rj.simulate(lambda x: rj.sum_of_products([x for _ in terms], [x for _ in terms]), values, params=params)
    want = (100 * (t // 2) ** 2 + t // 2) % t - t // 2
    assert set(weighted.values.tolist()) == set(products.values.tolist()) == {want}


def test_simulated_powers_are_quick() -> None:
    params = rj.preset("bfv-n15")
    values = np.arange(1, 9)
    indicator = rj.simulate(lambda x: x**65536, values, params=params).values
    assert np.array_equal(indicator, [1] * 8)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_every_int64_is_exact(scheme: str) -> None:
    params = rj.bgv(10, None, [50] * 4, [55], t_bits=64, scheme=scheme, allow_insecure=True)
    assert params.t > 2**64
    client = rj.Client(params, seed=3)
    server = rj.Server(client.evaluation_keys(rotations=[1], conjugation=True), allow_insecure=True)
    least, most = -(2**63), 2**63 - 1
    large = np.array([least, most, 2**53 + 1, -(2**62) - 1, most - 1, -1])
    small = np.random.default_rng(2).integers(-(2**31), 2**31, size=client.slots)
    x, y = (server.load(client.encrypt(v).to_bytes()) for v in (large, small))
    decrypted = client.decrypt(x)
    assert decrypted.dtype == np.int64 and decrypted[:6].tolist() == large.tolist()
    assert client.decrypt(y * y).tolist() == [int(v) ** 2 for v in small]
    assert client.decrypt(y.with_count(2) * np.array([2**31, -(2**31)])).tolist() == [
        int(small[0]) << 31,
        int(small[1]) * -(2**31),
    ]
    # 2^63 itself is no int64
    negative = server.load(client.encrypt(np.full(client.slots, -3)))
    for made in (negative - least, negative - np.full(client.slots, least)):
        assert set(client.decrypt(made).tolist()) == {2**63 - 3}
    assert client.decrypt(y * 2**31 + most - most).tolist() == [int(v) << 31 for v in small]

    def program(x: rj.Ciphertext, y: rj.Ciphertext) -> rj.Ciphertext:
        return (
            (y * (2**53 + 1) - x.rotate(1)) * 3
            - rj.weighted_sum([y, y], [2**52 + 1, 5]) * 6
            + y.swap_rows().polynomial([7, -2])
        )

    given = np.array([2**61 + 1, -(2**61) - 3])
    result = client.decrypt(program(server.load(client.encrypt(given)), y))
    assert result.tolist() == rj.simulate(program, given, small, params=params).values.tolist()
    # a sum of two values that is no int64
    with pytest.raises(rj.IntegerOverflowError) as refused:
        client.decrypt(x + x)
    with pytest.raises(rj.IntegerOverflowError) as simulated:
        rj.simulate(lambda x: x + x, large, params=params)
    e = refused.value
    # the first two sums wrap around modulo T to values that are int64
    assert (e.index, e.value, e.modulus) == (3, -(2**63) - 2, params.t)
    assert str(simulated.value) == str(e) and simulated.value.value == e.value
    with pytest.raises(rj.NotResidueError) as beyond:
        y + 2**63
    assert (beyond.value.low, beyond.value.high, beyond.value.modulus) == (least, most, params.t)


def test_results_are_shared_exactly() -> None:
    params = rj.bgv(10, T, [45] * 5, [50], allow_insecure=True)
    client = rj.Client(params)

    def program(x):
        return x * x + 1

    plan = rj.plan(program, params)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    values = np.arange(100)
    result = program(server.load(client.encrypt(values)))
    shared = client.decrypt_for_sharing(result, plan=plan)
    assert np.array_equal(shared[:100], centred(values**2 + 1)) and client.answers_given == 1
    with pytest.raises(rj.NotSharableError):
        client.decrypt_for_sharing(result.to_level(2), plan=plan)
    with pytest.raises(rj.AnswersExhaustedError):
        client.decrypt_for_sharing(result, plan=plan, answers=1)

    def deep(x):
        return (x * x) * (x * x)

    tight = rj.plan(deep, small())
    other = rj.Client(small())
    small_server = rj.Server(other.evaluation_keys(), allow_insecure=True)
    with pytest.raises(rj.NotSharableError, match="hiding it takes noise"):
        other.decrypt_for_sharing(deep(small_server.load(other.encrypt(values))), plan=tight)


def test_plans_hold_for_both_keys() -> None:
    params = rj.bgv(10, T, [30] + [20] * 8, [50], allow_insecure=True)
    client = rj.Client(params)

    def program(x):
        return x**3

    plans = [rj.plan(program, params, public_key=public) for public in (False, True)]
    assert plans[0].outputs[0].level == plans[1].outputs[0].level
    server = rj.Server(client.evaluation_keys(**plans[0].keys), allow_insecure=True)
    for encryptor in (client, rj.Encryptor(client.public_key())):
        result = program(server.load(encryptor.encrypt([2, -3])))
        for plan in plans:
            assert list(client.decrypt_for_sharing(result, plan=plan)[:2]) == list(centred(np.array([8, -27])))
    ckks = rj.preset("n13-depth2")
    errors = [rj.plan(lambda x: x * x, ckks, public_key=public).outputs[0].precision_bits for public in (False, True)]
    assert errors[0] > errors[1]


@pytest.mark.parametrize("name", [preset.name for preset in rj.presets() if preset.name.startswith(("bgv", "bfv"))])
def test_plans_accept_the_depth_that_presets_state(name: str) -> None:
    for params in (rj.preset(name), rj.preset(name, t_bits=64)):

        def squares(x, count):
            for _ in range(count):
                x = (x * x).rotate(1)
            return x

        assert rj.plan(lambda x, depth=params.depth: squares(x, depth), params).outputs[0].ciphertext.noise_budget >= 1
        if name.endswith("n12"):
            with pytest.raises(rj.NoiseBudgetError):
                rj.plan(lambda x, depth=params.depth: squares(x, depth + 1), params)


def test_integers_have_up_to_64_bits() -> None:
    params = rj.preset("bgv-n13", t_bits=64)
    assert params.t > 2**64 and params.security == 128 and rj.Parameters.from_json(params.to_json()) == params
    assert params.sizes["ciphertext"] == 3 * rj.preset("bgv-n13").sizes["ciphertext"]
    client = rj.Client(params)
    server = rj.Server(client.evaluation_keys(rotations=[1]).to_bytes())
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-(2**31), 2**31, size=params.slots) for _ in "ab")
    x, y = (server.load(client.encrypt(v).to_bytes()) for v in (a, b))
    assert np.array_equal(client.decrypt((x * y).to_bytes()), a * b)
    assert np.array_equal(
        client.decrypt(3 * x.rotate(1) - 2**40), 3 * np.roll(a.reshape(2, -1), -1, axis=1).ravel() - 2**40
    )
    extreme = np.array([2**63 - 1, -(2**63)])
    z = server.load(client.encrypt(extreme))
    assert np.array_equal(client.decrypt(z)[:2], extreme)
    assert list(client.decrypt(z - extreme, all_slots=True)[:3]) == [0, 0, 0]

    def program(x):
        return x + 1

    with pytest.raises(rj.IntegerOverflowError) as found:
        client.decrypt(program(z))
    assert (found.value.index, found.value.value) == (0, 2**63)
    with pytest.raises(rj.IntegerOverflowError):
        rj.simulate(program, extreme, params=params)
    plan = rj.plan(lambda x, y: x * y, params)
    assert np.array_equal(client.decrypt_for_sharing(x * y, plan=plan), a * b)
    with pytest.raises(rj.SchemeError, match="BGV"):
        rj.preset("n13-depth2", t_bits=64)
    with pytest.raises(rj.ArgumentError, match="t_bits"):
        rj.preset("bgv-n13", t_bits=120)
    for log_n in (3, 63, 200):
        with pytest.raises(rj.ParametersError):
            rj.bgv(log_n, q_bits=[30], p_bits=[36], t_bits=64, allow_insecure=True)
    wide = rj.Client(rj.bgv(10, q_bits=[60, 60], p_bits=[60], t_bits=72, allow_insecure=True))
    doubled = rj.Server(wide.evaluation_keys(), allow_insecure=True).load(wide.encrypt(extreme)) * 200
    with pytest.raises(rj.IntegerOverflowError) as beyond:
        wide.decrypt(doubled)
    assert beyond.value.value == 200 * (2**63 - 1)
    with pytest.raises(rj.ArgumentError, match="either t or t_bits"):
        rj.bgv(10, T, [28, 27], [33], t_bits=20, allow_insecure=True)
    assert rj.bgv(10, [12289, 18433], [28, 27], [33], allow_insecure=True).t == 12289 * 18433
    assert rj.bgv(10, q_bits=[30, 30], p_bits=[36], t_bits=30, allow_insecure=True).t > 2**30


def test_objects_survive_bytes_and_pickles(pair: Pair) -> None:
    params = pair.client.params
    assert rj.Parameters.from_bytes(params.to_bytes(), allow_insecure=True) == params
    assert rj.Parameters.from_json(params.to_json(), allow_insecure=True) == params
    assert (params.scheme, params.t, params.slots) == (small(params.scheme).scheme, T, 1024)
    again = rj.Client.from_secret_bytes(pair.client.to_secret_bytes(), allow_insecure=True)
    assert np.array_equal(again.decrypt(pair.x * pair.y), centred(pair.a * pair.b))
    assert np.array_equal(pair.client.decrypt(pickle.loads(pickle.dumps(pair.x))), pair.a)
    encryptor = rj.Encryptor(pair.client.public_key())
    assert np.array_equal(pair.client.decrypt(encryptor.encrypt(pair.b)), pair.b)
    assert "modulo 12289" in repr(pair.x) and "budget" in pair.x._repr_html_()


def test_parameters_are_checked() -> None:
    for t, why in ((T - 1, "not prime"), (12281, "no room"), (2**31 - 1, "30 bits")):
        with pytest.raises(rj.ParametersError, match=why):
            rj.bgv(10, t, [28, 27], [33], allow_insecure=True)
    with pytest.raises(rj.InsecureParametersError):
        rj.bgv(10, T, [28, 27], [33])
    with pytest.raises(rj.ArgumentError):
        rj.bgv(10, T, [28, 27], [33], scheme="ckks")
    presets = [p for p in rj.presets() if p.parameters.t]
    assert [p.depth for p in presets] == [1, 4, 3, 8, 18, 1, 4, 9, 19]
    assert all(p.security == 128 for p in presets)


def test_the_census_example_publishes_exact_totals() -> None:
    run = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "all totals are exact; answers given under this key: 10 of 1024" in run.stdout
    assert "all 8192 cells are exact" in run.stdout


def test_the_census_example_adds_up_tables_in_memory() -> None:
    command = [sys.executable, str(EXAMPLE), "--backend", "pim-emulated"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "in 18 launches; 12 MiB of sums went between them; 0 operations ran on the host" in run.stdout
    assert "all 8192 cells are exact" in run.stdout and "region 0" not in run.stdout
