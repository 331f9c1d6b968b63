"""Every operator with the ciphertext on either side, compared with numpy."""

from __future__ import annotations

import operator
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Legendre, Polynomial

import ringjet as rj

TOLERANCE = 1e-6
ARITHMETIC = [operator.add, operator.sub, operator.mul]


def close(client, ct, expected, tolerance=TOLERANCE):
    assert isinstance(ct, rj.Ciphertext)
    got = client.decrypt(ct.to_bytes(), complex=np.iscomplexobj(expected))
    assert got.dtype == (np.complex128 if np.iscomplexobj(expected) else np.float64)
    assert np.max(np.abs(got - expected)) < tolerance


@pytest.mark.parametrize("op", ARITHMETIC)
def test_ciphertexts(client, x, y, v, w, op):
    close(client, op(x, y), op(v, w))
    close(client, op(x, x), op(v, v))


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize(
    "scalar",
    [
        2,
        -3,
        0.25,
        0,
        True,
        np.float64(0.3),
        np.float32(0.5),
        np.int64(-2),
        np.array(0.75),
        np.array([0.5]),
        Fraction(1, 4),
    ],
    ids=repr,
)
def test_scalars_from_both_sides(client, x, v, op, scalar):
    number = float(scalar.item() if isinstance(scalar, np.ndarray) else scalar)
    close(client, op(x, scalar), op(v, number))
    close(client, op(scalar, x), op(number, v))


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.bool_])
def test_arrays_from_both_sides(client, x, v, w, op, dtype):
    a = (3 * w).astype(dtype)
    number = a.astype(np.float64)
    close(client, op(x, a), op(v, number))
    close(client, op(a, x), op(number, v))


@pytest.mark.parametrize("op", ARITHMETIC)
def test_complex_and_strided_and_lists(client, x, v, w, op):
    a = w + 1j * v
    close(client, op(x, a), op(v, a))
    close(client, op(a, x), op(a, v))
    close(client, op(x, 1.5 - 2j), op(v, 1.5 - 2j))
    close(client, op(1.5 - 2j, x), op(1.5 - 2j, v))
    double = np.repeat(w, 2)[::2]
    close(client, op(double, x), op(w, v))
    close(client, op(list(w), x), op(w, v))


def test_no_arrays_of_objects(x, v):
    for result in (v * x, x * v, v + x, v - x, np.float64(2) * x, np.array(2.0) - x):
        assert type(result) is rj.Ciphertext
    with pytest.raises(TypeError, match="decrypts"):
        np.asarray(x)
    a = v.copy()
    a = a + x
    assert type(a) is rj.Ciphertext


def test_mixed_levels(client, x, v):
    deep = x * x * x
    assert deep.level == x.level - 2
    close(client, deep + x, v**3 + v)
    close(client, x - deep, v - v**3)
    close(client, deep * x, v**4)
    close(client, x.to_level(1), v)
    assert x.to_level(1).level == 1


def test_negation_division_powers(client, x, v, w):
    close(client, -x, -v)
    assert +x is x
    close(client, x / 4, v / 4)
    close(client, x / np.sign(w), v * np.sign(w))
    for n in (0, 1, 2, 3, 5, 7, 8):
        close(client, x**n, v**n)
    assert (x**8).level == x.level - 3
    assert (x**5).level == x.level - 3
    assert (x * 3).level == x.level, "integers cost no level"
    with pytest.raises(ZeroDivisionError):
        x / 0
    with pytest.raises(TypeError, match="x.*y.reciprocal"):
        x / x
    for exponent in (-1, 0.5, x):
        with pytest.raises((rj.ArgumentError, TypeError)):
            x**exponent


@pytest.mark.parametrize("k", [0, 1, 3, -1, -5, 1 + 1024, -1023])
def test_rotation_is_roll_to_the_left(client, x, v, k):
    close(client, x.rotate(k), np.roll(v, -k))


def test_hoisted_rotations(client, x, v):
    steps = [1, 0, -5, 3, 1]
    for k, ct in zip(steps, x.rotations(steps)):
        close(client, ct, np.roll(v, -k))
    assert x.rotations([]) == []


def test_conjugate_and_complex_values(client, server, v, w):
    z = v + 1j * w
    x = server.load(client.encrypt(z))
    close(client, x, z)
    close(client, x.conjugate(), z.conj())
    close(client, x * x.conjugate(), np.abs(z) ** 2 + 0j)
    assert np.max(np.abs(client.decrypt(x) - v)) < TOLERANCE, "real parts by default"


