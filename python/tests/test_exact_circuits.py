"""Polynomials and equality of BGV and BFV."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj


@pytest.mark.parametrize(
    ("name", "coefficients"), [("bfv-n12", [1, 0, 1]), ("bgv-n13", [1, 1, 1, 1]), ("bgv-n13", [5, 0, 0, 0, -3])]
)
def test_polynomials_take_what_operators_take(name: str, coefficients: list[int]) -> None:
    client = rj.Client(name)
    v = np.arange(-4, 5)
    x = rj.Server(client.evaluation_keys()).load(client.encrypt(v).to_bytes())
    want = np.polynomial.polynomial.polyval(v, coefficients)
    assert client.decrypt(x.polynomial(coefficients))[:9].tolist() == want.tolist()
    found = rj.simulate(lambda x: x.polynomial(coefficients), v, params=name)
    assert found.values[:9].tolist() == want.tolist()


def test_a_polynomial_is_refused_by_its_noise() -> None:
    client = rj.Client(rj.bgv(10, 12289, [28, 27, 27, 27], [33], allow_insecure=True))
    x = rj.Server(client.evaluation_keys(), allow_insecure=True).load(client.encrypt([1, 2]).to_bytes())
    with pytest.raises(rj.NoiseBudgetError, match="polynomial evaluation: the noise budget is too small") as refused:
        x.polynomial([1] * 4096)
    assert "bootstrap" not in str(refused.value)
    with pytest.raises(rj.ArgumentError, match="coefficients of powers"):
        x.polynomial(np.polynomial.Chebyshev([1, 2, 3]))


#: A small t, whose power t - 1 = 16 is within reach of a small ring.
EQUAL = dict(t=97, q_bits=[24] + [26] * 7, p_bits=[30], allow_insecure=True)


@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_integers_are_equal_or_not(scheme: str) -> None:
    params = rj.bgv(4, **EQUAL, scheme=scheme)
    client = rj.Client(params)
    server = rj.Server(client.evaluation_keys(), allow_insecure=True)
    a, b = np.arange(-8, 8), np.r_[np.arange(-8, 0), -np.arange(8)]
    x, y = (server.load(client.encrypt(v).to_bytes()) for v in (a, b))
    assert client.decrypt(rj.equal(x, 5)).tolist() == (a == 5).tolist()
    assert client.decrypt(rj.equal(x, 97 - 5)).tolist() == (a == -5).tolist()
    assert client.decrypt(rj.equal(x, b)).tolist() == (a == b).tolist()
    assert client.decrypt(rj.equal(x, y)).tolist() == (a == b).tolist()
    assert client.decrypt(rj.equal(5, x)).tolist() == (a == 5).tolist()
    assert client.decrypt(rj.equal(b, x)).tolist() == (a == b).tolist()
    found = rj.simulate(lambda x: rj.equal(x, 5), a, params=params)
    assert found.values.tolist() == (a == 5).tolist()
    assert rj.plan(lambda x: rj.equal(x, 5), params).keys["relinearization"]
    for name, value in [("within", 1), ("gap", 0.5), ("gap", 2**-10), ("error", 2**-10)]:
        with pytest.raises(rj.ArgumentError, match=f"^{name} = {value}: expected none with BGV and BFV"):
            rj.equal(x, 5, **{name: value})


def test_an_equality_says_what_it_takes() -> None:
    with pytest.raises(rj.NoiseBudgetError, match=r"equal: 16 products in a row.*t = 65537") as refused:
        rj.plan(lambda x: rj.equal(x, 1001), "bgv-n13")
    assert refused.value.op == "equal" and refused.value.needed > refused.value.available
    deep = [p.name for p in rj.presets() if p.parameters.t == 65537 and p.depth >= 16]
    assert deep and ", ".join(deep) in str(refused.value)
    # the presets that the message names have room for it, and for a product after it
    for name in deep:
        assert rj.plan(lambda x: rj.equal(x, 1001) * np.arange(8), name, counts=8).keys["relinearization"]
    with pytest.raises(rj.SchemeError, match="product of 3 primes"):
        rj.plan(lambda x: rj.equal(x, 1001), rj.preset("bgv-n15", t_bits=64))
    with pytest.raises(rj.ComparisonError, match=r"rj\.equal"):
        client = rj.Client("bgv-n12")
        client.encrypt([1]) == 1  # noqa: B015


@pytest.mark.parametrize(("name", "left"), [("bgv-n15", 2), ("bfv-n15", 3)])
def test_products_after_an_equality(name: str, left: int) -> None:
    page = (Path(__file__).parents[2] / "docs" / "cookbook" / "look-up.md").read_text()
    assert "`bgv-n15` has a depth of 18 and `bfv-n15` of 19,\nwhich leaves 2 and 3 products" in page
    assert rj.preset(name).depth == 16 + left

    def squared(times: int) -> Callable[[rj.Ciphertext], rj.Ciphertext]:
        return lambda x: functools.reduce(lambda y, _: y * y, range(times), rj.equal(x, 5))

    assert rj.plan(squared(left), name).outputs[0].ciphertext.noise_budget > 1
    with pytest.raises(rj.NoiseBudgetError, match="multiplication"):
        rj.plan(squared(left + 1), name)

    # four digits take a depth of 18
    def digits(a: rj.Ciphertext, b: rj.Ciphertext, c: rj.Ciphertext, d: rj.Ciphertext) -> rj.Ciphertext:
        return (rj.equal(a, 1) * rj.equal(b, 2)) * (rj.equal(c, 3) * rj.equal(d, 4))

    assert rj.plan(digits, name).outputs[0].ciphertext.noise_budget > 1
