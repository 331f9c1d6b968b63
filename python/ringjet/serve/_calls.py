"""Routes of calls, jobs and results."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from . import _bodies, _problems
from ._access import Caller
from ._core import Core
from ._journal import DONE, FINAL
from ._problems import Problem
from ._schemas import BINARY, JOB_ID, OCTETS, PROGRAM, WAIT, Call, Job, answers
from ._waiters import Waiters
from ._who import WHO

#: A body that names stored ciphertexts is short.
_MAX_JSON = 64 << 10
_POLL = 0.25
_KEEP_ALIVE = 15.0
_IDEMPOTENCY = "[A-Za-z0-9_-]{1,64}"

_CALL = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Call"}}, **BINARY},
    },
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The same key with the same request finds the job of the first one, instead of a new job",
            "schema": {"type": "string", "pattern": f"^{_IDEMPOTENCY}$"},
        }
    ],
}
_FRAMES = {"description": "The results, in frames (docs/service.md)", "content": BINARY}


def add_programs(app: FastAPI, core: Core, waiters: Waiters) -> None:
    """Adds the call of a program."""

    @app.post(
        "/v1/programs/{name}",
        response_class=Response,
        responses=answers(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503, ok200=_FRAMES, ok202=Job),
        openapi_extra=_CALL,
    )
    async def call(request: Request, name: str = PROGRAM, wait: float = WAIT, caller: Caller = WHO) -> Response:
        """Calls a program with stored ciphertexts (JSON), or with ciphertexts in the body (frames,
        one for each input). Answers with the results if they are there within `wait` seconds, and
        otherwise with 202 and the job."""
        program = core.program(name)
        job = await _asked(core, request, caller, program)
        end = time.monotonic() + min(wait, core.options.max_wait)
        with waiters.watch(job.id) as changed:
            while job.state not in FINAL and (left := end - time.monotonic()) > 0 and not waiters.stopping:
                job = await run_in_threadpool(core.journal.find, caller, job.id)
                if job.state not in FINAL:
                    await changed(min(left, 0.5))
        if job.state in FINAL:
            return await run_in_threadpool(_result, core, job)
        return JSONResponse(_document(core, job), 202, {"Location": f"/v1/jobs/{job.id}"})


async def _asked(core: Core, request: Request, caller: Caller, program: Any) -> Any:
    """Reads what is asked for, and puts it into the queue."""
    key = request.headers.get("idempotency-key")
    if key is not None and not re.fullmatch(_IDEMPOTENCY, key):
        raise Problem("malformed", "Idempotency-Key: expected 1 to 64 letters, digits, - and _")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    pace = core.options.pace
    if kind == "application/json":
        body = await _bodies.whole(request, _MAX_JSON, pace)
        try:
            document = json.loads(body)
            asked = Call.model_validate(document)
        except ValidationError as error:
            raise _problems.invalid(error.errors()) from None
        except (ValueError, RecursionError):
            raise Problem("malformed", "the body is not JSON") from None
        return await run_in_threadpool(core.call, caller, program, asked.inputs, key)
    if kind == OCTETS:
        limit = len(program.inputs) * (core.options.max_data_bytes + 1024) + 8
        length = _bodies.declared(request, limit)
        repeated = await run_in_threadpool(core.admit, caller, program, key)
        with core.arriving(caller, program, length, repeated) as arrivals:
            async for piece in _bodies.pieces(request, limit, pace):
                await run_in_threadpool(arrivals.feed, piece)
            return await run_in_threadpool(core.call_with, caller, program, arrivals, key, repeated)
    raise Problem("media-type", f"{kind[:100] or 'no media type'}: expected application/json or {OCTETS}")


def add_jobs(app: FastAPI, core: Core, waiters: Waiters) -> None:
    """Adds the routes of jobs."""
    refusals = (401, 403, 404, 422, 503)

    @app.get("/v1/jobs/{name}", responses=answers(*refusals, ok200=Job))
    def job(name: str = JOB_ID, caller: Caller = WHO) -> Response:
        """The state of a job."""
        return JSONResponse(_document(core, core.journal.find(caller, name)))

    @app.delete("/v1/jobs/{name}", status_code=204, responses=answers(*refusals))
    def cancel(name: str = JOB_ID, caller: Caller = WHO) -> Response:
        """Cancels a job, or forgets the result of a finished one."""
        core.journal.find(caller, name)
        core.cancel(name)
        return Response(status_code=204)

    @app.get(
        "/v1/jobs/{name}/result", response_class=Response, responses=answers(409, 413, 500, *refusals, ok200=_FRAMES)
    )
    def result(name: str = JOB_ID, caller: Caller = WHO) -> Response:
        """The results of a job, or the reason why it failed."""
        return _result(core, core.journal.find(caller, name))

    events_200 = {
        "description": "Events with a job each",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }

    @app.get("/v1/jobs/{name}/events", response_class=Response, responses=answers(*refusals, ok200=events_200))
    async def events(request: Request, name: str = JOB_ID, caller: Caller = WHO) -> Response:
        """Server-sent events: the job at each change of its state or progress, until it is
        finished."""
        first = await run_in_threadpool(core.journal.find, caller, name)

        async def stream() -> AsyncIterator[str]:
            with waiters.watch(name) as changed:
                async for text in events_of(changed):
                    yield text

        async def events_of(changed: Callable[[float], Awaitable[None]]) -> AsyncIterator[str]:
            job, sent, said = first, "", time.monotonic()
            while True:
                text = json.dumps(_document(core, job))
                if text != sent:
                    sent, said = text, time.monotonic()
                    yield f"event: {job.state}\ndata: {text}\n\n"
                elif time.monotonic() - said > _KEEP_ALIVE:
                    said = time.monotonic()
                    yield ": still there\n\n"
                if job.state in FINAL or waiters.stopping:
                    return
                await changed(_POLL)
                job = await run_in_threadpool(core.journal.find, caller, name)

        return StreamingResponse(stream(), media_type="text/event-stream")


def _document(core: Core, job: Any) -> dict[str, Any]:
    progress = core.queue.progress(job.id)
    return {
        "id": job.id,
        "program": job.program,
        "key_id": job.key_id,
        "state": job.state,
        "predicted_seconds": job.predicted,
        "created": job.created,
        "started": job.started,
        "finished": job.finished,
        "progress": list(progress) if progress else None,
        "outputs": json.loads(job.outputs) if job.outputs else None,
        "problem": json.loads(job.problem) if job.problem else None,
    }


def _result(core: Core, job: Any) -> Response:
    """The result of a finished job, or the reason why there is none."""
    if job.problem:
        document = json.loads(job.problem)
        again = {"Retry-After": str(document["retry_after"])} if "retry_after" in document else {}
        return JSONResponse(document, document["status"], again, _problems.MEDIA_TYPE)
    if job.state != DONE or job.result is None:
        raise Problem("not-finished", f"the job is {job.state}", state=job.state)
    return file_of(core, job.result, job.result_bytes, {"Location": f"/v1/jobs/{job.id}"})


def file_of(core: Core, digest: str, size: int, headers: dict[str, str] | None = None) -> Response:
    """The bytes of a blob. The file is open before the answer begins, so it can be removed
    meanwhile."""
    file = core.blobs.path(digest).open("rb")

    def content() -> Any:
        with file:
            while piece := file.read(1 << 20):
                yield piece

    return StreamingResponse(content(), media_type=OCTETS, headers={"Content-Length": str(size), **(headers or {})})
