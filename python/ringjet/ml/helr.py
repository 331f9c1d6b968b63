"""Logistic regression trained on encrypted data, after HELR (Han, Song, Cheon, Park, AAAI 2019).

*Packing.* A sample with label y in {-1, 1} is the row z = y (1, x), padded to a power of two of `width` features; rows lie
one after the other, so that slot `width * i + j` holds feature j of sample i. Weights are repeated once per sample.

*One iteration* of Nesterov's method with a sigmoid of degree 3 takes four levels:

1. `b Z * v`, summed over the features of a row by rotations to the left: right in slot 0 of each row.
2. The square, and beside it the product with a mask that keeps slot 0 and carries a coefficient of the sigmoid.
3. Their product: with b^2 = -c3/c1, that is c1 z + c3 z^3 = (c1/b) (b z) (1 - (b z)^2), all values of it near 1.
4. The product with the data times the learning rate, summed over the samples: in a vector that ends where it begins the
   sum is right in every slot, which is how the weights are repeated again.

The constant c0 needs the sum of all rows only, once. Scalars of Nesterov's combination cost nothing, because v, the previous
weights and the data have levels to spare by the time the gradient is there: only linear combinations of what exists are
kept as the weights. The first gradient, at zero, is c0 times the sum of all rows: one level.

*One twist.* The result of step 2 must go from slot 0 to the whole row. Rotations to the left bring it into the slots
*before* it, that is features 1, 2, ... of the row above. So the client sends a second copy of the data in which those
features have moved up by one row: then the keys of step 1 serve here too, and a quarter of the key material is saved.

Everything below `Trainer` works on ciphertexts and public sizes; packing and unpacking are the client's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import Ciphertext, inner_sum_rotations, weighted_sum

Vector = npt.NDArray[np.float64]

#: (c0, c1, c3) of a polynomial near the sigmoid of -z for |z| up to the key (HELR).
SIGMOID: dict[int, tuple[float, float, float]] = {8: (0.5, -0.15012, 0.001593), 16: (0.5, -0.0843, 0.0002)}

#: Magnitude of weights for which the precision estimate holds.
_WEIGHTS = 4.0

#: Levels of the first iteration, and of each further one.
FIRST_LEVELS, LEVELS = 1, 4


@dataclass(frozen=True)
class Plan:
    """What client and server agree on: sizes and step sizes. Nothing of it depends on the values of the data."""

    samples: int
    features: int
    rates: tuple[float, ...]
    sigmoid: tuple[float, float, float] = SIGMOID[16]

    @staticmethod
    def for_depth(depth: int, samples: int, features: int, rate: Callable[[int], float]) -> Plan:
        """As many iterations as `depth` levels allow; `rate(t)` is the learning rate of iteration t."""
        iterations = 1 + (depth - FIRST_LEVELS) // LEVELS
        if depth < FIRST_LEVELS:
            raise ValueError(f"depth = {depth}: at least {FIRST_LEVELS} level is needed")
        return Plan(samples, features, tuple(rate(t) for t in range(iterations)))

    @property
    def width(self) -> int:
        """Slots of a row: the features and the constant 1, padded."""
        return _power_of_two(self.features + 1)

    @property
    def rows(self) -> int:
        """Rows, padded with zeros: they add nothing to any sum."""
        return _power_of_two(self.samples)

    @property
    def slots(self) -> int:
        """Slots in use."""
        return self.width * self.rows

    @property
    def rotations(self) -> list[int]:
        """The rotation keys that training needs."""
        return inner_sum_rotations(1, self.width) + inner_sum_rotations(self.width, self.rows)

    def momentum(self) -> list[float]:
        """Nesterov's eta of each iteration; the last one is 0, as nothing comes after it."""
        etas, a = [], 1.0
        for _ in self.rates:
            following = (1 + math.sqrt(1 + 4 * a * a)) / 2
            etas.append((1 - a) / following)
            a = following
        etas[-1] = 0.0
        return etas

    # ---- the client's side ----

    def rows_of(self, x: Vector, y: npt.ArrayLike) -> Vector:
        """The rows y (1, x), not padded, for labels in {-1, 1}."""
        labels = np.asarray(y, dtype=np.float64)
        if x.shape != (self.samples, self.features) or labels.shape != (self.samples,):
            raise ValueError(f"x has shape {x.shape} and y {labels.shape}: the plan is for {self.samples} x {self.features}")
        if not np.isin(labels, (-1.0, 1.0)).all():
            raise ValueError("labels must be -1 or 1")
        return labels[:, None] * np.column_stack([np.ones(self.samples), x])

    def pack(self, x: Vector, y: npt.ArrayLike) -> tuple[Vector, Vector]:
        """The two vectors the client encrypts: the rows, and the rows with features 1, 2, ... moved up by one row."""
        rows = np.zeros((self.rows, self.width))
        rows[: self.samples, : self.features + 1] = self.rows_of(x, y)
        moved = rows.copy()
        moved[:, 1:] = np.roll(rows[:, 1:], -1, axis=0)
        return rows.ravel(), moved.ravel()

    def unpack(self, decrypted: Vector) -> Vector:
        """The weights (constant first) of a decrypted vector."""
        return np.array(decrypted[: self.features + 1])


