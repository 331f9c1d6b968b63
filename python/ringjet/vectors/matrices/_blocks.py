"""Products and transposes of matrices that are grids of blocks."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..._ringjet import sum_of_products
from ._layout import Layout, clear_times, times_clear, transposition
from ._product import Product

if TYPE_CHECKING:
    from ..._ringjet import Ciphertext, LinearTransform

    _Row = Sequence[Ciphertext]
    _Grid = Sequence[_Row]

_Array = npt.NDArray[Any]
_Item = TypeVar("_Item")


def product(layout: Layout, a: _Grid, b: _Grid, inner: int, columns: int) -> _Grid:
    """The product of two encrypted matrices: `a` has `inner` columns, `b` has `columns` columns.

    Every block gives its factors once, and a block of the result takes one relinearisation. The
    factors of the smaller side are kept in memory; those of the other side are made for one row or
    one column of blocks at a time.
    """
    # all blocks of a row of b are treated alike, since the factors of a have to fit all of them
    ways = [Product(layout, layout.block(inner, k), min(columns, layout.height)) for k in range(len(b))]

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


def product_with_clear(layout: Layout, a: _Grid, w: _Array) -> _Grid:
    """`a @ w` for a matrix w in the clear."""
    return turned([_transformed(layout, times_clear, a, parts) for parts in turned(layout.parts(w))])


def product_of_clear(layout: Layout, w: _Array, a: _Grid) -> _Grid:
    """`w @ a` for a matrix w in the clear."""
    across = turned(a)
    return [_transformed(layout, clear_times, across, parts) for parts in layout.parts(w)]


def transposed(layout: Layout, a: _Grid) -> _Grid:
    """The transpose."""
    return turned([[x.matmul(transposition(layout)) for x in row] for row in a])


def turned(grid: Sequence[Sequence[_Item]]) -> list[list[_Item]]:
    """The columns of a grid: the blocks change places, and stay as they are."""
    return [list(column) for column in zip(*grid, strict=True)]


def _transformed(
    layout: Layout, transform: Callable[[Layout, _Array], LinearTransform], lines: _Grid, parts: Sequence[_Array]
) -> list[Ciphertext]:
    """For each line of blocks the sum of their products with the parts of a clear matrix. Parts
    that are zero cost nothing."""
    chosen = [k for k, part in enumerate(parts) if np.any(part)] or [0]
    transforms = [transform(layout, parts[k]) for k in chosen]
    return [_sum(line[k].matmul(t) for k, t in zip(chosen, transforms, strict=True)) for line in lines]


def _sum(terms: Iterable[Ciphertext]) -> Ciphertext:
    return functools.reduce(operator.add, terms)
