"""Bodies of requests, piece by piece, within limits of size and time."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import time
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from ._blobs import Incoming
from ._problems import Problem

#: Bodies may not come slower than this many bytes a second, on average.
_LEAST_RATE = 1024
_PIECE = 4 << 20


async def pieces(request: Request, limit: int, timeout: float) -> AsyncIterator[bytes]:
    """The body in pieces of some megabytes; more than `limit` bytes are refused, if possible before
    they come."""
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise too_large(int(declared), limit)
    start, total = time.monotonic(), 0
    stream = request.stream()
    kept = bytearray()
    while True:
        try:
            piece = await asyncio.wait_for(anext(stream), timeout)
        except StopAsyncIteration:
            break
        except (TimeoutError, asyncio.TimeoutError):
            raise Problem("slow", f"no byte of the body came for {timeout:g} s") from None
        except ClientDisconnect:
            if kept:
                yield bytes(kept)
            raise Problem("incomplete", "the connection ended before the body") from None
        total += len(piece)
        if total > limit:
            raise too_large(total, limit)
        if time.monotonic() - start > timeout + total / _LEAST_RATE:
            raise Problem("slow", f"the body comes more slowly than {_LEAST_RATE} bytes a second")
        kept += piece
        if len(kept) >= _PIECE:
            yield bytes(kept)
            kept.clear()
    if kept:
        yield bytes(kept)


async def whole(request: Request, limit: int, timeout: float) -> bytes:
    """The whole body, for small ones."""
    return b"".join([piece async for piece in pieces(request, limit, timeout)])


async def into(request: Request, incoming: Incoming, limit: int, timeout: float) -> None:
    """Writes the body to a new blob."""
    async for piece in pieces(request, limit, timeout):
        await run_in_threadpool(incoming.write, piece)


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
