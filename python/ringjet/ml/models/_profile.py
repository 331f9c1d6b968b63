"""The time of each layer of a model: by the cost model, and of a real run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ... import _ringjet
from ..._checks import refusal
from ..._ringjet import Ciphertext, Parameters, Server
from ..._text import aligned, duration
from ...errors import LevelExhaustedError
from ...program import Estimate, plan
from ...vectors.matrices import EncryptedMatrix, encrypt_matrix, load_matrix
from ._columns import ColumnsCircuit, _applied
from ._interface import Circuit
from ._layers import Array
from ._packing import side_by_side
from ._slots import SlotsCircuit
from ._steps import last_uses

T = TypeVar("T")

#: The width of the longest bar of a printed profile.
_BAR = 24

#: What computes a node from the values of all nodes before it, on a server.
_Step = Callable[[Any, Server], Any]


@dataclass(frozen=True)
class LayerTime:
    """The time of a layer in seconds."""

    #: What the layer is, and its size.
    name: str
    size: str
    #: By the cost model.
    estimate: float
    #: The level of its result, how many rotations and how many bootstraps it takes.
    level: int
    rotations: int
    bootstraps: int
    #: Of a real run.
    measured: float = 0.0


@dataclass(frozen=True)
class Profile:
    """The times of the layers of a model, for so many samples. `print` shows them as bars, one after the other."""

    layers: tuple[LayerTime, ...]
    samples: int
    #: The device of the estimates.
    device: str
    #: What the measured run was computed on, such as `cpu-ifma`, and its number of threads.
    backend: str
    threads: int

    @property
    def estimate(self) -> float:
        """The seconds of all layers by the cost model."""
        return sum(layer.estimate for layer in self.layers)

    @property
    def measured(self) -> float:
        """The measured seconds of all layers."""
        return sum(layer.measured for layer in self.layers)

    def __str__(self) -> str:
        rows, start, whole = [["layer", "", "measured", "estimate", ""]], 0.0, self.measured
        for layer in self.layers:
            bar = " " * round(_BAR * start / whole) + "#" * max(1, round(_BAR * layer.measured / whole))
            rows.append([layer.name, layer.size, duration(layer.measured), duration(layer.estimate), bar])
            start += layer.measured
        rows.append(["all", "", duration(self.measured), duration(self.estimate), ""])
        place = f"measured on {self.backend} with {self.threads} thread(s), estimated for {self.device}"
        return f"{aligned(rows)}\n{self.samples} sample(s), {place}"


def estimated(circuit: Circuit, params: Parameters, device: str) -> list[LayerTime] | None:
    """The times of the layers by the cost model, for the samples of a plan; None for circuits without layers."""
    if not isinstance(circuit, (ColumnsCircuit, SlotsCircuit)):
        return None
    server, level = Server(backend="model", params=params), _level(circuit, params)
    if isinstance(circuit, SlotsCircuit):
        x: Any = _sent(circuit, params, server.input(level=level, magnitude=1.0))
    else:
        row = [server.input(level=level, magnitude=1.0) for _ in range(circuit.network.features)]
        x = EncryptedMatrix([row], (params.slots, len(row)), "columns")
    laps, levels = _timed(circuit, server, x, lambda: _counted(server, device))
    rows = circuit.described()
    return [
        LayerTime(row[0], row[1], lap.seconds, level, len(lap.keys.rotations), lap.bootstraps)
        for row, lap, level in zip(rows, laps, levels, strict=True)
    ]


def measured(circuit: Circuit, params: Parameters, normal: Array, device: str) -> Profile:
    """The times of the layers of a real run in this process, beside those of the cost model."""
    layers = estimated(circuit, params, device)
    if layers is None or not isinstance(circuit, (ColumnsCircuit, SlotsCircuit)):
        raise refusal("model", f"a circuit of the kind {circuit.kind!r}", "a model with layers")
    normal = normal[: circuit.together(params)]
    client = _ringjet.Client(params)
    server = Server(client.evaluation_keys(**_keys(circuit, params)), allow_insecure=params.allow_insecure)
    layout, sent = "columns", normal
    if isinstance(circuit, SlotsCircuit):
        layout = "rows"
        sent = side_by_side(normal, circuit.network.shape, circuit.layout.slots, circuit.together(params), params.slots)
    matrix = encrypt_matrix(client, sent, layout=layout, level=_level(circuit, params), magnitude=1.0)
    x = load_matrix(server, matrix.to_bytes())
    first = _sent(circuit, params, x.blocks[0][0]) if isinstance(circuit, SlotsCircuit) else x
    times, _ = _timed(circuit, server, first, _Clock())
    found = [replace(layer, measured=seconds) for layer, seconds in zip(layers, times, strict=True)]
    return Profile(tuple(found), len(normal), device, server.backend, server.threads)


class _Clock:
    """The seconds since the last call."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def __call__(self) -> float:
        start, self._last = self._last, time.perf_counter()
        return self._last - start


