"""The HTTP interface."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.security import HTTPBearer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Match

from .. import __version__
from . import _bodies, _keys, _log, _problems, _status
from ._access import Caller
from ._core import Core
from ._http import Outer
from ._journal import DONE, FINAL
from ._problems import Problem
from ._schemas import (
    BINARY,
    DATA_ID,
    JOB_ID,
    KEY_ID,
    OCTETS,
    PROGRAM,
    WAIT,
    Call,
    Job,
    KeyState,
    ProblemDocument,
    Stored,
    answers,
)

_bearer = HTTPBearer(auto_error=False, description="A token of `ringjet serve token add`")
_MAX_JSON = 1 << 20
_POLL = 0.25
_KEEP_ALIVE = 15.0


def _caller(request: Request, _: Any = Depends(_bearer)) -> Caller:
    """Who sends the request. A page in a browser may send the token as a password."""
    kind, _space, value = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic":
        try:
            value = base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            value = ""
    elif kind.lower() != "bearer":
        value = ""
    found: Caller = request.app.state.core.access.caller(value.strip())
    request.state.tenant = found.tenant
    return found


_who = Depends(_caller)


class Waiters:
    """Requests that wait for a change of a job."""

    def __init__(self) -> None:
        self._events: dict[str, set[asyncio.Event]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.stopping = False

    def start(self) -> None:
        """Binds the waiters to the running loop."""
        self._loop = asyncio.get_running_loop()
        self.verifying = CapacityLimiter(1)

    def changed(self, name: str) -> None:
        """Wakes those who wait for the job. It may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, name)

    def stop(self) -> None:
        """Wakes everybody, for good."""
        self.stopping = True
        for name in list(self._events):
            self._wake(name)

    @contextmanager
    def watch(self, name: str) -> Iterator[Callable[[float], Awaitable[None]]]:
        """Watches a job from now on. What it gives waits for the next change, at most so many
        seconds."""
        event = asyncio.Event()
        self._events.setdefault(name, set()).add(event)

        async def changed(seconds: float) -> None:
            if not self.stopping and seconds > 0:
                try:
                    await asyncio.wait_for(event.wait(), seconds)
                except (TimeoutError, asyncio.TimeoutError):
                    pass
            event.clear()

        try:
            yield changed
        finally:
            waiting = self._events.get(name, set())
            waiting.discard(event)
            if not waiting:
                self._events.pop(name, None)

    def _wake(self, name: str) -> None:
        for event in self._events.get(name, ()):
            event.set()


def build(core: Core) -> FastAPI:
    """The application."""
    waiters = Waiters()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        waiters.start()
        core.queue.on_change = waiters.changed
        await run_in_threadpool(core.open)
        yield
        waiters.stop()
        await run_in_threadpool(core.close)

    title = "ringjet: computing on encrypted numbers"
    urls = {"docs_url": None, "redoc_url": None, "openapi_url": "/v1/openapi.json"}
    app = FastAPI(title=title, version=__version__, lifespan=lifespan, redirect_slashes=False, **urls)  # type: ignore[arg-type]
    app.state.core, app.state.waiters = core, waiters
    app.add_middleware(Outer, metrics=core.metrics)
    _add_handlers(app)
    for add in (_add_config, _add_keys, _add_data, _add_programs, _add_jobs, _add_health):
        add(app, core, waiters)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, routes=app.routes)
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        schemas["ProblemDocument"] = ProblemDocument.model_json_schema()
        schemas["Call"] = Call.model_json_schema()
        app.openapi_schema = made
    return app.openapi_schema


def _refused(problem: Problem) -> Response:
    return JSONResponse(problem.document(), problem.status, problem.headers, _problems.MEDIA_TYPE)


