"""Ensembles of trees as arrays: conditions on features, and leaves that are boxes of conditions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._checks import refusal
from ...errors import MalformedError
from ._layers import Array, Head

#: Scores of classes that differ by less than this part of their bound are taken to be equal: then the class wins that
#: the model prefers. Noise of ciphertexts is smaller.
TIE = 2.0**-12

#: Elements of the largest array that a prediction makes.
_ELEMENTS = 1 << 24


@dataclass(frozen=True)
class Tree:
    """The nodes of a tree, the root first. Left are the samples for which the condition of a node holds."""

    #: The nodes below each one, or -1 for leaves.
    left: Array
    right: Array
    #: The feature and the threshold that each node compares.
    feature: Array
    threshold: Array
    #: What each leaf adds to the scores: (nodes, scores).
    values: Array


@dataclass(frozen=True)
class Scaling:
    """One operation on each feature, rounded as the transformer rounds it: "subtract", "divide", "multiply" or
    "add" in numpy."""

    operation: str
    numbers: Array


@dataclass(frozen=True)
class Forest:
    """What was read of a fitted model: its scores are `base` and the values of a leaf of every tree."""

    trees: list[Tree]
    base: Array
    features: int
    head: Head
    #: Whether the model rounds features to 32 bits.
    rounds: bool = False
    #: Whether a sample goes left only if its feature is below the threshold, not if they are equal.
    is_strict: bool = False
    #: Whether a single score of 0 is the second class.
    prefers_second: bool = False
    #: The names of features, where boosters or files keep them.
    names: list[str] | None = None


@dataclass(frozen=True)
class Leaves:
    """The leaves of all trees. Each is a box: on every feature that its path compares it has one or two conditions.

    The sum of a leaf's conditions with their signs, and its offset, is 0 for samples in the box. Otherwise it is minus
    the number of features that lie outside.
    """

    #: The conditions of leaves: the number of the leaf, of the condition, and the sign.
    leaf: Array
    condition: Array
    sign: Array
    #: Of each leaf: what is added to the sum of its conditions, its tree, and what it adds to the scores (leaves, scores).
    offset: Array
    tree: Array
    values: Array
    #: The largest number of features of a leaf.
    degree: int

    @property
    def scores(self) -> int:
        """The number of scores."""
        return int(self.values.shape[1])

    @property
    def trees(self) -> int:
        """The number of trees."""
        return int(self.tree.max()) + 1

    def sums(self, holds: Array) -> Array:
        """The sum of each leaf, a row each sample. holds: of each condition 1 or 0, or a number between them."""
        starts = np.searchsorted(self.leaf, np.arange(len(self.offset)))
        return np.asarray(np.add.reduceat(holds[:, self.condition] * self.sign, starts, axis=1)) + self.offset


@dataclass(frozen=True)
class Ensemble:
    """Trees as a server computes them: conditions, each that a feature is at most a threshold, and leaves."""

    features: int
    #: The conditions, by feature and then by threshold, in the units of samples.
    feature: Array
    threshold: Array
    leaves: Leaves
    base: Array
    head: Head

    def __call__(self, x: Array) -> Array:
        """The scores of samples, one a row."""
        made = np.empty((len(x), len(self.base)))
        step = max(1, _ELEMENTS // len(self.leaves.leaf))
        for k in range(0, len(x), step):
            holds = (x[k : k + step, self.feature] <= self.threshold).astype(np.int64)
            made[k : k + step] = (self.leaves.sums(holds) == 0) @ self.leaves.values
        return made + self.base

    @functools.cached_property
    def bound(self) -> Array:
        """A bound on the size of scores without `base`: one for each of several values, which may differ much; a single
        number for the scores of classes, which are compared with each other."""
        most = np.zeros((self.leaves.trees, len(self.base)))
        np.maximum.at(most, self.leaves.tree, np.abs(self.leaves.values))
        bounds = most.sum(axis=0)
        bounds = bounds if self.head.is_value else bounds.max()
        return np.asarray(np.where(bounds > 0, bounds, 1.0))


def ensemble(forest: Forest, scalings: Sequence[Scaling] = ()) -> Ensemble:
    """The trees, whose features are scaled like this before, with conditions on the features themselves."""
    _checked(forest)
    split = [np.flatnonzero(tree.left >= 0) for tree in forest.trees]
    feature = np.concatenate([tree.feature[k] for tree, k in zip(forest.trees, split, strict=True)]).astype(int)
    threshold = np.concatenate([tree.threshold[k] for tree, k in zip(forest.trees, split, strict=True)]).astype(float)
    if not len(feature):
        raise refusal("model", "trees without a node that compares", "a model whose result depends on a feature")
    if feature.min() < 0 or feature.max() >= forest.features or np.isnan(threshold).any():
        raise refusal("model", "a tree", f"nodes that compare one of {forest.features} features with a number")
    pairs = np.stack([feature, _on_samples(feature, threshold, forest, scalings)], axis=1)
    conditions, number = np.unique(pairs, axis=0, return_inverse=True)
    condition = np.split(number.ravel(), np.cumsum([len(k) for k in split])[:-1])
    return _boxes(forest, split, condition, conditions[:, 0].astype(int), conditions[:, 1])


def _checked(forest: Forest) -> None:
    """Refuses a damaged forest: each node but the root must be below at most one other, so that paths end."""
    if not forest.trees:
        raise MalformedError("a model without trees")
    if not np.all(np.isfinite(forest.base)):
        raise MalformedError("a model with a start of scores that is not finite")
    for number, tree in enumerate(forest.trees):
        lengths = {len(array) for array in (tree.left, tree.right, tree.feature, tree.threshold, tree.values)}
        if lengths != {len(tree.left)} or not len(tree.left):
            raise MalformedError(f"tree {number}: arrays of {sorted(lengths)} nodes")
        if any(array.dtype.kind not in "iu" or array.ndim != 1 for array in (tree.left, tree.right, tree.feature)):
            raise MalformedError(f"tree {number}: nodes or features whose numbers are not whole")
        if tree.threshold.dtype.kind not in "iuf":
            raise MalformedError(f"tree {number}: thresholds that are no numbers")
        children = np.stack([tree.left, tree.right])
        is_leaf = children == -1
        below = children[~is_leaf]
        if np.any(is_leaf[0] != is_leaf[1]) or np.any((below < 1) | (below >= len(tree.left))):
            raise MalformedError(f"tree {number}: children that are no nodes below the root")
        if len(np.unique(below)) < len(below):
            raise MalformedError(f"tree {number}: a node below two others")
        if not np.all(np.isfinite(tree.values[is_leaf[0]])):
            raise MalformedError(f"tree {number}: a leaf whose value is not finite")


def _boxes(
    forest: Forest, split: Sequence[Array], condition: Sequence[Array], feature: Array, threshold: Array
) -> Ensemble:
    """The leaves of all trees. condition: of each node that compares, in the order of `split`."""
    entries: list[tuple[int, int, int]] = []
    offset: list[int] = []
    owner: list[int] = []
    values: list[Array] = []
    base, degree = np.array(forest.base, float), 0
    for i, tree in enumerate(forest.trees):
        node_condition = np.full(len(tree.left), -1)
        node_condition[split[i]] = condition[i]
        reached = list(_leaves(tree, node_condition, feature, threshold))
        # a sample is in one leaf of the tree: what one of them adds is taken from the others, and needs no box
        without = max(range(len(reached)), key=lambda k: len(reached[k][1]))
        common = tree.values[reached.pop(without)[0]]
        base += common
        for node, box in reached:
            number, degree = len(offset), max(degree, len(box))
            for low, high in box.values():
                entries += [(number, high, 1)] * (high >= 0) + [(number, low, -1)] * (low >= 0)
            offset.append(sum(high < 0 for _, high in box.values()) - len(box))
            owner.append(i)
            values.append(tree.values[node] - common)
    if not entries:
        raise refusal("model", "trees of one leaf each", "a model whose result depends on a feature")
    leaf, used, sign = np.array(entries).T
    # conditions that are redundant on every path are no part of any box
    kept, used = np.unique(used, return_inverse=True)
    leaves = Leaves(leaf, used, sign, np.array(offset), np.array(owner), np.array(values, float), degree)
    made = Ensemble(forest.features, feature[kept], threshold[kept], leaves, base, forest.head)
    if forest.head.is_value:
        return made
    tie = TIE * float(made.bound) * (-1 if forest.prefers_second else 1)
    return replace(made, head=replace(forest.head, tie=tie))


def _leaves(
    tree: Tree, condition: Array, feature: Array, threshold: Array
) -> Iterator[tuple[int, dict[int, tuple[int, int]]]]:
    """The leaves that samples can reach, each with its box: for a feature the condition that does not hold and the
    one that does, or -1 where there is none. A condition that holds for every sample, or for none, is in no box: such
    nodes tell missing features from others."""
    always, never = threshold == np.finfo(float).max, threshold == -np.inf
    stack: list[tuple[int, dict[int, tuple[int, int]]]] = [(0, {})]
    while stack:
        node, box = stack.pop()
        if tree.left[node] < 0:
            yield node, box
            continue
        number = int(condition[node])
        if always[number] or never[number]:
            stack.append((int((tree.left if always[number] else tree.right)[node]), box))
            continue
        key = int(feature[number])
        low, high = box.get(key, (-1, -1))
        if number > low:
            stack.append((int(tree.left[node]), {**box, key: (low, number if high < 0 else min(high, number))}))
        if high < 0 or number < high:
            stack.append((int(tree.right[node]), {**box, key: (max(low, number), high)}))


def _on_samples(feature: Array, threshold: Array, forest: Forest, scalings: Sequence[Scaling]) -> Array:
    """For each condition of the model the largest number for which it holds, before scaling and rounding: the
    condition is the same as that a feature is at most this number, for every double. -inf if it holds for none."""

    def holds(x: Array) -> Array:
        with np.errstate(all="ignore"):
            for scaling in scalings:
                x = getattr(np, scaling.operation)(x, scaling.numbers[feature])
            x = x.astype(np.float32).astype(float) if forest.rounds else x
        return np.asarray(x < threshold if forest.is_strict else x <= threshold)

    # doubles in their order are whole numbers in their order
    last = int(np.array(np.finfo(float).max).view(np.int64))
    low, high = np.full(len(feature), -last - 1), np.full(len(feature), last + 1)
    for _ in range(64):
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        below = holds(_doubles(middle))
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return _doubles(low)


def _doubles(order: Array) -> Array:
    """The doubles with these numbers, where 0.0 has the number 0 and the next larger one the number 1."""
    return np.asarray(np.sign(order) * np.abs(order).view(np.float64))
