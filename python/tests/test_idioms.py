"""Idioms of Python and numpy work on ciphertexts, or an error names the call to make instead, in
every scheme, in plans and for matrices."""

from __future__ import annotations

import math
import operator
import re

import numpy as np
import pytest

import ringjet as rj

SCHEMES = ("ckks", "heaan", "bgv", "bfv")
REALS = ("ckks", "heaan")
ONLY_CKKS = {
    "heaan": r"HEAAN has nothing like it: it computes sums, products and x\*\*n; ",
    "bgv": "BGV has nothing like it: its values are integers modulo t; ",
    "bfv": "BFV has nothing like it: its values are integers modulo t; ",
}
NO_ORDER = {
    "heaan": "HEAAN has nothing like it: .* let the client compare",
    "bgv": "BGV has nothing like it: integers modulo t have no order",
    "bfv": "BFV has nothing like it: integers modulo t have no order",
}


@pytest.fixture(scope="module")
def parameters(params):
    heaan = rj.heaan(log_n=10, log_q=200, log_p=23, slots=8, secret_weight=64, allow_insecure=True)
    return {"ckks": params, "heaan": heaan, "bgv": rj.preset("bgv-n12"), "bfv": rj.preset("bfv-n12")}


@pytest.fixture(scope="module", params=SCHEMES)
def real(request, parameters):
    """A client, and two of its ciphertexts on a server."""
    client = rj.Client(parameters[request.param], seed=1)
    server = rj.Server(client.evaluation_keys())
    return client, *(server.load(client.encrypt(np.arange(4) % 2 + i)) for i in (0, 0))


def refused(function, error, text):
    with pytest.raises(error, match=text) as caught:
        function()
    return caught.value


# ---- what works ----


def working(x, y, w):
    """Programs with numpy's functions, and the same ones with operators."""
    return [
        (lambda: np.add(x, y), lambda a, b: a + b),
        (lambda: np.add(w, x), lambda a, b: w + a),
        (lambda: np.subtract(w, x), lambda a, b: w - a),
        (lambda: np.multiply(x, 3), lambda a, b: 3 * a),
        (lambda: np.multiply(x, y), lambda a, b: a * b),
        (lambda: np.square(x), lambda a, b: a * a),
        (lambda: np.power(x, 2), lambda a, b: a * a),
        (lambda: np.negative(x), lambda a, b: -a),
        (lambda: np.positive(x), lambda a, b: a),
        (lambda: operator.iadd(w.copy(), x), lambda a, b: w + a),
        (lambda: sum([x, y]), lambda a, b: a + b),
    ]


def test_functions_that_mean_the_same_work(real):
    client, x, y = real
    a, b = (client.decrypt(z, all_slots=True) for z in (x, y))
    for run, expected in working(x, y, np.arange(x.slots) % 5):
        made = run()
        assert type(made) is rj.Ciphertext
        assert np.max(np.abs(client.decrypt(made, all_slots=True) - expected(a, b))) < 1e-3
    if client.params.scheme in REALS:
        assert np.max(np.abs(client.decrypt(np.divide(x, 4), all_slots=True) - a / 4)) < 1e-3


def test_numpy_functions_of_two_kinds(client, x, v, server, keys):
    assert np.max(np.abs(client.decrypt(np.matmul(np.diag(np.ones(x.slots)), x)) - v)) < 1e-6
    assert np.max(np.abs(client.decrypt(np.conjugate(x)) - v)) < 1e-6
    refused(lambda: np.add(x, v, out=np.zeros(x.slots)), TypeError, "np.add: .* cannot be written into an array")
    refused(lambda: np.add(x, v, where=v > 0), TypeError, "np.add: ciphertexts take no where")
    refused(lambda: np.add(x, "text"), TypeError, "np.add: ciphertexts are combined with .* not Ciphertext and str")
    refused(lambda: np.add.reduce(x), TypeError, r"np.add.reduce is not for encrypted vectors: use x.sum\(\)")
    refused(
        lambda: np.multiply.outer(x, x), TypeError, "np.multiply.outer is not for encrypted vectors: the methods of"
    )
    refused(lambda: np.fft.fft(x), TypeError, "np.fft is not for encrypted vectors: the methods of")
    refused(lambda: np.isnan(x), TypeError, "np.isnan is not for encrypted vectors: the methods of")


# ---- what another call does ----

