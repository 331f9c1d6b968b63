"""The results of a training run, for the terminal and for the report."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .._ringjet import Parameters
from .._text import size
from ..ml import TrainingPlan, check
from ..ml.layout import SETTINGS
from . import data
from .report import Curve, Report

Vector = npt.NDArray[np.float64]

#: Results that only the owner of the key may see.
FOR_THE_OWNER = (
    "Weights, losses and all other figures of encrypted training come from exact decryptions. They are for the owner of the key: "
    "the last bits of a decryption can tell others about the key. Coefficients to publish are made by "
    "LogisticRegression(share=True), which hides these bits."
)

#: A table: the header, then rows.
Rows = list[Sequence[str]]

_MEASURES = [("accuracy", data.accuracy, ".2%"), ("AUC", data.auc, ".4f"), ("loss", data.loss, ".4f")]


@dataclass
class Summary:
    """The results of a training run."""

    name: str
    params: Parameters
    plan: TrainingPlan
    #: The training samples as rows of the plan.
    rows: Vector
    #: Samples and labels, by the name of the part.
    parts: dict[str, tuple[Vector, Vector]]
    #: Weights after every iteration, trained on ciphertexts and in the clear.
    history: list[Vector]
    clear: list[Vector]
    #: Levels and times of the iterations, as in a checkpoint.
    iterations: list[dict[str, float]]
    phases: list[tuple[str, float]]
    #: Sizes of sent and stored data in bytes, with their names.
    sizes: list[tuple[str, int]]
    facts: list[tuple[str, str]]

    @cached_property
    def weights(self) -> dict[str, Vector]:
        """The weights for each column of the table of results."""
        best = data.converged(*self.parts["training"], self.plan.l2)
        return {"encrypted": self.history[-1], "in the clear": self.clear[-1], "in the clear, converged": best}

    @cached_property
    def measures(self) -> dict[str, dict[str, float]]:
        """The measures, by measure and part, then by column."""
        return {
            f"{name}, {part}": {column: measure(x, y, w) for column, w in self.weights.items()}
            for name, measure, _ in _MEASURES
            for part, (x, y) in self.parts.items()
        }

    @property
    def difference(self) -> float:
        return float(np.max(np.abs(self.history[-1] - self.clear[-1])))

    def results(self) -> Rows:
        forms = {name: form for name, _, form in _MEASURES}
        rows: Rows = [("", *self.weights)]
        for what, values in self.measures.items():
            rows.append((what, *(format(v, forms[what.split(",")[0]]) for v in values.values())))
        return rows

    def all_facts(self) -> Rows:
        bootstraps = self._seconds("bootstrap")
        labels = self.parts["held out"][1]
        commoner = max(np.mean(labels > 0), np.mean(labels < 0))
        return [
            ("accuracy, held out, of naming the commoner class always", f"{commoner:.2%}"),
            ("largest weight difference to training in the clear", f"{self.difference:.1e}"),
            ("median time of an iteration, without bootstrapping", f"{np.median(self._seconds('seconds')):.2f} s"),
            ("median time of a bootstrap", f"{np.median(bootstraps):.2f} s" if bootstraps else "none was needed"),
            *((what, size(n)) for what, n in self.sizes),
            *self.facts,
        ]

    def _seconds(self, what: str) -> list[float]:
        """Seconds of every bootstrap, or of every iteration except the first, which is shorter."""
        if what == "bootstrap":
            return [self.iterations[t][what] for t in self.plan.bootstraps]
        return [i[what] for i in self.iterations[1:] or self.iterations]

    def record(self) -> dict[str, Any]:
        """The results for programs. `shared` is false, since the weights are exact decryptions for
        the owner of the key."""
        plan = self.plan
        return {
            "data": self.name,
            "parameters": str(self.params),
            "shared": False,
            "assumptions_left": self.left,
            "training_samples": plan.samples,
            "held_out_samples": len(self.parts["held out"][0]),
            "features": plan.features,
            "settings": {name: getattr(plan, name) for name in SETTINGS},
            "measures": self.measures,
            "weight_difference": self.difference,
            "iteration_seconds": self._seconds("seconds"),
            "bootstrap_seconds": self._seconds("bootstrap"),
            "phases": dict(self.phases),
            "sizes": dict(self.sizes),
            **dict(self.facts),
        }

    @cached_property
    def left(self) -> str:
        """A description of values that left the bounds which training assumes; empty if none
        did."""
        return check(self.plan, self.rows, self.history)

    @property
    def warning(self) -> str:
        """A warning, or an empty text."""
        insecure = "These parameters are not secure." if self.params.allow_insecure else ""
        return " ".join(filter(None, [insecure, self.left and f"Training may have diverged: {self.left}."]))

    def text(self) -> str:
        """Results and facts, for a terminal."""
        lines = [f"  {row[0]:<22}" + "".join(f"{cell:>26}" for cell in row[1:]) for row in self.results()]
        note = textwrap.wrap(FOR_THE_OWNER, 110, initial_indent="  ", subsequent_indent="  ")
        warning = ["", f"  warning: {self.warning}"] if self.warning else []
        return "\n".join(
            [*lines, "", *(f"  {what:<52} {value}" for what, value in self.all_facts()), "", *note, *warning]
        )

    def _table(self) -> Rows:
        rows: Rows = [("iteration", "level before", "level after", "bootstrap", "time")]
        for t, i in enumerate(self.iterations):
            fresh = f"{i['bootstrap']:.2f} s" if t in self.plan.bootstraps else ""
            rows.append((str(t + 1), f"{i['level']:.0f}", f"{i['left']:.0f}", fresh, f"{i['seconds']:.2f} s"))
        return rows

    def report(self) -> Report:
        """The results as an HTML report."""
        plan, best = self.plan, self.weights["in the clear, converged"]
        held_out = len(self.parts["held out"][0])
        made = Report(
            f"Logistic regression trained on encrypted data: {self.name}",
            f"{plan.samples} training and {held_out} test samples, {plan.features} features. {self.params}",
            self.warning,
            FOR_THE_OWNER,
        )
        for name, part, measure in [("loss", "training", data.loss), ("accuracy", "held out", data.accuracy)]:
            x, y = self.parts[part]
            encrypted, clear = ([measure(x, y, w) for w in history] for history in (self.history, self.clear))
            made.curves.append(Curve(f"{name}, {part}", encrypted, clear, measure(x, y, best)))
        options = (*SETTINGS, "rows", "chunk", "chunks")
        made.tables = [
            ("Results", self.results()),
            ("Facts", [("", ""), *self.all_facts()]),
            ("Settings", [("", ""), *((name, str(getattr(plan, name))) for name in options)]),
            ("Phases of this call", [("", "time"), *((what, f"{s:.1f} s") for what, s in self.phases)]),
            ("Iterations", self._table()),
        ]
        return made
