"""Byte strings in a folder, named by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from types import TracebackType


class Blobs:
    """A folder of blobs. A blob is written to a temporary file, flushed to the disk and then
    renamed, so that a blob is complete or is not there."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._temporary = folder / "blobs", folder / "incoming"
        self._lock = threading.Lock()
        for place in (self._folder, self._temporary):
            place.mkdir(parents=True, exist_ok=True)
        sync_folder(self._folder)
        # files of an earlier run, which nobody will complete
        for path in self._temporary.iterdir():
            path.unlink()

    def path(self, digest: str) -> Path:
        """Where the blob is."""
        return self._folder / digest[:2] / digest

    def incoming(self) -> Incoming:
        """A new blob, to be written."""
        return Incoming(self, self._temporary / os.urandom(16).hex())

    def put(self, pieces: Iterable[bytes]) -> tuple[str, int]:
        """Writes a blob, and returns its digest and size."""
        with self.incoming() as blob:
            for piece in pieces:
                blob.write(piece)
            return blob.commit()

    def adopt(self, source: Path, digest: str) -> None:
        """Makes a blob of a complete file with this digest, which is on the disk already."""
        target = self.path(digest)
        # a fresh time keeps the blob from being swept before somebody refers to it
        os.utime(source)
        with self._lock:
            if new := not target.parent.exists():
                target.parent.mkdir()
            os.replace(source, target)
        sync_folder(target.parent)
        if new:
            sync_folder(self._folder)

    def touch(self, digest: str) -> None:
        """Keeps a blob from being swept for a while, because somebody is about to refer to it."""
        with self._lock:
            os.utime(self.path(digest))

    def sweep(self, keep: Collection[str], age: float) -> int:
        """Removes blobs that are not in `keep` and are older than `age` seconds. Returns how
        many."""
        limit, removed = time.time() - age, 0
        for path in self._all():
            with self._lock:
                if path.name not in keep and path.stat().st_mtime < limit:
                    path.unlink()
                    removed += 1
        return removed

    def _all(self) -> Iterator[Path]:
        for folder in self._folder.iterdir():
            yield from folder.iterdir()


class Incoming:
    """A blob that is being written. Without `commit` nothing stays."""

    def __init__(self, blobs: Blobs, path: Path) -> None:
        self._blobs, self.path = blobs, path
        self._file = path.open("xb")
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        """Appends bytes."""
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    def complete(self) -> Path:
        """The file, in which all bytes can be read now."""
        self._file.flush()
        return self.path

    def flush(self) -> str:
        """Brings all bytes to the disk, and returns the digest."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._hash.hexdigest()

    def commit(self) -> tuple[str, int]:
        """Makes the blob, and returns its digest and size."""
        digest = self.flush()
        self._file.close()
        self._blobs.adopt(self.path, digest)
        return digest, self.size

    def __enter__(self) -> Incoming:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Brings the names in a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
