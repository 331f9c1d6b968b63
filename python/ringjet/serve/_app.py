"""The HTTP interface."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Match

from .._ringjet import __version__
from . import _bodies, _keys, _log, _problems, _status
from ._access import Caller
from ._calls import add_jobs, add_programs, file_of
from ._core import Core
from ._http import Outer
from ._problems import Problem
from ._schemas import (
    BINARY,
    DATA_ID,
    KEY_ID,
    SENDER,
    SESSION,
    TOPIC,
    Call,
    KeyState,
    Letter,
    ProblemDocument,
    Round,
    Stored,
    answers,
)
from ._waiters import Waiters
from ._who import WHO


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
    # the types of single arguments get lost in a dictionary
    app = FastAPI(title=title, version=__version__, lifespan=lifespan, redirect_slashes=False, **urls)  # type: ignore[arg-type]
    app.state.core, app.state.waiters = core, waiters
    app.add_middleware(Outer, metrics=core.metrics, gate=core.gate)
    if core.options.allow_origin:
        # the outermost, so that pages can read every refusal. Tokens travel in a header that only scripts set: no cookie, and no password of the browser
        app.add_middleware(
            CORSMiddleware,
            allow_origins=core.options.allow_origin,
            allow_methods=["GET", "PUT", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Range", "Content-Type", "Idempotency-Key", "Repr-Digest"],
            expose_headers=["Location", "Retry-After"],
        )
    _add_handlers(app)
    for add in (_add_config, _add_keys, _add_data, _add_letters, add_programs, add_jobs, _add_health):
        add(app, core, waiters)
    # as FastAPI's documentation extends it: by replacing the method
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
        return _refused(_problems.invalid(error.errors()))

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


def _add_config(app: FastAPI, core: Core, _waiters: Waiters) -> None:
    @app.get("/v1/config", responses=answers(401, ok200={"description": "Programs, parameters and limits"}))
    def config(_caller: Caller = WHO) -> dict[str, Any]:
        """What the service offers: parameters that `Parameters.from_json` reads, programs with
        their inputs, keys and predicted times, and limits."""
        return core.config()

    @app.get("/", response_class=HTMLResponse, responses=answers(401))
    def status(caller: Caller = WHO) -> Response:
        """A page with clients, keys, jobs and load. The token may be sent as a password (Basic)."""
        return HTMLResponse(
            _status.page(core, core.status(caller)), headers={"Content-Security-Policy": _status.POLICY}
        )


#: The parts of keys that are written and brought to the disk at once.
_KEY_PIECE = 1 << 20

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
    def key_state(key_id: str = KEY_ID, caller: Caller = WHO) -> Response:
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
    async def put_keys(request: Request, key_id: str = KEY_ID, caller: Caller = WHO) -> Response:
        """Uploads evaluation keys, whole or in parts that follow each other. 202 means that more
        parts are needed. The last part takes as long as the verification of the keys."""
        caller.check_key(key_id)
        with core.keys.exclusive(caller, key_id):
            return await _received(core, key_id, request, caller)

    @app.delete("/v1/keys/{key_id}", status_code=204, responses=answers(409, *refusals))
    def delete_keys(key_id: str = KEY_ID, caller: Caller = WHO) -> Response:
        """Removes evaluation keys. Jobs that wait for them fail."""
        caller.check_key(key_id)
        with core.keys.exclusive(caller, key_id):
            core.forget_keys(caller, key_id)
        return Response(status_code=204)


async def _received(core: Core, key_id: str, request: Request, caller: Caller) -> Response:
    length = _bodies.declared(request, core.options.max_key_bytes)
    first, size, total = _bodies.part(request.headers.get("content-range"), length)
    digest = _bodies.digest(request.headers.get("repr-digest"))
    if digest is None:
        raise Problem("malformed", "Repr-Digest is needed: sha-256=:BASE64:, the SHA-256 of all bytes")
    if total is None:
        raise Problem("length-required", "Content-Length, or a Content-Range with the number of all bytes, is needed")
    if total == 0:
        raise Problem("invalid", "keys have more than 0 bytes")
    core.keys.check_size(total)
    path, at = await run_in_threadpool(core.keys.begin, caller, key_id, digest, first, total)
    end = total if size is None else first + size
    begun: bytes | None = b"" if at == 0 else None
    touched = -math.inf
    async for piece in _bodies.pieces(request, end - first, core.options.pace, _KEY_PIECE):
        if begun is not None:
            begun += piece
            known = await run_in_threadpool(core.keys.check_beginning, caller, key_id, path, begun, total)
            begun = None if known or len(begun) > _KEY_PIECE else begun
        if time.monotonic() - touched > _keys.TOUCH_EVERY:
            await run_in_threadpool(core.keys.touch, caller, key_id)
            touched = time.monotonic()
        await run_in_threadpool(_keys.append, path, at, piece)
        at += len(piece)
    await run_in_threadpool(core.keys.touch, caller, key_id)
    if at < end:
        raise Problem(
            "incomplete", f"{end - first} bytes were announced, and {at - first} came", received=at, total=total
        )
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
    async def put_data(request: Request, name: str = DATA_ID, caller: Caller = WHO) -> Response:
        """Stores a ciphertext. The same bytes may come again; other bytes are refused."""
        limit = core.options.max_data_bytes
        with core.data.arriving(caller, name, _bodies.declared(request, limit)) as arriving:
            async for piece in _bodies.pieces(request, limit, core.options.pace):
                await run_in_threadpool(arriving.feed, piece)
            new, document = await run_in_threadpool(core.data.keep, caller, name, arriving)
        return JSONResponse(document, 201 if new else 200)

    @app.get(
        "/v1/data/{name}",
        response_class=Response,
        responses=answers(*refusals, ok200={"description": "The ciphertext", "content": BINARY}),
    )
    def get_data(name: str = DATA_ID, caller: Caller = WHO) -> Response:
        """A stored ciphertext."""
        row = core.data.find(caller, name)
        return file_of(core, row.digest, row.size)

    @app.delete("/v1/data/{name}", status_code=204, responses=answers(*refusals))
    def delete_data(name: str = DATA_ID, caller: Caller = WHO) -> Response:
        """Forgets a ciphertext. Jobs that were started with it are not affected."""
        core.data.remove(caller, name)
        return Response(status_code=204)


def _add_letters(app: FastAPI, core: Core, _waiters: Waiters) -> None:
    refusals = (401, 403, 404, 422, 503)

    @app.get("/v1/letters/{session}/{topic}", responses=answers(401, 403, 422, 503, ok200=Round))
    def get_round(session: str = SESSION, topic: str = TOPIC, caller: Caller = WHO) -> dict[str, Any]:
        """Whose letters of a round have come."""
        return {"letters": core.letters.listed(caller, session, topic)}

    @app.put(
        "/v1/letters/{session}/{topic}/{sender}",
        status_code=201,
        response_model=Letter,
        responses=answers(400, 408, 409, 413, 429, *refusals, ok200=Letter),
        openapi_extra={"requestBody": {"content": BINARY}},
    )
    async def put_letter(
        request: Request, session: str = SESSION, topic: str = TOPIC, sender: str = SENDER, caller: Caller = WHO
    ) -> Response:
        """Stores what a party sends to all others. The same bytes may come again; other bytes are
        refused."""
        limit = core.options.max_key_bytes
        with core.letters.arriving(caller, session, _bodies.declared(request, limit)) as arriving:
            async for piece in _bodies.pieces(request, limit, core.options.pace):
                await run_in_threadpool(arriving.feed, piece)
            new, document = await run_in_threadpool(core.letters.keep, caller, session, topic, sender, arriving)
        return JSONResponse(document, 201 if new else 200)

    @app.get(
        "/v1/letters/{session}/{topic}/{sender}",
        response_class=Response,
        responses=answers(*refusals, ok200={"description": "The letter", "content": BINARY}),
    )
    def get_letter(session: str = SESSION, topic: str = TOPIC, sender: str = SENDER, caller: Caller = WHO) -> Response:
        """What a party sent."""
        row = core.letters.find(caller, session, topic, sender)
        return file_of(core, row.digest, row.size)

    @app.delete("/v1/letters/{session}", status_code=204, responses=answers(*refusals))
    def delete_letters(session: str = SESSION, caller: Caller = WHO) -> Response:
        """Forgets all letters of a session."""
        core.letters.remove(caller, session)
        return Response(status_code=204)


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
    def metrics(caller: Caller = WHO) -> Response:
        """Metrics for Prometheus. They need a token of an administrator."""
        if not caller.admin:
            raise Problem("forbidden", "metrics need a token that was made with --admin")
        return Response(core.measure(), media_type="text/plain; version=0.0.4")
