"""The queue of jobs, and the threads that run them."""

from __future__ import annotations

import heapq
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Row

from .._ringjet import Ciphertext, Server
from ..errors import RingjetError
from . import _frames, _log, _problems
from ._blobs import Blobs
from ._inputs import as_planned
from ._journal import QUEUED, RUNNING, Journal
from ._keys import Keys
from ._metrics import Metrics
from ._options import Options
from ._problems import Problem, later
from ._rooms import Rooms
from ._servers import Servers
from ._service import Planned, reporter

#: A job waits at most this many times its predicted cost longer than one that is free.
_COST_WEIGHT = 10.0
#: Seconds after which a failed change of the journal is tried again.
_RETRY = 5.0


class Stopped(Exception):
    """The job was cancelled."""


class Queue:
    """Jobs that wait, the cheapest first. Waiting counts in their favour, so that none waits for
    ever: the order is that of the time of arrival plus a multiple of the predicted cost."""

    def __init__(
        self,
        journal: Journal,
        keys: Keys,
        blobs: Blobs,
        rooms: Rooms,
        programs: dict[str, Planned],
        metrics: Metrics,
        options: Options,
    ) -> None:
        self._journal, self._keys, self._blobs, self._rooms, self._programs = journal, keys, blobs, rooms, programs
        self._metrics, self._options = metrics, options
        self.servers = Servers(options.max_memory, options.threads, options.max_key_bytes)
        self._waiting: list[tuple[float, str, float]] = []
        self._running: dict[str, tuple[float, float]] = {}
        self._progress: dict[str, tuple[int, int]] = {}
        self._cancelled: set[str] = set()
        self._condition = threading.Condition()
        self._stopping = False
        self._threads: list[threading.Thread] = []
        #: Called with the id of a job whose state changed, from any thread.
        self.on_change: Callable[[str], None] = lambda name: None

    def open(self) -> None:
        """Queues the jobs of an earlier run and starts the threads."""
        for job in self._journal.recover():
            self.push(job)
        for i in range(self._options.workers):
            thread = threading.Thread(target=self._work, name=f"worker-{i}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """Lets running jobs finish, for a while. Jobs that wait, and those that do not finish, stay
        in the journal for the next start."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        end = time.monotonic() + self._options.grace
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        # what still runs was not at fault: it does not count as a start
        for name in list(self._running):
            self._journal.back(name)

    @property
    def stopping(self) -> bool:
        """Whether no further job is started."""
        return self._stopping

    @property
    def alive(self) -> bool:
        """Whether all threads run."""
        return bool(self._threads) and all(thread.is_alive() for thread in self._threads)

    def load(self) -> tuple[int, int, float]:
        """Jobs that wait, jobs that run, and the predicted seconds until all are done."""
        now = time.monotonic()
        with self._condition:
            waiting = sum(cost for _, _, cost in self._waiting)
            running = sum(max(0.0, cost - (now - start)) for start, cost in self._running.values())
            return len(self._waiting), len(self._running), (waiting + running) / self._options.workers

    def admit(self, seconds: float) -> None:
        """Refuses a job for which there is no room."""
        waiting, _, predicted = self.load()
        o = self._options
        if self._stopping:
            raise later("stopping", "the service is stopping: try again later", 10)
        if waiting >= o.max_queue_jobs or predicted + seconds / o.workers > o.max_queue_seconds:
            detail = f"{waiting} jobs of {predicted:.3g} predicted seconds are waiting: try again later"
            raise later("busy", detail, predicted / 2, waiting=waiting, predicted_seconds=predicted)

    def push(self, job: Row[Any]) -> None:
        """Queues a job that is in the journal."""
        with self._condition:
            heapq.heappush(self._waiting, (job.created + _COST_WEIGHT * job.predicted, job.id, job.predicted))
            self._condition.notify()

    def cancel(self, name: str) -> bool:
        """Cancels a job; False if it is finished."""
        if (job := self._journal.get(name)) is None:
            return False
        with self._rooms.until_gone(job.tenant, job.input_bytes):
            if not self._journal.cancel(name):
                return False
            self._blobs.drop(json.loads(job.inputs))
        with self._condition:
            self._waiting = [entry for entry in self._waiting if entry[1] != name]
            heapq.heapify(self._waiting)
            if name in self._running:
                self._cancelled.add(name)
        self.on_change(name)
        return True

    def progress(self, name: str) -> tuple[int, int] | None:
        """How far a running job is, if its program says it."""
        return self._progress.get(name)

    def _work(self) -> None:
        while True:
            with self._condition:
                while not self._waiting and not self._stopping:
                    self._condition.wait()
                if self._stopping:
                    return
                _, name, cost = heapq.heappop(self._waiting)
                self._running[name] = (time.monotonic(), cost)
            try:
                self._run(name)
            except Exception as error:  # such as a database that does not answer
                _log.failure("job", error, job=name)
                self._later(name)
            finally:
                with self._condition:
                    self._running.pop(name, None)
                    self._progress.pop(name, None)
                    self._cancelled.discard(name)
            self.on_change(name)

    def _later(self, name: str) -> None:
        """Tries again after a while to run a job whose state could not be written."""

        def again() -> None:
            try:
                job = self._journal.back(name) or self._journal.get(name)
            except Exception as error:
                _log.failure("job", error, job=name)
                self._later(name)
                return
            if job is not None and job.state == QUEUED:
                self.push(job)

        if not self._stopping:
            timer = threading.Timer(_RETRY, again)
            timer.daemon = True
            timer.start()

    def _run(self, name: str) -> None:
        if (job := self._journal.start(name)) is None:
            return
        self.on_change(name)
        start = time.monotonic()
        state = self._ended(job)
        if state is not None:
            seconds = time.monotonic() - start
            self._metrics.job(job.program, state, seconds, job.predicted)
            _log.event("job", job=name, tenant=job.tenant, program=job.program, state=state, seconds=round(seconds, 4))

    def _ended(self, job: Row[Any]) -> str | None:
        """Runs a job to its end. Returns its state; None if it was cancelled meanwhile."""
        try:
            return self._finished(job)
        except Stopped:
            return None
        except Problem as problem:
            return self._failed(job, problem)
        except RingjetError as error:
            return self._failed(job, _problems.of(error))
        except OSError as error:
            _log.failure("job", error, job=job.id)
            return self._failed(job, later("storage", "the result could not be stored", 60))

    def _failed(self, job: Row[Any], problem: Problem) -> str | None:
        with self._without_inputs(job):
            return "failed" if self._journal.failed(job, problem) else None

    @contextmanager
    def _without_inputs(self, job: Row[Any]) -> Iterator[None]:
        """Removes a job's inputs after the block that ends the job. The journal lists them until then,
        and they count until they are removed."""
        with self._rooms.until_gone(job.tenant, job.input_bytes):
            yield
            self._blobs.drop(json.loads(job.inputs))

    def _finished(self, job: Row[Any]) -> str | None:
        """Runs a job and stores its result, for which its tenant must have room. None if the job was
        cancelled meanwhile."""
        outputs, results = self._computed(job)
        with self._rooms.hold(job.tenant) as room, self._blobs.holding() as holding, self._blobs.incoming() as incoming:
            # one result at a time is held as bytes
            found = ((name, result.to_bytes()) for name, result in zip(outputs, results, strict=True))
            for piece in _frames.parts(len(outputs), found):
                room.grow(len(piece))
                incoming.write(piece)
            digest = holding.commit(incoming)
            with self._without_inputs(job):
                return "done" if self._journal.done(job, outputs, digest, room.size) else None

    def _computed(self, job: Row[Any]) -> tuple[list[str], list[Ciphertext]]:
        """Runs a job's program. Returns its results and their names."""
        if (program := self._programs.get(job.program)) is None:
            raise Problem("not-found", f"the service has no program {job.program} any more", status=404)
        try:
            server, inputs = self._loaded(job, program)
        except FileNotFoundError:
            raise self._gone(job) from None
        token = reporter.set(lambda done, total: self._report(job.id, done, total))
        try:
            return program.outputs, program.run(server, inputs)
        except (Stopped, Problem):
            raise
        except Exception as error:
            if isinstance(error, RingjetError) and not error.holds_values:
                raise
            # the text of the exception is the program's own, and could hold anything: it stays here
            _log.failure("program", error, job=job.id, program=job.program)
            raise Problem(
                "program-failed", f"the program raised {type(error).__name__}: tell the service's owner"
            ) from None
        finally:
            reporter.reset(token)

    def _loaded(self, job: Row[Any], program: Planned) -> tuple[Server, list[Ciphertext]]:
        """The keys and the inputs of a job."""
        if (keys := self._keys.find(job.tenant, job.key_id)) is None:
            raise _keys_removed(job)
        server = self.servers.get(keys.digest, self._blobs.path(keys.digest), keys.memory, program.params)
        inputs = []
        for given, model, digest in zip(program.inputs, program.models, json.loads(job.inputs), strict=True):
            loaded = server.load(self._blobs.path(digest).read_bytes(), max_bytes=self._options.max_data_bytes)
            inputs.append(as_planned(loaded, given.name, model, given.count))
        return server, inputs

    def _gone(self, job: Row[Any]) -> Exception:
        """Why a file of a job is not there any more."""
        now = self._journal.get(job.id)
        if now is None or now.state != RUNNING:
            return Stopped()
        return _keys_removed(job)

    def _report(self, name: str, done: int, total: int) -> None:
        if name in self._cancelled:
            raise Stopped
        self._progress[name] = (int(done), int(total))


def _keys_removed(job: Row[Any]) -> Problem:
    return Problem("missing-keys", "the keys were removed before the job ran", key_id=job.key_id)