@dataclass(frozen=True)
class Step:
    """The state after an iteration."""

    iteration: int
    #: The weights, in a small ciphertext of the lowest level.
    weights: Ciphertext
    #: The highest level among what the next iteration starts from.
    level: int
    #: Time of the iteration, without making the small copy.
    seconds: float


#: A linear combination of ciphertexts.
Terms = list[tuple[Ciphertext, float]]


class Trainer:
    """The server's side: trains on two ciphertexts, seeing nothing."""

    def __init__(self, plan: Plan, data: Ciphertext, moved: Ciphertext) -> None:
        if data.slots != plan.slots:
            raise ValueError(f"the ciphertext has {data.slots} slots, the plan needs {plan.slots}")
        self.plan = plan
        self._data, self._moved = data, moved
        mask = np.zeros((plan.rows, plan.width))
        mask[:, 0] = 1.0
        self._mask = mask.ravel()

    def run(self) -> Iterator[Step]:
        """Trains; yields after every iteration."""
        plan = self.plan
        c0, c1, c3 = plan.sigmoid
        b = math.sqrt(-c3 / c1)
        etas = plan.momentum()
        start = time.perf_counter()
        total = self._data.inner_sum(plan.width, plan.rows).with_magnitude(plan.samples)
        scaled = self._data * b
        # weights = w_t as a combination of ciphertexts, v = the point where the next gradient is taken
        weights: Terms = [(total, self._rate(0) * c0)]
        v = _combine(_scaled(weights, 1 - etas[0]), total.level - 1)
        yield self._step(0, weights, v.level, start)
        for t in range(1, len(plan.rates)):
            start = time.perf_counter()
            rate, eta = self._rate(t), etas[t]
            gradient = self._gradient(v, scaled, rate * (1 - eta))
            following: Terms = [(v, 1.0), (total, rate * c0)]
            rest = _combine(_scaled(following, 1 - eta) + _scaled(weights, eta), gradient.level)
            weights = following + [(gradient, 1 / (1 - eta))]
            v = (rest + gradient).with_magnitude(_WEIGHTS)
            if t + 1 == len(plan.rates):
                weights = [(v, 1.0)]
            yield self._step(t, weights, v.level, start)

    def _rate(self, t: int) -> float:
        return self.plan.rates[t] / self.plan.samples

    def _gradient(self, v: Ciphertext, scaled: Ciphertext, factor: float) -> Ciphertext:
        """`factor` times the part of the gradient at v that is odd in z; four levels below v."""
        plan = self.plan
        _, c1, c3 = plan.sigmoid
        # b z is below 1 wherever the polynomial is near the sigmoid
        inner = (scaled * v).inner_sum(1, plan.width).with_magnitude(1.0)
        masked = inner * (self._mask * (c1 / math.sqrt(-c3 / c1)))
        sigmoid = masked * (1 - inner * inner)
        spread = sigmoid.inner_sum(1, plan.width)
        data = _combine([(self._moved, factor)], spread.level)
        return (data * spread).inner_sum(plan.width, plan.rows).with_magnitude(_WEIGHTS)

    def _step(self, t: int, weights: Terms, level: int, start: float) -> Step:
        seconds = time.perf_counter() - start
        (first, factor), *more = weights
        if not more and factor == 1.0:
            small = first.to_level(0)
        else:
            small = _combine(weights, 0)
        return Step(t, small, level, seconds)


def train_in_the_clear(plan: Plan, rows: Vector) -> list[Vector]:
    """The same algorithm on rows in the clear: the weights after every iteration."""
    c0, c1, c3 = plan.sigmoid
    w = v = np.zeros(rows.shape[1])
    history = []
    for rate, eta in zip(plan.rates, plan.momentum()):
        z = rows @ v
        following = v + rate / plan.samples * (rows.T @ (c0 + c1 * z + c3 * z**3))
        v = (1 - eta) * following + eta * w
        w = following
        history.append(w)
    return history


def _scaled(terms: Terms, factor: float) -> Terms:
    return [(ct, factor * weight) for ct, weight in terms]


def _combine(terms: Sequence[tuple[Ciphertext, float]], level: int) -> Ciphertext:
    terms = [(ct, weight) for ct, weight in terms if weight != 0.0]
    return weighted_sum([ct for ct, _ in terms], [weight for _, weight in terms], level)


def _power_of_two(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()
