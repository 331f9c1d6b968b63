"""Requests of evaluation keys: arguments of `Client.evaluation_keys` that services and clients exchange."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

_SINGLE = ("conjugation", "relinearization")


def served(asked: Mapping[str, Any]) -> dict[str, float]:
    """The highest level that each key of a request serves, by its name; infinity: all levels."""
    names = [*map(str, asked.get("rotations") or ()), *(name for name in _SINGLE if asked.get(name))]
    return {**dict.fromkeys(names, math.inf), **(asked.get("levels") or {})}


def request(keys: Mapping[str, float], bootstrapping: Iterable[int]) -> dict[str, Any]:
    """The request for keys that serve these levels."""
    return {
        "rotations": sorted(int(name) for name in keys if name not in _SINGLE),
        **{name: name in keys for name in _SINGLE},
        "bootstrapping": sorted(bootstrapping),
        "levels": {name: int(level) for name, level in sorted(keys.items()) if level < math.inf},
    }
