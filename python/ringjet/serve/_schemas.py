"""What the OpenAPI document says of bodies and answers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from . import _problems

#: Parameters of paths and queries, as defaults of the functions of routes.
KEY_ID: Any = Path(pattern="^[0-9a-f]{32}$", description="The identity of a key, as `Client.key_id` shows it")
DATA_ID: Any = Path(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", description="A name that the client chooses")
SESSION: Any = Path(pattern="^[0-9a-f]{32}$", description="A session of parties, as `Session.id` shows it")
TOPIC: Any = Path(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", description="A round, as the parties call it")
SENDER: Any = Path(min_length=1, max_length=64, pattern="^[^/]+$", description="The name of a party")
JOB_ID: Any = Path(pattern="^[0-9a-f]{32}$", description="A job, as `Location` names it")
PROGRAM: Any = Path(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$", description="A program of `/v1/config`")
WAIT: Any = Query(0.0, ge=0, le=3600, description="Seconds to wait for the result; the service may wait less")

OCTETS = "application/octet-stream"
BINARY: dict[str, Any] = {OCTETS: {"schema": {"type": "string", "format": "binary"}}}


class Call(BaseModel):
    """Names stored ciphertexts as the inputs of a program."""

    model_config = ConfigDict(extra="forbid")

    inputs: dict[str, Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]]


class Job(BaseModel):
    """A job. Times are in seconds since 1970."""

    id: str
    program: str
    key_id: str
    state: str
    predicted_seconds: float
    created: float
    started: float | None
    finished: float | None
    progress: list[int] | None
    outputs: list[str] | None
    problem: dict[str, Any] | None


class Stored(BaseModel):
    """A stored ciphertext."""

    id: str
    size: int
    sha256: str
    key_id: str


class Letter(BaseModel):
    """What a party sent to all others in a round."""

    sender: str
    size: int
    sha256: str


class Round(BaseModel):
    """The letters of a round that have come."""

    letters: list[Letter]


class Upload(BaseModel):
    """Keys of which a part has come."""

    received: int
    total: int
    sha256: str


class KeyState(BaseModel):
    """Evaluation keys: `receiving` before they are complete and verified, then `ready`."""

    key_id: str
    state: str
    size: int | None = None
    sha256: str | None = None
    parameters: str | None = None
    expires: float | None = None
    keys: dict[str, Any] | None = None
    upload: Upload | None = None


class ProblemDocument(BaseModel):
    """A problem document (RFC 9457). Errors of ringjet add `error`, the name of its class, and
    `fields`, its values."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str


_TEXT = {
    400: "Malformed or incomplete",
    401: "No valid token",
    403: "The token is for other keys",
    404: "Not there",
    405: "Not possible here",
    408: "The body did not come in time",
    409: "In conflict with what is there",
    411: "The length is needed",
    413: "Too large",
    415: "Unknown media type",
    422: "Refused by the rules of the service or of the library",
    429: "The quota is used up; Retry-After says when to try again",
    500: "The program of the service failed",
    503: "Too busy, or stopping; Retry-After says when to try again",
}


def answers(*refusals: int, **good: Any) -> dict[int | str, dict[str, Any]]:
    """The answers of a route. `good` has names such as `ok200`, and models or descriptions."""
    found: dict[int | str, dict[str, Any]] = {}
    for name, what in good.items():
        status = int(name[-3:])
        found[status] = what if isinstance(what, dict) else {"model": what}
    schema = {"$ref": "#/components/schemas/ProblemDocument"}
    for status in refusals:
        found[status] = {"description": _TEXT[status], "content": {_problems.MEDIA_TYPE: {"schema": schema}}}
    return found
