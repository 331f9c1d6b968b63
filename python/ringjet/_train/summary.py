"""What a training run came to: on the terminal, and for the report."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import Parameters
from .._text import size
from ..ml import TrainingPlan, check
from ..ml.layout import SETTINGS
from . import data
from .report import Curve, Report

Vector = npt.NDArray[np.float64]

#: What others must not get.
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
    """Everything there is to say."""

    name: str
    params: Parameters
    plan: TrainingPlan
    #: What was trained on, as the plan packs it.
    rows: Vector
    #: By name: samples and labels.
    parts: dict[str, tuple[Vector, Vector]]
    #: Weights after every iteration, encrypted and in the clear.
    history: list[Vector]
    clear: list[Vector]
    #: As in a checkpoint.
    iterations: list[dict[str, float]]
    phases: list[tuple[str, float]]
    #: Bytes of what was sent and kept.
    sizes: list[tuple[str, int]]
    facts: list[tuple[str, str]]

    @cached_property
    def weights(self) -> dict[str, Vector]:
        """The columns of the table of results."""
        best = data.converged(*self.parts["training"], self.plan.l2)
        return {"encrypted": self.history[-1], "in the clear": self.clear[-1], "in the clear, converged": best}

    @cached_property
    def measures(self) -> dict[str, dict[str, float]]:
        """By measure and part, then by column."""
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
        """Of every bootstrap, or of every iteration but the first, which is shorter."""
        if what == "bootstrap":
            return [self.iterations[t][what] for t in self.plan.bootstraps]
        return [i[what] for i in self.iterations[1:] or self.iterations]

    def record(self) -> dict[str, Any]:
        """The same for programs. `shared` is false: these are exact decryptions, for the owner of the key."""
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
        """What left the bounds that training assumes, if anything."""
        return check(self.plan, self.rows, self.history)

    @property
    def warning(self) -> str:
        """What is wrong, if anything."""
        insecure = "These parameters are not secure." if self.params.allow_insecure else ""
        return " ".join(filter(None, [insecure, self.left and f"Training may have diverged: {self.left}."]))

    def text(self) -> str:
        """Results and facts for a terminal."""
        lines = [f"  {row[0]:<22}" + "".join(f"{cell:>26}" for cell in row[1:]) for row in self.results()]
        note = textwrap.wrap(FOR_THE_OWNER, 110, initial_indent="  ", subsequent_indent="  ")
        warning = ["", f"  warning: {self.warning}"] if self.warning else []
        return "\n".join([*lines, "", *(f"  {what:<52} {value}" for what, value in self.all_facts()), "", *note, *warning])

    def _table(self) -> Rows:
        rows: Rows = [("iteration", "level before", "level after", "bootstrap", "time")]
        for t, i in enumerate(self.iterations):
            fresh = f"{i['bootstrap']:.2f} s" if t in self.plan.bootstraps else ""
            rows.append((str(t + 1), f"{i['level']:.0f}", f"{i['left']:.0f}", fresh, f"{i['seconds']:.2f} s"))
        return rows

    def report(self) -> Report:
        """For people who were not there."""
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
