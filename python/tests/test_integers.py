"""Simulated integers are exact modulo every plaintext modulus. Python's integers are the reference."""

from __future__ import annotations

import numpy as np
import pytest
import ringjet as rj
from ringjet._clear import Clear, operand
from ringjet._integers import decrypted, given, residues, transformed

#: Moduli below and above the limit of int64 products, below 2^62, and above 2^64.
MODULI = [65537, 2**31 - 1, 2**31 + 11, 2**61 - 1, 2**66 + 117, 2**72 - 93]
SLOTS = 16


def centred(values: object, modulus: int) -> list[int]:
    return [(int(v) + modulus // 2) % modulus - modulus // 2 for v in values]  # type: ignore[attr-defined]


def packed(modulus: int, seed: int, count: int = SLOTS) -> tuple[Clear, list[int]]:
    """Values of every size that can be given, the ends among them."""
    low, high = max(-(modulus // 2), -(2**63)), min(modulus - 1, 2**63 - 1)
    rng = np.random.default_rng(seed)
    values = [low, high, *(int(v) for v in rng.integers(low, high, size=count - 2))]
    return Clear.packed(np.array(values), SLOTS, -3, modulus), values + [-3] * (SLOTS - count)


def check(clear: Clear, want: object, modulus: int) -> None:
    assert clear.values.tolist() == centred(want, modulus)
    assert clear.values.dtype == (np.int64 if modulus <= 2**31 else object)
    if modulus > 2**31:
        assert all(type(v) is int for v in clear.values)


@pytest.mark.parametrize("modulus", MODULI)
def test_sums_and_products(modulus: int) -> None:
    (a, v), (b, w) = packed(modulus, 1), packed(modulus, 2, 12)
    check(a, v, modulus)
    check(b, w, modulus)
    check(a.joined(b, lambda x, y: x + y), [x + y for x, y in zip(v, w, strict=True)], modulus)
    check(a.joined(b, lambda x, y: x * y), [x * y for x, y in zip(v, w, strict=True)], modulus)
    check(a.mapped(lambda x: -x), [-x for x in v], modulus)
    check(a.power(13), [x**13 for x in v], modulus)
    check(a.power(0), [1] * SLOTS, modulus)
    check(a.polynomial([5, -7, 0, 2**52 + 1]), [5 - 7 * x + (2**52 + 1) * x**3 for x in v], modulus)
    for stride, count in ((1, 1), (1, 8), (3, 5), (-2, 7), (1, 20)):
        want = [sum(v[j // 8 * 8 + (j + i * stride) % 8] for i in range(count)) for j in range(SLOTS)]
        check(a.inner_sum(stride, count), want, modulus)


@pytest.mark.parametrize("modulus", MODULI)
def test_rows_and_matrices(modulus: int) -> None:
    a, v = packed(modulus, 3)
    check(a.rotated(3), np.roll(np.array(v, object).reshape(2, -1), -3, axis=1).ravel(), modulus)
    check(a.swapped(), v[8:] + v[:8], modulus)
    matrix = np.zeros((8, 8), np.int64)
    rng = np.random.default_rng(4)
    largest = min(modulus // 2, 2**53 - 1)
    for k in (0, 1, 6):
        matrix[np.arange(8), (np.arange(8) + k) % 8] = rng.integers(-largest, largest, size=8, endpoint=True)
    want = [sum(int(m) * x for m, x in zip(row, half, strict=True)) for half in (v[:8], v[8:]) for row in matrix]
    for either in (matrix, rj.LinearTransform(matrix)):
        check(a.transformed(either), want, modulus)
        assert not a.transformed(either).padding.any()
    ones = residues(np.ones((2, 8), np.int64), modulus)
    assert transformed(np.eye(8), ones, modulus).tolist() == ones.tolist()
    if modulus < 2**53:
        with pytest.raises(rj.NotResidueError) as refused:
            transformed(modulus * np.eye(8), ones, modulus)
        assert (refused.value.index, refused.value.value) == (0, modulus)


@pytest.mark.parametrize("modulus", MODULI)
def test_operands(modulus: int) -> None:
    a, v = packed(modulus, 5)
    last = min(modulus - 1, 2**63 - 1)
    every = list(range(-1, SLOTS - 1))
    for other, all_ in ((last, [last] * SLOTS), (every, every), (np.uint8([9]), [9] * SLOTS)):
        made = a.mapped(lambda x, other=other: x * operand(other, SLOTS, modulus))
        check(made, [x * y for x, y in zip(v, all_, strict=True)], modulus)


def test_given_values_are_checked() -> None:
    large = 2**66 + 117
    for values in ([-1, 2**63], np.array([0, 2**63], np.uint64), [0, 2**63], np.array([0, 2**63], object)):
        with pytest.raises(rj.NotResidueError) as refused:
            given(values, large)
        e = refused.value
        assert (e.index, e.value, e.low, e.high, e.modulus) == (1, 2**63, -(2**63), 2**63 - 1, large)
        assert str(2**63) in str(e) and str(large) in str(e)
    ends = [-(2**63), 2**63 - 1]
    assert given(ends, large).tolist() == given(np.array(ends, object), large).tolist() == ends
    assert given([True, False], 17).tolist() == [1, 0] and given(np.int8([-8]), 17).tolist() == [-8]
    for values in ([0.5], [1j], np.ones(2), np.ones(2, np.complex64), 1.0):
        with pytest.raises(TypeError, match="integers"):
            given(values, large)
    with pytest.raises(TypeError, match="no numbers"):
        given(["1"], large)
    with pytest.raises(rj.ArgumentError, match="a missing value at index 0"):
        given([None], large)
    with pytest.raises(rj.NotResidueError) as fill:
        Clear.packed([1, 2], 4, 17, 17)
    assert (fill.value.index, fill.value.value) == (2, 17)


def test_a_result_of_more_than_64_bits_is_an_error() -> None:
    modulus = 2**66 + 117
    ends = Clear.packed([2**63 - 1, -(2**63)], 2, 0, modulus)
    assert ends.decrypted.dtype == np.int64 and ends.decrypted.tolist() == [2**63 - 1, -(2**63)]
    for value, by in ((2**63, 1), (-(2**63) - 1, -1)):
        with pytest.raises(rj.IntegerOverflowError) as refused:
            ends.mapped(lambda v, by=by: v + by).decrypted  # noqa: B018
        e = refused.value
        assert (e.index, e.value, e.modulus) == (0 if by > 0 else 1, value, modulus)
    assert str(e) == (
        f"the value {-(2**63) - 1} of slot 1 does not fit 64 bits with sign; it is exact modulo T = {modulus}: compute with "
        "smaller values"
    )
    assert isinstance(e, OverflowError)
    # what wraps around modulo T is no overflow
    assert decrypted(residues(np.array([modulus + 5], object), modulus), modulus).tolist() == [5]
