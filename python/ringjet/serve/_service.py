"""Programs of a service, and what is known of them before anybody calls them."""

from __future__ import annotations

import contextvars
import inspect
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar, overload

import numpy as np

from .._checks import refusal
from .._ringjet import Ciphertext, Parameters, Server
from .._text import unit
from ..errors import RingjetError
from ..ml.heir import HeirPacking
from ..ml.models import Model
from ..ml.models._served import Offered
from ..program import Output, Plan, Step
from ..program import Program as Compiled
from ..program import plan as plan_of
from ..program._facts import unwrapped
from ..program._inputs import PACKED, Function, PerInput, fresh, given
from ..program._inputs import packing as packing_of
from ._requests import request, served

_F = TypeVar("_F", bound=Callable[..., Any])

#: What the running job calls with (done, total).
reporter: contextvars.ContextVar[Callable[[int, int], None] | None] = contextvars.ContextVar("reporter", default=None)


def progress(done: int, total: int) -> None:
    """Says how far a program is. A long program calls it between its steps: clients see the
    progress, and a job that was cancelled stops here. Outside of a job it does nothing."""
    if report := reporter.get():
        report(done, total)


class Service:
    """A collection of programs, to be offered by `ringjet serve file.py:service`."""

    def __init__(self) -> None:
        self._programs: dict[str, Program] = {}

    @overload
    def program(self, function: _F, *, params: Parameters | str) -> _F: ...
    @overload
    def program(
        self,
        function: None = None,
        *,
        params: Parameters | str,
        name: str | None = None,
        slots: PerInput[int | None] = None,
        level: PerInput[int | None] = None,
        log_q: PerInput[int | None] = None,
        magnitudes: PerInput[float | tuple[float, float]] = 1.0,
        counts: PerInput[int | None] = None,
        complex: PerInput[bool] = False,
        public_key: PerInput[bool] = False,
        whole: bool = False,
    ) -> Callable[[_F], _F]: ...
    def program(self, function: Any = None, *, params: Parameters | str, **options: Any) -> Any:
        """Adds a function of ciphertexts; use it as a decorator. Each parameter without a default
        is an encrypted input. Parameters with a default are constants of the service. The function
        returns ciphertexts: one, or lists and dictionaries of them.

        - params: parameters, or the name of a preset. Parameters that were made with
          `allow_insecure` are offered to clients that allow them, too.
        - name: the name in the service; by default that of the function.
        - slots, level, log_q, magnitudes, counts, complex, public_key: of the inputs, as for
          `ringjet.plan`.
        - whole: clients must give a value for every slot. Without it, and without `counts`, they may
          give fewer, and statistics are over those. A variance of fewer values takes a level more.
        """

        def add(function: _F) -> _F:
            made = Program.of(function, params, **options)
            if made.name in self._programs:
                raise refusal("name", repr(made.name), "a name that no other program of the service has")
            self._programs[made.name] = made
            return function

        return add if function is None else add(function)

    def add(
        self,
        program: Compiled | Model | str | PathLike[str],
        *,
        name: str,
        description: str = "",
        packing: HeirPacking | None = None,
        allow_insecure: bool = False,
    ) -> None:
        """Adds a compiled program, or the path of its file, under this name; or a model that `ringjet.ml.compile`
        made, or the folder that it was saved to: clients call it with `ServiceClient.predict`. Clients are told the
        description, of a model what is in its file for clients, and of a program of HEIR its packing, which
        `HeirPacking.from_json` reads. allow_insecure: as for `ringjet.Program.load`."""
        if isinstance(program, Model) or (not isinstance(program, Compiled) and os.path.isdir(program)):
            if packing is not None:
                raise refusal("packing", "given for a model", "none: a model says itself how samples are packed")
            self._add_model(program, name, description, allow_insecure)
            return
        compiled = program if isinstance(program, Compiled) else Compiled.load(program, allow_insecure=allow_insecure)

        def run(server: Server, *inputs: Ciphertext) -> Any:
            return compiled.run(server, *inputs)

        run.__doc__ = description
        run.__signature__ = compiled.__signature__  # type: ignore[attr-defined]
        options: Any = {"name": name, "packing": packing and json.loads(packing.to_json()), **compiled.options()}
        self.program(run, params=compiled.params, **options)

    def _add_model(self, model: Model | str | PathLike[str], name: str, description: str, allow_insecure: bool) -> None:
        offered = Offered.of(model, allow_insecure)
        offered.function.__doc__ = description
        options: Any = {"name": name, "model": offered.document, **offered.options}
        self.program(offered.function, params=offered.params, **options)

    @property
    def programs(self) -> dict[str, Program]:
        """All programs by their names."""
        return dict(self._programs)


