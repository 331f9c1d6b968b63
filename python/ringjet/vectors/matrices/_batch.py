"""The layouts of batches: many square matrices of one size, and products of encrypted ones in one level.

A ciphertext with s slots holds one row of each of up to s / d matrices of d x d. Let z be the root of unity
of slot 0, a primitive one of order 4 s. Slot u holds `sum over j of z**(j * 5**u) * M[u % (s / d)][i][j]`, so a
product with a polynomial in X^d is one of matrices: `ringjet::ckks::matrices`. Slots are up to d times as large
as elements, and complex even where those are real.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._checks import ends, refusal
from ..._ringjet import _mul_rows, _transpose_rows
from .._cache import cached
from ._cells import power_of_two
from ._layout import Array, Bits, Grid, Layout, Progress, Shape, turned

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from ..._ringjet import Ciphertext, Parameters

#: How to have a matrix in a layout with operations that batches lack, in words.
_BLOCKS = 'rj.encrypt_matrix(client, A, layout="blocks")'


@dataclass(frozen=True)
class Batch(Layout):
    """A ciphertext holds the same row of every matrix."""

    name, code, transposed_name, product_name = "batch", 4, "batch_columns", "batch"
    complex_slots = True

    #: The number of rows and columns of a matrix.
    size: int

    @classmethod
    def of(cls, slots: int, shape: Shape) -> Self:
        number, size = (shape[0] if len(shape) == 3 else 1), shape[-1]
        if shape[-2] != size or size != power_of_two(size) or size > slots:
            need = f"square matrices with a power of two up to {slots} of rows: pad them with zeros"
            raise refusal("shape", shape, f'for layout "{cls.name}" {need}')
        if number > slots // size:
            raise refusal("shape", shape, f"at most {slots // size} matrices of {size} x {size} in {slots} slots")
        return cls(slots, size)

    @property
    def part(self) -> tuple[int, int]:
        return 1, self.size

    @property
    def slot_bound(self) -> float:
        return self.size

    def stated(self, magnitude: Any, complex: bool) -> tuple[Any, bool]:
        bound = _largest(magnitude)
        # a little more, for the rounding of the transform
        return bound * self.size * (1 + 1e-9) * (2**0.5 if complex else 1), True

    def expect_params(self, params: Parameters) -> None:
        if params.scheme != "ckks":
            found = f"{self.name} with {params.scheme.upper()}"
            raise refusal("layout", found, f'"blocks": {_BLOCKS}')
        if self.slots != params.slots:
            raise refusal("slots", self.slots, f"all {params.slots} slots, as of rj.Client(params), for batches")

    def expect_elements(self, array: Array, magnitude: Any) -> None:
        largest, bound = float(np.abs(array).max()), _largest(magnitude)
        if largest > bound * (2**0.5 if array.dtype.kind == "c" else 1):
            raise refusal("matrix", f"elements of up to {largest:.6g}", f"at most the stated magnitude, {bound:.6g}")

    def packed(self, matrices: Array, fill: float = 0) -> Array:
        lines = matrices.reshape(len(matrices), self.size)
        if lines.dtype == bool:
            # every slot has a share of every element
            return np.ones(self.slots, bool)
        twist, places = _transform(self.slots, self.size)
        padded = np.zeros(twist.shape, np.complex128)
        padded[: len(lines)] = lines
        values = self.size * np.fft.ifft(padded * twist, axis=1)
        return np.take_along_axis(values, places, 1).T.ravel()

    def unpacked(self, values: Array, shape: Shape) -> Array:
        twist, places = _transform(self.slots, self.size)
        turned_back = np.empty(twist.shape, np.complex128)
        np.put_along_axis(turned_back, places, values.reshape(self.size, -1).T, 1)
        lines = np.fft.fft(turned_back, axis=1) / self.size / twist
        return lines[: shape[0]].reshape(shape)

    def operands(self, array: Array, shape: Shape, neutral: int) -> Grid[Any]:
        if neutral:
            raise _no_elements("* or / by an array", self.name)
        return super().operands(array, shape, neutral)

    def expect_elementwise(self, what: str) -> None:
        raise _no_elements(what, self.name)

    def multiplies(self, other: Layout) -> bool:
        return isinstance(other, Batch) and (other.slots, other.size) == (self.slots, self.size)

    @property
    def encrypted_name(self) -> str:
        return Batch.name

    def transposed(self, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        return turned(a)

    def switched(self, a: Grid[Ciphertext]) -> list[Ciphertext]:
        """The columns of matrices whose rows are given, or the rows of those whose columns are given."""
        lines = self.lines(a)
        return _transpose_rows(lines, self.bound(lines))

    def lines(self, a: Grid[Ciphertext]) -> Sequence[Ciphertext]:
        """The ciphertexts in order."""
        return [x for row in a for x in row]

    def bound(self, lines: Sequence[Ciphertext]) -> float:
        """Bound on the absolute values of elements."""
        return max(x.magnitude for x in lines) / self.slot_bound

    def columns(self, a: Grid[Ciphertext]) -> Sequence[Ciphertext]:
        """The columns of each matrix."""
        return self.switched(a)

    def rows(self, a: Grid[Ciphertext]) -> Sequence[Ciphertext]:
        """The rows of each matrix."""
        return self.lines(a)

    def product_with(
        self, a: Grid[Ciphertext], b: Grid[Ciphertext], other: Layout, inner: int, columns: int
    ) -> Grid[Ciphertext]:
        if not isinstance(other, Batch):
            raise TypeError("a batch is multiplied by a batch")
        left, right = self.columns(a), other.rows(b)
        return [[x] for x in _mul_rows(left, right, self.bound(left), self.bound(right))]

    def product(self, a: Grid[Ciphertext], b: Grid[Ciphertext], inner: int, columns: int) -> Grid[Ciphertext]:
        return self.product_with(a, b, self, inner, columns)

    def times_clear(self, a: Grid[Ciphertext], w: Array) -> Grid[Ciphertext]:
        raise self._no_clear("A @ W")

    def clear_times(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        raise self._no_clear("W @ A")

    def sum_of_rows(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        raise _no_elements("sum", self.name)

    def sum_of_columns(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        raise _no_elements("sum", self.name)

    def weighted_sums(
        self, a: Grid[Ciphertext], w: npt.ArrayLike, bias: npt.ArrayLike | None, bits: Bits, progress: Progress
    ) -> Grid[Ciphertext]:
        raise self._no_clear("weighted_sums")

    def _no_clear(self, what: str) -> Exception:
        """The error for a product with a matrix in the clear."""
        return refusal("layout", f"{self.name} for {what}", f'"blocks": {_BLOCKS}')


class BatchColumns(Batch):
    """A ciphertext holds the same column of every matrix."""

    name, code, transposed_name = "batch_columns", 5, "batch"

    @property
    def part(self) -> tuple[int, int]:
        return self.size, 1

    def columns(self, a: Grid[Ciphertext]) -> Sequence[Ciphertext]:
        return self.lines(a)

    def rows(self, a: Grid[Ciphertext]) -> Sequence[Ciphertext]:
        return self.switched(a)


def _largest(magnitude: Any) -> float:
    """The largest absolute value within stated bounds."""
    if magnitude is None:
        return 1.0
    if np.ndim(magnitude) == 0:
        magnitude = (0, magnitude)
    low, high = ends(magnitude, "magnitude")
    if not (np.isfinite(low) and np.isfinite(high) and low <= high and max(abs(low), abs(high)) > 0):
        raise refusal("magnitude", magnitude, "a positive number, or finite bounds (low, high) with low <= high")
    return max(abs(low), abs(high))


def _no_elements(what: str, found: str) -> Exception:
    """The error for operations on elements."""
    return refusal("layout", f"{found} for {what}", f'"blocks", "rows" or "columns": {_BLOCKS}')


@cached(8)
def _transform(slots: int, size: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """For each matrix the powers `z**(j * 5**v)` by which elements are multiplied before the transform, and for
    each of its slots the place in the transform."""
    order, count = 4 * slots, slots // size
    elements = np.empty(slots, np.int64)
    element = 1
    for u in range(slots):
        elements[u], element = element, element * 5 % order
    first = elements[:count, None]
    twist = np.exp(2j * np.pi * (first * np.arange(size) % order) / order)
    # slots of one matrix have Galois elements that differ by multiples of 4 * slots / size
    places = (elements.reshape(size, count).T - first) // (order // size) % size
    return twist, places
