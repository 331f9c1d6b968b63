"""Compiles fitted models, so that a server computes them on encrypted samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ..._ringjet import Parameters, devices, preset, preset_names
from ..._scheme import is_ckks
from ..._text import aligned, duration
from ...errors import RingjetError
from ...program import Plan
from ...vectors.matrices import plan_matrices, simulate_matrices
from ._files import store
from ._interface import Interface, expect_columns, fingerprint, numbers
from ._layers import Activation, Affine, Array, Head, Layer, centred, folded, forward
from ._parties import Client, Server
from ._sklearn import read
from ._steps import Polynomial, Step, described, encrypted, fitted

#: Degrees of polynomials that are tried, each the largest of its number of levels.
_DEGREES = (3, 7, 15, 31, 63, 127)

#: Width of the accepted range of a feature, in multiples of its range in calibration.
_REACH = 4

#: Tolerance of a value, as a fraction of the range of all values.
_TOLERANCE = 1e-3

#: The largest number of samples on which the ciphertexts are simulated, to choose parameters.
_TRIALS = 256


@dataclass(frozen=True)
class Trial:
    """What a compiled model gives for samples in the clear, computed as on ciphertexts."""

    #: The classes or values.
    predictions: Array
    #: The share of samples with the class of the original model, or a value within a thousandth of the range that
    #: values have in calibration.
    agreement: float
    #: The share of samples with the right class, or the coefficient of determination of values; None without y.
    accuracy: float | None
    #: The share of activations whose input lies outside the interval of their polynomial.
    outside: float
    #: The problems that a simulation of the ciphertexts found.
    warnings: tuple[str, ...]


class Model:
    """A model that a server computes on encrypted samples; `ringjet.ml.compile` makes it.

    Each feature of up to `params.slots` samples is a ciphertext of its own. Affine layers are products with a
    matrix in the clear, which take no keys; activations are polynomials. `print` shows the layers.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        steps: Sequence[Step],
        interface: Interface,
        plan: Plan,
        choice: dict[str, str] | None = None,
    ) -> None:
        self._layers, self._steps, self._interface = list(layers), list(steps), interface
        self._plan = plan
        #: Why the parameters were chosen, where `compile` was given none.
        self.choice = choice

    @property
    def params(self) -> Parameters:
        """The parameters."""
        return self._interface.params

    @property
    def plan(self) -> Plan:
        """The plan for as many samples as a ciphertext has slots: levels, errors, keys."""
        return self._plan

    def predict(self, X: Any, mode: Literal["clear", "simulate", "execute"] = "execute") -> Array:
        """The classes or values of samples, one row each. mode: "execute" encrypts, computes and decrypts in this
        process; "simulate" computes on numbers in the clear, with polynomials and noise as on ciphertexts;
        "clear" computes the original model."""
        x = self._interface.samples(X)
        if mode == "clear":
            return self._interface.head(forward(self._layers, x)[-1])
        if mode == "simulate":
            return self.simulate(x).predictions
        if mode != "execute":
            raise refusal("mode", repr(mode), '"clear", "simulate" or "execute"')
        client = self.client()
        return client.decrypt(self.server(client.keys()).predict(client.encrypt(x)))

    def simulate(self, X: Any, y: npt.ArrayLike | None = None, *, seed: int | None = None) -> Trial:
        """Computes the model on samples in the clear, with polynomials and noise as on ciphertexts, and compares
        with the original model, and with the classes or values y. seed: of the noise."""
        interface = self._interface
        x, right = interface.samples(X), None if y is None else np.asarray(y)
        returned, problems = _simulated(interface.params, self._steps, interface.normal(x), seed)
        scores = interface.scores(returned)
        wanted, head = forward(self._layers, x)[-1], interface.head
        found = head(scores)
        if right is not None:
            right = right.ravel() if right.size == len(right) and found.ndim == 1 else right
            if right.shape != found.shape:
                raise refusal("y", f"an array of shape {right.shape}", f"the shape {found.shape} of predictions")
        accuracy = None if right is None else _accuracy(head, found, right)
        share = _agreement(head, found, head(wanted), interface.high - interface.low)
        return Trial(found, share, accuracy, _outside(self._layers, self._steps, x), problems)

    def client(self, seed: int | bytes | None = None) -> Client:
        """A client with a fresh secret key. seed: as for `ringjet.Client`."""
        return Client(self._interface, seed)

    def server(self, keys: bytes, *, threads: int | None = None) -> Server:
        """A server with the bytes of a client's keys."""
        return Server(self._interface, self._steps, keys, threads=threads)

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes model.json, weights.npz and client.json into a folder, which is made. A client needs the last one
        alone. Nothing is pickled."""
        store(folder, self._interface, self._steps)

    def estimate(self) -> float:
        """The seconds that a server takes for as many samples as a ciphertext has slots, on the first device of
        `ringjet.devices()`, by the cost model."""
        made = _plan(self.params, self._steps, self._interface.features, devices()[0]).estimate
        assert made is not None, "a plan for a device has an estimate"
        return made.seconds

    def __str__(self) -> str:
        rows = [["layer", "", "interval"], *described(self._steps)]
        sent = f"{self._interface.features} ciphertexts for up to {self.params.slots} samples"
        time = f"{duration(self.estimate())} on {devices()[0]}"
        return f"{aligned(rows)}\n{self.params!r}\n{sent}; {time}\nkeys: {self._plan.keys}"


def compile(
    model: Any,
    calibration: Any,
    *,
    params: Parameters | str | None = None,
    agreement: float = 0.99,
    margin: float = 1.5,
) -> Model:
    """A fitted model of scikit-learn, for a server that computes it on encrypted samples.

    model: a linear model for classes or values, a kernel machine, GaussianNB, KMeans, NearestCentroid, nearest
    neighbours, or an MLP; or a Pipeline of scalers, PCA or TruncatedSVD and one of them. Its `predict` is compared
    with what was read of it, on the calibration samples and on random ones of the accepted range.
    calibration: samples such as those that will come, one a row. They give the ranges of features; every second
    one gives the intervals of activations, and the others choose degrees and parameters.
    params: by default the smallest preset of CKKS without bootstrapping with which a simulation reaches
    `agreement`.
    agreement: the least share of calibration samples with the same class as the model's, or with all values
    within a thousandth of their ranges.
    margin: intervals of activations are so many times as wide as the calibration samples need. Inputs outside
    cannot be noticed on ciphertexts, and give wrong scores: `Model.simulate` counts them, and a client warns of
    scores far outside those of calibration. A feature outside four times its range in calibration is refused when
    it is encrypted.
    """
    agreement, margin = _number("agreement", agreement, 0, 1), _number("margin", margin, 1, np.inf)
    names = [str(name) for name in getattr(model, "feature_names_in_", [])] or None
    layers, head = read(model)
    layers = folded(centred(layers, head))
    expect_columns(calibration, names)
    x = numbers("calibration", calibration)
    features = int(getattr(model, "n_features_in_", x.shape[1] if x.ndim == 2 else 0))
    if x.ndim != 2 or x.shape[1] != features or len(np.unique(x, axis=0)) < 2:
        raise refusal(
            "calibration", f"an array of shape {x.shape}", f"two or more different rows of {features} numbers"
        )
    low, high = x.min(axis=0), x.max(axis=0)
    centre = (low + high) / 2
    # a feature that is constant in calibration may become twice as large, or reach 1
    half = np.where(high > low, _REACH * (high - low) / 2, np.maximum(np.abs(centre), 1.0))
    scores = forward(layers, x)[-1]
    _expect_same(model, head, layers, x, centre, half)
    spread = np.ptp(scores, axis=0)
    steps, reached = _steps(layers, head, x, agreement, margin, spread)
    if reached < agreement:
        raise refusal(
            "agreement", agreement, f"at most {reached:.4f}, which polynomials of degree {_DEGREES[-1]} reach"
        )
    # what a client sends lies between -1 and 1, and so does about what a server returns
    shift, unit = _scale(head, scores)
    steps = folded([Affine(np.diag(half), centre), *steps, Affine(np.diag(1 / unit), -shift / unit)])
    tests = x[1::2][:_TRIALS]
    wanted = head(forward(layers, tests)[-1])

    def share(chosen: Parameters) -> float:
        found, _ = _simulated(chosen, steps, (tests - centre) / half, 0)
        return _agreement(head, head(found * unit + shift), wanted, spread)

    plan, chosen, choice = _parameters(params, steps, features, share, agreement)
    has_activations = any(isinstance(step, Polynomial) for step in steps)
    name = fingerprint(chosen, steps, [centre, half, shift, unit])
    ends = scores.min(axis=0), scores.max(axis=0)
    interface = Interface(chosen, head, centre, half, names, shift, unit, *ends, has_activations, dict(plan.keys), name)
    return Model(layers, steps, interface, plan, choice)


def _scale(head: Head, scores: Array) -> tuple[Array, Array]:
    """What is subtracted from each score, and what it is divided by then: where scores are compared with each other,
    the same for all."""
    low, high = scores.min(axis=0), scores.max(axis=0)
    if head.kind == "value":
        return (low + high) / 2, np.where(high > low, (high - low) / 2, np.maximum(np.abs(high), 1e-300))
    size = np.maximum(np.abs(low), np.abs(high))
    size = size if head.kind in ("sign", "pairs") else np.full(size.shape, size.max())
    return np.zeros(size.shape), np.where(size > 0, size, 1.0)


def _number(name: str, value: Any, low: float, high: float) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)) or not low <= value <= high:
        raise refusal(
            name, repr(value), f"a number of at least {low}" + (f", and at most {high}" if high < np.inf else "")
        )
    return float(value)


def _expect_same(model: Any, head: Head, layers: Sequence[Layer], x: Array, centre: Array, half: Array) -> None:
    """Refuses a model whose `predict` is not what its layers give: on the samples, and on random ones of the
    accepted range."""
    draws = np.random.default_rng(0).uniform(-1, 1, (256, len(centre)))
    for rows in (x[:1024], centre + half * draws):
        scores = forward(list(layers), rows)[-1]
        found, known = head(scores), np.asarray(_predict(model, rows))
        if known.shape != found.shape and known.size == found.size:
            known = known.reshape(found.shape)
        if known.shape != found.shape:
            raise refusal("model", type(model).__name__, f"predictions of shape {found.shape}, not {known.shape}")
        sure = ~_tied(head, scores)
        size = np.maximum(np.abs(known), np.ptp(known, axis=0)) if head.is_value else 0
        same = np.abs(found - known) <= 1e-6 * size if head.is_value else found == known
        wrong = np.flatnonzero(~(same if same.ndim == 1 else same.all(axis=1)) & sure)
        if len(wrong) > 0.005 * len(rows):
            k = wrong[0]
            expected = f"a model whose predictions follow from its attributes: {found[k]}, but it predicts {known[k]}"
            raise refusal("model", type(model).__name__, expected)


def _predict(model: Any, rows: Array) -> Any:
    """The predictions of a model, which may have been fitted to a frame with the columns in this order."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*feature names.*")
        return model.predict(rows)