#: An idiom, the answer in every scheme or with CKKS, and the answers of schemes that lack it.
ANSWERS = [
    (
        lambda x, y: np.mean(x),
        r"np.mean .* use x.mean\(\)",
        dict.fromkeys(("bgv", "bfv"), "has nothing like it: .* x.sum"),
    ),
    (lambda x, y: np.sum(x), r"use x.sum\(\)", {}),
    (
        lambda x, y: np.sum([x, y]),
        r"cannot become an array: the client decrypts it. .* sum\(\[x, y\]\) adds several",
        {},
    ),
    (lambda x, y: np.asarray(x), "cannot become an array: the client decrypts it", {}),
    (lambda x, y: np.dot(x, np.ones(4)), r"use x.dot\(y\)", {}),
    (lambda x, y: x @ x, r"x @ y .* x.dot\(y\) is the sum of products; a matrix comes first", {}),
    (lambda x, y: x / x, r"x / y .* use x \* y.reciprocal\(low, high\)", ONLY_CKKS),
    (lambda x, y: 1 / x, r"a / x .* use a \* x.reciprocal\(low, high\)", ONLY_CKKS),
    (lambda x, y: np.ones(4) / x, r"a / x .* use a \* x.reciprocal\(low, high\)", ONLY_CKKS),
    (lambda x, y: 2**x, r"a \*\* x .* use x.apply\(lambda v: a\*\*v, \(low, high\)\)", ONLY_CKKS),
    (lambda x, y: x**y, "x .. y .* the exponent must be a number", {}),
    (lambda x, y: np.exp(x), r"np.exp .* use x.exp\(\(low, high\)\)", ONLY_CKKS),
    (lambda x, y: np.sqrt(x), r"np.sqrt .* use x.sqrt\(low, high\)", ONLY_CKKS),
    (lambda x, y: np.log2(x), r"np.log2 .* use x.apply\(np.log2, \(low, high\)\)", ONLY_CKKS),
    (lambda x, y: np.std(x), r"np.std .* use x.std\(low=..., high=...\)", ONLY_CKKS),
    (lambda x, y: np.linalg.norm(x), r"np.norm .* use x.norm\(low", ONLY_CKKS),
    (lambda x, y: abs(x), r"abs\(x\) .* use x.abs\(error=...\)", NO_ORDER),
    (lambda x, y: np.abs(x), r"np.absolute .* use x.abs\(error=...\)", NO_ORDER),
    (lambda x, y: np.maximum(x, y), r"use rj.maximum\(x, y\)", NO_ORDER),
    (lambda x, y: np.clip(x, 0, 1), r"use rj.minimum\(rj.maximum\(x, low\), high\)", NO_ORDER),
    (lambda x, y: np.sort(x), r"use x.sort\(n\)", NO_ORDER),
    (lambda x, y: np.argmax(x), r"use x.argmax\(n\)", NO_ORDER),
    (lambda x, y: np.median(x), r"use x.median\(n\)", NO_ORDER),
    (lambda x, y: x % 2, "x % y .* have no remainders: take them of what the client decrypts", {}),
    (lambda x, y: 2 % x, "x % y .* have no remainders", {}),
    (lambda x, y: x // 2, "x // y .* are not rounded", {}),
    (lambda x, y: divmod(x, 2), r"divmod\(x, y\)", {}),
    (lambda x, y: x & y, r"x & y .* use x \* y, of encrypted zeros and ones", {}),
    (lambda x, y: x | y, r"use x \+ y - x \* y", {}),
    (lambda x, y: 1 ^ x, r"use x \+ y - 2 \* x \* y", {}),
    (lambda x, y: ~x, "use 1 - x", {}),
    (lambda x, y: x << 2, r"use x \* 2\*\*k", {}),
    (lambda x, y: round(x), "encrypted values cannot be rounded: round what the client decrypts", {}),
    (lambda x, y: math.floor(x), r"math.floor\(x\) .* cannot be rounded", {}),
    (lambda x, y: np.round(x, 2), "np.round .* cannot be rounded", {}),
    (lambda x, y: float(x), r"float\(x\) .* only the client can look inside: client.decrypt\(x\)\[0\]", {}),
    (lambda x, y: math.sqrt(x), "those of ciphertexts are methods", {}),
    (lambda x, y: int(x), r"client.decrypt\(x\)\[0\]", {}),
    (lambda x, y: complex(x), r"client.decrypt\(x, complex=True\)\[0\]", {}),
    (lambda x, y: len(x), r"len\(x\) .* x.count is the number of values, x.slots the number of slots", {}),
    (lambda x, y: np.shape(x), "x.count is the number of values, x.slots the number of slots", {}),
    (lambda x, y: x[0], r"x.rotate\(i\) brings slot i to the front, .* client.decrypt\(x\)\[i\] is a value", {}),
    (lambda x, y: operator.setitem(x, 0, 1), "ciphertexts do not change", {}),
    (lambda x, y: list(x), r"for v in x .* iterate over client.decrypt\(x\)", {}),
    (lambda x, y: f"{x:.2f}", r"client.decrypt\(x\)", {}),
    (lambda x, y: bool(x), "no truth value", {}),
    (lambda x, y: np.roll(x, 1), r"use x.rotate\(-k\)", {}),
    (lambda x, y: np.concatenate([x, y]), r"x \+ y.rotate\(-n\)", {}),
    (lambda x, y: np.where(x, 1, 0), r"use rj.where\(condition, x, y\)", {}),
]


def answers(scheme, x, y):
    for program, text, lacking in ANSWERS:
        refused(lambda p=program: p(x, y), TypeError, lacking.get(scheme, text))


def test_idioms_name_the_call_to_make(real):
    client, x, y = real
    answers(client.params.scheme, x, y)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("simulated", [False, True], ids=["plan", "simulate"])
def test_idioms_in_plans(parameters, scheme, simulated):
    def program(x, y):
        answers(scheme, x, y)
        for error, text, idiom in attributes(scheme):
            refused(lambda i=idiom: i(x), error, text)
        return [run() for run, _ in working(x, y, np.arange(x.slots) % 5)]

    if simulated:
        made = rj.simulate(program, [0, 1], [1, 0], params=parameters[scheme]).values
        a, b = np.zeros(len(made[0])), np.zeros(len(made[0]))
        a[1] = b[0] = 1
        for values, (_, expected) in zip(made, working(a, b, np.arange(len(a)) % 5), strict=True):
            assert np.array_equal(values, expected(a, b))
    else:
        assert len(rj.plan(program, parameters[scheme]).outputs) == 11


@pytest.mark.parametrize(
    "function",
    [max, min, lambda x, y: sorted([x, y]), np.less, np.equal, lambda x, y: 0 in x],
    ids=["max", "min", "sorted", "less", "equal", "in"],
)
def test_comparisons_name_the_call_of_the_scheme(real, function):
    client, x, y = real
    name = client.params.scheme.upper()
    texts = {"ckks": "(rj.greater|rj.equal).* make", "heaan": f"{name} has no (order|equality): "}
    text = texts.get(client.params.scheme, rf"{name} has no order: |rj.equal\(x, y\) makes")
    refused(lambda: function(x, y), rj.ComparisonError, f"nobody but the client can look inside: .*({text})")


def attributes(scheme):
    exact = scheme in ("bgv", "bfv")
    return [
        (AttributeError, "x.T .* no transpose: matrix @ x", lambda x: x.T),
        (AttributeError, "x.shape .* x.count is the number of values, x.slots the number of slots", lambda x: x.shape),
        (AttributeError, "x.size .* x.count is the number of values, x.slots the number of slots", lambda x: x.size),
        (AttributeError, "x.reshape .* rj.encrypt_matrix", lambda x: x.reshape(2, 2)),
        (AttributeError, "x.dtype .* have no type", lambda x: x.dtype),
        (AttributeError, r"x.tolist .* client.decrypt\(x\)", lambda x: x.tolist()),
        (AttributeError, "has nothing like it" if exact else r"x.conj .* use x.conjugate\(\)", lambda x: x.conj()),
        (AttributeError, "has no attribute 'rotat': did you mean rotate", lambda x: x.rotat(1)),
        (AttributeError, "has no attribute 'quux'$", lambda x: x.quux),
    ]


def test_attributes(real):
    client, x, _ = real
    for error, text, idiom in attributes(client.params.scheme):
        refused(lambda i=idiom: i(x), error, text)
    assert not hasattr(x, "shape") and not hasattr(x, "__array_interface__") and "shape" not in dir(x)


@pytest.mark.parametrize(
    ("exponent", "call"),
    [(-1, "x.reciprocal"), (0.5, "x.sqrt"), (-0.5, "x.inverse_sqrt"), (2.5, "x.power"), ("2", "x.power")],
)
def test_other_exponents(real, exponent, call):
    client, x, _ = real
    scheme = client.params.scheme
    text = re.escape(f"{call}(") if scheme == "ckks" else f"{scheme.upper()} has no other powers"
    error = refused(
        lambda: x**exponent, rj.ArgumentError, f"exponent = {exponent!r}: expected a whole number from 0 on; .*{text}"
    )
    assert error.name == "exponent" and error.value == repr(exponent)


# ---- operations that a scheme lacks ----


@pytest.mark.parametrize("scheme", ["heaan", "bgv", "bfv"])
def test_what_a_scheme_lacks_is_called_as_the_user_called_it(parameters, scheme):
    named = {
        "exp": lambda x: x.exp((-1, 1)),
        "sigmoid": lambda x: x.sigmoid((-1, 1)),
        "log": lambda x: x.log((1, 2)),
        "sqrt": lambda x: x.sqrt(0, 1),
        "reciprocal": lambda x: x.reciprocal(1, 2),
        "inverse_sqrt": lambda x: x.inverse_sqrt(1, 2),
        "x**0.3": lambda x: x.power(0.3, (0, 1)),
        "softmax": lambda x: x.softmax(4, bound=1),
        "apply": lambda x: x.apply(np.tanh, (-1, 1)),
        "sign": lambda x: x.sign(),
        "positive": lambda x: x.positive(),
        "abs": lambda x: x.abs(),
        "relu": lambda x: x.relu(),
        "greater": lambda x: rj.greater(x, 0),
        "less": lambda x: rj.less(x, 0),
        "maximum": lambda x: rj.maximum(x, x),
        "minimum": lambda x: rj.minimum(x, 0),
        "sort": lambda x: x.sort(4),
        "rank": lambda x: x.rank(4),
        "top_k": lambda x: x.top_k(1, 4),
        "median": lambda x: x.median(4),
        "quantile": lambda x: x.quantile(0.5, 4),
        "max": lambda x: x.max(4),
        "min": lambda x: x.min(4),
        "argmax": lambda x: x.argmax(4),
        "argmin": lambda x: x.argmin(4),
        "histogram": lambda x: x.histogram([0, 1]),
        "std": lambda x: x.std(low=0, high=1),
        "norm": lambda x: x.norm(low=0, high=1),
        "standardise": lambda x: x.standardise(low=0.5, high=1),
        "corrcoef": lambda x: rj.corrcoef(x, x, low=0.5, high=1),
    }
    if scheme != "heaan":
        named |= {"mean": lambda x: x.mean(), "var": lambda x: x.var(), "cov": lambda x: rj.cov(x, x)}
    for op, program in named.items():
        error = refused(
            lambda p=program: rj.plan(p, parameters[scheme]),
            rj.SchemeError,
            f"^{scheme.upper()} has no {re.escape(op)}: ",
        )
        assert (error.scheme, error.op) == (scheme.upper(), op)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_native_operations_name_the_users_scheme(parameters, scheme):
    for op, program in {
        "conjugate": lambda x: x.conjugate(),
        "times_i": lambda x: x.times_i(),
        "rescale": lambda x: x.rescale(),
        "mod_down_to": lambda x: x.mod_down_to(10),
    }.items():
        error = refused(
            lambda p=program: rj.plan(p, parameters[scheme]), rj.SchemeError, f"^{scheme.upper()} has no {op}: "
        )
        assert (error.scheme, error.op) == (scheme.upper(), op)


# ---- matrices ----


@pytest.mark.parametrize(
    ("idiom", "error", "text"),
    [
        (lambda a: np.mean(a), TypeError, r"np.mean is not for encrypted matrices: use A.sum\(\)"),
        (lambda a: np.dot(a, a), TypeError, "use A @ B"),
        (lambda a: np.sum(a, axis=0), TypeError, r"use A.sum\(axis=0\)"),
        (lambda a: np.transpose(a), TypeError, "use A.T"),
        (lambda a: np.exp(a), TypeError, r"use A.map\(lambda x: x.exp\(\(low, high\)\)\), element by element"),
        (lambda a: a / a, TypeError, r"x.reciprocal\(low, high\)"),
        (lambda a: 1 / a, TypeError, r"x.reciprocal\(low, high\)"),
        (lambda a: a**2, TypeError, r"A.map\(lambda x: x\*\*n\) element by element, A @ A"),
        (lambda a: a[0], TypeError, "picks rows: P @ A"),
        (lambda a: len(a), TypeError, r"use A.shape\[0\]"),
        (lambda a: list(a), TypeError, "iterate over decrypt_matrix"),
        (lambda a: float(a), TypeError, r"rj.decrypt_matrix\(client, A\)"),
        (lambda a: np.asarray(a), TypeError, "cannot become an array"),
        (lambda a: a == a, rj.ComparisonError, r"rj.equal\(x, y\) makes"),
        (lambda a: a < a, rj.ComparisonError, "rj.greater"),
        (lambda a: a.reshape(4), AttributeError, "A.reshape .* keeps its shape"),
        (lambda a: a.tolist(), AttributeError, r"rj.decrypt_matrix\(client, A\)"),
        (lambda a: a.quux, AttributeError, "'EncryptedMatrix' object has no attribute 'quux'"),
        (lambda a: a.blocks[0][0] + a, TypeError, "a matrix is combined with matrices"),
    ],
)
def test_matrices(client, server, idiom, error, text):
    a = rj.load_matrix(server, rj.encrypt_matrix(client, np.eye(2)))
    refused(lambda: idiom(a), error, text)
    refused(lambda: rj.plan_matrices(idiom, client.params, [(2, 2)]), error, text)


def test_matrices_combine_with_arrays_on_both_sides(client, server):
    a = np.array([[1.0, 0.5], [0.25, -1.0]])
    x = rj.load_matrix(server, rj.encrypt_matrix(client, a))
    for made, expected in (
        (a + x, 2 * a),
        (np.add(a, x), 2 * a),
        (np.multiply(x, a), a * a),
        (np.float64(2) * x, 2 * a),
        (a - x, 0 * a),
    ):
        assert np.max(np.abs(rj.decrypt_matrix(client, made) - expected)) < 1e-5


# ---- arguments ----


def test_single_numbers_where_several_are_needed(client, x):
    for make in (
        lambda: x.sigmoid(8),
        lambda: x.log(8),
        lambda: x.power(0.3, 8),
        lambda: x.apply(np.tanh, 8),
        lambda: rj.approximate("tanh", 8),
        lambda: rj.plan(lambda x: x.sigmoid(8), client.params),
    ):
        refused(make, rj.ArgumentError, r"interval = 8: expected \(low, high\), such as \(-8, 8\)")
    for interval in ((1, 2, 3), "ab", None):
        refused(lambda i=interval: x.exp(i), rj.ArgumentError, r"interval = .*: expected \(low, high\)")
    assert rj.approximate("tanh", [-1, 1]).domain == rj.approximate("tanh", np.array([-1, 1])).domain == (-1, 1)
    for make in (lambda: client.evaluation_keys(rotations=1), lambda: x.rotations(1)):
        refused(make, rj.ArgumentError, r"rotations = 1: expected a list of numbers of slots, such as \[1\]")
    refused(
        lambda: client.evaluation_keys(bootstrapping=8),
        rj.ArgumentError,
        r"bootstrapping = 8: expected True, or a list",
    )
    assert (
        client.evaluation_keys(rotations=np.array([3])).rotations
        == client.evaluation_keys(rotations=range(3, 4)).rotations
        == [3]
    )


@pytest.mark.parametrize(
    "make",
    [lambda: rj.simulate(len, [1.0]), lambda: rj.simulate_matrices(len, np.eye(2))],
    ids=["simulate", "simulate_matrices"],
)
def test_parameters_that_are_left_out(make):
    refused(
        make,
        TypeError,
        r"needs parameters: the name of a preset, or Parameters. rj.presets\(\) .*'n13-depth2'.*'bgv-n13'",
    )


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("n14_depth6", ["n14-depth6"]),
        ("N16-boot", ["n16-boot"]),
        ("bgvn13", ["bgv-n13"]),
        ("n15-detph9", ["n15-depth9"]),
        ("quux", []),
    ],
)
def test_names_of_presets(name, similar):
    for make in (
        lambda: rj.preset(name),
        lambda: rj.Client(name),
        lambda: rj.plan(abs, name),
        lambda: rj.presets()[name],
    ):
        error = refused(
            make, rj.UnknownPresetError, f'no preset is called "{name}"{": did you mean" if similar else ""}'
        )
        assert error.similar == similar and "n13-depth2" in error.known and error.name == name
        assert not similar or f': did you mean "{similar[0]}"? There are ' in str(error)


def test_a_polynomial_that_is_too_deep_speaks_of_its_degree(x):
    error = refused(
        lambda: x.polynomial(np.polynomial.Chebyshev([0] * 100 + [1], domain=[-3, 3])),
        rj.LevelExhaustedError,
        r"^a polynomial of degree 100 takes 8 level\(s\), one of them for its interval, but 6 are left: a degree of 31 fits. "
        "Accept a larger error or a narrower interval",
    )
    assert (error.op, error.degree, error.needed, error.left) == ("polynomial", 100, 8, 6)
    refused(
        lambda: x.to_level(2).polynomial([1.0] * 12),
        rj.LevelExhaustedError,
        "degree 11 takes 4 .* 2 are left: a degree of 3 fits",
    )
    # the degree that fits does fit
    assert x.to_level(2).polynomial([1.0] * 4).level == 0
    refused(
        lambda: x.to_level(3).sigmoid((-20, 20)),
        rj.LevelExhaustedError,
        "a polynomial of degree .* 3 are left: a degree of 7 fits|3 fits",
    )
