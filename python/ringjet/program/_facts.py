"""What a recording server knows of a program: its operations, keys and bootstraps."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from .._ringjet import Ciphertext, Parameters, Server, drowned
from .._text import aligned, unit


#: The most results that a summary lists.
_MOST_OUTPUTS = 20


@dataclass(frozen=True)
class Range:
    """The least and the greatest value of some slots, and the slots that hold them. Of complex
    values, the real parts are compared."""

    low: float
    high: float
    low_slot: int
    high_slot: int

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class Bootstrap:
    """A bootstrap in a program."""

    #: File and line of the caller.
    where: str
    #: The operation that needed the bootstrap.
    operation: str
    #: The level of the bootstrapped ciphertext; with HEAAN the bits of its modulus.
    level: int
    slots: int


@dataclass(frozen=True)
class Step:
    """An operation of a program, and the properties of its result."""

    #: File and line of the caller.
    where: str
    operation: str
    #: The level of the result; with HEAAN the bits of its modulus.
    level: int
    #: Binary logarithm of the scale.
    scale: float
    slots: int
    #: The bound on the absolute values, stated by the program or derived from stated bounds.
    magnitude: float
    precision_bits: float
    #: The number of bootstraps before the operation.
    bootstraps: int
    #: In a simulation: the ranges of the slots with given values (`given`) and of the padded slots
    #: (`padding`).
    given: Range | None = None
    padding: Range | None = None
    #: For a polynomial with an attribute `function`: the largest difference between polynomial and
    #: function at given values inside the polynomial's interval.
    error: float | None = None
    #: A lower bound on the noise budget of the result in bits, with BGV and BFV.
    noise_budget: float | None = None


@dataclass(frozen=True)
class Finding:
    """A warning of a simulation."""

    where: str
    operation: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {'' if self.operation == 'input' else self.operation + ': '}{self.text}"


@dataclass(frozen=True)
class Shape:
    """The level, scale, slots, precision and magnitude of a ciphertext that a program returned."""

    #: The place in the returned list or dictionary, such as `['a'][0]`; empty for a single result.
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


@dataclass(frozen=True, repr=False)
class Followed:
    """The operations of a program, in order."""

    params: Parameters
    #: The ciphertexts that the function returned, in order.
    outputs: tuple[Any, ...]
    #: The keys that the program uses: `client.evaluation_keys(**keys)` makes them, also after a way through
    #: `json.dumps` and `json.loads`.
    keys: Mapping[str, Any]
    #: The bootstraps, in order.
    bootstraps: tuple[Bootstrap, ...]
    #: The number of times that each operation occurs.
    operations: Counter[str]
    #: Every operation, in order, the inputs first.
    steps: tuple[Step, ...]

    def to_json(self) -> str:
        """The parameters, keys, outputs, bootstraps and operations as JSON, for files and other programs.
        `client.evaluation_keys(**json.loads(text)["keys"])` makes the keys."""
        outputs = [
            {f.name: _plain(getattr(output, f.name)) for f in fields(output) if f.name in _WRITTEN}
            for output in self.outputs
        ]
        found = {
            "parameters": json.loads(self.params.to_json()),
            "fingerprint": self.params.fingerprint,
            "keys": self.keys,
            "outputs": outputs,
            "bootstraps": [asdict(bootstrap) for bootstrap in self.bootstraps],
            "operations": dict(self.operations),
        }
        return json.dumps(found, indent=1, allow_nan=False)

    def table(self) -> str:
        """A table with a row for every operation; after a simulation also with the ranges of
        values."""
        return table(self.params, self.steps)

    def __repr__(self) -> str:
        return summary(self)


#: The fields of outputs in JSON.
_WRITTEN = ("name", "level", "scale", "slots", "count", "precision_bits", "magnitude", "error_bound")


def _plain(value: Any) -> Any:
    """The value as JSON has it, which knows no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def followed(server: Server, outputs: Sequence[Any]) -> dict[str, Any]:
    """The fields of a `Followed`, from a recording server."""
    steps, bootstraps, operations = [], [], Counter[str]()
    for where, operation, level, scale, slots, magnitude, bits, refreshed, *ends, error, budget in server._facts():
        known = (level, scale, slots, magnitude, bits, len(refreshed))
        given = Range(*ends[0]) if ends[0] else None
        padding = Range(*ends[1]) if ends[1] else None
        steps.append(Step(where, operation, *known, given, padding, error, budget))
        for each in refreshed:
            bootstraps.append(Bootstrap(where, operation, *each))
        if operation not in ("bootstrap", "input"):
            operations[operation] += 1
    operations["bootstrap"] = len(bootstraps)
    return {
        "params": server.params,
        "outputs": tuple(outputs),
        "keys": keys(server),
        "bootstraps": tuple(bootstraps),
        "operations": operations,
        "steps": tuple(steps),
    }


