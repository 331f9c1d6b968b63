"""Jobs: calls that a service computes while the client does something else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import RingjetError
from ..progress import bar
from . import _shapes
from ._transport import Bar
from ._transport import refusal as refused

if TYPE_CHECKING:
    from ..program import Plan
    from ._client import ServiceClient

#: Who is told of progress: True for a bar on stderr, or a callable that takes (done, total).
Progress = bool | Callable[[int, int], Any] | None

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0


class JobTimeoutError(RingjetError, TimeoutError):
    """A job was not finished in time. `job` is its id, `state` its state then."""

    job: str
    state: str


@dataclass(frozen=True)
class JobStatus:
    """Where a job stands."""

    #: "queued", "running", "done", "failed" or "cancelled".
    state: str
    #: How far the program is, (done, total), if it says it.
    progress: tuple[int, int] | None = None
    #: The time that the service predicts for the program, in seconds.
    predicted_seconds: float | None = None
    #: When the job came, began and ended, in seconds since 1970.
    created: float | None = None
    started: float | None = None
    finished: float | None = None

    @property
    def is_final(self) -> bool:
        """Whether the state does not change any more."""
        return self.state not in ("queued", "running")

    @staticmethod
    def of(document: dict[str, Any]) -> JobStatus:
        """The status that a service answered."""
        progress = document.get("progress")
        times = {name: document.get(name) for name in ("predicted_seconds", "created", "started", "finished")}
        return JobStatus(document["state"], (progress[0], progress[1]) if progress else None, **times)


class Job:
    """A call that a service computes. `ServiceClient.submit` makes jobs. `ServiceClient.job` finds one by
    its `id`, also in another process that has the same secret key.

        job = client.submit("score", v, w)
        ...
        y = job.result()

    In a program with asyncio, `async for status in job` gives every change of its status, and
    `await job.result_async()` its results."""

    def __init__(
        self, client: ServiceClient, program: dict[str, Any], name: str, counts: Sequence[int | None] = ()
    ) -> None:
        self._client, self._program, self._counts = client, program, counts
        #: Names the job in the service.
        self.id = name

    @property
    def program(self) -> str:
        """The name of the program."""
        return str(self._program["name"])

    def status(self) -> JobStatus:
        """Asks the service where the job stands."""
        return JobStatus.of(self._client._transport.request("GET", self._path).json(_shapes.JOB))

    def wait(self, timeout: float | None = None, *, progress: Progress = None) -> JobStatus:
        """Waits until the job is finished, also if it failed. Returns its last status.

        - timeout: the longest time to wait in seconds. Then `JobTimeoutError` is raised, and the job
          goes on.
        - progress: True for a bar, or a callable that takes (done, total); by default as `connect`
          was told.
        """
        return self._waited(Clock(timeout), progress)

    def result(self, *, complex: bool = False, timeout: float | None = None, progress: Progress = None) -> Any:
        """Waits for the results and decrypts them: what `ServiceClient.call` returns. Raises the error of
        a job that failed; for a cancelled one a `ServiceError` of the kind "cancelled".

        complex: returns complex numbers. timeout, progress: as for `wait`.
        """
        return self._client._decrypted(self._program, self._frames(Clock(timeout), progress), complex)

    def result_for_sharing(
        self,
        bits: int | None = None,
        *,
        plan: Plan,
        complex: bool = False,
        security: int = 40,
        answers: int = 1024,
        timeout: float | None = None,
        progress: Progress = None,
    ) -> Any:
        """Waits for the results and decrypts them for others. bits, plan, complex, security, answers: as
        for `ServiceClient.call_for_sharing`. timeout, progress: as for `wait`. The counts of the inputs
        are compared with the plan if this object comes from `submit`."""
        share = self._client._sharing(self._program, self._counts, plan, bits, complex, security, answers)
        return share(self._frames(Clock(timeout), progress))

    def cancel(self) -> None:
        """Cancels the job. A finished job's result is forgotten."""
        self._client._transport.request("DELETE", self._path)

    async def result_async(self, *, complex: bool = False, timeout: float | None = None) -> Any:
        """`result` for asyncio: requests and decryption run in a thread."""
        return await self._result_async(Clock(timeout), complex)

    async def __aiter__(self) -> AsyncIterator[JobStatus]:
        """The status at each change, until the job is finished."""
        clock, last = Clock(None), None
        while last is None or not last.is_final:
            status = await asyncio.to_thread(self.status)
            if status != last:
                yield status
                last = status
            if not status.is_final:
                await asyncio.sleep(clock.pause(self, status))

    def __repr__(self) -> str:
        return f"Job({self.id}, {self.program})"

    @property
    def _path(self) -> str:
        return f"/v1/jobs/{self.id}"

    def _waited(self, clock: Clock, progress: Progress) -> JobStatus:
        """Waits until the job is finished, or the clock raises `JobTimeoutError`."""
        show = told(self._client._progress if progress is None else progress, self.program)
        while not (status := self.status()).is_final:
            _show(show, status)
            time.sleep(clock.pause(self, status))
        if show is not None:
            show(100, 100)
        return status

    async def _result_async(self, clock: Clock, complex: bool) -> Any:
        """Waits for the results, until the clock raises `JobTimeoutError`, and decrypts them."""
        show = told(self._client._progress, self.program)
        while not (status := await asyncio.to_thread(self.status)).is_final:
            _show(show, status)
            await asyncio.sleep(clock.pause(self, status))
        return await asyncio.to_thread(self.result, complex=complex)

    def _given_up(self, error: BaseException) -> None:
        """Cancels the job after an error of waiting, and says so in a `JobTimeoutError`. A service that cannot be
        reached does not hide the error."""
        with suppress(RingjetError, OSError):
            self.cancel()
            if isinstance(error, JobTimeoutError):
                error.args = (f"{error}; it was cancelled",)

    def _frames(self, clock: Clock, progress: Progress = None) -> bytes:
        """Waits for the frames of the results."""
        if self._waited(clock, progress).state == "cancelled":
            raise refused(409, "cancelled", f"the job {self.id} was cancelled, or its result was forgotten")
        return self._client._transport.request("GET", f"{self._path}/result", max_bytes=self._client._max_result()).body


class Clock:
    """Counts the seconds that a call may wait, from now on. None: without end."""

    def __init__(self, timeout: float | None) -> None:
        self._start, self._pause = time.monotonic(), _FIRST_PAUSE
        self._end = None if timeout is None else self._start + timeout

    def pause(self, job: Job, status: JobStatus) -> float:
        """Seconds to wait until the next question. Raises `JobTimeoutError` at the end of the time."""
        now, pause = time.monotonic(), self._pause
        if self._end is not None and now >= self._end:
            raise timed_out(job, status, now - self._start)
        self._pause = min(1.5 * pause, _LONGEST_PAUSE)
        return pause if self._end is None else min(pause, self._end - now)


def timed_out(job: Job, status: JobStatus, seconds: float) -> JobTimeoutError:
    """The error for a job that is not finished in time."""
    error = JobTimeoutError(f"{job.program} is {status.state} after {seconds:.1f} s")
    error.job, error.state = job.id, status.state
    return error


def told(progress: Progress, label: str) -> Bar | None:
    """What takes (done, total)."""
    if progress is True:
        return bar(label)
    return progress if callable(progress) else None


def _show(show: Bar | None, status: JobStatus) -> None:
    done, total = status.progress or (0, 100)
    if show is not None and total > 0:
        show(max(0, min(done, total - 1)), total)
