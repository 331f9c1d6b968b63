"""What is common to all kinds of models that are compiled: parameters are chosen, and predictions compared."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters, preset, preset_names
from ..._scheme import is_ckks
from ..._text import size
from ...errors import RingjetError
from ...program import Plan
from ...program._estimate import REFERENCE
from ._chains import bootstrapping, chains
from ._interface import Circuit
from ._layers import Array, Head
from ._scores import tied


class Original(Protocol):
    """What was read of a model, in the clear."""

    @property
    def head(self) -> Head:
        """What its scores mean."""

    def __call__(self, x: Array) -> Array:
        """The scores of samples."""


@dataclass(frozen=True)
class Choice:
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
class Search:
    """What parameters must reach."""

    #: The agreement with errors of a size.
    share: Callable[[Array], float]
    agreement: float
    #: The least number of levels that any circuit needs.
    depth: int
    #: The bytes that a server has.
    memory: int
    #: Samples as they are sent.
    normal: Array = field(default_factory=lambda: np.zeros((0, 0)))
    #: The most levels of a layer and of a linear one behind it: these lie between two bootstraps.
    longest: int | None = None

    def against(self, plan: Plan) -> str | None:
        """Why a plan is not good enough; None if it is."""
        assert plan.estimate is not None, "a plan for a device has an estimate"
        needed = plan.estimate.peak_bytes
        if needed > self.memory:
            return f"{size(needed)} of memory, and there are {size(self.memory)}"
        reached = self.share(np.array([2.0**-output.precision_bits for output in plan.outputs]))
        return None if reached >= self.agreement else f"agreement {reached:.4f}"


def parameters(params: Parameters | str | None, circuit: Circuit, search: Search) -> Choice:
    """The given parameters, or the first preset that is good enough."""
    if params is not None:
        chosen = preset(params) if isinstance(params, str) else params
        if not isinstance(chosen, Parameters) or not is_ckks(chosen):
            raise refusal("params", repr(params), "parameters of CKKS, or the name of a preset")
        circuit = circuit.stated(chosen, search.normal)
        plan = circuit.plan(chosen, REFERENCE)
        if against := search.against(plan):
            raise refusal("params", repr(params), f"an agreement of {search.agreement}; with them: {against}")
        return Choice(circuit, chosen, plan, None)
    reasons: dict[str, str] = {}
    for made, name, levels, needed in _candidates(search):
        if levels < needed:
            reasons[name] = f"{levels} levels, and {needed} are needed"
            continue
        found = _tried(made, name, circuit, search, reasons)
        if found is not None:
            return found if made.can_bootstrap else _in_smaller_ring(found, search) or found
    expected = f"a model that a preset computes with an agreement of {search.agreement}: {reasons}"
    raise refusal("params", None, expected)


def _candidates(search: Search) -> Iterator[tuple[Parameters, str, int, int]]:
    """Parameters, their names, their levels and how many of these are needed. Parameters that bootstrap have these levels
    between two bootstraps."""
    known = [(made, name) for name in preset_names() if _is_usable(made := preset(name), name)]
    for made, name in sorted(known, key=lambda found: (found[0].log_n, found[0].depth)):
        if not made.can_bootstrap:
            yield made, name, made.depth, search.depth
    if search.longest is None:
        return
    own = bootstrapping(search.longest)
    if own is not None:
        yield own, f"2^{own.log_n}, {search.longest} levels between bootstraps", own.depth, search.longest
    for made, name in sorted(known, key=lambda found: -found[0].depth):
        if made.can_bootstrap:
            yield made, name, made.depth, search.longest


def _is_usable(params: Parameters, name: str) -> bool:
    return is_ckks(params) and bool(params.security) and "share" not in name and not params.has_sine


def _tried(params: Parameters, name: str, circuit: Circuit, search: Search, reasons: dict[str, str]) -> Choice | None:
    """The choice of these parameters; None where they are not good enough, for a reason that is noted."""
    try:
        circuit = circuit.stated(params, search.normal)
        plan = circuit.plan(params, REFERENCE)
    except RingjetError as error:
        reasons[name] = str(error)
        return None
    against = search.against(plan)
    reasons[name] = against or "chosen"
    return None if against else Choice(circuit, params, plan, reasons)


def _in_smaller_ring(choice: Choice, search: Search) -> Choice | None:
    """The choice with parameters of its own in a smaller ring, with as many levels as are needed; None if there are
    none."""
    top, reasons = choice.params.top_level, dict(choice.reasons or {})
    depth = (choice.circuit.level(choice.params) or top or 0) - min(choice.plan.levels)
    for log_n in range(12, choice.params.log_n):
        for made in chains(log_n, depth):
            name = f"2^{log_n}, {depth} levels of {made.scale_bits} bits"
            found = _tried(made, name, choice.circuit, search, reasons)
            if found is not None:
                return found
    return None


def memory_here() -> int:
    """The bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def number(name: str, value: Any, low: float, high: float) -> float:
    """A number within bounds. Refuses anything else."""
    if not isinstance(value, (int, float, np.integer, np.floating)) or not low <= value <= high:
        raise refusal(
            name, repr(value), f"a number of at least {low}" + (f", and at most {high}" if high < np.inf else "")
        )
    return float(value)


def expect_same(
    model: Any, predict: Callable[[Array], Any], original: Original, x: Array, centre: Array, half: Array
) -> None:
    """Refuses a model whose predictions are not what was read of it: on the samples, and on random ones of the
    accepted range."""
    draws, head = np.random.default_rng(0).uniform(-1, 1, (256, len(centre))), original.head
    for rows in (x[:1024], centre + half * draws):
        scores = original(rows)
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
