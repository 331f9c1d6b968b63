"""Logistic regression trained on encrypted data, after HELR (Han, Song, Cheon, Park, AAAI 2019): the server's side, which
holds no secret.

*One iteration* of Nesterov's method with a sigmoid of degree 3 takes four levels, up to degree 7 five, up to degree 15 six:

1. The data times the weights, summed over the features of a row by rotations to the left: right in slot 0 of each row.
2. The square, and beside it the product with a mask that keeps slot 0 and carries a coefficient of the sigmoid.
3. Their product (see `sigmoid.factors`), which takes one, two or three levels. The constant 1/2 is added to slot 0, and slot 0
   goes to the whole row.
4. The product with the data times the learning rate; sums over blocks, diagonals and samples, right in every slot.

Scalars of Nesterov's combination cost nothing, because the weights before the iteration have levels to spare by the time the
gradient is there. With a = 1 - eta: `v+ = a (v + g) + eta w` and `a w+ = a (v + g)`, so the gradient is made a times as
large, and w is kept times a known factor.

*Bootstrapping.* v and w are real, so `v + i w` takes one bootstrap. The parts come back by adding and subtracting the
conjugate, which doubles them; the iteration before makes halves.

*Bounds.* A server must know how large values can be, or it refuses to go on; worst cases of what the data could be grow
without end. So a plan says what is assumed of a run: weights within `weight_bound` (and the point where the gradient is taken
within twice as much), scores within `sigmoid.reach` of `bound`, sums over parts of rows within `PARTIAL` times that. None of
it can be proved without the data. The client that has them finds out whether it held, with `check`. Everything else is
proved from it below.
"""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import Ciphertext, Server, sum_of_products, weighted_sum
from .._ringjet import restore_ciphertext
from ..errors import MalformedError, TooManyBytesError
from . import sigmoid
from .assumptions import PARTIAL, TrainingWarning
from .layout import TrainingPlan

Vector = npt.NDArray[np.float64]

#: A ciphertext.
Encrypted = Any


@dataclass(frozen=True)
class State:
    """What the next iteration starts from."""

    #: Iterations done.
    done: int
    #: The point where the next gradient is taken.
    v: Encrypted
    #: The weights times `factor`.
    w: Encrypted
    factor: float


@dataclass(frozen=True)
class Step:
    """An iteration that is done."""

    iteration: int
    state: State
    #: The weights times `factor` in a small ciphertext, for a learning curve.
    weights: Encrypted
    factor: float
    #: Level before and after.
    level: int
    #: Time of the bootstrap before it, and of the iteration, without the small ciphertext.
    bootstrap_seconds: float
    seconds: float


