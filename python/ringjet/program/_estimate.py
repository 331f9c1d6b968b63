"""The time and memory of a program on a device: the result of `Server.estimate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from .._text import duration, quantity, size

#: This machine, as a device.
HERE = "here"
#: The device by whose times parameters and layouts are chosen where none is named: the same everywhere, so that
#: a client and a server choose the same.
REFERENCE = "cpu-ifma-2core"


@dataclass(frozen=True)
class Work:
    """A step of a program, including everything below it."""

    name: str
    #: The number of times that the step occurs.
    count: int
    seconds: float
    #: Modular multiplications and additions, in 10^9.
    operations: float
    #: Bytes read and written, in 10^9.
    bytes: float
    #: The steps below this one, longest first.
    steps: tuple[Work, ...]

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Work]]:
        """This step and all below it, each with its depth."""
        yield depth, self
        for step in self.steps:
            yield from step.walk(depth + 1)

    def table(self, depth: int = 4, share: float = 0.02) -> str:
        """A table of the longest steps, indented by depth. It goes down to `depth` levels below
        this step and leaves out steps that take less than the fraction `share` of its time."""
        rows = [(d, w) for d, w in self.walk() if d <= depth and w.seconds >= share * self.seconds]
        width = max(2 * d + len(w.name) for d, w in rows)
        whole = self.seconds or 1.0
        return "\n".join(
            f"{'  ' * d + w.name:<{width}}  {w.count:>9} x  {duration(w.seconds):>9}  {w.seconds / whole:>6.1%}"
            f"  {w.operations:>10.3f} GOP  {w.bytes:>10.3f} GB"
            for d, w in rows
        )


@dataclass(frozen=True)
class Keys:
    """The keys that a program used, and their sizes. Each key serves the levels at which it was
    used."""

    relinearization: bool
    conjugation: bool
    #: Rotation steps in slots: positive to the left, negative to the right. Without those of
    #: bootstrapping.
    rotations: list[int]
    #: The numbers of slots of the ciphertexts that are bootstrapped.
    bootstrapping: list[int]
    #: The highest level at which a key is used, by "relinearization", "conjugation" or the rotation;
    #: other keys serve all levels.
    levels: dict[str, int]
    #: The number of keys, including those of bootstrapping.
    count: int
    #: The size of the serialized keys in bytes.
    at_rest: int
    #: The size of the keys in a server's memory in bytes.
    in_memory: int

    def request(self) -> dict[str, Any]:
        """Arguments for `Client.evaluation_keys`."""
        names = ("rotations", "conjugation", "relinearization", "bootstrapping", "levels")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        parts = [
            "relinearization" if self.relinearization else "",
            "conjugation" if self.conjugation else "",
            f"rotations {', '.join(map(str, self.rotations))}" if self.rotations else "",
            f"bootstrapping of {', '.join(map(str, self.bootstrapping))} slots" if self.bootstrapping else "",
        ]
        return "; ".join(filter(None, parts)) or "none"


@dataclass(frozen=True)
class Estimate:
    """The time, energy and memory of a program on a device."""

    device: str
    #: Time of the program in seconds. Arithmetic and memory traffic of a call overlap as far as the
    #: device's profile says; launches overlap with nothing.
    seconds: float
    #: Seconds of arithmetic, of memory traffic and of launching operations.
    compute_s: float
    memory_s: float
    launch_s: float
    #: Energy in joules; None if the device's profile has no energies.
    energy_joules: float | None
    #: Modular multiplications and additions, in 10^9.
    operations: float
    #: Bytes read and written, in 10^9.
    bytes: float
    #: The largest number of bytes in use at a time: keys, ciphertexts, bootstrapping matrices and
    #: intermediate results.
    peak_bytes: int
    #: The size of the device's main memory in bytes.
    memory_bytes: int
    #: Whether `peak_bytes` fit into `memory_bytes`.
    fits: bool
    keys: Keys
    #: The number of bootstraps. Two real ciphertexts that are bootstrapped together count once.
    bootstraps: int
    #: Seconds of one-time work, which `seconds` does not include: making the bootstrapping
    #: matrices.
    set_up_s: float
    #: The time of each step.
    tree: Work

    def to_dict(self) -> dict[str, Any]:
        """All fields, for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        energy = "" if self.energy_joules is None else f", {quantity(self.energy_joules, 'J')}"
        kind = "fits" if self.fits else "does not fit"
        set_up = f", set-up {duration(self.set_up_s)}" if self.set_up_s else ""
        return (
            f"Estimate({self.device}: {duration(self.seconds)} (arithmetic {duration(self.compute_s)}, "
            f"memory {duration(self.memory_s)}, launches {duration(self.launch_s)}{set_up}){energy}, "
            f"{self.operations:.3f} GOP, {self.bytes:.3f} GB, {self.bootstraps} bootstrap(s), "
            f"{size(self.peak_bytes)} of memory, which {kind}; {self.keys.count} keys of {size(self.keys.in_memory)}: "
            f"{self.keys})"
        )


def from_json(text: str) -> Estimate:
    """Reads an estimate from the native module's JSON."""
    report = json.loads(text)
    time = report.pop("time")
    operations, traffic = _volume(report.pop("cost"))
    keys = report.pop("keys")
    return Estimate(
        seconds=time["total_s"],
        compute_s=time["compute_s"],
        memory_s=time["memory_s"],
        launch_s=time["launch_s"],
        operations=operations,
        bytes=traffic,
        keys=Keys(**keys.pop("request"), **keys),
        tree=_work(report.pop("tree")),
        **report,
    )


def _work(node: dict[str, Any]) -> Work:
    operations, traffic = _volume(node["cost"])
    steps = sorted(map(_work, node["children"]), key=lambda w: -w.seconds)
    return Work(node["name"], node["count"], node["seconds"], operations, traffic, tuple(steps))


def _volume(cost: dict[str, Any]) -> tuple[float, float]:
    """Operations in 10^9 and bytes in 10^9."""
    parts = (cost[kind] for kind in ("ntt", "base_conversion", "elementwise"))
    words = sum(cost[kind] for kind in ("reads", "writes", "key_reads", "plain_reads"))
    return sum(part["mul"] + part["add"] for part in parts) / 1e9, 8 * words / 1e9
