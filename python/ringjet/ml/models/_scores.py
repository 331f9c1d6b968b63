"""Scores and results: how they are scaled and compared."""

from __future__ import annotations

import numpy as np

from ._layers import Array, Head

#: Tolerance of a value, as a fraction of the range of all values.
_TOLERANCE = 1e-3


def scale(head: Head, scores: Array) -> tuple[Array, Array]:
    """What is subtracted from each score, and what it is divided by then: where scores are compared with each other,
    the same for all."""
    low, high = scores.min(axis=0), scores.max(axis=0)
    if head.kind == "value":
        return (low + high) / 2, np.where(high > low, (high - low) / 2, np.where(high == 0, 1.0, np.abs(high)))
    size = np.maximum(np.abs(low), np.abs(high))
    size = size if head.kind in ("sign", "pairs") else np.full(size.shape, size.max())
    return np.zeros(size.shape), np.where(size > 0, size, 1.0)


def agreement(head: Head, found: Array, known: Array, spread: Array) -> float:
    """The share of samples whose class is the same, or whose values all differ by at most a thousandth of their
    ranges. spread: the ranges of scores in calibration."""
    if not head.is_value:
        return float(np.mean(found == known))
    ranges = np.ptp(np.asarray(head.labels, float), axis=0) if head.kind == "nearest" else spread
    ranges = np.where(ranges > 0, ranges, np.maximum(np.abs(known).max(), 1e-300))
    near = np.abs(found - known).reshape(len(found), -1) <= _TOLERANCE * ranges
    return float(np.mean(near.all(axis=1)))


def accuracy(head: Head, found: Array, right: Array) -> float:
    """The share of right classes, or the coefficient of determination of values."""
    if not head.is_value:
        return float(np.mean(found == right))
    return float(1 - np.sum((found - right) ** 2) / max(float(np.sum((right - right.mean(axis=0)) ** 2)), 1e-300))


def tied(head: Head, scores: Array) -> Array:
    """Which samples have neighbours at nearly the same distance, some of which count and some do not."""
    if head.kind != "nearest" or head.neighbours >= scores.shape[1]:
        return np.zeros(len(scores), bool)
    ordered = -np.sort(-scores, axis=1)
    gap = ordered[:, head.neighbours - 1] - ordered[:, head.neighbours]
    return np.asarray(gap <= 1e-9 * np.abs(scores).max(axis=1))