def test_inner_sum(client, x, v):
    assert rj.inner_sum_rotations(1, 4) == [1, 2]
    close(client, x.inner_sum(1, 4), sum(np.roll(v, -i) for i in range(4)))
    close(client, x.inner_sum(1, 5), sum(np.roll(v, -i) for i in range(5)))


def test_polynomials(client, x, v):
    coefficients = [0.5, -0.25, 0, 1.5, 0.1]
    close(client, x.polynomial(coefficients), np.polynomial.polynomial.polyval(v, coefficients))
    for p in (
        Polynomial(coefficients),
        Polynomial(coefficients, domain=[-2, 3]),
        Polynomial([1.0]),
        Chebyshev(coefficients),
        Chebyshev(coefficients, domain=[-2, 3]),
        Legendre(coefficients, domain=[-1.5, 2]),
        np.poly1d([2.0, -1.0, 0.5]),
        Chebyshev.interpolate(np.tanh, 15, domain=[-1, 1]),
    ):
        close(client, x.polynomial(p), p(v))
    close(client, x.polynomial(Chebyshev.interpolate(np.tanh, 15, domain=[-1, 1])), np.tanh(v), 1e-5)


def test_weighted_sum(client, x, y, v, w):
    z = x * x
    close(client, rj.weighted_sum([x, y, z], [0.5, -1.25, 2.5]), 0.5 * v - 1.25 * w + 2.5 * v * v)
    out = rj.weighted_sum([x, y], np.array([1.0, 0.125]), level=2)
    assert out.level == 2
    close(client, out, v + 0.125 * w)
    with pytest.raises(rj.ArgumentError, match="1 numbers"):
        rj.weighted_sum([x, y], [1.0])
    with pytest.raises(rj.ArgumentError):
        rj.weighted_sum([], [])


def test_sum_of_products(client, x, y, v, w):
    low = (x * y).to_level(3)
    out = rj.sum_of_products([x, low, y], [y, x, y])
    assert out.level == 2
    close(client, out, v * w + v * w * v + w * w)
    close(client, rj.sum_of_products([x], [x]), v * v)
    for bad in (([], []), ([x], [x, y])):
        with pytest.raises(rj.ArgumentError):
            rj.sum_of_products(*bad)
    with pytest.raises(rj.LevelExhaustedError):
        rj.sum_of_products([x], [x.to_level(0)])


def test_matrices(params, rng):
    n = 8
    client = rj.Client(params, slots=n)
    assert client.slots == n
    dense = rng.uniform(-1, 1, (n, n))
    band = np.diag(rng.uniform(-1, 1, n)) + np.diag(rng.uniform(-1, 1, n - 1), 1)
    a, b = rj.LinearTransform(dense), rj.LinearTransform(band)
    assert a.slots == n and len(a.rotations) < n and set(b.rotations) <= {1, n - 1} | set(range(n))
    server = rj.Server(client.evaluation_keys(rotations=a.rotations + b.rotations))
    v = rng.uniform(-1, 1, n)
    x = server.load(client.encrypt(v))
    for matrix in (a, dense, dense.tolist()):
        close(client, x.matmul(matrix), dense @ v)
    close(client, dense @ x, dense @ v)
    close(client, x.matmul(b).matmul(a), dense @ (band @ v))
    unitary = rng.uniform(-1, 1, (n, n)) + 1j * rng.uniform(-1, 1, (n, n))
    close(client, unitary @ x, unitary @ v)
    close(client, np.zeros((n, n)) @ x, np.zeros(n))
    bare = rj.Server(client.evaluation_keys())
    with pytest.raises(rj.MissingRotationKeyError, match="a plan of the program lists all keys that it takes") as e:
        dense @ bare.load(client.encrypt(v))
    assert e.value.rotations == a.rotations
    assert all(str(r) in str(e.value) for r in a.rotations)
    for few in (np.eye(4), np.ones((8, 4))):
        with pytest.raises(rj.ArgumentError, match="x 4: expected 8 columns"):
            few @ x
    with pytest.raises(rj.SlotMismatchError, match="4 and 8"):
        x.matmul(rj.LinearTransform(np.eye(4)))


def applied(transform):
    """The program that multiplies by a matrix."""
    return lambda x: x.matmul(transform)


