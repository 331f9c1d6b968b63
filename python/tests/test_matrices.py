"""Encrypted matrices: operations."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors.matrices import (
    EncryptedMatrix,
    decrypt_matrix,
    encrypt_matrix,
    load_matrix,
    plan_matrices,
    simulate_matrices,
)

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
    # several blocks: more rows than columns, the reverse, batches, and blocks of one element
    (64, (19, 10), (10, 9)),
    (128, (9, 17), (17, 25)),
    (64, (3, 9, 5), (3, 5, 6)),
    (2, (2, 3), (3, 2)),
]


def run(params, slots, program, arrays, garbage=0.0):
    """The results of a program, with the keys of its plan; matrices in, matrices out."""
    plan = plan_matrices(program, params, [np.shape(a) for a in arrays], slots=slots)
    client = rj.Client(params, slots=slots, seed=7)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    loaded = []
    for array in arrays:
        x = load_matrix(server, encrypt_matrix(client, array).to_bytes())
        if garbage:
            # what is in slots without an element must not matter
            ones = load_matrix(server, encrypt_matrix(client, np.ones(array.shape)))
            x = x.map(lambda block: block + garbage) - ones * garbage
        loaded.append(x)
    return [(m, decrypt_matrix(client, m)) for m in program(*loaded)]


@pytest.mark.parametrize(("slots", "left", "right"), PRODUCTS)
def test_products(params, slots, left, right):
    rng = np.random.default_rng(slots)
    a, b = rng.uniform(-1, 1, left), rng.uniform(-1, 1, right)
    for garbage in (0.0, 0.5):
        [(m, found)] = run(params, slots, lambda x, y: [x @ y], [a, b], garbage)
        assert (m.shape, found.shape) == ((a @ b).shape, (a @ b).shape)
        assert np.max(np.abs(found - a @ b)) < 1e-6
        assert params.max_level - m.level == 2 + (garbage == 0.5)


def test_a_product_of_many_blocks(params):
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1, 1, (100, 70)), rng.uniform(-1, 1, (70, 130))
    [(m, found)] = run(params, 1024, lambda x, y: [x @ y], [a, b])
    assert [len(row) for row in m.blocks] == [5] * 4
    assert np.max(np.abs(found - a @ b)) < 1e-5
    # the bound of 70 products of values within 1, not of the 96 columns of three blocks
    assert m.magnitude == 70


def test_factors_are_made_once_and_relinearised_once(params):
    def operations(rows, columns):
        return plan_matrices(lambda a, b: a @ b, params, [(rows, 8), (8, columns)], slots=64).operations

    one, left, right, both = operations(8, 8), operations(24, 8), operations(8, 24), operations(24, 24)
    assert one["sum of products"] == 1 and both["sum of products"] == 9
    for name in ("matrix", "rotation"):
        assert both[name] == left[name] + right[name] - one[name] == 3 * one[name]


@pytest.mark.parametrize("shape", [(5, 6), (11, 18), (3, 9, 4)])
def test_other_operations(params, shape):
    rng = np.random.default_rng(1)
    *number, rows, columns = shape
    a, b, w, u = (rng.uniform(-1, 1, s) for s in (shape, shape, (columns, 3), (10, rows)))
    u[:8, :8] = 0  # where there are several blocks, one of them is zero

    def program(x, y):
        return [
            x.T, x @ w, u @ x, x.sum(0), x.sum(1), x.sum(), x + y, x - y, x * y, -x, x + 1, 2 - x, x / 2, x + b, b - x,
            x * b[..., :1, :], x @ np.zeros((columns, 2)), x.T @ y, x.apply("exp", (-2, 2), error=1e-3),
        ]  # fmt: skip

    turned = np.swapaxes(a, -1, -2)
    sums = [np.sum(a, axis, keepdims=True) for axis in (-2, -1, (-2, -1))]
    known = [
        turned, a @ w, u @ a, *sums, a + b, a - b, a * b, -a, a + 1, 2 - a, 0.5 * a, a + b, b - a,
        a * b[..., :1, :], np.zeros((*number, rows, 2)), turned @ b, np.exp(a),
    ]  # fmt: skip
    for k, ((m, found), want) in enumerate(zip(run(params, 64, program, [a, b], 0.25), known, strict=True)):
        assert m.shape == want.shape
        assert np.max(np.abs(found - want)) < (2e-3 if k == 18 else 1e-5)


def test_complex_products(params):
    a, b = np.full((8, 9), 1 + 1j), np.full((9, 8), 1 - 1j)
    [(m, found)] = run(params, 64, lambda x, y: [x @ y], [a, b])
    assert np.max(np.abs(found - (a @ b).real)) < 1e-6
    assert m.magnitude == 18


def test_plans(params):
    shapes = [(9, 8), (8, 17)]
    plan = plan_matrices(lambda a, b: {"ab": a @ b, "a": a}, params, shapes, slots=64, magnitudes={"a": 2.0})
    assert [o.name for o in plan.outputs][:4] == ["['ab'][0][0]", "['ab'][0][1]", "['ab'][0][2]", "['ab'][1][0]"]
    assert {o.level for o in plan.outputs[:6]} == {params.max_level - 2}
    assert {o.magnitude for o in plan.outputs[:6]} == {16.0}
    assert [len(row) for row in plan.result["ab"]] == [3, 3] and [len(row) for row in plan.result["a"]] == [1, 1]
    inputs = ["a[0][0]", "a[1][0]", "b[0][0]", "b[0][1]", "b[0][2]"]
    assert [step.where for step in plan.steps[:5]] == [f"input {name}" for name in inputs]
    options = {"slots": 64, "level": [4, 3], "complex": True, "public_key": True}
    lower = plan_matrices(lambda server, a, b: (server.params, a, b + 0), params, shapes, **options)
    assert lower.result[0] == params and [o.level for o in lower.outputs] == [4, 4, 3, 3, 3]
    assert not any(o.ciphertext.is_real for o in lower.outputs)
    assert lower.outputs[0].precision_bits < plan.outputs[-1].precision_bits - 1


def test_simulations(params):
    Pair = namedtuple("Pair", "first second")
    rng = np.random.default_rng(2)
    a, b = rng.uniform(-1, 1, (9, 8)), rng.uniform(-1, 1, (8, 17))

    def program(x, y):
        return Pair(x @ y, {"plus": [x + 1]}), 5

    result = simulate_matrices(program, a, b, params=params, slots=64)
    (product, sums), five = result.values
    assert np.max(np.abs(product - a @ b)) < 1e-9
    assert np.array_equal(sums["plus"][0], a + 1) and five == 5
    assert not result.warnings and len(result.outputs) == 8
    noisy = simulate_matrices(program, a, b, params=params, slots=64, noise=True, seed=1).values[0][0]
    assert 0 < np.max(np.abs(noisy - product)) < 1e-6
    large = simulate_matrices(lambda x: x * x, 3 * a, params=params, slots=64)
    assert "exceed the stated magnitude 1" in str(large.warnings[0])
    # empty slots are padding, which has no part in the ranges of the elements
    assert result.steps[0].padding is None and result.steps[1].padding.high == 0


def test_intervals_fill_slots_without_an_element(params):
    matrix = np.random.default_rng(3).uniform(0.5, 2, (9, 5))
    for magnitude, made in [((0.5, 2), {}), (np.array([0.5, 2]), {}), (None, {"magnitude": (0.5, 2)})]:
        client = rj.Client(params, slots=64, seed=7, **made)
        server = rj.Server(client.evaluation_keys(rotations=rj.inner_sum_rotations(1, 64)), allow_insecure=True)
        x = load_matrix(server, encrypt_matrix(client, matrix, magnitude=magnitude).to_bytes())
        assert {block.range for row in x.blocks for block in row} == {(0.5, 2)}
        assert np.max(np.abs(decrypt_matrix(client, x) - matrix)) < 1e-6
        # the other slots hold the end of the interval that is nearest to 0
        last = client.decrypt(x.blocks[1][0], all_slots=True).reshape(8, 8)
        assert np.max(np.abs(last[1:] - 0.5)) < 1e-6 and np.max(np.abs(last[0, 5:] - 0.5)) < 1e-6
    with pytest.raises(rj.OutsideStatedError) as refused:
        encrypt_matrix(client, matrix - 1)
    assert (refused.value.low, refused.value.high) == (0.5, 2)
    with pytest.raises(rj.ArgumentError, match="magnitude = "):
        encrypt_matrix(client, matrix, magnitude=(1, 2, 3))
    # plans and simulations take intervals, too, and simulations fill likewise
    kind = {"params": params, "slots": 64}
    for magnitudes in ((0.5, 2), [(0.5, 2)], {"a": (0.5, 2)}, [np.array([0.5, 2])]):
        plan = plan_matrices(lambda a: a, shapes=[matrix.shape], magnitudes=magnitudes, **kind)
        assert {o.ciphertext.range for o in plan.outputs} == {(0.5, 2)} and len(plan.outputs) == 2
        found = simulate_matrices(lambda a: a, matrix, magnitudes=magnitudes, **kind)
        assert np.array_equal(found.values, matrix) and not found.warnings
        assert [(s.padding.low, s.padding.high) for s in found.steps] == [(0.5, 0.5)] * 2
    both = plan_matrices(lambda a, b: (a, b), shapes=[(4, 4), (4, 4)], magnitudes=(0.5, 2), **kind)
    assert [o.ciphertext.range for o in both.outputs] == [(-0.5, 0.5), (-2, 2)]


def test_what_cannot_be_is_refused(params):
    client = rj.Client(params, slots=64)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    x = load_matrix(server, encrypt_matrix(client, np.ones((4, 9))))
    [[first, second]] = x.blocks
    for make, text in [
        (lambda: x @ x, r"\(4, 9\) in 64 slots @ \(4, 9\)"),
        (lambda: x + np.ones((5, 9)), r"\(4, 9\) in 64 slots \+ \(5, 9\)"),
        (lambda: x + EncryptedMatrix([[first]], (4, 8)), r"\+ \(4, 8\) in 64 slots"),
        (lambda: x @ np.ones((5, 2)), "shapes that fit"),
        (lambda: np.ones((2, 5)) @ x, "shapes that fit"),
        (lambda: x.sum(2), "axis = 2"),
        (lambda: encrypt_matrix(client, np.ones(3)), "a matrix"),
        (lambda: encrypt_matrix(client, np.ones((65, 1, 1))), "at most 64 matrices"),
        (lambda: EncryptedMatrix([[first]], (4,)), "shape"),
        (lambda: EncryptedMatrix([[first]], (4, 9)), r"rows of \[1\] .* 1 rows of 2 for the shape \(4, 9\)"),
        (lambda: EncryptedMatrix([[first], [second]], (4, 9)), "1 rows of 2"),
        (lambda: EncryptedMatrix([[first, second.with_slots(32)]], (4, 9)), r"\[32, 64\] slots"),
        (lambda: EncryptedMatrix([], (4, 9)), "blocks"),
        (lambda: plan_matrices(lambda a: a, params, [(4,)]), "shape"),
        (lambda: plan_matrices(lambda a: a, params, [(4, 4)], slots=48), "slots = 48"),
        (lambda: plan_matrices(lambda a: a, params, [(4, 4)], magnitudes=[1.0, 2.0]), "magnitudes"),
        (lambda: simulate_matrices(lambda a: a, np.ones(3), params=params), "shape"),
    ]:
        with pytest.raises(rj.ArgumentError, match=text):
            make()
    for wrong in (lambda: x + first, lambda: x @ first, lambda: EncryptedMatrix(first, (4, 8))):
        with pytest.raises(TypeError, match=r"\[\[ciphertext\]\]"):
            wrong()
    with pytest.raises(TypeError, match="2 inputs for a function of a"):
        plan_matrices(lambda a: a, params, [(4, 4), (4, 4)])
    with pytest.raises(rj.ComparisonError):
        assert x == x
    with pytest.raises(rj.MissingRotationKeyError):
        x.T
