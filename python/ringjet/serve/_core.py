"""A running service: its programs, storage, queue and housekeeping, without HTTP."""

from __future__ import annotations

import fcntl
import json
import threading
import time
from pathlib import Path
from typing import IO, Any

from sqlalchemy import delete, select

from .. import Parameters, __version__
from . import _frames, _header, _log, _problems
from ._access import Access, Caller, stored_bytes
from ._blobs import Blobs
from ._data import Data, check
from ._journal import Journal, Order
from ._keys import Keys
from ._metrics import Metrics
from ._options import Options
from ._problems import Problem
from ._queue import Queue
from ._service import Planned, Service
from ._tables import Database, data, keys, uploads

#: Blobs that nobody refers to are kept this long, because a request may be about to refer to them.
_SWEEP_AGE = 3600.0
_TIDY_EVERY = 60.0


class FolderInUse(RuntimeError):
    """Another service uses the folder."""


class Core:
    """All parts of a service, in one folder."""

    def __init__(self, service: Service, options: Options) -> None:
        self.options = options
        options.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _locked(options.folder)
        self.programs = {name: program.planned(options.device) for name, program in service.programs.items()}
        self.params: dict[str, Parameters] = {p.params.fingerprint: p.params for p in self.programs.values()}
        self.database = Database.of(options.folder, options.database)
        self.blobs = Blobs(options.folder)
        self.access = Access(self.database, options)
        self.metrics = Metrics()
        self.keys = Keys(self.database, self.blobs, self.access, options, self.params)
        self.data = Data(self.database, self.blobs, self.access, options, self.params)
        self.journal = Journal(self.database, self.access, options)
        self.queue = Queue(self.journal, self.keys, self.blobs, self.programs, self.metrics, options)
        self._stop = threading.Event()
        self._tidying = threading.Thread(target=self._tidy_regularly, name="tidy", daemon=True)

    def open(self) -> None:
        """Starts to run jobs."""
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

    def call(self, caller: Caller, program: Planned, inputs: dict[str, str], idempotency: str | None) -> Any:
        """Queues a program with stored ciphertexts, `inputs` by the names of parameters. Returns
        the job."""
        _check_names(program, list(inputs))
        rows = [self.data.find(caller, inputs[i.name]) for i in program.inputs]
        for row in rows:
            self.blobs.touch(row.digest)
        found = [(row.digest, _header.Header(row.fingerprint, row.size, row.key_id)) for row in rows]
        return self._queued(caller, program, found, 0, idempotency)

    def call_with(self, caller: Caller, program: Planned, body: Path, idempotency: str | None) -> Any:
        """Queues a program with ciphertexts in the frames of a file. Returns the job."""
        found: dict[str, tuple[str, _header.Header]] = {}
        stored = 0
        limits = {"max_frames": len(program.inputs), "max_bytes": self.options.max_data_bytes}
        try:
            with body.open("rb") as file:
                for name, content in _frames.read(file, **limits):
                    if name in found:
                        raise Problem("malformed", f"input {name} comes twice", input=name)
                    header = check(_header.of_bytes(content, _header.CIPHERTEXT), caller, self.params)
                    digest, size = self.blobs.put([content])
                    found[name], stored = (digest, header), stored + size
        except _frames.FrameError as error:
            raise Problem("malformed", str(error), offset=error.offset) from None
        _check_names(program, list(found))
        return self._queued(caller, program, [found[i.name] for i in program.inputs], stored, idempotency)

    def _queued(
        self, caller: Caller, program: Planned, inputs: list[tuple[str, _header.Header]], stored: int, idempotency: str | None
    ) -> Any:
        key_id = self._checked(caller, program, [header for _, header in inputs])
        order = Order(program.name, key_id, [d for d, _ in inputs], stored, program.seconds, idempotency)
        if (known := self.journal.known(caller, order)) is not None:
            return known
        self.queue.admit(program.seconds)
        job, new = self.journal.add(caller, order)
        if new:
            self.queue.push(job)
        return job

    def _checked(self, caller: Caller, program: Planned, inputs: list[_header.Header]) -> str:
        """The key identity of the inputs, all of whose keys are here."""
        first = inputs[0]
        for given, header in zip(program.inputs, inputs, strict=True):
            if header.fingerprint != program.params.fingerprint:
                detail = f"input {given.name} has other parameters than the program {program.name}"
                raise Problem(
                    "invalid", detail, input=given.name, expected=program.params.fingerprint, found=header.fingerprint
                )
            if header.key_id != first.key_id:
                detail = f"input {given.name} belongs to key {header.key_id}, and the first input to {first.key_id}"
                raise Problem("invalid", detail, error="KeyMismatchError", input=given.name)
        row = self.keys.find(caller.tenant, first.key_id)
        wanted = dict(program.plan.keys)
        if row is None:
            detail = f"the evaluation keys {first.key_id} are not here: upload them to /v1/keys/{first.key_id}"
            raise Problem("missing-keys", detail, key_id=first.key_id, missing=wanted)
        if missing := program.missing(json.loads(row.spec)):
            detail = f"the keys {first.key_id} lack some that {program.name} needs: upload all of them again"
            raise Problem("missing-keys", detail, status=422, key_id=first.key_id, missing=missing, needed=wanted)
        return first.key_id

    def forget_keys(self, caller: Caller, key_id: str) -> None:
        """Removes keys, from memory too."""
        row = self.keys.find(caller.tenant, key_id)
        self.keys.remove(caller, key_id)
        if row is not None:
            self.queue.servers.forget(row.digest)

    def status(self, caller: Caller) -> dict[str, Any]:
        """What the status page shows: all tenants to an administrator, otherwise the caller's
        own."""
        everybody = caller.admin
        with self.database.read() as db:
            query = select(keys).order_by(keys.c.created)
            rows = list(db.execute(query if everybody else query.where(keys.c.tenant == caller.tenant)))
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

    def tidy(self, age: float = _SWEEP_AGE) -> None:
        """Removes what has expired, and blobs that nobody refers to."""
        now = time.time()
        self.journal.expire(now)
        with self.database.write() as db:
            for table in (keys, uploads, data):
                db.execute(delete(table).where(table.c.expires < now))
            kept = {row.digest for table in (keys, data) for row in db.execute(select(table.c.digest))}
        self.keys.tidy()
        self.blobs.sweep(kept | self.journal.digests(), age)

    def _tidy_regularly(self) -> None:
        while not self._stop.wait(_TIDY_EVERY):
            try:
                self.tidy()
            except Exception as error:  # the next round tries again
                _log.failure("tidy", error)


def _check_names(program: Planned, names: list[str]) -> None:
    wanted = [i.name for i in program.inputs]
    if sorted(names) != sorted(wanted):
        detail = f"{program.name} takes the inputs {', '.join(wanted)}"
        raise Problem("invalid", detail, expected=wanted, found=sorted(names)[:100])


def _locked(folder: Path) -> IO[bytes]:
    file = (folder / "lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise FolderInUse(f"another service is running in {folder}") from None
    return file
