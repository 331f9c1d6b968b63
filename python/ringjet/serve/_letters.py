"""Letters of several parties: bytes that each sends to all others, in rounds."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from ._access import Caller
from ._blobs import Blobs, Incoming
from ._options import Options
from ._problems import Problem
from ._rooms import Room, Rooms
from ._tables import Database, letters


class Letters:
    """The letters of all tenants. A letter never changes, so that nobody can say two things to two
    others. The service does not read them."""

    def __init__(self, database: Database, blobs: Blobs, rooms: Rooms, options: Options) -> None:
        self._database, self._blobs, self._rooms, self._options = database, blobs, rooms, options

    def listed(self, caller: Caller, session: str, topic: str) -> list[dict[str, Any]]:
        """The letters of a round, without their contents, by the names of their senders."""
        caller.check_key(session)
        query = select(letters).where(*_round(caller, session, topic)).order_by(letters.c.sender)
        with self._database.read() as db:
            return [{"sender": r.sender, "size": r.size, "sha256": r.digest} for r in db.execute(query)]

    def find(self, caller: Caller, session: str, topic: str, sender: str) -> Row[Any]:
        """A letter."""
        caller.check_key(session)
        with self._database.read() as db:
            row = _named(db, caller, session, topic, sender)
        if row is None:
            raise Problem("not-found", f"{sender} has sent no letter {topic} in session {session}", sender=sender)
        return row

    @contextmanager
    def arriving(self, caller: Caller, session: str, length: int | None) -> Iterator[Arriving]:
        """A letter that comes, of `length` bytes if that is known."""
        caller.check_key(session)
        with self._rooms.hold(caller.tenant, length or 0) as room, self._blobs.incoming() as incoming:
            yield Arriving(incoming, room if length is None else None)

    def keep(
        self, caller: Caller, session: str, topic: str, sender: str, arriving: Arriving
    ) -> tuple[bool, dict[str, Any]]:
        """Stores a letter that has come completely. Returns whether it is new, and its description."""
        now, digest, size = time.time(), arriving.digest, arriving.size
        place = {"tenant": caller.tenant, "session": session, "topic": topic, "sender": sender}
        with self._blobs.holding() as holding:
            holding.commit(arriving.incoming)
            with self._database.write() as db:
                known = _named(db, caller, session, topic, sender)
                if known is not None and known.digest != digest:
                    detail = f"{sender} has sent another letter {topic} before, and a letter does not change"
                    raise Problem("conflict", detail, sender=sender, sha256=known.digest)
                if known is None:
                    row = {"digest": digest, "size": size, "created": now, "expires": now + self._options.data_ttl}
                    db.execute(insert(letters).values(**place, **row))
        return known is None, {"sender": sender, "size": size, "sha256": digest}

    def remove(self, caller: Caller, session: str) -> None:
        """Forgets all letters of a session."""
        caller.check_key(session)
        mine = (letters.c.tenant == caller.tenant, letters.c.session == session)
        with self._database.read() as db:
            rows = list(db.execute(select(letters).where(*mine)))
        with self._rooms.until_gone(caller.tenant, sum(row.size for row in rows)):
            with self._database.write() as db:
                db.execute(delete(letters).where(*mine))
            self._blobs.drop([row.digest for row in rows])


class Arriving:
    """A letter on its way, and the room for it; None where there is room for all of it."""

    def __init__(self, incoming: Incoming, room: Room | None) -> None:
        self.incoming, self._room = incoming, room
        self._hash, self.size = hashlib.sha256(), 0

    def feed(self, piece: bytes) -> None:
        """Takes the next bytes."""
        if self._room is not None:
            self._room.grow(len(piece))
        self.size += len(piece)
        self._hash.update(piece)
        self.incoming.write(piece)

    @property
    def digest(self) -> str:
        """SHA-256 of what has come, in hexadecimal."""
        return self._hash.hexdigest()


def _round(caller: Caller, session: str, topic: str) -> tuple[Any, ...]:
    return (letters.c.tenant == caller.tenant, letters.c.session == session, letters.c.topic == topic)


def _named(db: Connection, caller: Caller, session: str, topic: str, sender: str) -> Row[Any] | None:
    return db.execute(select(letters).where(*_round(caller, session, topic), letters.c.sender == sender)).first()
