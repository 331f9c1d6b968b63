"""HTTP requests of the client, with the standard library."""

from __future__ import annotations

import http.client
import ipaddress
import json
import math
import ssl
import threading
import time
import urllib.parse
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .. import errors
from ..errors import RingjetError
from ._shapes import Shape, ShapeError, fits

_ATTEMPTS = 6
#: The longest answer and the longest refusal in JSON, the longest text of an exception, and the
#: longest wait that an answer may ask for.
_MAX_JSON = 64 << 20
_MAX_PROBLEM = 1 << 20
_MAX_DETAIL = 2000
_MAX_PAUSE = 60.0


class ServiceError(RingjetError):
    """A service refused a request, and the refusal is none of ringjet's own errors. `status` is
    HTTP's, `kind` the kind of problem, `document` the whole problem document (RFC 9457)."""

    status: int
    kind: str
    document: dict[str, Any]


def refusal(status: int, kind: str, detail: str, document: dict[str, Any] | None = None) -> ServiceError:
    """A `ServiceError`. `detail` may come from anybody: it becomes one line of printable text."""
    shown = "".join(c if c.isprintable() else " " for c in detail[:_MAX_DETAIL])
    error = ServiceError(shown)
    error.status, error.kind, error.document = status, kind, document or {}
    return error


@dataclass(frozen=True)
class Answer:
    """An answer that is no refusal."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self, shape: Shape) -> Any:
        """The body as JSON of this shape. Raises a `ServiceError` for anything else."""
        try:
            document = json.loads(self.body)
            fits(document, shape, "the answer")
        except ShapeError as error:
            raise refusal(self.status, "answer", f"the service sent what is no answer of a service: {error}") from None
        except (ValueError, RecursionError):
            raise refusal(self.status, "answer", "the service sent an answer that is not JSON") from None
        return document


def error_of(status: int, body: bytes) -> RingjetError:
    """The exception for a refusal: the class of ringjet that the problem document names, with its
    values, or a `ServiceError`."""
    try:
        document = json.loads(body)
        fits(document, {"detail": str}, "the refusal")
    except (ValueError, RecursionError):
        return refusal(status, "answer", f"HTTP {status}")
    kind = document.get("type")
    other = refusal(
        status, kind.rpartition(":")[2] if isinstance(kind, str) else "answer", document["detail"], document
    )
    name = document.get("error")
    known = getattr(errors, name, None) if isinstance(name, str) else None
    if not (isinstance(known, type) and issubclass(known, RingjetError)):
        return other
    values = document.get("fields")
    if not isinstance(values, dict) or not values or not _values_of(known, values):
        return other
    made: RingjetError = known(str(other))
    for field, value in values.items():
        setattr(made, field, value)
    return made


def _values_of(known: type[RingjetError], values: dict[str, Any]) -> bool:
    """Whether an exception of this class can have these values: they are attributes that it declares,
    with values as JSON has them."""
    declared = {name for base in known.__mro__ for name in vars(base).get("__annotations__", {})}
    plain = (str, int, float, bool, type(None))
    return all(
        name in declared
        and (isinstance(value, plain) or (isinstance(value, list) and all(isinstance(v, plain) for v in value)))
        for name, value in values.items()
    )


class Transport:
    """A connection for each thread. Requests that may be repeated are sent again after a broken
    connection; 503 is tried again when the service says so."""

    def __init__(self, url: str, token: str | None, timeout: float, context: ssl.SSLContext | None) -> None:
        parts = urllib.parse.urlsplit(url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.query
            or parts.fragment
            or parts.username
        ):
            raise ValueError(f"{url!r}: the address of a service looks like https://host or http://127.0.0.1:8080")
        self.url = url.rstrip("/")
        self._parts, self._base = parts, parts.path.rstrip("/")
        self._token, self._timeout, self._context = token, timeout, context
        self._local, self._lock = threading.local(), threading.Lock()
        #: The connections of all threads, and those that a request uses.
        self._connections: weakref.WeakSet[http.client.HTTPConnection] = weakref.WeakSet()
        self._busy: set[http.client.HTTPConnection] = set()
        #: How often `close` was called.
        self._closes = 0

    @property
    def in_clear(self) -> bool:
        """Whether requests go to another machine without TLS."""
        return self._parts.scheme == "http" and not is_loopback(self._parts.hostname or "")

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
            except (OSError, http.client.HTTPException) as error:
                failures += 1
                if not repeat or failures >= _ATTEMPTS:
                    if isinstance(error, OSError):
                        raise
                    raise refusal(0, "answer", f"the service does not speak HTTP: {type(error).__name__}") from None
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
        """Closes the connections of all threads. A connection that a request uses is closed when its answer has
        come. A later request opens a connection again."""
        with self._lock:
            self._closes += 1
            for connection in list(self._connections):
                if connection not in self._busy:
                    connection.close()

    def _once(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], max_bytes: int, extra: float
    ) -> Answer:
        if self._token is not None:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        with self._connection(self._timeout + extra) as connection:
            try:
                connection.request(method, self._base + path, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                # the service may have refused the body before all of it was sent: read why
                if connection.sock is None:
                    raise
            response = connection.getresponse()
            limit = max_bytes if response.status < 400 else _MAX_PROBLEM
            data = response.read(limit + 1)
            if len(data) > limit:
                detail = f"HTTP {response.status} with an answer of more than {limit} bytes"
                raise refusal(response.status, "answer", detail)
            if response.length:
                # `read` with a size does not raise at an early end
                raise http.client.IncompleteRead(data, response.length)
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, data)

    @contextmanager
    def _connection(self, timeout: float) -> Iterator[http.client.HTTPConnection]:
        """This thread's connection, for one request. After an exception it is closed: a part of the answer may still
        be in it."""
        with self._lock:
            connection: http.client.HTTPConnection = getattr(self._local, "connection", None) or self._added()
            self._busy.add(connection)
            closes = self._closes
        failed = True
        try:
            connection.timeout = timeout
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            yield connection
            failed = False
        finally:
            with self._lock:
                self._busy.discard(connection)
                closed_meanwhile = closes != self._closes
            if failed or closed_meanwhile:
                connection.close()

    def _added(self) -> http.client.HTTPConnection:
        """A new connection for this thread. It is opened by its first request."""
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, context=self._context)
        else:
            connection = http.client.HTTPConnection(host, port)
        self._connections.add(connection)
        self._local.connection = connection
        return connection


def _pause(headers: dict[str, str]) -> float:
    try:
        wait = float(headers.get("retry-after", "1"))
    except ValueError:
        return 1.0
    return min(max(wait, 0.1), _MAX_PAUSE) if math.isfinite(wait) else 1.0


def is_loopback(host: str) -> bool:
    """Whether a name or an address is of this machine."""
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def in_parts(data: bytes, start: int, size: int) -> Iterable[tuple[int, bytes]]:
    """The parts of bytes from `start` on, each with its place."""
    return ((at, data[at : at + size]) for at in range(start, len(data), size))


#: Shows progress: takes (done, total).
Bar = Callable[[int, int], None]
