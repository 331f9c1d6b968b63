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

from .. import EvaluationKeys, Parameters, RingjetError
from . import _header, _problems
from ._access import Access, Caller
from ._blobs import Blobs, sync_folder
from ._options import Options
from ._problems import Problem
from ._tables import Database, keys, uploads

#: How long an upload may rest before it is removed.
UPLOAD_TTL = 86400.0
_PIECE = 1 << 20


class Keys:
    """The evaluation keys of all tenants."""

    def __init__(
        self, database: Database, blobs: Blobs, access: Access, options: Options, known: dict[str, Parameters]
    ) -> None:
        self._database, self._blobs, self._access, self._options = database, blobs, access, options
        #: The parameter sets of the service by their fingerprints.
        self._known = known
        self._folder = options.folder / "uploads"
        self._folder.mkdir(parents=True, exist_ok=True)
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
                raise Problem("conflict", f"{received} bytes are here: go on from there", received=received, total=total)
            return self._folder / upload.file, received
        if start:
            raise Problem("conflict", "no such upload is here: begin with byte 0", received=0, total=total)
        file = os.urandom(16).hex()
        (self._folder / file).touch(exist_ok=False)
        with self._database.write() as db:
            db.execute(delete(uploads).where(uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id))
            try:
                self._access.check_bytes(db, caller.tenant, total)
            except Problem:
                (self._folder / file).unlink()
                raise
            row = {"tenant": caller.tenant, "key_id": key_id, "digest": digest, "total": total, "file": file}
            db.execute(insert(uploads).values(**row, expires=time.time() + UPLOAD_TTL))
        if upload is not None:
            (self._folder / upload.file).unlink(missing_ok=True)
        return self._folder / file, 0

    def received(self, caller: Caller, key_id: str) -> int:
        """How many bytes of the upload are here."""
        upload = self._upload(caller, key_id)
        return 0 if upload is None else self._received(upload)

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
            fingerprint, spec = self._verified(path, key_id, upload.digest)
        except Problem:
            self._forget(caller, key_id, path)
            raise
        # the blob comes first: after a crash in between, the upload is repeated
        self._blobs.adopt(path, upload.digest)
        now = time.time()
        mine = (keys.c.tenant == caller.tenant, keys.c.key_id == key_id)
        row = {"tenant": caller.tenant, "key_id": key_id, "digest": upload.digest, "size": upload.total}
        with self._database.write() as db:
            db.execute(delete(keys).where(*mine))
            db.execute(delete(uploads).where(uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id))
            made = {
                "fingerprint": fingerprint,
                "spec": json.dumps(spec),
                "created": now,
                "expires": now + self._options.key_ttl,
            }
            db.execute(insert(keys).values(**row, **made))

    def remove(self, caller: Caller, key_id: str) -> None:
        """Removes keys and their upload."""
        upload = self._upload(caller, key_id)
        with self._database.write() as db:
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
        with self._database.read() as db:
            known = {row.file for row in db.execute(select(uploads.c.file))}
        limit = time.time() - 600
        for path in self._folder.iterdir():
            if path.name not in known and path.stat().st_mtime < limit:
                path.unlink(missing_ok=True)

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
        with self._database.write() as db:
            db.execute(delete(uploads).where(uploads.c.tenant == caller.tenant, uploads.c.key_id == key_id))
        path.unlink(missing_ok=True)

    def _verified(self, path: Path, key_id: str, digest: str) -> tuple[str, dict[str, Any]]:
        """Loads keys strictly. Returns the fingerprint of their parameters, and which keys they
        are."""
        if (found := _sha256(path)) != digest:
            raise Problem("invalid", f"the bytes have the SHA-256 {found}, not {digest}: upload them again", sha256=found)
        header = _header.of_file(path, _header.KEYS)
        if header.key_id != key_id:
            raise Problem("invalid", f"these are the keys {header.key_id}, not {key_id}", found=header.key_id)
        if (params := self._known.get(header.fingerprint)) is None:
            raise Problem("invalid", "no program of this service has the parameters of these keys", found=header.fingerprint)
        with self._verifying:
            memory, loaded = self._loaded(path, params)
        if memory > self._options.max_memory:
            detail = f"the keys take {memory} bytes of memory; the service has {self._options.max_memory} for keys"
            raise Problem("too-large", detail, limit=self._options.max_memory)
        spec = {
            "rotations": loaded.rotations,
            "conjugation": loaded.conjugation,
            "relinearization": loaded.relinearization,
            "bootstrapping": loaded.bootstrapping,
        }
        return header.fingerprint, spec

    def _loaded(self, path: Path, params: Parameters) -> tuple[int, EvaluationKeys]:
        """Keys, and the memory that they take for computing. They are loaded in half of it where
        the scheme has a compressed form."""
        compressed = params.scheme != "heaan"
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


def append(path: Path, at: int, pieces: list[bytes]) -> None:
    """Writes bytes into a file from position `at` on, and brings them to the disk."""
    with path.open("r+b") as file:
        file.truncate(at)
        file.seek(at)
        for piece in pieces:
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
