"""Models that a server computes on encrypted samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..._checks import refusal
from ..._ringjet import Parameters
from ..._text import aligned, duration, size
from ...program import Plan
from ...program._estimate import HERE, REFERENCE
from ._computation import Computation
from ._files import store
from ._interface import Circuit, Interface
from ._layers import Array
from ._parties import Client, Server
from ._profile import Profile, estimated, measured
from ._report import written
from ._scores import accuracy, agreement


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
    #: The share of activations whose input lies outside the interval of their polynomial; for trees the share of
    #: samples with a feature inside the gap of a comparison.
    outside: float
    #: The problems that a simulation of the ciphertexts found.
    warnings: tuple[str, ...]


class Model:
    """A model that a server computes on encrypted samples; `ringjet.ml.compile` makes it.

    Each feature of up to `params.slots` samples is a ciphertext of its own, and no layer moves elements between slots;
    or samples lie side by side in a ciphertext, and layers rotate it. Activations are polynomials, in deep networks also
    comparisons with 0, and such networks bootstrap. Trees take
    conditions on features instead, side by side for several samples. `print` shows the layers.
    """

    def __init__(
        self,
        clear: Callable[[Array], Array],
        circuit: Circuit,
        interface: Interface,
        plan: Plan,
        choice: dict[str, str] | None = None,
    ) -> None:
        self._clear, self._circuit, self._interface, self._plan = clear, circuit, interface, plan
        #: Why the parameters were chosen, where `compile` was given none.
        self.choice = choice

    @property
    def params(self) -> Parameters:
        """The parameters."""
        return self._interface.params

    @property
    def layout(self) -> str:
        """How samples lie in ciphertexts: "columns", a ciphertext for each feature of all samples, "slots", samples
        side by side in a ciphertext, or "trees", the conditions or features that trees compare, side by side."""
        return self._circuit.kind

    @property
    def plan(self) -> Plan:
        """The plan for the samples that are computed at once: levels, errors, keys."""
        return self._plan

    def predict(self, X: Any, mode: Literal["clear", "simulate", "execute"] = "execute") -> Array:
        """The classes or values of samples, one row each. mode: "execute" encrypts, computes and decrypts in this
        process; "simulate" computes on numbers in the clear, with polynomials and noise as on ciphertexts;
        "clear" computes the original model."""
        return self._interface.head(self.scores(X, mode))

    def scores(self, X: Any, mode: Literal["clear", "simulate", "execute"] = "execute") -> Array:
        """The scores of samples, one row each, such as the logits of a network. mode: as for `predict`."""
        x = self._interface.samples(X)
        if mode == "clear":
            return self._clear(x)
        if mode == "simulate":
            return self._simulated(x, None)[0]
        if mode != "execute":
            raise refusal("mode", repr(mode), '"clear", "simulate" or "execute"')
        client = self.client()
        return client.scores(self.server(client.keys()).predict(client.encrypt(x)))

    def _simulated(self, x: Array, seed: int | None) -> tuple[Array, tuple[str, ...]]:
        """The scores of checked samples as on ciphertexts, and warnings."""
        interface = self._interface
        returned, problems = self._circuit.simulate(interface.params, interface.packing.normal(x), seed)
        return interface.scores(returned), problems

    def simulate(self, X: Any, y: npt.ArrayLike | None = None, *, seed: int | None = None) -> Trial:
        """Computes the model on samples in the clear, with polynomials and noise as on ciphertexts, and compares
        with the original model, and with the classes or values y. seed: of the noise."""
        interface = self._interface
        x, right = interface.samples(X), None if y is None else np.asarray(y)
        if seed is not None and (not isinstance(seed, (int, np.integer)) or seed < 0):
            raise refusal("seed", repr(seed), "a whole number of at least 0, or None")
        head = interface.head
        scores, problems = self._simulated(x, seed)
        found, wanted = head(scores), head(self._clear(x))
        if right is not None:
            right = right.ravel() if right.size == len(found) and found.ndim == 1 else right
            if head.is_value and right.dtype.kind not in "biuf":
                raise refusal("y", f"an array of {right.dtype}", "an array of numbers")
            if right.shape != found.shape:
                raise refusal("y", f"an array of shape {right.shape}", f"the shape {found.shape} of predictions")
        right_share = None if right is None else accuracy(head, found, right)
        share = agreement(head, found, wanted, interface.high - interface.low)
        return Trial(found, share, right_share, self._circuit.outside(interface.packing.normal(x)), problems)

    def client(self, seed: int | bytes | None = None) -> Client:
        """A client with a fresh secret key. seed: as for `ringjet.Client`."""
        return Client(self._interface, seed)

    def server(self, keys: bytes, *, threads: int | None = None) -> Server:
        """A server with the bytes of a client's keys."""
        return Server(self._interface, self._circuit, keys, threads=threads)

    @property
    def computation(self) -> Computation:
        """What a server computes, as a function of a `ringjet.Server` and of encrypted samples."""
        return Computation(self._interface, self._circuit)

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes model.json, weights.npz and client.json into a folder, which is made. A client needs the last one
        alone. Nothing is pickled."""
        store(folder, self._interface, self._circuit)

    def estimate(self, device: str | PathLike[str] = HERE) -> float:
        """The seconds that a server takes for the samples of a plan, by the cost model: on this machine, or on another
        device of `ringjet.devices()`."""
        made = self._circuit.plan(self.params, device).estimate
        assert made is not None, "a plan for a device has an estimate"
        return made.seconds

    def report(self, path: str | PathLike[str], X: Any, y: npt.ArrayLike | None = None) -> Trial:
        """Writes an HTML page for samples X: the layers with their times, where time goes by the cost model, the inputs
        of activations against their intervals, and what `simulate` gives, which is returned. The page needs no other
        file."""
        trial = self.simulate(X, y)
        normal = self._interface.packing.normal(self._interface.samples(X))
        written(Path(path), self._interface, self._circuit, trial, normal, self.choice)
        return trial

    def profile(self, X: Any) -> Profile:
        """Encrypts samples, computes the model layer by layer in this process, and measures each layer. `print` shows
        the times beside those of the cost model. At most as many samples are taken as a plan is for. Layers are
        measured in the second of two runs: the first one makes what is kept."""
        normal = self._interface.packing.normal(self._interface.samples(X))
        return measured(self._circuit, self.params, normal, HERE)

    def __str__(self) -> str:
        estimate = self._circuit.plan(self.params, REFERENCE).estimate
        assert estimate is not None, "a plan for a device has an estimate"
        rows = [["layer", "", "interval"], *self._circuit.described()]
        layers = estimated(self._circuit, self.params, REFERENCE) or []
        heads = ["level", "rotations", "bootstraps", "time"]
        found = [[str(x.level), str(x.rotations), str(x.bootstraps), duration(x.estimate)] for x in layers]
        if found:
            rows = [[*row, *cells] for row, cells in zip(rows, [heads, *found], strict=True)]
        together = self._circuit.together(self.params)
        samples = "a sample" if together == 1 else f"up to {together} samples"
        lines = [
            aligned(rows),
            repr(self.params),
            f"sent: {self._interface.packing.described()}",
            f"{duration(estimate.seconds)} for {samples} on {REFERENCE}, {size(estimate.peak_bytes)} of memory",
            f"{estimate.keys.count} keys of {size(estimate.keys.at_rest)}",
        ]
        return "\n".join(lines)
