"""Runs a user's program on a counting server."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import linecache
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from .. import Server, _caller
from .._dry_run import ciphertexts
from .._tracker import TrackedServer, Tracker


class ProgramError(ValueError):
    """The program does not exist, or it failed; the message says where."""


@dataclass(frozen=True)
class Program:
    """A function `program(server, x, y, ...)`."""

    name: str
    function: Callable[..., Any]

    @staticmethod
    def load(name: str) -> Program:
        """Loads the function that `name` gives as `file.py:function` or `module:function`."""
        place, found, function = name.rpartition(":")
        if not found or not place or not function:
            raise ProgramError(f"{name!r}: a program is file.py:function or module:function")
        module = _module(place)
        chosen = getattr(module, function, None)
        if not callable(chosen):
            own = [n for n, f in inspect.getmembers(module, inspect.isfunction) if f.__module__ == module.__name__]
            raise ProgramError(f"{place} has no function {function!r}; it has {', '.join(own) or 'none'}")
        return Program(name, chosen)

    @property
    def inputs(self) -> list[str]:
        """The names of the parameters that get a ciphertext: all parameters without a default,
        except the first one, which gets the server."""
        try:
            parameters = list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError) as error:
            raise ProgramError(f"{self.name}: {error}") from None
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if not parameters or parameters[0].kind not in (*kinds, inspect.Parameter.VAR_POSITIONAL):
            raise ProgramError(f"{self.name} takes no server: a program is a function of a server and of ciphertexts")
        own = [p for p in parameters[1:] if p.default is p.empty]
        if named := [p.name for p in own if p.kind is p.KEYWORD_ONLY]:
            raise ProgramError(f"{self.name}: {', '.join(named)} can be given by name only and has no default")
        return [p.name for p in own if p.kind in kinds]

    def run(self, server: Server, slots: int | None = None, level: int | None = None) -> Run:
        """Counts the operations of the program on fresh ciphertexts. An exception of the program is
        raised as a `ProgramError`."""
        tracker = Tracker(server)
        inputs = [tracker.input(name, slots, level) for name in self.inputs]
        described = [(step.level, step.slots) for step in tracker.steps]
        try:
            result = self.function(TrackedServer(tracker), *inputs)
        except Exception as error:
            raise _located(error) from error
        found = [Result(name, ct._ct._left, ct.scale, ct.slots) for name, ct in ciphertexts(result)]
        return Run(described, found, dict(Counter(b.where for b in tracker.bootstraps)))


@dataclass(frozen=True)
class Result:
    """A ciphertext that a program returned."""

    #: The place in the returned list or dictionary; empty for a single result.
    name: str
    #: The level left; with HEAAN the bits of the modulus left.
    level: int
    #: Binary logarithm of the scale.
    scale: float
    slots: int


@dataclass(frozen=True)
class Run:
    """The results and bootstraps of a run, in addition to the counts."""

    #: Level and number of slots of each input; with HEAAN the bits of the modulus and the slots.
    inputs: list[tuple[int, int]]
    results: list[Result]
    #: The number of bootstraps by line of the program (file:line).
    bootstraps: dict[str, int]


def _module(name: str) -> ModuleType:
    """Loads a module by its name, or from a file."""
    path = Path(name)
    if path.suffix != ".py" and "/" not in name:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            hint = f"; {name}.py is a file: write {name}.py:function" if path.with_suffix(".py").exists() else ""
            raise ProgramError(f"{error}{hint}") from None
        except Exception as error:
            raise _located(error) from error
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
        raise _located(error) from error
    return module


def _located(error: Exception) -> ProgramError:
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
