"""The layout of short rows: several of them in each ciphertext."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..._checks import refusal
from ._cells import power_of_two
from ._layout import Array, Grid, Layout, Shape, bounded, other_layout, summed

if TYPE_CHECKING:
    from ..._ringjet import Ciphertext


@dataclass(frozen=True)
class Stacked(Layout):
    """A ciphertext holds as many rows as fit, one after the other, each in `width` slots.

    A weighted sum of all rows is one of the ciphertexts, with one weight for each row's slots. It leaves a
    partial sum in the place of each row, and their sum is the result: by rotations on the server, or after
    decryption.
    """

    name, code, transposed_name, product_name = "stacked", 3, "stacked", "rows"

    #: The number of slots of a row, a power of two.
    width: int

    @classmethod
    def of(cls, slots: int, shape: Shape) -> Stacked:
        width = power_of_two(shape[-1])
        if len(shape) == 3 or width > slots:
            other = "blocks" if len(shape) == 3 else "rows"
            raise refusal(
                "shape", shape, f'one matrix with rows of at most {slots} elements; layout "{other}" takes it'
            )
        return cls(slots, width)

    @property
    def part(self) -> tuple[int, int]:
        return self.slots // self.width, self.width

    def packed(self, matrices: Array, fill: float = 0) -> Array:
        cells = np.full(self.part, fill, matrices.dtype)
        cells[: matrices.shape[1], : matrices.shape[2]] = matrices[0]
        return cells.ravel()

    def unpacked(self, values: Array, shape: Shape) -> Array:
        return values.reshape(1, *self.part)[:, : shape[1], : shape[2]]

    def place(self, row: int, column: int) -> tuple[int, int, int]:
        height, width = self.part
        return row // height, 0, row % height * width + column

    def partial_sums(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        height, width = self.part
        padded = np.pad(w, ((0, 0), (0, len(a) * height - w.shape[1])))

        def row(weights: Array) -> list[Ciphertext]:
            parts = weights.reshape(len(a), height)
            used = [k for k, part in enumerate(parts) if np.any(part)] or [0]
            return [summed(a[k][0] * np.repeat(parts[k], width) for k in used)]

        return [row(weights) for weights in padded]

    def clear_times(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        made = self.partial_sums(w, a)
        # a part of a product of complex numbers is a sum of two products of parts
        sums = zip(made, np.sum(np.abs(w.real) + np.abs(w.imag), axis=1), strict=True)
        return [[bounded(self._folded(x), [y for row in a for y in row], size)] for [x], size in sums]

    def _folded(self, x: Ciphertext) -> Ciphertext:
        """The sum of the places of all rows, in each place."""
        halves = x.params.rows
        across = self.part[0] // halves
        x = x.inner_sum(self.width, across) if across > 1 else x
        return x + x.swap_rows() if halves == 2 and self.part[0] > 1 else x

    def times_clear(self, a: Grid[Ciphertext], w: Array) -> Grid[Ciphertext]:
        raise refusal("layout", "stacked for A @ W", f'"columns": {other_layout("A", "columns")}')

    def sum_of_columns(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        raise refusal("layout", "stacked for sums of columns", f'"columns": {other_layout("A", "columns")}')

    def product(self, a: Grid[Ciphertext], b: Grid[Ciphertext], inner: int, columns: int) -> Grid[Ciphertext]:
        raise refusal(
            "layout", "stacked for encrypted A @ B", f'"blocks" for both matrices: {other_layout("A", "blocks")}'
        )

    def transposed(self, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        raise refusal("layout", "stacked for A.T", f'"blocks" or "rows": {other_layout("A", "rows")}')