def keys(server: Server) -> dict[str, Any]:
    """The keys that a program on a model server has used, as arguments of `Client.evaluation_keys`."""
    asked: dict[str, Any] = json.loads(server._keys())
    return asked


def summary(run: Followed) -> str:
    """A readable summary of a few lines."""
    lines = [str(output) for output in run.outputs[:_MOST_OUTPUTS]] or ["no ciphertext is returned"]
    if len(run.outputs) > _MOST_OUTPUTS:
        lines.append(f"and {len(run.outputs) - _MOST_OUTPUTS} more")
    lines.append(f"{len(run.bootstraps)} bootstrap(s)")
    places = Counter((b.where, b.operation, b.level, b.slots) for b in run.bootstraps)
    for (where, operation, level, slots), times in places.items():
        lines.append(f"  {times} x {where}: {operation} at {run.params._unit} {level}, {slots} slots")
    counts = ", ".join(f"{n} {name}" for name, n in sorted(run.operations.items()) if n)
    lines.append(f"operations: {counts or 'none'}")
    asked = [(name, value) for name, value in run.keys.items() if value and name != "levels"]
    needed = ", ".join(name if value is True else f"{name} {value}" for name, value in asked)
    lines.append(f"keys: {needed or 'none'}")
    return "\n".join(lines)


def table(params: Parameters, steps: Sequence[Step]) -> str:
    """A table with a row for every step."""
    exact = params.t is not None
    kinds = ["slots", "budget"] if exact else ["scale", "slots", "up to", "bits"]
    head = ["line", "operation", *filter(None, [unit(params)]), *kinds]
    simulated = any(step.given or step.padding for step in steps)
    rows = [head + (["values", "padding", "error"] if simulated else [])]
    for s in steps:
        boots = f" ({s.bootstraps} bootstrap(s))" if s.bootstraps and s.operation != "bootstrap" else ""
        row = [s.where, s.operation + boots, *([str(s.level)] if unit(params) else [])]
        if exact:
            row += [str(s.slots), f"{s.noise_budget:.0f} bits"]
        else:
            bits = "none" if drowned(s.precision_bits, s.magnitude) else f"{max(s.precision_bits, 0):.1f}"
            row += [f"2^{s.scale:.2f}", str(s.slots), f"{s.magnitude:.4g}", bits]
        if simulated:
            row += [str(s.given or ""), str(s.padding or ""), "" if s.error is None else f"{s.error:.1e}"]
        rows.append(row)
    return aligned(rows)


def ciphertexts(result: Any, name: str = "") -> list[tuple[str, Ciphertext]]:
    """All ciphertexts in a program's result, with their places."""
    result = unwrapped(result)
    if isinstance(result, Ciphertext):
        return [(name, result)]
    return [found for key, part in _parts(result) for found in ciphertexts(part, f"{name}[{key!r}]")]


def replaced(result: Any, by: Any, name: str = "") -> Any:
    """A program's result, with `by(name, ciphertext)` in place of each ciphertext."""
    result = unwrapped(result)
    if isinstance(result, Ciphertext):
        return by(name, result)
    parts = {key: replaced(part, by, f"{name}[{key!r}]") for key, part in _parts(result)}
    if isinstance(result, dict):
        return parts
    if isinstance(result, (list, tuple)):
        return list(parts.values()) if isinstance(result, list) else tuple(parts.values())
    return result


def unwrapped(result: Any) -> Any:
    """The rows of blocks of an encrypted matrix; other results as they are."""
    blocks = getattr(result, "blocks", None)
    return [list(row) for row in blocks] if isinstance(blocks, tuple) else result


def _parts(result: Any) -> list[tuple[Any, Any]]:
    if isinstance(result, dict):
        return list(result.items())
    return list(enumerate(result)) if isinstance(result, (list, tuple)) else []
