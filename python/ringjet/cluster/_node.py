"""The worker: one process on each node, which has the keys and all cores.

A method returns the outcome and the result apart. The outcome is small and goes to the driver. A
result stays in the object store of its node until somebody needs it.
"""

from __future__ import annotations

import inspect
import os
import resource
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._restore import allow_insecure_pickles
from .._ringjet import Server, __version__, set_threads
from . import _pack
from ._work import Training


@dataclass(frozen=True)
class NodeInfo:
    """A node that is ready."""

    #: Ray's id of the node, and its address.
    id: str
    name: str
    version: str
    #: The process on the node.
    pid: int
    threads: int
    backend: str
    #: How often this process has expanded keys.
    expansions: int
    #: The time of reading and expanding the keys, in seconds.
    expand_seconds: float
    #: The peak memory of the process in bytes, shared memory of the object store included, and the
    #: memory that it has for itself.
    peak_bytes: int
    private_bytes: int
    #: Numbers of slots for which there are bootstrapping keys.
    bootstrapping: list[int]


@dataclass(frozen=True)
class Outcome:
    """What became of a call."""

    seconds: float = 0.0
    #: The exception that the function raised, as bytes; None if all went well.
    error: bytes | None = None
    #: The number of the item in the call, and the traceback.
    at: int = 0
    text: str = ""
    size: int = 0


class ItemFailed(Exception):
    """An exception of item `at` of a call, as its cause."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True)
class Options:
    """How nodes make their servers; arguments of `Server`."""

    backend: str
    threads: int | None
    allow_insecure: bool
    key_memory: Any
    params: Any = field(default=None)


class Node:
    """The actor. Ray runs its methods one after the other."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._functions: dict[str, Callable[..., Any]] = {}
        self._trainings: dict[str, Training] = {}
        self._expansions, self._seconds = 0, 0.0

    def version(self) -> str:
        """The version of ringjet on the node."""
        return __version__

    def open(self, keys: Any, options: bytes, cores: int) -> Outcome:
        """Expands the keys. `keys`: an array in the object store, which is read without a copy."""
        began = time.perf_counter()
        try:
            known: Options = _pack.unpacked(options)
            # functions that are programs bring their parameters along
            allow_insecure_pickles(known.allow_insecure)
            threads = known.threads or cores
            set_threads(threads)
            self._server = _served(keys, known, threads)
        except Exception as error:
            return _failure(error, 0)
        self._expansions += 1
        self._seconds = time.perf_counter() - began
        return Outcome(self._seconds)

    def info(self, id: str, name: str) -> NodeInfo:
        """The state of this process."""
        server = self.server
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        own = (__version__, os.getpid(), server.threads, server.backend, self._expansions, self._seconds)
        return NodeInfo(id, name, *own, peak, _private_bytes(), server.bootstrapping)

    @property
    def server(self) -> Server:
        """The node's server."""
        assert self._server is not None, "open comes first"
        return self._server

    def call(self, method: str, *arguments: Any) -> tuple[Outcome, Any]:
        """Runs a method. Exceptions become outcomes, so that Ray's own errors are those of nodes
        alone."""
        began = time.perf_counter()
        try:
            result = getattr(self, f"do_{method}")(*arguments)
        except ItemFailed as failed:
            cause = failed.__cause__
            return _failure(cause if isinstance(cause, Exception) else failed, failed.at), None
        except Exception as error:
            return _failure(error, 0), None
        size = len(result) if isinstance(result, bytes) else 0
        return Outcome(time.perf_counter() - began, size=size), result

    # ---- map and bootstrap_many ----

    def do_map(self, name: str, function: Any, items: list[bytes]) -> bytes:
        """The function of every item. `name` identifies the function, which is unpacked once."""
        if name not in self._functions:
            # one function at a time is in use, and it may hold large arrays
            self._functions = {name: _pack.unpacked(function)}
        f = self._functions[name]
        results = []
        for at, item in enumerate(items):
            try:
                x = _pack.unpacked(item)
                results.append(f(self.server, x) if takes_server(f) else f(x))
            except Exception as error:
                raise ItemFailed(at) from error
        return _pack.packed(results, "a result")

    def do_bootstrap(self, real: bool, items: list[bytes]) -> list[bytes]:
        """Bootstraps ciphertexts that share their work as far as they can."""
        loaded = []
        for at, item in enumerate(items):
            try:
                loaded.append(self.server.load(item, max_bytes=len(item)))
            except Exception as error:
                raise ItemFailed(at) from error
        try:
            made = self.server.bootstrap_many(loaded, real)
        except Exception:
            for at, ct in enumerate(loaded):
                try:
                    self.server.bootstrap_many([ct], real)
                except Exception as error:
                    raise ItemFailed(at) from error
            raise
        return [ct.to_bytes() for ct in made]

    # ---- training ----

    def do_train(self, run: str, plan: str, method: str, *arguments: Any) -> Any:
        """A step of a training. `run` identifies the training; its data stay loaded."""
        if run not in self._trainings:
            self._trainings = {run: Training(plan, self.server)}
        return getattr(self._trainings[run], method)(*arguments)


def takes_server(f: Callable[..., Any]) -> bool:
    """Whether the first parameter of a function is called `server`, as for `plan`."""
    try:
        return next(iter(inspect.signature(f).parameters), "") == "server"
    except (TypeError, ValueError):
        return False


def _served(keys: Any, options: Options, threads: int) -> Server:
    """A server with the keys of an array. They are read from a pipe, so that the array is never
    copied: memory is taken for the expanded keys alone."""
    read, write = os.pipe()

    def feed() -> None:
        with os.fdopen(write, "wb", buffering=0) as file:
            left = memoryview(keys)
            try:
                while left:
                    left = left[file.write(left) :]
            except BrokenPipeError:
                pass  # the reader found an error and says which

    feeder = threading.Thread(target=feed)
    feeder.start()
    params = options.params
    try:
        return Server(
            Path(f"/proc/self/fd/{read}"),
            options.backend,
            threads,
            max_bytes=max(len(keys), 1),
            allow_insecure=options.allow_insecure,
            params=params,
            key_memory=options.key_memory,
        )
    finally:
        os.close(read)
        feeder.join()


def _failure(error: Exception, at: int) -> Outcome:
    text = "".join(traceback.format_exception(error))
    try:
        data = _pack.packed(error, "an exception")
        _pack.unpacked(data)
    except Exception:
        # an exception that pickles cannot carry
        data = _pack.packed(RuntimeError(f"{type(error).__name__}: {error}"), "an exception")
    return Outcome(error=data, at=at, text=text)


def _private_bytes() -> int:
    """Memory of the process that is not shared with the object store."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    return sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty")) * 1024
