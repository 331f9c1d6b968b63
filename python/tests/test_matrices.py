"""Encrypted matrices."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj
from ringjet.matrices import EncryptedMatrix, decrypt_matrix, encrypt_matrix

#: Slots of a ciphertext, and the shapes of two matrices.
PRODUCTS = [
    (256, (16, 16), (16, 16)),
    (512, (16, 16), (16, 16)),
    (256, (3, 5), (5, 7)),
    (64, (8, 8), (8, 3)),
    (1024, (4, 10, 16), (4, 16, 9)),
    (128, (8, 5), (5, 8)),
    (16, (1, 4), (4, 1)),
    (64, (1, 1), (1, 8)),
]


def run(params, slots, shapes, program, arrays, garbage=0.0):
    """The results of a program, with the keys of its plan; matrices in, matrices out."""

    def planned(*xs):
        return [m.ciphertext for m in program(*map(EncryptedMatrix, xs, shapes))]

    plan = rj.plan(planned, params, slots=slots, magnitudes=[1.0] * len(arrays))
    client = rj.Client(params, slots=slots, seed=7)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    loaded = []
    for array, shape in zip(arrays, shapes, strict=True):
        x = server.load(encrypt_matrix(client, array).to_bytes())
        # what is in slots without an element must not matter
        empty = server.load(encrypt_matrix(client, np.ones(shape)))
        loaded.append(EncryptedMatrix(x + garbage - empty * garbage if garbage else x, shape))
    results = program(*loaded)
    return [(m, decrypt_matrix(client, m)) for m in results]


@pytest.mark.parametrize(("slots", "left", "right"), PRODUCTS)
def test_products(params, slots, left, right):
    rng = np.random.default_rng(slots)
    a, b = rng.uniform(-1, 1, left), rng.uniform(-1, 1, right)
    for garbage in (0.0, 0.5):
        [(m, found)] = run(params, slots, [left, right], lambda x, y: [x @ y], [a, b], garbage)
        assert (m.shape, found.shape) == ((a @ b).shape, (a @ b).shape)
        assert np.max(np.abs(found - a @ b)) < 1e-6
        assert params.max_level - m.ciphertext.level == 2 + (garbage == 0.5)


def test_other_operations(params):
    rng = np.random.default_rng(1)
    a, b, w, u = (rng.uniform(-1, 1, shape) for shape in ((5, 6), (5, 6), (6, 3), (2, 5)))

    def program(x, y):
        return [
            x.T, x @ w, u @ x, x.sum(0), x.sum(1), x.sum(), x + y, x - y, x * y, -x, x + 1, 2 - x, x / 2, x + b, b - x,
            x * b[0], x.apply("exp", (-2, 2), error=1e-3), x.T @ y,
        ]  # fmt: skip

    known = [
        a.T, a @ w, u @ a, a.sum(0, keepdims=True), a.sum(1, keepdims=True), a.sum(keepdims=True), a + b, a - b, a * b, -a,
        a + 1, 2 - a, 0.5 * a, a + b, b - a, a * b[0], np.exp(a), a.T @ b,
    ]  # fmt: skip
    for (m, found), want in zip(run(params, 64, [a.shape, b.shape], program, [a, b], 0.25), known, strict=True):
        assert m.shape == want.shape
        assert np.max(np.abs(found - want)) < (2e-3 if want is known[16] else 1e-5)


def test_complex_products(params):
    a, b = np.full((8, 8), 1 + 1j), np.full((8, 8), 1 - 1j)
    client = rj.Client(params, slots=64, seed=8)
    plan = rj.plan(lambda x, y: EncryptedMatrix(x, (8, 8)) @ EncryptedMatrix(y, (8, 8)), params, slots=64)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    x, y = (EncryptedMatrix(server.load(encrypt_matrix(client, m)), (8, 8)) for m in (a, b))
    assert np.max(np.abs(decrypt_matrix(client, x @ y) - (a @ b).real)) < 1e-6
    assert (x @ y).ciphertext.magnitude >= 16


def test_simulated_products(params):
    rng = np.random.default_rng(2)
    a, b = rng.uniform(-1, 1, (2, 8, 8))

    def program(x, y):
        return EncryptedMatrix(x, (8, 8)) @ EncryptedMatrix(y, (8, 8))

    assert rj.plan(program, params, slots=64).outputs[0].level == params.max_level - 2
    result = rj.simulate(program, a.ravel(), b.ravel(), params=params, slots=64, noise=False)
    assert np.max(np.abs(result.outputs[0].values.reshape(8, 8) - a @ b)) < 1e-9
    assert not result.warnings


def test_what_cannot_be_is_refused(params):
    client = rj.Client(params, slots=64)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    x = EncryptedMatrix(server.load(encrypt_matrix(client, np.ones((4, 6)))), (4, 6))
    for make, text in [
        (lambda: x @ x, r"\(4, 6\) in 64 slots @ \(4, 6\)"),
        (lambda: x + np.ones((5, 6)), r"\(4, 6\) in 64 slots \+ \(5, 6\)"),
        (lambda: x @ np.ones((5, 2)), "shapes that fit"),
        (lambda: np.ones((2, 5)) @ x, "shapes that fit"),
        (lambda: x @ np.ones((6, 9)), "at most 8 rows and columns in 64 slots"),
        (lambda: x.sum(2), "axis = 2"),
        (lambda: encrypt_matrix(client, np.ones((9, 2))), "at most 8 rows and columns in 64 slots"),
        (lambda: encrypt_matrix(client, np.ones(3)), "a matrix"),
        (lambda: EncryptedMatrix(x.ciphertext, (4,)), "shape"),
        (lambda: EncryptedMatrix(x.ciphertext, (100, 2, 2)), "at most 64 matrices"),
    ]:
        with pytest.raises(rj.ArgumentError, match=text):
            make()
    with pytest.raises(TypeError, match="EncryptedMatrix"):
        x + x.ciphertext
    with pytest.raises(rj.ComparisonError):
        assert x == x
    with pytest.raises(rj.MissingRotationKeyError):
        x.T
