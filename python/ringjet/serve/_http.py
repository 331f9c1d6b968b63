"""What happens around every request: the log, metrics, headers, and limits of the connection."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from . import _log, _problems
from ._gate import Gate
from ._metrics import Metrics
from ._problems import Problem

#: A connection that sends no complete request head within this time is closed.
HEAD_TIMEOUT = 15.0
#: Bytes of an answer that wait in memory for a client that reads slowly. One that does not read three
#: quarters of them within this time is cut off: an average of 13 kB a second.
_WRITE_BUFFER = 1 << 20
READ_TIMEOUT = 60.0

_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
]


class Outer:
    """Logs and counts every request, and turns an unexpected exception into a problem document that
    says nothing of it."""

    def __init__(self, app: ASGIApp, metrics: Metrics, gate: Gate) -> None:
        self._app, self._metrics, self._gate = app, metrics, gate

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
            self._gate.check_host(_host(scope))
            await self._app(scope, receive, noted)
        except Problem as problem:
            await _refused(noted, problem)
        except Exception as error:
            _log.failure("request", error)
            if not status:
                status = 500
                await _unexpected(noted)
        finally:
            if (tenant := scope.get("state", {}).get("tenant")) is not None:
                self._gate.leave(tenant)
            self._note(scope, status, time.monotonic() - start)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # the template of the path, and not what a client wrote
        route = getattr(scope.get("route"), "path", "unknown")
        method = scope["method"] if scope["method"] in ("GET", "PUT", "POST", "DELETE") else "other"
        self._metrics.request(method, route, status, seconds)
        tenant = scope.get("state", {}).get("tenant")
        _log.event("request", method=method, route=route, status=status, seconds=round(seconds, 4), tenant=tenant)


def _host(scope: Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")


async def _refused(send: Send, problem: Problem) -> None:
    await _answer(send, problem.status, problem.document())


async def _unexpected(send: Send) -> None:
    document = {
        "type": "about:blank",
        "title": "Internal error",
        "status": 500,
        "detail": "the log of the service says more",
    }
    await _answer(send, 500, document)


async def _answer(send: Send, status: int, document: dict[str, Any]) -> None:
    headers = [(b"content-type", _problems.MEDIA_TYPE.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(document).encode()})


def _too_many() -> bytes:
    detail = "this address has as many connections open as it may have: close some"
    document = json.dumps(_problems.later("quota", detail, 1, quota="connections").document()).encode()
    head = (
        f"HTTP/1.1 429 Too Many Requests\r\nContent-Type: {_problems.MEDIA_TYPE}\r\nContent-Length: {len(document)}\r\n"
    )
    return f"{head}Retry-After: 1\r\nConnection: close\r\n\r\n".encode() + document


#: What a connection gets whose address has too many of them.
_TOO_MANY = _too_many()


class Protocol(H11Protocol):
    """HTTP/1.1, with limits on the connections of an address, on the time that the head of a request
    takes, and on the time that an answer waits for a client that does not read."""

    _timer: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _counted = False

    def __init__(self, *args: Any, gate: Gate, **named: Any) -> None:
        super().__init__(*args, **named)
        self._gate = gate

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=_WRITE_BUFFER, low=_WRITE_BUFFER // 4)
        self._counted = self._gate.connected(self._address)
        if self._counted:
            self._expect()
        else:
            transport.write(_TOO_MANY)
            transport.close()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        # between requests, uvicorn's own timeout watches the connection until a byte comes
        if self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._timer, self._unread):
            if timer is not None:
                timer.cancel()
        if self._counted:
            self._gate.disconnected(self._address)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        # closing would wait until the client has read the buffer
        self._unread = self.loop.call_later(READ_TIMEOUT, self.transport.abort)

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
