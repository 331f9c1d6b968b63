"""How a matrix lies in the slots of a ciphertext."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ..._ringjet import LinearTransform
from .._cache import cached

_Array = npt.NDArray[Any]
_Places = npt.NDArray[np.int64]
_Item = TypeVar("_Item")

#: In an array of places: nothing is taken, the result is zero.
NOWHERE = -1

#: The largest number of ciphertexts of a matrix that is encrypted, planned or simulated.
_MOST_BLOCKS = 1 << 16

#: Most transforms that are kept for the next product of the same shape, with what they encode.
_KEPT = 16


def power_of_two(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << max(n - 1, 0).bit_length()


@dataclass(frozen=True)
class Layout:
    """Matrices of `height` rows and `width` columns in `slots` slots, row by row. The element of row
    i and column j of matrix b is in slot `(i * width + j) * batch + b`.

    The width is the height, or twice the height if the number of cells is no square. All sizes are
    powers of two.
    """

    slots: int
    #: The number of matrices in one ciphertext.
    batch: int

    @property
    def cells(self) -> int:
        """The number of elements of a matrix."""
        return self.slots // self.batch

    @property
    def height(self) -> int:
        """The number of rows: the largest number of rows and columns of a block."""
        return 1 << ((self.cells.bit_length() - 1) // 2)

    @property
    def width(self) -> int:
        """The number of columns that there is room for."""
        return self.cells // self.height

    def grid(self, rows: int, columns: int) -> tuple[int, int]:
        """How many blocks, of at most `height` rows and columns, a matrix takes."""
        return -(-rows // self.height), -(-columns // self.height)

    def block(self, size: int, index: int) -> int:
        """How many of `size` rows or columns the block `index` holds."""
        return min(size - index * self.height, self.height)

    def packed(self, matrices: _Array, fill: float = 0) -> _Array:
        """The slots of a block, given as an array of matrices (at most `batch`), `fill` elsewhere."""
        number, rows, columns = matrices.shape
        cells = np.full((self.height, self.width, self.batch), fill, matrices.dtype)
        cells[:rows, :columns, :number] = np.moveaxis(matrices, 0, -1)
        return cells.ravel()

    def unpacked(self, values: _Array, shape: tuple[int, ...]) -> _Array:
        """The matrices of a block; the reverse of `packed`."""
        number, rows, columns = shape
        cells = values.reshape(self.height, self.width, self.batch)
        return np.moveaxis(cells[:rows, :columns, :number], -1, 0)

    def parts(self, array: _Array) -> list[list[_Array]]:
        """The part of an array that each block holds. Its last two axes are rows and columns."""
        down, right = (range(0, n, self.height) for n in array.shape[-2:])
        return [[array[..., i : i + self.height, j : j + self.height] for j in right] for i in down]

    def split(self, array: _Array, fill: float = 0) -> list[list[_Array]]:
        """The slots of every block of a matrix or of an array of matrices, `fill` in all others."""
        return [
            [self.packed(part, fill) for part in row] for row in self.parts(array if array.ndim == 3 else array[None])
        ]

    def joined(self, blocks: Sequence[Sequence[_Array]], shape: tuple[int, ...]) -> _Array:
        """The matrix, or array of matrices, with these slots; the reverse of `split`."""
        number = shape[0] if len(shape) == 3 else 1

        def part(i: int, j: int) -> _Array:
            return self.unpacked(blocks[i][j], (number, self.block(shape[-2], i), self.block(shape[-1], j)))

        rows, columns = self.grid(*shape[-2:])
        return np.block([[part(i, j) for j in range(columns)] for i in range(rows)]).reshape(shape)

    def rows(self, blocks: Sequence[_Item], shape: tuple[int, ...]) -> list[list[_Item]]:
        """The blocks of a matrix, which are given one after the other, in rows."""
        _, right = self.grid(*shape[-2:])
        return [list(blocks[k : k + right]) for k in range(0, len(blocks), right)]

    def turn(self, cells: int) -> int:
        """The rotation to the left by a number of cells, without sign: each rotation has one key."""
        return cells * self.batch % self.slots

    def transform(self, diagonals: dict[int, _Array]) -> LinearTransform:
        """The transform of each matrix with these diagonals: `diagonals[k][c]` is the factor of cell
        `c + k` in cell c of the result."""
        each = {self.turn(k): np.repeat(d, self.batch) for k, d in diagonals.items()}
        return LinearTransform.from_diagonals(self.slots, each)

    def gather(self, places: _Places) -> LinearTransform:
        """The transform whose result takes each cell from one of `places`, or has zero there."""
        places = places.ravel()
        offsets = (places - np.arange(self.cells)) % self.cells
        taken = places != NOWHERE
        return self.transform({int(k): ((offsets == k) & taken).astype(float) for k in np.unique(offsets[taken])})

    def coordinates(self) -> tuple[_Places, _Places]:
        """Row and column of every cell."""
        i, j = np.indices((self.height, self.width), np.int64)
        return i, j


@cached(_KEPT)
def transposition(layout: Layout) -> LinearTransform:
    """The transpose of a block."""
    i, j = layout.coordinates()
    return layout.gather(np.where(j < layout.height, (j % layout.height) * layout.width + i, NOWHERE))


def times_clear(layout: Layout, w: _Array) -> LinearTransform:
    """`A -> A @ w` for a block A and a clear matrix w of at most `height` rows and columns."""
    inner, columns = w.shape
    diagonals = {}
    for k in range(1 - columns, inner):
        # column j of the result gets w[j + k, j] times column j + k
        row = np.zeros(layout.width, w.dtype)
        j = np.arange(max(0, -k), min(columns, inner - k))
        row[j] = w[j + k, j]
        if np.any(row):
            diagonals[k] = np.tile(row, layout.height)
    return layout.transform(diagonals)


def clear_times(layout: Layout, w: _Array) -> LinearTransform:
    """`A -> w @ A` for a block A and a clear matrix w of at most `height` rows and columns."""
    return LinearTransform(w, layout.slots, batch=layout.width * layout.batch)


def expect_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of a matrix, or of an array of matrices."""
    found = tuple(int(n) for n in shape)
    if len(found) not in (2, 3) or min(found) < 1:
        raise refusal("shape", found, "(rows, columns) or (number, rows, columns), at least 1 each")
    return found


def expect_layout(slots: int, shape: tuple[int, ...]) -> Layout:
    """The layout of matrices of this shape in ciphertexts of `slots` slots."""
    batch = power_of_two(shape[0]) if len(shape) == 3 else 1
    if batch > slots:
        raise refusal("shape", shape, f"at most {slots} matrices, one for each slot of a ciphertext")
    return Layout(slots, batch)


def expect_blocks(layout: Layout, shape: tuple[int, ...]) -> Layout:
    """The layout, if a matrix of this shape is one of at most `_MOST_BLOCKS` ciphertexts: more are
    refused before there is one object for each."""
    rows, columns = layout.grid(*shape[-2:])
    if rows * columns > _MOST_BLOCKS:
        expected = f"a matrix of at most {_MOST_BLOCKS} ciphertexts; with {layout.slots} slots this one takes {rows} x {columns}"
        raise refusal("shape", shape, expected)
    return layout


def expect_few(matrix: npt.ArrayLike, slots: int) -> None:
    """Refuses a matrix of more ciphertexts before its elements are converted: a broadcast array takes
    no memory until then."""
    shape = np.shape(matrix)
    if len(shape) in (2, 3) and min(shape) and slots == power_of_two(slots):
        expect_blocks(expect_layout(slots, shape), shape)
