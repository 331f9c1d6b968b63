"""A running service: its programs, storage, queue and housekeeping, without HTTP."""

from __future__ import annotations

import fcntl
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from sqlalchemy import delete, select

from .._ringjet import Parameters, __version__
from . import _header, _log, _problems
from ._access import Access, Caller, stored_bytes
from ._arguments import wrong_inputs
from ._arrivals import Accept, Arrivals
from ._blobs import Blobs, service_folder
from ._data import Data
from ._gate import Gate
from ._journal import FINAL, Journal, Order, refers_to
from ._keys import Keys
from ._letters import Letters
from ._metrics import Metrics
from ._options import Options
from ._problems import Problem
from ._queue import Queue
from ._rooms import Rooms
from ._service import Planned, Service
from ._tables import Database, data, jobs, keys, letters, uploads

_TIDY_EVERY = 60.0


class FolderInUse(RuntimeError):
    """Another service uses the folder."""


class Core:
    """All parts of a service, in one folder."""

    def __init__(self, service: Service, options: Options) -> None:
        self.options = options
        service_folder(options.folder)
        self._lock = _locked(options.folder)
        self.programs = {name: program.planned(options.device) for name, program in service.programs.items()}
        self.params: dict[str, Parameters] = {p.params.fingerprint: p.params for p in self.programs.values()}
        self._longest = {name: _header.longest(params) for name, params in self.params.items()}
        self.database = Database.of(options.folder, options.database)
        self.blobs = Blobs(options.folder, self._needed)
        self.access = Access(self.database, options)
        self.rooms = Rooms(self.database, self.access)
        self.gate = Gate(options)
        self.metrics = Metrics()
        self.keys = Keys(self.database, self.blobs, self.rooms, options, self.params)
        self.data = Data(self.database, self.blobs, self.rooms, options, self._longest)
        self.letters = Letters(self.database, self.blobs, self.rooms, options)
        self.journal = Journal(self.database, self.access, options)
        self.queue = Queue(self.journal, self.keys, self.blobs, self.rooms, self.programs, self.metrics, options)
        self._stop = threading.Event()
        self._tidying = threading.Thread(target=self._tidy_regularly, name="tidy", daemon=True)

    def open(self) -> None:
        """Removes what a crash left, and starts to run jobs."""
        self.tidy()
        self.queue.open()
        self._tidying.start()

    def close(self) -> None:
        """Stops, and leaves what is not finished for the next start."""
        self._stop.set()
        self.queue.close()
        self.database.close()
        self._lock.close()

    def config(self) -> dict[str, Any]:
        """What the service offers."""
        o = self.options
        limits = {
            "max_key_bytes": o.max_key_bytes,
            "max_data_bytes": o.max_data_bytes,
            "max_wait_seconds": o.max_wait,
            "max_queue_seconds": o.max_queue_seconds,
            "key_ttl_seconds": o.key_ttl,
            "data_ttl_seconds": o.data_ttl,
            "job_ttl_seconds": o.job_ttl,
        }
        sets = [
            {"fingerprint": name, "insecure": p.allow_insecure, "parameters": json.loads(p.to_json())}
            for name, p in self.params.items()
        ]
        programs = [_problems.plain_tree(program.document()) for program in self.programs.values()]
        return {"version": __version__, "parameters": sets, "programs": programs, "limits": limits, "device": o.device}

    def program(self, name: str) -> Planned:
        """The program of this name."""
        if (found := self.programs.get(name)) is None:
            raise Problem("not-found", f"there is no program {name}", name=name, known=sorted(self.programs))
        return found

    def admit(self, caller: Caller, program: Planned, idempotency: str | None) -> bool:
        """Refuses a call that could not be queued, before its body comes. Returns whether it repeats
        an earlier one, which needs no room: True finds its job."""
        if self.journal.repeated(caller, idempotency):
            return True
        self.queue.admit(program.seconds)
        self.journal.check(caller, program.seconds)
        return False

    def call(self, caller: Caller, program: Planned, inputs: dict[str, str], idempotency: str | None) -> Any:
        """Queues a program with stored ciphertexts, `inputs` by the names of parameters. Returns
        the job."""
        _check_names(program, list(inputs))
        rows = [self.data.find(caller, inputs[i.name]) for i in program.inputs]
        accept = self._accepting(caller, program)
        for given, row in zip(program.inputs, rows, strict=True):
            accept(given.name)(_header.Header(row.fingerprint, row.size, row.key_id))
        sizes = {row.digest: row.size for row in rows}
        order = self._order(program, rows[0].key_id, [row.digest for row in rows], sum(sizes.values()), idempotency)
        repeated = self.admit(caller, program, idempotency)
        with self.rooms.hold(caller.tenant, 0 if repeated else order.input_bytes), self.blobs.holding() as holding:
            there = [holding.keep(digest) for digest in sizes]
            if not all(there):
                raise Problem("not-found", "a ciphertext was deleted while the call came", inputs=inputs)
            return self._queued(caller, order, not repeated)

    @contextmanager
    def arriving(self, caller: Caller, program: Planned, length: int | None, repeated: bool) -> Iterator[Arrivals]:
        """The ciphertexts of a call that come in its body, of `length` bytes if that is known. Those
        of a repeated call are not written."""
        names, known = [i.name for i in program.inputs], length is not None or repeated
        with self.rooms.hold(caller.tenant, 0 if repeated else length or 0) as room:
            accept, blobs = self._accepting(caller, program), None if repeated else self.blobs
            limit, growing = self.options.max_data_bytes, None if known else room
            with Arrivals(program.name, names, limit, accept, blobs, growing) as arrivals:
                yield arrivals

    def call_with(
        self, caller: Caller, program: Planned, arrivals: Arrivals, idempotency: str | None, repeated: bool
    ) -> Any:
        """Queues a program with ciphertexts that have come completely. Returns the job."""
        found = [arrivals.finish()[i.name] for i in program.inputs]
        order = self._order(program, found[0][1].key_id, [digest for digest, _ in found], arrivals.size, idempotency)
        with self.blobs.holding() as holding:
            arrivals.keep(holding)
            return self._queued(caller, order, not repeated)

    def _order(self, program: Planned, key_id: str, inputs: list[str], size: int, idempotency: str | None) -> Order:
        return Order(program.name, key_id, inputs, size, program.seconds, idempotency)

    def _queued(self, caller: Caller, order: Order, stored: bool) -> Any:
        """Puts a job into the journal and the queue."""
        if stored:
            self.queue.admit(order.predicted)
        job, new = self.journal.add(caller, order, stored)
        if new:
            self.queue.push(job)
        return job

    def _accepting(self, caller: Caller, program: Planned) -> Callable[[str], Accept]:
        """The checks of the inputs' headers. All inputs belong to one key, whose keys are here."""
        first: list[str] = []

        def accept(name: str, header: _header.Header) -> None:
            caller.check_key(header.key_id)
            if header.fingerprint != program.params.fingerprint:
                detail = f"input {name} has other parameters than the program {program.name}"
                raise Problem(
                    "invalid", detail, input=name, expected=program.params.fingerprint, found=header.fingerprint
                )
            _header.check_length(header, self._longest[header.fingerprint])
            if not first:
                self._check_keys(caller, program, header.key_id)
                first.append(header.key_id)
            if header.key_id != first[0]:
                detail = f"input {name} belongs to key {header.key_id}, and the first input to {first[0]}"
                raise Problem("invalid", detail, error="KeyMismatchError", input=name)

        return lambda name: lambda header: accept(name, header)

    def _check_keys(self, caller: Caller, program: Planned, key_id: str) -> None:
        row = self.keys.find(caller.tenant, key_id)
        wanted = dict(program.plan.keys)
        if row is None:
            detail = f"the evaluation keys {key_id} are not here: upload them to /v1/keys/{key_id}"
            raise Problem("missing-keys", detail, key_id=key_id, missing=wanted)
        if missing := program.missing(json.loads(row.spec)):
            detail = f"the keys {key_id} lack some that {program.name} needs: upload all of them again"
            raise Problem("missing-keys", detail, status=422, key_id=key_id, missing=missing, needed=wanted)

    def cancel(self, name: str) -> None:
        """Cancels a job, or forgets the result of a finished one."""
        if not self.queue.cancel(name) and (job := self.journal.get(name)) is not None:
            with self.rooms.until_gone(job.tenant, job.result_bytes):
                self.journal.remove(name)
                self.blobs.drop([job.result])

    def forget_keys(self, caller: Caller, key_id: str) -> None:
        """Removes keys, from memory too."""
        row = self.keys.find(caller.tenant, key_id)
        self.keys.remove(caller, key_id)
        if row is not None:
            self.queue.servers.forget(row.digest)

    def status(self, caller: Caller) -> dict[str, Any]:
        """What the status page shows: all tenants to an administrator, otherwise the caller's own.
        Keys are those that the token may use."""
        everybody = caller.admin
        with self.database.read() as db:
            query = select(keys).order_by(keys.c.created)
            rows = list(db.execute(query if everybody else query.where(keys.c.tenant == caller.tenant)))
            rows = [row for row in rows if caller.may_use(row.key_id)]
            names = sorted({row.tenant for row in rows} | {caller.tenant})
            used = {name: stored_bytes(db, name) for name in names}
        return {
            "keys": rows,
            "bytes": used,
            "jobs": {name: self.journal.counts(name) for name in names},
            "load": self.queue.load(),
            "key_memory": self.queue.servers.bytes,
        }

    def measure(self) -> bytes:
        """The metrics."""
        waiting, running, seconds = self.queue.load()
        m, servers = self.metrics, self.queue.servers
        m.waiting.set(waiting)
        m.running.set(running)
        m.queue_seconds.set(seconds)
        m.key_bytes.set(servers.bytes)
        m.key_sets.set(len(servers))
        return m.text()

    def tidy(self) -> None:
        """Removes what has expired, and what a crash left."""
        now = time.time()
        with ExitStack() as counted:
            for tenant, size in self._expired(now):
                counted.enter_context(self.rooms.until_gone(tenant, size))
            gone = self.journal.expire(now)
            with self.database.write() as db:
                for table in (keys, data, letters):
                    gone += [row.digest for row in db.execute(select(table.c.digest).where(table.c.expires < now))]
                for table in (keys, uploads, data, letters):
                    db.execute(delete(table).where(table.c.expires < now))
            self.keys.tidy()
            self.blobs.drop(gone)
        with self.database.read() as db:
            kept = {row.digest for table in (keys, data, letters) for row in db.execute(select(table.c.digest))}
        self.blobs.sweep(kept | self.journal.digests())

    def _expired(self, now: float) -> list[tuple[str, int]]:
        """The tenants and sizes of what has expired."""
        over = (jobs.c.expires < now, jobs.c.state.in_(FINAL))
        queries = [select(jobs.c.tenant, jobs.c.result_bytes).where(*over)]
        queries += [
            select(c.table.c.tenant, c).where(c.table.c.expires < now)
            for c in (keys.c.size, uploads.c.total, data.c.size, letters.c.size)
        ]
        with self.database.read() as db:
            return [(row[0], int(row[1])) for query in queries for row in db.execute(query)]

    def _needed(self, digest: str) -> bool:
        """Whether the database refers to a blob."""
        with self.database.read() as db:
            tables = (keys, data, letters)
            found = (db.execute(select(table.c.digest).where(table.c.digest == digest)).first() for table in tables)
            return any(row is not None for row in found) or refers_to(db, digest)

    def _tidy_regularly(self) -> None:
        while not self._stop.wait(_TIDY_EVERY):
            try:
                self.tidy()
            except Exception as error:  # the next round tries again
                _log.failure("tidy", error)


def _check_names(program: Planned, names: list[str]) -> None:
    wanted = [i.name for i in program.inputs]
    if sorted(names) != sorted(wanted):
        raise _problems.of(wrong_inputs(program.name, wanted, [name[:64] for name in sorted(names)[:100]]))


def _locked(folder: Path) -> IO[bytes]:
    file = (folder / "lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise FolderInUse(f"another service is running in {folder}") from None
    return file
