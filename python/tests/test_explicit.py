"""Explicit levels and scales: against numpy, and bit for bit against the operators."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import ringjet as rj
from ringjet import explicit


def close(client, x, want, most=1e-6):
    assert np.max(np.abs(client.decrypt(x) - want)) < most


def test_a_product_step_by_step(client, x, y, v, w):
    product = explicit.mul(x, y)
    assert (explicit.parts(x), explicit.parts(product), product.level) == (2, 3, x.level)
    assert explicit.scale(product) == explicit.scale(x) * explicit.scale(y)
    assert product.scale == pytest.approx(2 * x.scale)
    close(client, product, v * w)
    two = explicit.relinearize(product)
    assert (explicit.parts(two), two.level, explicit.scale(two)) == (2, x.level, explicit.scale(product))
    close(client, two, v * w)
    z = explicit.rescale(two)
    assert (explicit.parts(z), z.level) == (2, x.level - 1)
    divisor = explicit.divisor_of_level(x.params, x.level)
    assert divisor.denominator == 1 and abs(float(explicit.scale(z) * divisor / explicit.scale(two)) - 1) < 2**-52
    close(client, z, v * w)
    # three parts are rescaled, too, and relinearised below
    close(client, explicit.relinearize(explicit.rescale(product)), v * w)
    assert z.magnitude == pytest.approx((x * y).magnitude) and z.precision_bits > 20


def test_the_operators_take_the_same_steps(client, x, y, v):
    pairs = [
        (explicit.relinearize_rescale(explicit.mul(x, y)), x * y),
        (explicit.relinearize_rescale(explicit.mul(x, x)), x * x),
        (explicit.add(x, y), x + y),
        (explicit.sub(x, y), x - y),
        (explicit.neg(x), -x),
        (explicit.mul_integer(x, -3), x * -3),
        (explicit.rotate(x, 2), x.rotate(2)),
        (explicit.conjugate(x), x.conjugate()),
        (explicit.add_plain(x, v), x + v),
        *zip(explicit.rotations(x, [1, 2, 0]), x.rotations([1, 2, 0]), strict=True),
        (
            explicit.relinearize_rescale(explicit.add(explicit.mul(x, y), explicit.mul(y, y))),
            rj.sum_of_products([x, y], [y, y]),
        ),
    ]
    for ours, theirs in pairs:
        assert polynomials(ours) == polynomials(theirs)
        assert (ours.level, explicit.scale(ours), ours.count) == (theirs.level, explicit.scale(theirs), theirs.count)
        assert (ours.magnitude, ours.precision_bits, ours.error_bound) == (
            theirs.magnitude,
            theirs.precision_bits,
            theirs.error_bound,
        )


def polynomials(x):
    """The residues of a ciphertext: its bytes but for the header, what is said of errors, and the checksum."""
    return x.to_bytes()[400:-4]


def test_the_residues_are_most_of_the_bytes(x):
    assert len(polynomials(x)) > 0.98 * len(x.to_bytes())
    assert polynomials(x) != polynomials(explicit.neg(x))


def test_numbers_in_the_clear(client, x, y, v, w):
    scale = explicit.factor_scale(x)
    z = explicit.rescale(explicit.mul_plain(x, w, scale))
    assert abs(float(explicit.scale(z) / explicit.scale_of_level(z.params, z.level)) - 1) < 2**-50
    assert polynomials(z) == polynomials(x * w), "an operator takes the same scale"
    close(client, z, v * w)
    tripled = explicit.mul_plain(x, 3, 2**20)
    assert explicit.scale(tripled) == explicit.scale(x) * 2**20 and tripled.level == x.level
    close(client, tripled, 3 * v)
    close(client, explicit.rescale_to(explicit.mul_plain_sum([x, y], [w, v], scale), x.level - 1), 2 * v * w)
    close(client, explicit.add_plain(x, 0.5), v + 0.5)
    close(client, explicit.rotation_sum(x, [0, 1, 2]), v + np.roll(v, -1) + np.roll(v, -2))


def test_short_arrays_are_as_for_operators(client, server, x):
    v, short = np.array([0.5, -0.25, 1.0]), np.array([0.5, 2.0, -1.0])
    zeros = server.load(client.encrypt(v))
    ones = server.load(client.encrypt(v, fill=0.75))
    for y, rest in ((zeros, 0.0), (ones, 0.75)):
        product = explicit.rescale(explicit.mul_plain(y, short, explicit.factor_scale(y)))
        theirs = y * short
        assert polynomials(product) == polynomials(theirs)
        assert (product.count, product._zero_padded) == (theirs.count, theirs._zero_padded) == (3, rest == 0)
        # slots without a number stay as they are
        want = np.concatenate([v * short, np.full(client.slots - 3, rest)])
        close(client, product.with_count(client.slots), want)
        twice = explicit.rescale(explicit.mul_plain_sum([y, y], [short, short], explicit.factor_scale(y)))
        close(client, twice.with_count(client.slots), 2 * want)
        total = explicit.add_plain(y, short)
        assert polynomials(total) == polynomials(y + short)
        close(client, total.with_count(client.slots), np.concatenate([v + short, np.full(client.slots - 3, rest)]))
    with pytest.raises(rj.SlotMismatchError):
        explicit.mul_plain(x, short, 2**40)


def test_scales_are_declared(client, x, y, v, w):
    twice = explicit.with_scale(x, explicit.scale(x) / 2)
    close(client, twice, 2 * v)
    assert twice.magnitude == 2 * x.magnitude and twice.to_bytes() != x.to_bytes()
    third = explicit.with_scale(x, Fraction(2**42, 3))
    assert abs(float(explicit.scale(third) * 3 / 2**42) - 1) < 2**-100
    assert explicit.scale(explicit.with_scale(x, np.float64(2.0**42))) == 2**42
    with pytest.raises(rj.ScaleMismatchError, match="bring both to one scale") as differ:
        explicit.add(x, twice)
    assert (differ.value.op, differ.value.lhs_log2) == ("add", x.scale)
    # the last bit counts
    with pytest.raises(rj.ScaleMismatchError):
        explicit.sub(x, explicit.with_scale(x, explicit.scale(x) * (1 + Fraction(1, 2**90))))
    for refused in (0, -1, 2.0**301, 2.0**-301, float("inf"), float("nan"), 10**400):
        with pytest.raises(rj.ArgumentError, match="scale"):
            explicit.with_scale(x, refused)
    with pytest.raises(TypeError, match="scale: a number is needed, not str"):
        explicit.with_scale(x, "2**40")
    with pytest.raises(rj.ScaleMismatchError):
        twice.to_level(twice.level)
    close(client, twice * twice, 4 * v * v, 1e-5)


def test_levels_are_yours(client, x, y, v, w):
    low = explicit.drop_level(x, 2)
    assert (low.level, explicit.scale(low), len(low.to_bytes()) < len(x.to_bytes())) == (2, explicit.scale(x), True)
    close(client, low, v)
    with pytest.raises(rj.LevelMismatchError) as differ:
        explicit.add(low, y)
    assert (differ.value.lhs, differ.value.rhs) == (2, y.level)
    with pytest.raises(rj.LevelMismatchError):
        explicit.mul(y, low)
    bottom = explicit.drop_level(x, 0)
    with pytest.raises(rj.LevelExhaustedError) as exhausted:
        explicit.rescale(bottom)
    assert (exhausted.value.op, exhausted.value.needed, exhausted.value.left) == ("rescale", 1, 0)
    with pytest.raises(rj.LevelExhaustedError):
        explicit.divisor_of_level(x.params, 0)
    with pytest.raises(rj.LevelExhaustedError):
        explicit.factor_scale(bottom)
    for refused in (
        lambda: explicit.drop_level(low, 3),
        lambda: explicit.rescale_to(low, 2),
        lambda: explicit.scale_of_level(x.params, 7),
    ):
        with pytest.raises(rj.NoSuchLevelError):
            refused()
    with pytest.raises(rj.ValueOverflowError):
        explicit.mul(explicit.drop_level(x, 0), explicit.drop_level(y, 0))


def test_three_parts_where_two_are_needed(client, server, x, y, v, w):
    product = explicit.mul(x, y)
    # at the scale of its level, which operators take
    three = explicit.rescale(product)
    three = explicit.with_scale(three, explicit.scale_of_level(x.params, three.level))
    refusals = [
        lambda: explicit.mul(product, x),
        lambda: explicit.rotate(product, 1),
        lambda: explicit.rotations(product, [1]),
        lambda: explicit.rotation_sum(product, [1, 2]),
        lambda: explicit.conjugate(product),
        lambda: explicit.mul_plain_sum([product], [w], 2**40),
        # and the operators
        lambda: three * x,
        lambda: three * three,
        lambda: three**2,
        lambda: three.rotate(1),
        lambda: three.rotations([1, 2]),
        lambda: three.inner_sum(1, 4),
        lambda: three.conjugate(),
        lambda: three.matmul(np.eye(x.slots)),
        lambda: three.polynomial([0.1, 0.2, 0.3]),
        lambda: rj.sum_of_products([three], [x]),
    ]
    for refused in refusals:
        with pytest.raises(rj.DegreeError, match="3: relinearise it first") as degree:
            refused()
        assert (degree.value.expected, degree.value.found) == (2, 3)
    with pytest.raises(rj.ScaleMismatchError):
        product * x
    for refused in (explicit.relinearize, explicit.relinearize_rescale):
        with pytest.raises(rj.DegreeError) as degree:
            refused(x)
        assert (degree.value.expected, degree.value.found) == (3, 2)
    # what takes both computes, and three parts are sent as two are
    total = explicit.add(product, explicit.mul(y, x))
    close(client, total, 2 * v * w)
    sent = server.load(explicit.rescale(total).to_bytes())
    assert explicit.parts(sent) == 3
    close(client, sent, 2 * v * w)
    close(client, sent + 1, 2 * v * w + 1)
    close(client, explicit.relinearize(sent) * 2, 4 * v * w)


def test_a_dot_product_with_one_relinearisation(client, server, v, w):
    xs = [server.load(client.encrypt(k * v)) for k in (0.25, 0.5)]
    ys = [server.load(client.encrypt(k * w)) for k in (0.5, -0.25)]
    total = explicit.add(*(explicit.mul(x, y) for x, y in zip(xs, ys, strict=True)))
    z = explicit.rescale(explicit.relinearize(total))
    # the rescaled product and an operator's product are at scales that differ by rounding
    exact = explicit.with_scale(z, explicit.scale_of_level(z.params, z.level))
    close(client, exact + xs[0] * ys[0], (0.125 - 0.125 + 0.125) * v * w)


def test_where_there_are_no_explicit_operations(client, x):
    with pytest.raises(rj.ArgumentError, match="do not record explicit operations"):
        rj.plan(lambda x: explicit.rescale(x), client.params)
    model = rj.Server(backend="model", params=client.params)
    a = model.input()
    counted = explicit.rescale(explicit.relinearize(explicit.mul(a, a)))
    assert counted.level == a.level - 1 and model.estimate("cpu-ifma-1core").seconds > 0
    for params, instead in ((rj.preset("bgv-n13"), "ciphertexts of CKKS"), (heaan(), "x.rescale and x.mod_down_to")):
        other = rj.Server(backend="model", params=params).input()
        with pytest.raises(rj.SchemeError, match=f"no explicit operations: .*{instead}"):
            explicit.neg(other)
        with pytest.raises(rj.SchemeError, match="no explicit operations"):
            explicit.scale(other)
        with pytest.raises(rj.SchemeError, match="no explicit operations"):
            explicit.scale_of_level(params, 1)
    stranger = rj.Client(client.params, seed=3).encrypt([1.0])
    with pytest.raises(rj.KeyMismatchError):
        explicit.add(x, stranger)
    with pytest.raises(rj.DetachedError):
        explicit.neg(client.encrypt([1.0]))
    with pytest.raises(rj.MissingRelinearizationKeyError):
        bare = rj.Server(client.evaluation_keys(relinearization=False)).load(client.encrypt([1.0]))
        explicit.relinearize(explicit.mul(bare, bare))


def heaan():
    return rj.heaan(10, 620, 23, slots=8, secret_weight=64, allow_insecure=True)


def test_every_name_is_documented():
    for name in explicit.__all__:
        assert getattr(explicit, name).__doc__
