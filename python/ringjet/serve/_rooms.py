"""Bytes that tenants are about to store. With the stored ones they stay within the quota."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ._access import Access, stored_bytes
from ._problems import later
from ._tables import Database


class Rooms:
    """The room that requests and jobs hold on the disk while they write, before their bytes are in
    the database."""

    def __init__(self, database: Database, access: Access) -> None:
        self._database, self._access = database, access
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, tenant: str, size: int = 0) -> Iterator[Room]:
        """Room for `size` bytes of a tenant; refuses what would exceed the quota. Until the end of
        the block it counts in addition to what the database lists."""
        room = Room(self, tenant)
        try:
            room.grow(size)
            yield room
        finally:
            self._add(tenant, -room.size)

    @contextmanager
    def until_gone(self, tenant: str, size: int) -> Iterator[None]:
        """Counts bytes that the database lists no more, until their files are removed at the end of
        the block."""
        self._add(tenant, size)
        try:
            yield
        finally:
            self._add(tenant, -size)

    def _add(self, tenant: str, size: int) -> None:
        with self._lock:
            self._held[tenant] += size
            if not self._held[tenant]:
                del self._held[tenant]

    def _take(self, tenant: str, more: int) -> None:
        with self._lock:
            with self._database.read() as db:
                quota, used = self._access.quota(db, tenant).bytes, stored_bytes(db, tenant) + self._held[tenant]
            if used + more > quota:
                detail = f"{used} bytes are stored or on their way, {more} more would exceed the quota of {quota}: delete keys or data"
                raise later("quota", detail, 60, quota="bytes", used=used, limit=quota)
            self._held[tenant] += more


class Room:
    """The room of one request or job."""

    def __init__(self, rooms: Rooms, tenant: str) -> None:
        self._rooms, self._tenant = rooms, tenant
        self.size = 0

    def grow(self, more: int) -> None:
        """Makes room for more bytes, or refuses them."""
        if more:
            self._rooms._take(self._tenant, more)
            self.size += more