def test_kept_coefficients_give_the_same_bytes(params, rng):
    client = rj.Client(params, slots=16)
    dense = rng.uniform(-1, 1, (16, 16))
    kept = {keep: rj.LinearTransform(dense, keep=keep) for keep in ("encoded", "coefficients")}
    server = rj.Server(client.evaluation_keys(rotations=kept["encoded"].rotations))
    x = server.load(client.encrypt(rng.uniform(-1, 1, 16)))
    made = [x.matmul(transform).to_bytes() for transform in kept.values()]
    assert made[0] == made[1]
    for keep, transform in kept.items():
        program = rj.compile(lambda x, t=transform: 2 * x.matmul(t), params=params, slots=16)
        again = rj.Program.from_bytes(program.to_bytes(), allow_insecure=True)
        assert rj.LinearTransform.from_bytes(transform.to_bytes()).keep == transform.keep == keep
        assert again.to_bytes() == program.to_bytes() and again(server, x).to_bytes() == program(server, x).to_bytes()
    diagonals = rj.LinearTransform.from_diagonals(16, {0: np.ones(16)}, keep="coefficients")
    assert diagonals.keep == "coefficients" and rj.LinearTransform(dense).keep == "encoded"
    with pytest.raises(rj.ArgumentError, match="encoded or coefficients"):
        rj.LinearTransform(dense, keep="clear")


def test_kept_coefficients_take_keys_of_the_same_levels(rng):
    """Keys are used a few residues at a time, and their levels are those of all residues."""
    diagonals = {16 * k: rng.uniform(-1, 1, 16384) for k in range(64)}
    kept = [rj.LinearTransform.from_diagonals(16384, diagonals, keep=keep) for keep in ("encoded", "coefficients")]
    plans = [rj.plan(applied(transform), "n16-boot", slots=16384, level=4) for transform in kept]
    assert plans[0].keys == plans[1].keys and set(plans[0].keys["levels"].values()) == {4}


def test_rectangular_matrices(params, rng):
    client = rj.Client(params, slots=16)
    transforms = {
        "tall": rj.LinearTransform(rng.uniform(-1, 1, (5, 3)), 16),
        "wide": rj.LinearTransform(rng.uniform(-1, 1, (3, 16))),
        "batch": rj.LinearTransform(rng.uniform(-1, 1, (3, 4)), batch=4),
        "band": rj.LinearTransform.from_diagonals(16, {-1: np.arange(16) / 16, 3: np.ones(16)}),
    }
    assert (len(transforms["band"].rotations), transforms["batch"].slots) == (2, 16)
    keys = sorted(
        {r for t in transforms.values() for r in t.rotations} | set(rj.LinearTransform(np.ones((2, 16))).rotations)
    )
    server = rj.Server(client.evaluation_keys(rotations=keys))
    v = rng.uniform(-1, 1, 16)
    x = server.load(client.encrypt(v))
    for name, t in transforms.items():
        dense = np.array([t._apply(unit).real for unit in np.eye(16)]).T[
            : {"tall": 5, "wide": 3, "batch": 12}.get(name, 16)
        ]
        close(client, t @ x if name != "band" else x.matmul(t), dense @ v)
        loaded = rj.LinearTransform.from_bytes(t.to_bytes())
        close(client, x.matmul(loaded), dense @ v)
        simulated = rj.simulate(applied(t), v, params=params, slots=16, noise=False)
        assert np.allclose(simulated.outputs[0].values, dense @ v)
    two = rng.uniform(-1, 1, (2, 16))
    close(client, two @ x, two @ v)
    assert np.max(np.abs(client.decrypt(two @ x, all_slots=True)[2:])) < 1e-6
    batch = rng.uniform(-1, 1, (3, 4))
    seen = client.decrypt(x.matmul(rj.LinearTransform(batch, batch=4)), all_slots=True).reshape(4, 4)
    assert np.max(np.abs(seen[:3] - batch @ v.reshape(4, 4))) < 1e-6 and np.max(np.abs(seen[3])) < 1e-6
    assert np.allclose(
        rj.simulate(lambda x: two @ x, v, params=params, slots=16, noise=False).outputs[0].values[:2], two @ v
    )
    for wrong, text in [
        (lambda: rj.LinearTransform(np.ones((5, 3)), 4), "slots"),
        (lambda: rj.LinearTransform(np.ones((5, 3)), 12), "power of two"),
        (lambda: rj.LinearTransform(np.ones((5, 3)), batch=3), "power of two"),
        (lambda: rj.LinearTransform(np.ones((0, 3))), "at least one row"),
        (lambda: rj.LinearTransform.from_diagonals(4, {1: [1] * 4, -3: [1] * 4}), "each diagonal once"),
    ]:
        with pytest.raises((rj.ArgumentError, rj.SlotCountError), match=text):
            wrong()


