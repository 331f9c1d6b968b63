"""Encrypted matrices."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._arrays import given
from ..._checks import refusal, whole
from ..._idioms import Idioms, unanswered
from ..._ringjet import Ciphertext, approximate, replace_file
from . import _bytes
from ._convert import moved
from ._layout import Bits, Grid, Progress, Shape, expect_shape
from ._layouts import expect_layout


class EncryptedMatrix(Idioms):
    """A matrix of any size, or several of one shape side by side, in one or more ciphertexts.

    `encrypt_matrix` encrypts it, `to_bytes` sends it, `load_matrix` gives it to a server, and
    `decrypt_matrix` reads it. `plan_matrices` says which keys a program of matrices needs.

    blocks: the ciphertexts, in rows, as their parts lie in the matrix. Slots without an element may
    have any value; results do not depend on them.
    shape: (rows, columns), or (number, rows, columns).
    layout: which part of the matrix a ciphertext of s slots holds.

    - "blocks": a block of up to sqrt(s) rows and columns, or of k matrices up to sqrt(s / k), rounded
      down to a power of two. A product of two encrypted matrices takes two levels; a product with a
      matrix in the clear, a transpose and a sum take one.
    - "rows": a row, in several ciphertexts if it has more than s elements. `W @ X` for W in the clear
      takes one level and no keys, `X.sum(axis=0)` neither levels nor keys. There is no `X @ W`, except
      for a single column, which takes one level and rotations.
    - "columns": a column, likewise, with `X @ W` instead of `W @ X`, and `X.sum(axis=1)`. The
      transpose of a matrix in rows is one in columns, and costs nothing.
    - "stacked": as many rows as fit, each in a power of two of slots. `W @ X` takes one level and few
      rotations, and is in rows; `partial_sums` leaves its last sum to the client, and takes no keys.

    - "batch": row i of every one of up to s / d matrices of d x d, d a power of two, in ciphertext i; with
      CKKS only, in ciphertexts with all slots. `A @ B` takes one level, and the time of all products
      divided by their number is far below that of blocks. Fastest is A in "batch_columns", which has
      columns instead of rows, and B in "batch"; the product is in "batch". A transpose changes one into
      the other and costs nothing. There are sums and products with numbers, no operations on elements.

    `to_layout` changes the layout.
    """

    __pandas_priority__ = 5000
    _is_matrix = True

    def __init__(self, blocks: Sequence[Sequence[Ciphertext]], shape: Shape, layout: str = "blocks") -> None:
        shape = expect_shape(shape)
        if isinstance(blocks, Ciphertext):
            raise TypeError("blocks: rows of ciphertexts, such as [[ciphertext]] for a single one")
        # the layout says which slots hold elements
        self.blocks, self.shape = tuple(tuple(map(whole, row)) for row in blocks), shape
        slots = {x.slots for row in self.blocks for x in row}
        if len(slots) != 1:
            raise refusal("blocks", f"ciphertexts with {sorted(slots)} slots", "ciphertexts with one number of slots")
        self._layout = expect_layout(layout, slots.pop(), shape)
        rows, columns = self._layout.grid(shape)
        if [len(row) for row in self.blocks] != [columns] * rows:
            found = f"rows of {[len(row) for row in self.blocks]} ciphertexts"
            need = f"{rows} rows of {columns} for the shape {shape} in {self.slots} slots and layout {layout}"
            raise refusal("blocks", found, need)

    @property
    def layout(self) -> str:
        """The name of the layout."""
        return self._layout.name

    @property
    def slots(self) -> int:
        """The number of slots of each ciphertext."""
        return self._layout.slots

    @property
    def level(self) -> int:
        """How many rescalings are left: the lowest level of a ciphertext."""
        return min(x.level for row in self.blocks for x in row)

    @property
    def magnitude(self) -> float:
        """Bound on the size of real and imaginary parts of all elements."""
        return max(x.magnitude for row in self.blocks for x in row) / self._layout.slot_bound

    @property
    def precision_bits(self) -> float:
        """The lowest estimated precision of a ciphertext, in bits."""
        return min(x.precision_bits for row in self.blocks for x in row)

    @property
    def T(self) -> EncryptedMatrix:
        """The transpose. That of rows is in columns, and the reverse."""
        *number, rows, columns = self.shape
        made = self._layout.transposed(self.blocks)
        return EncryptedMatrix(made, (*number, columns, rows), self._layout.transposed_name)

    def __matmul__(self, other: Any) -> EncryptedMatrix:
        """The product with an encrypted matrix in as many slots, with one in the clear, or with a vector in
        the clear, which is a matrix of one column."""
        *number, rows, inner = self.shape
        if isinstance(other, EncryptedMatrix):
            columns = other.shape[-1]
            if not self._layout.multiplies(other._layout):
                _expect_same("@", self, other)
            if other.shape[:-1] != (*number, inner):
                raise _misfit("@", self, other)
            made = self._layout.product_with(self.blocks, other.blocks, other._layout, inner, columns)
            return EncryptedMatrix(made, (*number, rows, columns), self._layout.encrypted_name)
        w = self._clear(other)
        w = w[:, None] if w.ndim == 1 else w
        if w.shape[0] != inner:
            raise _misfit("@", self, w)
        return self._like(self._layout.times_clear(self.blocks, w), (*number, rows, w.shape[1]))

    def __rmatmul__(self, other: Any) -> EncryptedMatrix:
        """The product of a matrix in the clear with this one. A vector is a matrix of one row."""
        *number, rows, columns = self.shape
        w = np.atleast_2d(self._clear(other))
        if w.shape[1] != rows:
            raise _misfit("@", w, self)
        made = self._layout.clear_times(w, self.blocks)
        return EncryptedMatrix(made, (*number, w.shape[0], columns), self._layout.product_name)

    def weighted_sums(
        self,
        weights: npt.ArrayLike,
        *,
        bias: npt.ArrayLike | None = None,
        bits: Bits = 24,
        progress: Progress = None,
    ) -> EncryptedMatrix:
        """The matrix whose lines are weighted sums of this one's, as `rj.weighted_sums` computes them: for each
        row of `weights` the sum of `weight * line`, plus the row's number of `bias`. With layout "rows"
        that is `weights @ X`, with layout "columns" `X @ weights.T`. The other arguments are those of
        `rj.weighted_sums`."""
        made = self._layout.weighted_sums(self.blocks, weights, bias, bits, progress)
        lines = np.shape(weights)[0]
        return self._like(made, (lines, self.shape[1]) if self.layout == "rows" else (self.shape[0], lines))

    def partial_sums(self, weights: npt.ArrayLike) -> EncryptedMatrix:
        """The product `weights @ X` of a matrix in the clear with this one in layout "stacked", without its last
        sum: one level, no keys. Row m of the result has all slots; with w slots for each row of X, the least power of
        two that holds it, row m of the product is `decrypt_matrix(client, P)[m].reshape(-1, w).sum(axis=0)`, its
        first elements. Who decrypts it sees the weighted rows, and so learns more of `weights` than from the
        product."""
        w = np.atleast_2d(self._clear(weights))
        if w.shape[1] != self.shape[-2]:
            raise _misfit("@", w, self)
        return EncryptedMatrix(self._layout.partial_sums(w, self.blocks), (w.shape[0], self.slots), "rows")

    def sum(self, axis: int | None = None) -> EncryptedMatrix:
        """The sums of the columns (axis=0), one row; of the rows (axis=1), one column; or of all
        elements (axis=None), a matrix of one element. In blocks each axis takes a level, and in stacked rows
        axis 0, the only one. In lines sums take none, and sums of lines no keys."""
        if axis not in (0, 1, None):
            raise refusal("axis", axis, "0, 1 or None")
        *number, rows, columns = self.shape
        if axis == 1:
            return self._like(self._layout.sum_of_columns(self.blocks, self.shape), (*number, rows, 1))
        sums = self._layout.sum_of_rows(self.blocks, self.shape)
        made = EncryptedMatrix(sums, (*number, 1, columns), self._layout.product_name)
        return made if axis == 0 else made.sum(1)

    def to_layout(self, layout: str) -> EncryptedMatrix:
        """The same matrix in another layout: by rotations, for CKKS; with BGV, BFV and HEAAN a matrix stays in the
        layout in which it was encrypted. From blocks to rows and back takes at most one level, and none
        where no ciphertext gets elements of several; each way between blocks and columns takes one level
        more. From rows to columns, or back, a matrix goes through blocks. `plan_matrices` lists the keys.
        """
        target = expect_layout(layout, self.slots, self.shape)
        if target.name == self.layout:
            return self
        if self.blocks[0][0].params.scheme != "ckks":
            expected = f'"{self.layout}"; rj.encrypt_matrix(client, A, layout="{layout}") encrypts in the other one'
            raise refusal("layout", f'"{layout}"', expected)
        if "columns" in (self.layout, layout) and "blocks" not in (self.layout, layout):
            return self.to_layout("blocks").to_layout(layout)
        if "columns" in (self.layout, layout):
            # the columns of a matrix are the rows of its transpose
            return self.T.to_layout("rows" if layout == "columns" else "blocks").T
        return EncryptedMatrix(moved(self.blocks, self.shape, self._layout, target), self.shape, layout)

    def apply(self, f: Any, interval: tuple[float, float], *, error: float = 1e-4) -> EncryptedMatrix:
        """A function of every element, as `Ciphertext.apply`. The interval must also hold 0, which
        is in slots without an element."""
        self._layout.expect_elementwise("apply")
        p = approximate(f, interval, error)
        return self._each(lambda x: x.polynomial(p))

    def with_magnitude(self, magnitude: float) -> EncryptedMatrix:
        """States that real and imaginary parts of all elements are at most `magnitude` in size, in batches their
        absolute values; otherwise as `Ciphertext.with_magnitude`."""
        return self._each(lambda x: x.with_magnitude(magnitude * self._layout.slot_bound))

    def map(self, f: Callable[[Ciphertext], Ciphertext]) -> EncryptedMatrix:
        """The matrix with `f` of each ciphertext, such as `map(lambda x: x.polynomial(p))`. f must treat all
        slots alike, and keep their number. Not for batches, whose slots are no elements."""
        self._layout.expect_elementwise("map")
        return self._each(f)

    def _each(self, f: Callable[[Ciphertext], Ciphertext]) -> EncryptedMatrix:
        """The matrix with `f` of each ciphertext."""
        return self._like([[f(x) for x in row] for row in self.blocks], self.shape)

    def to_bytes(self) -> bytes:
        """The layout, the shape and the ciphertexts as bytes. Layout and shape are not encrypted."""
        return _bytes.written(self.shape, self._layout, [x.to_bytes() for row in self.blocks for x in row])

    def save(self, path: str | PathLike[str]) -> None:
        """Writes `to_bytes` to a file, as `Ciphertext.save` does. `load_matrix(server, path)` and
        `decrypt_matrix(client, path)` read it."""
        replace_file(path, self.to_bytes())

    def __add__(self, other: Any) -> EncryptedMatrix:
        return self._combined("+", operator.add, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> EncryptedMatrix:
        return self._combined("-", operator.sub, other)

    def __rsub__(self, other: Any) -> EncryptedMatrix:
        return self._combined("-", lambda x, y: y - x, other)

    def __mul__(self, other: Any) -> EncryptedMatrix:
        """Element by element."""
        return self._combined("*", operator.mul, other, 1)

    __rmul__ = __mul__

    def __neg__(self) -> EncryptedMatrix:
        return self._each(operator.neg)

    def __pow__(self, exponent: Any) -> EncryptedMatrix:
        """Not offered: the error says what `**` could mean."""
        raise unanswered(self, "x ** a")

    def __truediv__(self, other: Any) -> EncryptedMatrix:
        """Division by a number or an array in the clear."""
        if isinstance(other, (EncryptedMatrix, Ciphertext)):
            raise unanswered(self, "x / y")
        return self._combined("/", operator.truediv, other, 1)

    def __hash__(self) -> int:
        return hash(self.blocks)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedMatrix, (self.blocks, self.shape, self.layout)

    def __repr__(self) -> str:
        count = sum(map(len, self.blocks))
        ciphertexts = "" if count == 1 else f"{count} ciphertexts such as "
        kind = "" if self.layout == "blocks" else f"in {self.layout}, "
        return f"EncryptedMatrix({' x '.join(map(str, self.shape))}, {kind}{ciphertexts}{self.blocks[0][0]!r})"

    def _combined(self, symbol: str, f: Callable[[Any, Any], Any], other: Any, neutral: int = 0) -> EncryptedMatrix:
        """`f` of each ciphertext and what it is combined with: `neutral` in slots without an
        element."""
        if isinstance(other, Ciphertext):
            raise TypeError(
                "a matrix is combined with matrices, arrays and numbers: EncryptedMatrix([[ciphertext]], shape)"
            )
        if isinstance(other, EncryptedMatrix):
            _expect_same(symbol, self, other)
            if neutral:
                self._layout.expect_elementwise(f"A {symbol} B")
            return self._zipped(symbol, f, other, other._spread)
        array = given(other, self._is_exact)
        if array.ndim == 0 and (neutral or not self._layout.complex_slots):
            return self._each(lambda x: f(x, array))
        made = self._zipped(symbol, f, array, lambda shape: self._layout.operands(array, shape, neutral))
        if not self._layout.complex_slots:
            return made
        # slots do not say how large an element became
        return made.with_magnitude(self.magnitude + float(np.abs(array).max()))

    def _clear(self, matrix: Any) -> npt.NDArray[Any]:
        """The matrix in the clear by which this one is multiplied."""
        if isinstance(matrix, Ciphertext):
            raise TypeError("a matrix is multiplied by matrices: EncryptedMatrix([[ciphertext]], shape)")
        array = given(matrix, self._is_exact, "matrix")
        if array.ndim not in (1, 2) or not array.size:
            raise refusal("matrix", f"an array of shape {array.shape}", "a matrix or a vector with elements")
        return array

    @property
    def _is_exact(self) -> bool:
        return self.blocks[0][0].params.t is not None

    def _like(self, blocks: Grid[Ciphertext], shape: Shape) -> EncryptedMatrix:
        """A matrix in the layout of this one."""
        return EncryptedMatrix(blocks, shape, self.layout)

    def _spread(self, shape: Shape) -> Grid[Ciphertext] | None:
        """The ciphertexts of the matrix that numpy broadcasts to this shape, where they stay as they are."""
        return self._layout.spread(self.blocks, self.shape, shape)

    def _zipped(
        self, symbol: str, f: Callable[[Any, Any], Any], other: Any, others: Callable[[Shape], Grid[Any] | None]
    ) -> EncryptedMatrix:
        """`f` of each ciphertext and its operand in a matrix or an array. `others`: the operands for a shape."""
        try:
            shape = np.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise _misfit(symbol, self, other) from None
        mine = self._spread(shape)
        if mine is None or (theirs := others(shape)) is None:
            raise _misfit(symbol, self, other)
        pairs = [zip(row, operands, strict=True) for row, operands in zip(mine, theirs, strict=True)]
        return self._like([[f(x, y) for x, y in row] for row in pairs], shape)


def _misfit(symbol: str, left: Any, right: Any) -> Exception:
    """The error for shapes that do not fit."""
    slots = [f" in {m.slots} slots" if isinstance(m, EncryptedMatrix) else "" for m in (left, right)]
    found = f"{left.shape}{slots[0]} {symbol} {right.shape}{slots[1]}"
    return refusal("shapes", found, "shapes that fit, and the same number of slots")


def _expect_same(symbol: str, left: EncryptedMatrix, right: EncryptedMatrix) -> None:
    """Refuses matrices in different layouts."""
    if left.layout != right.layout:
        expected = (
            "one layout for both: A.to_layout(B.layout) on the server, or rj.encrypt_matrix(client, A, layout=...)"
        )
        raise refusal("layouts", f"{left.layout} {symbol} {right.layout}", expected)
    if left._layout != right._layout:
        raise _misfit(symbol, left, right)
