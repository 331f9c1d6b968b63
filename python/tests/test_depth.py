"""Parameters for a depth: to the last level, and what they cost beside others of the same depth."""

import numpy as np
import pytest

import ringjet as rj


@pytest.mark.parametrize(("depth", "scale_bits"), [(1, 40), (3, 25), (4, 45), (6, 40), (9, 30), (13, 40)])
def test_every_level_can_be_used(depth, scale_bits):
    """Products of a ciphertext with itself and with what became of it, down to level 0, under several keys."""
    params = rj.params(depth=depth, scale_bits=scale_bits)
    assert params.depth == depth == params.top_level and params.security >= 128 and not params.allow_insecure
    for seed in range(3):
        client = rj.Client(params)
        server = rj.Server(client.evaluation_keys())
        values = np.random.default_rng(seed).uniform(-1, 1, params.slots)
        x = server.load(client.encrypt(values).to_bytes())
        y, want = x, values
        for level in range(depth):
            # the same operand twice, then one that depends on the other
            y, want = (y * y, want * want) if level % 2 == 0 else (y * x, want * values)
        assert y.level == 0
        off = client.decrypt(y) - want
        assert np.abs(off).max() <= y.error_bound, (depth, scale_bits, seed)
        assert np.std(off) <= 2.0 ** (1 - y.precision_bits), (depth, scale_bits, seed)
        with pytest.raises(rj.LevelExhaustedError):
            y * x


def test_values_have_the_room_that_is_said():
    for scale_bits, size in [(30, 2**9), (45, 2**4)]:
        params = rj.params(depth=1, scale_bits=scale_bits)
        client = rj.Client(params)
        values = np.linspace(-size, size, params.slots) * 0.98
        assert np.abs(client.decrypt(client.encrypt(values, level=0, magnitude=size)) - values).max() < 2.0**-8


def test_slots_and_rings():
    assert rj.params(depth=2).slots < 16384 == rj.params(depth=2, slots=9000).slots
    assert rj.params(depth=2, log_n=16).log_n == 16
    assert rj.params(depth=6, security=256).security == 256
    assert rj.params(depth=4, parties=3).pieces == 3


@pytest.mark.parametrize(("depth", "log_n"), [(6, 14), (12, 15), (24, 16)])
def test_no_other_number_of_digits_is_much_faster(depth, log_n):
    def seconds(params):
        plan = rj.plan(lambda x: x * x, params, device="cpu-ifma-1core")
        return plan.estimate.seconds

    mine = rj.params(depth=depth)
    assert mine.log_n == log_n
    others = []
    for alpha in range(1, depth + 2):
        bits = 50 + 40 * (alpha - 1)
        count = -(-bits // 50)
        sizes = [bits // count + (i < bits % count) for i in range(count)]
        try:
            others.append(rj.params(log_n, [50] + [40] * depth, sizes, alpha=alpha))
        except rj.InsecureParametersError:
            break
    assert len(others) > 1
    assert seconds(mine) <= 1.05 * min(map(seconds, others))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"depth": 200}, r"depth = 200: expected 0 to \d+ at a scale of 40 bits.*bootstrap"),
        ({"depth": 3, "q_bits": [40]}, "q_bits = given: expected nothing where a depth is given"),
        ({"depth": 3, "allow_insecure": True}, "allow_insecure"),
        ({"depth": 3, "scale_bits": 60}, "scale_bits = 60: expected 20 to 45 bits"),
        ({"depth": 3, "slots": 10**6}, "slots = 1000000"),
        ({"slots": 3}, "nothing without a depth"),
        ({}, "log_n = None: expected a ring degree with lists of primes, or a depth"),
    ],
)
def test_what_does_not_fit_together_is_refused(asked, said):
    with pytest.raises(rj.ArgumentError, match=said):
        rj.params(**asked)
