"""CKKS with levels and scales in your hands, one step a call.

The operators of `Ciphertext` choose levels and scales by themselves. The functions of this module do
what their names say and nothing more, as the textbooks and papers of CKKS describe the steps. So this
is left to you:

- **Levels.** Operands of a sum or a product must be at one level: `LevelMismatchError`. `drop_level`
  goes down without changing the scale, `rescale` divides by the primes of the level. Nothing is
  rescaled for you, and nothing is bootstrapped.
- **Scales.** A product has the product of both scales. Operands of a sum must have the same scale, to
  the last bit: `ScaleMismatchError`. No scale is adjusted, and none is rounded to that of a level.
  `scale` says what it is, and `with_scale` declares another one, which changes what the ciphertext
  holds.
- **Relinearisation.** A product of two ciphertexts has three parts, and decrypts as it is. Products,
  rotations and the conjugate take two parts: `DegreeError`. `relinearize` turns three into two.
  Sums take both.
- **Room.** Errors and bounds of values are followed as everywhere: a step whose values could wrap
  around the modulus is `ValueOverflowError`, and `precision_bits`, `magnitude` and `error_bound` of a
  result are those of the steps that were taken.

Ciphertexts are the same objects as elsewhere, so both ways of computing mix. What the operators
cannot align is refused by them: a ciphertext of three parts where two are needed, and operands of
different levels if one is not at its level's own scale, which `scale_of_level` gives.

    from ringjet import explicit

    product = explicit.mul(x, y)  # three parts, the product of the scales
    z = explicit.rescale(explicit.relinearize(product))

Scales are fractions of Python: `scale` returns the exact value of the sum of two doubles that the
library computes with, about 106 bits. A scale that you give is rounded to such a sum.

Programs that `plan`, `simulate` and `compile` run cannot record these steps. A
`Server(backend="model", params=...)` counts them, and its `estimate` gives their costs. HEAAN has
`rescale` and `mod_down_to` as methods of its ciphertexts; BGV and BFV have no explicit operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays
from ._checks import refusal
from ._ringjet import Ciphertext, Explicit, Parameters

__all__ = [
    "add",
    "add_plain",
    "conjugate",
    "divisor_of_level",
    "drop_level",
    "factor_scale",
    "mul",
    "mul_integer",
    "mul_plain",
    "mul_plain_sum",
    "neg",
    "parts",
    "relinearize",
    "relinearize_rescale",
    "rescale",
    "rescale_to",
    "rotate",
    "rotation_sum",
    "rotations",
    "scale",
    "scale_of_level",
    "sub",
    "with_scale",
]


def parts(x: Ciphertext) -> int:
    """The number of polynomials: 2, or 3 before relinearisation."""
    return Explicit.parts(x)


def scale(x: Ciphertext) -> Fraction:
    """The exact scale. `x.scale` is its binary logarithm."""
    return _exact(Explicit.scale(x))


def with_scale(x: Ciphertext, scale: float | Fraction) -> Ciphertext:
    """The same polynomials, declared to be at `scale`, 2**-300 to 2**300: values are multiplied by the
    old scale and divided by the new one, and so are bounds of values and of errors."""
    return Explicit.with_scale(x, _rounded(scale))


def scale_of_level(params: Parameters, level: int) -> Fraction:
    """The scale at which operators leave every result of this level, and at which a fresh ciphertext of
    this level is."""
    return _exact(Explicit.scale_of_level(params, level))


def divisor_of_level(params: Parameters, level: int) -> Fraction:
    """What `rescale` divides the polynomials and the scale of a ciphertext of this level by: the modulus of
    the level divided by that of the level below. A whole number, except where levels share primes."""
    return _exact(Explicit.divisor_of_level(params, level))


def factor_scale(x: Ciphertext) -> Fraction:
    """The scale of a factor in the clear with which `rescale(mul_plain(x, values, scale))` is at the
    scale of its level, up to rounding in the last bits."""
    below = scale_of_level(x.params, max(x.level - 1, 0))
    return below * divisor_of_level(x.params, x.level) / scale(x)


def add(x: Ciphertext, y: Ciphertext) -> Ciphertext:
    """`x + y`. Levels and scales must agree. The sum has as many parts as the longer of both."""
    return Explicit.add(x, y)


def sub(x: Ciphertext, y: Ciphertext) -> Ciphertext:
    """`x - y`, as `add`."""
    return Explicit.sub(x, y)


def neg(x: Ciphertext) -> Ciphertext:
    """`-x`."""
    return Explicit.neg(x)


def add_plain(x: Ciphertext, values: npt.ArrayLike) -> Ciphertext:
    """`x` plus numbers in the clear, which are encoded at the level and the scale of x. values: one
    number for all slots, or an array as operators take it."""
    return Explicit.add_plain(x, _values(x, values))


def mul(x: Ciphertext, y: Ciphertext) -> Ciphertext:
    """`x * y` with three parts, at the level of both, and at the product of the scales. Levels must
    agree, and both have two parts."""
    return Explicit.mul(x, y)


def mul_plain(x: Ciphertext, values: npt.ArrayLike, scale: float | Fraction) -> Ciphertext:
    """`x` times numbers in the clear, which are encoded at the level of x and at `scale`. The result is at
    the product of the scales. values: one number for all slots, or an array as operators take it. As with
    operators, slots that have no number in the array stay as they are: they are multiplied by 1."""
    return Explicit.mul_plain(x, _factors(x, values), _rounded(scale))


def mul_plain_sum(xs: Sequence[Ciphertext], values: Sequence[npt.ArrayLike], scale: float | Fraction) -> Ciphertext:
    """The sum of `mul_plain(x, v, scale)` over both lists, in one pass over the data. All of xs are at one
    level and one scale, and have two parts."""
    if not len(xs) or len(xs) != len(values):
        raise refusal("values", f"{len(values)} vectors", f"{len(xs)}, one for each ciphertext, and at least one")
    return Explicit.mul_plain_sum(xs, [_factors(x, v) for x, v in zip(xs, values, strict=True)], _rounded(scale))


def mul_integer(x: Ciphertext, integer: int) -> Ciphertext:
    """`x` times an integer of 64 bits, exactly. Level and scale stay."""
    return Explicit.mul_integer(x, integer)


def relinearize(x: Ciphertext) -> Ciphertext:
    """Three parts as two, by key switching. Level and scale stay."""
    return Explicit.relinearize(x)


def rescale(x: Ciphertext) -> Ciphertext:
    """One level down: polynomials and scale are divided by `divisor_of_level`. It takes two parts or
    three. At level 0 it is refused (`LevelExhaustedError`)."""
    return Explicit.rescale(x)


def rescale_to(x: Ciphertext, level: int) -> Ciphertext:
    """`rescale` down to `level`, with one division and one rounding. `level` is below that of x."""
    return Explicit.rescale_to(x, level)


def relinearize_rescale(x: Ciphertext) -> Ciphertext:
    """`rescale` of `relinearize`, with one division in place of two, as operators do it: faster, and with less
    error. de Castro et al., "Does Fully Homomorphic Encryption Need Compute Acceleration?", ePrint
    2021/1636, Algorithm 7."""
    return Explicit.relinearize_rescale(x)


def drop_level(x: Ciphertext, level: int) -> Ciphertext:
    """The same ciphertext modulo the smaller modulus of `level`, exactly. The scale stays."""
    return Explicit.drop_level(x, level)


def rotate(x: Ciphertext, k: int) -> Ciphertext:
    """Rotates the slots by `k` to the left. Level and scale stay."""
    return Explicit.rotate(x, k)


def rotations(x: Ciphertext, ks: Sequence[int]) -> list[Ciphertext]:
    """The rotations by each of `ks`, which share one decomposition (hoisting; Halevi and Shoup, ePrint
    2018/244)."""
    return Explicit.rotations(x, ks)


def rotation_sum(x: Ciphertext, ks: Sequence[int]) -> Ciphertext:
    """The sum of the rotations by each of `ks`, with one decomposition and one division by the special
    primes (double hoisting; Bossuat et al., ePrint 2020/1203). 0 adds x itself."""
    return Explicit.rotation_sum(x, ks)


def conjugate(x: Ciphertext) -> Ciphertext:
    """The complex conjugate of every slot. Level and scale stay."""
    return Explicit.conjugate(x)


def _exact(parts: tuple[float, float]) -> Fraction:
    """The sum of two doubles."""
    return Fraction(parts[0]) + Fraction(parts[1])


def _rounded(scale: Any) -> tuple[float, float]:
    """The nearest double, and the double nearest to what is left."""
    if not isinstance(scale, Real):
        raise TypeError(f"scale: a number is needed, not {type(scale).__name__}")
    try:
        whole = (
            scale
            if isinstance(scale, Fraction)
            else Fraction(int(scale) if isinstance(scale, Integral) else float(scale))
        )
        high = float(whole)
        return high, float(whole - Fraction(high))
    except (OverflowError, ValueError):  # infinite, or not a number
        raise refusal("scale", scale, "2**-300 to 2**300") from None


def _values(x: Ciphertext, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """A number for each slot, or one for each value of x: encoding adds zeros."""
    array = _arrays.operand(values, False, x.slots, x.count)
    return np.full(x.slots, array) if array.ndim == 0 else array


def _factors(x: Ciphertext, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """A number for each slot, which is 1 where none is given. Slots that are known to hold 0 need none."""
    array = _values(x, values)
    if x._zero_padded:
        return array
    return np.pad(array, (0, x.slots - array.size), constant_values=1)
