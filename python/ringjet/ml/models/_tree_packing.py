"""How samples for trees are encrypted: side by side, each in a region of slots."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import _ringjet
from ...errors import MalformedError
from ...vectors.matrices import decrypt_matrix, encrypt_matrix
from ._description import Layout
from ._layers import Array

#: The number of samples, before the bytes of ciphertexts.
_COUNT = struct.Struct("<Q")


def power_of_two(size: int) -> int:
    """The least power of two that is at least as large."""
    return 1 << max(size - 1, 0).bit_length()


def flat(samples: Array, region: int, slots: int) -> Array:
    """The slots of ciphertexts, a row each. With b samples in one, number i of a sample is in slot i * b and those
    that follow it, one for each sample; the numbers of a sample repeat."""
    batch, period = slots // region, power_of_two(samples.shape[1])
    count = -(-len(samples) // batch)
    made = np.zeros((count * batch, period))
    made[: len(samples), : samples.shape[1]] = samples
    turned = made.reshape(count, batch, period).transpose(0, 2, 1)
    return np.tile(turned, (1, region // period, 1)).reshape(count, slots)


def counted(data: bytes | memoryview) -> tuple[int, memoryview]:
    """The number of samples, and the bytes of their ciphertexts."""
    if len(data) < _COUNT.size:
        raise MalformedError("encrypted samples or scores that end too early")
    return _COUNT.unpack_from(data)[0], memoryview(data)[_COUNT.size :]


def with_count(count: int, data: bytes) -> bytes:
    """The reverse of `counted`."""
    return _COUNT.pack(count) + data


@dataclass(frozen=True)
class Conditions:
    """A client sends which conditions hold: that a feature is at most a threshold."""

    feature: Array
    threshold: Array

    #: Bounds on what is sent.
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    name: ClassVar[str] = "conditions"

    @property
    def numbers(self) -> int:
        """How many numbers a sample is sent as."""
        return len(self.feature)

    def normal(self, x: Array) -> Array:
        """1 or 0 for every condition."""
        return np.asarray((x[:, self.feature] <= self.threshold).astype(float))


@dataclass(frozen=True)
class Intervals:
    """A client sends features, scaled so that an interval becomes [-1, 1]. Features outside are moved to its ends:
    there is no threshold there."""

    feature: Array
    low: Array
    high: Array

    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    name: ClassVar[str] = "intervals"

    @property
    def numbers(self) -> int:
        """How many numbers a sample is sent as."""
        return len(self.feature)

    def normal(self, x: Array) -> Array:
        """The scaled features."""
        scaled = (2 * np.clip(x[:, self.feature], self.low, self.high) - self.low - self.high) / (self.high - self.low)
        return np.asarray(np.clip(scaled, -1, 1))


@dataclass(frozen=True)
class Ranks:
    """A client sends how many thresholds of each feature lie below it, scaled so that none is -1 and all are 1.
    Thresholds are between the numbers that can be sent."""

    #: The conditions, by feature and then by threshold.
    feature: Array
    threshold: Array

    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    name: ClassVar[str] = "ranks"

    @property
    def numbers(self) -> int:
        """How many numbers a sample is sent as."""
        return len(np.unique(self.feature))

    def normal(self, x: Array) -> Array:
        """The scaled ranks."""
        made = np.empty((len(x), self.numbers))
        for k, feature in enumerate(np.unique(self.feature)):
            thresholds = self.threshold[self.feature == feature]
            made[:, k] = 2 * np.searchsorted(thresholds, x[:, feature], side="left") / len(thresholds) - 1
        return made


#: What a client sends.
Sent = Conditions | Intervals | Ranks


@dataclass(frozen=True)
class TreePacking:
    """Samples in regions of slots. Several share a ciphertext, and more of them take several ciphertexts."""

    kind: ClassVar[str] = "trees"
    sent: Sent
    features: int
    #: The number of slots of a sample.
    region: int
    #: How many scores a sample has.
    scores: int
    #: The level of ciphertexts; None for all levels.
    level: int | None

    def normal(self, x: Array) -> Array:
        """The numbers that are sent."""
        return self.sent.normal(x)

    def encrypt(self, client: _ringjet.Client, normal: Array) -> bytes:
        """The samples, encrypted."""
        rows = flat(normal, self.region, client.slots)
        made = encrypt_matrix(client, rows, layout="rows", level=self.level, magnitude=self.sent.bounds)
        return with_count(len(normal), made.to_bytes())

    def decrypt(self, client: _ringjet.Client, data: memoryview) -> Array:
        """The scores as the server returned them, a row each sample."""
        count, ciphertexts = counted(data)
        batch, rows = client.slots // self.region, decrypt_matrix(client, ciphertexts, max_bytes=len(data))
        if rows.ndim != 2 or rows.shape[1] != client.slots or len(rows) != -(-count // batch):
            raise MalformedError(f"scores of shape {rows.shape} for {count} samples, {batch} in each ciphertext")
        scores = rows[:, : self.scores * batch].reshape(len(rows), self.scores, batch).transpose(0, 2, 1)
        return np.asarray(scores.reshape(-1, self.scores)[:count])

    def described(self) -> str:
        """How samples are sent, in a few words."""
        kind = "scaled features" if isinstance(self.sent, Intervals) else self.sent.name
        return f"{self.sent.numbers} {kind} of each sample, in {self.region} slots"

    def layout(self, slots: int, scores: int) -> Layout:
        """The numbers of a sample in one ciphertext, the scores in one result."""
        count = self.sent.numbers
        numbers = [k if k < count else None for k in range(power_of_two(count))]
        return Layout(slots // self.region, [numbers], "zeros", [(0, s) for s in range(scores)])

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        sizes = {"features": self.features, "region": self.region, "scores": self.scores, "level": self.level}
        return {"kind": self.kind, **sizes, **stored(self.sent)}


def stored(sent: Sent) -> dict[str, Any]:
    """What is sent, for JSON."""
    return {"sent": sent.name, **{name: array.tolist() for name, array in vars(sent).items()}}


def restored_sent(found: dict[str, Any], features: int) -> Sent:
    """The reverse of `stored`."""
    kind = {kind.name: kind for kind in (Conditions, Intervals, Ranks)}[found["sent"]]
    names = ("low", "high") if kind is Intervals else ("threshold",)
    feature, arrays = np.array(found["feature"]), [np.array(found[name], float) for name in names]
    if feature.ndim != 1 or feature.dtype.kind != "i" or feature.min() < 0 or feature.max() >= features:
        raise ValueError("features that samples do not have")
    if any(array.shape != feature.shape or not np.all(np.isfinite(array)) for array in arrays):
        raise ValueError("thresholds or intervals that contradict each other")
    if kind is Intervals and not np.all(arrays[0] < arrays[1]):
        raise ValueError("intervals that are empty")
    if kind is Ranks and not np.array_equal(np.lexsort((arrays[0], feature)), np.arange(len(feature))):
        raise ValueError("thresholds that are not sorted")
    made: Sent = kind(feature, *arrays)
    return made


def restored(found: dict[str, Any]) -> TreePacking:
    """Reads what `TreePacking.stored` gave."""
    features, region, scores = (int(found[name]) for name in ("features", "region", "scores"))
    sent = restored_sent(found, features)
    if region != power_of_two(region) or region < max(scores, power_of_two(sent.numbers)) or scores < 1:
        raise ValueError(f"a region of {region} slots")
    return TreePacking(sent, features, region, scores, None if found["level"] is None else int(found["level"]))
