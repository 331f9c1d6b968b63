"""Logistic regression trained on encrypted data, after HELR (Han, Song, Cheon, Park, AAAI 2019).
This is the server's side, which holds no secret.

*One iteration* of Nesterov's method takes four levels with a sigmoid of degree 3, five up to degree
7, and six up to degree 15:

1. The products of the data with the weights are summed over the features of a row by rotations to
   the left. Slot 0 of each row then holds the score; the other slots hold other sums.
2. The sums are squared. Besides, they are multiplied by a mask that keeps slot 0 and contains a
   coefficient of the sigmoid.
3. The factors of the sigmoid's polynomial are multiplied (see `sigmoid.factors`), which takes one,
   two or three levels. The constant 1/2 is added to slot 0, and slot 0 is copied to the whole row.
4. The result is multiplied by the data times the learning rate, and summed over blocks, diagonals
   and samples. Every slot then holds its component of the gradient.

The factors of Nesterov's combination take no extra level, since the weights before the iteration
have a higher level than the gradient. Let v be the point of the gradient, w the weights, g the
step, eta Nesterov's factor and a = 1 - eta. The new values are `v' = a * (v + g) + eta * w` and `w'
= v + g`. The server computes `a * g` and stores `a * w'`, a known multiple of the weights.

*Bootstrapping.* v and w are real, so `v + i * w` takes one bootstrap. Adding and subtracting the
conjugate gives back `2 * v` and `2 * w`; the iteration before computes halves to make up for it.

*Shards.* The blocks of a batch are split into shards of `plan.shard` blocks. Step 4 is done for each
shard: one ciphertext is its part of the gradient. Shards are added in pairs, pairs in pairs, and so
on (`tree`). The order never depends on who computes a shard, so training on many nodes
(`ringjet.cluster`) gives the same bytes as training in one process.

*Bounds.* A server must know bounds on all values, or the library refuses to go on. Worst-case
bounds over all possible data grow without limit, so the plan assumes bounds: weights within
`weight_bound`, the point of the gradient within twice that, scores within `sigmoid.reach`, and sums
over parts of rows within `PARTIAL * sigmoid.reach`. None of these bounds can be proved without the
data. The client has the data and checks them with `check`. All other bounds are proved from these.
"""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from .._arrays import reals
from .._pieces import expect_size, opened
from .._ringjet import Ciphertext, Server, replace_file, restore_ciphertext, sum_of_products, weighted_sum
from ..errors import MalformedError
from . import sigmoid
from .assumptions import PARTIAL, TrainingWarning
from .layout import TrainingPlan

Vector = npt.NDArray[np.float64]

#: A ciphertext.
Encrypted = Any


@dataclass(frozen=True)
class State:
    """The state between two iterations."""

    #: The number of finished iterations.
    done: int
    #: The point at which the next gradient is taken.
    v: Encrypted
    #: The weights times `factor`.
    w: Encrypted
    factor: float


@dataclass(frozen=True)
class Step:
    """The result of one iteration."""

    iteration: int
    state: State
    #: The weights times `factor` in a small ciphertext, for a learning curve.
    weights: Encrypted
    factor: float
    #: The level at the start of the iteration, after a bootstrap if there is one.
    level: int
    #: Seconds of the bootstrap before the iteration, and of the iteration. Making the small
    #: ciphertext is not included.
    bootstrap_seconds: float
    seconds: float
    #: The level of the weights after the iteration.
    left: int


#: The ciphertexts of a block, one for each chunk.
Block = Sequence[Encrypted]


