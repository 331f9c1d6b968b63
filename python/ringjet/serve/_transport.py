"""HTTP requests of the client, with the standard library."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .. import errors
from ..errors import RingjetError

_ATTEMPTS = 6
#: The longest answer in JSON, and the longest wait that an answer may ask for.
_MAX_JSON = 64 << 20
_MAX_PAUSE = 60.0


class ServiceError(RingjetError):
    """A service refused a request, and the refusal is none of ringjet's own errors. `status` is
    HTTP's, `kind` the kind of problem, `document` the whole problem document (RFC 9457)."""

    status: int
    kind: str
    document: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """An answer that is no refusal."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def error_of(status: int, body: bytes) -> RingjetError:
    """The exception for a refusal: the class of ringjet that the problem document names, with its
    values, or a `ServiceError`."""
    try:
        document = json.loads(body)
        detail = str(document["detail"])
    except (ValueError, KeyError, TypeError):
        document, detail = {}, f"HTTP {status}"
    kind = getattr(errors, str(document.get("error", "")), None)
    if isinstance(kind, type) and issubclass(kind, RingjetError) and document.get("fields"):
        made: RingjetError = kind(detail)
        for name, value in dict(document["fields"]).items():
            setattr(made, str(name), value)
        return made
    refused = ServiceError(detail)
    refused.status, refused.document = status, document
    refused.kind = str(document.get("type", "")).rpartition(":")[2]
    return refused


class Transport:
    """A connection for each thread. Requests that may be repeated are sent again after a broken
    connection; 503 is tried again when the service says so."""

    def __init__(self, url: str, token: str | None, timeout: float, context: ssl.SSLContext | None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(f"{url!r}: the address of a service looks like https://host or http://127.0.0.1:8080")
        self.url = url.rstrip("/")
        self._parts, self._base = parts, parts.path.rstrip("/")
        self._token, self._timeout, self._context = token, timeout, context
        self._local = threading.local()

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        *,
        repeat: bool = True,
        busy: int = 4,
        max_bytes: int = _MAX_JSON,
        extra: float = 0.0,
    ) -> Answer:
        """Sends a request and returns its answer; raises the exception of a refusal. `busy`: how
        often a 503 is tried again. `extra`: seconds that the answer may take beyond the timeout."""
        failures = 0
        while True:
            try:
                answer = self._once(method, path, body, headers or {}, max_bytes, extra)
            except (OSError, http.client.HTTPException):
                self.close()
                failures += 1
                if not repeat or failures >= _ATTEMPTS:
                    raise
                time.sleep(min(0.1 * 2**failures, 5.0))
                continue
            if answer.status < 400:
                return answer
            if answer.status == 503 and busy > 0:
                busy -= 1
                time.sleep(_pause(answer.headers))
                continue
            raise error_of(answer.status, answer.body)

    def close(self) -> None:
        """Closes this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _once(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], max_bytes: int, extra: float
    ) -> Answer:
        connection = self._connection(self._timeout + extra)
        if self._token is not None:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        try:
            connection.request(method, self._base + path, body, headers)
        except (BrokenPipeError, ConnectionResetError):
            # the service may have refused the body before all of it was sent: read why
            if connection.sock is None:
                raise
        response = connection.getresponse()
        data = response.read(max_bytes + 1)
        if len(data) > max_bytes:
            self.close()
            raise http.client.HTTPException(f"an answer of more than {max_bytes} bytes")
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, data)

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=self._context)
            else:
                connection = http.client.HTTPConnection(host, port, timeout=timeout)
            self._local.connection = connection
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection


def _pause(headers: dict[str, str]) -> float:
    try:
        return min(max(float(headers.get("retry-after", "1")), 0.1), _MAX_PAUSE)
    except ValueError:
        return 1.0


def in_parts(data: bytes, start: int, size: int) -> Iterable[tuple[int, bytes]]:
    """The parts of bytes from `start` on, each with its place."""
    return ((at, data[at : at + size]) for at in range(start, len(data), size))


#: Shows progress: takes (done, total).
Bar = Callable[[int, int], None]