def _tied(head: Head, scores: Array) -> Array:
    """Which samples have neighbours at nearly the same distance, some of which count and some do not."""
    if head.kind != "nearest" or head.neighbours >= scores.shape[1]:
        return np.zeros(len(scores), bool)
    ordered = -np.sort(-scores, axis=1)
    gap = ordered[:, head.neighbours - 1] - ordered[:, head.neighbours]
    return np.asarray(gap <= 1e-9 * np.abs(scores).max(axis=1))


def _steps(
    layers: Sequence[Layer], head: Head, x: Array, wanted: float, margin: float, spread: Array
) -> tuple[list[Step], float]:
    """The steps with the least degree that reaches the agreement, or the largest one, and their agreement."""
    for degree in _DEGREES:
        steps = fitted(layers, x[::2], margin, degree)
        scores = x[1::2]
        for step in steps:
            scores = step(scores)
        reached = _agreement(head, head(scores), head(forward(list(layers), x[1::2])[-1]), spread)
        if reached >= wanted or not any(isinstance(step, Polynomial) for step in steps):
            break
    return steps, reached


def _agreement(head: Head, found: Array, known: Array, spread: Array) -> float:
    """The share of samples whose class is the same, or whose values all differ by at most a thousandth of their
    ranges. spread: the ranges of scores in calibration."""
    if not head.is_value:
        return float(np.mean(found == known))
    ranges = np.ptp(np.asarray(head.labels, float), axis=0) if head.kind == "nearest" else spread
    ranges = np.where(ranges > 0, ranges, np.maximum(np.abs(known).max(), 1e-300))
    near = np.abs(found - known).reshape(len(found), -1) <= _TOLERANCE * ranges
    return float(np.mean(near.all(axis=1)))


