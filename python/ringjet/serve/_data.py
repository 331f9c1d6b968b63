"""Ciphertexts that clients store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from . import _header
from ._access import Caller
from ._arrivals import Arrival
from ._blobs import Blobs
from ._options import Options
from ._problems import Problem
from ._rooms import Room, Rooms
from ._tables import Database, data


class Data:
    """The ciphertexts of all tenants. A stored ciphertext never changes."""

    def __init__(
        self, database: Database, blobs: Blobs, rooms: Rooms, options: Options, longest: dict[str, int]
    ) -> None:
        self._database, self._blobs, self._rooms, self._options = database, blobs, rooms, options
        #: The longest ciphertext of each parameter set of the service, by its fingerprint.
        self._longest = longest

    def find(self, caller: Caller, name: str) -> Row[Any]:
        """A ciphertext of the caller."""
        with self._database.read() as db:
            row = _named(db, caller, name)
        if row is None:
            raise Problem("not-found", f"there is no ciphertext {name}", id=name)
        caller.check_owner(row.key_id, f"the ciphertext {name}")
        return row

    @contextmanager
    def arriving(self, caller: Caller, name: str, length: int | None) -> Iterator[Arriving]:
        """A ciphertext that comes, of `length` bytes if that is known. Bytes for a name that is there
        already are compared and not written."""

        def accept(header: _header.Header) -> None:
            caller.check_key(header.key_id)
            if (limit := self._longest.get(header.fingerprint)) is None:
                detail = "no program of this service has the parameters of this ciphertext"
                raise Problem("invalid", detail, found=header.fingerprint)
            _header.check_length(header, limit)

        with self._database.read() as db:
            known = _named(db, caller, name)
        with self._rooms.hold(caller.tenant, 0 if known is not None else length or 0) as room:
            arrival = Arrival(length, accept, None if known is not None else self._blobs.incoming())
            try:
                yield Arriving(arrival, room if known is None and length is None else None)
            finally:
                arrival.close()

    def keep(self, caller: Caller, name: str, arriving: Arriving) -> tuple[bool, dict[str, Any]]:
        """Stores a ciphertext that has come completely. Returns whether it is new, and its
        description."""
        digest, header = arriving.arrival.finish()
        now, incoming = time.time(), arriving.arrival.incoming
        row: dict[str, Any] = {
            "size": arriving.arrival.size,
            "fingerprint": header.fingerprint,
            "key_id": header.key_id,
        }
        row |= {"digest": digest, "created": now, "expires": now + self._options.data_ttl}
        with self._blobs.holding() as holding:
            if incoming is not None:
                holding.commit(incoming)
            with self._database.write() as db:
                known = _named(db, caller, name)
                if known is not None and known.digest != digest:
                    raise _conflict(caller, known)
                if known is not None:
                    db.execute(update(data).where(*_mine(caller, name)).values(expires=row["expires"]))
                elif incoming is None:
                    raise Problem("conflict", "the ciphertext was deleted meanwhile: send it again", id=name)
                else:
                    db.execute(insert(data).values(tenant=caller.tenant, id=name, **row))
        return known is None, {"id": name, "size": row["size"], "sha256": digest, "key_id": header.key_id}

    def remove(self, caller: Caller, name: str) -> None:
        """Forgets a ciphertext. Jobs that were started with it keep it until they are finished."""
        row = self.find(caller, name)
        with self._rooms.until_gone(caller.tenant, row.size):
            with self._database.write() as db:
                db.execute(delete(data).where(*_mine(caller, name)))
            self._blobs.drop([row.digest])


class Arriving:
    """A ciphertext on its way, and the room for it; None where there is room for all of it."""

    def __init__(self, arrival: Arrival, room: Room | None) -> None:
        self.arrival, self._room = arrival, room

    def feed(self, piece: bytes) -> None:
        """Takes the next bytes."""
        if self._room is not None:
            self._room.grow(len(piece))
        self.arrival.feed(piece)


def _mine(caller: Caller, name: str) -> tuple[Any, ...]:
    return (data.c.tenant == caller.tenant, data.c.id == name)


def _named(db: Connection, caller: Caller, name: str) -> Row[Any] | None:
    return db.execute(select(data).where(*_mine(caller, name))).first()


def _conflict(caller: Caller, known: Row[Any]) -> Problem:
    detail = "there is another ciphertext of this name, which does not change: delete it, or take another name"
    shown = {"sha256": known.digest} if caller.may_use(known.key_id) else {}
    return Problem("conflict", detail, id=known.id, **shown)
