"""What client and server of a compiled model have in common."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar, Protocol

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters, Server
from ...errors import MalformedError
from ...program import Plan
from ._layers import Array, Head
from ._packing import Packing

#: What begins the bytes that the parties send each other.
_SAMPLES, _SCORES = b"RJsamples", b"RJscores\0"


class Circuit(Protocol):
    """What a server computes."""

    #: Its name in a model's file.
    kind: ClassVar[str]

    def together(self, params: Parameters) -> int:
        """How many samples a plan is for."""

    def level(self, params: Parameters) -> int | None:
        """The level of what is sent; None for the top level."""

    def stated(self, params: Parameters, normal: Array) -> Circuit:
        """The circuit with errors of its values that are known better than by estimates. normal: samples as they are sent."""

    def packing(self, params: Parameters, centre: Array, half: Array) -> Packing:
        """How a client packs samples, whose features have these ranges."""

    def run(self, server: Server, data: memoryview) -> bytes:
        """Computes on the bytes of samples."""

    def plan(self, params: Parameters, device: str | PathLike[str] | None = None) -> Plan:
        """The plan for `together(params)` samples."""

    def simulate(self, params: Parameters, normal: Array, seed: int | None) -> tuple[Array, tuple[str, ...]]:
        """What the server returns for samples as they are sent, with the noise of ciphertexts, and warnings."""

    def described(self) -> list[list[str]]:
        """A row for each layer: what it is, its size, the interval of an activation."""

    def outside(self, normal: Array) -> float:
        """The share of activations whose input lies outside their interval, for samples as they are sent."""

    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """All of it for JSON, and the weights."""


@dataclass(frozen=True)
class Interface:
    """How samples are sent and what scores mean. A client needs nothing else."""

    params: Parameters
    head: Head
    packing: Packing
    #: The shape of a sample.
    shape: tuple[int, ...]
    #: The names of the features, where the model was fitted to a frame.
    names: list[str] | None
    #: A server returns `(score - shift) / unit`, which is about 1 at most.
    shift: Array
    unit: Array
    #: The lowest and the highest of each score in calibration.
    low: Array
    high: Array
    #: Whether scores are wrong outside the intervals of activations.
    has_activations: bool
    #: The keys that a server needs.
    keys: dict[str, Any]
    #: Names the model: that of another one, or of the same with other calibration, is another.
    fingerprint: str

    @property
    def features(self) -> int:
        """The number of features of a sample."""
        return self.packing.features

    def samples(self, x: Any) -> Array:
        """Samples, one a row, as numbers. Refuses anything else, and frames with other columns."""
        expect_columns("X", x, self.names)
        return rows("X", x, self.shape)

    def scores(self, returned: Array) -> Array:
        """The scores of what a server returned."""
        return returned * self.unit + self.shift

    def strange(self, scores: Array) -> Array:
        """Which samples have a score far outside the range of calibration."""
        slack = 5 * np.maximum(self.high - self.low, 1e-300)
        return np.asarray(((scores < self.low - slack) | (scores > self.high + slack)).any(axis=1))

    def wrapped(self, data: bytes, are_scores: bool) -> bytes:
        """Encrypted samples or scores with the name of the model."""
        return (_SCORES if are_scores else _SAMPLES) + bytes.fromhex(self.fingerprint) + data

    def unwrapped(self, data: bytes | bytearray | memoryview, are_scores: bool) -> memoryview:
        """The reverse, without a copy. Refuses bytes of another kind, and of another model."""
        start, kind = (_SCORES, "scores") if are_scores else (_SAMPLES, "samples")
        view = memoryview(data).cast("B")
        if view[: len(start)] != start:
            raise MalformedError(f"no encrypted {kind} of a compiled model")
        end = len(start) + len(self.fingerprint) // 2
        if view[len(start) : end].hex() != self.fingerprint:
            raise MalformedError(
                f"encrypted {kind} of another model, or of one that was compiled again: load its files anew"
            )
        return view[end:]


def fingerprint(described: dict[str, Any], circuit: Circuit) -> str:
    """The name of a model: 32 hexadecimal digits. described: all of a client's file but this name."""
    computed, arrays = circuit.stored()
    found = hashlib.sha256(json.dumps([described, computed], sort_keys=True).encode())
    for name in sorted(arrays):
        found.update(np.ascontiguousarray(arrays[name]).tobytes())
    return found.hexdigest()[:32]


def rows(name: str, values: Any, shape: tuple[int, ...]) -> Array:
    """Samples of a shape as finite real numbers, one a row. Refuses anything else. Axes of length 1 may be missing, and
    a sample may be a flat vector of its numbers."""
    array = numbers(name, values)
    own = tuple(n for n in array.shape[1:] if n != 1)
    fits = array.ndim >= 2 and (own == tuple(n for n in shape if n != 1) or array.shape[1:] == (math.prod(shape),))
    if not fits or not len(array):
        raise refusal(name, f"an array of shape {array.shape}", f"shape (samples, {', '.join(map(str, shape))})")
    return array.reshape(len(array), -1)


def numbers(name: str, values: Any) -> Array:
    """Finite real numbers as an array. Refuses anything else."""
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
        raise refusal(name, "an array with masked elements", "numbers for all elements")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise ValueError(f"elements of type {array.dtype}")
        array = array.astype(float)
    except (TypeError, ValueError) as error:
        raise refusal(name, type(values).__name__, f"an array of real numbers: {error}") from None
    if not np.all(np.isfinite(array)):
        raise refusal(name, "an array with numbers that are not finite", "finite numbers")
    return array


def names_of(known: list[str] | None, calibration: Any) -> list[str] | None:
    """The names of features: those that a model was fitted to, or the columns of calibration samples in a frame.
    Refuses a frame with other columns."""
    columns = getattr(calibration, "columns", None)
    expect_columns("calibration", calibration, known)
    return known if known is not None or columns is None else [str(name) for name in columns]


def expect_columns(argument: str, values: Any, names: list[str] | None) -> None:
    """Refuses a frame whose columns are not those of the model, in their order."""
    columns = getattr(values, "columns", None)
    if names is not None and columns is not None and [str(c) for c in columns] != names:
        raise refusal(argument, f"a frame with the columns {list(columns)}", f"the columns {names}, in this order")
