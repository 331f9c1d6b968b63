"""Data sets, and measures of how well weights classify them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import known
from .known import KNOWN as KNOWN
from .mnist import DataError as DataError

Vector = npt.NDArray[np.float64]


@dataclass
class Data:
    """Samples and labels of two classes, split for training and testing."""

    name: str
    x_train: Vector
    y_train: npt.NDArray[Any]
    x_test: Vector
    y_test: npt.NDArray[Any]


def load(name: str, label: str | None, test_fraction: float, seed: int) -> Data:
    """Loads a known data set or a CSV file. The fraction `test_fraction` of each class is held out
    for testing, unless the data set has its own split."""
    if name == "mnist38-full":
        train, test = known.mnist38_full()
        return Data(name, *train, *test)
    makers = {"breast-cancer": known.breast_cancer, "credit": known.credit, "mnist38": known.mnist38}
    x, y = makers[name]() if name in makers else _csv(Path(name), label)
    classes = np.unique(y)
    if len(classes) != 2:
        raise DataError(f"{name} has {len(classes)} different labels: exactly 2 are known")
    rng = np.random.default_rng(seed)
    held_out = np.zeros(len(y), dtype=bool)
    for kind in classes:
        members = rng.permutation(np.flatnonzero(y == kind))
        held_out[members[: round(test_fraction * len(members))]] = True
    if not held_out.any() or len(np.unique(y[~held_out])) < 2:
        raise DataError(f"{name} has {len(y)} samples: too few to hold {test_fraction:.0%} of each class out")
    return Data(name, x[~held_out], y[~held_out], x[held_out], y[held_out])


def _csv(path: Path, label: str | None) -> tuple[Vector, npt.NDArray[Any]]:
    """Reads a table with or without a header line. The label is the column `label`, by default the
    last one."""
    if not path.is_file():
        raise DataError(f"{path} is no file, and no data set is called so: there are {', '.join(KNOWN)}")
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    if not rows or len(rows[0]) < 2:
        raise DataError(f"{path}: at least one feature and a label are needed in every line")
    names = [cell.strip() for cell in rows[0]]
    column = _column(path, names, label)
    header = not all(_is_number(cell) for i, cell in enumerate(names) if i != column)
    x, y = [], []
    for number, row in enumerate(rows[header:], start=1 + header):
        if len(row) != len(names):
            raise DataError(f"{path}, row {number}: {len(row)} columns, the first has {len(names)}")
        y.append(row[column].strip())
        for i, cell in enumerate(row):
            if i != column and not _is_number(cell):
                raise DataError(f"{path}, row {number}, column {i + 1}: {cell!r} is no number")
        x.append([float(cell) for i, cell in enumerate(row) if i != column])
    return np.array(x), np.array(y)


def _column(path: Path, names: list[str], label: str | None) -> int:
    if label is None:
        return len(names) - 1
    if label in names:
        return names.index(label)
    if label.lstrip("-").isdigit() and -len(names) <= int(label) < len(names):
        return int(label) % len(names)
    raise DataError(f"{path} has no column {label!r}; there are {', '.join(names)}")


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


# ---- measures, for weights with the constant first and labels in {-1, 1} ----


def scores(x: Vector, weights: Vector) -> Vector:
    return np.asarray(weights[0] + x @ weights[1:])


def accuracy(x: Vector, y: Vector, weights: Vector) -> float:
    return float(np.mean(np.where(scores(x, weights) > 0, 1.0, -1.0) == y))


def loss(x: Vector, y: Vector, weights: Vector) -> float:
    """Mean logistic loss."""
    return float(np.mean(np.logaddexp(0.0, -y * scores(x, weights))))


def auc(x: Vector, y: Vector, weights: Vector) -> float:
    """The area under the ROC curve: the probability that a sample of the second class has a higher
    score than one of the first."""
    z = scores(x, weights)
    high, low = z[y > 0], np.sort(z[y < 0])
    below, up_to = np.searchsorted(low, high, "left"), np.searchsorted(low, high, "right")
    return float(np.mean((below + up_to) / 2) / len(low))


def converged(x: Vector, y: Vector, l2: float) -> Vector:
    """The limit of logistic regression with the true sigmoid and the L2 penalty `l2`, by Newton's
    method."""
    rows = y[:, None] * np.column_stack([np.ones(len(x)), x])
    w = np.zeros(rows.shape[1])
    penalty = max(l2, 1e-6)
    for _ in range(50):
        p = 0.5 * (1 - np.tanh(0.5 * (rows @ w)))
        gradient = rows.T @ p / len(rows) - penalty * w
        hessian = (rows * (p * (1 - p))[:, None]).T @ rows / len(rows) + penalty * np.eye(len(w))
        step = np.linalg.solve(hessian, gradient)
        w = w + step
        if np.max(np.abs(step)) < 1e-10:
            break
    return w
