"""Bodies of requests, piece by piece, within limits of size and time."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import time
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request

from ._options import Pace
from ._problems import Problem

#: Bodies are handed on in pieces of about this size.
_PIECE = 256 << 10


def declared(request: Request, limit: int) -> int | None:
    """The length of the body, if its head says it; more than `limit` bytes are refused."""
    text = request.headers.get("content-length", "")
    length = int(text) if text.isdecimal() else None
    if length is not None and length > limit:
        raise too_large(length, limit)
    return length


async def pieces(request: Request, limit: int, pace: Pace, size: int = _PIECE) -> AsyncIterator[bytes]:
    """The body in pieces. The first bytes are handed on at once, so that they can be refused; then
    pieces grow up to about `size` bytes. More than `limit` bytes are refused, if possible before
    they come."""
    declared(request, limit)
    total, window, clock = 0, 0, 0.0
    stream = request.stream()
    kept = bytearray()
    while True:
        start = time.monotonic()
        try:
            # only the time that the client takes counts, not that of the disk
            piece = await asyncio.wait_for(anext(stream), pace.window - clock)
        except StopAsyncIteration:
            break
        except (TimeoutError, asyncio.TimeoutError):
            raise _slow(window, pace) from None
        except ClientDisconnect:
            if kept:
                yield bytes(kept)
            raise Problem("incomplete", "the connection ended before the body") from None
        total, window, clock = total + len(piece), window + len(piece), clock + time.monotonic() - start
        if total > limit:
            raise too_large(total, limit)
        if window >= pace.rate * pace.window:
            window, clock = 0, 0.0
        elif clock >= pace.window:
            raise _slow(window, pace)
        kept += piece
        if len(kept) >= min(size, total - len(kept)):
            yield bytes(kept)
            kept.clear()
    if kept:
        yield bytes(kept)


async def whole(request: Request, limit: int, pace: Pace) -> bytes:
    """The whole body, for small ones."""
    return b"".join([piece async for piece in pieces(request, limit, pace)])


def _slow(came: int, pace: Pace) -> Problem:
    detail = f"{came} bytes of the body came in {pace.window:g} s, and {pace.rate * pace.window:.0f} are the least"
    return Problem("slow", detail, least=pace.rate)


def too_large(found: int, limit: int) -> Problem:
    """The refusal of a body that is too large."""
    return Problem(
        "too-large", f"at least {found} bytes, and at most {limit} are taken", error="TooManyBytesError", limit=limit
    )


def digest(header: str | None) -> str | None:
    """The SHA-256 in a `Repr-Digest` header (RFC 9530), in hexadecimal."""
    if header is None:
        return None
    found = re.search(r"(?:^|[,\s])sha-256=:([A-Za-z0-9+/=]{44}):", header)
    try:
        value = base64.b64decode(found[1], validate=True) if found else b""
    except binascii.Error:
        value = b""
    if len(value) != 32:
        raise Problem("malformed", "Repr-Digest: expected sha-256=:BASE64:, the SHA-256 of all bytes")
    return value.hex()


def part(header: str | None, length: int | None) -> tuple[int, int | None, int | None]:
    """The range of a `Content-Range` header: the first byte, the number of bytes in this part (None
    if that is not known), and the number of all bytes. Without a header, the body is everything."""
    if header is None:
        return 0, length, length
    if found := re.fullmatch(r"bytes \*/(\d{1,18})", header):
        if length:
            raise Problem("malformed", f"Content-Range: {header} is for a request without a body")
        return int(found[1]), 0, int(found[1])
    if not (found := re.fullmatch(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", header)):
        raise Problem("malformed", "Content-Range: expected bytes FIRST-LAST/TOTAL, or bytes */TOTAL")
    first, last, total = map(int, found.groups())
    if not first <= last < total:
        raise Problem("malformed", f"Content-Range: {header} is not a range")
    if length is not None and length != last - first + 1:
        raise Problem("malformed", f"Content-Range: a part of {last - first + 1} bytes, and a body of {length}")
    return first, last - first + 1, total
