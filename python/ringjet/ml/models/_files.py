"""What the parties of a compiled model know, and how it is stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ..._ringjet import Parameters
from ...errors import MalformedError
from ._layers import Affine, Array, Head, Squares
from ._steps import Polynomial, Step

_FORMAT = "ringjet model 1"


@dataclass(frozen=True)
class Sides:
    """What client and server of a model have in common. The client needs nothing else."""

    params: Parameters
    head: Head
    #: The middle of the range of each feature, and half of its width: a client sends `(x - centre) / half`.
    centre: Array
    half: Array
    #: The keys that a server needs.
    keys: dict[str, Any]

    @property
    def features(self) -> int:
        """The number of features of a sample."""
        return len(self.centre)

    def samples(self, x: npt.ArrayLike) -> Array:
        """Samples, one a row. Refuses what are none."""
        array = np.asarray(x, float)
        if array.ndim != 2 or array.shape[1] != self.features or not len(array):
            raise refusal("X", f"an array of shape {array.shape}", f"(samples, {self.features})")
        if not np.all(np.isfinite(array)):
            raise refusal("X", "an array with numbers that are not finite", "finite numbers")
        return array

    def normal(self, x: Array) -> Array:
        """Samples as they are sent. Refuses features outside their range."""
        normal = (x - self.centre) / self.half
        wrong = np.argwhere(np.abs(normal) > 1)
        if len(wrong):
            row, k = wrong[0]
            low, high = self.centre[k] - self.half[k], self.centre[k] + self.half[k]
            expected = f"{low:.6g} to {high:.6g}: four times the range of calibration"
            raise refusal(f"X[{row}, {k}]", x[row, k], expected)
        return normal

    def to_json(self) -> dict[str, Any]:
        """As values of JSON."""
        arrays = {"classes": self.head.classes, "labels": self.head.labels}
        head: dict[str, Any] = {"kind": self.head.kind, "neighbours": self.head.neighbours}
        head |= {name: None if array is None else array.tolist() for name, array in arrays.items()}
        return {
            "format": _FORMAT,
            "params": json.loads(self.params.to_json()),
            "allow_insecure": self.params.allow_insecure,
            "head": head,
            "centre": self.centre.tolist(),
            "half": self.half.tolist(),
            "keys": self.keys,
        }

    @staticmethod
    def from_json(found: dict[str, Any]) -> Sides:
        """Reads the values of `to_json`."""
        if not isinstance(found, dict) or found.get("format") != _FORMAT:
            raise MalformedError(f"no file of a model: its format is not {_FORMAT!r}")
        head, arrays = found["head"], ("classes", "labels")
        known = {name: None if head[name] is None else np.asarray(head[name]) for name in arrays}
        params = Parameters.from_json(json.dumps(found["params"]), allow_insecure=found["allow_insecure"])
        centre, half = (np.asarray(found[name], float) for name in ("centre", "half"))
        if centre.ndim != 1 or centre.shape != half.shape or not np.all(half > 0):
            raise MalformedError("file of a model: ranges that contradict each other")
        return Sides(params, Head(head["kind"], neighbours=head["neighbours"], **known), centre, half, found["keys"])


def store(folder: str | PathLike[str], sides: Sides, steps: Sequence[Step]) -> None:
    """Writes the files of a model."""
    path = Path(folder)
    arrays: dict[str, Any] = {}
    described: list[dict[str, Any]] = []
    for i, step in enumerate(steps):
        if isinstance(step, Affine):
            arrays[f"weights{i}"], arrays[f"bias{i}"] = step.weights, step.bias
            described.append({"step": "affine"})
        elif isinstance(step, Squares):
            described.append({"step": "squares"})
        else:
            kind = {"function": step.function, "low": step.low, "high": step.high, "degree": step.degree}
            described.append({"step": "polynomial", **kind})
    path.mkdir(parents=True, exist_ok=True)
    np.savez(path / "weights.npz", **arrays)
    client = json.dumps(sides.to_json(), indent=1)
    (path / "client.json").write_text(client)
    (path / "model.json").write_text(json.dumps({"format": _FORMAT, "steps": described}, indent=1))


def read_client(path: str | PathLike[str]) -> Sides:
    """Reads a client's file."""
    return Sides.from_json(_json(Path(path)))


def read_server(folder: str | PathLike[str]) -> tuple[Sides, list[Step]]:
    """Reads the files of a model."""
    path = Path(folder)
    described = _json(path / "model.json")
    if not isinstance(described, dict) or described.get("format") != _FORMAT:
        raise MalformedError(f"{path / 'model.json'}: its format is not {_FORMAT!r}")
    with np.load(path / "weights.npz", allow_pickle=False) as arrays:
        steps = [_step(i, step, arrays) for i, step in enumerate(described["steps"])]
    return read_client(path / "client.json"), steps


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise MalformedError(f"{path}: no JSON: {error}") from None


def _step(i: int, found: dict[str, Any], arrays: Any) -> Step:
    if found["step"] == "affine":
        return Affine(arrays[f"weights{i}"], arrays[f"bias{i}"])
    if found["step"] == "squares":
        return Squares()
    return Polynomial(found["function"], found["low"], found["high"], found["degree"])
