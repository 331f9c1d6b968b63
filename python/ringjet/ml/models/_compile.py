"""Compiles fitted models, so that a server computes them on encrypted samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters, devices, preset, preset_names
from ..._scheme import is_ckks
from ...errors import RingjetError
from ...program import Plan
from ._columns import ColumnsCircuit
from ._folding import folded
from ._interface import Circuit, Interface, expect_columns, fingerprint, numbers
from ._layers import Array
from ._linear import Scale
from ._model import Model
from ._network import Network, Node
from ._polynomial import Polynomial
from ._scores import agreement as agreement_of
from ._scores import scale, tied
from ._sklearn import read
from ._slots import SlotsCircuit
from ._steps import appended, centred, fitted, mapped, prepended

#: Degrees of polynomials that are tried, each the largest of its number of levels.
_DEGREES = (3, 7, 15, 31, 63, 127)

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
) -> Model:
    """A fitted model, for a server that computes it on encrypted samples.

    model: of scikit-learn a linear model for classes or values, a kernel machine, GaussianNB, KMeans,
    NearestCentroid, nearest neighbours, or an MLP; or a Pipeline of scalers, PCA or TruncatedSVD and one of them.
    Its `predict` is compared with what was read of it.
    calibration: samples such as those that will come, one a row. They give the ranges of features; every second
    one gives the intervals of activations, and the others choose degrees and parameters.
    params: by default the smallest preset of CKKS without bootstrapping with which the model reaches `agreement`.
    agreement: the least share of calibration samples with the same class as the model's, or with all values
    within a thousandth of their ranges.
    margin: intervals of activations are so many times as wide as the calibration samples need. Inputs outside
    cannot be noticed on ciphertexts, and give wrong scores: `Model.simulate` counts them, and a client warns of
    scores far outside those of calibration. A feature outside four times its range in calibration is refused when
    it is encrypted.
    batch: how many samples are usually sent together. By default there is a ciphertext for each feature, and up to
    as many samples as a ciphertext has slots take the same time. For few samples a ciphertext for each sample can
    be faster: with a number the estimates of both are compared.
    """
    agreement, margin = _number("agreement", agreement, 0, 1), _number("margin", margin, 1, np.inf)
    if batch is not None and (not isinstance(batch, (int, np.integer)) or batch < 1):
        raise refusal("batch", repr(batch), "a whole number of at least 1")
    source = _read(model, calibration)
    x, network = source.samples, source.network
    centre, half = _ranges(x, network)
    if source.predict is not None:
        _expect_same(model, source.predict, network, x, centre, half)
    scores = network(x)
    spread = np.ptp(scores, axis=0)
    polynomials, reached = _fitted(network, x, centre, agreement, margin, spread)
    if reached < agreement:
        raise refusal(
            "agreement", agreement, f"at most {reached:.4f}, which polynomials of degree {_DEGREES[-1]} reach"
        )
    # what a client sends lies between -1 and 1, and so does about what a server returns
    shift, unit = scale(network.head, scores)
    scaled = appended(
        prepended(polynomials, _scaling(half, centre, network.shape)), Scale(1 / unit, -shift / unit, unit.shape)
    )
    scaled = mapped(folded(scaled))
    tests = x[1::2][:_TRIALS]
    normal, wanted = (tests - centre) / half, network.head(network(tests))
    exact = scaled(normal)

    def share(errors: Array) -> float:
        found = exact + errors * np.random.default_rng(0).standard_normal(exact.shape)
        return agreement_of(network.head, network.head(found * unit + shift), wanted, spread)

    chosen = _chosen(params, scaled, batch, share, agreement)
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


def _read(model: Any, calibration: Any) -> _Source:
    names = [str(name) for name in getattr(model, "feature_names_in_", [])] or None
    expect_columns(calibration, names)
    x = numbers("calibration", calibration)
    x = x.reshape(len(x), -1) if x.ndim > 2 else x
    if isinstance(model, Network):
        network, predict = model, None
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


def _fitted(
    network: Network, x: Array, centre: Array, wanted: float, margin: float, spread: Array
) -> tuple[Network, float]:
    """The network with polynomials of the least degree that reaches the agreement, or of the largest one, and
    their agreement. The centre is what slots without a sample hold: it must lie in all intervals."""
    known = network.head(network(x[1::2]))
    samples = np.concatenate([x[::2], centre[None]])
    for degree in _DEGREES:
        made = fitted(network, samples, margin, degree)
        reached = agreement_of(network.head, network.head(made(x[1::2])), known, spread)
        if reached >= wanted or not any(isinstance(node.layer, Polynomial) for node in made.nodes):
            break
    return made, reached


@dataclass(frozen=True)
class _Choice:
    circuit: Circuit
    params: Parameters
    plan: Plan
    #: The reasons for or against each preset; None where parameters were given.
    reasons: dict[str, str] | None


def _chosen(
    params: Parameters | str | None,
    network: Network,
    batch: int | None,
    share: Callable[[Array], float],
    wanted: float,
) -> _Choice:
    """The circuit and the parameters. Without a batch samples are sent in columns; otherwise what takes the least time
    for so many samples. share: the agreement with errors of this size."""
    columns = ColumnsCircuit(network)
    if batch is None:
        return _parameters(params, columns, share, wanted)
    choices, refused = [], []
    for circuit in (SlotsCircuit(network), columns):
        try:
            found = _parameters(params, circuit, share, wanted)
        except RingjetError as error:
            refused.append(error)
            continue
        made = found.circuit.plan(found.params, devices()[0]).estimate
        assert made is not None, "a plan for a device has an estimate"
        together = found.circuit.together(found.params)
        choices.append((made.seconds * -(-batch // together), found))
    if not choices:
        raise refused[0]
    return min(choices, key=lambda choice: choice[0])[1]


def _parameters(
    params: Parameters | str | None, circuit: Circuit, share: Callable[[Array], float], wanted: float
) -> _Choice:
    """The first of the parameters that reaches the agreement."""
    if params is not None:
        chosen = preset(params) if isinstance(params, str) else params
        if not isinstance(chosen, Parameters) or not is_ckks(chosen):
            raise refusal("params", repr(params), "parameters of CKKS, or the name of a preset")
        plan = circuit.plan(chosen)
        reached = share(errors(plan))
        if reached < wanted:
            raise refusal("params", repr(params), f"an agreement of {wanted}: a simulation with them has {reached:.4f}")
        return _Choice(circuit, chosen, plan, None)
    reasons: dict[str, str] = {}
    known = [(preset(name), name) for name in preset_names()]
    for made, name in sorted(known, key=lambda found: (found[0].log_n, found[0].depth)):
        if not is_ckks(made) or not made.security or made.can_bootstrap or "share" in name:
            continue
        try:
            plan = circuit.plan(made)
        except RingjetError as error:
            reasons[name] = str(error)
            continue
        reached = share(errors(plan))
        reasons[name] = f"agreement {reached:.4f}"
        if reached >= wanted:
            return _Choice(circuit, made, plan, reasons)
    raise refusal("params", None, f"a model that a preset computes with an agreement of {wanted}: {reasons}")


def errors(plan: Plan) -> Array:
    """The sizes of the errors of the results of a plan, in order."""
    return np.array([2.0**-output.precision_bits for output in plan.outputs])
