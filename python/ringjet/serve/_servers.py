"""Expanded evaluation keys in memory, those used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from .._ringjet import EvaluationKeys, Parameters, Server


@dataclass(frozen=True)
class _Kept:
    server: Server
    bytes: int


class Servers:
    """The `Server`s of the keys that were used last, within a budget of memory."""

    def __init__(self, budget: int, threads: int, max_bytes: int) -> None:
        self._budget, self._threads, self._max_bytes = budget, threads, max_bytes
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()
        # keys are expanded one after the other, so that two jobs of one client do it once
        self._loading = threading.Lock()

    @property
    def bytes(self) -> int:
        """The memory of the keys that are kept."""
        with self._lock:
            return sum(kept.bytes for kept in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, digest: str, path: Path, size: int, params: Parameters) -> Server:
        """The server with the keys in this file. `digest` names the keys, which take `size` bytes of
        memory. There is room for them before they are loaded."""
        if found := self._find(digest):
            return found
        with self._loading:
            if found := self._find(digest):
                return found
            self._make_room(size)
            keys = EvaluationKeys.load(path, max_bytes=self._max_bytes, allow_insecure=params.allow_insecure)
            server = Server(keys, threads=self._threads, allow_insecure=params.allow_insecure)
            with self._lock:
                self._kept[digest] = _Kept(server, size)
            return server

    def forget(self, digest: str) -> None:
        """Drops keys. A job that uses them keeps them until it is finished."""
        with self._lock:
            self._kept.pop(digest, None)

    def _find(self, digest: str) -> Server | None:
        with self._lock:
            if (found := self._kept.get(digest)) is None:
                return None
            self._kept.move_to_end(digest)
            return found.server

    def _make_room(self, size: int) -> None:
        with self._lock:
            used = sum(kept.bytes for kept in self._kept.values())
            while self._kept and used + size > self._budget:
                used -= self._kept.popitem(last=False)[1].bytes
