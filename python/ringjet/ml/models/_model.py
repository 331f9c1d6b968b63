"""Compiles fitted models, so that a server computes them on encrypted samples."""

from __future__ import annotations

from collections.abc import Sequence
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
from ._files import Sides, store
from ._layers import Activation, Affine, Array, Head, Layer, folded, forward
from ._parties import Client, Server
from ._sklearn import read
from ._steps import Polynomial, Step, described, encrypted, fitted

#: Degrees of polynomials that are tried, each the largest of its number of levels.
_DEGREES = (3, 7, 15, 31, 63, 127)

#: The range of a feature that a client may send is so many times as wide as that of calibration.
_REACH = 4

#: A value of a regression agrees if it is within this part of the range of all values.
_RELATIVE = 1e-3


@dataclass(frozen=True)
class Trial:
    """What a compiled model gives for samples in the clear, computed as on ciphertexts."""

    #: The classes or values.
    predictions: Array
    #: The share of samples with the class of the original model, or a value within a thousandth of the range.
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
        self, layers: Sequence[Layer], steps: Sequence[Step], sides: Sides, choice: dict[str, str] | None = None
    ) -> None:
        self._layers, self._steps, self._sides = list(layers), list(steps), sides
        #: Why the parameters were chosen, where `compile` was given none.
        self.choice = choice
        self._plan = _plan(sides.params, self._steps, sides.features)

    @property
    def params(self) -> Parameters:
        """The parameters."""
        return self._sides.params

    @property
    def plan(self) -> Plan:
        """The plan for as many samples as a ciphertext has slots: levels, errors, keys."""
        return self._plan

    def predict(self, X: npt.ArrayLike, mode: Literal["clear", "simulate", "execute"] = "execute") -> Array:
        """The classes or values of samples, one row each. mode: "execute" encrypts, computes and decrypts in this
        process; "simulate" computes on numbers in the clear, with polynomials and noise as on ciphertexts;
        "clear" computes the original model."""
        x = self._sides.samples(X)
        if mode == "clear":
            return self._sides.head(forward(self._layers, x)[-1])
        if mode == "simulate":
            return self.simulate(x).predictions
        if mode != "execute":
            raise refusal("mode", repr(mode), '"clear", "simulate" or "execute"')
        client = self.client()
        return client.decrypt(self.server(client.keys()).predict(client.encrypt(x)))

    def simulate(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None, *, seed: int | None = None) -> Trial:
        """Computes the model on samples in the clear, with polynomials and noise as on ciphertexts, and compares
        with the original model, and with the classes or values y. seed: of the noise."""
        x = self._sides.samples(X)
        trial = simulate_matrices(
            lambda x: encrypted(self._steps, x),
            self._sides.normal(x),
            params=self.params,
            layout="columns",
            noise=True,
            seed=seed,
        )
        scores, wanted = np.asarray(trial.values), forward(self._layers, x)[-1]
        head = self._sides.head
        found, right = head(scores), None if y is None else np.asarray(y)
        accuracy = None if right is None else _accuracy(head, found, right)
        outside = _outside(self._layers, self._steps, x)
        warnings = tuple(str(warning) for warning in trial.warnings)
        return Trial(found, agreement_of(head, found, head(wanted)), accuracy, outside, warnings)

    def client(self, seed: int | bytes | None = None) -> Client:
        """A client with a fresh secret key. seed: as for `ringjet.Client`."""
        return Client(self._sides, seed)

    def server(self, keys: bytes, *, threads: int | None = None) -> Server:
        """A server with the bytes of a client's keys."""
        return Server(self._sides, self._steps, keys, threads=threads)

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes model.json, weights.npz and client.json into a folder, which is made. A client needs the last one
        alone. Nothing is pickled."""
        store(folder, self._sides, self._steps)

    def estimate(self) -> float:
        """The seconds that a server takes for as many samples as a ciphertext has slots, on the first device of
        `ringjet.devices()`, by the cost model."""
        made = _plan(self.params, self._steps, self._sides.features, devices()[0]).estimate
        assert made is not None, "a plan for a device has an estimate"
        return made.seconds

    def __str__(self) -> str:
        rows = [["layer", "", "interval"], *described(self._steps)]
        sent = f"{self._sides.features} ciphertexts for up to {self.params.slots} samples"
        time = f"{duration(self.estimate())} on {devices()[0]}"
        return f"{aligned(rows)}\n{self.params!r}\n{sent}; {time}\nkeys: {self._plan.keys}"


def compile(
    model: Any,
    calibration: npt.ArrayLike,
    *,
    params: Parameters | str | None = None,
    agreement: float = 0.99,
    margin: float = 1.5,
) -> Model:
    """A fitted model of scikit-learn, for a server that computes it on encrypted samples.

    model: linear models for classes and values, GaussianNB, KMeans, NearestCentroid, KNeighbors, MLPs; or a
    Pipeline of scalers, PCA and one of them.
    calibration: samples such as those that will come, one a row. Every second one gives the ranges of features
    and the intervals of activations, the others choose the degree of the polynomials.
    params: by default the smallest preset of CKKS without bootstrapping that has enough levels and precision.
    agreement: the least share of calibration samples with the same class as the model's, or with a value within
    a thousandth of the range of all values.
    margin: intervals of activations are so many times as wide as the calibration samples need. Inputs outside
    cannot be noticed on ciphertexts, and give wrong scores: `Model.simulate` counts them. A feature outside four
    times the range of calibration is refused when it is encrypted.
    """
    layers, head = read(model)
    layers = folded(layers)
    x = np.asarray(calibration, float)
    features = int(getattr(model, "n_features_in_", x.shape[1] if x.ndim == 2 else 0))
    if x.ndim != 2 or len(x) < 2 or x.shape[1] != features or not np.all(np.isfinite(x)):
        raise refusal("calibration", f"an array of shape {x.shape}", f"two or more rows of {features} finite numbers")
    if agreement_of(head, head(forward(layers, x)[-1]), np.asarray(model.predict(calibration))) < 0.999:
        raise refusal("model", type(model).__name__, "a model whose predictions are those of its attributes")
    if not margin >= 1:
        raise refusal("margin", margin, "at least 1")
    low, high = x.min(axis=0), x.max(axis=0)
    centre, half = (low + high) / 2, np.maximum(_REACH * (high - low) / 2, 1e-9 + 1e-6 * np.abs(low))
    steps, reached = _steps(layers, head, x, agreement, margin)
    if reached < agreement:
        raise refusal(
            "agreement", agreement, f"at most {reached:.4f}, which polynomials of degree {_DEGREES[-1]} reach"
        )
    # what a client sends lies between -1 and 1
    steps = folded([Affine(np.diag(half), centre), *steps])
    spread = float(np.ptp(forward(layers, x)[-1], axis=0).max())
    chosen, choice = _parameters(params, steps, features, _RELATIVE / 4 * max(spread, 1e-300))
    sides = Sides(chosen, head, centre, half, dict(_plan(chosen, steps, features).keys))
    return Model(layers, steps, sides, choice)


def _steps(layers: Sequence[Layer], head: Head, x: Array, wanted: float, margin: float) -> tuple[list[Step], float]:
    """The steps with the least degree that reaches the agreement, or the largest one, and their agreement."""
    for degree in _DEGREES:
        steps = fitted(layers, x[::2], margin, degree)
        scores = x[1::2]
        for step in steps:
            scores = step(scores)
        reached = agreement_of(head, head(scores), head(forward(list(layers), x[1::2])[-1]))
        if reached >= wanted or not any(isinstance(step, Polynomial) for step in steps):
            break
    return steps, reached


def agreement_of(head: Head, found: Array, known: Array) -> float:
    """The share of samples whose class is the same, or whose value differs by at most a thousandth of the range of
    all values."""
    if head.kind == "value" or (head.kind == "nearest" and head.classes is None):
        near = np.abs(found - known) <= _RELATIVE * max(float(np.ptp(known)), 1e-300)
        return float(np.mean(near))
    return float(np.mean(found == known))


def _accuracy(head: Head, found: Array, right: Array) -> float:
    if head.classes is not None:
        return float(np.mean(found == right))
    return float(1 - np.sum((found - right) ** 2) / np.sum((right - right.mean(axis=0)) ** 2))


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


def _parameters(
    params: Parameters | str | None, steps: Sequence[Step], features: int, deviation: float
) -> tuple[Parameters, dict[str, str] | None]:
    """The parameters, and the reasons for or against each preset. deviation: the largest standard deviation of the
    scores' errors."""
    if params is not None:
        return (preset(params) if isinstance(params, str) else params), None
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
        bits = min(output.precision_bits for output in plan.outputs)
        reasons[name] = f"errors of about {2**-bits:.1g}, {deviation:.1g} would do"
        if 2**-bits <= deviation:
            return made, reasons
    raise refusal("params", None, f"parameters with more levels or precision than the presets have: {reasons}")
