"""All layouts, by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ._batch import Batch, BatchColumns
from ._blocks import Blocks
from ._cells import power_of_two
from ._layout import Layout, Shape
from ._lines import Columns, Rows
from ._stacked import Stacked

LAYOUTS: dict[str, type[Layout]] = {kind.name: kind for kind in (Blocks, Rows, Columns, Stacked, Batch, BatchColumns)}

#: The largest number of ciphertexts of a matrix that is encrypted, planned or simulated.
_MOST_CIPHERTEXTS = 1 << 16


def expect_layout(name: str, slots: int, shape: Shape) -> Layout:
    """The layout with this name, of matrices of this shape in ciphertexts of `slots` slots."""
    if not isinstance(name, str) or name not in LAYOUTS:
        raise refusal("layout", repr(name), " or ".join(f'"{known}"' for known in LAYOUTS))
    return LAYOUTS[name].of(slots, shape)


def expect_few(layout: Layout, shape: Shape) -> Layout:
    """The layout, if a matrix of this shape is one of at most `_MOST_CIPHERTEXTS` ciphertexts: more are
    refused before there is one object for each."""
    rows, columns = layout.grid(shape)
    if rows * columns > _MOST_CIPHERTEXTS:
        found = f"with {layout.slots} slots this one takes {rows} x {columns}"
        raise refusal("shape", shape, f"a matrix of at most {_MOST_CIPHERTEXTS} ciphertexts; {found}")
    return layout


def expect_few_of(matrix: npt.ArrayLike, slots: int, name: str = "blocks") -> None:
    """Refuses a matrix of more ciphertexts before its elements are converted: a broadcast array takes
    no memory until then."""
    shape = np.shape(matrix)
    if len(shape) in (2, 3) and min(shape) and slots == power_of_two(slots):
        expect_few(expect_layout(name, slots, shape), shape)