def _accuracy(head: Head, found: Array, right: Array) -> float:
    if not head.is_value:
        return float(np.mean(found == right))
    return float(1 - np.sum((found - right) ** 2) / max(float(np.sum((right - right.mean(axis=0)) ** 2)), 1e-300))


def _outside(layers: Sequence[Layer], steps: Sequence[Step], x: Array) -> float:
    values = forward(list(layers), x)
    polynomials = [step for step in steps if isinstance(step, Polynomial)]
    inputs = [value for layer, value in zip(layers, values, strict=False) if isinstance(layer, Activation)]
    counts = [step.outside(value) for step, value in zip(polynomials, inputs, strict=True)]
    total = sum(count.size for count in counts)
    return sum(int(count.sum()) for count in counts) / total if total else 0.0


def _plan(params: Parameters, steps: Sequence[Step], features: int, device: str | None = None) -> Plan:
    shape = (params.slots, features)
    return plan_matrices(lambda x: encrypted(steps, x), params, [shape], layout="columns", device=device)


def _simulated(
    params: Parameters, steps: Sequence[Step], normal: Array, seed: int | None
) -> tuple[Array, tuple[str, ...]]:
    """The scores of samples as they are sent, with the noise of ciphertexts, and warnings."""
    trial = simulate_matrices(
        lambda x: encrypted(steps, x), normal, params=params, layout="columns", noise=True, seed=seed
    )
    return np.asarray(trial.values), tuple(str(warning) for warning in trial.warnings)


