"""Uploads of evaluation keys, in parts."""

from __future__ import annotations

import base64
import hashlib
import time

from . import _shapes
from ._transport import Bar, ServiceError, Transport, in_parts

_PART = 4 << 20
_OCTETS = {"Content-Type": "application/octet-stream"}


def send(transport: Transport, key_id: str, data: bytes, show: Bar | None) -> None:
    """Sends keys in parts. After a broken connection it asks what has come, and goes on from there."""
    sha256 = hashlib.sha256(data)
    headers = {**_OCTETS, "Repr-Digest": f"sha-256=:{base64.b64encode(sha256.digest()).decode()}:"}
    path, start, failures = f"/v1/keys/{key_id}", 0, 0
    while True:
        try:
            for at, part in in_parts(data, start, _PART):
                place = f"bytes {at}-{at + len(part) - 1}/{len(data)}"
                transport.request("PUT", path, part, {**headers, "Content-Range": place}, repeat=False)
                start = at + len(part)
                if show is not None:
                    show(start, len(data))
            return
        except (OSError, ServiceError) as error:
            broken = not isinstance(error, ServiceError) or error.kind in ("conflict", "incomplete", "slow")
            failures += 1
            if not broken or failures > 8:
                raise
            time.sleep(min(0.05 * 2**failures, 5.0))
            transport.close()
            received = _received(transport, path, sha256.hexdigest(), len(data), headers)
            if received is None:
                return
            start = received


def _received(transport: Transport, path: str, sha256: str, total: int, headers: dict[str, str]) -> int | None:
    """How much of the upload the service has; None if the keys are complete."""
    try:
        state = transport.request("GET", path).json(_shapes.KEYS)
    except ServiceError as error:
        if error.status != 404:
            raise
        return 0
    upload = state.get("upload") or {}
    if state.get("sha256") == sha256 and not upload:
        return None
    received = int(upload.get("received", 0)) if upload.get("sha256") == sha256 else 0
    if received == total:
        # all bytes are there, but nobody verified them yet
        transport.request("PUT", path, b"", {**headers, "Content-Range": f"bytes */{total}"})
        return None
    return received
