"""Ciphertexts that clients store."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Row, delete, insert, select

from .. import Parameters
from . import _header
from ._access import Access, Caller
from ._blobs import Blobs, Incoming
from ._options import Options
from ._problems import Problem
from ._tables import Database, data


class Data:
    """The ciphertexts of all tenants. A stored ciphertext never changes."""

    def __init__(
        self, database: Database, blobs: Blobs, access: Access, options: Options, known: dict[str, Parameters]
    ) -> None:
        self._database, self._blobs, self._access, self._options, self._known = database, blobs, access, options, known

    def find(self, caller: Caller, name: str) -> Row[Any]:
        """A ciphertext of the caller."""
        with self._database.read() as db:
            row = db.execute(select(data).where(data.c.tenant == caller.tenant, data.c.id == name)).first()
        if row is None:
            raise Problem("not-found", f"there is no ciphertext {name}", id=name)
        caller.check_key(row.key_id)
        return row

    def keep(self, caller: Caller, name: str, incoming: Incoming) -> tuple[bool, dict[str, Any]]:
        """Stores a ciphertext that has come completely. Returns whether it is new, and its
        description."""
        digest = incoming.flush()
        header = check(_header.of_file(incoming.path, _header.CIPHERTEXT), caller, self._known)
        now = time.time()
        mine = (data.c.tenant == caller.tenant, data.c.id == name)
        with self._database.write() as db:
            known = db.execute(select(data).where(*mine)).first()
            if known is not None and known.digest != digest:
                detail = "there is another ciphertext of this name, which does not change: delete it, or take another name"
                raise Problem("conflict", detail, id=name, sha256=known.digest)
            if known is None:
                self._access.check_bytes(db, caller.tenant, incoming.size)
            incoming.commit()
            row = {"size": incoming.size, "fingerprint": header.fingerprint, "key_id": header.key_id, "digest": digest}
            row |= {"created": now, "expires": now + self._options.data_ttl}
            db.execute(delete(data).where(*mine))
            db.execute(insert(data).values(tenant=caller.tenant, id=name, **row))
        return known is None, {"id": name, "size": incoming.size, "sha256": digest, "key_id": header.key_id}

    def remove(self, caller: Caller, name: str) -> None:
        """Forgets a ciphertext. Jobs that were started with it keep it until they are finished."""
        self.find(caller, name)
        with self._database.write() as db:
            db.execute(delete(data).where(data.c.tenant == caller.tenant, data.c.id == name))


def check(header: _header.Header, caller: Caller, known: dict[str, Parameters]) -> _header.Header:
    """Refuses ciphertexts of keys that the caller may not use, and of unknown parameters."""
    caller.check_key(header.key_id)
    if header.fingerprint not in known:
        raise Problem("invalid", "no program of this service has the parameters of this ciphertext", found=header.fingerprint)
    return header