class EncryptedTraining:
    """Trains on ciphertexts. Besides them it knows public data only: the plan and the server's
    keys."""

    def __init__(self, plan: TrainingPlan, data: Sequence[Encrypted]) -> None:
        """`data`: the ciphertexts that `plan.load` returns."""
        if len(data) != plan.ciphertexts or any(ct.slots != plan.slots for ct in data):
            raise ValueError(f"the plan is for {plan.ciphertexts} ciphertexts of {plan.slots} slots")
        self.plan = plan
        self._iteration = Iteration(plan)
        self._batches = [[blocks_of(plan, data[a:b]) for a, b in batch] for batch in plan.shards()]

    def run(self, state: State | None = None) -> Iterator[Step]:
        """Trains from the beginning or from `state`, and yields after every iteration."""
        work = self._iteration
        while state is None or state.done < self.plan.iterations:
            t = 0 if state is None else state.done
            began = time.perf_counter()
            if state is not None and t in self.plan.bootstraps:
                state = work.refresh(state)
            middle = time.perf_counter()
            level = self.plan.top if state is None else state.v.level
            turned = None if state is None else work.turned(state.v)
            shards = self._batches[self.plan.batch_of(t)]
            state = work.step(state, tree([work.gradient(t, shard, turned) for shard in shards]))
            end = time.perf_counter()
            small = state.w.to_level(0)
            yield Step(t, state, small, state.factor, level, middle - began, end - middle, state.w.level)


def blocks_of(plan: TrainingPlan, data: Sequence[Encrypted]) -> list[Block]:
    """The blocks of a shard's ciphertexts."""
    return [data[i : i + plan.chunks] for i in range(0, len(data), plan.chunks)]


def tree(parts: Sequence[Encrypted]) -> Encrypted:
    """The sum of the shards' parts of the gradient. Neighbours are added first, then pairs of
    neighbours, and so on. So the tree of aligned groups of a power of two, and then the tree of
    their sums, add in the same order."""
    while len(parts) > 1:
        pairs = [a + b for a, b in zip(parts[::2], parts[1::2])]
        parts = [*pairs, *parts[2 * len(pairs) :]]
    return parts[0]


