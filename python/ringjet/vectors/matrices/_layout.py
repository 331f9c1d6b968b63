"""What every layout of a matrix can do."""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from ..._checks import refusal

if TYPE_CHECKING:
    from typing_extensions import Self

    from ..._ringjet import Ciphertext, Parameters

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
Item = TypeVar("Item")
#: One item for each ciphertext, in rows, as their parts lie in the matrix.
Grid = Sequence[Sequence[Item]]

#: The number of bits of integers, as `weighted_sums` takes it.
Bits = int | Literal["exact"]
#: What is told of progress, as `weighted_sums` takes it.
Progress = bool | Callable[[int, int], Any] | None


@dataclass(frozen=True)
class Layout(ABC):
    """How a matrix, or several of one shape, lies in ciphertexts of `slots` slots. Each ciphertext holds a
    part of the matrix, of at most `part` rows and columns.

    A layout also has the operations that depend on it. They take and return grids of ciphertexts. An
    operation that a layout does not have raises an `ArgumentError` that names a layout that has it.
    """

    #: Its name.
    name: ClassVar[str]
    #: Its number in bytes.
    code: ClassVar[int]
    #: The name of the layout of a transpose.
    transposed_name: ClassVar[str]
    #: The name of the layout of `w @ a` for a matrix w in the clear.
    product_name: ClassVar[str]
    #: Whether slots are complex even where elements are real.
    complex_slots: ClassVar[bool] = False

    slots: int

    @classmethod
    @abstractmethod
    def of(cls, slots: int, shape: Shape) -> Self:
        """The layout for matrices of this shape in ciphertexts of `slots` slots."""

    @property
    @abstractmethod
    def part(self) -> tuple[int, int]:
        """The largest number of rows and of columns in one ciphertext."""

    @property
    def slot_bound(self) -> float:
        """How many times larger than elements slots can be."""
        return 1

    def stated(self, magnitude: Any, complex: bool) -> tuple[Any, bool]:
        """The bounds on slots for these bounds on elements, and whether slots are complex."""
        return magnitude, complex

    @abstractmethod
    def packed(self, matrices: Array, fill: float) -> Array:
        """The slots of a part, given as an array of matrices, and `fill` in all others."""

    @abstractmethod
    def unpacked(self, values: Array, shape: Shape) -> Array:
        """The array of matrices of this shape with these slots; the reverse of `packed`."""

    def place(self, row: int, column: int) -> tuple[int, int, int]:
        """The place of an element of a matrix: row and column of its ciphertext in the grid, and its slot. Only
        layouts in which the elements of a row follow each other in the slots have it."""
        raise refusal("layout", self.name, 'a layout that to_layout knows: "blocks", "rows" or "columns"')

    def grid(self, shape: Shape) -> tuple[int, int]:
        """How many ciphertexts a matrix takes: their rows and columns."""
        height, width = self.part
        return -(-shape[-2] // height), -(-shape[-1] // width)

    def parts(self, array: Array) -> list[list[Array]]:
        """The part of an array that each ciphertext holds. Its last two axes are rows and columns."""
        height, width = self.part
        down, right = range(0, array.shape[-2], height), range(0, array.shape[-1], width)
        return [[array[..., i : i + height, j : j + width] for j in right] for i in down]

    def split(self, array: Array, fill: float = 0) -> list[list[Array]]:
        """The slots of every ciphertext of a matrix or of an array of matrices, `fill` in all others."""
        matrices = array if array.ndim == 3 else array[None]
        return [[self.packed(part, fill) for part in row] for row in self.parts(matrices)]

    def joined(self, values: Grid[Array], shape: Shape) -> Array:
        """The matrix, or array of matrices, with these slots; the reverse of `split`."""
        number, (height, width) = (shape[0] if len(shape) == 3 else 1), self.part

        def part(i: int, j: int) -> Array:
            rows, columns = min(shape[-2] - i * height, height), min(shape[-1] - j * width, width)
            return self.unpacked(values[i][j], (number, rows, columns))

        rows, columns = self.grid(shape)
        return np.block([[part(i, j) for j in range(columns)] for i in range(rows)]).reshape(shape)

    def in_rows(self, items: Sequence[Item], shape: Shape) -> list[list[Item]]:
        """The grid of items that are given one after the other."""
        _, right = self.grid(shape)
        return [list(items[k : k + right]) for k in range(0, len(items), right)]

    def operands(self, array: Array, shape: Shape, neutral: int) -> Grid[Any]:
        """What each ciphertext of a matrix of this shape is combined with, for an array that numpy broadcasts
        to it: `neutral` in slots without an element."""
        return self.split(np.broadcast_to(array, shape), neutral)

    def spread(self, a: Grid[Item], shape: Shape, onto: Shape) -> Grid[Item] | None:
        """The grid of a matrix that is repeated as numpy broadcasts arrays; None where ciphertexts would change."""
        return a if shape == onto else None

    def expect_elementwise(self, what: str) -> None:  # noqa: B027 - most layouts allow it
        """Refuses operations on every element, where a slot is no element."""

    def multiplies(self, other: Layout) -> bool:
        """Whether there are products with matrices in this layout."""
        return self == other

    @property
    def encrypted_name(self) -> str:
        """The name of the layout of products of encrypted matrices."""
        return self.name

    def product_with(
        self, a: Grid[Ciphertext], b: Grid[Ciphertext], other: Layout, inner: int, columns: int
    ) -> Grid[Ciphertext]:
        """`product`, where b is in the layout `other`."""
        return self.product(a, b, inner, columns)

    def expect_params(self, params: Parameters) -> None:  # noqa: B027 - most layouts are for all parameters
        """Refuses parameters with which the layout does not work."""

    def expect_elements(self, array: Array, magnitude: Any) -> None:  # noqa: B027 - slots show most elements
        """Refuses elements outside stated bounds, where slots do not show them."""

    @abstractmethod
    def transposed(self, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        """The transpose, in the layout `transposed_name`."""

    @abstractmethod
    def product(self, a: Grid[Ciphertext], b: Grid[Ciphertext], inner: int, columns: int) -> Grid[Ciphertext]:
        """The product of two encrypted matrices: a has `inner` columns, b has `columns` columns."""

    @abstractmethod
    def times_clear(self, a: Grid[Ciphertext], w: Array) -> Grid[Ciphertext]:
        """`a @ w` for a matrix w in the clear."""

    @abstractmethod
    def clear_times(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        """`w @ a` for a matrix w in the clear."""

    def sum_of_rows(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        """The sum of all rows, a matrix of one row."""
        return self.clear_times(np.ones((1, shape[-2]), int), a)

    def sum_of_columns(self, a: Grid[Ciphertext], shape: Shape) -> Grid[Ciphertext]:
        """The sum of all columns, a matrix of one column."""
        return self.times_clear(a, np.ones((shape[-1], 1), int))

    def weighted_sums(
        self, a: Grid[Ciphertext], w: npt.ArrayLike, bias: npt.ArrayLike | None, bits: Bits, progress: Progress
    ) -> Grid[Ciphertext]:
        """The grid whose lines are the weighted sums of the lines of `a`."""
        raise refusal("layout", self.name, f'"rows" or "columns": {other_layout("A", "rows")}')

    def partial_sums(self, w: Array, a: Grid[Ciphertext]) -> Grid[Ciphertext]:
        """For each row of w a ciphertext whose parts add up to that row of `w @ a`."""
        raise refusal("layout", self.name, f'"stacked": {other_layout("A", "stacked")}')


def other_layout(matrix: str, name: str) -> str:
    """How to have a matrix in another layout, in words."""
    return f'rj.encrypt_matrix(client, {matrix}, layout="{name}"), or {matrix}.to_layout("{name}") on the server'


def summed(terms: Iterable[Ciphertext]) -> Ciphertext:
    """The sum of ciphertexts, of which there is one at least."""
    return functools.reduce(operator.add, terms)


def bounded(made: Ciphertext, operands: Iterable[Ciphertext], factor: float) -> Ciphertext:
    """`made`, which is at most `factor` times as large as the values of the operands."""
    if made.params.t is not None:
        return made
    bound = factor * max(x.magnitude for x in operands)
    return made.with_magnitude(bound) if bound < made.magnitude else made


def turned(grid: Grid[Item]) -> list[list[Item]]:
    """The columns of a grid: the items change places, and stay as they are."""
    return [list(column) for column in zip(*grid, strict=True)]


def expect_shape(shape: Sequence[int]) -> Shape:
    """The shape of a matrix, or of an array of matrices."""
    found = tuple(int(n) for n in shape)
    if len(found) not in (2, 3) or min(found) < 1:
        raise refusal("shape", found, "(rows, columns) or (number, rows, columns), at least 1 each")
    return found
