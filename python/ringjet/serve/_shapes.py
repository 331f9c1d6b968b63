"""The shapes of JSON documents that come from somebody else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

#: A type or several of them; a list of one shape; or a dictionary with the shapes of members that
#: must be there, of those whose names end in "?" if they are. A function says it by itself.
Shape = Any

#: Numbers of JSON.
NUMBER = (int, float)


#: Bounds of what a service may say: slots of a ciphertext, levels or bits of a modulus, sizes in
#: bytes, seconds, times since 1970, and values.
_MOST_SLOTS, _MOST_LEFT, _MOST_BYTES, _LONGEST, _LATEST, _LARGEST = 1 << 17, 1 << 20, 1 << 60, 1e9, 1e12, 1e300


class ShapeError(ValueError):
    """A document has another shape."""


def fits(value: Any, shape: Shape, where: str) -> None:
    """Refuses a document that has not this shape. `where` is its name in the message."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise ShapeError(f"{where} is {type(value).__name__}, not an object")
        for name, inner in shape.items():
            member = name.removesuffix("?")
            if member in value:
                fits(value[member], inner, f"{where}.{member}")
            elif member == name:
                raise ShapeError(f"{where} has no {name}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise ShapeError(f"{where} is {type(value).__name__}, not a list")
        for i, part in enumerate(value):
            fits(part, shape[0], f"{where}[{i}]")
    elif isinstance(shape, (type, tuple)):
        kinds = shape if isinstance(shape, tuple) else (shape,)
        # True and False are integers for Python, not for JSON
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise ShapeError(f"{where} is {type(value).__name__}, not {' or '.join(kind.__name__ for kind in kinds)}")
    else:
        shape(value, where)


def between(low: float, high: float, kinds: Any = int) -> Callable[[Any, str], None]:
    """The shape of numbers from `low` to `high`; numbers that are not finite are none of them."""

    def shape(value: Any, where: str) -> None:
        fits(value, kinds, where)
        if not low <= value <= high:
            raise ShapeError(f"{where} is {str(value)[:40]}, not from {low} to {high}")

    return shape


def template(value: Any, where: str) -> None:
    """The structure of a result: numbers of outputs, in lists and objects."""
    if isinstance(value, list):
        for i, part in enumerate(value):
            template(part, f"{where}[{i}]")
    elif isinstance(value, dict):
        for name, part in value.items():
            template(part, f"{where}.{name[:20]}")
    else:
        fits(value, int, where)


def numbers(value: Any, where: str) -> None:
    """A list of integers, or nothing."""
    if value is not None:
        fits(value, [between(-_MOST_SLOTS, _MOST_SLOTS)], where)


def levels(value: Any, where: str) -> None:
    """Levels by the names of keys, or nothing."""
    if value is not None:
        fits(value, dict, where)
        for name, level in value.items():
            if not re.fullmatch("relinearization|conjugation|-?[0-9]{1,6}", name):
                raise ShapeError(f"{where} has {name[:40]!r}, which is no key")
            between(0, _MOST_LEFT)(level, f"{where}.{name}")


def upload(value: Any, where: str) -> None:
    """How much of an upload has come, or nothing."""
    if value is not None:
        fits(value, {"received": between(0, _MOST_BYTES), "sha256": str}, where)


def magnitude(value: Any, where: str) -> None:
    """A bound on values, or an interval [low, high]."""
    if not isinstance(value, list):
        return between(0, _LARGEST, NUMBER)(value, where)
    fits(value, [between(-_LARGEST, _LARGEST, NUMBER)], where)
    if len(value) != 2:
        raise ShapeError(f"{where} has {len(value)} numbers, not 2")


def count(value: Any, where: str) -> None:
    """How many values an input has, or nothing."""
    if value is not None:
        between(1, _MOST_SLOTS)(value, where)


def progress(value: Any, where: str) -> None:
    """How far a job is, [done, total], or nothing."""
    if value is not None:
        fits(value, [int], where)
        if len(value) != 2:
            raise ShapeError(f"{where} has {len(value)} numbers, not 2")


def seconds(value: Any, where: str) -> None:
    """A time in seconds, or nothing."""
    if value is not None:
        between(0, _LATEST, NUMBER)(value, where)


_FLAG = (bool, type(None))
#: Which evaluation keys there are, or are needed.
_NAMED_KEYS = {
    "rotations?": numbers,
    "bootstrapping?": numbers,
    "conjugation?": _FLAG,
    "relinearization?": _FLAG,
    "levels?": levels,
}
_SIZES = {"slots": between(1, _MOST_SLOTS), "level": between(0, _MOST_LEFT), "count": count}
_INPUT = {"name": str, "magnitude": magnitude, "unit": str, **_SIZES}
_PROGRAM = {
    "name": str,
    "parameters": str,
    "inputs": [_INPUT],
    "keys": _NAMED_KEYS,
    "result": template,
    "outputs": [dict],
    "model?": dict,
}
_LIMITS = {"max_data_bytes": between(1, _MOST_BYTES), "max_wait_seconds": between(0, _LONGEST, NUMBER)}
#: What `/v1/config` answers.
CONFIG = {"parameters": [{"fingerprint": str, "parameters": dict}], "programs": [_PROGRAM], "limits": _LIMITS}
_TIMES = {"predicted_seconds?": seconds, "created?": seconds, "started?": seconds, "finished?": seconds}


def job_id(value: Any, where: str) -> None:
    """The identity of a job, which becomes part of an address."""
    fits(value, str, where)
    if not re.fullmatch("[0-9a-f]{32}", value):
        raise ShapeError(f"{where} is {value[:40]!r}, which names no job")


#: A job.
JOB = {"id": job_id, "program": str, "state": str, "key_id?": str, "progress?": progress, **_TIMES}
#: The state of keys.
KEYS = {"keys?": _NAMED_KEYS, "sha256?": (str, type(None)), "upload?": upload}
