"""A cache of results that keeps the type of its function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def cached(size: int) -> Callable[[_Function], _Function]:
    """Keeps the results of the last `size` different arguments."""

    def kept(function: _Function) -> _Function:
        return cast(_Function, functools.lru_cache(size)(function))

    return kept
