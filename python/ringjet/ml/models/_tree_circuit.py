"""What a server computes of an ensemble of trees."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from ..._checks import refusal
from ..._ringjet import Ciphertext, LinearTransform, Parameters, Server
from ...program import Plan, plan, simulate
from ...vectors._comparisons import composition, signed
from ...vectors.matrices import EncryptedMatrix, load_matrix
from . import _leaf_polynomial as leaf_polynomial
from ._layers import Array
from ._tree_layout import (
    Part,
    in_blocks,
    side_by_side,
    spread,
    to_conditions,
    to_leaves,
    to_scores,
    transform,
)
from ._tree_packing import (
    Sent,
    TreePacking,
    counted,
    flat,
    power_of_two,
    restored_sent,
    stored,
    with_count,
)
from ._trees import Leaves

#: The largest memory of the encoded matrices, in bytes.
_MOST_BYTES = 8 << 30


@dataclass(frozen=True)
class Comparison:
    """How a server compares scaled features with thresholds."""

    #: Of each condition: the place of its feature among the numbers of a sample, and the threshold, from -1 to 1.
    feature: Array
    threshold: Array
    #: The smallest difference that is told apart, as a fraction of the largest one, and the error of results, which
    #: are between 0 and 1.
    gap: float
    error: float

    @property
    def size(self) -> Array:
        """The largest difference of each condition."""
        return 1 + np.abs(self.threshold)

    def differences(self, normal: Array) -> Array:
        """How far features lie below the thresholds, from -1 to 1. normal: samples as they are sent."""
        return np.asarray((self.threshold - normal[:, self.feature]) / self.size)

    def __call__(self, normal: Array) -> Array:
        """The conditions as polynomials compute them, from 0 to 1."""
        values = self.differences(normal)
        for stage, _ in composition(self.gap, 2 * self.error, 1.0, 0.5, 0.5):
            values = stage(values)
        return np.asarray(values)

    def encrypted(self, differences: Ciphertext, used: Array) -> Ciphertext:
        """The conditions. used: the slots that have one."""
        return signed(differences, self.gap, 2 * self.error, 0.5, 0.5, op="trees", used=used).with_range(0, 1)


@dataclass(frozen=True, eq=False)
class TreeCircuit:
    """The scores of samples from their conditions, or from their features.

    A sample has a region of slots. One matrix turns conditions into the sums of leaves, a polynomial makes 1 of 0 and
    0 of negative sums, and a second matrix and a sum over the region add the values of leaves. If features are
    encrypted, a first matrix and a composition of polynomials compute the conditions, for every tree its own.
    """

    kind: ClassVar[str] = "trees"
    leaves: Leaves
    features: int
    sent: Sent
    comparison: Comparison | None = None
    _programs: dict[int, _Program] = field(default_factory=dict, init=False, repr=False)

    def level(self, params: Parameters) -> int | None:
        """The level at which conditions are encrypted; None for features, which take all levels."""
        return None if self.comparison is not None else self.depth

    @property
    def depth(self) -> int:
        """The levels that conditions take, and the least that features take."""
        return 2 + leaf_polynomial.levels(self.leaves.degree)

    def program(self, slots: int) -> _Program:
        """The function of a ciphertext with so many slots. Refuses too few of them."""
        if slots not in self._programs:
            # one program at most: its matrices are large
            self._programs.clear()
            self._programs[slots] = _Program(self, slots)
        return self._programs[slots]

    def together(self, params: Parameters) -> int:
        """How many samples a ciphertext holds."""
        return params.slots // self.program(params.slots).region

    def stated(self, params: Parameters, normal: Array) -> TreeCircuit:
        """The same: no error is known better than it is estimated."""
        return self

    def packing(self, params: Parameters, centre: Array, half: Array) -> TreePacking:
        """How a client packs samples. Trees have no ranges: features that are larger are on the same side of all
        thresholds."""
        region = self.program(params.slots).region
        return TreePacking(self.sent, self.features, region, self.leaves.scores, self.level(params))

    def run(self, server: Server, data: memoryview) -> bytes:
        """Computes on the bytes of samples."""
        count, ciphertexts = counted(data)
        x = load_matrix(server, ciphertexts)
        if x.layout != "rows" or x.slots != server.params.slots:
            expected = f'"rows" of {server.params.slots} slots'
            raise refusal("data", f"a matrix of shape {x.shape} in {x.layout!r} of {x.slots} slots", expected)
        program = self.program(x.slots)
        made = [[program(row[0])] for row in x.blocks]
        return with_count(count, EncryptedMatrix(made, (x.shape[0], x.slots), "rows").to_bytes())

    def plan(self, params: Parameters, device: str | PathLike[str] | None = None) -> Plan:
        """The plan for as many samples as a ciphertext holds."""
        program = self.program(params.slots)
        return plan(program, params, level=self.level(params), magnitudes=[self.sent.bounds], device=device)

    def simulate(self, params: Parameters, normal: Array, seed: int | None) -> tuple[Array, tuple[str, ...]]:
        """What the server returns for samples as they are sent, with errors of the size that the plan states; the
        warnings of a simulation of the first ciphertext; and one of samples near thresholds."""
        program, exact = self.program(params.slots), self(normal)
        size = 2.0 ** -self.plan(params).outputs[0].precision_bits
        errors = size * np.random.default_rng(seed).standard_normal(exact.shape)
        first = flat(normal[: self.together(params)], program.region, params.slots)[0]
        trial = simulate(program, first, params=params, level=self.level(params), magnitudes=[self.sent.bounds])
        problems = [str(warning) for warning in trial.warnings if "gap" not in str(warning)]
        if (near := self.outside(normal)) > 0:
            problems.append(
                f"{100 * near:.3g} % of samples have a feature inside the gap of a comparison: trees that compare it "
                "may give something between the values of their leaves"
            )
        return exact + errors, tuple(problems)

    def __call__(self, normal: Array) -> Array:
        """What the server returns for samples as they are sent, without errors of ciphertexts."""
        made = np.empty((len(normal), self.leaves.scores))
        step = max(1, (1 << 23) // len(self.leaves.leaf))
        for k in range(0, len(normal), step):
            rows = normal[k : k + step]
            sums = self.leaves.sums(rows if self.comparison is None else self.comparison(rows))
            made[k : k + step] = leaf_polynomial.values(sums, self.leaves.degree) @ self.leaves.values
        return made

    def described(self) -> list[list[str]]:
        """A row for each layer."""
        conditions, leaves = len(np.unique(self.leaves.condition)), len(self.leaves.offset)
        rows = []
        if self.comparison is not None:
            rows.append(["comparisons", f"{self.sent.numbers} -> {conditions}", f"gap {self.comparison.gap:.2g}"])
        return [
            *rows,
            ["conditions to leaves", f"{conditions} -> {leaves}", f"of {self.leaves.trees} trees"],
            ["chosen leaves", f"degree {self.leaves.degree}", f"{-self.leaves.degree} to 0"],
            ["leaves to scores", f"{leaves} -> {self.leaves.scores}", ""],
        ]

    def outside(self, normal: Array) -> float:
        """The share of samples with a feature so near to a threshold that the comparison may be wrong."""
        if self.comparison is None:
            return 0.0
        near = np.abs(self.comparison.differences(normal)) < self.comparison.gap
        return float(np.mean(near.any(axis=1)))

    def stored(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """All of it for JSON, and the arrays."""
        found: dict[str, Any] = {"circuit": self.kind, "features": self.features, "degree": self.leaves.degree}
        arrays = {name: getattr(self.leaves, name) for name in _ARRAYS}
        if self.comparison is not None:
            arrays |= {"compared": self.comparison.feature, "thresholds": self.comparison.threshold}
            found |= {"gap": self.comparison.gap, "error": self.comparison.error}
        return {**found, **stored(self.sent)}, arrays


_ARRAYS = ("leaf", "condition", "sign", "offset", "tree", "values")


def restored(found: dict[str, Any], arrays: dict[str, Array]) -> TreeCircuit:
    """Reads what `TreeCircuit.stored` gave."""
    leaves = Leaves(**{name: np.asarray(arrays[name]) for name in _ARRAYS}, degree=int(found["degree"]))
    features, sent = int(found["features"]), restored_sent(found, int(found["features"]))
    comparison, conditions = None, sent.numbers
    if "gap" in found:
        feature, thresholds = np.asarray(arrays["compared"]), np.asarray(arrays["thresholds"], float)
        comparison, conditions = (
            Comparison(feature, thresholds, float(found["gap"]), float(found["error"])),
            len(feature),
        )
        if feature.shape != thresholds.shape or feature.dtype.kind != "i" or not _below(feature, sent.numbers):
            raise ValueError("comparisons of features that are not sent")
    per_entry, per_leaf = (leaves.leaf, leaves.condition, leaves.sign), (leaves.offset, leaves.tree)
    if leaves.values.ndim != 2 or any(array.shape != leaves.leaf.shape for array in per_entry):
        raise ValueError("conditions of leaves that contradict each other")
    if any(array.shape != leaves.values.shape[:1] or array.dtype.kind != "i" for array in per_leaf):
        raise ValueError("leaves that contradict each other")
    if not _below(leaves.condition, conditions) or leaves.degree < 1 or np.any(np.diff(leaves.tree) < 0):
        raise ValueError("conditions that are not sent")
    if not np.array_equal(np.unique(leaves.leaf), np.arange(len(leaves.offset))) or np.any(np.diff(leaves.leaf) < 0):
        raise ValueError("leaves without conditions")
    return TreeCircuit(leaves, features, sent, comparison)


def _below(numbers: Array, end: int) -> bool:
    return bool(numbers.dtype.kind == "i" and len(numbers) and numbers.min() >= 0 and numbers.max() < end)


@dataclass(frozen=True)
class _Matrices:
    """The matrices and vectors of a part."""

    leaves: LinearTransform
    offset: Array
    scores: LinearTransform
    #: From features to their differences to thresholds, if features are sent, and the slots that have one.
    selection: LinearTransform | None
    thresholds: Array
    used: Array


class _Program:
    """The circuit on a ciphertext with so many slots."""

    def __init__(self, circuit: TreeCircuit, slots: int) -> None:
        leaves, numbers = circuit.leaves, circuit.sent.numbers
        self._circuit = circuit
        self._parts = (in_blocks if circuit.comparison is not None else side_by_side)(leaves, numbers, slots)
        #: The number of slots of a sample.
        self.region = self._parts[0].region
        self._batch = slots // self.region
        if circuit.comparison is None:
            _expect_room(circuit, len(self._parts) * self._parts[0].period, slots)

    @functools.cached_property
    def _matrices(self) -> list[_Matrices]:
        return [_matrices(self._circuit, part, self._batch) for part in self._parts]

    def __call__(self, x: Ciphertext) -> Ciphertext:
        leaves, comparison = self._circuit.leaves, self._circuit.comparison
        low, high = leaf_polynomial.interval(leaves.degree)
        total: Ciphertext | None = None
        for matrices in self._matrices:
            holds = x
            if comparison is not None and matrices.selection is not None:
                differences = (x.matmul(matrices.selection) + matrices.thresholds).with_range(-1, 1)
                holds = comparison.encrypted(differences, matrices.used)
            sums = (holds.matmul(matrices.leaves) + matrices.offset).with_range(low, high)
            added = leaf_polynomial.encrypted(sums, leaves.degree).matmul(matrices.scores)
            total = added if total is None else total + added
        assert total is not None, "there is a leaf"
        # one leaf of each tree is chosen
        stride = power_of_two(leaves.scores)
        count, largest = self.region // stride, stride * float(np.abs(leaves.values).max())
        bounded = total.with_magnitude(largest) if largest < total.magnitude else total
        return bounded.inner_sum(stride * self._batch, count, terms=min(leaves.trees, count)).with_range(-1, 1)


def _matrices(circuit: TreeCircuit, part: Part, batch: int) -> _Matrices:
    leaves, comparison = circuit.leaves, circuit.comparison
    scale = leaf_polynomial.scale(leaves.degree)
    conditions, scores = to_leaves(part, scale), to_scores(part, leaves.values)
    offset = np.zeros(part.region)
    offset[part.places] = leaves.offset[part.leaves]
    selection, thresholds, used = None, np.zeros(0), np.zeros(0, bool)
    if comparison is not None:
        numbers = circuit.sent.numbers
        selection = transform(to_conditions(part, comparison.feature, -1 / comparison.size, numbers), batch)
        # slots without a condition hold 1, which is in no gap
        thresholds = np.repeat(spread(part, comparison.threshold / comparison.size, 1.0), batch)
        used = np.repeat(spread(part, np.ones(len(comparison.feature)), 0.0) > 0, batch)
    return _Matrices(
        transform(conditions, batch),
        np.repeat((offset + leaf_polynomial.middle(leaves.degree)) / scale, batch),
        transform(scores, batch),
        selection,
        thresholds,
        used,
    )


def _expect_room(circuit: TreeCircuit, diagonals: int, slots: int) -> None:
    """Refuses so many diagonals, where they are too large for a server's memory."""
    # a diagonal is a polynomial of twice as many coefficients as slots, of 8 bytes for each prime
    size = diagonals * slots * 16 * (2 + circuit.depth)
    if size > _MOST_BYTES:
        leaves, conditions = len(circuit.leaves.offset), len(np.unique(circuit.leaves.condition))
        raise refusal(
            "model",
            f"trees with {conditions} different thresholds and {leaves} leaves",
            f"fewer: their matrices take {size / 2**30:.0f} GiB, above {_MOST_BYTES >> 30} GiB. Train fewer trees, or "
            "smaller ones (max_depth), or with fewer thresholds (max_bins)",
        )
