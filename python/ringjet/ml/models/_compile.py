"""Compiles fitted models, so that a server computes them on encrypted samples."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters, devices, preset, preset_names
from ..._scheme import is_ckks
from ..._text import size
from ...errors import RingjetError
from ...program import Plan
from ._approximations import approximated
from ._chains import chains
from ._columns import ColumnsCircuit
from ._folding import folded
from ._interface import Circuit, Interface, expect_columns, fingerprint, numbers
from ._layers import Array
from ._linear import Scale
from ._model import Model
from ._network import Network, Node
from ._onnx import Task, read_onnx
from ._polynomial import Polynomial
from ._scores import agreement as agreement_of
from ._scores import scale, tied
from ._sklearn import read
from ._slots import SlotsCircuit
from ._steps import appended, centred, in_single_precision, least_depth, mapped, prepended, summed

#: Width of the accepted range of a feature, in multiples of its range in calibration.
_REACH = 4

#: The largest number of samples on which parameters are compared.
_TRIALS = 256


def compile(
    model: Any,
    calibration: Any,
    *,
    params: Parameters | str | None = None,
    agreement: float = 0.99,
    margin: float = 1.5,
    batch: int | None = None,
    memory: int | None = None,
    task: Task = None,
) -> Model:
    """A fitted model, for a server that computes it on encrypted samples.

    model: of scikit-learn a linear model for classes or values, a kernel machine, GaussianNB, KMeans,
    NearestCentroid, nearest neighbours, or an MLP; or a Pipeline of scalers, PCA or TruncatedSVD and one of them.
    Its `predict` is compared with what was read of it. Or a network: an ONNX file as a path, bytes or an
    `onnx.ModelProto`, or a `torch.nn.Module`, which is exported to ONNX. It is compared with the reference
    implementation of ONNX.
    calibration: samples such as those that will come, one a row. They give the ranges of features; every second
    one gives the intervals of activations, and the others choose degrees and parameters.
    params: by default the smallest preset of CKKS without bootstrapping with which the model reaches `agreement`, or
    parameters with fewer levels in a smaller ring, if these are enough.
    agreement: the least share of calibration samples with the same class as the model's, or with all values
    within a thousandth of their ranges.
    margin: intervals of activations are so many times as wide as the calibration samples need. Inputs outside
    cannot be noticed on ciphertexts, and give wrong scores: `Model.simulate` counts them, and a client warns of
    scores far outside those of calibration. A feature outside four times its range in calibration is refused when
    it is encrypted.
    batch: how many samples are usually sent together. By default there is a ciphertext for each feature, and up to
    as many samples as a ciphertext has slots take the same time, unless that takes too much memory. For few samples
    a ciphertext for each sample can be faster: with a number the estimates of both are compared.
    memory: the bytes that a server has, by default those of this machine.
    task: "classes" or "values", what the scores of a network mean. By default they are classes where softmax, arg max
    or a single sigmoid end it, or several scores without them.
    """
    agreement, margin = _number("agreement", agreement, 0, 1), _number("margin", margin, 1, np.inf)
    if batch is not None and (not isinstance(batch, (int, np.integer)) or batch < 1):
        raise refusal("batch", repr(batch), "a whole number of at least 1")
    source = _read(model, calibration, task)
    x, network = source.samples, source.network
    centre, half = _ranges(x, network)
    if source.predict is not None:
        _expect_same(model, source.predict, network, x, centre, half)
    scores = network(x)
    spread = np.ptp(scores, axis=0)
    polynomials, reached = approximated(network, x, centre, spread, agreement, margin)
    if reached < agreement:
        raise refusal("agreement", agreement, f"at most {reached:.4f}, which polynomials of the largest degree reach")
    # what a client sends lies between -1 and 1, and so does about what a server returns
    shift, unit = scale(network.head, scores)
    scaled = appended(
        prepended(polynomials, _scaling(half, centre, network.shape)), Scale(1 / unit, -shift / unit, unit.shape)
    )
    scaled = mapped(folded(summed(scaled)))
    # a file's weights have single precision: so have those of a compiled model, and take no more room
    scaled = in_single_precision(scaled) if _is_network(model) else scaled
    tests = x[1::2][:_TRIALS]
    normal, wanted = (tests - centre) / half, network.head(network(tests))
    exact = scaled(normal)

    def share(errors: Array) -> float:
        found = exact + errors * np.random.default_rng(0).standard_normal(exact.shape)
        return agreement_of(network.head, network.head(found * unit + shift), wanted, spread)

    search = _Search(share, agreement, least_depth(scaled), memory or _memory())
    chosen = _chosen(params, scaled, batch, search)
    packing = chosen.circuit.packing(chosen.params, centre, half)
    name = fingerprint(chosen.params, chosen.circuit, packing, shift, unit)
    ends = scores.min(axis=0), scores.max(axis=0)
    has_activations = any(isinstance(node.layer, Polynomial) for node in scaled.nodes)
    keys = dict(chosen.plan.keys)
    interface = Interface(
        chosen.params, network.head, packing, source.names, shift, unit, *ends, has_activations, keys, name
    )
    return Model(network, chosen.circuit, interface, chosen.plan, chosen.reasons)


@dataclass(frozen=True)
class _Source:
    """What was read of a model and of the calibration samples."""

    network: Network
    samples: Array
    names: list[str] | None
    #: The predictions of the original; None where they were compared when it was read.
    predict: Callable[[Array], Any] | None


def _read(model: Any, calibration: Any, task: Task) -> _Source:
    names = [str(name) for name in getattr(model, "feature_names_in_", [])] or None
    expect_columns(calibration, names)
    x = numbers("calibration", calibration)
    x = x.reshape(len(x), -1) if x.ndim > 2 else x
    if _is_network(model):
        network, predict = read_onnx(model, example=calibration, task=task), None
    elif task is not None:
        raise refusal("task", repr(task), "None: what this model predicts is known")
    else:
        layers, head = read(model)
        features = int(getattr(model, "n_features_in_", x.shape[-1] if x.ndim else 0))
        nodes = [Node(layer, (k,)) for k, layer in enumerate(layers)]
        network, predict = Network(nodes, (features,), len(nodes), head), model.predict
    features = network.features
    if x.ndim != 2 or x.shape[1] != features or len(np.unique(x, axis=0)) < 2:
        raise refusal(
            "calibration", f"an array of shape {x.shape}", f"two or more different rows of {features} numbers"
        )
    return _Source(folded(centred(network)), x, names, predict)


def _is_network(model: Any) -> bool:
    """Whether a model is an ONNX file, or becomes one."""
    packages = {kind.__module__.split(".")[0] for kind in type(model).__mro__}
    return isinstance(model, (str, PathLike, bytes, bytearray)) or bool(packages & {"onnx", "torch"})


def _ranges(x: Array, network: Network) -> tuple[Array, Array]:
    """The middle of the accepted range of each feature, and half of its width. All numbers of a tensor (channels,
    height, width) have one range around 0, since convolutions take what is around it for 0."""
    if len(network.shape) == 3:
        return np.zeros(x.shape[1]), np.full(x.shape[1], _REACH / 2 * max(float(np.abs(x).max()), 1e-300))
    low, high = x.min(axis=0), x.max(axis=0)
    centre = (low + high) / 2
    # a feature that is constant in calibration may become twice as large, or reach 1
    return centre, np.where(high > low, _REACH * (high - low) / 2, np.maximum(np.abs(centre), 1.0))


def _scaling(half: Array, centre: Array, shape: tuple[int, ...]) -> Scale:
    """What makes samples from what is sent."""
    if len(shape) == 3:
        return Scale(np.array(half[0]), np.array(0.0), shape)
    return Scale(half, centre, shape)


def _number(name: str, value: Any, low: float, high: float) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)) or not low <= value <= high:
        raise refusal(
            name, repr(value), f"a number of at least {low}" + (f", and at most {high}" if high < np.inf else "")
        )
    return float(value)


def _expect_same(
    model: Any, predict: Callable[[Array], Any], network: Network, x: Array, centre: Array, half: Array
) -> None:
    """Refuses a model whose predictions are not what its layers give: on the samples, and on random ones of the
    accepted range."""
    draws, head = np.random.default_rng(0).uniform(-1, 1, (256, len(centre))), network.head
    for rows in (x[:1024], centre + half * draws):
        scores = network(rows)
        found, known = head(scores), np.asarray(_predicted(predict, rows))
        if known.shape != found.shape and known.size == found.size:
            known = known.reshape(found.shape)
        if known.shape != found.shape:
            raise refusal("model", type(model).__name__, f"predictions of shape {found.shape}, not {known.shape}")
        size = np.maximum(np.abs(known), np.ptp(known, axis=0)) if head.is_value else 0
        same = np.abs(found - known) <= 1e-6 * size if head.is_value else found == known
        wrong = np.flatnonzero(~(same if same.ndim == 1 else same.all(axis=1)) & ~tied(head, scores))
        if len(wrong) > 0.005 * len(rows):
            k = wrong[0]
            expected = f"a model whose predictions follow from its attributes: {found[k]}, but it predicts {known[k]}"
            raise refusal("model", type(model).__name__, expected)


def _predicted(predict: Callable[[Array], Any], rows: Array) -> Any:
    """The predictions of a model, which may have been fitted to a frame with the columns in this order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*feature names.*")
        return predict(rows)


