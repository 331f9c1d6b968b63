"""What a model is made of: layers, and what its scores mean."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._functions import function as function

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Affine:
    """`x @ weights.T + bias` for samples x, one a row. weights: (outputs, inputs)."""

    weights: Array
    bias: Array

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return int(self.weights.shape[1])

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return int(self.weights.shape[0])

    def __call__(self, x: Array) -> Array:
        return np.asarray(x @ self.weights.T + self.bias)

    def entries(self) -> tuple[Array, Array, Array]:
        """The rows, columns and values of the elements of its weights."""
        rows, columns = np.indices(self.weights.shape)
        return rows.ravel(), columns.ravel(), np.ravel(self.weights)

    def after(self, first: Affine) -> Affine:
        """The two layers as one."""
        return Affine(self.weights @ first.weights, self.weights @ first.bias + self.bias)


@dataclass(frozen=True)
class Squares:
    """The inputs, and their squares after them."""

    def __call__(self, x: Array) -> Array:
        return np.concatenate([x, x * x], axis=1)


@dataclass(frozen=True)
class Activation:
    """A function of every element, as `function` names it. upper_bound: of its inputs."""

    function: str
    upper_bound: float = np.inf

    def __call__(self, x: Array) -> Array:
        return function(self.function)(x)


@dataclass(frozen=True)
class Head:
    """What the scores of a model mean. Its owner computes it after decryption.

    - "value": the scores are the result.
    - "sign": a single score, above `tie` for the second class.
    - "argmax": a score for each class, the largest is the class; the first one that is at most `tie` smaller.
    - "pairs": a score for each pair of classes, positive for its first one; most votes win.
    - "nearest": a score for each stored sample, whose class or value is in `labels`; the `neighbours` largest
      scores vote, or their mean is the result.
    """

    kind: Literal["value", "sign", "argmax", "pairs", "nearest"]
    #: The classes, in the order of the scores; None for numbers.
    classes: Array | None = None
    #: For "nearest": the class or the value of each stored sample.
    labels: Array | None = None
    neighbours: int = 1
    #: Scores that differ by less count as equal. Of a single score 0 is then the first class, or the second one where
    #: this is negative.
    tie: float = 0.0

    @property
    def is_value(self) -> bool:
        """Whether the results are numbers, not classes."""
        return self.classes is None

    def scores(self) -> int | None:
        """How many scores a sample has; None for any number."""
        if self.kind == "nearest":
            return len(np.asarray(self.labels))
        count = 0 if self.classes is None else len(self.classes)
        return {"value": None, "sign": 1, "argmax": count, "pairs": count * (count - 1) // 2}[self.kind]

    def __call__(self, scores: Array) -> Array:
        """The classes or values for scores, one row a sample."""
        if self.kind == "value":
            return scores[:, 0] if scores.shape[1] == 1 else scores
        if self.kind == "nearest":
            first = np.argsort(-scores, axis=1, kind="stable")[:, : self.neighbours]
            nearest = np.asarray(self.labels)[first]
            if self.classes is None:
                return np.asarray(nearest.mean(axis=1))
            scores = np.stack([(nearest == label).sum(axis=1) for label in self.classes], axis=1)
        if self.kind == "pairs":
            scores = _votes(scores > 0, len(np.asarray(self.classes)))
        if self.kind == "sign":
            found = scores[:, 0] > self.tie
        else:
            found = (scores >= scores.max(axis=1, keepdims=True) - self.tie).argmax(axis=1)
        return np.asarray(np.asarray(self.classes)[found.astype(int)])


def _votes(first: Array, classes: int) -> Array:
    """How many votes each class gets in all pairs. first: whether the first class of a pair gets its vote."""
    votes = np.zeros((len(first), classes))
    for vote, (i, j) in zip(first.T, itertools.combinations(range(classes), 2), strict=True):
        votes[:, i] += vote
        votes[:, j] += ~vote
    return votes