class EncryptedTraining:
    """Trains on ciphertexts. All it knows beside them is public: the plan, and the keys of their server."""

    def __init__(self, plan: TrainingPlan, data: Sequence[Encrypted]) -> None:
        """`data`: what `plan.load` gives."""
        if len(data) != plan.ciphertexts or any(ct.slots != plan.slots for ct in data):
            raise ValueError(f"the plan is for {plan.ciphertexts} ciphertexts of {plan.slots} slots")
        self.plan = plan
        samples = data
        self._batches: list[list[Sequence[Encrypted]]] = []
        start = 0
        for b in range(plan.batches):
            blocks = []
            for _ in range(plan.blocks(b)):
                blocks.append(samples[start : start + plan.chunks])
                start += plan.chunks
            self._batches.append(blocks)
        mask = np.zeros((plan.rows, plan.chunk))
        mask[:, 0] = 1.0
        self._mask = mask.ravel()
        self._reach = sigmoid.reach(plan.degree, plan.bound) / plan.bound
        #: The gradient in units of `weight_bound`, of samples as they are packed.
        self._gradient = plan.bound / plan.weight_bound**2

    def run(self, state: State | None = None) -> Iterator[Step]:
        """Trains, from the beginning or from a state; yields after every iteration."""
        etas = self.plan.momentum()
        while state is None or state.done < self.plan.iterations:
            began = time.perf_counter()
            if state is not None and state.done in self.plan.bootstraps:
                state = self._refresh(state)
            middle = time.perf_counter()
            level = self.plan.top if state is None else state.v.level
            state = self._first(etas[0]) if state is None else self._iterate(state, etas[state.done])
            end = time.perf_counter()
            small = state.w.to_level(0)
            yield Step(state.done - 1, state, small, state.factor, level, middle - began, end - middle)

    def _size(self, t: int, eta: float) -> float:
        """By what the results of iteration t are multiplied: bootstrapping doubles them."""
        return (1 - eta) * (0.5 if t + 1 in self.plan.bootstraps else 1.0)

    def _first(self, eta: float) -> State:
        """The first iteration: at zero the sigmoid is 1/2."""
        plan = self.plan
        size = self._size(0, eta)
        factor = size * plan.rate(0) * self._gradient * plan.sigmoid[0]
        blocks = self._batches[0]
        sums = [weighted_sum([block[k] for block in blocks], [factor] * len(blocks)) for k in range(plan.chunks)]
        gradient = self._gathered(sums)
        # assumed, see above: weights within their bound; v and w are the same here
        gradient = within(gradient, -size, size)
        return State(1, gradient, gradient, size / plan.weight_bound)

    def _iterate(self, state: State, eta: float) -> State:
        plan, t = self.plan, state.done
        size = self._size(t, eta)
        blocks = self._batches[plan.batch_of(t)]
        turned = [state.v]
        for _ in range(plan.chunks - 1):
            turned.append(turned[-1].rotate(plan.chunk))
        spread = [self._sigmoid(block, turned) for block in blocks]
        rate = size * plan.rate(t) * self._gradient
        sums = []
        for k in range(plan.chunks):
            data = [weighted_sum([block[k]], [rate], spread[0].level) for block in blocks]
            sums.append(sum_of_products(data, spread))
        gradient = self._gathered(sums)
        kept = size * plan.shrinkage(t)
        weights = weighted_sum([state.v], [kept], gradient.level) + gradient
        v = weights
        if eta != 0.0:
            # the sizes of v+ and w+ agree, so both may be halved
            back = size / (1 - eta) * eta / (state.factor * plan.weight_bound)
            rest = weighted_sum([state.v, state.w], [kept, back], gradient.level)
            v = rest + gradient
        # assumed, see above: weights within the bound, in whose units they are, and v within twice as much
        largest = 2 * size / (1 - eta)
        v, weights = within(v, -largest, largest), within(weights, -size, size)
        return State(t + 1, v, weights, size / plan.weight_bound)

    def _sigmoid(self, block: Sequence[Encrypted], turned: Sequence[Encrypted]) -> Encrypted:
        """The sigmoid of -z for every sample of a block, in all slots of its row."""
        plan = self.plan
        form = sigmoid.factors(plan.sigmoid)
        # assumed, see above: scores are in slot 0 of each row, sums over parts of rows in the others
        partial = PARTIAL * self._reach
        inner = within(sum_of_products(block, turned).inner_sum(1, plan.chunk), -partial, partial)
        # the mask leaves nothing but scores
        largest = abs(form.lead) * self._reach
        masked, square = within(inner * (form.lead * self._mask), -largest, largest), inner * inner
        terms = [masked if form.root is None else masked * (square - form.root)]
        for h, k in form.squares:
            shifted = square + h
            terms.append(shifted * shifted + k)
        while len(terms) > 1:
            pairs = [a * b for a, b in zip(terms[::2], terms[1::2])]
            terms = pairs + terms[2 * len(pairs) :]
        # slot 0 has the polynomial of a score, less its constant, and the others have 0
        low, high = sigmoid.VALUES
        constant = plan.sigmoid[0]
        value = within(terms[0], low - constant, high - constant) + constant * self._mask
        # every slot gets slot 0 of its row, and zeros
        return within(value.rotate(1 - plan.chunk).inner_sum(1, plan.chunk), low, high)

    def _gathered(self, sums: Sequence[Encrypted]) -> Encrypted:
        """Sums over all rows, each diagonal turned to where its chunks belong: in a vector that ends where it begins a
        rotation by -k rows and one by `chunks - k` rows are the same to what is then summed."""
        plan = self.plan
        total = sums[0]
        if plan.chunks > 1:
            total = sums[1]
            for following in [*sums[2:], sums[0]]:
                total = total.rotate(plan.chunk) + following
        return total.inner_sum(plan.width, plan.rows // plan.chunks)

    def _refresh(self, state: State) -> State:
        """All levels again."""
        plan = self.plan
        both = (state.v + state.w.times_i()).with_slots(plan.width).bootstrap()
        conjugate = both.conjugate()
        # real, and twice what they were
        (low, high), (least, most) = state.v.range, state.w.range
        v = within((both + conjugate).with_slots(plan.slots), 2 * low, 2 * high)
        w = within((conjugate - both).times_i().with_slots(plan.slots), 2 * least, 2 * most)
        return State(state.done, v, w, 2 * state.factor)


def within(ct: Encrypted, low: float, high: float) -> Encrypted:
    """States that values are real and between `low` and `high`, where no less is known already."""
    known, most = ct.range
    return ct.with_range(max(low, known), min(high, most))


#: What the bytes of a model begin with, the last one being a version.
_MAGIC = b"RJEM\x01"


def _malformed(reason: str, offset: int) -> MalformedError:
    what = "encrypted model"
    error = MalformedError(f"{what}: {reason} (at byte {offset})")
    error.what, error.reason, error.offset = what, reason, offset
    return error


class EncryptedModel:
    """Weights, encrypted or in the clear, that answer for encrypted samples; or encrypted weights for samples in the clear.
    It holds no secret."""

    def __init__(self, plan: TrainingPlan, weights: Encrypted | npt.ArrayLike, factor: float = 1.0) -> None:
        """`weights`: a state's `w` with its `factor`, or numbers, constant first."""
        self.plan, self.factor, self._weights = plan, factor, weights
        if not isinstance(weights, Ciphertext):
            # in units of `weight_bound`, as encrypted ones are
            self.factor = factor / plan.weight_bound
            self._weights = self._packed(np.asarray(weights, dtype=np.float64) / plan.weight_bound)

    def to_bytes(self) -> bytes:
        """The model as bytes: the plan, and the weights as they are, encrypted or in the clear."""
        own, encrypted = self._weights, isinstance(self._weights, Ciphertext)
        fields = {"plan": self.plan.to_json(), "factor": self.factor, "encrypted": encrypted}
        front = json.dumps(fields, sort_keys=True).encode()
        weights = own.to_bytes() if isinstance(own, Ciphertext) else np.asarray(own, dtype="<f8").tobytes()
        return b"".join([_MAGIC, len(front).to_bytes(4, "little"), front, weights])

    @staticmethod
    def from_bytes(data: bytes, *, server: Server | None = None, max_bytes: int = 256 << 20) -> EncryptedModel:
        """Reads the bytes of `to_bytes`; more than `max_bytes` are refused. Encrypted weights go to `server`; without one they
        join, at their first use, the only server of the process that has their parameters, as those of a pickle do."""
        if len(data) > max_bytes:
            what = "encrypted model"
            error = TooManyBytesError(f"{what} of {len(data)} bytes exceeds the limit of {max_bytes}: raise max_bytes")
            error.what, error.bytes, error.limit = what, len(data), max_bytes
            raise error
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

    def _packed(self, weights: npt.ArrayLike) -> Vector:
        padded = np.zeros(self.plan.width)
        padded[: self.plan.features + 1] = np.asarray(weights, dtype=np.float64)
        return np.tile(padded, self.plan.slots // self.plan.width)

    def refreshed(self) -> EncryptedModel:
        """The same with all levels again."""
        if not isinstance(self._weights, Ciphertext):
            return self
        weights, factor = self._weights.with_slots(self.plan.width), self.factor
        if weights.magnitude > 1.0:
            # in the middle of a run weights are held up to twice as large, and only up to 1 they can be bootstrapped
            weights, factor = weights * 0.5, factor * 0.5
        return EncryptedModel(self.plan, weights.bootstrap(real=True).with_slots(self.plan.slots), factor)

    @property
    def weights(self) -> Encrypted:
        """The weights times `factor`, repeated."""
        return self._weights

    def pack(self, x: npt.ArrayLike) -> list[list[Vector]]:
        """What the client encrypts to ask for samples: for each block of `plan.rows` samples its vectors, up to
        `plan.magnitude` for features within `plan.clip`."""
        values = np.asarray(x, dtype=np.float64)
        rows = np.column_stack([np.ones(len(values)), values])
        return [self.plan.pack_block(rows[i : i + self.plan.rows]) for i in range(0, len(rows), self.plan.rows)]

    def scores(self, block: Sequence[Any]) -> Encrypted:
        """Scores z for a block, encrypted or in the clear, as `pack` makes them: `factor weight_bound z / bound` in the first
        slot of every row. One level."""
        products = []
        turned: Any = self._weights
        for k, part in enumerate(block):
            if k:
                clear = isinstance(turned, np.ndarray)
                turned = np.roll(turned, -self.plan.chunk) if clear else turned.rotate(self.plan.chunk)
            products.append(part * turned)
        return _sum(products).inner_sum(1, self.plan.chunk)

    def probabilities(self, block: Sequence[Any]) -> Encrypted:
        """The polynomial near the sigmoid of the scores, in the first slot of every row: one level and those of a polynomial of
        the plan's degree, and one more where `factor weight_bound` is not 1. It is assumed that scores, and the sums over parts
        of rows in other slots, are within `plan.bound`: `unpack_probabilities` warns the client where they were not."""
        c = [coefficient * (-1) ** i for i, coefficient in enumerate(self.plan.sigmoid)]
        size = self._size
        # by Chebyshev polynomials: powers would lose digits to large coefficients
        series = np.polynomial.Chebyshev(np.polynomial.chebyshev.poly2cheb(c), [-size, size])
        return within(self.scores(block), -size, size).polynomial(series)

    @property
    def _size(self) -> float:
        """What a score of `bound` is held as."""
        size = self.factor * self.plan.weight_bound
        # a division and a product may be off in the last place, and other intervals than [-1, 1] take a level
        return 1.0 if math.isclose(size, 1.0, rel_tol=1e-12) else size

    def unpack_scores(self, values: Vector, samples: int) -> Vector:
        """The scores z of a decrypted block."""
        return values[:: self.plan.chunk][:samples] * self.plan.bound / self._size

    def unpack_probabilities(self, values: Vector, samples: int) -> Vector:
        """The probabilities of a decrypted block. Warns with `TrainingWarning` where values show that scores left the interval
        on which the polynomial is near the sigmoid."""
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
    """The same algorithm on the rows of `plan.rows_of`: the weights after every iteration."""
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
