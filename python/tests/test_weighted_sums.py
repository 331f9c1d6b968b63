"""A matrix in the clear times a vector of ciphertexts, compared with numpy, with weighted sums and with plans."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ringjet as rj

PARAMS = {
    "ckks": lambda: rj.params(10, [50, 40, 40], [50], allow_insecure=True),
    "heaan": lambda: rj.heaan(10, 300, 30, allow_insecure=True),
    "bgv": lambda: rj.bgv(10, 65537, [45] * 4, [45] * 2, allow_insecure=True),
    "bfv": lambda: rj.bgv(10, 65537, [45] * 4, [45] * 2, scheme="bfv", allow_insecure=True),
}


@pytest.fixture(scope="module", params=list(PARAMS))
def operands(request):
    """A client, ciphertexts, their values, a matrix and a bias."""
    params, rng = PARAMS[request.param](), np.random.default_rng(61)
    client = rj.Client(params, seed=1)
    server = rj.Server(client.evaluation_keys(relinearization=False))
    exact = params.t is not None
    draw = (lambda *shape: rng.integers(-9, 10, shape)) if exact else (lambda *shape: rng.uniform(-1, 1, shape))
    values = draw(5, client.slots)
    return client, [server.load(client.encrypt(x)) for x in values], values, draw(14, 5), draw(14)


def close(client, made, expected):
    tolerance = 0 if client.params.t is not None else 1e-5
    for ct, row in zip(made, expected, strict=True):
        assert np.max(np.abs(client.decrypt(ct) - row)) <= tolerance


@pytest.mark.parametrize("bits", [24, 18, "exact"])
def test_rows_are_those_of_numpy(operands, bits):
    client, cts, values, matrix, bias = operands
    close(client, rj.weighted_sums(cts, matrix, bits=bits), matrix @ values)
    close(client, rj.weighted_sums(cts, matrix, bias=bias, bits=bits), matrix @ values + bias[:, None])
    close(client, rj.weighted_sums(cts, matrix[:1].tolist(), bits=bits), matrix[:1] @ values)
    assert rj.weighted_sums(cts, matrix[:0]) == []


def test_exact_rows_are_weighted_sums(operands):
    client, cts, _, matrix, _ = operands
    for made, row in zip(rj.weighted_sums(cts, matrix, bits="exact"), matrix, strict=True):
        assert np.array_equal(client.decrypt(made), client.decrypt(rj.weighted_sum(cts, row)))


def test_plans_and_stored_programs_know_them(operands, tmp_path):
    client, cts, values, matrix, bias = operands

    def layer(x, y):
        return rj.weighted_sums([x, y], matrix[:, :2], bias=bias)

    magnitudes = {} if client.params.t is not None else {"magnitudes": 1}
    plan = rj.plan(layer, client.params, **magnitudes)
    assert plan.operations["weighted sums"] == len(plan.outputs) == len(matrix)
    program = rj.compile(layer, client.params, **magnitudes)
    program.save(tmp_path / "layer.program")
    loaded = rj.Program.load(tmp_path / "layer.program", allow_insecure=True)
    server = rj.Server(client.evaluation_keys(**loaded.keys))
    made = loaded.run(server, *[server.load(ct.to_bytes()) for ct in cts[:2]])
    close(client, made, matrix[:, :2] @ values[:2] + bias[:, None])
    if client.params.scheme in ("ckks", "bgv"):
        assert [ct.level for ct in made] == plan.levels
    simulated = rj.simulate(layer, values[0], values[1], params=client.params)
    for found, row in zip(simulated.values, matrix[:, :2] @ values[:2] + bias[:, None], strict=True):
        assert np.allclose(found, row, atol=1e-5)


def test_what_does_not_fit_is_refused(operands):
    client, cts, _, matrix, bias = operands
    for call, message in (
        (lambda: rj.weighted_sums([], matrix), "ciphertexts = []"),
        (lambda: rj.weighted_sums(cts, matrix[:, :3]), "shape (rows, 5), a column for each ciphertext"),
        (lambda: rj.weighted_sums(cts, matrix[0]), "an array of shape (5,)"),
        (lambda: rj.weighted_sums(cts, matrix, bias=bias[:3]), "shape (14,), a number for each row"),
        (lambda: rj.weighted_sums(cts, matrix, bits=25), '1 to 24, or "exact"'),
    ):
        with pytest.raises(rj.ArgumentError, match=re.escape(message)):
            call()
    with pytest.raises(rj.RingjetError, match="nan"):
        rj.weighted_sums(cts, np.full((2, 5), np.nan))
    if client.params.t is not None:
        with pytest.raises(rj.RingjetError, match="whole"):
            rj.weighted_sums(cts, matrix, bias=bias + 0.5)
