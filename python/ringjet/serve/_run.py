"""Runs a service until it is told to stop."""

from __future__ import annotations

import ctypes
import resource
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

import uvicorn

from . import _log
from ._app import build
from ._core import Core
from ._http import Protocol
from ._options import Options
from ._service import Service

#: Connections at a time.
_CONNECTIONS = 2000
#: An option of glibc's `mallopt`: how many areas of memory threads have.
_M_ARENA_MAX = -8


class _Server(uvicorn.Server):
    """Tells requests that wait, and streams of events, to end when a signal comes."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        app = self.config.app
        # uvicorn's type allows names of applications, too
        app.state.waiters.stopping = True  # type: ignore[union-attr]
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handles signals while the service runs. uvicorn would raise them again afterwards; here a
        stop that was asked for is a success."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {sig: signal.signal(sig, self.handle_exit) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)


def serve(service: Service, options: Options) -> int:
    """Offers the programs of a service over HTTP. Returns the exit status."""
    _log.set_up()
    _share_memory()
    _allow_files()
    # everything that can fail comes before the token, which is shown only once
    listening = listening_at(options)
    core = Core(service, options)
    if not options.open and not core.access.listed():
        token = core.access.add("default", admin=True)
        print(f"the first token, which is shown only now: {token}", flush=True)
    port = listening.getsockname()[1]
    host = f"[{options.host}]" if ":" in options.host else options.host
    print(f"ringjet serves {len(core.programs)} programs at http://{host}:{port}", flush=True)
    server_of(core).run(sockets=[listening])
    _log.event("stopped")
    return 0


def _share_memory() -> None:
    """Makes threads share their free memory. By default, the allocator of glibc keeps some for each
    of the many threads, and the memory of a busy service grows for a long time."""
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    except (AttributeError, OSError):
        pass  # another allocator


def _allow_files() -> None:
    """Raises the number of open files to what the system allows: every connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * _CONNECTIONS if hard == resource.RLIM_INFINITY else min(4 * _CONNECTIONS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def server_of(core: Core) -> uvicorn.Server:
    """The HTTP server, not yet running."""
    options = core.options
    config = uvicorn.Config(
        build(core),
        host=options.host,
        port=options.port,
        # uvicorn's type allows classes alone
        http=partial(Protocol, gate=core.gate),  # type: ignore[arg-type]
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(options.grace) + 5,
    )
    return _Server(config)


def listening_at(options: Options) -> socket.socket:
    """A socket at the address of the options."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((options.host, options.port))
    # a client that read the address can connect, even before the first request is served
    listening.listen(2048)
    return listening
