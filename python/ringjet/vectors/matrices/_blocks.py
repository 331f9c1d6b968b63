"""The layout of square blocks: for products of encrypted matrices, and the fewest ciphertexts."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..._checks import refusal
from ..._ringjet import sum_of_products
from ._cells import Cells, clear_times, power_of_two, times_clear, transposition
from ._layout import Array, Grid, Layout, Shape, turned
from ._product import Product

if TYPE_CHECKING:
    from ..._ringjet import Ciphertext, LinearTransform

    _Row = Sequence[Ciphertext]


@dataclass(frozen=True)
class Blocks(Layout):
    """A ciphertext holds a square block of a matrix, or the same block of several matrices of one shape."""

    name, code, transposed_name, product_name = "blocks", 0, "blocks", "blocks"

    #: The number of matrices in one ciphertext.
    batch: int

    @classmethod
    def of(cls, slots: int, shape: Shape) -> Blocks:
        batch = power_of_two(shape[0]) if len(shape) == 3 else 1
        if batch > slots:
            raise refusal("shape", shape, f"at most {slots} matrices, one for each slot of a ciphertext")
        return cls(slots, batch)

    @property
    def cells(self) -> Cells:
        """Where the elements of a block are."""
        return Cells(self.slots, self.batch)

    @property
    def part(self) -> tuple[int, int]:
        return self.cells.height, self.cells.height

    def place(self, row: int, column: int) -> tuple[int, int, int]:
        height = self.cells.height
        slot = (row % height * self.cells.width + column % height) * self.batch
        return row // height, column // height, slot

    def packed(self, matrices: Array, fill: float = 0) -> Array:
        number, rows, columns = matrices.shape
        cells = np.full((self.cells.height, self.cells.width, self.batch), fill, matrices.dtype)
        cells[:rows, :columns, :number] = np.moveaxis(matrices, 0, -1)
        return cells.ravel()

    def unpacked(self, values: Array, shape: Shape) -> Array:
        number, rows, columns = shape
        cells = values.reshape(self.cells.height, self.cells.width, self.batch)
        return np.moveaxis(cells[:rows, :columns, :number], -1, 0)

    def transposed(self, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        return turned([[x.matmul(transposition(self.cells)) for x in row] for row in a])

    def product(self, a: Grid[Ciphertext], b: Grid[Ciphertext], inner: int, columns: int) -> Grid[Ciphertext]:
        """The product of two encrypted matrices: `a` has `inner` columns, `b` has `columns` columns.

        Every block gives its factors once, and a block of the result takes one relinearisation. The
        factors of the smaller side are kept in memory; those of the other side are made for one row or
        one column of blocks at a time.
        """
        height = self.cells.height
        # all blocks of a row of b are treated alike, since the factors of a have to fit all of them
        inners = [min(inner - k * height, height) for k in range(len(b))]
        ways = [Product(self.cells, size, min(columns, height)) for size in inners]

        def left(row: _Row) -> _Row:
            return [factor for way, x in zip(ways, row, strict=True) for factor in way.left(x)]

        def right(column: _Row) -> _Row:
            return [factor for way, y in zip(ways, column, strict=True) for factor in way.right(y)]

        def block(row: _Row, xs: _Row, column: _Row, ys: _Row) -> Ciphertext:
            made = sum_of_products(xs, ys)
            # real and imaginary parts add two products each
            parts = 1 if all(z.is_real for z in (*row, *column)) else 2
            most = sum(w.inner * x.magnitude * y.magnitude for w, x, y in zip(ways, row, column, strict=True))
            return made.with_magnitude(min(made.magnitude, parts * most))

        across, found = turned(b), []
        if len(a) <= len(across):
            kept = [(row, left(row)) for row in a]
            for column in across:
                ys = right(column)
                found.append([block(row, xs, column, ys) for row, xs in kept])
            return turned(found)
        kept = [(column, right(column)) for column in across]
        for row in a:
            xs = left(row)
            found.append([block(row, xs, column, ys) for column, ys in kept])
        return found

    def times_clear(self, a: Grid[Ciphertext], w: Array) -> Grid[Ciphertext]:
        return turned([_transformed(self.cells, times_clear, a, parts) for parts in turned(self.parts(w))])

    def clear_times(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        across = turned(a)
        return [_transformed(self.cells, clear_times, across, parts) for parts in self.parts(w)]


def _transformed(
    cells: Cells, transform: Callable[[Cells, Array], LinearTransform], lines: Grid[Ciphertext], parts: Sequence[Array]
) -> list[Ciphertext]:
    """For each line of blocks the sum of their products with the parts of a clear matrix. Parts
    that are zero cost nothing."""
    chosen = [k for k, part in enumerate(parts) if np.any(part)] or [0]
    transforms = [transform(cells, parts[k]) for k in chosen]
    return [_sum(line[k].matmul(t) for k, t in zip(chosen, transforms, strict=True)) for line in lines]


def _sum(terms: Iterable[Ciphertext]) -> Ciphertext:
    return functools.reduce(operator.add, terms)
