"""Products of encrypted matrices.

The method is that of Jiang et al. (ePrint 2018/1041), with blocks of the inner dimension. Let a
block have g columns of A and g rows of B, and let X and Y repeat their values:

    X[i][j] = A[i][(i + j) mod g]        Y[i][j] = B[(i + j) mod g][j]

Then `A @ B` is the sum over k < g of X with its columns shifted by k, times Y with its rows shifted
by k. A row shift is a rotation by k rows. A column shift is no rotation, because k columns of a row
come from the next row. Jiang et al. mask two rotations, which takes a third level. Here no masks are
needed, because X repeats with period g: a rotation by k is right in all but the last k columns, and
one by k - g is right in all but the first g - k. If B has at most `width - g + 1` columns, the first
one is right wherever Y is not zero. Otherwise g is at most half the width, and Y is made twice: with
the first `width - g + 1` columns, and with the others. So a product takes two levels.

A product of full blocks of d x d in d * d slots takes `4 d` rotations, all of them hoisted, and `2 d`
products with one relinearisation. In `2 d * d` slots it takes half of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..._ringjet import LinearTransform
from .._cache import cached
from ._cells import NOWHERE, Cells, power_of_two

if TYPE_CHECKING:
    from ..._ringjet import Ciphertext


@dataclass(frozen=True)
class Product:
    """How to multiply a block of A with `inner` columns by a block of B with `columns` columns."""

    cells: Cells
    inner: int
    columns: int

    @property
    def g(self) -> int:
        """The number of columns of A that are multiplied together."""
        g, width = power_of_two(self.inner), self.cells.width
        return g if self.columns <= width - g + 1 else min(g, width // 2)

    @property
    def windows(self) -> list[tuple[int, int]]:
        """The ranges of columns that have their own Y: one, or two."""
        first = min(self.columns, self.cells.width - self.g + 1)
        return [(0, first)] if first == self.columns else [(0, first), (first, self.columns)]

    @property
    def parts(self) -> range:
        """The first column of each part of the inner dimension."""
        return range(0, self.inner, self.g)

    def left(self, a: Ciphertext) -> list[Ciphertext]:
        """The factors that a block of A gives."""
        cells, g, found = self.cells, self.g, []
        shifts = [*range(g), *(range(1 - g, 0) if len(self.windows) == 2 else [])]
        for first in self.parts:
            x = a.matmul(_left(cells, g, first, self.inner))
            x = _repeated(cells, x, g, cells.width // g, a.magnitude)
            found += _turned(cells, x, shifts)
        return found

    def right(self, b: Ciphertext) -> list[Ciphertext]:
        """The factors that a block of B gives, in the order of those of A."""
        cells, g, found = self.cells, self.g, []
        for first in self.parts:
            rows = []
            for window in self.windows:
                y = b.matmul(_right(cells, g, first, self.inner, window))
                y = _repeated(cells, y, g * cells.width, _copies(cells, g), b.magnitude)
                rows.append(_turned(cells, y, [k * cells.width for k in range(g)]))
            if len(rows) == 2:
                rows[0][0] = (rows[0][0] + rows[1].pop(0)).with_magnitude(b.magnitude)
            found += [y for row in rows for y in row]
        return found


def _turned(cells: Cells, x: Ciphertext, steps: list[int]) -> list[Ciphertext]:
    """Rotations of x by numbers of cells, the first of which is none."""
    turns = [cells.turn(k) for k in steps[1:]]
    return [x, *(x.rotations(turns) if turns else [])]


def _repeated(cells: Cells, x: Ciphertext, step: int, times: int, magnitude: float) -> Ciphertext:
    """The values of x, and copies of them `step` cells further on, zero before. `times` is a power
    of two."""
    for t in range(times.bit_length() - 1):
        x = x + x.rotate(cells.turn(-step << t))
    return x.with_magnitude(magnitude) if times > 1 else x


def _copies(cells: Cells, g: int) -> int:
    """How often Y is copied. Two copies are made by the transform: it has as many diagonals with them
    as without."""
    return 1 if cells.height <= 2 * g else cells.height // g


@cached(16)
def _left(cells: Cells, g: int, first: int, inner: int) -> LinearTransform:
    """The first g columns of X, for the columns of A from `first` on."""
    i, j = cells.coordinates()
    column = first + (i + j) % g
    return cells.gather(np.where((j < g) & (column < inner), i * cells.width + column, NOWHERE))


@cached(16)
def _right(cells: Cells, g: int, first: int, inner: int, window: tuple[int, int]) -> LinearTransform:
    """The rows of Y that are not copied, for the rows of B from `first` on."""
    i, j = cells.coordinates()
    row = first + (i + j) % g
    taken = (i < cells.height // _copies(cells, g)) & (row < inner) & (window[0] <= j) & (j < window[1])
    return cells.gather(np.where(taken, row * cells.width + j, NOWHERE))
