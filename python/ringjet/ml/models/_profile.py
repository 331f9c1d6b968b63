"""The time of each layer of a model: by the cost model, and of a real run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ... import _ringjet
from ..._checks import refusal
from ..._ringjet import Server
from ..._text import aligned, duration
from ...errors import LevelExhaustedError
from ...program import plan
from ...vectors.matrices import EncryptedMatrix, load_matrix
from ._columns import ColumnsCircuit, _applied
from ._interface import Circuit, Interface
from ._slots import SlotsCircuit
from ._steps import described, last_uses

#: The width of the longest bar of a printed profile.
_BAR = 24

#: What computes a node from the values of all nodes before it.
_Step = Callable[[list[Any]], Any]


@dataclass(frozen=True)
class LayerTime:
    """The time of a layer in seconds."""

    #: What the layer is, and its size.
    name: str
    size: str
    #: By the cost model.
    estimate: float
    #: Of a real run; None where there was none.
    measured: float | None


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
        return sum(layer.measured or 0.0 for layer in self.layers)

    def __str__(self) -> str:
        rows, start, whole = [["layer", "", "measured", "estimate", ""]], 0.0, self.measured or 1.0
        for layer in self.layers:
            seconds = layer.measured or 0.0
            bar = " " * round(_BAR * start / whole) + "#" * max(1, round(_BAR * seconds / whole))
            rows.append([layer.name, layer.size, duration(seconds), duration(layer.estimate), bar])
            start += seconds
        rows.append(["all", "", duration(self.measured), duration(self.estimate), ""])
        place = f"measured on {self.backend} with {self.threads} thread(s), estimated for {self.device}"
        return f"{aligned(rows)}\n{self.samples} sample(s), {place}"


def estimated(circuit: Circuit, interface: Interface, device: str) -> list[LayerTime] | None:
    """The times of the layers by the cost model, for the samples of a plan; None for circuits without layers."""
    if not isinstance(circuit, (ColumnsCircuit, SlotsCircuit)):
        return None
    server = Server(backend="model", params=interface.params)
    times: list[float] = []
    # what is kept for the next run is made in the first one
    for _ in range(2):
        times.clear()
        server.reset_counts()
        for _ in _walked(circuit, _input(circuit, interface, server)):
            times.append(server.estimate(device).seconds)
            server.reset_counts()
    rows = described(circuit.network)
    return [LayerTime(row[0], row[1], seconds, None) for row, seconds in zip(rows, times, strict=True)]


def measured(circuit: Circuit, interface: Interface, normal: Any, device: str) -> Profile:
    """The times of the layers of a real run in this process, beside those of the cost model."""
    layers = estimated(circuit, interface, device)
    if layers is None or not isinstance(circuit, (ColumnsCircuit, SlotsCircuit)):
        raise refusal("model", f"a circuit of the kind {circuit.kind!r}", "a model with layers")
    normal = normal[: circuit.together(interface.params)]
    client = _ringjet.Client(interface.params, interface.packing.slots)
    keys = client.evaluation_keys(**_keys(circuit, interface))
    server = Server(keys)
    matrix = load_matrix(server, interface.packing.encrypt(client, normal))
    x: Any = matrix if isinstance(circuit, ColumnsCircuit) else [matrix.blocks[0][0]]
    times: list[float] = []
    for _ in range(2):
        times.clear()
        start = time.perf_counter()
        for _ in _walked(circuit, x):
            times.append(time.perf_counter() - start)
            start = time.perf_counter()
    found = [LayerTime(a.name, a.size, a.estimate, seconds) for a, seconds in zip(layers, times, strict=True)]
    return Profile(tuple(found), len(normal), device, server.backend, server.threads)


def _walked(circuit: ColumnsCircuit | SlotsCircuit, x: Any) -> Iterator[Any]:
    """Computes layer by layer, and stops after each one."""
    last, values = last_uses(circuit.network), [x]
    for k, step in enumerate(_steps(circuit)):
        values.append(step(values))
        for i in set(circuit.network.nodes[k].inputs):
            values[i] = values[i] if last[i] > k else None
        yield


def _steps(circuit: ColumnsCircuit | SlotsCircuit) -> list[_Step]:
    nodes = circuit.network.nodes

    def of_columns(k: int) -> _Step:
        return lambda values: _applied(nodes[k].layer, [values[i] for i in nodes[k].inputs])

    def of_slots(k: int, operation: Callable[..., Any]) -> _Step:
        return lambda values: operation(*(values[i] for i in nodes[k].inputs))

    if isinstance(circuit, ColumnsCircuit):
        return [of_columns(k) for k in range(len(nodes))]
    return [of_slots(k, operation) for k, operation in enumerate(circuit.layout._operations)]


def _input(circuit: ColumnsCircuit | SlotsCircuit, interface: Interface, server: Server) -> Any:
    """The samples of a plan on a model server."""
    if isinstance(circuit, SlotsCircuit):
        return [server.input(circuit.layout.slots, _level(circuit, interface), magnitude=1.0)]
    features, slots = circuit.network.features, interface.params.slots
    level = getattr(interface.packing, "level", None)
    row = [server.input(level=level, magnitude=1.0) for _ in range(features)]
    return EncryptedMatrix([row], (slots, features), "columns")


def _level(circuit: SlotsCircuit, interface: Interface) -> int | None:
    """The level of samples. Layers that are computed one by one may take more levels than the optimised program."""
    level: int | None = getattr(interface.packing, "level", None)
    try:
        plan(circuit.layout, interface.params, slots=circuit.layout.slots, level=level)
    except LevelExhaustedError:
        return None
    return level


def _keys(circuit: ColumnsCircuit | SlotsCircuit, interface: Interface) -> dict[str, Any]:
    if isinstance(circuit, ColumnsCircuit):
        return interface.keys
    level = _level(circuit, interface)
    return dict(plan(circuit.layout, interface.params, slots=circuit.layout.slots, level=level).keys)
