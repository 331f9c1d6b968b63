"""The log: one JSON object a line, on stderr. Payloads and tokens never go into it."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from typing import Any

_logger = logging.getLogger("ringjet.serve")


def set_up(level: int = logging.INFO) -> None:
    """Writes the log to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    _logger.handlers[:] = [handler]
    _logger.setLevel(level)
    _logger.propagate = False


def event(what: str, **fields: Any) -> None:
    """Logs an event."""
    _logger.info(json.dumps({"time": round(time.time(), 3), "event": what, **fields}))


def failure(what: str, error: BaseException, **fields: Any) -> None:
    """Logs an exception by its class and its place. Its text may hold what a client sent."""
    where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-3:]]
    _logger.error(
        json.dumps(
            {"time": round(time.time(), 3), "event": what, "error": type(error).__name__, "where": where, **fields}
        )
    )
