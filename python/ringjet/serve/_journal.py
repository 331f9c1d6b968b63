"""The journal of jobs, in the database. Each change of a job's state is one transaction that names
the state before it, so a job is finished once, however often it is started."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, update

from ._access import Access, Caller
from ._options import Options
from ._problems import Problem, later
from ._tables import Database, jobs

#: States of a job. The last three are final.
QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
FINAL = (DONE, FAILED, CANCELLED)


@dataclass(frozen=True)
class Order:
    """What a caller asks for."""

    program: str
    key_id: str
    #: Digests of the inputs, in order.
    inputs: list[str]
    #: The bytes of the inputs. They count as long as the job is not finished, also those of stored
    #: ciphertexts: these could be deleted meanwhile, and the job keeps them.
    input_bytes: int
    predicted: float
    idempotency: str | None = None

    @property
    def request(self) -> str:
        """Identifies what is asked for: the digest of all of it."""
        return hashlib.sha256(json.dumps([self.program, self.key_id, self.inputs]).encode()).hexdigest()


class Journal:
    """All jobs."""

    def __init__(self, database: Database, access: Access, options: Options) -> None:
        self._database, self._access, self._options = database, access, options

    def add(self, caller: Caller, order: Order, stored: bool = True) -> tuple[Row[Any], bool]:
        """Writes down a job. Returns it, and whether it is new: a request that is repeated with its
        idempotency key finds the job of the first one. `stored` says whether its inputs are
        there."""
        now = time.time()
        with self._database.write() as db:
            if (known := _known(db, caller, order)) is not None:
                return known, False
            if not stored:
                raise later(
                    "busy", "the first job with this Idempotency-Key expired meanwhile: send the request again", 1
                )
            self._access.check_jobs(db, caller.tenant, order.predicted)
            name = os.urandom(16).hex()
            row: dict[str, Any] = {
                "id": name,
                "tenant": caller.tenant,
                "program": order.program,
                "key_id": order.key_id,
            }
            row |= {"inputs": json.dumps(order.inputs), "input_bytes": order.input_bytes, "request": order.request}
            row |= {"idempotency": order.idempotency, "state": QUEUED, "attempts": 0, "predicted": order.predicted}
            row |= {"result_bytes": 0, "created": now, "expires": now + self._options.job_ttl}
            db.execute(insert(jobs).values(**row))
            return db.execute(select(jobs).where(jobs.c.id == name)).one(), True

    def repeated(self, caller: Caller, idempotency: str | None) -> bool:
        """Whether an earlier request had this idempotency key."""
        with self._database.read() as db:
            return _of_key(db, caller, idempotency) is not None

    def check(self, caller: Caller, predicted: float) -> None:
        """Refuses a job that would exceed a quota."""
        with self._database.read() as db:
            self._access.check_jobs(db, caller.tenant, predicted)

    def find(self, caller: Caller, name: str) -> Row[Any]:
        """A job of the caller."""
        row = self.get(name)
        if row is None or row.tenant != caller.tenant:
            raise Problem("not-found", f"there is no job {name}", id=name)
        caller.check_owner(row.key_id, f"the job {name}")
        return row

    def get(self, name: str) -> Row[Any] | None:
        """A job."""
        with self._database.read() as db:
            return db.execute(select(jobs).where(jobs.c.id == name)).first()

    def start(self, name: str) -> Row[Any] | None:
        """Takes a queued job for running; None if it is not queued any more."""
        with self._database.write() as db:
            queued = (jobs.c.id == name, jobs.c.state == QUEUED)
            change = {"state": RUNNING, "attempts": jobs.c.attempts + 1, "started": time.time()}
            if not db.execute(update(jobs).where(*queued).values(**change)).rowcount:
                return None
            return db.execute(select(jobs).where(jobs.c.id == name)).one()

    def done(self, job: Row[Any], outputs: Sequence[str], result: str, size: int) -> bool:
        """Finishes a job with its result; False if the job is not running any more."""
        return self._finish(job, state=DONE, outputs=json.dumps(list(outputs)), result=result, result_bytes=size)

    def failed(self, job: Row[Any], problem: Problem) -> bool:
        """Finishes a job with a reason; False if the job is not running any more."""
        return self._finish(job, state=FAILED, problem=json.dumps(problem.document()))

    def cancel(self, name: str) -> bool:
        """Cancels a job that is not finished; False if it is."""
        return self._change(name, (QUEUED, RUNNING), state=CANCELLED, finished=time.time(), input_bytes=0)

    def back(self, name: str) -> Row[Any] | None:
        """Puts a running job back into the queue, as if it had not been started; None if it does
        not run."""
        done = self._change(name, (RUNNING,), state=QUEUED, attempts=jobs.c.attempts - 1)
        return self.get(name) if done else None

    def remove(self, name: str) -> None:
        """Forgets the result of a finished job."""
        with self._database.write() as db:
            change = {"state": CANCELLED, "result": None, "result_bytes": 0}
            db.execute(update(jobs).where(jobs.c.id == name, jobs.c.state.in_(FINAL)).values(**change))

    def recover(self) -> list[Row[Any]]:
        """After a start: jobs that were running are queued again. Those that were started too often
        fail. Returns all queued jobs, the oldest first."""
        attempts = self._options.max_attempts
        reason = Problem("program-failed", f"the service stopped {attempts} times while this job ran")
        with self._database.write() as db:
            over = (jobs.c.state == RUNNING, jobs.c.attempts >= attempts)
            failure = {
                "state": FAILED,
                "problem": json.dumps(reason.document()),
                "finished": time.time(),
                "input_bytes": 0,
            }
            db.execute(update(jobs).where(*over).values(**failure))
            db.execute(update(jobs).where(jobs.c.state == RUNNING).values(state=QUEUED))
            return list(db.execute(select(jobs).where(jobs.c.state == QUEUED).order_by(jobs.c.created)))

    def expire(self, now: float) -> list[str | None]:
        """Forgets finished jobs whose time is over. Returns their results."""
        over = (jobs.c.expires < now, jobs.c.state.in_(FINAL))
        with self._database.write() as db:
            results = [row.result for row in db.execute(select(jobs.c.result).where(*over))]
            db.execute(delete(jobs).where(*over))
        return results

    def digests(self) -> set[str]:
        """The blobs that jobs need: inputs of unfinished jobs, and results."""
        needed = or_(jobs.c.state.in_((QUEUED, RUNNING)), jobs.c.result.is_not(None))
        with self._database.read() as db:
            rows = list(db.execute(select(jobs.c.inputs, jobs.c.result).where(needed)))
        return {digest for row in rows for digest in [*json.loads(row.inputs), row.result] if digest}

    def counts(self, tenant: str | None = None) -> dict[str, int]:
        """The number of jobs in each state."""
        query = select(jobs.c.state, func.count()).group_by(jobs.c.state)
        if tenant is not None:
            query = query.where(jobs.c.tenant == tenant)
        with self._database.read() as db:
            return {state: int(count) for state, count in db.execute(query)}

    def _finish(self, job: Row[Any], **change: Any) -> bool:
        # a job that was cancelled, or was started again in the meantime, is not touched
        now = time.time()
        running = (jobs.c.id == job.id, jobs.c.state == RUNNING, jobs.c.attempts == job.attempts)
        change |= {"finished": now, "expires": now + self._options.job_ttl, "input_bytes": 0}
        with self._database.write() as db:
            return bool(db.execute(update(jobs).where(*running).values(**change)).rowcount)

    def _change(self, name: str, states: tuple[str, ...], **change: Any) -> bool:
        with self._database.write() as db:
            return bool(
                db.execute(update(jobs).where(jobs.c.id == name, jobs.c.state.in_(states)).values(**change)).rowcount
            )


def refers_to(db: Connection, digest: str) -> bool:
    """Whether a job needs a blob: an unfinished one as an input, or a finished one as its result."""
    unfinished = and_(jobs.c.state.in_((QUEUED, RUNNING)), jobs.c.inputs.contains(digest, autoescape=True))
    return db.execute(select(jobs.c.id).where(or_(jobs.c.result == digest, unfinished)).limit(1)).first() is not None


def _of_key(db: Connection, caller: Caller, idempotency: str | None) -> Row[Any] | None:
    if idempotency is None:
        return None
    return db.execute(select(jobs).where(jobs.c.tenant == caller.tenant, jobs.c.idempotency == idempotency)).first()


def _known(db: Connection, caller: Caller, order: Order) -> Row[Any] | None:
    known = _of_key(db, caller, order.idempotency)
    if known is not None and known.request != order.request:
        raise Problem("conflict", "this Idempotency-Key was sent with another request: take a new one")
    return known
