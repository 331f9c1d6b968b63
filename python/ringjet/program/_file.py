"""Loads a user's function from a file or a module."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import linecache
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, cast

from .. import _caller


class ProgramError(ValueError):
    """The program does not exist, or it failed; the message says where."""


def load(name: str) -> Callable[..., Any]:
    """The function that `name` gives as `file.py:function` or `module:function`."""
    place, found, function = name.rpartition(":")
    if not found or not place or not function:
        raise ProgramError(f"{name!r}: a program is file.py:function or module:function")
    loaded = module(place)
    chosen = getattr(loaded, function, None)
    if not callable(chosen):
        own = [n for n, f in inspect.getmembers(loaded, inspect.isfunction) if f.__module__ == loaded.__name__]
        raise ProgramError(f"{place} has no function {function!r}; it has {', '.join(own) or 'none'}")
    return cast("Callable[..., Any]", chosen)


def module(name: str) -> ModuleType:
    """Loads a module by its name, or from a file."""
    path = Path(name)
    if path.suffix != ".py" and "/" not in name:
        # modules of this folder, as with `python -m`: an installed command does not look there
        sys.path.insert(0, os.getcwd())
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            hint = f"; {name}.py is a file: write {name}.py:function" if path.with_suffix(".py").exists() else ""
            raise ProgramError(f"{error}{hint}") from None
        except Exception as error:
            raise located(error) from error
    if not path.is_file():
        raise ProgramError(f"{name}: there is no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        raise ProgramError(f"{name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # so that the file can import its neighbours, and pickles find its classes
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise located(error) from error
    return module


def located(error: Exception) -> ProgramError:
    """A `ProgramError` with the lines of the program that led to the exception."""
    if isinstance(error, SyntaxError):
        return ProgramError(f"{type(error).__name__}: {error}")
    return ProgramError(f"{type(error).__name__}: {error}{_lines(error.__traceback__)}")


def _lines(trace: TracebackType | None) -> str:
    where = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if _caller.own(code.co_filename):
            source = linecache.getline(code.co_filename, trace.tb_lineno).strip()
            where += f"\n  {_caller.place(code.co_filename, trace.tb_lineno)}, in {code.co_name}\n    {source}"
        trace = trace.tb_next
    return where
