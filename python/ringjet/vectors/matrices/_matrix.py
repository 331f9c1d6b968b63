"""Encrypted matrices."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._arrays import given
from ..._checks import refusal, whole
from ..._idioms import Idioms, unanswered
from ..._ringjet import Ciphertext, approximate
from . import _bytes
from ._blocks import product, product_of_clear, product_with_clear, transposed
from ._layout import expect_layout, expect_shape

_Shape = tuple[int, ...]


class EncryptedMatrix(Idioms):
    """A matrix of any size, or several of one shape side by side, in one or more ciphertexts.

    `encrypt_matrix` encrypts it, `to_bytes` sends it, `load_matrix` gives it to a server, and
    `decrypt_matrix` reads it. `plan_matrices` says which keys a program of matrices needs.

    blocks: the ciphertexts, in rows, as the blocks lie in the matrix. A ciphertext of s slots holds
    a block of up to sqrt(s) rows and columns, or of k matrices up to sqrt(s / k), rounded down to a
    power of two. Slots without an element may have any value; results do not depend on them.
    shape: (rows, columns), or (number, rows, columns).

    Levels: a product of two encrypted matrices takes two, a product with a matrix in the clear, a
    transpose and a sum take one.
    """

    __pandas_priority__ = 5000
    _is_matrix = True

    def __init__(self, blocks: Sequence[Sequence[Ciphertext]], shape: _Shape) -> None:
        shape = expect_shape(shape)
        if isinstance(blocks, Ciphertext):
            raise TypeError("blocks: rows of ciphertexts, such as [[ciphertext]] for a single one")
        # the layout says which slots hold elements
        self.blocks, self.shape = tuple(tuple(map(whole, row)) for row in blocks), shape
        slots = {x.slots for row in self.blocks for x in row}
        if len(slots) != 1:
            raise refusal("blocks", f"ciphertexts with {sorted(slots)} slots", "ciphertexts with one number of slots")
        self._layout = expect_layout(slots.pop(), shape)
        rows, columns = self._layout.grid(*shape[-2:])
        if [len(row) for row in self.blocks] != [columns] * rows:
            found = f"rows of {[len(row) for row in self.blocks]} ciphertexts"
            need = f"{rows} rows of {columns} for the shape {shape} in {self.slots} slots"
            raise refusal("blocks", found, need)

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
        return max(x.magnitude for row in self.blocks for x in row)

    @property
    def precision_bits(self) -> float:
        """The lowest estimated precision of a ciphertext, in bits."""
        return min(x.precision_bits for row in self.blocks for x in row)

    @property
    def T(self) -> EncryptedMatrix:
        """The transpose."""
        *number, rows, columns = self.shape
        return EncryptedMatrix(transposed(self._layout, self.blocks), (*number, columns, rows))

    def __matmul__(self, other: Any) -> EncryptedMatrix:
        """The product with an encrypted matrix in as many slots, or with one in the clear."""
        *number, rows, inner = self.shape
        if isinstance(other, EncryptedMatrix):
            columns = other.shape[-1]
            if other._layout != self._layout or other.shape[:-1] != (*number, inner):
                raise _misfit("@", self, other)
            made = product(self._layout, self.blocks, other.blocks, inner, columns)
            return EncryptedMatrix(made, (*number, rows, columns))
        w = self._clear(other)
        if w.shape[0] != inner:
            raise _misfit("@", self, w)
        return EncryptedMatrix(product_with_clear(self._layout, self.blocks, w), (*number, rows, w.shape[1]))

    def __rmatmul__(self, other: Any) -> EncryptedMatrix:
        """The product of a matrix in the clear with this one."""
        *number, rows, columns = self.shape
        w = self._clear(other)
        if w.shape[1] != rows:
            raise _misfit("@", w, self)
        return EncryptedMatrix(product_of_clear(self._layout, w, self.blocks), (*number, w.shape[0], columns))

    def sum(self, axis: int | None = None) -> EncryptedMatrix:
        """The sums of the columns (axis=0), one row; of the rows (axis=1), one column; or of all
        elements (axis=None), a matrix of one element, which takes two levels."""
        *_, rows, columns = self.shape
        if axis not in (0, 1, None):
            raise refusal("axis", axis, "0, 1 or None")
        made = self if axis == 1 else self.__rmatmul__(np.ones((1, rows)))
        return made if axis == 0 else made @ np.ones((columns, 1))

    def apply(self, f: Any, interval: tuple[float, float], *, error: float = 1e-4) -> EncryptedMatrix:
        """A function of every element, as `Ciphertext.apply`. The interval must also hold 0, which
        is in slots without an element."""
        p = approximate(f, interval, error)
        return self.map(lambda x: x.polynomial(p))

    def map(self, f: Callable[[Ciphertext], Ciphertext]) -> EncryptedMatrix:
        """The matrix with `f` of each ciphertext, such as `map(lambda x: x.with_magnitude(1))`. f
        must treat all slots alike, and keep their number."""
        return EncryptedMatrix([[f(x) for x in row] for row in self.blocks], self.shape)

    def to_bytes(self) -> bytes:
        """The shape and the ciphertexts as bytes. The shape is not encrypted."""
        return _bytes.written(self.shape, self.slots, [x.to_bytes() for row in self.blocks for x in row])

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
        return self.map(operator.neg)

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
        return EncryptedMatrix, (self.blocks, self.shape)

    def __repr__(self) -> str:
        count = sum(map(len, self.blocks))
        ciphertexts = "" if count == 1 else f"{count} ciphertexts such as "
        return f"EncryptedMatrix({' x '.join(map(str, self.shape))}, {ciphertexts}{self.blocks[0][0]!r})"

    def _combined(self, symbol: str, f: Callable[[Any, Any], Any], other: Any, neutral: int = 0) -> EncryptedMatrix:
        """`f` of each ciphertext and what it is combined with: `neutral` in slots without an
        element."""
        if isinstance(other, Ciphertext):
            raise TypeError(
                "a matrix is combined with matrices, arrays and numbers: EncryptedMatrix([[ciphertext]], shape)"
            )
        if isinstance(other, EncryptedMatrix):
            if other.shape != self.shape or other._layout != self._layout:
                raise _misfit(symbol, self, other)
            return self._zipped(f, other.blocks)
        array = given(other, self._is_exact)
        if array.ndim == 0:
            return self.map(lambda x: f(x, array))
        try:
            array = np.broadcast_to(array, self.shape)
        except ValueError:
            raise _misfit(symbol, self, array) from None
        return self._zipped(f, self._layout.split(array, neutral))

    def _clear(self, matrix: Any) -> npt.NDArray[Any]:
        """The matrix in the clear by which this one is multiplied."""
        if isinstance(matrix, Ciphertext):
            raise TypeError("a matrix is multiplied by matrices: EncryptedMatrix([[ciphertext]], shape)")
        array = given(matrix, self._is_exact, "matrix")
        if array.ndim != 2 or not array.size:
            raise refusal("matrix", f"an array of shape {array.shape}", "a matrix with elements")
        return array

    @property
    def _is_exact(self) -> bool:
        return self.blocks[0][0].params.t is not None

    def _zipped(self, f: Callable[[Any, Any], Any], others: Sequence[Sequence[Any]]) -> EncryptedMatrix:
        pairs = [zip(row, other, strict=True) for row, other in zip(self.blocks, others, strict=True)]
        return EncryptedMatrix([[f(x, y) for x, y in row] for row in pairs], self.shape)


def _misfit(symbol: str, left: Any, right: Any) -> Exception:
    """The error for shapes that do not fit."""
    slots = [f" in {m.slots} slots" if isinstance(m, EncryptedMatrix) else "" for m in (left, right)]
    found = f"{left.shape}{slots[0]} {symbol} {right.shape}{slots[1]}"
    return refusal("shapes", found, "shapes that fit, and the same number of slots")
