"""A training run on disk, so that it can go on after an interruption.

The checkpoint is what a server may have: the plan, the state and the weights so far, all encrypted. Beside it lies the
client's file, whose name ends in `.secret`: 32 random bytes from which keys and encryptions are made again, the same to the
bit. Whoever has it can read everything.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import Server
from ..ml import State, TrainingPlan

Vector = npt.NDArray[np.float64]

_FORMAT = 1


class CheckpointError(Exception):
    """A checkpoint that does not belong to this run."""


@dataclass
class Progress:
    """What is known of the iterations done; nothing of it is secret."""

    done: int = 0
    #: For each iteration: level before and after, seconds of its bootstrap and of itself, the factor of its weights.
    iterations: list[dict[str, float]] = field(default_factory=list)
    #: The weights after each, as small ciphertexts.
    curve: list[bytes] = field(default_factory=list)
    v: bytes = b""
    w: bytes = b""
    factor: float = 1.0

    def state(self, server: Server) -> State | None:
        """Where training goes on."""
        return State(self.done, server.load(self.v), server.load(self.w), self.factor) if self.done else None


def secret_of(path: Path) -> bytes:
    """The client's 32 bytes that belong to the checkpoint at `path`; new ones where there is no checkpoint, as the same ones
    must not encrypt other data."""
    secret = path.with_name(path.name + ".secret")
    if not path.exists():
        secret.unlink(missing_ok=True)
        descriptor = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
    elif not secret.exists():
        raise CheckpointError(f"{secret} is missing: without it nobody can go on with {path}")
    data = secret.read_bytes()
    if len(data) != 32:
        raise CheckpointError(f"{secret} has {len(data)} bytes: 32 are expected")
    return data


def digest(seed: int | bytes, plan: TrainingPlan, rows: Vector) -> str:
    """Tells whether two runs encrypt the same: the same seed must not serve for different data. It says nothing to those who
    lack the seed."""
    key = hashlib.blake2b(repr(seed).encode(), digest_size=32).digest()
    tag = hashlib.blake2b(key=key, digest_size=16)
    tag.update(plan.to_json().encode())
    tag.update(np.ascontiguousarray(rows).tobytes())
    return tag.hexdigest()


def save(path: Path, plan: TrainingPlan, tag: str, progress: Progress) -> None:
    """Writes the checkpoint, or leaves the one there is."""
    fields: dict[str, Any] = {
        "format": _FORMAT,
        "plan": plan.to_json(),
        "digest": tag,
        "done": progress.done,
        "factor": progress.factor,
        "iterations": progress.iterations,
    }
    part = path.with_name(path.name + ".part")
    with zipfile.ZipFile(part, "w") as out:
        out.writestr("run.json", json.dumps(fields))
        out.writestr("v", progress.v)
        out.writestr("w", progress.w)
        for i, weights in enumerate(progress.curve):
            out.writestr(f"weights/{i}", weights)
    os.replace(part, path)


def restore(path: Path, plan: TrainingPlan, tag: str) -> Progress:
    """What the checkpoint says; nothing done where there is none."""
    if not path.exists():
        return Progress()
    try:
        with zipfile.ZipFile(path) as archive:
            fields = json.loads(archive.read("run.json"))
            if fields["format"] != _FORMAT:
                raise CheckpointError(f"{path} has format {fields['format']}: this version knows {_FORMAT}")
            same = fields["plan"] == plan.to_json() and fields["digest"] == tag
            curve = [archive.read(f"weights/{i}") for i in range(fields["done"])]
            v, w = archive.read("v"), archive.read("w")
            progress = Progress(fields["done"], fields["iterations"], curve, v, w, fields["factor"])
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{path} is no checkpoint of a training run: {error}") from None
    if not same:
        raise CheckpointError(
            f"{path} belongs to a run with other data or settings: give the same ones, or another file, or delete this one"
        )
    return progress