def _counted(server: Server, device: str) -> Estimate:
    """The estimate of what a model server did since the last call."""
    found = server.estimate(device)
    server.reset_counts()
    return found


def _sent(circuit: SlotsCircuit, params: Parameters, x: Ciphertext) -> Any:
    """What the first layer takes."""
    return [circuit.layout.sent(x, circuit.room(params))]


def _timed(
    circuit: ColumnsCircuit | SlotsCircuit, server: Server, x: Any, lap: Callable[[], T]
) -> tuple[list[T], list[int]]:
    """What `lap` says after each layer, and the levels of the results, in the second of two runs: the first one makes
    what is kept."""
    steps = _steps(circuit, server.params)
    for _ in range(2):
        lap()
        found = [(lap(), level) for level in _walked(circuit, server, steps, x)]
    return [made for made, _ in found], [level for _, level in found]


def _walked(circuit: ColumnsCircuit | SlotsCircuit, server: Server, steps: list[_Step], x: Any) -> Iterator[int]:
    """Computes layer by layer, and stops after each one with the level of its result."""
    network = circuit.layout.network if isinstance(circuit, SlotsCircuit) else circuit.network
    last, values = last_uses(network), [x]
    for k, step in enumerate(steps):
        values.append(step(values, server))
        for i in set(network.nodes[k].inputs):
            values[i] = values[i] if last[i] > k else None
        made = values[-1]
        yield min(part.level for part in made[0]) if isinstance(made, list) else made.level


def _steps(circuit: ColumnsCircuit | SlotsCircuit, params: Parameters) -> list[_Step]:
    if isinstance(circuit, SlotsCircuit):
        steps: list[_Step] = [*circuit.layout.steps(circuit.room(params), circuit.errors)]
        return steps

    def step(layer: Any, inputs: tuple[int, ...]) -> _Step:
        return lambda values, server: _applied(layer, [values[i] for i in inputs])

    return [step(node.layer, node.inputs) for node in circuit.network.nodes]


def _level(circuit: ColumnsCircuit | SlotsCircuit, params: Parameters) -> int | None:
    """The level of samples. Layers that are computed one by one may take more levels than the optimised program."""
    level = circuit.level(params)
    if isinstance(circuit, SlotsCircuit):
        try:
            plan(circuit.layout.computed(circuit.room(params), errors=circuit.errors), params, level=level)
        except LevelExhaustedError:
            return None
    return level


def _keys(circuit: ColumnsCircuit | SlotsCircuit, params: Parameters) -> dict[str, Any]:
    if isinstance(circuit, ColumnsCircuit):
        return dict(circuit.plan(params).keys)
    computed = circuit.layout.computed(circuit.room(params), errors=circuit.errors)
    return dict(plan(computed, params, level=_level(circuit, params)).keys)
