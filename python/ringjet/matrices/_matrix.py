"""Encrypted matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _ringjet
from .._checks import refusal
from .._ringjet import Ciphertext
from .._tracked import sum_of_products
from ._layout import Layout, clear_times, expect_layout, times_clear, transposition
from ._product import Product

if TYPE_CHECKING:
    from .._ringjet import Client

_Shape = tuple[int, ...]


class EncryptedMatrix:
    """A matrix in a ciphertext, or several of one shape side by side.

    `encrypt_matrix` packs and encrypts it; a server makes it from the ciphertext that it loads:
    `EncryptedMatrix(server.load(data), shape)`. In a program for `plan` or `simulate` the ciphertext
    is an input of the program.

    shape: (rows, columns), or (number, rows, columns). A ciphertext of s slots holds a matrix of up
    to sqrt(s) rows and columns, or k of up to sqrt(s / k), rounded down to a power of two. Slots
    without an element may have any value; results do not depend on them.

    Levels: a product of two encrypted matrices takes two, a product with a matrix in the clear, a
    transpose and a sum take one. `plan` says which keys they need.
    """

    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __init__(self, ciphertext: Ciphertext, shape: _Shape) -> None:
        shape = tuple(int(n) for n in shape)
        if len(shape) not in (2, 3) or min(shape) < 1:
            raise refusal("shape", shape, "(rows, columns) or (number, rows, columns), at least 1 each")
        self.ciphertext, self.shape = ciphertext, shape
        self._layout = _fitting(ciphertext.slots, shape)

    @property
    def T(self) -> EncryptedMatrix:
        """The transpose."""
        *number, rows, columns = self.shape
        return EncryptedMatrix(self.ciphertext.matmul(transposition(self._layout)), (*number, columns, rows))

    def __matmul__(self, other: Any) -> EncryptedMatrix:
        """The product with an encrypted matrix in as many slots, or with one in the clear."""
        *number, rows, inner = self.shape
        if isinstance(other, EncryptedMatrix):
            columns = other.shape[-1]
            if other._layout != self._layout or other.shape[:-1] != (*number, inner):
                raise _misfit("@", self, other)
            product, a, b = Product(self._layout, inner, columns), self.ciphertext, other.ciphertext
            made = sum_of_products(product.left(a), product.right(b))
            # real and imaginary parts add two products each
            parts = 1 if a.is_real and b.is_real else 2
            most = min(made.magnitude, parts * inner * a.magnitude * b.magnitude)
            return EncryptedMatrix(made.with_magnitude(most), (*number, rows, columns))
        w = _clear(other)
        if w.shape[0] != inner:
            raise _misfit("@", self, w)
        _fitting(self.ciphertext.slots, (*number, rows, w.shape[1]))
        return EncryptedMatrix(self.ciphertext.matmul(times_clear(self._layout, w)), (*number, rows, w.shape[1]))

    def __rmatmul__(self, other: Any) -> EncryptedMatrix:
        """The product of a matrix in the clear with this one."""
        *number, rows, columns = self.shape
        w = _clear(other)
        if w.shape[1] != rows:
            raise _misfit("@", w, self)
        _fitting(self.ciphertext.slots, (*number, w.shape[0], columns))
        return EncryptedMatrix(self.ciphertext.matmul(clear_times(self._layout, w)), (*number, w.shape[0], columns))

    def sum(self, axis: int | None = None) -> EncryptedMatrix:
        """The sums of the columns (axis=0), one row; of the rows (axis=1), one column; or of all
        elements (axis=None), a matrix of one element, which takes two levels."""
        *_, rows, columns = self.shape
        if axis not in (0, 1, None):
            raise refusal("axis", axis, "0, 1 or None")
        made = self if axis == 1 else np.ones((1, rows)) @ self
        return made if axis == 0 else made @ np.ones((columns, 1))

    def apply(self, f: Any, interval: tuple[float, float], *, error: float = 1e-4) -> EncryptedMatrix:
        """A function of every element, as `Ciphertext.apply`. The interval must also hold 0, which
        is in slots without an element."""
        return EncryptedMatrix(self.ciphertext.apply(f, interval, error=error), self.shape)

    def __add__(self, other: Any) -> EncryptedMatrix:
        return EncryptedMatrix(self.ciphertext + self._operand("+", other), self.shape)

    __radd__ = __add__

    def __sub__(self, other: Any) -> EncryptedMatrix:
        return EncryptedMatrix(self.ciphertext - self._operand("-", other), self.shape)

    def __rsub__(self, other: Any) -> EncryptedMatrix:
        return EncryptedMatrix(self._operand("-", other) - self.ciphertext, self.shape)

    def __mul__(self, other: Any) -> EncryptedMatrix:
        """Element by element."""
        return EncryptedMatrix(self.ciphertext * self._operand("*", other), self.shape)

    __rmul__ = __mul__

    def __neg__(self) -> EncryptedMatrix:
        return EncryptedMatrix(-self.ciphertext, self.shape)

    def __truediv__(self, other: Any) -> EncryptedMatrix:
        """Division by a number or an array in the clear."""
        return self * (1 / np.asarray(other))

    def __eq__(self, other: object) -> Any:
        return self.ciphertext == other  # refused: nobody can compare what is encrypted

    def __ne__(self, other: object) -> Any:
        return self.ciphertext != other

    def __hash__(self) -> int:
        return hash(self.ciphertext)

    def __repr__(self) -> str:
        return f"EncryptedMatrix({' x '.join(map(str, self.shape))}, {self.ciphertext!r})"

    def _operand(self, operator: str, other: Any) -> Any:
        """What the ciphertext is combined with."""
        if isinstance(other, EncryptedMatrix):
            if other.shape != self.shape or other._layout != self._layout:
                raise _misfit(operator, self, other)
            return other.ciphertext
        if isinstance(other, Ciphertext):
            raise TypeError("a matrix is combined with matrices, arrays and numbers: EncryptedMatrix(ciphertext, shape)")
        array = np.asarray(other)
        if array.ndim == 0:
            return other
        try:
            array = np.broadcast_to(array, self.shape)
        except ValueError:
            raise _misfit(operator, self, array) from None
        return _packed(self._layout, array)


def encrypt_matrix(client: Client, matrix: npt.ArrayLike, *, magnitude: float | None = None) -> Ciphertext:
    """Encrypts a matrix, or an array of matrices of one shape, for `EncryptedMatrix`. The client's
    number of slots decides how large matrices can be. `magnitude`: as for `Client.encrypt`."""
    array = np.asarray(matrix)
    if array.ndim not in (2, 3) or not array.size:
        raise refusal("matrix", f"an array of shape {array.shape}", "a matrix, or an array of matrices, with elements")
    return client.encrypt(_packed(_fitting(client.slots, array.shape), array), magnitude=magnitude)


def decrypt_matrix(client: Client, matrix: EncryptedMatrix) -> npt.NDArray[np.float64]:
    """The elements of an encrypted matrix, as an array of its shape: their real parts."""
    shape = matrix.shape if len(matrix.shape) == 3 else (1, *matrix.shape)
    values = matrix._layout.unpacked(client.decrypt(matrix.ciphertext), (shape[0], shape[1], shape[2]))
    return np.ascontiguousarray(values).reshape(matrix.shape)


def _packed(layout: Layout, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return layout.packed(array if array.ndim == 3 else array[None])


def _fitting(slots: int, shape: _Shape) -> Layout:
    """The layout of a ciphertext, where the shape fits."""
    layout = expect_layout(slots, shape)
    if max(shape[-2:]) > layout.height:
        most = f"at most {layout.height} rows and columns in {slots} slots"
        raise refusal("shape", shape, f"{most}: take more slots, or split the matrix")
    return layout


def _clear(matrix: Any) -> npt.NDArray[Any]:
    if isinstance(matrix, _ringjet.Ciphertext):
        raise TypeError("a matrix is multiplied by matrices: EncryptedMatrix(ciphertext, shape)")
    array = np.asarray(matrix)
    if array.ndim != 2 or not array.size:
        raise refusal("matrix", f"an array of shape {array.shape}", "a matrix with elements")
    return array


def _misfit(operator: str, left: Any, right: Any) -> Exception:
    """The error for shapes that do not fit."""
    slots = [f" in {m.ciphertext.slots} slots" if isinstance(m, EncryptedMatrix) else "" for m in (left, right)]
    found = f"{left.shape}{slots[0]} {operator} {right.shape}{slots[1]}"
    return refusal("shapes", found, "shapes that fit, and the same number of slots")
