"""Uploads of evaluation keys."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from .._ringjet import EvaluationKeys, Parameters
from ..errors import RingjetError
from . import _header, _problems
from ._access import Caller
from ._blobs import Blobs, private_folder, sync_folder
from ._options import Options
from ._problems import Problem
from ._rooms import Rooms
from ._tables import Database, keys, uploads

#: How long an upload may rest before it is removed.
UPLOAD_TTL = 86400.0
#: How often a part that takes long says that somebody goes on with its upload.
TOUCH_EVERY = 600.0
_PIECE = 1 << 20
#: Expanded keys take at least this many times the bytes that are sent: half of each key is sent as
#: a seed.
_LEAST_GROWTH = 2


class Keys:
    """The evaluation keys of all tenants."""

    def __init__(
        self, database: Database, blobs: Blobs, rooms: Rooms, options: Options, known: dict[str, Parameters]
    ) -> None:
        self._database, self._blobs, self._rooms, self._options = database, blobs, rooms, options
        #: The parameter sets of the service by their fingerprints.
        self._known = known
        self._folder = options.folder / "uploads"
        private_folder(self._folder)
        self._busy: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        # keys are verified one at a time, which bounds the memory
        self._verifying = threading.Lock()

    @contextmanager
    def exclusive(self, caller: Caller, key_id: str) -> Iterator[None]:
        """Keeps other requests from changing the same keys."""
        name = (caller.tenant, key_id)
        with self._lock:
            if name in self._busy:
                raise Problem("conflict", "another request is changing these keys now: ask for their state, and go on")
            self._busy.add(name)
        try:
            yield
        finally:
            with self._lock:
                self._busy.discard(name)

    def find(self, tenant: str, key_id: str) -> Row[Any] | None:
        """The complete keys."""
        with self._database.read() as db:
            return db.execute(select(keys).where(keys.c.tenant == tenant, keys.c.key_id == key_id)).first()

    def state(self, caller: Caller, key_id: str) -> dict[str, Any]:
        """The state of keys and of their upload."""
        row, upload = self.find(caller.tenant, key_id), self._upload(caller, key_id)
        if row is None and upload is None:
            raise Problem("not-found", f"there are no keys {key_id}", key_id=key_id)
        document: dict[str, Any] = {"key_id": key_id, "state": "receiving" if row is None else "ready"}
        if row is not None:
            document |= {"size": row.size, "sha256": row.digest, "parameters": row.fingerprint, "expires": row.expires}
            document["keys"] = json.loads(row.spec)
        if upload is not None:
            document["upload"] = {"received": self._received(upload), "total": upload.total, "sha256": upload.digest}
        return document

    def begin(self, caller: Caller, key_id: str, digest: str, start: int, total: int) -> tuple[Path, int]:
        """Prepares the next part of an upload, from byte `start` on. Returns the file and the
        number of bytes that are there."""
        upload = self._upload(caller, key_id)
        if upload is not None and (upload.digest, upload.total) == (digest, total):
            received = self._received(upload)
            if start == 0 and received:
                # a part that comes again; whoever starts over sends the same bytes
                received = 0
            if start != received:
                raise Problem(
                    "conflict", f"{received} bytes are here: go on from there", received=received, total=total
                )
            return self._folder / upload.file, received
        if start:
            raise Problem("conflict", "no such upload is here: begin with byte 0", received=0, total=total)
        if upload is not None:
            self._forget(caller, key_id, self._folder / upload.file)
        file = os.urandom(16).hex()
        row = {"tenant": caller.tenant, "key_id": key_id, "digest": digest, "total": total, "file": file}
        # all of it counts from now on, although the bytes are still to come
        with self._rooms.hold(caller.tenant, total), self._database.write() as db:
            db.execute(insert(uploads).values(**row, expires=time.time() + UPLOAD_TTL))
        (self._folder / file).touch(exist_ok=False)
        return self._folder / file, 0

    def check_size(self, total: int) -> None:
        """Refuses keys by their size alone, before they come."""
        o = self._options
        if total > o.max_key_bytes:
            raise Problem(
                "too-large", f"keys of {total} bytes, and at most {o.max_key_bytes} are taken", limit=o.max_key_bytes
            )
        if total * _LEAST_GROWTH > o.max_memory:
            raise self._too_much_memory(total * _LEAST_GROWTH, "at least ")

    def check_beginning(self, caller: Caller, key_id: str, path: Path, begin: bytes, total: int) -> bool:
        """Refuses what is not these keys as soon as their header has come; False if it has not. The
        upload is forgotten then."""
        try:
            if (header := _header.of_beginning(begin, total)) is None:
                return False
            self._check_header(header, key_id)
        except Problem:
            self._forget(caller, key_id, path)
            raise
        return True

    def touch(self, caller: Caller, key_id: str) -> None:
        """Keeps an upload alive."""
        mine = (uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id)
        with self._database.write() as db:
            db.execute(update(uploads).where(*mine).values(expires=time.time() + UPLOAD_TTL))

    def complete(self, caller: Caller, key_id: str) -> None:
        """Verifies an upload of which all bytes came, and makes keys of it. Bytes that are no keys
        are removed."""
        upload = self._upload(caller, key_id)
        assert upload is not None
        path = self._folder / upload.file
        try:
            fingerprint, memory, spec = self._verified(path, key_id, upload.digest)
        except Problem:
            self._forget(caller, key_id, path)
            raise
        now, before = time.time(), self.find(caller.tenant, key_id)
        mine = (keys.c.tenant == caller.tenant, keys.c.key_id == key_id)
        row = {"tenant": caller.tenant, "key_id": key_id, "digest": upload.digest, "size": upload.total}
        row |= {"fingerprint": fingerprint, "memory": memory, "spec": json.dumps(spec)}
        # the blob comes first: after a crash in between, the upload is repeated
        with self._going(before), self._blobs.holding() as holding:
            holding.adopt(path, upload.digest)
            with self._database.write() as db:
                db.execute(delete(keys).where(*mine))
                db.execute(delete(uploads).where(uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id))
                db.execute(insert(keys).values(**row, created=now, expires=now + self._options.key_ttl))

    def remove(self, caller: Caller, key_id: str) -> None:
        """Removes keys and their upload."""
        upload, row = self._upload(caller, key_id), self.find(caller.tenant, key_id)
        with self._rooms.until_gone(caller.tenant, 0 if upload is None else upload.total):
            with self._going(row), self._database.write() as db:
                gone = [
                    db.execute(delete(table).where(table.c.tenant == caller.tenant, table.c.key_id == key_id)).rowcount
                    for table in (keys, uploads)
                ]
            if upload is not None:
                (self._folder / upload.file).unlink(missing_ok=True)
        if not any(gone):
            raise Problem("not-found", f"there are no keys {key_id}", key_id=key_id)

    def tidy(self) -> None:
        """Removes files of uploads that nobody goes on with."""
        # an upload is in the database before its file is there
        found = list(self._folder.iterdir())
        with self._database.read() as db:
            known = {row.file for row in db.execute(select(uploads.c.file))}
        for path in found:
            if path.name not in known:
                path.unlink(missing_ok=True)

    @contextmanager
    def _going(self, row: Row[Any] | None) -> Iterator[None]:
        """Removes keys that the database does not list any more after the block. Until then they
        count."""
        if row is None:
            yield
            return
        with self._rooms.until_gone(row.tenant, row.size):
            yield
            self._blobs.drop([row.digest])

    def _upload(self, caller: Caller, key_id: str) -> Row[Any] | None:
        query = select(uploads).where(uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id)
        with self._database.read() as db:
            return db.execute(query).first()

    def _received(self, upload: Row[Any]) -> int:
        try:
            return int((self._folder / upload.file).stat().st_size)
        except FileNotFoundError:
            return 0

    def _forget(self, caller: Caller, key_id: str, path: Path) -> None:
        upload = self._upload(caller, key_id)
        with self._rooms.until_gone(caller.tenant, 0 if upload is None else upload.total):
            with self._database.write() as db:
                db.execute(delete(uploads).where(uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id))
            path.unlink(missing_ok=True)

    def _check_header(self, header: _header.Header, key_id: str) -> Parameters:
        if header.key_id != key_id:
            raise Problem("invalid", f"these are the keys {header.key_id}, not {key_id}", found=header.key_id)
        if (params := self._known.get(header.fingerprint)) is None:
            raise Problem(
                "invalid", "no program of this service has the parameters of these keys", found=header.fingerprint
            )
        return params

    def _verified(self, path: Path, key_id: str, digest: str) -> tuple[str, int, dict[str, Any]]:
        """Loads keys strictly. Returns the fingerprint of their parameters, their memory, and which
        keys they are."""
        if (found := _sha256(path)) != digest:
            raise Problem(
                "invalid", f"the bytes have the SHA-256 {found}, not {digest}: upload them again", sha256=found
            )
        header = _header.of_keys(path)
        params = self._check_header(header, key_id)
        with self._verifying:
            memory, loaded = self._loaded(path, params)
        if memory > self._options.max_memory:
            raise self._too_much_memory(memory)
        return header.fingerprint, memory, json.loads(loaded._request)

    def _too_much_memory(self, memory: int, least: str = "") -> Problem:
        detail = f"the keys take {least}{memory} bytes of memory; the service has {self._options.max_memory} for keys"
        return Problem("too-large", detail, limit=self._options.max_memory)

    def _loaded(self, path: Path, params: Parameters) -> tuple[int, EvaluationKeys]:
        """Keys, and the memory that they take for computing. They are loaded in half of it where
        the scheme has a compressed form, which schemes without levels lack."""
        compressed = params.top_level is not None
        try:
            loaded = EvaluationKeys.load(
                path,
                max_bytes=self._options.max_key_bytes,
                allow_insecure=params.allow_insecure,
                key_memory="compressed" if compressed else "expanded",
            )
        except RingjetError as error:
            raise _problems.of(error) from None
        return loaded.sizes["in_memory"] * (2 if compressed else 1), loaded


def append(path: Path, at: int, piece: bytes) -> None:
    """Writes bytes into a file from position `at` on, and brings them to the disk."""
    with path.open("r+b") as file:
        file.truncate(at)
        file.seek(at)
        file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