class Iteration:
    """The steps of an iteration: a shard's part of the gradient, and what follows from the sum of
    all parts."""

    def __init__(self, plan: TrainingPlan) -> None:
        self.plan = plan
        mask = np.zeros((plan.rows, plan.chunk))
        mask[:, 0] = 1.0
        self._mask = mask.ravel()
        self._reach = sigmoid.reach(plan.degree, plan.bound) / plan.bound
        #: The factor of the gradient: it is computed in units of `weight_bound` from packed
        #: samples.
        self._gradient = plan.bound / plan.weight_bound**2
        self._etas = plan.momentum()

    def turned(self, v: Encrypted) -> list[Encrypted]:
        """The point of the gradient, rotated for each ciphertext of a block."""
        turned = [v]
        for _ in range(self.plan.chunks - 1):
            turned.append(turned[-1].rotate(self.plan.chunk))
        return turned

    def gradient(self, t: int, blocks: Sequence[Block], turned: Sequence[Encrypted] | None) -> Encrypted:
        """A shard's part of the gradient in iteration t. `turned` is None in the first iteration,
        which starts at zero, where the sigmoid is 1/2."""
        plan = self.plan
        rate = self._size(t) * plan.rate(t) * self._gradient
        if turned is None:
            factor = rate * plan.sigmoid[0]
            diagonals = [[block[k] for block in blocks] for k in range(plan.chunks)]
            return self._gathered([weighted_sum(part, [factor] * len(part)) for part in diagonals])
        spread = [self._sigmoid(block, turned) for block in blocks]
        sums = []
        for k in range(plan.chunks):
            data = [weighted_sum([block[k]], [rate], spread[0].level) for block in blocks]
            sums.append(sum_of_products(data, spread))
        return self._gathered(sums)

    def step(self, state: State | None, gradient: Encrypted) -> State:
        """The next state, from the gradient of all shards."""
        plan = self.plan
        t = 0 if state is None else state.done
        size, eta = self._size(t), self._etas[t]
        if state is None:
            # assumed bound (see the module's text): weights are within weight_bound; here v equals w
            gradient = within(gradient, -size, size)
            return State(1, gradient, gradient, size / plan.weight_bound)
        kept = size * plan.shrinkage(t)
        weights = weighted_sum([state.v], [kept], gradient.level) + gradient
        v = weights
        if eta != 0.0:
            # v' and w' carry the same factor, so both may be halved before a bootstrap
            back = size / (1 - eta) * eta / (state.factor * plan.weight_bound)
            rest = weighted_sum([state.v, state.w], [kept, back], gradient.level)
            v = rest + gradient
        # assumed bounds (see the module's text): weights within weight_bound, v within twice that
        largest = 2 * size / (1 - eta)
        v, weights = within(v, -largest, largest), within(weights, -size, size)
        return State(t + 1, v, weights, size / plan.weight_bound)

    def _size(self, t: int) -> float:
        """The factor of the results of iteration t. It has a factor 1/2 before a bootstrap, which
        doubles values."""
        return (1 - self._etas[t]) * (0.5 if t + 1 in self.plan.bootstraps else 1.0)

    def _sigmoid(self, block: Sequence[Encrypted], turned: Sequence[Encrypted]) -> Encrypted:
        """The sigmoid of -z for every sample of a block with score z, in all slots of the sample's
        row."""
        plan = self.plan
        form = sigmoid.factors(plan.sigmoid)
        # assumed bounds (see the module's text): scores in slot 0 of each row, partial sums
        # elsewhere
        partial = PARTIAL * self._reach
        inner = within(sum_of_products(block, turned).inner_sum(1, plan.chunk), -partial, partial)
        # the mask keeps the scores only
        largest = abs(form.lead) * self._reach
        masked, square = within(inner * (form.lead * self._mask), -largest, largest), inner * inner
        terms = [masked if form.root is None else masked * (square - form.root)]
        for h, k in form.squares:
            shifted = square + h
            terms.append(shifted * shifted + k)
        while len(terms) > 1:
            pairs = [a * b for a, b in zip(terms[::2], terms[1::2])]
            terms = pairs + terms[2 * len(pairs) :]
        # slot 0 holds the polynomial of a score without its constant; other slots hold 0
        low, high = sigmoid.VALUES
        constant = plan.sigmoid[0]
        value = within(terms[0], low - constant, high - constant) + constant * self._mask
        # slot 0 of a row is copied to the whole row, by a sum over slots that are 0 otherwise
        return within(value.rotate(1 - plan.chunk).inner_sum(1, plan.chunk), low, high)

    def _gathered(self, sums: Sequence[Encrypted]) -> Encrypted:
        """The sums of all diagonals over all rows, each diagonal rotated to the place of its
        chunks. The final sum runs over all groups of `chunks` rows cyclically, so a rotation by -k
        rows gives the same as one by `chunks - k` rows."""
        plan = self.plan
        total = sums[0]
        if plan.chunks > 1:
            total = sums[1]
            for following in [*sums[2:], sums[0]]:
                total = total.rotate(plan.chunk) + following
        return total.inner_sum(plan.width, plan.rows // plan.chunks)

    def refresh(self, state: State) -> State:
        """Bootstraps the state."""
        plan = self.plan
        both = (state.v + state.w.times_i()).with_slots(plan.width).bootstrap()
        conjugate = both.conjugate()
        # both results are real, and twice the old values
        (low, high), (least, most) = state.v.range, state.w.range
        v = within((both + conjugate).with_slots(plan.slots), 2 * low, 2 * high)
        w = within((conjugate - both).times_i().with_slots(plan.slots), 2 * least, 2 * most)
        return State(state.done, v, w, 2 * state.factor)


def within(ct: Encrypted, low: float, high: float) -> Encrypted:
    """States that the values are real and between `low` and `high`, unless tighter bounds are
    known."""
    known, most = ct.range
    return ct.with_range(max(low, known), min(high, most))


#: The first bytes of a serialized model; the last one is a version.
_MAGIC = b"RJEM\x01"


def _malformed(reason: str, offset: int) -> MalformedError:
    what = "encrypted model"
    error = MalformedError(f"{what}: {reason} (at byte {offset})")
    error.what, error.reason, error.offset = what, reason, offset
    return error


class EncryptedModel:
    """A model that answers encrypted samples, with weights that are encrypted or in the clear. With
    encrypted weights, samples may be in the clear, too. The model holds no secret."""

    def __init__(self, plan: TrainingPlan, weights: Encrypted | npt.ArrayLike, factor: float = 1.0) -> None:
        """`weights`: a state's `w` with its `factor`, or numbers in the clear, constant first."""
        self.plan, self.factor, self._weights = plan, factor, weights
        if not isinstance(weights, Ciphertext):
            # weights in the clear are stored in units of `weight_bound`, as encrypted ones are
            self.factor = factor / plan.weight_bound
            self._weights = self._packed(reals(weights, "weights") / plan.weight_bound)

    def to_bytes(self) -> bytes:
        """Serializes the plan and the weights; weights stay encrypted or in the clear."""
        own, encrypted = self._weights, isinstance(self._weights, Ciphertext)
        fields = {"plan": self.plan.to_json(), "factor": self.factor, "encrypted": encrypted}
        front = json.dumps(fields, sort_keys=True).encode()
        weights = own.to_bytes() if isinstance(own, Ciphertext) else np.asarray(own, dtype="<f8").tobytes()
        return b"".join([_MAGIC, len(front).to_bytes(4, "little"), front, weights])

    def save(self, path: str | PathLike[str]) -> None:
        """Writes `to_bytes` to a file, as `Ciphertext.save` does."""
        replace_file(path, self.to_bytes())

    @staticmethod
    def load(path: str | PathLike[str], *, server: Server | None = None, max_bytes: int = 256 << 20) -> EncryptedModel:
        """Reads a file that `save` wrote, as `from_bytes` does."""
        data = bytes(opened(path, max_bytes, "encrypted model"))
        return EncryptedModel.from_bytes(data, server=server, max_bytes=max_bytes)

    @staticmethod
    def from_bytes(data: bytes, *, server: Server | None = None, max_bytes: int = 256 << 20) -> EncryptedModel:
        """Reads the bytes of `to_bytes`. More than `max_bytes` bytes are refused. Encrypted weights
        are loaded on `server`. Without a server they are attached at their first use to the only
        server of the process that has their client's keys, as a pickled ciphertext is."""
        expect_size(len(data), max_bytes, "encrypted model")
        start = len(_MAGIC) + 4
        if len(data) < start or data[: len(_MAGIC)] != _MAGIC:
            raise _malformed("these are bytes of something else", 0)
        end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
        try:
            fields = json.loads(data[start:end])
            plan = TrainingPlan.from_json(fields["plan"])
            factor, encrypted, slots = float(fields["factor"]), bool(fields["encrypted"]), int(plan.slots)
        except (KeyError, TypeError, ValueError) as e:
            raise _malformed(f"its plan cannot be read: {e!r}", start) from None
        rest = data[end:]
        model = EncryptedModel.__new__(EncryptedModel)
        model.plan, model.factor = plan, factor
        if encrypted:
            model._weights = restore_ciphertext(rest) if server is None else server.load(rest, max_bytes=max_bytes)
            return model
        if len(rest) != 8 * slots:
            raise _malformed(f"{len(rest)} bytes of weights where {slots} numbers have {8 * slots}", end)
        model._weights = np.frombuffer(rest, dtype="<f8").astype(np.float64)
        return model

    def _packed(self, weights: Vector) -> Vector:
        padded = np.zeros(self.plan.width)
        padded[: self.plan.features + 1] = weights
        return np.tile(padded, self.plan.slots // self.plan.width)

    def refreshed(self) -> EncryptedModel:
        """The model with bootstrapped weights."""
        if not isinstance(self._weights, Ciphertext):
            return self
        weights, factor = self._weights.with_slots(self.plan.width), self.factor
        if weights.magnitude > 1.0:
            # during training weights may be up to twice weight_bound; bootstrapping takes values up
            # to 1 only
            weights, factor = weights * 0.5, factor * 0.5
        return EncryptedModel(self.plan, weights.bootstrap(real=True).with_slots(self.plan.slots), factor)

    @property
    def weights(self) -> Encrypted:
        """The weights times `factor`, repeated over all slots."""
        return self._weights

    def pack(self, x: npt.ArrayLike) -> list[list[Vector]]:
        """The vectors that a client encrypts to get answers for samples: a list for each block of
        `plan.rows` samples. Their values are at most `plan.magnitude` for features within
        `plan.clip`."""
        values = reals(x, "x")
        rows = np.column_stack([np.ones(len(values)), values])
        return [self.plan.pack_block(rows[i : i + self.plan.rows]) for i in range(0, len(rows), self.plan.rows)]

    def scores(self, block: Sequence[Any]) -> Encrypted:
        """The scores z of a block of vectors from `pack`, encrypted or in the clear. The first slot
        of every row holds `factor * weight_bound * z / bound`. Takes one level."""
        products = []
        turned: Any = self._weights
        for k, part in enumerate(block):
            if k:
                clear = isinstance(turned, np.ndarray)
                turned = np.roll(turned, -self.plan.chunk) if clear else turned.rotate(self.plan.chunk)
            products.append(part * turned)
        return _sum(products).inner_sum(1, self.plan.chunk)

    def probabilities(self, block: Sequence[Any]) -> Encrypted:
        """The polynomial approximation of the sigmoid of the scores, in the first slot of every
        row. It takes one level for the scores, those of a polynomial of the plan's degree, and one
        more if `factor * weight_bound` is not 1. Scores, and partial sums in other slots, are
        assumed to be within `plan.bound`. If they are not, `unpack_probabilities` warns the
        client."""
        c = [coefficient * (-1) ** i for i, coefficient in enumerate(self.plan.sigmoid)]
        size = self._size
        # in the Chebyshev basis: large coefficients of powers would cost precision
        series = np.polynomial.Chebyshev(np.polynomial.chebyshev.poly2cheb(c), [-size, size])
        return within(self.scores(block), -size, size).polynomial(series)

    @property
    def _size(self) -> float:
        """The value in a slot that stands for a score of `bound`."""
        size = self.factor * self.plan.weight_bound
        # rounding may change 1.0 in the last place, and an interval other than [-1, 1] costs a
        # level
        return 1.0 if math.isclose(size, 1.0, rel_tol=1e-12) else size

    def unpack_scores(self, values: Vector, samples: int) -> Vector:
        """The scores z from the decrypted slots of a block."""
        return values[:: self.plan.chunk][:samples] * self.plan.bound / self._size

    def unpack_probabilities(self, values: Vector, samples: int) -> Vector:
        """The probabilities from the decrypted slots of a block. Warns with `TrainingWarning` if
        the values show that scores left the interval on which the polynomial approximates the
        sigmoid."""
        low, high = sigmoid.VALUES
        if not np.all((low <= values) & (values <= high)):
            warnings.warn(
                f"probabilities reach {values[np.argmax(np.abs(values - 0.5))]:.3g}: scores, or sums over parts of a "
                f"sample, are far beyond bound={self.plan.bound:g}, and values may be wrong. Ask for scores instead, or "
                "train with a larger bound",
                TrainingWarning,
                stacklevel=2,
            )
        return values[:: self.plan.chunk][:samples]


def train_in_the_clear(plan: TrainingPlan, rows: Vector) -> list[Vector]:
    """Runs the same algorithm in the clear on the rows of `plan.rows_of`. Returns the weights after
    every iteration."""
    c = plan.sigmoid
    w = v = np.zeros(rows.shape[1])
    history = []
    for t, eta in enumerate(plan.momentum()):
        b = plan.batch_of(t)
        batch = rows[b * plan.batch_size : (b + 1) * plan.batch_size]
        following = plan.shrinkage(t) * v + plan.rate(t) * (batch.T @ sigmoid.evaluate(c, batch @ v / plan.bound))
        v = (1 - eta) * following + eta * w
        w = following
        history.append(w)
    return history


def _sum(terms: Sequence[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
