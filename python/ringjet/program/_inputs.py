"""The inputs of programs: one rule for plans, simulations, compiled programs and services."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from .._checks import padding, refusal
from .._ringjet import Ciphertext, Parameters, Server, preset, preset_names

_T = TypeVar("_T")

#: An option for the inputs: one for all inputs, a sequence with one per input, or a dictionary by
#: the inputs' names.
PerInput: TypeAlias = _T | Sequence[_T] | Mapping[str, _T]

#: The options of inputs, as `plan` names them, and what they are where they are not given.
_DEFAULTS: dict[str, Any] = {
    "slots": None,
    "level": None,
    "log_q": None,
    "magnitudes": 1.0,
    "counts": None,
    "fill": None,
    "complex": False,
    "public_key": False,
}
#: Their names as arguments of `Server._input`, where they are others.
_SINGULAR = {"magnitudes": "magnitude", "counts": "count"}
#: The arguments of `packing` after the parameters, as descriptions of inputs name them.
PACKED = ("slots", "magnitude", "complex", "count")


class Function:
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

    def options(self, count: int | None = None, **options: Any) -> list[dict[str, Any]]:
        """The arguments of `Server._input` for every input. `count`: how many there are, by default as
        the options say."""
        given = {name: options.pop(name, default) for name, default in _DEFAULTS.items()}
        assert not options, f"unknown options: {options}"
        lengths = [len(option) for name, option in given.items() if name != "magnitudes" and _is_sequence(option)]
        count = count if count is not None else next(iter(lengths), None)
        magnitudes = given["magnitudes"] = self._magnitudes(given["magnitudes"], count)
        if count is None and _is_sequence(magnitudes):
            count = len(magnitudes)
        names = self.inputs(count)
        columns = {name: each(name, option, names, _DEFAULTS[name]) for name, option in given.items()}
        return [
            {"name": name, **{_SINGULAR.get(key, key): column[i] for key, column in columns.items()}}
            for i, name in enumerate(names)
        ]

    def _magnitudes(self, given: Any, count: int | None) -> Any:
        """The magnitudes of all inputs, which are `count`; None if other options do not say how many.
        A tuple or an array of two numbers is the interval of a single input."""
        if count is None and self._rest is None:
            count = sum(p.default is p.empty for p in self._places)
        pair = isinstance(given, (tuple, np.ndarray)) and len(given) == 2 and all(np.ndim(x) == 0 for x in given)
        return [given] if pair and count == 1 else given

    def run(self, server: Server, inputs: Sequence[Any]) -> Any:
        """Calls the function and returns its result."""
        return self._function(*([server] if self._takes_server else []), *inputs)

    def record(self, server: Server, options: Sequence[dict[str, Any]]) -> Any:
        """Calls the function on fresh inputs of a recording server."""
        return self.run(server, [fresh(server, **option) for option in options])


def packing(params: Parameters, slots: int, magnitude: Any, complex: bool, count: int | None) -> dict[str, Any]:
    """What a caller gives for an input, and how its values lie in the ciphertext, for JSON:

    - kind: "integer", "real" or "complex".
    - range: the lowest and the highest value. Of complex numbers, the bounds of their absolute values.
    - shape: `[n]` for a vector of n values; `[None]` for any number of values, up to one for each slot.
    - padding: value k is in slot k, and this number in all slots after the values.
    """
    ends: list[float]
    if params.t is not None:
        kind, ends = "integer", [-((params.t - 1) // 2), (params.t - 1) // 2]
    else:
        kind = "complex" if complex else "real"
        low, high = (-magnitude, magnitude) if np.ndim(magnitude) == 0 else magnitude
        ends = [0.0 if complex else float(low), float(high)]
    return {"kind": kind, "range": ends, "shape": [count], "padding": padding(magnitude)}


def fresh(server: Server, name: str, **options: Any) -> Ciphertext:
    """An input of a recording server."""
    return server._input(name, **options)


def given(params: Parameters | str | None, call: str = "this call") -> Parameters:
    """The parameters themselves, or those of the preset with this name. `call`: what takes them."""
    if params is None:
        presets = ", ".join(repr(name) for name in preset_names())
        raise TypeError(
            f"{call} needs parameters: the name of a preset, or Parameters. rj.presets() compares the presets: "
            f"{presets}"
        )
    if isinstance(params, str):
        return preset(params)
    if not isinstance(params, Parameters):
        raise TypeError(f"params: Parameters or the name of a preset, not {type(params).__name__}")
    return params


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


def _is_sequence(option: Any) -> bool:
    return isinstance(option, (list, tuple)) or (isinstance(option, np.ndarray) and option.ndim > 0)
