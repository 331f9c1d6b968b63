"""What client and server agree on before training: sizes, packing, step sizes, when to bootstrap.

*Packing.* A block is a batch, or a part of one, of `rows` samples. A row holds `chunk` of a sample's `chunks * chunk`
features, and rows lie one after the other in the slots. Ciphertext k of a block holds in row r chunk `(r + k) mod chunks` of
sample r: diagonals, as of a matrix. The weights are one ciphertext of period `width = chunks * chunk`, so that row r of its
rotation by k rows meets the very chunk that is in row r of ciphertext k. No mask and no level is spent on the weights,
however many features there are, and since they repeat they bootstrap as a vector of `width` slots.

*Sizes.* Ciphertexts hold the weights divided by `weight_bound`, and the samples times `weight_bound / bound`, so that their
products are scores divided by `bound`. Weights within `weight_bound` are then small enough to bootstrap.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import Ciphertext, Client, EvaluationKeys, Parameters, Server, inner_sum_rotations
from .._scheme import expect_ckks
from . import sigmoid

Vector = npt.NDArray[np.float64]

#: Levels of an iteration, by the degree of the sigmoid's polynomial. The first one, at zero, takes one.
LEVELS = {degree: 2 + degree.bit_length() for degree in sigmoid.DEGREES}

FIRST_LEVELS = 1

#: What training can be told, beside the sizes of the data: arguments of `TrainingPlan.make`, of which it is a field.
SETTINGS = ("iterations", "degree", "bound", "learning_rate", "decay", "l2", "batch_size", "clip", "weight_bound")

#: What a pair in a sum of products costs, in units of a key switching: it is lowered and multiplied.
_PAIR = 0.35


def power_of_two(n: int) -> int:
    """The least power of two that is not below n."""
    return 1 << max(n - 1, 0).bit_length()


@dataclass(frozen=True)
class TrainingPlan:
    """A training run in numbers that both sides may know. Nothing of it depends on the values of the data."""

    samples: int
    features: int
    iterations: int
    batch_size: int
    degree: int
    bound: float
    learning_rate: float
    decay: float
    l2: float
    #: Bound on the features: the client cuts them off there.
    clip: float
    #: Bound on the weights, which is assumed; `check` finds out for the client whether it held.
    weight_bound: float
    #: Samples of a block.
    rows: int
    #: Features of a row of slots.
    chunk: int
    #: Ciphertexts of a block.
    chunks: int
    #: Level of fresh and bootstrapped ciphertexts.
    top: int
    #: Iterations before which the weights are bootstrapped.
    bootstraps: tuple[int, ...]
    #: Fingerprint of the parameters.
    parameters: str

    @staticmethod
    def make(
        params: Parameters,
        samples: int,
        features: int,
        *,
        iterations: int | None = 30,
        batch_size: int | None = None,
        degree: int = 15,
        bound: float = 20.0,
        learning_rate: float = 1.0,
        decay: float = 0.1,
        l2: float = 0.01,
        clip: float = 2.0,
        weight_bound: float = 4.0,
    ) -> TrainingPlan:
        """Chooses packing and schedule. Iteration t has the learning rate `learning_rate / (1 + decay t)` and works on
        `batch_size` samples, all by default; `l2` times half the squares of all weights is added to the loss, which keeps
        scores within `bound`, where the sigmoid's polynomial of degree `degree` is near it. Where the levels of `params` do
        not last, the weights are bootstrapped; `iterations=None` stands for as many as they last for. `clip`: the largest
        feature. `weight_bound`: the largest weight that training may meet on its way; a larger one costs precision."""
        expect_ckks(params, "training", "it takes polynomials, which parameters of CKKS have, such as n16-boot")
        if degree not in LEVELS:
            raise ValueError(f"degree = {degree}: odd numbers from 3 to 15 are known")
        if iterations is None:
            iterations = _fitting(params.depth, LEVELS[degree])
        if samples < 1 or features < 1 or iterations < 1:
            raise ValueError(f"samples = {samples}, features = {features}, iterations = {iterations}: at least 1 of each")
        batch = samples if batch_size is None else min(batch_size, samples)
        if batch < 1:
            raise ValueError(f"batch_size = {batch_size}: at least 1 is needed")
        for name, value, zero in [
            ("bound", bound, False),
            ("learning_rate", learning_rate, False),
            ("clip", clip, False),
            ("weight_bound", weight_bound, False),
            ("decay", decay, True),
            ("l2", l2, True),
        ]:
            if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
                expected = "a finite number, 0 or more," if zero else "a finite positive number"
                raise ValueError(f"{name} = {value}: {expected} is needed")
        bootstraps = schedule(params, iterations, LEVELS[degree])
        width = power_of_two(features + 1)
        if bootstraps:
            width = max(width, params.bootstrap_least_slots or 1)
        if width > params.slots:
            raise ValueError(f"{features} features do not fit into {params.slots} slots: choose a larger ring")
        rows, chunk = _packing(params.slots, width, batch)
        return TrainingPlan(
            samples,
            features,
            iterations,
            batch,
            degree,
            bound,
            learning_rate,
            decay,
            l2,
            clip,
            weight_bound,
            rows,
            chunk,
            width // chunk,
            params.depth,
            bootstraps,
            params.fingerprint,
        )

    # ---- sizes ----

    @property
    def width(self) -> int:
        """Slots of the weights: the features and the constant 1, padded."""
        return self.chunk * self.chunks

    @property
    def slots(self) -> int:
        """Slots of every ciphertext."""
        return self.rows * self.chunk

    @property
    def batches(self) -> int:
        """How many batches the data make."""
        return -(-self.samples // self.batch_size)

    @property
    def ciphertexts(self) -> int:
        """How many ciphertexts the data take."""
        return sum(self.blocks(b) for b in range(self.batches)) * self.chunks

    @property
    def magnitude(self) -> float:
        """Bound on what is encrypted: the constant 1 and the features, times `weight_bound / bound`."""
        return max(1.0, self.clip) * self.weight_bound / self.bound

    def batch_samples(self, batch: int) -> int:
        """Samples of a batch; the last one may be smaller."""
        return min(self.batch_size, self.samples - batch * self.batch_size)

    def blocks(self, batch: int) -> int:
        """Blocks of a batch."""
        return -(-self.batch_samples(batch) // self.rows)

    # ---- step sizes ----

    @property
    def sigmoid(self) -> tuple[float, ...]:
        """Coefficients of the polynomial near the sigmoid of -z, in z / bound."""
        return sigmoid.coefficients(self.degree, self.bound)

    def batch_of(self, t: int) -> int:
        """The batch of iteration t."""
        return t % self.batches

    def rate(self, t: int) -> float:
        """Learning rate of iteration t, for one sample."""
        return self.learning_rate / (1 + self.decay * t) / self.batch_samples(self.batch_of(t))

    def shrinkage(self, t: int) -> float:
        """By what the penalty multiplies the weights in iteration t."""
        return 1 - self.l2 * self.learning_rate / (1 + self.decay * t)

    def momentum(self) -> list[float]:
        """Nesterov's eta of each iteration; the last one is 0, as nothing comes after it."""
        etas, a = [], 1.0
        for _ in range(self.iterations):
            following = (1 + math.sqrt(1 + 4 * a * a)) / 2
            etas.append((1 - a) / following)
            a = following
        etas[-1] = 0.0
        return etas

    # ---- keys ----

    @property
    def rotations(self) -> list[int]:
        """The rotation keys that training and inference need."""
        needed = set(inner_sum_rotations(1, self.chunk)) | {1 - self.chunk}
        needed |= set(inner_sum_rotations(self.width, self.rows // self.chunks))
        if self.chunks > 1:
            needed.add(self.chunk)
        return sorted(needed)

    def keys(
        self, client: Client, progress: Any = None, *, key_memory: Literal["expanded", "compressed"] = "expanded"
    ) -> EvaluationKeys:
        """The evaluation keys for the server; those for bootstrapping only where it happens."""
        boot = [self.width] if self.bootstraps else None
        return client.evaluation_keys(
            self.rotations, bool(boot), progress=progress, bootstrapping=boot, key_memory=key_memory
        )

    # ---- the client's side ----

    def rows_of(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Vector:
        """The rows y (1, x), not padded, for labels in {-1, 1}."""
        values, labels = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if values.shape != (self.samples, self.features) or labels.shape != (self.samples,):
            expected = f"{self.samples} x {self.features}"
            raise ValueError(f"x has shape {values.shape}, y {labels.shape}: the plan is for {expected}")
        if not np.isin(labels, (-1.0, 1.0)).all():
            raise ValueError("labels must be -1 or 1")
        if (largest := np.max(np.abs(values))) > self.clip:
            raise ValueError(f"a feature is {largest:g}: the plan is for features within clip={self.clip:g}")
        return np.asarray(labels[:, None] * np.column_stack([np.ones(self.samples), values]))

    def pack_block(self, rows: Vector) -> list[Vector]:
        """The vectors of a block, one for each of its ciphertexts, from at most `self.rows` rows; times
        `weight_bound / bound`."""
        block = np.zeros((self.rows, self.width))
        block[: rows.shape[0], : rows.shape[1]] = rows * (self.weight_bound / self.bound)
        parts = block.reshape(self.rows, self.chunks, self.chunk)
        r = np.arange(self.rows)
        return [parts[r, (r + k) % self.chunks].ravel() for k in range(self.chunks)]

    def pack(self, rows: Vector) -> Iterator[Vector]:
        """The vectors that the client encrypts: batch after batch, block after block."""
        for b in range(self.batches):
            batch = rows[b * self.batch_size : (b + 1) * self.batch_size]
            for start in range(0, len(batch), self.rows):
                yield from self.pack_block(batch[start : start + self.rows])

    def encrypt(self, client: Client, rows: Vector) -> list[Ciphertext]:
        """The rows of `rows_of` as the server gets them."""
        return [client.encrypt(vector, magnitude=self.magnitude) for vector in self.pack(rows)]

    def client(self, params: Parameters, seed: int | bytes | None = None) -> Client:
        """A client with ciphertexts of the plan's number of slots."""
        if params.fingerprint != self.parameters:
            raise ValueError("the plan was made for other parameters")
        return Client(params, self.slots, seed)

    def unpack(self, values: Vector, factor: float = 1.0) -> Vector:
        """The weights (constant first) of a decrypted vector, which holds them times `factor`."""
        return np.array(values[: self.features + 1]) / factor

    # ---- the server's side ----

    def load(self, server: Server, data: list[bytes]) -> list[Ciphertext]:
        """The ciphertexts of the data."""
        if len(data) != self.ciphertexts:
            raise ValueError(f"{len(data)} ciphertexts: the plan has {self.ciphertexts}")
        return [server.load(part) for part in data]

    def inputs(self, server: Server) -> list[Ciphertext]:
        """The same on a model server, where they need no client: ciphertexts without values."""
        return [server.input(self.slots, magnitude=self.magnitude) for _ in range(self.ciphertexts)]

    # ---- bytes ----

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> TrainingPlan:
        fields = json.loads(text)
        return TrainingPlan(**{**fields, "bootstraps": tuple(fields["bootstraps"])})


def schedule(params: Parameters, iterations: int, levels: int) -> tuple[int, ...]:
    """The iterations before which the weights are bootstrapped: none, where the levels last."""
    if iterations <= _fitting(params.depth, levels):
        return ()
    floor = params.bootstrap_input_level
    if floor is None or params.depth - floor < max(levels, FIRST_LEVELS):
        most = _fitting(params.depth, levels)
        hint = "choose a preset that bootstraps" if floor is None else "a bootstrap leaves too few levels for one iteration"
        raise ValueError(f"iterations = {iterations}: {params.depth} levels are enough for {most}; {hint}")
    level, found = params.depth - FIRST_LEVELS, []
    for t in range(1, iterations):
        if level - levels < floor:
            found.append(t)
            level = params.depth
        level -= levels
    return tuple(found)


def _fitting(depth: int, levels: int) -> int:
    return 0 if depth < FIRST_LEVELS else 1 + (depth - FIRST_LEVELS) // levels


def _packing(slots: int, width: int, batch: int) -> tuple[int, int]:
    """Rows and features of a row with the least work for a batch."""

    def rows(chunk: int) -> int:
        return max(width // chunk, min(power_of_two(batch), slots // chunk))

    def cost(chunk: int) -> float:
        chunks, blocks = width // chunk, -(-batch // rows(chunk))
        inside, across = chunk.bit_length() - 1, (rows(chunk) // chunks).bit_length() - 1
        block = 2 * _PAIR * chunks + 3 + 2 * inside + 1
        return blocks * block + chunks + 2 * (chunks - 1) + across

    fits = [c for c in (1 << i for i in range(1, width.bit_length())) if rows(c) * c <= slots]
    chunk = min(fits, key=cost)
    return rows(chunk), chunk
