"""What a Chebyshev series costs, of ciphertexts."""

from __future__ import annotations

import math

from numpy.polynomial import Chebyshev


def depth(series: Chebyshev) -> int:
    """The levels that a series takes: one more where a number that is not whole maps its interval to
    one of length 2."""
    factor = 2 / (series.domain[1] - series.domain[0])
    whole = 1 <= round(factor) <= 1 << 20 and abs(factor - round(factor)) <= 1e-12 * factor
    return math.ceil(math.log2(len(series.coef))) + int(not whole)


def products(degree: int) -> int:
    """Products of ciphertexts that a polynomial takes, about: by Paterson and Stockmeyer's method."""
    bits = degree.bit_length()
    return min((1 << j) - 2 + m + (1 << m) // 2 for j in range(1, max(2, bits + 1)) for m in [max(0, bits - j)])
