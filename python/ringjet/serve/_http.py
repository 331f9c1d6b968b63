"""What happens around every request: the log, metrics, headers, and limits of the connection."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from . import _log, _problems
from ._metrics import Metrics

#: A connection that sends no complete request head within this time is closed.
HEAD_TIMEOUT = 15.0
#: A client that reads nothing of its answer for this time is cut off.
READ_TIMEOUT = 60.0

_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer")]


class Outer:
    """Logs and counts every request, and turns an unexpected exception into a problem document that
    says nothing of it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status = time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:
            _log.failure("request", error)
            if not status:
                status = 500
                await _unexpected(noted)
        finally:
            self._note(scope, status, time.monotonic() - start)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # the template of the path, and not what a client wrote
        route = getattr(scope.get("route"), "path", "unknown")
        method = scope["method"] if scope["method"] in ("GET", "PUT", "POST", "DELETE") else "other"
        self._metrics.request(method, route, status, seconds)
        tenant = scope.get("state", {}).get("tenant")
        _log.event("request", method=method, route=route, status=status, seconds=round(seconds, 4), tenant=tenant)


async def _unexpected(send: Send) -> None:
    document = {"type": "about:blank", "title": "Internal error", "status": 500, "detail": "the log of the service says more"}
    headers = [(b"content-type", _problems.MEDIA_TYPE.encode())]
    await send({"type": "http.response.start", "status": 500, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(document).encode()})


class Protocol(H11Protocol):
    """HTTP/1.1, with limits on the time that the head of a request takes, and on the time that an
    answer waits for a client that does not read."""

    _timer: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # between requests, uvicorn's own timeout watches the connection until a byte comes
        if self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._timer, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def _watch(self) -> None:
        before = self.transport.get_write_buffer_size()

        def check() -> None:
            if self.transport.get_write_buffer_size() < before:
                self._watch()
            else:
                # closing would wait until the client has read the buffer
                self.transport.abort()

        self._unread = self.loop.call_later(READ_TIMEOUT, check)

    def resume_writing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def _expect(self) -> None:
        seen = self.cycle

        def check() -> None:
            self._timer = None
            if self.cycle is seen and (seen is None or seen.response_complete) and not self.transport.is_closing():
                self.transport.close()

        self._timer = self.loop.call_later(HEAD_TIMEOUT, check)