def test_sparse_packing(params, v, w):
    client = rj.Client(params, slots=64, seed=3)
    server = rj.Server(client.evaluation_keys(rotations=[1, -1, 62]))
    x = server.load(client.encrypt(v[:64]))
    assert x.slots == 64
    for k in (1, -1, 63, 65, -2, 62, 0, 64):
        close(client, x.rotate(k), np.roll(v[:64], -k))
    close(client, x * w[:64], v[:64] * w[:64])
    short = client.decrypt(client.encrypt([1.0, 2.0], magnitude=2), all_slots=True)
    assert np.max(np.abs(short - np.array([1.0, 2.0] + [0.0] * 62))) < TOLERANCE


def test_show(x, client, params):
    deep = x * x
    text = repr(deep)
    for part in (f"level {deep.level}/6", "scale 2^42", "1024 slots", deep.backend, "bits", "allow_insecure"):
        assert part in text
        assert part.split(" ")[0].split("/")[0] in deep._repr_html_()
    assert deep._repr_html_().startswith("<table>")
    assert deep.scale == pytest.approx(42, abs=0.01)
    assert 20 < deep.precision_bits < x.precision_bits
    assert x.with_magnitude(2.0).level == x.level
    for o in (params, client, x):
        assert "allow_insecure" in repr(o)
    assert "allow_insecure" not in repr(rj.preset("n13-depth2"))


def test_precision_estimate_holds(client, x, y, v, w):
    error = client.decrypt(x * y) - v * w
    assert 0.5 < np.std(error) * 2 ** (x * y).precision_bits < 2 * np.sqrt(3), "an estimate for values up to 1"


def test_no_truth_no_order(x, y):
    with pytest.raises(TypeError, match="truth"):
        bool(x)
    for op in (lambda: x < y, lambda: x == y, lambda: x == x, lambda: x != y, lambda: x == 0, lambda: np.ones(3) == x):
        with pytest.raises(rj.ComparisonError, match="compared") as e:
            op()
        assert isinstance(e.value, TypeError)
    # ciphertexts are compared and hashed by identity
    assert len({x, y, x}) == 2 and x in [x, y] and hash(x) == hash(x) != hash(y)


def test_one_value_in_an_array_counts_for_every_slot(client, x, v):
    """As numpy broadcasts."""
    for one in (np.array([2.0]), [2], np.uint8([2]), np.array(2.0)):
        assert np.max(np.abs(client.decrypt(x * one) - 2 * v)) < 1e-6
        assert np.max(np.abs(client.decrypt(one - x) - (2 - v))) < 1e-6


def test_complex_weights(client, x, y, v, w):
    weights = [0.5 + 0.25j, -1j]
    got = rj.weighted_sum([x, y], weights)
    assert got.level == x.level - 1
    assert np.max(np.abs(client.decrypt(got, complex=True) - weights[0] * v - weights[1] * w)) < 1e-6
    turned = client.decrypt(rj.weighted_sum([x], [2j]), complex=True)
    assert np.max(np.abs(turned - 2j * v)) < 1e-6


def test_pandas_leaves_operators_to_ciphertexts(client, x, v):
    assert rj.Ciphertext.__pandas_priority__ > 4000, "pandas' own types have at most 4000"
    pd = pytest.importorskip("pandas")
    for got in (pd.Series(v) * x, x * pd.Series(v)):
        assert isinstance(got, rj.Ciphertext) and np.max(np.abs(client.decrypt(got) - v * v)) < 1e-6


def test_no_bits_are_negative_or_infinite(x):
    lost, exact = x.with_magnitude(1e30) * x.with_magnitude(1e30), x * 0
    assert re.search(r"errors of about [\d.e]+ in values of at most 1.000e60", repr(lost)) and "bits" not in repr(exact)
    for ct in (lost, exact):
        assert "inf" not in repr(ct) + ct._repr_html_()


def test_other_types_are_left_to_python(x):
    class Friend:
        def __radd__(self, other):
            return "friend"

        def __rmatmul__(self, other):
            return "matrix friend"

    assert x + Friend() == "friend"
    for other in ("text", None, {}, object()):
        with pytest.raises(TypeError):
            x + other
        with pytest.raises(TypeError):
            other * x


def test_a_stated_error_is_that_of_later_estimates(client, x, v):
    stated = x.with_error(2.0**-10)
    assert stated.precision_bits == pytest.approx(10)
    assert (stated * 2).precision_bits == pytest.approx(9, abs=0.01)
    close(client, stated, v)
    for deviation in (0, -1, float("nan"), float("inf")):
        with pytest.raises(rj.ArgumentError, match="deviation"):
            x.with_error(deviation)
