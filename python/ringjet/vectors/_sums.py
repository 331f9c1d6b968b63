"""Products of ciphertexts with a matrix in the clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .._arrays import reals
from .._checks import refusal
from .._ringjet import _weighted_sums

if TYPE_CHECKING:
    from .._ringjet import Ciphertext


def weighted_sums(
    ciphertexts: Sequence[Ciphertext],
    weights: npt.ArrayLike,
    *,
    bias: npt.ArrayLike | None = None,
    level: int | None = None,
    bits: int | Literal["exact"] = 24,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> list[Ciphertext]:
    """A matrix times a vector of ciphertexts: for each row of `weights` the sum of `weight * ciphertext`, plus
    the row's number of `bias`. Each result is what `weighted_sum` gives for its row. All rows are computed
    at once (not with HEAAN): with CKKS three times as fast for a dozen rows, ten times for a hundred. No keys
    are needed.

    weights: real numbers in the shape (rows, number of ciphertexts), with BGV and BFV whole ones.
    level: of the results, by default one below the lowest ciphertext; not with HEAAN.
    bits: each row becomes integers of at most `2**bits` in size, 1 to 24, times one number; the rounding is
    included in the estimate of the results' precision. "exact": as precise as `weighted_sum`. BGV and BFV are
    exact in any case.
    progress: True for a bar, or a callable taking (done, total). Ctrl-C stops the work.
    """
    ciphertexts, matrix = list(ciphertexts), reals(weights, "weights")
    if not ciphertexts:
        raise refusal("ciphertexts", "[]", "at least one")
    if matrix.ndim != 2 or matrix.shape[1] != len(ciphertexts):
        expected = f"shape (rows, {len(ciphertexts)}), a column for each ciphertext"
        raise refusal("weights", f"an array of shape {matrix.shape}", expected)
    added = np.zeros(0) if bias is None else reals(bias, "bias")
    if bias is not None and added.shape != (len(matrix),):
        raise refusal("bias", f"an array of shape {added.shape}", f"shape ({len(matrix)},), a number for each row")
    if bits != "exact" and not (isinstance(bits, int) and 1 <= bits <= 24):
        raise refusal("bits", repr(bits), '1 to 24, or "exact"')
    short = None if bits == "exact" else bits
    return _weighted_sums(ciphertexts, matrix.ravel(), added, len(matrix), short, level, progress)