def _add_handlers(app: FastAPI) -> None:
    @app.exception_handler(Problem)
    async def _(_request: Request, problem: Problem) -> Response:
        return _refused(problem)

    @app.exception_handler(RequestValidationError)
    async def _(_request: Request, error: RequestValidationError) -> Response:
        return _refused(_invalid(error.errors()))

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        kind = {404: "not-found", 405: "method"}.get(error.status_code, "malformed")
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        return _refused(Problem(kind, str(error.detail), status=error.status_code, headers=headers))

    @app.exception_handler(OSError)
    async def _(_request: Request, error: OSError) -> Response:
        _log.failure("storage", error)
        return _refused(_problems.later("storage", "the service cannot store anything at the moment", 60))

    @app.exception_handler(SQLAlchemyError)
    async def _(_request: Request, error: SQLAlchemyError) -> Response:
        _log.failure("database", error)
        return _refused(_problems.later("storage", "the database does not answer", 60))


def _methods(request: Request) -> list[str]:
    """The methods that the path of a request has."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in routes for method in getattr(route, "methods", None) or ()})


def _invalid(errors: Any) -> Problem:
    found = [{"where": ".".join(map(str, e["loc"])), "why": e["msg"]} for e in errors]
    return Problem("invalid", "; ".join(f"{e['where']}: {e['why']}" for e in found[:5]), errors=found[:20])


def _add_config(app: FastAPI, core: Core, _waiters: Waiters) -> None:
    @app.get("/v1/config", responses=answers(401, ok200={"description": "Programs, parameters and limits"}))
    def config(_caller: Caller = _who) -> dict[str, Any]:
        """What the service offers: parameters that `Parameters.from_json` reads, programs with their
        inputs, keys and predicted times, and limits."""
        return core.config()

    @app.get("/", response_class=HTMLResponse, responses=answers(401))
    def status(caller: Caller = _who) -> Response:
        """A page with clients, keys, jobs and load. The token may be sent as a password (Basic)."""
        return HTMLResponse(_status.page(core, core.status(caller)), headers={"Content-Security-Policy": _status.POLICY})


_KEY_HEADERS = [
    {
        "name": "Repr-Digest",
        "in": "header",
        "required": True,
        "description": "The SHA-256 of all bytes (RFC 9530)",
        "schema": {"type": "string", "pattern": "^sha-256=:[A-Za-z0-9+/]{43}=:$"},
    },
    {
        "name": "Content-Range",
        "in": "header",
        "required": False,
        "description": "Which part of all bytes the body is; without it the body is everything",
        "schema": {"type": "string", "pattern": "^bytes ([0-9]{1,18}-[0-9]{1,18}|\\*)/[0-9]{1,18}$"},
    },
]


def _add_keys(app: FastAPI, core: Core, _waiters: Waiters) -> None:
    refusals = (401, 403, 404, 422, 503)

    @app.get("/v1/keys/{key_id}", responses=answers(*refusals, ok200=KeyState))
    def key_state(key_id: str = KEY_ID, caller: Caller = _who) -> Response:
        """The state of evaluation keys, and how much of an upload has come."""
        caller.check_key(key_id)
        return JSONResponse(core.keys.state(caller, key_id))

    @app.put(
        "/v1/keys/{key_id}",
        status_code=201,
        response_model=KeyState,
        responses=answers(400, 408, 409, 411, 413, 429, *refusals, ok202=KeyState),
        openapi_extra={"requestBody": {"content": BINARY}, "parameters": _KEY_HEADERS},
    )
    async def put_keys(request: Request, key_id: str = KEY_ID, caller: Caller = _who) -> Response:
        """Uploads evaluation keys, whole or in parts that follow each other. 202 means that more parts
        are needed. The last part takes as long as the verification of the keys."""
        caller.check_key(key_id)
        with core.keys.exclusive(caller, key_id):
            return await _received(core, key_id, request, caller)

    @app.delete("/v1/keys/{key_id}", status_code=204, responses=answers(409, *refusals))
    def delete_keys(key_id: str = KEY_ID, caller: Caller = _who) -> Response:
        """Removes evaluation keys. Jobs that wait for them fail."""
        caller.check_key(key_id)
        with core.keys.exclusive(caller, key_id):
            core.forget_keys(caller, key_id)
        return Response(status_code=204)


async def _received(core: Core, key_id: str, request: Request, caller: Caller) -> Response:
    declared = request.headers.get("content-length", "")
    length = int(declared) if declared.isdecimal() else None
    first, size, total = _bodies.part(request.headers.get("content-range"), length)
    digest = _bodies.digest(request.headers.get("repr-digest"))
    if digest is None:
        raise Problem("malformed", "Repr-Digest is needed: sha-256=:BASE64:, the SHA-256 of all bytes")
    if total is None:
        raise Problem("length-required", "Content-Length, or a Content-Range with the number of all bytes, is needed")
    if total > core.options.max_key_bytes:
        raise _bodies.too_large(total, core.options.max_key_bytes)
    if total == 0:
        raise Problem("invalid", "keys have more than 0 bytes")
    path, at = await run_in_threadpool(core.keys.begin, caller, key_id, digest, first, total)
    end = total if size is None else first + size
    async for piece in _bodies.pieces(request, end - first, core.options.body_timeout):
        await run_in_threadpool(_keys.append, path, at, [piece])
        at += len(piece)
    await run_in_threadpool(core.keys.touch, caller, key_id)
    if at < end:
        raise Problem("incomplete", f"{end - first} bytes were announced, and {at - first} came", received=at, total=total)
    if at == total:
        # requests that wait for their turn take no thread
        await to_thread.run_sync(core.keys.complete, caller, key_id, limiter=request.app.state.waiters.verifying)
    state = await run_in_threadpool(core.keys.state, caller, key_id)
    return JSONResponse(state, 201 if at == total else 202)


def _add_data(app: FastAPI, core: Core, _waiters: Waiters) -> None:
    refusals = (401, 403, 404, 422, 503)

    @app.put(
        "/v1/data/{name}",
        status_code=201,
        response_model=Stored,
        responses=answers(400, 408, 409, 413, 429, *refusals, ok200=Stored),
        openapi_extra={"requestBody": {"content": BINARY}},
    )
    async def put_data(request: Request, name: str = DATA_ID, caller: Caller = _who) -> Response:
        """Stores a ciphertext. The same bytes may come again; other bytes are refused."""
        with core.blobs.incoming() as incoming:
            await _bodies.into(request, incoming, core.options.max_data_bytes, core.options.body_timeout)
            new, document = await run_in_threadpool(core.data.keep, caller, name, incoming)
        return JSONResponse(document, 201 if new else 200)

    @app.get(
        "/v1/data/{name}",
        response_class=Response,
        responses=answers(*refusals, ok200={"description": "The ciphertext", "content": BINARY}),
    )
    def get_data(name: str = DATA_ID, caller: Caller = _who) -> Response:
        """A stored ciphertext."""
        row = core.data.find(caller, name)
        return _file(core, row.digest, row.size)

    @app.delete("/v1/data/{name}", status_code=204, responses=answers(*refusals))
    def delete_data(name: str = DATA_ID, caller: Caller = _who) -> Response:
        """Forgets a ciphertext. Jobs that were started with it are not affected."""
        core.data.remove(caller, name)
        return Response(status_code=204)


def _file(core: Core, digest: str, size: int, headers: dict[str, str] | None = None) -> Response:
    """The bytes of a blob. The file is open before the answer begins, so it can be removed meanwhile."""
    file = core.blobs.path(digest).open("rb")

    def content() -> Any:
        with file:
            while piece := file.read(1 << 20):
                yield piece

    return StreamingResponse(content(), media_type=OCTETS, headers={"Content-Length": str(size), **(headers or {})})


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
    return _file(core, job.result, job.result_bytes, {"Location": f"/v1/jobs/{job.id}"})


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
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        }
    ],
}
_FRAMES = {"description": "The results, in frames (docs/service.md)", "content": BINARY}


def _add_programs(app: FastAPI, core: Core, waiters: Waiters) -> None:
    @app.post(
        "/v1/programs/{name}",
        response_class=Response,
        responses=answers(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503, ok200=_FRAMES, ok202=Job),
        openapi_extra=_CALL,
    )
    async def call(request: Request, name: str = PROGRAM, wait: float = WAIT, caller: Caller = _who) -> Response:
        """Calls a program with stored ciphertexts (JSON), or with ciphertexts in the body (frames, one for
        each input). Answers with the results if they are there within `wait` seconds, and otherwise
        with 202 and the job."""
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
    if key is not None and not (0 < len(key) <= 64 and key.isascii() and key.replace("-", "").replace("_", "").isalnum()):
        raise Problem("malformed", "Idempotency-Key: expected 1 to 64 letters, digits, - and _")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    timeout = core.options.body_timeout
    if kind == "application/json":
        body = await _bodies.whole(request, _MAX_JSON, timeout)
        try:
            document = json.loads(body)
            asked = Call.model_validate(document)
        except ValidationError as error:
            raise _invalid(error.errors()) from None
        except (ValueError, RecursionError):
            raise Problem("malformed", "the body is not JSON") from None
        return await run_in_threadpool(core.call, caller, program, asked.inputs, key)
    if kind == OCTETS:
        limit = len(program.inputs) * (core.options.max_data_bytes + 1024) + 8
        with core.blobs.incoming() as incoming:
            await _bodies.into(request, incoming, limit, timeout)
            return await run_in_threadpool(core.call_with, caller, program, incoming.complete(), key)
    raise Problem("media-type", f"{kind[:100] or 'no media type'}: expected application/json or {OCTETS}")


def _add_jobs(app: FastAPI, core: Core, waiters: Waiters) -> None:
    refusals = (401, 403, 404, 422, 503)

    @app.get("/v1/jobs/{name}", responses=answers(*refusals, ok200=Job))
    def job(name: str = JOB_ID, caller: Caller = _who) -> Response:
        """The state of a job."""
        return JSONResponse(_document(core, core.journal.find(caller, name)))

    @app.delete("/v1/jobs/{name}", status_code=204, responses=answers(*refusals))
    def cancel(name: str = JOB_ID, caller: Caller = _who) -> Response:
        """Cancels a job, or forgets the result of a finished one."""
        core.journal.find(caller, name)
        if not core.queue.cancel(name):
            core.journal.remove(name)
        return Response(status_code=204)

    @app.get("/v1/jobs/{name}/result", response_class=Response, responses=answers(409, 413, 500, *refusals, ok200=_FRAMES))
    def result(name: str = JOB_ID, caller: Caller = _who) -> Response:
        """The results of a job, or the reason why it failed."""
        return _result(core, core.journal.find(caller, name))

    events_200 = {"description": "Events with a job each", "content": {"text/event-stream": {"schema": {"type": "string"}}}}

    @app.get("/v1/jobs/{name}/events", response_class=Response, responses=answers(*refusals, ok200=events_200))
    async def events(request: Request, name: str = JOB_ID, caller: Caller = _who) -> Response:
        """Server-sent events: the job at each change of its state or progress, until it is finished."""
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


def _add_health(app: FastAPI, core: Core, waiters: Waiters) -> None:
    metrics_200 = {"description": "Metrics", "content": {"text/plain": {"schema": {"type": "string"}}}}

    @app.get("/healthz", responses=answers(ok200={"description": "The process answers"}))
    async def healthy() -> dict[str, str]:
        """Whether the process answers."""
        return {"status": "ok"}

    @app.get("/readyz", responses=answers(503, ok200={"description": "The service takes work"}))
    def ready() -> dict[str, str]:
        """Whether the service takes work: its threads and its database are there."""
        if waiters.stopping or core.queue.stopping:
            raise _problems.later("stopping", "the service is stopping", 10)
        if not core.queue.alive:
            raise _problems.later("busy", "the threads that run jobs are not there", 10)
        core.journal.counts()
        return {"status": "ok"}

    @app.get("/metrics", response_class=Response, responses=answers(401, 403, ok200=metrics_200))
    def metrics(caller: Caller = _who) -> Response:
        """Metrics for Prometheus. They need a token of an administrator."""
        if not caller.admin:
            raise Problem("forbidden", "metrics need a token that was made with --admin")
        return Response(core.measure(), media_type="text/plain; version=0.0.4")