@dataclass(frozen=True)
class Program:
    """A function with its parameters and the options of its plan."""

    name: str
    function: Callable[..., Any]
    params: Parameters
    options: dict[str, Any]
    whole: bool
    #: What clients are told of a model that the program computes.
    model: dict[str, Any] | None = None
    #: What clients are told of how values lie in the inputs, where the program was not written for vectors.
    packing: dict[str, Any] | None = None

    @staticmethod
    def of(
        function: Callable[..., Any],
        params: Parameters | str,
        *,
        name: str | None = None,
        whole: bool = False,
        model: dict[str, Any] | None = None,
        packing: dict[str, Any] | None = None,
        **options: Any,
    ) -> Program:
        """A checked program."""
        name = name or str(getattr(function, "__name__", ""))
        if not re.fullmatch("[A-Za-z][A-Za-z0-9_]{0,63}", name):
            raise refusal("name", repr(name), "letters, digits and underscores, a letter first, at most 64")
        return Program(name, function, given(params), options, whole, model, packing)

    def planned(self, device: str) -> Planned:
        """Plans the program: which keys it needs, and how long it takes on the device."""
        try:
            plan = plan_of(self.function, self.params, device=device, **self.options)
            # this machine is measured when the service starts, not at a request
            _ = plan.estimate
        except RingjetError as error:
            error.args = (f"program {self.name}: {error}",)
            raise
        template, leaves = flattened(plan.result, lambda x: isinstance(x, Output))
        if not leaves:
            raise refusal(f"the result of {self.name}", "no ciphertext", "at least one")
        options = Function(self.function).options(**self.options)
        steps = [step for step in plan.steps if step.operation == "input"]
        inputs = [self._input(*both) for both in zip(options, steps, strict=True)]
        # stand-ins know all that the plan assumes of the inputs
        server = Server._recording(self.params, True, False, False)
        models = [fresh(server, **o | {"count": i.count}) for o, i in zip(options, inputs, strict=True)]
        return Planned(self, plan, inputs, models, template, [leaf.name for leaf in leaves])

    def _input(self, option: dict[str, Any], step: Step) -> Input:
        """An input, as planned in this step."""
        count = step.slots if option["count"] is None and self.whole else option["count"]
        stated = _stated(option["magnitude"], step)
        return Input(option["name"], step.slots, step.level, stated, bool(option["complex"]), count)


@dataclass(frozen=True)
class Input:
    """An encrypted input. `level` is the level of the ciphertext; with HEAAN the bits of its
    modulus."""

    name: str
    slots: int
    level: int
    #: The bound that the client states of its values, or the interval [low, high].
    magnitude: float | list[float]
    complex: bool
    #: How many values the client encrypts; None for any number up to one in each slot.
    count: int | None

    def document(self, params: Parameters) -> dict[str, Any]:
        """What the service publishes of the input."""
        own = vars(self)
        return {**own, "unit": unit(params), **packing_of(params, *(own[name] for name in PACKED))}


@dataclass(frozen=True)
class Planned:
    """A program with its plan."""

    program: Program
    plan: Plan
    inputs: list[Input]
    #: Stand-ins of the inputs without values, with the bounds and errors that the plan assumes.
    models: list[Ciphertext]
    #: The result with a number in place of each ciphertext.
    template: Any
    #: The places of the ciphertexts in the result.
    outputs: list[str]

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.name

    @property
    def params(self) -> Parameters:
        """The parameters of the program."""
        return self.program.params

    @property
    def seconds(self) -> float:
        """The predicted time of a call."""
        assert self.plan.estimate is not None
        return self.plan.estimate.seconds

    def document(self) -> dict[str, Any]:
        """What the service publishes of the program."""
        assert self.plan.estimate is not None
        more = {name: getattr(self.program, name) for name in ("model", "packing")}
        return {
            "name": self.name,
            "description": inspect.getdoc(self.program.function) or "",
            "parameters": self.params.fingerprint,
            "inputs": [i.document(self.params) for i in self.inputs],
            "keys": dict(self.plan.keys),
            "result": self.template,
            "outputs": [
                {"name": o.name, "level": o.level, "slots": o.slots, "magnitude": o.magnitude}
                for o in self.plan.outputs
            ],
            "seconds": self.seconds,
            "memory_bytes": self.plan.estimate.peak_bytes,
            **{name: value for name, value in more.items() if value is not None},
        }

    def missing(self, keys: dict[str, Any]) -> dict[str, Any]:
        """The keys that the program needs and that are not among `keys`."""
        wanted, have = self.plan.keys, served(keys)
        lacking = {name: level for name, level in served(wanted).items() if have.get(name, -1) < level}
        slots = set(wanted["bootstrapping"]) - set(keys["bootstrapping"])
        return {name: value for name, value in request(lacking, slots).items() if value}

    def run(self, server: Server, inputs: list[Ciphertext]) -> list[Ciphertext]:
        """Calls the program and returns the ciphertexts of its result, in order."""
        first = next(iter(inspect.signature(self.program.function).parameters), None)
        result = self.program.function(*([server] if first == "server" else []), *inputs)
        template, found = flattened(result, lambda x: isinstance(x, Ciphertext))
        if template != self.template:
            raise TypeError(f"{self.name} returned another structure than in its plan")
        return found


def _stated(magnitude: Any, step: Any) -> float | list[float]:
    """The bounds of an input: an interval, or the magnitude that its step has."""
    return step.magnitude if np.ndim(magnitude) == 0 else [float(end) for end in magnitude]


def flattened(result: Any, is_leaf: Callable[[Any], bool]) -> tuple[Any, list[Any]]:
    """The structure of a result, with numbers in place of ciphertexts, and the ciphertexts."""
    leaves: list[Any] = []

    def walk(part: Any) -> Any:
        part = unwrapped(part)
        if is_leaf(part):
            leaves.append(part)
            return len(leaves) - 1
        if isinstance(part, (list, tuple)):
            return [walk(p) for p in part]
        if isinstance(part, dict) and all(isinstance(key, str) for key in part):
            return {key: walk(p) for key, p in part.items()}
        raise TypeError(f"a program returns ciphertexts, and lists and dictionaries of them, not {type(part).__name__}")

    return walk(result), leaves
