"""Comparisons of encrypted values."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj

#: Values beyond the gap, at the gap, and 0.
VALUES = np.concatenate([np.geomspace(2**-6, 1, 60), -np.geomspace(2**-6, 1, 60), [0.0]])


@pytest.fixture(scope="module")
def deep() -> rj.Parameters:
    return rj.params(11, [50] + [40] * 16, [50] * 4, allow_insecure=True)


@pytest.fixture(scope="module")
def owner(deep):
    return rj.Client(deep, slots=256, seed=3)


@pytest.fixture(scope="module")
def machine(owner):
    return rj.Server(owner.evaluation_keys(), allow_insecure=True)


@pytest.fixture(scope="module")
def x(owner, machine):
    return machine.load(owner.encrypt(VALUES))


def shown(owner, y):
    return owner.decrypt(y)[: VALUES.size]


def test_signs(owner, x):
    y = x.sign(gap=2**-6, error=2**-8)
    seen = shown(owner, y)
    assert np.max(np.abs(seen - np.sign(VALUES))) <= 2**-8 + 1e-5
    assert (y.range, x.level - y.level) == ((-1.0, 1.0), 9)
    # the estimate is for values beyond the gap, whose errors the composition does not enlarge much
    assert 12 < y.precision_bits < x.precision_bits
    above = x.positive(gap=2**-6, error=2**-8)
    assert np.max(np.abs(shown(owner, above) - 0.5 - 0.5 * np.sign(VALUES))) <= 2**-8 + 1e-5
    assert above.range == (0.0, 1.0)


def test_bounds_do_not_rest_on_the_gap(owner, machine):
    """Errors of values within the gap are enlarged; the bound, unlike the estimate, holds for them."""
    inside = np.linspace(-(2**-7), 2**-7, 256)
    x = machine.load(owner.encrypt(inside))
    y = x.sign(gap=2**-6, error=2**-8)
    known = rj.simulate(lambda x: x.sign(gap=2**-6, error=2**-8), inside, params=owner.params, slots=256, noise=False)
    exact = known.outputs[0].values
    steepest = np.max(np.diff(exact)) / (inside[1] - inside[0])
    stated = np.prod([slope for _, slope in rj._ringjet.sign_stages(2**-6, 2**-8)])
    assert steepest > 2 * stated
    assert y.error_bound > steepest * x.error_bound
    assert np.max(np.abs(owner.decrypt(y) - exact)) < y.error_bound


def test_values_of_any_size(owner, machine):
    values = 40 * VALUES
    x = machine.load(owner.encrypt(values, magnitude=40))
    assert np.max(np.abs(shown(owner, x.sign(gap=40 * 2**-6, error=0.01)) - np.sign(VALUES))) <= 0.01 + 1e-4
    for error in (2.0, 0.2):
        assert np.max(np.abs(shown(owner, x.abs(error=error)) - np.abs(values))) <= error
        assert np.max(np.abs(shown(owner, x.relu(error=error)) - np.maximum(values, 0))) <= error


@pytest.mark.parametrize("error", [0.1, 1e-2, 2e-4])  # by a polynomial, and by a sign
def test_absolute_values(owner, x, error):
    assert np.max(np.abs(shown(owner, x.abs(error=error)) - np.abs(VALUES))) <= error
    assert x.abs(error=error).range[1] <= 1 + error


def test_two_vectors(owner, machine, x):
    other = np.roll(VALUES, 17)
    y = machine.load(owner.encrypt(other))
    apart = np.abs(VALUES - other) >= 2**-6
    for left, right in [(x, y), (x, other)]:
        more = shown(owner, rj.greater(left, right, gap=2**-6))
        assert np.max(np.abs(more - (VALUES > other))[apart]) <= allowed(2**-10)
        fewer = shown(owner, rj.less(left, right, gap=2**-6))
        assert np.max(np.abs(fewer - (VALUES < other))[apart]) <= allowed(2**-10)
        most = shown(owner, rj.maximum(left, right, error=1e-2))
        assert np.max(np.abs(most - np.maximum(VALUES, other))) <= 1e-2
        least = shown(owner, rj.minimum(left, right, error=1e-2))
        assert np.max(np.abs(least - np.minimum(VALUES, other))) <= 1e-2


def allowed(error: float) -> float:
    """An error of a comparison, and those of encryption."""
    return error + 1e-4


def test_equal_values(owner, x):
    for within in (0.0, 0.25):
        seen = shown(owner, rj.equal(x, 0.5, within=within, gap=2**-4, error=2**-8))
        distance = np.abs(VALUES - 0.5)
        known = (distance <= within) | (distance >= within + 2**-4)
        assert np.max(np.abs(seen - (distance <= within))[known]) <= 2**-8 + 1e-4


def test_a_value_is_equal_to_a_ciphertext(owner, x):
    kind = {"within": 0.25, "gap": 2**-4, "error": 2**-8}
    distance = np.abs(VALUES - 0.5)
    known = (distance <= 0.25) | (distance >= 0.25 + 2**-4)
    for y in (0.5, np.full(VALUES.size, 0.5)):
        seen = shown(owner, rj.equal(y, x, **kind))
        assert np.max(np.abs(seen - (distance <= 0.25))[known]) <= 2**-8 + 1e-4
    with pytest.raises(TypeError, match="equal takes at least one ciphertext"):
        rj.equal(1, np.ones(3))


def test_choices(owner, x):
    above = x.positive(gap=2**-6, error=2**-8)
    for a, b in [(x, -x), (x, 0.25), (0.25, x), (0.25, np.full(VALUES.size, -0.75))]:
        clear = [
            np.broadcast_to(VALUES if z is x else -VALUES if isinstance(z, rj.Ciphertext) else z, VALUES.shape)
            for z in (a, b)
        ]
        seen = shown(owner, rj.where(above, a, b))
        sure = VALUES != 0
        assert np.max(np.abs(seen - np.where(VALUES > 0, *clear))[sure]) <= 2 * 2**-8 + 1e-4


def test_simulations_and_plans(deep):
    def program(x, y):
        return {"sign": (x - y).sign(gap=0.05), "relu": x.relu(error=1e-2), "more": rj.greater(x, y, gap=0.05)}

    plan = rj.plan(program, deep)
    assert [deep.max_level - output.level for output in plan.outputs] == [10, 6, 10]
    assert plan.keys["rotations"] == []
    x, y = np.linspace(-1, 1, 50), np.full(50, 0.123)
    result = rj.simulate(program, x, y, params=deep, noise=False)
    sure = np.abs(x - y) >= 0.05
    by_name = {output.name[2:-2]: output.values[:50] for output in result.outputs}
    assert np.max(np.abs(by_name["sign"] - np.sign(x - y))[sure]) <= 2**-10
    assert np.max(np.abs(by_name["relu"] - np.maximum(x, 0))) <= 1e-2
    assert np.max(np.abs(by_name["more"] - (x > y))[sure]) <= 2**-10
    close = ["sign: 2 values are closer than the gap 0.05 to where the result changes, by 0.01986 in slot 28"]
    close.append(close[0].replace("sign", "greater"))
    for warning, text in zip(result.warnings, close, strict=True):
        assert text in str(warning), str(warning)


def test_what_cannot_be_is_refused(owner, machine, x):
    for make, text in [
        (lambda: x.sign(gap=0), "gap = 0"),
        (lambda: x.sign(gap=1), "below 1, the largest value"),
        (lambda: x.sign(gap=1e-10), "which the errors of the values may reach"),
        (lambda: x.sign(error=0), "error"),
        (lambda: x.abs(error=0), "a positive number"),
        (lambda: x.relu(error=float("nan")), "a positive number"),
        (lambda: rj.equal(x, x, within=-1), "within = -1"),
        (lambda: machine.load(owner.encrypt([1j])).sign(), "real"),
    ]:
        with pytest.raises(rj.ArgumentError, match=text):
            make()
    with pytest.raises(rj.LevelExhaustedError, match="^sign needs .* 16 are left"):
        x.sign(gap=1e-5)
    whole = rj.Client("bgv-n13")
    integers = rj.Server(whole.evaluation_keys()).load(whole.encrypt([1, 2]))
    for make in (lambda x: x.sign(gap=0.5), lambda x: x.relu(), lambda x: x.sort(2), lambda x: x.histogram([0, 1])):
        with pytest.raises(rj.SchemeError, match="integers"):
            make(integers)
