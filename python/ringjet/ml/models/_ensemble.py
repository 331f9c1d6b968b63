"""Compiles trees and ensembles of trees."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..._checks import refusal
from ..._ringjet import Parameters
from ...errors import ArgumentError
from ._choice import Choice, Search, expect_same, parameters
from ._files import named
from ._interface import Interface, names_of, numbers
from ._layers import Array, Head
from ._model import Model
from ._scores import agreement as agreement_of
from ._tree_circuit import Comparison, TreeCircuit
from ._tree_packing import Conditions, Intervals, Ranks
from ._tree_readers import predictor, read
from ._trees import TIE, Ensemble, Forest, ensemble

#: The error of comparisons, and the gaps that are tried: each next one takes a level more, or two.
_ERROR = 2.0**-10
_GAPS = tuple(2.0**-k for k in (3.75, 4.75, 6, 7, 8.5, 9.5, 10.5, 11.75, 13.25, 14.25, 15.25, 16))

#: The error of comparisons of ranks, which is to be less than what tells ties apart.
_SMALL_ERROR = 2.0**-20

#: What LightGBM writes for infinity.
_FAR = 1e300

#: How many standard deviations of errors must fit between classes.
_DEVIATIONS = 6

#: The largest number of samples on which parameters are compared.
_TRIALS = 256


def compiled(
    model: Any,
    calibration: Any,
    params: Parameters | str | None,
    agreement: float,
    memory: int,
    hide_thresholds: bool,
) -> Model:
    """Trees for a server. A client sends which conditions hold, or scaled features if thresholds are hidden."""
    forest, scalings = read(model)
    forest = _with_near_thresholds(forest) if hide_thresholds else forest
    names = names_of(_names(model, forest, calibration), calibration)
    x, made = numbers("calibration", calibration), ensemble(forest, scalings)
    if x.ndim != 2 or x.shape[1] != made.features or len(np.unique(x, axis=0)) < 2:
        expected = f"two or more different rows of {made.features} numbers"
        raise refusal("calibration", f"an array of shape {x.shape}", expected)
    low, high = x.min(axis=0), x.max(axis=0)
    if (predict := predictor(model, made.head)) is not None:
        expect_same(model, predict, made, x, (low + high) / 2, high - low)
    tests = _Tests(made, x, agreement, hide_thresholds)
    chosen = _chosen(params, tests, _circuits(made, x, hide_thresholds), memory)
    packing = chosen.circuit.packing(chosen.params, (low + high) / 2, (high - low) / 2)
    scores, units = made(x), np.full(len(made.base), made.bound)
    keys, ends = dict(chosen.plan.keys), (scores.min(axis=0), scores.max(axis=0))
    shape = (made.features,)
    interface = Interface(chosen.params, made.head, packing, shape, names, made.base, units, *ends, False, keys, "")
    return Model(made, chosen.circuit, named(interface, chosen.circuit), chosen.plan, chosen.reasons)


class _Tests:
    """Samples on which circuits are compared with an ensemble."""

    def __init__(self, made: Ensemble, x: Array, agreement: float, hide_thresholds: bool) -> None:
        self._made, self.agreement, self._is_exact = made, agreement, not hide_thresholds
        self._spread = np.ptp(made(x), axis=0)
        #: Sets of samples: each must reach the agreement.
        self.sets = [x[:: -(-len(x) // _TRIALS)]]
        if hide_thresholds:
            # features in combinations that do not occur are harder: they are nearer to the border between classes
            rng = np.random.default_rng(0)
            self.sets.append(np.stack([rng.permutation(column) for column in self.sets[0].T], axis=1))
        self._wanted = [made.head(made(rows)) for rows in self.sets]

    def reached(self, returned: list[Array], errors: Array) -> float:
        """The least agreement of the sets, with errors of a size. returned: what a circuit returns for each set."""
        made = self._made
        reached = []
        for exact, wanted in zip(returned, self._wanted, strict=True):
            noise = errors * np.random.default_rng(0).standard_normal(exact.shape)
            results = made.head((exact + noise) * made.bound + made.base)
            share = agreement_of(made.head, results, wanted, self._spread)
            if self._is_exact and not made.head.is_value:
                distance = _DEVIATIONS * float(errors.max())
                # equal scores stay equal
                share = 0.0 if distance >= TIE else share
                share -= float(np.mean(_near(made.head, exact * made.bound + made.base, distance * made.bound)))
            reached.append(share)
        return min(reached)


def _chosen(params: Parameters | str | None, tests: _Tests, circuits: Iterable[TreeCircuit], memory: int) -> Choice:
    """The first circuit that reaches the agreement, and its parameters."""
    best, refused = 0.0, None
    for circuit in circuits:
        returned = [circuit(circuit.sent.normal(rows)) for rows in tests.sets]
        reached = tests.reached(returned, np.zeros(1))
        best = max(best, reached)
        if reached < tests.agreement:
            continue
        search = Search(functools.partial(tests.reached, returned), tests.agreement, circuit.depth, memory)
        try:
            return parameters(params, circuit, search)
        except ArgumentError as error:
            refused = error
    if refused is not None:
        raise refused
    expected = f"at most {best:.4f}, which comparisons with a gap of {_GAPS[-1]:.1g} of an interval reach"
    raise refusal("agreement", tests.agreement, f"{expected}; or hide_thresholds=False, which is exact")


def _near(head: Head, scores: Array, distance: Array) -> Array:
    """Which samples are so near to another class that errors may change it: these do not count as equal."""
    if head.kind == "sign":
        return np.asarray(np.abs(scores[:, 0] - head.tie) < distance)
    ordered = np.sort(scores, axis=1)
    return np.asarray(np.abs(ordered[:, -1] - ordered[:, -2] - head.tie) < distance)


def _with_near_thresholds(forest: Forest) -> Forest:
    """The trees with infinity for the thresholds that LightGBM writes as 1e300: they tell missing features from
    others, and an interval that reaches so far would have no room for other thresholds."""
    trees = [replace(t, threshold=np.where(t.threshold == _FAR, np.inf, t.threshold)) for t in forest.trees]
    return replace(forest, trees=trees)


def _names(model: Any, forest: Forest, calibration: Any) -> list[str] | None:
    """The names of features, where the model was fitted to a frame: those of boosters and files, or of scikit-learn."""
    if forest.names is None or type(model).__name__ == "Pipeline":
        found = getattr(model, "feature_names_in_", None)
        names = None if found is None else [str(name) for name in found]
        # some versions of LightGBM name the columns of arrays
        return None if names and names == [f"Column_{k}" for k in range(len(names))] else names
    # LightGBM keeps underscores in place of spaces: then the names are those of the frame
    columns = [str(name) for name in getattr(calibration, "columns", [])]
    return columns if [name.replace(" ", "_") for name in columns] == forest.names else forest.names


def _circuits(made: Ensemble, x: Array, hide_thresholds: bool) -> Iterator[TreeCircuit]:
    """The circuits that are tried, those of fewer levels first."""
    leaves = replace(made.leaves, values=made.leaves.values / made.bound)
    used, place, counts = np.unique(made.feature, return_inverse=True, return_counts=True)
    if not hide_thresholds:
        yield TreeCircuit(leaves, made.features, Conditions(made.feature, made.threshold))
        # matrices of many conditions take much memory; ranks are compared by the server, and differ by whole steps
        number = np.arange(len(place)) - np.searchsorted(place, place)
        thresholds = (2 * number + 1) / counts[place] - 1
        gap = 0.99 * float(np.min(1 / counts[place] / (1 + np.abs(thresholds))))
        comparison = Comparison(place, thresholds, gap, _SMALL_ERROR)
        yield TreeCircuit(leaves, made.features, Ranks(made.feature, made.threshold), comparison)
        return
    low, high = x[:, used].min(axis=0), x[:, used].max(axis=0)
    np.minimum.at(low, place, made.threshold)
    np.maximum.at(high, place, made.threshold)
    # the ends lie a little outside, where nothing is compared
    margin = np.maximum((high - low) / 64, 1e-9 * np.maximum(np.abs(low), np.abs(high)) + 1e-300)
    sent = Intervals(used, low - margin, high + margin)
    thresholds = (2 * made.threshold - sent.low[place] - sent.high[place]) / (sent.high - sent.low)[place]
    normal = sent.normal(x)
    for gap in _GAPS:
        comparison = Comparison(place, _between(thresholds, place, normal, gap), gap, _ERROR)
        yield TreeCircuit(leaves, made.features, sent, comparison)


def _between(thresholds: Array, feature: Array, normal: Array, gap: float) -> Array:
    """The thresholds, moved by up to half a gap towards the middle between the samples on both sides. Samples that are
    no nearer than a gap to a moved threshold are on the same side of the original one."""
    moved = thresholds.copy()
    for k in range(int(feature.max()) + 1):
        mine, values = feature == k, np.unique(normal[:, k])
        above = np.searchsorted(values, thresholds[mine], side="right")
        middle = (values[np.maximum(above - 1, 0)] + values[np.minimum(above, len(values) - 1)]) / 2
        moved[mine] += np.clip(middle - thresholds[mine], -gap / 2, gap / 2)
    return np.asarray(moved)
