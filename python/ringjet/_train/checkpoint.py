"""Saves a training run, so that it can continue after an interruption.

A checkpoint holds data that a server may have: the plan, the encrypted state, the encrypted weights
so far, and a keyed hash of them. Next to it is the client's file, whose name ends in `.secret`. It
has 32 random bytes, from which the same keys and encryptions are made again. Whoever has this file
can decrypt everything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._ringjet import Server
from ..cluster import Cluster
from ..ml import State, TrainingPlan

Vector = npt.NDArray[np.float64]

_FORMAT = 2

#: The name of the part with the keyed hash of the other parts.
_SEAL = "seal"


class CheckpointError(Exception):
    """A checkpoint that cannot be used for this run."""


@dataclass
class Progress:
    """The public data of the finished iterations."""

    done: int = 0
    #: For each iteration: level before and after, seconds of its bootstrap and of the iteration,
    #: and
    #: the factor of its weights.
    iterations: list[dict[str, float]] = field(default_factory=list)
    #: The weights after each iteration, as small ciphertexts.
    curve: list[bytes] = field(default_factory=list)
    v: bytes = b""
    w: bytes = b""
    factor: float = 1.0

    def state(self, server: Server | Cluster) -> State | None:
        """The state from which training continues; None before the first iteration."""
        return State(self.done, server.load(self.v), server.load(self.w), self.factor) if self.done else None


def secret_of(path: Path) -> bytes:
    """The client's 32 secret bytes for the checkpoint at `path`. If there is no checkpoint, new
    bytes are made, since the old ones must not encrypt other data. Any other file of that name, such
    as a client's key, is left alone."""
    secret = path.with_name(path.name + ".secret")
    if secret.exists() and secret.stat().st_size != 32:
        raise CheckpointError(
            f"{secret} has {secret.stat().st_size} bytes, and a checkpoint's secret has 32: choose another name for the checkpoint"
        )
    if not path.exists():
        secret.unlink(missing_ok=True)
        descriptor = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(32))
    elif not secret.exists():
        raise CheckpointError(f"{secret} is missing: without it nobody can go on with {path}")
    return secret.read_bytes()


@dataclass(frozen=True)
class Run:
    """The data that identify the run of a checkpoint."""

    plan: TrainingPlan
    #: A keyed hash of plan and samples, with a key from the seed. It detects the use of one seed
    #: for different data, and reveals nothing without the seed.
    digest: str
    #: The key that authenticates checkpoints, derived from the seed.
    key: bytes = field(repr=False)

    @staticmethod
    def of(seed: int | bytes, plan: TrainingPlan, rows: Vector) -> Run:
        """The run with these plan, samples and seed."""
        key = hashlib.blake2b(repr(seed).encode(), digest_size=32).digest()
        tag = hashlib.blake2b(key=key, digest_size=16)
        tag.update(plan.to_json().encode())
        tag.update(np.ascontiguousarray(rows).tobytes())
        return Run(plan, tag.hexdigest(), key)

    def seal(self, members: dict[str, bytes]) -> bytes:
        """A keyed hash of all parts of a checkpoint. It cannot be computed without the seed, so a
        changed counter or parts of another checkpoint are detected."""
        seal = hashlib.blake2b(key=self.key, digest_size=32, person=b"checkpoint")
        for name, data in sorted(members.items()):
            for part in (name.encode(), data):
                seal.update(len(part).to_bytes(8, "little"))
                seal.update(part)
        return seal.digest()


def save(path: Path, run: Run, progress: Progress) -> None:
    """Writes the checkpoint. If writing fails, an existing checkpoint stays."""
    fields: dict[str, Any] = {
        "format": _FORMAT,
        "plan": run.plan.to_json(),
        "digest": run.digest,
        "done": progress.done,
        "factor": progress.factor,
        "iterations": progress.iterations,
    }
    members = {"run.json": json.dumps(fields).encode(), "v": progress.v, "w": progress.w}
    members |= {f"weights/{i}": weights for i, weights in enumerate(progress.curve)}
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        with zipfile.ZipFile(file, "w") as out:
            for name, data in {**members, _SEAL: run.seal(members)}.items():
                out.writestr(name, data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def restore(path: Path, run: Run) -> Progress:
    """Reads the checkpoint; without one, returns the progress of a new run."""
    if not path.exists():
        return Progress()
    try:
        members = _members(path)
        seal = members.pop(_SEAL)
        fields = json.loads(members["run.json"])
        known = fields["format"] == _FORMAT
        same = (fields["plan"], fields["digest"]) == (run.plan.to_json(), run.digest)
    except _DAMAGE as error:
        raise CheckpointError(
            f"{path} is no checkpoint of a training run: {str(error) or type(error).__name__}"
        ) from None
    if not known:
        raise CheckpointError(f"{path} has format {fields['format']!r}: this version knows {_FORMAT}")
    if not same:
        raise CheckpointError(
            f"{path} belongs to a run with other data or settings: give the same ones, or another file, or delete this one"
        )
    if not hmac.compare_digest(seal, run.seal(members)):
        raise CheckpointError(
            f"{path} is not as it was written: it was changed or damaged. Give a copy of it, or delete it to begin again"
        )
    curve = [members[f"weights/{i}"] for i in range(fields["done"])]
    return Progress(fields["done"], fields["iterations"], curve, members["v"], members["w"], fields["factor"])


#: Exceptions of reading a file that is not a checkpoint, besides errors of the file system.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)


def _members(path: Path) -> dict[str, bytes]:
    """The parts of a checkpoint. They are not compressed, so together they are no larger than the
    file."""
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        packed = any(info.compress_type != zipfile.ZIP_STORED for info in infos)
        if packed or sum(info.file_size for info in infos) > path.stat().st_size:
            raise ValueError("its parts are compressed")
        return {info.filename: archive.read(info) for info in infos}
