"""How a block of a matrix lies in the slots of a ciphertext."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._ringjet import LinearTransform
from .._cache import cached

_Array = npt.NDArray[Any]
_Places = npt.NDArray[np.int64]

#: In an array of places: nothing is taken, the result is zero.
NOWHERE = -1

#: Most transforms that are kept for the next product of the same shape, with what they encode.
_KEPT = 16


def power_of_two(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << max(n - 1, 0).bit_length()


@dataclass(frozen=True)
class Cells:
    """Matrices of `height` rows and `width` columns in `slots` slots, row by row. The element of row
    i and column j of matrix b is in slot `(i * width + j) * batch + b`.

    The width is the height, or twice the height if the number of cells is no square. All sizes are
    powers of two.
    """

    slots: int
    #: The number of matrices in one ciphertext.
    batch: int

    @property
    def number(self) -> int:
        """The number of elements of a matrix."""
        return self.slots // self.batch

    @property
    def height(self) -> int:
        """The number of rows: the largest number of rows and columns of a block."""
        return 1 << ((self.number.bit_length() - 1) // 2)

    @property
    def width(self) -> int:
        """The number of columns that there is room for."""
        return self.number // self.height

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
        offsets = (places - np.arange(self.number)) % self.number
        taken = places != NOWHERE
        return self.transform({int(k): ((offsets == k) & taken).astype(float) for k in np.unique(offsets[taken])})

    def coordinates(self) -> tuple[_Places, _Places]:
        """Row and column of every cell."""
        i, j = np.indices((self.height, self.width), np.int64)
        return i, j


@cached(_KEPT)
def transposition(cells: Cells) -> LinearTransform:
    """The transpose of a block."""
    i, j = cells.coordinates()
    return cells.gather(np.where(j < cells.height, (j % cells.height) * cells.width + i, NOWHERE))


def times_clear(cells: Cells, w: _Array) -> LinearTransform:
    """`A -> A @ w` for a block A and a clear matrix w of at most `height` rows and columns."""
    inner, columns = w.shape
    diagonals = {}
    for k in range(1 - columns, inner):
        # column j of the result gets w[j + k, j] times column j + k
        row = np.zeros(cells.width, w.dtype)
        j = np.arange(max(0, -k), min(columns, inner - k))
        row[j] = w[j + k, j]
        if np.any(row):
            diagonals[k] = np.tile(row, cells.height)
    return cells.transform(diagonals)


def clear_times(cells: Cells, w: _Array) -> LinearTransform:
    """`A -> w @ A` for a block A and a clear matrix w of at most `height` rows and columns."""
    return LinearTransform(w, cells.slots, batch=cells.width * cells.batch)
