"""`compile`: a function as a program that is recorded once."""

from __future__ import annotations

import ast
import inspect
import json
import os
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy.typing as npt

from .._checks import refusal
from .._ringjet import Ciphertext, Parameters, RecordedProgram, Server
from ._choice import recorded
from ._estimate import HERE, Estimate
from ._facts import ciphertexts
from ._inputs import PACKED, PerInput, given, packing
from ._plan import Plan
from ._simulate import Simulation

#: The passes of `compile`.
PASSES = ("constants", "sharing", "sums", "transforms", "polynomials", "bootstraps", "levels")


class Program:
    """A computation on ciphertexts, recorded once: it can be planned, simulated, priced, stored, and run on
    any server. `compile` makes programs, and `load` and `from_bytes` read them.

    A program is bound to parameters: those under which the function was recorded. `run` takes servers of
    these parameters; `plan` and `simulate` also take others."""

    def __init__(self, native: RecordedProgram, choice: dict[str, str] | None = None) -> None:
        self._native = native
        self._plan: Plan | None = None
        #: Why the parameters were chosen, where `compile` was given none.
        self.choice = choice

    @property
    def params(self) -> Parameters:
        """The parameters."""
        return self._native.params

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in order."""
        return self._native.inputs

    @property
    def outputs(self) -> list[str]:
        """The places of the results, such as `['a'][0]`; a single result has an empty name."""
        return self._native.outputs

    @property
    def keys(self) -> dict[str, Any]:
        """The keys that the program uses, for `client.evaluation_keys(**keys)`; they fit into JSON."""
        return dict(self._own_plan().keys)

    def plan(
        self,
        params: Parameters | str | None = None,
        *,
        device: str | PathLike[str] | None = HERE,
    ) -> Plan:
        """The levels, scales, errors, keys and bootstraps of the program, as `ringjet.plan` says them. params:
        by default the program's own."""
        server = self._recording(params, False, False)
        counts = self.options().get("counts", [])
        return Plan.of(server, self._result(self._native.record_on(server)), device, counts=counts)

    def simulate(
        self,
        *arrays: npt.ArrayLike,
        params: Parameters | str | None = None,
        fill: complex | None = None,
        modular: bool = False,
        noise: bool = False,
        seed: int | None = None,
    ) -> Simulation:
        """Runs the program on values in the clear, as `ringjet.simulate` does. What a function of Python
        says of its polynomials is not part of a program: `Step.error` is None."""
        self._expect(len(arrays))
        server = self._recording(params, True, modular)
        made = self._native.record_on(server, list(arrays), fill)
        return Simulation.of(server, self._result(made), noise, seed)

    def estimate(self, device: str | PathLike[str] = HERE) -> Estimate:
        """The time, memory and keys of the program on a device: one of `devices()`, by default this machine, or
        the path of a profile."""
        estimate = self.plan(device=device).estimate
        assert estimate is not None, "a plan for a device has an estimate"
        return estimate

    def run(self, server: Server, *inputs: Ciphertext, progress: Any = None) -> Any:
        """Computes on a server: one ciphertext, or lists and dictionaries of them, as the function returned
        them. progress: True for a bar, or a callable taking (done, total), in operations. Ctrl-C stops
        the work between operations."""
        self._expect(len(inputs))
        return self._result(self._native.run(server, list(inputs), progress))

    def __call__(self, server: Server, *inputs: Ciphertext) -> Any:
        """`run`. So a program is a function of a server and of ciphertexts: a service offers it, a cluster
        sends it, and another program may contain it."""
        return self.run(server, *inputs)

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature([inspect.Parameter(name, kind) for name in ("server", *self._places)])

    @property
    def _places(self) -> list[str]:
        """The names of the inputs as names of parameters."""
        names = self.inputs
        plain = all(name.isidentifier() and name != "server" for name in names) and len(set(names)) == len(names)
        return names if plain else [f"input{i}" for i in range(len(names))]

    def options(self) -> dict[str, list[Any]]:
        """The options of `plan` for the inputs with which the program was recorded."""
        words = ("slots", "level", "log_q", "magnitudes", "counts", "complex", "public_key")
        rows = [[*row[1:4], row[4][0] or row[4][1], *row[5:]] for row in self._native.options()]
        return dict(zip(words, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}

    def client_json(self) -> str:
        """What a client needs, as JSON: parameters, inputs with the layout of their values, keys and the
        structure of the results. It has no operations and no constants. The client for browsers reads it."""
        names = ("name", "slots", "level", "log_q", "magnitude", "count", "complex", "public_key")
        rows = [dict(zip(names, row, strict=True)) for row in zip(self.inputs, *self.options().values(), strict=True)]
        return json.dumps(
            {
                # as text, since JavaScript rounds primes above 2^53
                "parameters": self.params.to_json(),
                "inputs": [{**row, **packing(self.params, *(row[name] for name in PACKED))} for row in rows],
                "keys": self.keys,
                "outputs": self.outputs,
                "result": self._result(range(len(self.outputs))),
            }
        )

    def to_bytes(self) -> bytes:
        """The program as bytes: parameters, operations, and constants. They are not encrypted."""
        return self._native.to_bytes()

    @staticmethod
    def from_bytes(data: bytes, *, max_bytes: int = 1 << 30, allow_insecure: bool = False) -> Program:
        """Reads the bytes of `to_bytes`; more than `max_bytes` are refused. allow_insecure: accept
        parameters below their stated security."""
        return Program(RecordedProgram.from_bytes(data, max_bytes=max_bytes, allow_insecure=allow_insecure))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the program to a file. An existing file is replaced when the new one is complete."""
        self._native.save(path)

    @staticmethod
    def load(path: str | PathLike[str], *, max_bytes: int = 1 << 30, allow_insecure: bool = False) -> Program:
        """Reads a program from a file, as `from_bytes` does."""
        found = os.stat(path).st_size
        if found > max_bytes:
            raise refusal("max_bytes", max_bytes, f"at least {found}, the size of {os.fspath(path)}")
        data = Path(path).read_bytes()
        return Program.from_bytes(data, max_bytes=max_bytes, allow_insecure=allow_insecure)

    def __reduce__(self) -> Any:
        return Program, (self._native, self.choice)

    def __repr__(self) -> str:
        return f"Program({', '.join(self.inputs)}; {len(self._native.operations)} operations, {self.params!r})"

    def _recording(self, params: Parameters | str | None, simulates: bool, modular: bool) -> Server:
        chosen = self.params if params is None else given(params)
        return Server._recording(chosen, self._native.bootstrapping, simulates, modular)

    def _own_plan(self) -> Plan:
        if self._plan is None:
            self._plan = self.plan()
        return self._plan

    def _expect(self, count: int) -> None:
        if count != len(self.inputs):
            raise refusal("inputs", count, f"one for each of {', '.join(self.inputs)}")

    def _result(self, made: Sequence[Any]) -> Any:
        """The results in the structure in which the function returned them."""
        whole: dict[Any, Any] = {}
        for name, ct in zip(self.outputs, made, strict=True):
            if not name:
                return ct
            place = whole
            *parents, last = _keys(ast.parse(f"_{name}", mode="eval").body)
            for key in parents:
                place = place.setdefault(key, {})
            place[last] = ct
        return _nested(whole)


def compile(
    function: Callable[..., Any],
    params: Parameters | str | None = None,
    *,
    slots: PerInput[int | None] = None,
    level: PerInput[int | None] = None,
    log_q: PerInput[int | None] = None,
    magnitudes: PerInput[float | tuple[float, float]] = 1.0,
    counts: PerInput[int | None] = None,
    complex: PerInput[bool] = False,
    public_key: PerInput[bool] = False,
    bootstrapping: bool = True,
    optimise: bool | Sequence[str] = True,
) -> Program:
    """Records `function` as a program. The other arguments are those of `plan`.

    The function is called once, on ciphertexts without values. What it decides by levels, bounds or numbers
    of slots is decided then.

    optimise: whether the program is rewritten to take less work, with the same results within the
    estimates of their errors, and no fewer levels. Or the names of the passes that may do so:

    - "constants": constant factors go into the next vector, polynomial, matrix or weight.
    - "sharing": equal operations are computed once, and rotations of one value share their
      decomposition.
    - "sums": sums of products are relinearised and rescaled once.
    - "transforms": sums of rotations of one value, also times vectors, become one transform.
    - "polynomials": what is a polynomial of one value is evaluated with the fewest levels.
    - "bootstraps": bootstraps are placed where the fewest are needed.
    - "levels": levels that the other passes save are spent on the inputs, where they make everything
      faster. Without it the results keep them."""
    server, result, choice = recorded(
        function,
        params,
        bootstrapping,
        slots=slots,
        level=level,
        log_q=log_q,
        magnitudes=magnitudes,
        counts=counts,
        complex=complex,
        public_key=public_key,
    )
    found = ciphertexts(result)
    if not found:
        raise refusal("the result", type(result).__name__, "a ciphertext, or lists and dictionaries of them")
    native = server._program(found, bootstrapping)
    passes = (PASSES if optimise else ()) if isinstance(optimise, bool) else optimise
    return Program(native.optimised(list(passes)) if passes else native, choice)


def _nested(part: Any) -> Any:
    """Dictionaries whose keys are 0, 1, 2, ... are lists."""
    if not isinstance(part, dict):
        return part
    values = {key: _nested(value) for key, value in part.items()}
    return list(values.values()) if list(values) == list(range(len(values))) else values


def _keys(place: ast.expr) -> list[Any]:
    """The keys of a place such as `_['a'][0]`."""
    if not isinstance(place, ast.Subscript):
        return []
    return [*_keys(place.value), ast.literal_eval(place.slice)]