@dataclass(frozen=True)
class _Choice:
    """A circuit and parameters, their plan for the first device, and the reasons for or against each preset."""

    circuit: Circuit
    params: Parameters
    plan: Plan
    reasons: dict[str, str] | None

    @property
    def seconds(self) -> float:
        """The estimated time."""
        assert self.plan.estimate is not None, "a plan for a device has an estimate"
        return self.plan.estimate.seconds


@dataclass(frozen=True)
class _Search:
    """What parameters must reach."""

    #: The agreement with errors of a size.
    share: Callable[[Array], float]
    agreement: float
    #: The least number of levels that any circuit needs.
    depth: int
    #: The bytes that a server has.
    memory: int

    def against(self, plan: Plan) -> str | None:
        """Why a plan is not good enough; None if it is."""
        assert plan.estimate is not None, "a plan for a device has an estimate"
        needed = plan.estimate.peak_bytes
        if needed > self.memory:
            return f"{size(needed)} of memory, and there are {size(self.memory)}"
        reached = self.share(np.array([2.0**-output.precision_bits for output in plan.outputs]))
        return None if reached >= self.agreement else f"agreement {reached:.4f}"


def _chosen(params: Parameters | str | None, network: Network, batch: int | None, search: _Search) -> _Choice:
    """The circuit and the parameters. Without a batch samples are sent in columns, if that is possible; otherwise what
    takes the least time for so many samples."""
    choices, refused = [], []
    for circuit in (ColumnsCircuit(network), SlotsCircuit(network)):
        try:
            choices.append(_parameters(params, circuit, search))
        except RingjetError as error:
            refused.append(error)
        if batch is None and choices:
            break
    if not choices:
        raise refused[0]
    return min(choices, key=lambda found: found.seconds * -(-(batch or 1) // found.circuit.together(found.params)))


def _parameters(params: Parameters | str | None, circuit: Circuit, search: _Search) -> _Choice:
    """The given parameters, or the first preset that is good enough."""
    if params is not None:
        chosen = preset(params) if isinstance(params, str) else params
        if not isinstance(chosen, Parameters) or not is_ckks(chosen):
            raise refusal("params", repr(params), "parameters of CKKS, or the name of a preset")
        plan = circuit.plan(chosen, devices()[0])
        if against := search.against(plan):
            raise refusal("params", repr(params), f"an agreement of {search.agreement}; with them: {against}")
        return _Choice(circuit, chosen, plan, None)
    reasons: dict[str, str] = {}
    known = [(preset(name), name) for name in preset_names()]
    for made, name in sorted(known, key=lambda found: (found[0].log_n, found[0].depth)):
        if not is_ckks(made) or not made.security or made.can_bootstrap or "share" in name:
            continue
        if made.depth < search.depth:
            reasons[name] = f"{made.depth} levels, and {search.depth} are needed"
            continue
        plan = _tried(made, name, circuit, search, reasons)
        if plan is not None:
            found = _Choice(circuit, made, plan, reasons)
            return _in_smaller_ring(found, search) or found
    expected = f"a model that a preset computes with an agreement of {search.agreement}: {reasons}"
    raise refusal("params", None, expected)


def _tried(params: Parameters, name: str, circuit: Circuit, search: _Search, reasons: dict[str, str]) -> Plan | None:
    """The plan with these parameters; None where it is not good enough, for a reason that is noted."""
    try:
        plan = circuit.plan(params, devices()[0])
    except RingjetError as error:
        reasons[name] = str(error)
        return None
    against = search.against(plan)
    reasons[name] = against or "chosen"
    return None if against else plan


def _in_smaller_ring(choice: _Choice, search: _Search) -> _Choice | None:
    """The choice with parameters of its own in a smaller ring, with as many levels as are needed; None if there are
    none."""
    top, reasons = choice.params.top_level, dict(choice.reasons or {})
    depth = (choice.circuit.level(choice.params) or top or 0) - min(choice.plan.levels)
    for log_n in range(12, choice.params.log_n):
        for found in chains(log_n, depth):
            name = f"2^{log_n}, {depth} levels of {found.scale_bits} bits"
            plan = _tried(found, name, choice.circuit, search, reasons)
            if plan is not None:
                return _Choice(choice.circuit, found, plan, reasons)
    return None


def _memory() -> int:
    """The bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
