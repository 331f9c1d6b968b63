"""Tables of integers of 4 and 8 bits: any function of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _ringjet
from .._ringjet import Ciphertext
from ._digits import HIGHEST, LOWEST, RADIX, Digit, coded, expect_depth, looked_up


def results(digits: Sequence[Digit], tables: Sequence[npt.NDArray[Any]], op: str) -> list[list[Digit]]:
    """The digits of the results of each table. A table has for each integer the digits of its result, the
    lowest first: its shape is (16, digits), or for two digits (16 * rows, digits), where the high one is below
    `rows`."""
    columns = [coded(table[:, i], RADIX) for table in tables for i in range(table.shape[1])]
    made = iter(_one(digits[0], columns, op) if len(digits) == 1 else _two(digits[0], digits[1], columns, op))
    return [[Digit(next(made).with_range(LOWEST, HIGHEST)) for _ in range(table.shape[1])] for table in tables]


def _one(digit: Digit, columns: Sequence[npt.NDArray[np.float64]], op: str) -> list[Ciphertext]:
    return looked_up([digit], [columns], op)[0]


def _two(low: Digit, high: Digit, columns: Sequence[npt.NDArray[np.float64]], op: str) -> list[Ciphertext]:
    """For each value of the high digit a table of the low one; the table of the right value is the one whose
    selector is 1. The last table is subtracted from the others, so that 15 products are left of 16."""
    grids = [column.reshape(-1, RADIX) for column in columns]
    rows = len(grids[0])
    expect_depth(low.ciphertext, (2 * RADIX - 1).bit_length() + 1, op)
    selectors = list(np.eye(RADIX)[: rows - 1])
    tables = [table for own in grids for table in [*(own[:-1] - own[-1]), own[-1]]]
    found, chosen = looked_up([low, high], [tables, selectors], op)
    made = []
    for i in range(len(grids)):
        own = found[i * rows : (i + 1) * rows]
        made.append(_ringjet.sum_of_products(own[:-1], chosen) + own[-1])
    return made
