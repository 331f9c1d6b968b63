"""Refusals as problem documents (RFC 9457)."""

from __future__ import annotations

import math
from typing import Any

from ..errors import MissingKeyError, OutOfMemoryError, RingjetError, TooManyBytesError

#: The media type of problem documents.
MEDIA_TYPE = "application/problem+json"

_TITLES = {
    "unauthorized": (401, "No valid token"),
    "forbidden": (403, "Not allowed with this token"),
    "not-found": (404, "There is no such thing"),
    "method": (405, "Not possible here"),
    "conflict": (409, "In conflict with what is there"),
    "missing-keys": (409, "Evaluation keys are missing"),
    "not-finished": (409, "The job has no result"),
    "length-required": (411, "The length is needed"),
    "too-large": (413, "Too large"),
    "wrong-host": (421, "Another service"),
    "media-type": (415, "Unknown media type"),
    "slow": (408, "The body did not come in time"),
    "incomplete": (400, "The body is not complete"),
    "malformed": (400, "The body or a header is malformed"),
    "invalid": (422, "Cannot be used"),
    "quota": (429, "The quota is used up"),
    "busy": (503, "Too much work is waiting"),
    "stopping": (503, "The service is stopping"),
    "program-failed": (500, "The program failed"),
    "storage": (503, "The service cannot store anything"),
}


class Problem(Exception):
    """A refusal. `kind` says which; `members` are further members of the document."""

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.status = status or _TITLES[kind][0]
        self.headers = headers or {}
        self.members = members

    def document(self) -> dict[str, Any]:
        """The problem document."""
        return {
            "type": f"urn:ringjet:problem:{self.kind}",
            "title": _TITLES[self.kind][1],
            "status": self.status,
            "detail": str(self),
            **self.members,
        }


def later(kind: str, detail: str, seconds: float, **members: Any) -> Problem:
    """A refusal that says when to try again."""
    wait = max(1, math.ceil(min(seconds, 3600.0)))
    return Problem(kind, detail, headers={"Retry-After": str(wait)}, retry_after=wait, **members)


def of(error: RingjetError) -> Problem:
    """The refusal for one of ringjet's errors. Its text says the way out."""
    kind, status = "invalid", 422
    if isinstance(error, TooManyBytesError):
        kind, status = "too-large", 413
    elif isinstance(error, MissingKeyError):
        kind = "missing-keys"
    elif isinstance(error, OutOfMemoryError):
        return later("busy", str(error), 30, error=type(error).__name__, fields=fields(error))
    return Problem(kind, str(error), status=status, error=type(error).__name__, fields=fields(error))


def invalid(errors: Any) -> Problem:
    """The refusal for what does not fit a schema, with the errors as pydantic lists them."""
    found = [{"where": ".".join(map(str, e["loc"])), "why": e["msg"]} for e in errors]
    return Problem("invalid", "; ".join(f"{e['where']}: {e['why']}" for e in found[:5]), errors=found[:20])


def fields(error: BaseException) -> dict[str, Any]:
    """The attributes of an error that JSON can hold."""
    return {name: plain(value) for name, value in vars(error).items() if not name.startswith("_")}


def plain(value: Any) -> Any:
    """The value for JSON. JSON has no infinite numbers, so these become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)


def plain_tree(value: Any) -> Any:
    """As `plain`, also inside dictionaries."""
    if isinstance(value, dict):
        return {str(key): plain_tree(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_tree(v) for v in value]
    return plain(value)
