"""Where leaves and conditions of trees lie in slots, and the matrices between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._checks import refusal
from ..._ringjet import LinearTransform
from ._layers import Array
from ._tree_packing import power_of_two
from ._trees import Leaves


@dataclass(frozen=True)
class Part:
    """Leaves that share a ciphertext. Their conditions repeat with `period`."""

    region: int
    period: int
    #: The leaves, and the slot of each one.
    leaves: Array
    places: Array
    #: The entries of these leaves: the slots of the leaf and of the condition, and the sign.
    rows: Array
    columns: Array
    signs: Array
    #: The condition of each entry.
    conditions: Array


def side_by_side(leaves: Leaves, conditions: int, slots: int) -> list[Part]:
    """The parts where all trees share their conditions, which repeat: a part takes as many leaves as there is room
    for."""
    period = power_of_two(conditions)
    if period > slots:
        raise refusal("params", f"{slots} slots", f"at least {conditions}, one for each threshold of the model")
    region = min(slots, power_of_two(max(len(leaves.offset), conditions, leaves.scores)))
    number = np.arange(len(leaves.offset))
    return [
        _part(leaves, region, period, number // region == k, number % region, leaves.condition)
        for k in range(-(-len(number) // region))
    ]


def in_blocks(leaves: Leaves, numbers: int, slots: int) -> list[Part]:
    """The parts where each tree has its conditions for itself, near its leaves: then few diagonals lead from the ones
    to the others. numbers: how many numbers a sample is sent as."""
    own, entry = _own_conditions(leaves)
    sizes = np.maximum(np.bincount(leaves.tree), np.bincount(own[:, 0], minlength=leaves.trees))
    if sizes.max() > slots:
        raise refusal("params", f"{slots} slots", f"at least {sizes.max()}, the leaves of a tree: limit its max_depth")
    region = min(slots, power_of_two(max(int(sizes.sum()), numbers, leaves.scores)))
    part, start = _placed(sizes, region)
    places = start[leaves.tree] + np.arange(len(leaves.tree)) - np.searchsorted(leaves.tree, leaves.tree)
    columns = (start[own[:, 0]] + np.arange(len(own)) - np.searchsorted(own[:, 0], own[:, 0]))[entry]
    return [_part(leaves, region, region, part[leaves.tree] == k, places, columns) for k in range(int(part.max()) + 1)]


def _part(leaves: Leaves, region: int, period: int, mine: Array, places: Array, columns: Array) -> Part:
    kept = mine[leaves.leaf]
    return Part(
        region,
        period,
        np.flatnonzero(mine),
        places[mine],
        places[leaves.leaf[kept]],
        columns[kept],
        leaves.sign[kept],
        leaves.condition[kept],
    )


def _own_conditions(leaves: Leaves) -> tuple[Array, Array]:
    """The pairs of a tree and one of its conditions, and the number of the pair of each entry."""
    pairs = np.stack([leaves.tree[leaves.leaf], leaves.condition], axis=1)
    found, number = np.unique(pairs, axis=0, return_inverse=True)
    return found, number.ravel()


def _placed(sizes: Array, region: int) -> tuple[Array, Array]:
    """The part of each tree, and its first slot there."""
    part, start, k, used = [], [], 0, 0
    for size in sizes.tolist():
        if used + size > region:
            k, used = k + 1, 0
        part.append(k)
        start.append(used)
        used += size
    return np.array(part), np.array(start)


#: The diagonals of a matrix, for slots of one sample.
Diagonals = dict[int, Array]


def to_leaves(part: Part, scale: float) -> Diagonals:
    """The matrix from conditions to the sums of leaves, divided by `scale`."""
    return _diagonals(part.region, part.period, part.rows, part.columns, part.signs / scale)


def to_scores(part: Part, values: Array) -> Diagonals:
    """The matrix that brings score k of each leaf to a slot whose number is k modulo the number of scores, rounded up
    to a power of two."""
    scores, stride = values.shape[1], power_of_two(values.shape[1])
    place, score = np.repeat(part.places, scores), np.tile(np.arange(scores), len(part.places))
    target = (place - (place - score) % stride) % part.region
    return _diagonals(part.region, part.region, target, place, values[part.leaves].ravel())


def to_conditions(part: Part, feature: Array, factor: Array, numbers: int) -> Diagonals:
    """The matrix that brings a feature to the slot of each condition, times a factor. Both are given for all
    conditions; the `numbers` features repeat."""
    place, first = np.unique(part.columns, return_index=True)
    condition = part.conditions[first]
    return _diagonals(part.region, power_of_two(numbers), place, feature[condition], factor[condition])


def spread(part: Part, of_conditions: Array, fill: float) -> Array:
    """A number of each condition, in its slot."""
    made = np.full(part.region, fill)
    made[part.columns] = of_conditions[part.conditions]
    return made


def _diagonals(region: int, period: int, rows: Array, columns: Array, entries: Array) -> Diagonals:
    """A matrix by its diagonals. The vector that it multiplies repeats with the period."""
    shift = (columns - rows) % period
    shift = np.where(shift > period // 2, shift - period, shift) if period == region else shift
    found, number = np.unique(shift, return_inverse=True)
    made = np.zeros((len(found), region))
    np.add.at(made, (number.ravel(), rows), entries)
    return dict(zip(found.tolist(), made, strict=True))


def transform(diagonals: Diagonals, batch: int) -> LinearTransform:
    """The matrix for `batch` samples side by side."""
    slots = len(next(iter(diagonals.values()))) * batch
    return LinearTransform.from_diagonals(slots, {k * batch: np.repeat(d, batch) for k, d in diagonals.items()})
