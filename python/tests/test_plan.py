"""The dry run agrees with what really happens."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Polynomial

import ringjet as rj


@pytest.fixture(scope="module")
def boot():
    chain = {"slots_to_coeffs": [5, 4], "coeffs_to_slots": [5, 4], "special": 4, "log_ratio": 12.0}
    return rj.bootstrap_chain(log_n=10, message_levels=4, allow_insecure=True, **chain)


@pytest.fixture(scope="module")
def server(boot):
    client = rj.Client(boot, seed=1)
    return client, rj.Server(client.evaluation_keys(rotations=[1, 2, 4], conjugation=True, bootstrapping=True))


def everything(x, y):
    v = np.linspace(-1, 1, x.slots)
    z = (x * y + 0.5) * v - 3 * x
    z = z**5 + y.rotate(1).inner_sum(1, 8) / 4
    z = z.polynomial([0.1, 0.2, 0, 0.3]) - z.conjugate()
    z = z.polynomial(Chebyshev([0.1, 0.2, 0.5], domain=[-2, 2])) + np.ones(x.slots)
    z = rj.weighted_sum([x, y], [0.5, 0.25], level=3) * z.with_magnitude(1.0)
    z = rj.sum_of_products([z, x], [x, y.to_level(4)])
    z = -z.times_i() * (1 + 2j)
    for _ in range(6):
        z = (1 - z) * x
    return [z, z.to_level(2), z.to_level(2).bootstrap(real=True), z.rotations([1, 2])[0].with_slots(8)]


def test_levels_are_those_of_the_computation(boot, server):
    client, server = server
    x, y = (server.load(client.encrypt(np.full(client.slots, 0.1))) for _ in range(2))
    really = [ct.level for ct in everything(x, y)]
    dry = rj.plan(everything, x, y)
    assert dry.levels == really
    assert dry.levels == rj.plan(everything, boot, boot).levels, "parameters stand for fresh ciphertexts"
    assert len(dry.bootstraps) > 3 and dry.bootstraps[-1].operation == "bootstrap" and dry.lowest == 2
    assert all("test_plan.py" in b.where and b.slots == client.slots for b in dry.bootstraps)
    text = repr(dry)
    assert f"{len(dry.bootstraps)} bootstrap(s)" in text and "product" in text and "test_plan.py:" in text


def test_counts(boot):
    def power(x):
        y = x
        for _ in range(12):
            y = y * x
        return y

    dry = rj.plan(power, boot)
    # six levels, two of them for bootstrapping; x itself never runs out
    assert [b.level for b in dry.bootstraps] == [2, 2] and dry.levels == [2]
    assert dry.operations == {"product": 12, "bootstrap": 2}
    with pytest.raises(rj.LevelExhaustedError) as e:
        rj.plan(power, boot, bootstrapping=False)
    assert e.value.left == 0
    assert rj.plan(lambda x: x * x, rj.Symbol(boot, level=1), bootstrapping=False).levels == [0]
    nested = rj.plan(lambda d, n: {"a": [d["x"][0] * n], "b": n}, {"x": (boot,)}, 2.5)
    assert nested.levels == [boot.depth - 1] and nested.result["b"] == 2.5


def test_depths_of_polynomials(boot):
    def depth(p):
        return boot.depth - rj.plan(lambda x: x.polynomial(p), boot).levels[0]

    assert [depth([1.0] * n) for n in (1, 2, 3, 4, 5, 8, 9)] == [0, 1, 2, 2, 3, 3, 4]
    assert depth(np.poly1d([1.0, 0, 0])) == 2 and depth([1.0, 2.0, 0.0]) == 1
    assert depth(Polynomial([0, 1, 1], domain=[-2, 3])) == 2
    assert depth(Chebyshev([0, 1, 1])) == 2 and depth(Chebyshev([0, 1, 1], domain=[-2, 3])) == 3


def test_what_is_refused(boot, server):
    leveled = rj.params(10, [50, 40, 40], [50], allow_insecure=True)
    cases = [
        (lambda x: x * x * x * x, leveled, rj.LevelExhaustedError),
        (lambda x: x.bootstrap(), leveled, rj.NoBootstrappingError),
        (lambda x: x.to_level(0).bootstrap(), boot, rj.LevelExhaustedError),
        (lambda x: x.to_level(1).to_level(2), boot, rj.NoSuchLevelError),
        (lambda x: x + np.ones(3), boot, rj.SlotMismatchError),
        (lambda x: x + x.with_slots(8), boot, rj.SlotMismatchError),
        (lambda x: np.eye(4) @ x, boot, rj.SlotMismatchError),
        (lambda x: x.with_slots(3), boot, rj.ArgumentError),
        (lambda x: rj.weighted_sum([x], [1.0], level=9), boot, rj.LevelExhaustedError),
        (lambda x: x / x, boot, TypeError),
        (lambda x: x + "text", boot, TypeError),
        (bool, boot, TypeError),
    ]
    for function, params, error in cases:
        with pytest.raises(error):
            rj.plan(function, params)
    with pytest.raises(rj.MissingBootstrappingKeysError):
        rj.plan(lambda x: x.bootstrap(), boot, bootstrapping=False)
    with pytest.raises(TypeError, match="plan"):
        rj.plan(lambda x: x + rj.Symbol(boot), boot)


def test_symbols_follow_ciphertexts(boot, server):
    client, server = server
    x = server.load(client.encrypt([0.1], level=3))
    symbol = rj.plan(lambda x: x, x).result
    assert (symbol.level, symbol.slots, symbol.params) == (3, x.slots, boot)
    assert symbol.scale == pytest.approx(x.scale) and "level 3/6" in repr(symbol)
    missing = {n for n in dir(rj.Ciphertext) if not n.startswith("_")} - set(dir(rj.Symbol)) - set(vars(symbol))
    heaan = {"log_q", "log_scale", "mod_down_to", "rescale"}
    assert missing == {"backend", "key_id", "precision_bits", "to_bytes"} | heaan