def _parameters(
    params: Parameters | str | None,
    steps: Sequence[Step],
    features: int,
    share: Callable[[Parameters], float],
    wanted: float,
) -> tuple[Plan, Parameters, dict[str, str] | None]:
    """The first of the parameters with which the simulation reaches the agreement, their plan, and the reasons for
    or against each preset. share: the agreement with parameters."""
    if params is not None:
        chosen = preset(params) if isinstance(params, str) else params
        if not isinstance(chosen, Parameters) or not is_ckks(chosen):
            raise refusal("params", repr(params), "parameters of CKKS, or the name of a preset")
        plan, reached = _plan(chosen, steps, features), share(chosen)
        if reached < wanted:
            raise refusal("params", repr(params), f"an agreement of {wanted}: a simulation with them has {reached:.4f}")
        return plan, chosen, None
    reasons: dict[str, str] = {}
    known = [(preset(name), name) for name in preset_names()]
    for made, name in sorted(known, key=lambda found: (found[0].log_n, found[0].depth)):
        if not is_ckks(made) or not made.security or made.can_bootstrap or "share" in name:
            continue
        try:
            plan = _plan(made, steps, features)
        except RingjetError as error:
            reasons[name] = str(error)
            continue
        reached = share(made)
        reasons[name] = f"agreement {reached:.4f}"
        if reached >= wanted:
            return plan, made, reasons
    raise refusal("params", None, f"a model that a preset computes with an agreement of {wanted}: {reasons}")
