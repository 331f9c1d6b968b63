"""From one layout to another, on a server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._layout import Array, Grid, Layout, Shape

if TYPE_CHECKING:
    from ..._ringjet import Ciphertext

#: Row and column of a ciphertext in a grid.
_Place = tuple[int, int]


@dataclass(frozen=True)
class _Segment:
    """A part of a row of a matrix that is in consecutive slots of one ciphertext, before and after."""

    source: _Place
    target: _Place
    #: The rotation to the left that moves it.
    step: int
    #: The first slot after the move, and the number of elements.
    start: int
    count: int


def moved(a: Grid[Ciphertext], shape: Shape, source: Layout, target: Layout) -> Grid[Ciphertext]:
    """The ciphertexts of a matrix in the layout `target`, given those in the layout `source`. In both the
    elements of a row follow each other.

    Each part of a row is rotated into its place. Where a ciphertext gets parts by several rotations,
    masks of ones and zeros multiply them, which takes one level."""
    sources: dict[_Place, dict[int, dict[_Place, list[_Segment]]]] = defaultdict(lambda: defaultdict(dict))
    ways: dict[_Place, set[tuple[_Place, int]]] = defaultdict(set)
    for segment in _segments(shape, source, target):
        sources[segment.source][segment.step].setdefault(segment.target, []).append(segment)
        ways[segment.target].add((segment.source, segment.step))
    found: dict[_Place, Ciphertext] = {}
    for (i, j), steps in sources.items():
        for (step, parts), x in zip(steps.items(), _rotated(a[i][j], list(steps)), strict=True):
            for place, segments in parts.items():
                part = x if len(ways[place]) == 1 else x * _mask(target.slots, segments)
                found[place] = found[place] + part if place in found else part
    # a mask leaves one part in each slot
    bound = max(x.magnitude for row in a for x in row)
    rows, columns = target.grid(shape)
    made = [[found[i, j] for j in range(columns)] for i in range(rows)]
    return [[x.with_magnitude(bound) if x.magnitude > bound else x for x in row] for row in made]


def _segments(shape: Shape, source: Layout, target: Layout) -> Iterator[_Segment]:
    width = min(source.part[1], target.part[1])
    for i in range(shape[0]):
        for j in range(0, shape[1], width):
            row, column, first = source.place(i, j)
            down, right, start = target.place(i, j)
            step, count = (first - start) % source.slots, min(width, shape[1] - j)
            yield _Segment((row, column), (down, right), step, start, count)


def _rotated(x: Ciphertext, steps: list[int]) -> list[Ciphertext]:
    """The rotations of x. They share its decomposition."""
    turns = [step for step in steps if step]
    made = iter(x.rotations(turns) if turns else [])
    return [next(made) if step else x for step in steps]


def _mask(slots: int, segments: list[_Segment]) -> Array:
    mask = np.zeros(slots)
    for segment in segments:
        mask[segment.start : segment.start + segment.count] = 1
    return mask
