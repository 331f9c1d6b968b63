"""`plan`: the levels, scales, errors and keys of a program, without keys, data or computing."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ._checks import refusal
from ._estimate import Estimate
from ._ringjet import Ciphertext, Parameters, Server, drowned, precision_text, preset, preset_names
from ._text import aligned, left, unit
from ._tracked import Tracked
from ._tracker import Bootstrap, Step, TrackedServer, Tracker

_T = TypeVar("_T")

#: An option for the inputs: one for all inputs, a sequence with one per input, or a dictionary by
#: the inputs' names.
PerInput: TypeAlias = _T | Sequence[_T] | Mapping[str, _T]


@dataclass(frozen=True)
class Shape:
    """The level, scale, slots, precision and magnitude of a ciphertext that a program returned."""

    #: The place in the returned list or dictionary, such as "['a'][0]"; empty for a single result.
    name: str
    #: The number of levels left; with HEAAN the bits of the modulus left.
    level: int
    #: Binary logarithm of the scale.
    scale: float
    slots: int
    precision_bits: float
    #: The bound on the absolute values, stated by the program or derived from stated bounds.
    magnitude: float
    #: How many of the first slots hold values.
    count: int


def held(shape: Shape) -> str:
    """How many values there are, where they do not fill all slots."""
    return f"{shape.count} values, " if shape.count < shape.slots else ""


def shape(name: str, ct: Ciphertext) -> tuple[str, int, float, int, float, float, int]:
    """The fields of a `Shape`."""
    return name, ct._left, ct.scale, ct.slots, ct.precision_bits, ct.magnitude, ct.count


@dataclass(frozen=True)
class Output(Shape):
    """A ciphertext that a program returned."""

    #: A bound on the error of every value. It fails with a probability of at most 2**-64. Infinite
    #: after bootstrapping.
    error_bound: float
    #: A ciphertext of the counting backend. It has a level, a scale, slots and an error, but no
    #: values.
    ciphertext: Ciphertext = field(repr=False, compare=False)

    @staticmethod
    def of(name: str, tracked: Tracked) -> Output:
        """The `Output` of a tracked result."""
        return Output(*shape(name, tracked._ct), tracked._ct.error_bound, tracked._ct)

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        if self.ciphertext.params.t is not None:
            budget = f"noise budget {self.ciphertext.noise_budget:.0f} bits"
            return (
                f"{name}{left(unit(self.ciphertext.params), self.level)}{held(self)}{self.slots} slots, exact, {budget}"
            )
        return (
            f"{name}{left(unit(self.ciphertext.params), self.level)}scale 2^{self.scale:.2f}, {held(self)}{self.slots} slots, "
            f"values up to {self.magnitude:.4g}, {precision_text(self.precision_bits, self.magnitude)}"
        )


@dataclass(frozen=True, repr=False)
class Followed:
    """The operations of a program, in order."""

    params: Parameters
    #: The ciphertexts that the function returned, in order.
    outputs: tuple[Any, ...]
    #: The keys that the program uses: `client.evaluation_keys(**keys)` makes them.
    keys: Mapping[str, Any]
    #: The bootstraps, in order.
    bootstraps: tuple[Bootstrap, ...]
    #: The number of times that each operation occurs.
    operations: Counter[str]
    #: Every operation, in order, the inputs first.
    steps: tuple[Step, ...]

    def table(self) -> str:
        """A table with a row for every operation; after a simulation also with the ranges of
        values."""
        return table(self.params, self.steps)

    def __repr__(self) -> str:
        return summary(self)


def followed(tracker: Tracker, outputs: Sequence[Any]) -> dict[str, Any]:
    """The fields of a `Followed`."""
    return {
        "params": tracker.server.params,
        "outputs": tuple(outputs),
        "keys": MappingProxyType(tracker.keys()),
        "bootstraps": tuple(tracker.bootstraps),
        "operations": tracker.operations,
        "steps": tuple(tracker.steps),
    }


@dataclass(frozen=True, repr=False)
class Plan(Followed):
    """The result of `plan`."""

    outputs: tuple[Output, ...]
    #: The value that the function returned, with an `Output` in place of each ciphertext.
    result: Any
    #: The time and memory of the program on `device`; None if `plan` was given no device.
    estimate: Estimate | None = None

    @property
    def levels(self) -> list[int]:
        """The levels left in the outputs, in order; with HEAAN the bits of their moduli."""
        return [output.level for output in self.outputs]

    @property
    def lowest(self) -> int | None:
        """The lowest level of any ciphertext in the program; with HEAAN the fewest bits of a
        modulus."""
        return min((step.level for step in self.steps), default=None)

    def planned(self, output: int | str | None = None) -> Ciphertext:
        """The planned ciphertext of an output. `output` is its number, its name, or its key in the
        returned dictionary; it may be left out if there is only one output.
        `Client.decrypt_for_sharing` compares a result with it."""
        named = {o.name: o for o in self.outputs}
        if output is None and len(self.outputs) == 1:
            return self.outputs[0].ciphertext
        if isinstance(output, str) and (found := named.get(output) or named.get(f"[{output!r}]")):
            return found.ciphertext
        if isinstance(output, int) and 0 <= output < len(self.outputs):
            return self.outputs[output].ciphertext
        names = ", ".join(f"{i} ({o.name})" if o.name else str(i) for i, o in enumerate(self.outputs))
        raise refusal("output", repr(output), f"one of the plan's outputs: {names or 'there are none'}")


def plan(
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
    device: str | PathLike[str] | None = None,
) -> Plan:
    """Runs `function` on ciphertexts of the counting backend. Returns the keys that it uses, its
    bootstraps, and the levels, scales and errors of its results. Nothing is computed.

    - function: `f(x, y)` or `f(server, x, y)`. Each parameter without a default gets a ciphertext.
    - params: parameters, or the name of a preset.
    - slots: numbers of slots of the inputs; by default all slots.
    - level: levels of the inputs (CKKS); by default those of fresh ciphertexts.
    - log_q: bits of the inputs' moduli (HEAAN); by default those of fresh ciphertexts.
    - magnitudes: bounds on the values of the inputs, as `Client.encrypt` states them: numbers, or
      intervals (low, high), as in `[(0.2, 5), 1]` for two inputs. If one parameter has no default,
      `(0.2, 5)` is its interval.
    - counts: how many values the inputs hold, which is what `Client.encrypt` is given; by default a
      value in every slot. Statistics are over so many values, and may take a level more where these
      are fewer than slots. So a plan for `Client.decrypt_for_sharing` must have the counts of the
      inputs.
    - complex: whether the inputs are complex.
    - public_key: whether the inputs are encrypted with the public key, by an `Encryptor`. The
      estimated precision of CKKS and HEAAN is then a little lower. Bounds, and what
      `Client.decrypt_for_sharing` takes from a plan, are the same for both kinds.
    - bootstrapping: False if the server will have no bootstrapping keys (CKKS).
    - device: a name of `devices()`, or the path of a profile, for `Plan.estimate`.

    slots, level, log_q, magnitudes, counts, complex and public_key are one value for all inputs, a
    sequence with one value per input, or a dictionary by the names of the parameters.
    """
    params = given(params, "plan(function, params)")
    tracker = Tracker(Server._model(params, bootstrapping))
    program = Program(function)
    magnitudes = program.magnitudes(magnitudes, _length(slots, level, log_q, counts, complex, public_key))
    names = program.inputs(_length(slots, level, log_q, magnitudes, counts, complex, public_key))
    shapes = shaped(names, slots, level, log_q, magnitudes)
    public = each("public_key", public_key, names, False)
    kinds = zip(each("complex", complex, names, False), public, each("counts", counts, names, None), strict=True)
    inputs = [tracker.input(name, *known, *kind) for name, known, kind in zip(names, shapes, kinds, strict=True)]
    result = program.run(tracker, inputs)
    outputs = [Output.of(name, ct) for name, ct in ciphertexts(result)]
    return Plan(
        **followed(tracker, outputs),
        result=replaced(result, Output.of),
        estimate=None if device is None else tracker.server.estimate(device),
    )


class Program:
    """A function of ciphertexts. If its first parameter is called `server`, it gets a server
    first."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        try:
            own = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError) as error:
            raise TypeError(f"{function!r} has no parameters to be seen: {error}") from None
        if named := [p.name for p in own if p.kind is p.KEYWORD_ONLY and p.default is p.empty]:
            raise TypeError(f"{', '.join(named)} of {function!r} can be given by name only and has no default")
        places = [p for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self._takes_server = bool(places) and places[0].name == "server"
        self._places = places[1:] if self._takes_server else places
        self._rest = next((p.name for p in own if p.kind is p.VAR_POSITIONAL), None)

    def inputs(self, count: int | None) -> list[str]:
        """The names of the first `count` inputs; with None, of all parameters without a default."""
        needed = sum(p.default is p.empty for p in self._places)
        names = [p.name for p in self._places]
        if count is None:
            if self._rest is not None and not needed:
                example = "magnitudes=[1.0, 1.0] for two"
                raise TypeError(
                    f"how many inputs *{self._rest} gets is not known: give an option for each, such as {example}"
                )
            return names[:needed]
        if self._rest is not None:
            names += [f"{self._rest}[{i}]" for i in range(count - len(names))]
        if not needed <= count <= len(names):
            taken = f"{', '.join(names) or 'no ciphertext'}"
            raise TypeError(f"{count} inputs for a function of {taken}")
        return names[:count]

    def magnitudes(self, given: Any, count: int | None) -> Any:
        """The magnitudes of all inputs, which are `count`; None if other options do not say how many.
        A tuple or an array of two numbers is the interval of a single input."""
        if count is None and self._rest is None:
            count = sum(p.default is p.empty for p in self._places)
        pair = isinstance(given, (tuple, np.ndarray)) and len(given) == 2 and all(np.ndim(x) == 0 for x in given)
        return [given] if pair and count == 1 else given

    def run(self, tracker: Tracker, inputs: Sequence[Tracked]) -> Any:
        """Calls the function and returns its result."""
        return self._function(*([TrackedServer(tracker)] if self._takes_server else []), *inputs)


def given(params: Parameters | str | None, call: str = "this call") -> Parameters:
    """The parameters themselves, or those of the preset with this name. `call`: what takes them."""
    if params is None:
        presets = ", ".join(repr(name) for name in preset_names())
        raise TypeError(
            f"{call} needs parameters: the name of a preset, or Parameters. rj.presets() compares the presets: {presets}"
        )
    if isinstance(params, str):
        return preset(params)
    if not isinstance(params, Parameters):
        raise TypeError(f"params: Parameters or the name of a preset, not {type(params).__name__}")
    return params


def shaped(
    names: Sequence[str], slots: Any, level: Any, log_q: Any, magnitudes: Any
) -> list[tuple[Any, Any, Any, Any]]:
    """Slots, level, bits of the modulus and magnitude of each input."""
    levels, bits = each("level", level, names, None), each("log_q", log_q, names, None)
    return list(
        zip(each("slots", slots, names, None), levels, bits, each("magnitudes", magnitudes, names, 1.0), strict=True)
    )


def each(name: str, option: Any, inputs: Sequence[str], default: Any) -> list[Any]:
    """The option's value for each input."""
    if isinstance(option, Mapping):
        if unknown := sorted(set(option) - set(inputs)):
            raise refusal(name, f"of {', '.join(map(str, unknown))}", f"names of inputs: {', '.join(inputs)}")
        return [option.get(i, default) for i in inputs]
    if not _is_sequence(option):
        return [option] * len(inputs)
    if len(option) != len(inputs):
        raise refusal(name, f"{len(option)} of them", f"one for each input: {', '.join(inputs)}")
    return [x.item() if isinstance(x, np.generic) else x for x in option]


def ciphertexts(result: Any, name: str = "") -> list[tuple[str, Tracked]]:
    """All ciphertexts in a program's result, with their places."""
    result = _unwrapped(result)
    if type(result) is Tracked:
        return [(name, result)]
    return [found for key, part in _parts(result) for found in ciphertexts(part, f"{name}[{key!r}]")]


def replaced(result: Any, by: Callable[[str, Tracked], Any], name: str = "") -> Any:
    """A program's result, with `by(name, ciphertext)` in place of each ciphertext."""
    result = _unwrapped(result)
    if type(result) is Tracked:
        return by(name, result)
    parts = {key: replaced(part, by, f"{name}[{key!r}]") for key, part in _parts(result)}
    if isinstance(result, dict):
        return parts
    if isinstance(result, (list, tuple)):
        return list(parts.values()) if isinstance(result, list) else tuple(parts.values())
    return result


def _unwrapped(result: Any) -> Any:
    """The rows of blocks of an encrypted matrix; other results as they are."""
    blocks = getattr(result, "blocks", None)
    return [list(row) for row in blocks] if isinstance(blocks, tuple) else result


def _parts(result: Any) -> list[tuple[Any, Any]]:
    if isinstance(result, dict):
        return list(result.items())
    return list(enumerate(result)) if isinstance(result, (list, tuple)) else []


def _length(*options: Any) -> int | None:
    """The length of the first option that is a sequence; None if there is none."""
    return next((len(option) for option in options if _is_sequence(option)), None)


def _is_sequence(option: Any) -> bool:
    return isinstance(option, (list, tuple)) or (isinstance(option, np.ndarray) and option.ndim > 0)


def summary(run: Followed) -> str:
    """A readable summary of a few lines."""
    lines = [str(output) for output in run.outputs] or ["no ciphertext is returned"]
    lines.append(f"{len(run.bootstraps)} bootstrap(s)")
    places = Counter((b.where, b.operation, b.level, b.slots) for b in run.bootstraps)
    for (where, operation, level, slots), times in places.items():
        lines.append(f"  {times} x {where}: {operation} at {run.params._unit} {level}, {slots} slots")
    counts = ", ".join(f"{n} {name}" for name, n in sorted(run.operations.items()) if n)
    lines.append(f"operations: {counts or 'none'}")
    needed = ", ".join(f"{name} {value}" if value is not True else name for name, value in run.keys.items() if value)
    lines.append(f"keys: {needed or 'none'}")
    return "\n".join(lines)


def table(params: Parameters, steps: Sequence[Step]) -> str:
    """A table with a row for every step."""
    exact = params.t is not None
    head = [
        "line",
        "operation",
        *filter(None, [unit(params)]),
        *(["slots", "budget"] if exact else ["scale", "slots", "up to", "bits"]),
    ]
    simulated = any(step.given or step.padding for step in steps)
    rows = [head + (["values", "padding", "error"] if simulated else [])]
    for s in steps:
        boots = f" ({s.bootstraps} bootstrap(s))" if s.bootstraps and s.operation != "bootstrap" else ""
        row = [s.where, s.operation + boots, *([str(s.level)] if unit(params) else [])]
        if exact:
            row += [str(s.slots), f"{s.noise_budget:.0f} bits"]
        else:
            row += [
                f"2^{s.scale:.2f}",
                str(s.slots),
                f"{s.magnitude:.4g}",
                "none" if drowned(s.precision_bits, s.magnitude) else f"{max(s.precision_bits, 0):.1f}",
            ]
        if simulated:
            row += [str(s.given or ""), str(s.padding or ""), "" if s.error is None else f"{s.error:.1e}"]
        rows.append(row)
    return aligned(rows)
