"""Batches of encrypted square matrices: products of encrypted ones in one level."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors.matrices import EncryptedMatrix, decrypt_matrix, encrypt_matrix, load_matrix

#: 512 slots.
PARAMS = rj.params(10, [50, 40, 40, 40], [50], allow_insecure=True)


def drawn(seed, number, size, complex=False):
    rng = np.random.default_rng(seed)
    made = rng.uniform(-1, 1, (number, size, size))
    return made + 1j * rng.uniform(-1, 1, made.shape) if complex else made


class Sides:
    """A client, and a server with the keys that the plan of a program of two batches names."""

    def __init__(self, program, shapes, layouts=("batch_columns", "batch"), complex=False):
        self.program, self.layouts = program, layouts
        self.plan = rj.plan_matrices(program, PARAMS, shapes, layout=list(layouts), complex=complex)
        self.client = rj.Client(PARAMS, seed=11)
        self.server = rj.Server(self.client.evaluation_keys(**self.plan.keys), allow_insecure=True)

    def load(self, matrix, layout):
        return load_matrix(self.server, encrypt_matrix(self.client, matrix, layout=layout).to_bytes())

    def run(self, *matrices):
        return self.program(*(self.load(m, layout) for m, layout in zip(matrices, self.layouts, strict=True)))

    def read(self, matrix, complex=False):
        return decrypt_matrix(self.client, matrix.to_bytes(), complex)


@pytest.mark.parametrize("complex", [False, True])
@pytest.mark.parametrize(("number", "size"), [(256, 2), (32, 16), (5, 16), (1, 64), (1, 512)])
def test_a_batch_is_decrypted_as_it_was_encrypted(number, size, complex):
    client, m = rj.Client(PARAMS, seed=3), drawn(size, number, size, complex)
    for layout in ("batch", "batch_columns"):
        for given in (m, m[0]) if number == 1 else (m,):
            made = encrypt_matrix(client, given, layout=layout, magnitude=2**0.5)
            assert made.shape == given.shape and sum(map(len, made.blocks)) == size
            assert np.max(np.abs(decrypt_matrix(client, made, complex) - given)) < 1e-7
            assert np.max(np.abs(decrypt_matrix(client, made.T.to_bytes(), complex).swapaxes(-1, -2) - given)) < 1e-7


@pytest.mark.parametrize("complex", [False, True])
@pytest.mark.parametrize("left", ["batch", "batch_columns"])
@pytest.mark.parametrize(("number", "size"), [(32, 16), (7, 4), (2, 256)])
def test_products_take_one_level(number, size, left, complex):
    sides = Sides(lambda a, b: a @ b, [(number, size, size)] * 2, (left, "batch"), complex)
    a, b = drawn(1, number, size, complex), drawn(2, number, size, complex)
    made = sides.run(a, b)
    assert (made.layout, made.level) == ("batch", PARAMS.depth - 1)
    assert np.max(np.abs(sides.read(made, complex) - a @ b)) < 1e-5 * size
    # the bound on elements holds, and is that of a product
    assert np.max(np.abs(a @ b)) <= made.magnitude <= (1.01 + complex) * size
    assert 0 < made.precision_bits < 40


def test_other_operations():
    def program(a, b):
        return {
            "sum": a + b,
            "difference": a - 2 * b,
            "T": a.T @ b,
            "negative": -a,
            "number": a + 0.5,
            "chain": a @ b @ b,
        }

    sides = Sides(program, [(8, 8, 8)] * 2, ("batch", "batch"))
    a, b = drawn(3, 8, 8), drawn(4, 8, 8)
    found = sides.run(a, b)
    wanted = {
        "sum": a + b,
        "difference": a - 2 * b,
        "T": a.swapaxes(1, 2) @ b,
        "negative": -a,
        "number": a + 0.5,
        "chain": a @ b @ b,
    }
    for name, want in wanted.items():
        assert np.max(np.abs(sides.read(found[name]) - want)) < 1e-3, name
    added = sides.load(a, "batch") + b
    assert np.max(np.abs(sides.read(added) - (a + b))) < 1e-7


def test_simulations_know_products():
    a, b = drawn(5, 16, 32), drawn(6, 16, 32)
    found = rj.simulate_matrices(lambda a, b: a.T @ b, a, b, params=PARAMS, layout="batch")
    assert np.max(np.abs(found.values - a.swapaxes(1, 2) @ b)) < 1e-9


def test_what_a_batch_has_not_is_refused():
    client = rj.Client(PARAMS, seed=3)
    m = drawn(7, 4, 8)
    a, columns = (encrypt_matrix(client, m, layout=layout) for layout in ("batch", "batch_columns"))
    refused = {
        'layout = batch for A \\* B: expected "blocks"': lambda: a * a,
        'layout = batch for \\* or / by an array: expected "blocks"': lambda: a * m,
        'layout = batch for apply: expected "blocks"': lambda: a.apply(np.tanh, (-1, 1)),
        'layout = batch for sum: expected "blocks"': lambda: a.sum(0),
        'layout = batch for W @ A: expected "blocks"': lambda: m[0] @ a,
        'layout = batch for A @ W: expected "blocks"': lambda: a @ m[0],
        "layouts = batch \\+ batch_columns": lambda: a + columns,
        "pad them with zeros": lambda: encrypt_matrix(client, drawn(1, 4, 6), layout="batch"),
        "at most 64 matrices": lambda: encrypt_matrix(client, drawn(1, 65, 8), layout="batch"),
    }
    for message, call in refused.items():
        with pytest.raises(rj.errors.ArgumentError, match=message):
            call()
    with pytest.raises(rj.errors.RingjetError):
        encrypt_matrix(client, 100 * m, layout="batch")
    whole = rj.Client(rj.bgv(10, 65537, [45] * 3, [45], allow_insecure=True), seed=3)
    with pytest.raises(rj.errors.ArgumentError, match=re.escape('batch with BGV: expected "blocks"')):
        encrypt_matrix(whole, np.ones((2, 2), int), layout="batch")
    assert isinstance(a, EncryptedMatrix)


def test_bounds_are_those_of_elements():
    client = rj.Client(PARAMS, seed=5)
    big = np.stack([30 * np.eye(64)] * 8)
    with pytest.raises(rj.MagnitudeError):
        encrypt_matrix(client, big, layout="batch")
    with pytest.raises(rj.OutsideStatedError):
        encrypt_matrix(client, -big, layout="batch", magnitude=(0, 40))
    assert encrypt_matrix(client, big, layout="batch", magnitude=30.0).magnitude == pytest.approx(30)
    # the client's own bounds hold where none are stated
    wide = rj.Client(PARAMS, seed=5, magnitude=40.0)
    assert encrypt_matrix(wide, big, layout="batch").magnitude == pytest.approx(40)
    for magnitude in ("x", -1, (1, -1)):
        with pytest.raises(rj.ArgumentError, match="magnitude"):
            rj.plan_matrices(lambda a: a, PARAMS, [big.shape], layout="batch", magnitudes=magnitude)
        with pytest.raises(rj.ArgumentError, match="magnitude"):
            encrypt_matrix(client, big, layout="batch", magnitude=magnitude)
    with pytest.raises(rj.ArgumentError, match="elements of up to 30"):
        rj.simulate_matrices(lambda a: a, big, params=PARAMS, layout="batch")
    # a sum with a matrix in the clear states how large an element became
    sides = Sides(lambda a, b: (a + big) @ (b + 1), [big.shape] * 2, ("batch_columns", "batch"))
    low = [load_matrix(sides.server, encrypt_matrix(sides.client, 0 * big, layout=x, level=1)) for x in sides.layouts]
    zeros = low[1]
    assert (zeros + big).magnitude == pytest.approx(31) and (3 - zeros).magnitude == pytest.approx(4)
    with pytest.raises(rj.ValueOverflowError):
        (low[0] + big) @ (low[1] + big)
    assert zeros.with_magnitude(30.0).magnitude == pytest.approx(30)
    with pytest.raises(rj.ArgumentError, match="batch for map"):
        zeros.map(lambda x: x * x)
    with pytest.raises(rj.ArgumentError, match="all 512 slots"):
        encrypt_matrix(rj.Client(PARAMS, slots=128), np.zeros((2, 8, 8)), layout="batch")
