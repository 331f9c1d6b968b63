"""Compiles fitted models, so that a server computes them on encrypted samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters
from ...errors import RingjetError
from ._approximations import approximated
from ._choice import Choice, Search, expect_same, memory_here, number, parameters
from ._columns import ColumnsCircuit
from ._ensemble import compiled
from ._folding import folded
from ._interface import Interface, expect_columns, fingerprint, numbers
from ._layers import Array
from ._linear import Scale
from ._model import Model
from ._network import Network, Node
from ._onnx import Task, read_onnx
from ._polynomial import Polynomial
from ._scores import agreement as agreement_of
from ._scores import scale
from ._sklearn import read
from ._slots import SlotsCircuit
from ._steps import appended, centred, in_single_precision, least_depth, mapped, prepended, summed
from ._tree_readers import reads as is_ensemble

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
    hide_thresholds: bool = False,
) -> Model:
    """A fitted model, for a server that computes it on encrypted samples.

    model: of scikit-learn a linear model for classes or values, a kernel machine, GaussianNB, KMeans,
    NearestCentroid, nearest neighbours, an MLP, a tree, or an ensemble of trees; or a Pipeline of scalers, PCA or
    TruncatedSVD and one of them. Its `predict` is compared with what was read of it. Of XGBoost and LightGBM a model,
    a Booster, its JSON as a dictionary, or the path of a file of that, which ends in .json. Or a network: an ONNX file as a path, bytes or an
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
    hide_thresholds: of trees. By default a client computes for itself which comparisons with the thresholds of each
    feature hold. So client.json has all thresholds, sorted, without the trees, and the results are exact. With True
    it sends the features, and the server compares: that takes far longer, and features near a threshold may be taken
    for either side. `Model.simulate` warns of them.
    """
    agreement, margin = number("agreement", agreement, 0, 1), number("margin", margin, 1, np.inf)
    if batch is not None and (not isinstance(batch, (int, np.integer)) or batch < 1):
        raise refusal("batch", repr(batch), "a whole number of at least 1")
    if is_ensemble(model):
        return compiled(model, calibration, params, agreement, memory or memory_here(), hide_thresholds)
    if hide_thresholds:
        raise refusal("hide_thresholds", True, "trees: other models have no thresholds")
    source = _read(model, calibration, task)
    x, network = source.samples, source.network
    centre, half = _ranges(x, network)
    if source.predict is not None:
        expect_same(model, source.predict, network, x, centre, half)
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

    search = Search(share, agreement, least_depth(scaled), memory or memory_here())
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


def _chosen(params: Parameters | str | None, network: Network, batch: int | None, search: Search) -> Choice:
    """The circuit and the parameters. Without a batch samples are sent in columns, if that is possible; otherwise what
    takes the least time for so many samples."""
    choices, refused = [], []
    for circuit in (ColumnsCircuit(network), SlotsCircuit(network)):
        try:
            choices.append(parameters(params, circuit, search))
        except RingjetError as error:
            refused.append(error)
        if batch is None and choices:
            break
    if not choices:
        raise refused[0]
    return min(choices, key=lambda found: found.seconds * -(-(batch or 1) // found.circuit.together(found.params)))
