"""Who sends a request."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from ._access import Caller

_bearer = HTTPBearer(auto_error=False, description="A token of `ringjet serve token add`")


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
    request.app.state.core.gate.enter(found.tenant)
    # the middleware counts it out
    request.state.tenant = found.tenant
    return found


#: The caller, as a default of the functions of routes.
WHO: Any = Depends(_caller)
