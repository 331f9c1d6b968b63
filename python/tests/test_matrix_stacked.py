"""Encrypted matrices with several short rows in each ciphertext."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.vectors.matrices import decrypt_matrix, encrypt_matrix, load_matrix

sys.path.insert(0, str(Path(__file__).parent))
from test_matrix_lines import PARAMS, agree, drawn

#: Scheme, slots (None: all), rows and columns: several ciphertexts and one, full rows and one element.
SHAPES = [
    ("ckks", 64, 21, 5),
    ("ckks", 64, 8, 8),
    ("ckks", 16, 5, 16),
    ("ckks", 16, 1, 3),
    ("ckks", 32, 40, 1),
    ("heaan", 64, 21, 5),
    ("bgv", None, 9, 200),
    ("bfv", None, 3, 600),
    ("bgv", None, 1100, 1),
]


def sides(program, params, shape, slots, seed=7, **options):
    """A client, and a server with the keys that the program's plan names."""
    planned = {} if params.t is not None else options
    plan = rj.plan_matrices(program, params, [shape], slots=slots, layout="stacked", **planned)
    client = rj.Client(params, **({} if slots is None else {"slots": slots}), seed=seed)
    return plan, client, rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)


@pytest.mark.parametrize(("scheme", "slots", "rows", "columns"), SHAPES)
def test_operations_are_those_of_numpy(scheme, slots, rows, columns):
    params, rng = PARAMS[scheme](), np.random.default_rng([rows, columns])
    a, w = drawn(params, rng, rows, columns), drawn(params, rng, 3, rows)
    w[2] = 0
    b, row = drawn(params, rng, 3, 1), drawn(params, rng, 1, columns)

    def program(x):
        return {"W @ X + b": w @ x + b, "x * row - 2": x * row - 2, "x * x": x * x, "sum": x.sum(0)}

    wanted = {"W @ X + b": w @ a + b, "x * row - 2": a * row - 2, "x * x": a * a, "sum": a.sum(0, keepdims=True)}
    plan, client, server = sides(program, params, a.shape, slots)
    sent = encrypt_matrix(client, a, layout="stacked")
    each = 2 ** int(np.ceil(np.log2(columns)))
    assert len(sent.blocks) == -(-rows // (client.slots // each)) and sent.layout == "stacked"
    made = program(load_matrix(server, sent.to_bytes()))
    assert made["W @ X + b"].layout == made["sum"].layout == "rows"
    found = {name: decrypt_matrix(client, m.to_bytes()) for name, m in made.items()}
    agree(params, found, wanted, 2e-2 if scheme == "heaan" else 1e-5)
    assert len(plan.keys["rotations"]) <= 2 * np.log2(client.slots)


@pytest.mark.parametrize(("scheme", "slots", "rows", "columns"), SHAPES[:1] + SHAPES[5:7])
def test_partial_sums_need_no_keys(scheme, slots, rows, columns):
    params, rng = PARAMS[scheme](), np.random.default_rng(rows)
    a, w = drawn(params, rng, rows, columns), drawn(params, rng, 4, rows)
    plan, client, server = sides(lambda x: x.partial_sums(w), params, a.shape, slots)
    assert not plan.keys["rotations"] and not plan.keys.get("relinearization", False)
    made = load_matrix(server, encrypt_matrix(client, a, layout="stacked").to_bytes()).partial_sums(w)
    width = 2 ** int(np.ceil(np.log2(columns)))
    sums = decrypt_matrix(client, made.to_bytes())
    assert sums.shape == (4, client.slots)
    sums = sums.reshape(4, -1, width).sum(axis=1)[:, :columns]
    agree(params, {"": sums}, {"": w @ a}, 2e-2 if scheme == "heaan" else 1e-5)


def test_layouts_are_converted_and_simulated():
    params, rng = PARAMS["ckks"](), np.random.default_rng(3)
    a, w = rng.uniform(-1, 1, (21, 5)), rng.uniform(-1, 1, (3, 21))

    def program(x):
        return {"rows": x.to_layout("rows"), "back": x.to_layout("rows").to_layout("stacked"), "W": w @ x}

    _, client, server = sides(program, params, a.shape, 64)
    made = program(load_matrix(server, encrypt_matrix(client, a, layout="stacked").to_bytes()))
    assert [m.layout for m in made.values()] == ["rows", "stacked", "rows"]
    trial = rj.simulate_matrices(program, a, params=params, slots=64, layout="stacked")
    for name, want in {"rows": a, "back": a, "W": w @ a}.items():
        assert np.max(np.abs(decrypt_matrix(client, made[name]) - want)) < 1e-5
        assert np.allclose(trial.values[name], want)


def test_what_stacked_rows_lack_is_refused():
    params = PARAMS["ckks"]()
    client = rj.Client(params, slots=16, seed=2)
    x = encrypt_matrix(client, np.ones((4, 3)), layout="stacked")
    for refused, layout in [
        (lambda: x @ np.ones((3, 2)), "columns"),
        (lambda: x.sum(1), "columns"),
        (lambda: x.T, "rows"),
        (lambda: encrypt_matrix(client, np.ones((2, 17)), layout="stacked"), "rows"),
        (lambda: encrypt_matrix(client, np.ones((2, 3, 3)), layout="stacked"), "blocks"),
        (lambda: encrypt_matrix(client, np.ones((4, 3)), layout="rows").partial_sums(np.ones((1, 4))), "stacked"),
    ]:
        with pytest.raises(rj.ArgumentError, match=re.escape(f'"{layout}"')):
            refused()
    square = encrypt_matrix(client, np.ones((3, 3)), layout="stacked")
    with pytest.raises(rj.ArgumentError, match='"blocks"'):
        square @ square


def test_bounds_hold_for_complex_weights_and_elements():
    params = PARAMS["ckks"]()
    a, w = (1 - 1j) * np.ones((4, 8)), np.array([[1 + 1j] * 4])
    plan = rj.plan_matrices(lambda x: w @ x, params, [a.shape], slots=32, layout="stacked", complex=True)
    client = rj.Client(params, slots=32, seed=4)
    server = rj.Server(client.evaluation_keys(**plan.keys), allow_insecure=True)
    made = w @ load_matrix(server, encrypt_matrix(client, a, layout="stacked").to_bytes())
    found = decrypt_matrix(client, made, complex=True)
    assert np.max(np.abs(found - w @ a)) < 1e-5 and made.magnitude >= np.max(np.abs((w @ a).real)) - 1e-6
