"""The layouts of lines: a row, or a column, is in ciphertexts of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ...progress import bar
from .._sums import weighted_sums
from ._cells import power_of_two
from ._layout import Array, Bits, Grid, Layout, Progress, Shape, bounded, other_layout, summed, turned

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..._ringjet import Ciphertext

    #: The ciphertexts of a row or of a column, in order.
    _Line = Sequence[Ciphertext]


@dataclass(frozen=True)
class Lines(Layout):
    """Rows or columns: lines. Each begins a ciphertext, and a line that is longer than its slots takes several.

    Sums of lines with weights in the clear take one level and no keys, whatever their number. Whatever
    moves elements within a line takes rotations.
    """

    @classmethod
    def of(cls, slots: int, shape: Shape) -> Self:
        if len(shape) == 3:
            raise refusal(
                "shape", shape, f'(rows, columns) for layout "{cls.name}"; layout "blocks" takes several matrices'
            )
        return cls(slots)

    def packed(self, matrices: Array, fill: float = 0) -> Array:
        return np.pad(matrices.ravel(), (0, self.slots - matrices.size), constant_values=fill)

    def unpacked(self, values: Array, shape: Shape) -> Array:
        return values[: shape[-2] * shape[-1]].reshape(shape)

    @abstractmethod
    def lines(self, grid: Grid[Any]) -> Grid[Any]:
        """The lines of a grid, and its own reverse: the grid of lines."""

    def product(self, a: Grid[Ciphertext], b: Grid[Ciphertext], inner: int, columns: int) -> Grid[Ciphertext]:
        found = f"{self.name} for encrypted A @ B"
        raise refusal("layout", found, f'"blocks" for both matrices: {other_layout("A", "blocks")}')

    def transposed(self, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        return turned(a)

    def weighted_sums(
        self, a: Grid[Ciphertext], w: npt.ArrayLike, bias: npt.ArrayLike | None, bits: Bits, progress: Progress
    ) -> Grid[Ciphertext]:
        if np.iscomplexobj(w):
            expected = "real numbers; W.real @ A + (W.imag @ A).map(lambda x: x.times_i()) is W @ A"
            raise refusal("weights", "complex numbers", expected)
        groups = turned(self.lines(a))
        shares = zip(groups, _shares(progress, len(groups)), strict=True)
        made = [weighted_sums(x, w, bias=bias, bits=bits, progress=part) for x, part in shares]
        return self.lines(turned(made))

    def line_products(self, a: Grid[Ciphertext], v: Array) -> Grid[Ciphertext]:
        """The sum of every line's elements times those of v: lines of one element."""
        factors = [self.packed(v[k : k + self.slots]) for k in range(0, v.size, self.slots)]
        # real and imaginary parts add two products each
        parts = 2 if v.dtype.kind == "c" else 1

        def of(line: _Line) -> list[Ciphertext]:
            made = summed(x * y for x, y in zip(line, factors, strict=True))
            made = _first(made, power_of_two(min(v.size, self.slots)))
            return [bounded(made, line, parts * float(np.sum(np.abs(v))))]

        return self.lines([of(line) for line in self.lines(a)])

    def line_sums(self, a: Grid[Ciphertext], size: int) -> Grid[Ciphertext]:
        """The sum of the `size` elements of every line: lines of one element."""
        full, rest = divmod(size, self.slots)

        def of(line: _Line) -> list[Ciphertext]:
            sums = [_first(summed(line[:full]), self.slots)] if full else []
            sums += [_first(line[full], rest)] if rest else []
            return [bounded(summed(sums), line, size)]

        return self.lines([of(line) for line in self.lines(a)])

    def sum_of_lines(self, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        """The sum of all lines, a single one."""
        return self.lines([[summed(group) for group in turned(self.lines(a))]])


class Rows(Lines):
    """A ciphertext holds a row, or a part of a row that is longer than its slots."""

    name, code, transposed_name, product_name = "rows", 1, "columns", "rows"

    @property
    def part(self) -> tuple[int, int]:
        return 1, self.slots

    def place(self, row: int, column: int) -> tuple[int, int, int]:
        return row, column // self.slots, column % self.slots

    def lines(self, grid: Grid[Any]) -> Grid[Any]:
        return grid

    def operands(self, array: Array, shape: Shape, neutral: int) -> Grid[Any]:
        if array.ndim == 2 and array.shape[1] == 1 < shape[1]:
            # a number for each row is added to all its slots, or multiplies them
            _, across = self.grid(shape)
            return [[number] * across for number in np.broadcast_to(array, (shape[0], 1))[:, 0]]
        return super().operands(array, shape, neutral)

    def spread(self, a: Grid[Any], shape: Shape, onto: Shape) -> Grid[Any] | None:
        return [*a] * onto[0] if (1, *onto[1:]) == shape else super().spread(a, shape, onto)

    def clear_times(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        return self.weighted_sums(a, w, None, 24, None)

    def times_clear(self, a: Grid[Ciphertext], w: Array) -> Grid[Ciphertext]:
        if w.shape[1] > 1:
            raise refusal("layout", "rows for A @ W", f'"columns": {other_layout("A", "columns")}')
        return self.line_products(a, w[:, 0])

    def sum_of_rows(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        return self.sum_of_lines(a)

    def sum_of_columns(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        return self.line_sums(a, shape[1])


class Columns(Lines):
    """A ciphertext holds a column, or a part of a column that is longer than its slots."""

    name, code, transposed_name, product_name = "columns", 2, "rows", "columns"

    @property
    def part(self) -> tuple[int, int]:
        return self.slots, 1

    def lines(self, grid: Grid[Any]) -> Grid[Any]:
        return turned(grid)

    def operands(self, array: Array, shape: Shape, neutral: int) -> Grid[Any]:
        return turned(Rows(self.slots).operands(np.atleast_2d(array).T, shape[::-1], neutral))

    def spread(self, a: Grid[Any], shape: Shape, onto: Shape) -> Grid[Any] | None:
        made = Rows(self.slots).spread(turned(a), shape[::-1], onto[::-1])
        return None if made is None else turned(made)

    def clear_times(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        if w.shape[0] > 1:
            raise refusal("layout", "columns for W @ A", f'"rows": {other_layout("A", "rows")}')
        return self.line_products(a, w[0])

    def times_clear(self, a: Grid[Ciphertext], w: Array) -> Grid[Ciphertext]:
        return self.weighted_sums(a, w.T, None, 24, None)

    def sum_of_rows(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        return self.line_sums(a, shape[0])

    def sum_of_columns(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        return self.sum_of_lines(a)


def _first(x: Ciphertext, n: int) -> Ciphertext:
    """The sum of the first n slots, in the first slot."""
    return x.inner_sum(1, n) if n <= x.slots // x.params.rows else x.sum(n)


def _shares(progress: Progress, count: int) -> list[Progress]:
    """What each of `count` equal parts of some work tells of its progress."""
    if count == 1 or not (progress is True or callable(progress)):
        return [progress] * count
    told = bar("weighted sums") if progress is True else progress

    def share(k: int) -> Progress:
        return lambda done, total: told(k * total + done, count * total)

    return [share(k) for k in range(count)]
