"""Byte strings in a folder, named by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType


class Blobs:
    """A folder of blobs. A blob is written to a temporary file, flushed to the disk and then
    renamed, so that a blob is complete or is not there. A blob that nobody needs is removed at
    once."""

    def __init__(self, folder: Path, needed: Callable[[str], bool]) -> None:
        """`needed` says whether the database refers to a blob."""
        self._folder, self._temporary, self._needed = folder / "blobs", folder / "incoming", needed
        self._lock = threading.Lock()
        #: How many requests are about to refer to a blob.
        self._held: Counter[str] = Counter()
        for place in (self._folder, self._temporary):
            private_folder(place)
        sync_folder(self._folder)
        # files of an earlier run, which nobody will complete
        for path in self._temporary.iterdir():
            path.unlink()

    def path(self, digest: str) -> Path:
        """Where the blob is."""
        return self._folder / digest[:2] / digest

    def incoming(self) -> Incoming:
        """A new blob, to be written."""
        return Incoming(self._temporary / os.urandom(16).hex())

    @contextmanager
    def holding(self) -> Iterator[Holding]:
        """Blobs that somebody is about to refer to. After the block, those that the database does
        not need are removed."""
        held = Holding(self)
        try:
            yield held
        finally:
            with self._lock:
                self._held.subtract(held.digests)
                self._held += Counter()
            self.drop(held.digests)

    def drop(self, digests: Iterable[str | None]) -> None:
        """Removes those blobs that nobody needs any more."""
        for digest in {digest for digest in digests if digest is not None}:
            with self._lock:
                if not self._held[digest] and not self._needed(digest):
                    self.path(digest).unlink(missing_ok=True)

    def sweep(self, needed: Collection[str]) -> None:
        """Removes all blobs that nobody needs. Only a crash leaves some. Those in `needed` were needed
        a moment ago, and are not looked at."""
        found = [path.name for folder in self._folder.iterdir() for path in folder.iterdir()]
        self.drop(name for name in found if name not in needed)

    def _hold(self, digest: str, source: Path | None) -> None:
        target = self.path(digest)
        with self._lock:
            self._held[digest] += 1
            if new := source is not None and not target.parent.exists():
                target.parent.mkdir()
            if source is not None:
                os.replace(source, target)
        if source is not None:
            sync_folder(target.parent)
        if new:
            sync_folder(self._folder)


class Holding:
    """Blobs that a request is about to refer to."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self.digests: list[str] = []

    def keep(self, digest: str) -> bool:
        """Holds a blob; False if it is not there."""
        return self._added(digest, None).exists()

    def adopt(self, source: Path, digest: str) -> None:
        """Makes a blob of a complete file with this digest, which is on the disk already."""
        self._added(digest, source)

    def commit(self, incoming: Incoming) -> str:
        """Makes a blob of what was written, and returns its digest."""
        digest = incoming.flush()
        incoming.close()
        self.adopt(incoming.path, digest)
        return digest

    def _added(self, digest: str, source: Path | None) -> Path:
        self.digests.append(digest)
        self._blobs._hold(digest, source)
        return self._blobs.path(digest)


class Incoming:
    """A blob that is being written. Nothing stays unless somebody adopts the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("xb")
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Appends bytes."""
        self._file.write(data)
        self._hash.update(data)

    def flush(self) -> str:
        """Brings all bytes to the disk, and returns the digest."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._hash.hexdigest()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Incoming:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self.path.unlink(missing_ok=True)


#: What systems and imported packages put into a folder that nobody has used.
_HARMLESS = {"lost+found", ".cache"}


class ForeignFolder(ValueError):
    """A folder that is not the service's own."""


def service_folder(path: Path) -> None:
    """Makes the folder of a service, or takes one that is empty or has been a service's before. The
    service removes what it does not know from its folder, and closes the folder to others."""
    if path.is_dir() and not path.is_symlink():
        there = {entry.name for entry in path.iterdir()} - _HARMLESS
        lock = path / "lock"
        if there and "ringjet.db" not in there and not (lock.is_file() and lock.stat().st_size == 0):
            detail = "has files, and no service has used it: give the service a folder of its own, new or empty"
            raise ForeignFolder(f"--folder {path} {detail}")
    private_folder(path)


def private_folder(path: Path) -> None:
    """Makes a folder that only its owner may enter, also where it is there already. Refuses a folder
    of another user, and a link to a folder."""
    if path.is_symlink():
        raise ForeignFolder(f"{path} is a symbolic link: name the folder itself, {path.resolve()}")
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = path.stat()
    if found.st_uid != os.geteuid():
        raise ForeignFolder(f"{path} belongs to user {found.st_uid}, and the service runs as user {os.geteuid()}")
    if found.st_mode & 0o077:
        path.chmod(0o700)


def sync_folder(path: Path) -> None:
    """Brings the names in a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
