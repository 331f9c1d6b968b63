"""Numbers that users give are converted once, before anything is computed: in the user's own type
10 - 200 is 66, and half of 1/3 is gone."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import ringjet as rj
from ringjet import _arrays

SLOTS = 16


class Pair:
    """A client and its server, for vectors of 16 values."""

    def __init__(self, params: rj.Parameters, **keys: object) -> None:
        self.client = rj.Client(params, None if params.t is not None else SLOTS, seed=5)
        self.server = rj.Server(self.client.evaluation_keys(**keys))
        self.exact = params.t is not None

    def load(self, values: object, **options: object) -> rj.Ciphertext:
        return self.server.load(self.client.encrypt(values, **options))

    def shown(self, x: rj.Ciphertext) -> np.ndarray:
        return self.client.decrypt(x)


@pytest.fixture(scope="module")
def ckks() -> Pair:
    return Pair(rj.params(8, [50, 40, 40, 40], [50], allow_insecure=True), rotations=list(range(1, SLOTS)))


@pytest.fixture(scope="module", params=["bgv", "bfv"])
def small(request: pytest.FixtureRequest) -> Pair:
    return Pair(exact_params(request.param))


@pytest.fixture(scope="module", params=["bgv", "bfv"])
def large(request: pytest.FixtureRequest) -> Pair:
    return Pair(exact_params(request.param, t_bits=64))


def exact_params(scheme: str, t_bits: int = 16) -> rj.Parameters:
    return rj.bgv(5, q_bits=[50] * 6, p_bits=[50, 50], t_bits=t_bits, scheme=scheme, allow_insecure=True)


# ---- one conversion ----


def test_numbers_become_doubles():
    for kind in ("?", "u1", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "g", ">i4", ">f4", "<f2"):
        made = _arrays.numbers(np.array([0, 1, 1], kind))
        assert made.dtype == np.float64 and made.dtype.isnative and made.tolist() == [0, 1, 1], kind
    for kind in ("F", "D", "G", ">c8"):
        made = _arrays.numbers(np.array([1j, 2], kind))
        assert made.dtype == np.complex128 and made.dtype.isnative and made.tolist() == [1j, 2], kind
    objects = [Decimal("0.5"), Fraction(1, 4), 2**70, np.float16(0.5), True, np.uint8(3)]
    assert _arrays.numbers(objects).tolist() == [0.5, 0.25, 2.0**70, 0.5, 1, 3]
    assert _arrays.numbers([Decimal(1), 1j]).tolist() == [1, 1j]
    # every array is read as numpy reads it, whatever its memory
    whole = np.arange(24, dtype=">i2").reshape(4, 6)
    for view in (whole[::-1, ::2], whole.T, np.asfortranarray(whole), np.broadcast_to(whole[0], (3, 6))):
        assert np.array_equal(_arrays.numbers(view), view.astype(float))


def test_integers_stay_exact():
    top = 2**63 - 1
    for values in (
        [top, -top - 1],
        np.array([top, -top - 1]),
        np.array([top, -top - 1], ">i8"),
        [np.int64(top), -top - 1],
    ):
        made = _arrays.integers(values)
        assert made.dtype == np.int64 and made.tolist() == [top, -top - 1]
    made = _arrays.integers([2**64, -(2**70)])
    assert made.dtype == object and made.tolist() == [2**64, -(2**70)]
    assert _arrays.integers(np.array([2**64 - 1, 0], np.uint64)).tolist() == [2**64 - 1, 0]
    assert _arrays.integers([True, np.bool_(False), np.uint8(200)]).tolist() == [1, 0, 200]
    for floats in ([1.0], np.ones(2, np.float16), [Fraction(2)], [Decimal(2)], 1j, [2, 1.0], [np.timedelta64(1)]):
        with pytest.raises(TypeError):
            _arrays.integers(floats)


def test_what_is_no_number_is_refused():
    for values in (
        "text",
        ["1"],
        b"12",
        [b"1"],
        np.array(["2020-01-01"], "M8[D]"),
        np.array([1], "m8[s]"),
        {1, 2},
        object(),
    ):
        with pytest.raises(TypeError, match="no numbers"):
            _arrays.numbers(values)
    with pytest.raises(rj.ArgumentError, match="parts of different lengths"):
        _arrays.numbers([[1, 2], [3]])
    for values, index in (
        ([1, float("nan")], 1),
        (np.array([[0, 0], [np.inf, 0]]), 2),
        ([1j, complex(0, np.inf)], 1),
        ([10**400], 0),
    ):
        with pytest.raises(rj.NotFiniteError, match=f"at index {index} is not finite") as refused:
            _arrays.numbers(values)
        assert refused.value.index == index
    with pytest.raises(rj.NotFiniteError):
        _arrays.numbers(np.array([np.longdouble("1e4000")]))
    with pytest.raises(rj.ArgumentError, match="a missing value at index 1"):
        _arrays.numbers([1, None])


def test_pandas_objects_are_their_values():
    pd = pytest.importorskip("pandas")
    for kind in ("int8", "UInt8", "Int64", "Float32", "boolean", "float16", "category"):
        made = _arrays.numbers(pd.Series([1, 0, 1], dtype=kind))
        assert made.dtype == np.float64 and made.tolist() == [1, 0, 1], kind
    frame = pd.DataFrame({"a": pd.array([1, 2], "Int64"), "b": [0.5, 1.5]})
    assert _arrays.numbers(frame).tolist() == [[1, 0.5], [2, 1.5]]
    big = pd.Series([2**62 + 1, -5], dtype="Int64")
    assert _arrays.integers(big).tolist() == [2**62 + 1, -5]
    for kind in ("Int64", "Float64", "boolean", "float64", "object"):
        with pytest.raises(rj.ArgumentError, match=r"a missing value at index 1: .*fillna"):
            _arrays.numbers(pd.Series([1, None, 0], dtype=kind))
    for values in (pd.Series(["a"]), pd.to_datetime(pd.Series(["2020-01-01"])), pd.Series(pd.to_timedelta([1], "s"))):
        with pytest.raises(TypeError):
            _arrays.numbers(values)


# ---- every entry ----


def both(pair: Pair, program, *inputs, **options):
    """The results of a program on ciphertexts and in a simulation."""
    x = [pair.load(v, **({} if pair.exact else options)) for v in inputs]
    limits = {} if pair.exact else {"magnitudes": options.get("magnitude", 1.0)}
    simulated = rj.simulate(program, *inputs, params=pair.client.params, slots=pair.client.slots, **limits)
    return pair.shown(program(*x)), simulated.values


def check(pair: Pair, program, inputs, expected, **options) -> None:
    expected = np.broadcast_to(np.asarray(expected), pair.client.slots)
    for found in both(pair, program, *inputs, **options):
        if pair.exact:
            assert found.tolist() == expected.tolist()
        else:
            assert np.max(np.abs(found - expected)) < 1e-6 * max(1, np.max(np.abs(expected)))


BITS = np.arange(SLOTS) % 2


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i8", "u8", "?", "f2", "f4", "g", ">i4"])
def test_where_computes_in_doubles(ckks, kind):
    a, b = {"i1": (-100, 100), "?": (0, 1), "f2": (2049, 0.5)}.get(kind, (10, 200))
    a, b = (np.full(SLOTS, z).astype(kind) for z in (a, b))
    for x, y in ((a, b), (a[0], b), (a[:1], b[0]), (a, float(b[0]))):
        expected = np.where(BITS, float(np.ravel(x)[0]), float(np.ravel(y)[0]))
        check(ckks, lambda m, x=x, y=y: rj.where(m, x, y), [BITS], expected)


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i8", "O", "?"])
def test_where_is_exact(small, kind):
    a, b = {"i1": (-100, 100), "?": (0, 1)}.get(kind, (10, 200))
    bits = np.arange(2 * SLOTS) % 2
    a, b = (np.full(2 * SLOTS, z).astype(kind) for z in (a, b))
    for x, y in ((a, b), (a[0], b), (a[:1], b[0]), (a.tolist(), b)):
        expected = np.where(bits, int(np.ravel(x)[0]), int(np.ravel(y)[0]))
        check(small, lambda m, x=x, y=y: rj.where(m, x, y), [bits], expected)
    with pytest.raises(rj.NotResidueError):
        rj.where(small.load(bits), 70000 + 65537, 70000)
    with pytest.raises(TypeError, match="integers"):
        rj.where(small.load(bits), np.float16(1), 0)


def test_where_is_exact_at_64_bits(large):
    bits = np.arange(2 * SLOTS) % 2
    for a, b in ((2**62, -(2**62)), (2**63 - 1, -(2**63)), (-(2**63), 2**63 - 1), (2**62, 2**62)):
        for kind in (np.int64, object):
            x, y = (np.full(2 * SLOTS, z, kind) for z in (a, b))
            check(large, lambda m, x=x, y=y: rj.where(m, x, y), [bits], np.where(bits, a, b))


def test_where_is_exact_beyond_64_bits():
    pair = Pair(exact_params("bgv", t_bits=80))
    bits = np.arange(2 * SLOTS) % 2
    top = 2**63 - 1
    check(pair, lambda m: rj.where(m, top, -top - 1), [bits], np.where(bits, top, -top - 1))


def test_where_says_what_does_not_fit(ckks):
    m = ckks.load(BITS)
    with pytest.raises(rj.ArgumentError, match=r"shape \(3,\): expected a number, or the shape \(16,\) of x"):
        rj.where(m, np.ones(SLOTS), np.ones(3))
    with pytest.raises(TypeError, match="np.where"):
        rj.where(BITS, 1, 2)
    assert np.allclose(ckks.shown(rj.where(BITS, m, 5)), np.where(BITS, BITS, 5), atol=1e-6)


def test_operands_of_any_type(ckks):
    v = np.linspace(-1, 1, SLOTS)
    arrays = [np.arange(SLOTS).astype(kind) for kind in ("u1", "i1", "u8", "f2", "f4", "g", ">f8", "?")]
    arrays += [
        np.arange(2 * SLOTS)[::-2],
        np.arange(SLOTS, dtype="f2")[::-1],
        [Fraction(1, 3)] * SLOTS,
        [Decimal("0.1")] * SLOTS,
    ]
    arrays += [
        np.uint8(200),
        np.float16(0.1),
        np.longdouble(3),
        Fraction(1, 3),
        Decimal("0.1"),
        np.array(7, "i1"),
        True,
    ]
    for a in arrays:
        clear = np.array(a, float)
        check(ckks, lambda x, a=a: x + a, [v], v + clear)
        check(ckks, lambda x, a=a: a - x, [v], clear - v)
        check(ckks, lambda x, a=a: x * a, [v], v * clear)
        if np.all(clear):
            check(ckks, lambda x, a=a: x / a, [v], v / clear)


def test_weights_and_coefficients_of_any_type(ckks, small):
    v, w = np.linspace(-1, 1, SLOTS), np.linspace(1, 2, SLOTS) / 2
    for weights in (
        np.uint8([200, 100]),
        np.int8([-128, 127]),
        np.float16([0.1, 3]),
        [Fraction(1, 3), Decimal("0.25")],
    ):
        a, b = (float(x) for x in weights)
        check(ckks, lambda x, y, weights=weights: rj.weighted_sum([x, y], weights), [v, w], a * v + b * w)
    i = np.arange(2 * SLOTS) - 5
    for weights in (np.uint8([200, 100]), np.int8([-128, 127])):
        a, b = (int(x) for x in weights)
        check(small, lambda x, y, weights=weights: rj.weighted_sum([x, y], weights), [i, i[::-1]], a * i + b * i[::-1])
    c = [0.1, 0.7, -0.3]
    for p in (
        np.float16(c),
        np.poly1d(np.float16(c[::-1])),
        np.polynomial.Polynomial(np.float16(c)),
        [Fraction(float(x)) for x in np.float16(c)],
    ):
        check(
            ckks, lambda x, p=p: x.polynomial(p), [v], np.polynomial.polynomial.polyval(v, np.float16(c).astype(float))
        )
    series = np.polynomial.Chebyshev(np.float16(c), domain=np.float16([-1.1, 1.3]))
    exact = np.polynomial.Chebyshev(np.float16(c).astype(float), domain=np.float16([-1.1, 1.3]).astype(float))
    check(ckks, lambda x: x.polynomial(series), [v], exact(v))
    for p in (np.uint8([200, 100]), np.poly1d(np.int8([100, -56])), [200, 100]):
        check(
            small,
            lambda x, p=p: x.polynomial(p),
            [i],
            np.polyval([int(k) for k in ([100, 200] if not isinstance(p, np.poly1d) else p.coeffs)], i),
        )


def test_bounds_of_any_type(ckks):
    """-np.uint8(2) is 254, and a half of np.float16 has three digits."""
    client = rj.Client(rj.params(10, [50] + [40] * 12, [50, 50], allow_insecure=True), 8, seed=3)
    server = rj.Server(client.evaluation_keys(rotations=[1, 2, 4]))
    v = np.linspace(1, 2, 8)
    x, negative = (server.load(client.encrypt(s * v, magnitude=2)).with_range(*sorted((s, 2 * s))) for s in (1, -1))
    for one, two in (
        (np.uint8(1), np.uint8(2)),
        (np.float16(1), np.int8(2)),
        (Fraction(1), Decimal(2)),
        (np.array(1), np.array(2)),
    ):
        assert np.max(np.abs(client.decrypt(x.reciprocal(one, two)) - 1 / v)) < 2e-4
    assert np.max(np.abs(client.decrypt(negative.reciprocal(np.int8(-2), np.int8(-1))) + 1 / v)) < 2e-4
    found = client.decrypt(x.power(np.float16(-0.5), (np.uint8(1), np.uint8(2)), error=np.float16(1e-3)))
    assert np.max(np.abs(found - v**-0.5)) < 2e-3
    for within in (np.uint8(0), np.float16(0)):
        shown = client.decrypt(rj.equal(x, x, within=within, gap=np.float32(0.5)))
        assert np.max(np.abs(shown - 1)) < 0.01
    with pytest.raises(rj.NotFiniteError):
        x.histogram([0, np.nan, 3])


def test_matrices_of_any_type():
    params = rj.params(8, [50, 40, 40, 40, 40], [50], allow_insecure=True)
    client = rj.Client(params, 16, seed=1)
    m = np.arange(9.0).reshape(3, 3) / 8 - 0.3
    server = rj.Server(client.evaluation_keys(rotations=list(range(1, 16))))
    a = rj.load_matrix(server, rj.encrypt_matrix(client, m))
    third = np.float16(1 / 3)
    w = np.asfortranarray(np.float16(m))
    for program, expected in (
        (lambda a: a / np.float16(3), m / 3),
        (lambda a: a / np.uint8(3), m / 3),
        (lambda a: a / np.full((3, 3), third), m / float(third)),
        (lambda a: a @ w, m @ w.astype(float)),
        (lambda a: w @ a, w.astype(float) @ m),
        (lambda a: a * w, m * w),
        (lambda a: np.uint8(200) - a, 200 - m),
        (lambda a: a + np.full((3, 1), 127, np.int8), m + 127),
        (lambda a: a - [[Fraction(1, 3)] * 3], m - 1 / 3),
    ):
        found = rj.decrypt_matrix(client, program(a))
        assert np.max(np.abs(found - expected)) < 1e-6 * max(1, np.max(np.abs(expected)))
        simulated = rj.simulate_matrices(program, m, params=params, slots=16).values
        assert np.max(np.abs(simulated - expected)) < 1e-12 * max(1, np.max(np.abs(expected)))
    for kind in (np.float16, np.float32, ">f8", "g"):
        found = rj.decrypt_matrix(client, rj.encrypt_matrix(client, m.astype(kind)[:, ::-1]))
        assert np.max(np.abs(found - m.astype(kind).astype(float)[:, ::-1])) < 1e-6
    ints = rj.bgv(6, q_bits=[50] * 6, p_bits=[50, 50], t_bits=64, allow_insecure=True)
    exact = rj.Client(ints, seed=1)
    values = [[2**62, -(2**62)], [2**63 - 1, -(2**63)]]
    for given in (values, np.array(values), np.array(values, object)):
        assert rj.decrypt_matrix(exact, rj.encrypt_matrix(exact, given)).tolist() == values


def test_convolutions_in_doubles():
    kernel = np.float16([[0.1, 0.2], [0.3, 2049]])
    conv = rj.images.conv2d(kernel, (4, 4))
    image = np.arange(16.0).reshape(4, 4)
    want = sum(float(kernel[i, j]) * image[i : i + 3, j : j + 3] for i in range(2) for j in range(2))
    assert np.max(np.abs(conv.unpack(conv.transform._apply(conv.pack(image)).real) - want)) < 1e-10


def test_hidden_values_are_refused_everywhere(ckks, small):
    mask = np.arange(SLOTS) == 3
    v = np.ma.array(np.linspace(-1, 1, SLOTS), mask=mask)
    x = ckks.load(v.filled(0))
    square = np.ma.array(np.eye(SLOTS), mask=np.eye(SLOTS) == 1)
    little = np.ma.array(np.eye(3), mask=np.eye(3) == 1)
    m = rj.encrypt_matrix(ckks.client, np.eye(3))
    params = ckks.client.params
    conv = rj.images.conv2d(np.ones((2, 2)), (4, 4))
    labels = np.arange(SLOTS) % 2
    ints = np.ma.array(np.arange(2 * SLOTS), mask=np.arange(2 * SLOTS) == 3)
    calls = [
        lambda: ckks.client.encrypt(v),
        lambda: ckks.client.encrypt([0.5, np.ma.masked]),
        lambda: ckks.client.encrypt([v[2:4], v[3:5]]),
        lambda: ckks.client.encrypt([0.5], fill=np.ma.masked),
        lambda: small.client.encrypt(ints),
        lambda: small.client.encrypt([1], fill=np.ma.masked),
        lambda: rj.Encryptor(ckks.client.public_key()).encrypt(v),
        lambda: x + v,
        lambda: v * x,
        lambda: x / v,
        lambda: x - np.ma.masked,
        lambda: small.load(np.arange(2 * SLOTS)) * ints,
        lambda: x.dot(v),
        lambda: rj.where(x, v, 1),
        lambda: rj.where(x, 1, v),
        lambda: rj.greater(x, v),
        lambda: rj.maximum(x, v),
        lambda: x.reciprocal(np.ma.masked, 2),
        lambda: x.histogram(v[2:5]),
        lambda: x.polynomial(v[2:5]),
        lambda: x.matmul(square),
        lambda: rj.LinearTransform(square),
        lambda: rj.LinearTransform.from_diagonals(SLOTS, {0: v}),
        lambda: rj.weighted_sum([x, x], v[2:4]),
        lambda: rj.encrypt_matrix(ckks.client, little),
        lambda: m @ little,
        lambda: little @ m,
        lambda: m + little,
        lambda: m / little,
        lambda: rj.simulate(lambda x: x, v, params=params),
        lambda: rj.simulate(lambda x: x + v, np.zeros(SLOTS), params=params, slots=SLOTS),
        lambda: rj.simulate_matrices(lambda a: a, little, params=params),
        lambda: rj.plan(lambda x: x + v, params, slots=SLOTS),
        lambda: rj.images.conv2d(np.ma.masked_equal(np.eye(2), 0), (4, 4)),
        lambda: rj.images.conv1d(np.ma.masked_equal([1, 0], 0), 4),
        lambda: conv.pack(np.ma.masked_less(np.arange(16.0).reshape(4, 4), 3)),
        lambda: rj.LogisticRegression(params).prepare(v[:, None], labels),
        lambda: rj.LogisticRegression(params).prepare(v.filled(0)[:, None], np.ma.masked_equal(labels, 0)),
        lambda: rj.approximate(lambda t: np.ma.masked_less(t, 0), (-1, 1)),
        lambda: rj.approximate("exp", (-1, 1))(v),
    ]
    for i, call in enumerate(calls):
        with pytest.raises(rj.ArgumentError, match="masked array that hides .*filled"):
            call()
            pytest.fail(f"call {i} was not refused")
    # nothing is hidden, so nothing is lost
    shown = np.ma.array(np.linspace(-1, 1, SLOTS), mask=False)
    assert np.max(np.abs(ckks.shown(x + shown) - (v.filled(0) + shown.data))) < 1e-6


# ---- windows and shapes ----


def test_sums_meet_every_slot_once(ckks, small):
    v = np.linspace(-1, 1, SLOTS)
    x = ckks.load(v)
    assert np.max(np.abs(ckks.shown(x.inner_sum(1, SLOTS)) - v.sum())) < 1e-6
    assert np.max(np.abs(ckks.shown(x.inner_sum(-2, SLOTS // 2)) - np.where(BITS, v[1::2].sum(), v[::2].sum()))) < 1e-6
    for stride, count, distinct in (
        (1, 17, 16),
        (2, 9, 8),
        (-4, 5, 4),
        (0, 2, 1),
        (16, 2, 1),
        (2**62, 2, 1),
        (-(2**63), 2, 1),
    ):
        for run in (x.inner_sum, lambda *a: rj.plan(lambda x: x.inner_sum(*a), ckks.client.params, slots=SLOTS)):
            with pytest.raises(rj.WindowError, match=r"x\.sum\(\) is the sum of all values") as refused:
                run(stride, count)
            e = refused.value
            assert (e.stride, e.count, e.slots, e.distinct) == (stride, count, SLOTS, distinct)
    y = small.load(np.arange(2 * SLOTS))
    with pytest.raises(
        rj.WindowError, match=r"a sum of 32 slots at a distance of 1: a row of 16 slots has only 16 .*x\.sum\(\)"
    ):
        y.inner_sum(1, 2 * SLOTS)
    with pytest.raises(rj.WindowError):
        rj.simulate(lambda x: x.inner_sum(1, 2 * SLOTS), [1], params=small.client.params, slots=2 * SLOTS)


def test_images_are_packed_in_their_order():
    image = np.arange(3 * 4 * 5).reshape(3, 4, 5)
    conv = rj.images.conv2d(np.ones((1, 3, 2, 2)), (4, 5))
    for same in (image, image.ravel(), image[None], image.astype("u1"), image.tolist()):
        assert np.array_equal(conv.pack(same), np.arange(60))
    moved = (
        r"shape \(4, 5, 3\): expected the shape \(3, 4, 5\): \(channels, height, width\); np.moveaxis\(image, -1, 0\)"
    )
    with pytest.raises(rj.ArgumentError, match=moved):
        conv.pack(np.moveaxis(image, 0, -1))
    assert np.array_equal(conv.pack(np.moveaxis(np.moveaxis(image, 0, -1), -1, 0)), np.arange(60))
    for other in (image.reshape(3, 5, 4), image.reshape(3, 20), image.reshape(12, 5), image[:2]):
        with pytest.raises(rj.ArgumentError, match=r"expected the shape \(3, 4, 5\)"):
            conv.pack(other)
    grey = rj.images.conv2d(np.ones((2, 2)), (4, 5))
    for same in (image[0], image[:1], image[0][..., None], image[0].ravel()):
        assert np.array_equal(grey.pack(same), np.arange(20))
    with pytest.raises(rj.ArgumentError):
        grey.pack(image[0].T)


def test_arrays_have_a_number_for_each_slot_or_each_value(ckks, small):
    for pair, scale in ((ckks, 0.5), (small, 3)):
        slots = pair.client.slots
        x, four = (
            pair.load([scale] * slots),
            pair.load([scale, -scale, 0, scale], **({} if pair.exact else {"fill": scale})),
        )
        assert (x.count, four.count) == (slots, 4)
        short = [2] * (slots - 1)
        text = rf"an array of {slots - 1} numbers does not fit a ciphertext of {slots} slots: give {slots}, .*np.pad\(array, \(0, 1\)"
        calls = [lambda x: x * short, lambda x: short - x, lambda x: x + tuple(short), lambda x: rj.where(x, short, 1)]
        calls += (
            []
            if pair.exact
            else [lambda x: x / short, lambda x: rj.greater(x, short), lambda x: rj.equal(x, np.array(short))]
        )
        for call in calls:
            for run in (lambda: call(x), lambda: rj.plan(call, pair.client.params, slots=slots)):
                with pytest.raises(rj.SlotMismatchError, match=text) as refused:
                    run()
                assert (refused.value.lhs, refused.value.rhs) == (slots, slots - 1)
        with pytest.raises(
            rj.SlotMismatchError, match=rf"of 3 numbers .* {slots} slots: give 4, one for each value, or {slots}, one"
        ):
            four * [1, 2, 3]
        with pytest.raises(rj.SlotMismatchError, match=r"shape \(2, 2\) does not fit"):
            four + [[1, 2], [3, 4]]
        with pytest.raises(rj.ArgumentError, match=rf"y = an array of shape \(3,\): expected 4 or {slots} numbers"):
            four.dot([1, 2, 3])
        # an array with a number for each value leaves the slots behind them as they are
        v, w = np.array([scale, -scale, 0, scale]), np.array([1, 2, -3, 4])
        programs = [
            (lambda x: x + w, v + w),
            (lambda x: w - x, w - v),
            (lambda x: x * w, v * w),
            (lambda x: rj.where(x, w, 0), v * w),
        ]
        programs += [] if pair.exact else [(lambda x: x / w, v / w)]
        rest = {1: 0 if pair.exact else -scale}
        for i, (program, expected) in enumerate(programs):
            made = program(four)
            found = pair.shown(made.with_count(slots))
            assert made.count == 4
            assert np.max(np.abs(found[:4] - expected)) < 1e-6
            assert np.max(np.abs(found[4:] - rest.get(i, 0 if pair.exact else scale))) < 1e-6
