"""Requests that wait for jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from anyio import CapacityLimiter


class Waiters:
    """Requests that wait for a change of a job."""

    def __init__(self) -> None:
        self._events: dict[str, set[asyncio.Event]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.stopping = False

    def start(self) -> None:
        """Binds the waiters to the running loop."""
        self._loop = asyncio.get_running_loop()
        self.verifying = CapacityLimiter(1)

    def changed(self, name: str) -> None:
        """Wakes those who wait for the job. It may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, name)

    def stop(self) -> None:
        """Wakes everybody, for good."""
        self.stopping = True
        for name in list(self._events):
            self._wake(name)

    @contextmanager
    def watch(self, name: str) -> Iterator[Callable[[float], Awaitable[None]]]:
        """Watches a job from now on. What it gives waits for the next change, at most so many
        seconds."""
        event = asyncio.Event()
        self._events.setdefault(name, set()).add(event)

        async def changed(seconds: float) -> None:
            if not self.stopping and seconds > 0:
                try:
                    await asyncio.wait_for(event.wait(), seconds)
                except (TimeoutError, asyncio.TimeoutError):
                    pass
            event.clear()

        try:
            yield changed
        finally:
            waiting = self._events.get(name, set())
            waiting.discard(event)
            if not waiting:
                self._events.pop(name, None)

    def _wake(self, name: str) -> None:
        for event in self._events.get(name, ()):
            event.set()
