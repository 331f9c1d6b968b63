"""How samples become ciphertexts, and what a server returns becomes scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ... import _ringjet
from ..._checks import refusal
from ...errors import MalformedError
from ...vectors.matrices import decrypt_matrix, encrypt_matrix
from ._description import Layout
from ._layers import Array
from ._places import Place
from ._tree_packing import TreePacking
from ._tree_packing import restored as restored_trees


class Packing(Protocol):
    """The client's part of a model, without what its scores mean."""

    #: Its name in a client's file.
    kind: ClassVar[str]

    @property
    def features(self) -> int:
        """The number of features of a sample."""

    def normal(self, x: Array) -> Array:
        """Samples as they are sent: numbers between -1 and 1. Refuses features outside their range."""

    def encrypt(self, client: _ringjet.Client, normal: Array) -> bytes:
        """Samples, as `normal` makes them, for the server."""

    def decrypt(self, client: _ringjet.Client, data: memoryview) -> Array:
        """What the server returned, one row a sample."""

    def described(self) -> str:
        """How samples are sent, in a few words."""

    def layout(self, slots: int, scores: int) -> Layout:
        """Where numbers and scores are, in ciphertexts with so many slots."""

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""


@dataclass(frozen=True)
class Ranges:
    """Samples of numbers, each of which has a range: `(x - centre) / half` is sent."""

    #: The middle of the accepted range of each feature, and half of its width.
    centre: Array
    half: Array

    @property
    def features(self) -> int:
        """The number of features of a sample."""
        return len(self.centre)

    def normal(self, x: Array) -> Array:
        """Samples as they are sent. Refuses features outside their range."""
        normal = (x - self.centre) / self.half
        wrong = np.argwhere(np.abs(normal) > 1)
        if len(wrong):
            row, k = wrong[0]
            low, high = self.centre[k] - self.half[k], self.centre[k] + self.half[k]
            raise refusal(f"X[{row}, {k}]", x[row, k], f"{low:.6g} to {high:.6g}, the accepted range by calibration")
        return np.asarray(normal)


@dataclass(frozen=True)
class Columns(Ranges):
    """A ciphertext for each feature, with the samples in its slots."""

    kind: ClassVar[str] = "columns"
    #: The level of what is sent; None for all levels.
    level: int | None

    def encrypt(self, client: _ringjet.Client, normal: Array) -> bytes:
        """The matrix of the samples."""
        return encrypt_matrix(client, normal, layout="columns", level=self.level, magnitude=1.0).to_bytes()

    def decrypt(self, client: _ringjet.Client, data: memoryview) -> Array:
        """The matrix of the scores."""
        return decrypt_matrix(client, data, max_bytes=len(data))

    def described(self) -> str:
        """How samples are sent, in a few words."""
        return f"{self.features} ciphertexts, one for each feature of all samples"

    def layout(self, slots: int, scores: int) -> Layout:
        """A number in each ciphertext, and a score in each result."""
        return Layout(slots, [[k] for k in range(self.features)], "zeros", [(s, 0) for s in range(scores)])

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        own = {"level": self.level}
        return {"kind": self.kind, "centre": self.centre.tolist(), "half": self.half.tolist(), **own}


#: The length of the number of samples before the bytes of ciphertexts with several samples.
COUNT = 8


@dataclass(frozen=True)
class Slots(Ranges):
    """Samples side by side in a ciphertext."""

    kind: ClassVar[str] = "slots"
    #: The shape of a sample, which says where its numbers lie.
    shape: tuple[int, ...]
    #: The number of slots of a sample, and how many samples a ciphertext has.
    slots: int
    together: int
    #: The level of what is sent; None for all levels.
    level: int | None
    #: The slot of each score.
    results: Array

    def encrypt(self, client: _ringjet.Client, normal: Array) -> bytes:
        """The number of the samples, and ciphertexts as the rows of a matrix."""
        rows = side_by_side(normal, self.shape, self.slots, self.together, client.slots)
        made = encrypt_matrix(client, rows, layout="rows", level=self.level, magnitude=1.0)
        return len(normal).to_bytes(COUNT, "little") + made.to_bytes()

    def decrypt(self, client: _ringjet.Client, data: memoryview) -> Array:
        """The slots with scores."""
        count, rows = int.from_bytes(data[:COUNT], "little"), decrypt_matrix(client, data[COUNT:], max_bytes=len(data))
        if rows.ndim != 2 or rows.shape[1] != client.slots:
            raise MalformedError(f"scores in a matrix of shape {rows.shape}, not in rows of {client.slots} slots")
        rows = rows[:, : self.slots * self.together]
        samples = rows.reshape(len(rows), self.slots, -1).transpose(0, 2, 1).reshape(-1, self.slots)
        if not 0 < count <= len(samples):
            raise MalformedError(f"{count} samples in slots for {len(samples)}")
        return np.asarray(samples[:count, self.results])

    def described(self) -> str:
        """How samples are sent, in a few words."""
        if self.together == 1:
            return f"a ciphertext for each sample, which takes {self.slots} slots"
        return f"{self.together} samples side by side in {self.slots} slots each"

    def layout(self, slots: int, scores: int) -> Layout:
        """The numbers of a sample in one ciphertext, the scores in one result."""
        places = Place.packed(self.shape, repeats=True).vector(np.arange(1.0, self.features + 1), self.slots)
        numbers = [int(k) - 1 if k else None for k in places]
        return Layout(self.together, [numbers], "last", [(0, int(slot)) for slot in self.results])

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        own = {"shape": list(self.shape), "slots": self.slots, "together": self.together, "level": self.level}
        ranges = {"centre": self.centre.tolist(), "half": self.half.tolist()}
        return {"kind": self.kind, **ranges, **own, "results": self.results.tolist()}


def side_by_side(normal: Array, shape: tuple[int, ...], slots: int, together: int, whole: int) -> Array:
    """Ciphertexts of samples, one a row: slot k of sample b is slot `k * together + b`, and these repeat in all slots,
    `whole`. The last sample fills what is left over."""
    filled = np.concatenate([normal, np.repeat(normal[-1:], -len(normal) % together, axis=0)])
    vectors = Place.packed(shape, repeats=True).vector(filled, slots)
    mixed = vectors.reshape(-1, together, slots).transpose(0, 2, 1).reshape(-1, slots * together)
    return np.tile(mixed, whole // (slots * together))


def restored(found: dict[str, Any]) -> Packing:
    """Reads what `stored` gave."""
    if found["kind"] == TreePacking.kind:
        return restored_trees(found)
    centre, half = (np.array(found[name], float) for name in ("centre", "half"))
    if centre.ndim != 1 or centre.shape != half.shape or not np.all(half > 0):
        raise ValueError("ranges of features that contradict each other")
    level = None if found["level"] is None else int(found["level"])
    if found["kind"] == "columns":
        return Columns(centre, half, level)
    if found["kind"] != "slots":
        raise ValueError(f"samples packed as {found['kind']!r}")
    slots, together, results = int(found["slots"]), found["together"], np.array(found["results"], int)
    if results.ndim != 1 or not np.all((results >= 0) & (results < slots)):
        raise ValueError("scores outside of the slots")
    shape = tuple(int(n) for n in found["shape"])
    if math.prod(shape) != len(centre) or Place.packed(shape, repeats=True).room > slots:
        raise ValueError(f"samples of shape {shape}, {len(centre)} features and {slots} slots")
    if type(together) is not int or together < 1 or any(n & (n - 1) for n in (slots, together)):
        raise ValueError(f"{together} samples of {slots} slots")
    return Slots(centre, half, shape, slots, together, level, results)
