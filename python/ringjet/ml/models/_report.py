"""The report of a compiled model, as one HTML page without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..._text import duration, size
from ..._train.report import Report
from ...program import Estimate
from ...program._estimate import REFERENCE
from ._interface import Circuit, Interface
from ._layers import Array
from ._network import Approximation, Network
from ._plots import Activity, activities, bars
from ._profile import LayerTime, estimated

if TYPE_CHECKING:
    from ._model import Trial

#: How many samples the plots of activations show.
_SHOWN = 200
#: What the table of layers says of the cost of each.
_COSTS = ("level", "rotations", "bootstraps", "time")
#: Steps of the cost model that take a smaller share of the time are left out.
_SHARE = 0.01


def written(
    path: Path,
    interface: Interface,
    circuit: Circuit,
    trial: Trial,
    normal: Array,
    choice: dict[str, str] | None,
) -> None:
    """Writes the report. normal: the samples of the trial, as they are sent."""
    device = REFERENCE
    estimate = circuit.plan(interface.params, device).estimate
    assert estimate is not None, "a plan for a device has an estimate"
    network = getattr(circuit, "network", None)
    found = _activities(network, normal[:_SHOWN]) if isinstance(network, Network) else []
    layers = estimated(circuit, interface.params, device)
    together = circuit.together(interface.params)
    samples = "a sample" if together == 1 else f"up to {together} samples"
    report = Report(
        "Compiled model",
        f"{duration(estimate.seconds)} for {samples} on {device}. {interface.params!r}. "
        f"Sent: {interface.packing.described()}.",
        "; ".join(_problems(circuit, trial)),
    )
    report.tables.append(("Agreement with the original model", _agreement(circuit, trial, len(normal))))
    report.tables.append(("Layers", _layers(circuit, layers, found)))
    report.tables.append(("Keys", _keys(estimate)))
    report.tables.append(("Where time goes", _steps(estimate)))
    if choice:
        report.tables.append(("Choice of parameters", [["parameters", "result"], *map(list, choice.items())]))
    if found:
        report.figures.append(("Inputs of activations, their intervals in grey", activities(found)))
    if layers:
        rows = [(f"{layer.name} {layer.size}", layer.estimate, duration(layer.estimate)) for layer in layers]
        report.figures.append((f"Time of the layers on {device}, each computed by itself", bars(rows)))
    path.write_text(report.html(), encoding="utf-8")


def _activities(network: Network, normal: Array) -> list[Activity]:
    values = network.values(normal)
    made: list[Activity] = []
    for node in network.nodes:
        layer = node.layer
        if isinstance(layer, Approximation):
            x = values[node.inputs[0]]
            if layer.is_mapped:
                x = (layer.low + layer.high) / 2 + x * (layer.high - layer.low) / 2
            made.append(Activity(f"{len(made) + 1}. {layer.function}", layer.low, layer.high, x.ravel()))
    return made


def _problems(circuit: Circuit, trial: Trial) -> list[str]:
    # for trees the warnings count the samples already
    if not trial.outside or circuit.kind == "trees":
        return list(trial.warnings)
    return [f"{trial.outside:.3%} of the inputs of activations lie outside their intervals", *trial.warnings]


def _agreement(circuit: Circuit, trial: Trial, samples: int) -> list[Sequence[str]]:
    outside = "samples inside a gap" if circuit.kind == "trees" else "activations outside their interval"
    accuracy = "" if trial.accuracy is None else f"{trial.accuracy:.4f}"
    return [
        ["samples", "agreement", "accuracy", outside],
        [str(samples), f"{trial.agreement:.4f}", accuracy, f"{trial.outside:.3%}"],
    ]


def _layers(circuit: Circuit, layers: list[LayerTime] | None, found: list[Activity]) -> list[Sequence[str]]:
    rows = circuit.described()
    if layers is None:
        return [["layer", "size", "interval"], *rows]
    seen, whole = iter(found), sum(layer.estimate for layer in layers) or 1.0
    made: list[Sequence[str]] = [["layer", "size", "interval", "seen", "outside", *_COSTS, "share"]]
    for row, layer in zip(rows, layers, strict=True):
        activity = next(seen) if row[2] else None
        inputs = ["", ""]
        if activity is not None:
            inputs = [f"{activity.inputs.min():.4g} to {activity.inputs.max():.4g}", f"{activity.outside:.3%}"]
        costs = [str(layer.level), str(layer.rotations), str(layer.bootstraps), duration(layer.estimate)]
        made.append([*row, *inputs, *costs, f"{layer.estimate / whole:.1%}"])
    return made


def _keys(estimate: Estimate) -> list[Sequence[str]]:
    keys = estimate.keys
    row = [str(keys.count), size(keys.at_rest), size(keys.in_memory), size(estimate.peak_bytes)]
    return [["keys", "as sent", "in memory", "memory of a server"], row]


def _steps(estimate: Estimate) -> list[Sequence[str]]:
    whole = estimate.tree.seconds or 1.0
    chosen = [(d, w) for d, w in estimate.tree.walk() if d <= 3 and w.seconds >= _SHARE * whole]
    return [
        ["step", "times", "time", "share"],
        *(
            ["\N{NO-BREAK SPACE}" * 4 * depth + w.name, str(w.count), duration(w.seconds), f"{w.seconds / whole:.1%}"]
            for depth, w in chosen
        ),
    ]
