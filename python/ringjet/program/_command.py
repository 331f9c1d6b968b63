"""`ringjet estimate`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .._ringjet import Parameters, Server, devices, preset
from .._text import aligned, csv_lines, duration, quantity, size
from ..errors import RingjetError
from ._estimate import HERE, Estimate
from ._facts import ciphertexts, followed
from ._file import ProgramError, load, located
from ._inputs import Function

_DESCRIPTION = """
Says what a program takes on a device, without keys, data or computing: it runs on shapes of ciphertexts, by the very code that
computes, and all that is asked of the machine is counted. The program is a function of ciphertexts, written like any other:
def program(x, y), or def program(server, x, y).
"""


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
    """The inputs, results and bootstraps of a recorded program, in addition to the counts."""

    names: list[str]
    #: Level and number of slots of each input; with HEAAN the bits of the modulus and the slots.
    inputs: list[tuple[int, int]]
    results: list[Result]
    #: The number of bootstraps by line of the program (file:line).
    bootstraps: dict[str, int]

    @staticmethod
    def of(server: Server, function: Function, slots: int | None, level: int | None) -> Run:
        """Records the program on fresh ciphertexts. Its exceptions are raised as a `ProgramError`."""
        options = function.options(slots=slots, level=level)
        try:
            result = function.record(server, options)
        except Exception as error:
            raise located(error) from error
        found = followed(server, [])
        inputs = [(step.level, step.slots) for step in found["steps"] if step.operation == "input"]
        results = [Result(name, ct._left, ct.scale, ct.slots) for name, ct in ciphertexts(result)]
        names = [option["name"] for option in options]
        return Run(names, inputs, results, dict(Counter(b.where for b in found["bootstraps"])))

    def to_dict(self) -> dict[str, Any]:
        """What the command prints as JSON."""
        return {key: value for key, value in asdict(self).items() if key != "names"}


def add_to(commands: Any) -> None:
    """Adds the command to a parser."""
    p = commands.add_parser("estimate", help="say what a program takes on a device", description=_DESCRIPTION)
    p.add_argument("program", metavar="PROGRAM", help="file.py:function or module:function")
    p.add_argument("--preset", default="n16-boot", help="parameter set (n16-boot unless given)")
    p.add_argument("--parameters", type=Path, metavar="FILE", help="one of your own, as Parameters.to_json writes it")
    what = (
        f"one of {', '.join(devices())}, or the path of a profile (.toml); several at once; this machine unless given"
    )
    p.add_argument("--device", nargs="+", action="extend", metavar="NAME|FILE", help=what)
    p.add_argument("--slots", type=int, help="of each input; all unless given")
    p.add_argument("--level", type=int, help="of each input; the top one unless given")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print a JSON object")
    form.add_argument("--csv", action="store_true", help="print a line of names, and a line of values for each device")
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns the exit status."""
    try:
        return _run(arguments)
    except (RingjetError, ProgramError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _run(a: argparse.Namespace) -> int:
    for option, value, least in [("--slots", a.slots, 1), ("--level", a.level, 0)]:
        if value is not None and not least <= value < 2**32:
            raise ValueError(f"{option} {value}: a whole number from {least} on is needed")
    # the command encrypts nothing, so insecure parameters do no harm
    own = Parameters.from_json(a.parameters.read_text(), allow_insecure=True) if a.parameters else None
    params = own or preset(a.preset)
    name = str(a.parameters or a.preset)
    server = Server._recording(params, True, False, False)
    loaded = load(a.program)
    try:
        function = Function(loaded)
    except TypeError as error:
        raise ProgramError(f"{a.program}: {error}") from None
    start = time.perf_counter()
    ran = Run.of(server, function, a.slots, a.level)
    estimates = [server.estimate(device) for device in a.device or [HERE]]
    seconds = time.perf_counter() - start
    if a.json:
        print(
            json.dumps(
                {"program": a.program, "parameters": name, **ran.to_dict(), "devices": _dicts(estimates)}, indent=1
            )
        )
    elif a.csv:
        # the parts of a program are no columns
        rows = [{name: value for name, value in row.items() if name != "tree"} for row in _dicts(estimates)]
        print(csv_lines(rows), end="")
    else:
        print(_text(a.program, (name, params._unit), ran, estimates, seconds))
    return 0


def _dicts(estimates: list[Estimate]) -> list[dict[str, Any]]:
    return [estimate.to_dict() for estimate in estimates]


def _text(program: str, parameters: tuple[str, str], ran: Run, estimates: list[Estimate], seconds: float) -> str:
    (name, left), first = parameters, estimates[0]
    kinds = sorted({f"{left} {level}, {slots} slots" for level, slots in ran.inputs})
    lines = [
        f"{program} with {name}, counted in {duration(seconds)}",
        f"  inputs      {', '.join(ran.names) or 'none'}" + (f" ({'; '.join(kinds)})" if kinds else ""),
        *_results(ran, left),
        f"  bootstraps  {first.bootstraps}" + "".join(f", {n} at {line}" for line, n in ran.bootstraps.items()),
        f"  arithmetic  {first.operations:.3f} GOP",
        f"  memory      {size(first.peak_bytes)} at most, {size(first.keys.in_memory)} of it keys",
        f"  keys        {first.keys.count}, {size(first.keys.at_rest)} sent: {first.keys}",
        "",
        _table(estimates),
        "",
        f"where the time goes on {first.device}:",
        first.tree.table(),
    ]
    return "\n".join(lines)


def _results(ran: Run, left: str) -> list[str]:
    if not ran.results:
        return ["  result      no ciphertext"]
    return [
        f"  result      {r.name + ': ' if r.name else ''}{left} {r.level}, scale 2^{r.scale:.2f}, {r.slots} slots"
        for r in ran.results
    ]


def _table(estimates: list[Estimate]) -> str:
    rows: list[Sequence[str]] = [
        ("device", "time", "arithmetic", "memory", "launches", "traffic", "energy", "set-up", "room"),
        *(
            (
                e.device,
                duration(e.seconds),
                duration(e.compute_s),
                duration(e.memory_s),
                duration(e.launch_s),
                f"{e.bytes:.3f} GB",
                "unknown" if e.energy_joules is None else quantity(e.energy_joules, "J"),
                duration(e.set_up_s),
                f"{size(e.memory_bytes)}: {'fits' if e.fits else 'too little'}",
            )
            for e in estimates
        ),
    ]
    return aligned(rows, right=True)
