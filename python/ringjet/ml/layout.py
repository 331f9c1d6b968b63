"""The plan that client and server agree on before training: sizes, packing, step sizes and
bootstraps.

*Packing.* A block holds `rows` samples, which are a batch or a part of one. A sample has `chunks *
chunk` features, split into `chunks` chunks. A block takes `chunks` ciphertexts, each with `rows`
rows of `chunk` slots. Row r of ciphertext k holds chunk `(r + k) mod chunks` of sample r, like the
diagonals of a matrix. The weights are one ciphertext of period `width = chunks * chunk`. If it is
rotated by k rows, its row r holds the same chunk as row r of ciphertext k. Thus the weights need no
mask and no extra level for any number of features. Since they repeat, they are bootstrapped as a
vector of `width` slots.

*Sizes.* Ciphertexts hold the weights divided by `weight_bound` and the samples times `weight_bound
/ bound`. Their products are scores divided by `bound`. Weights within `weight_bound` are then small
enough for bootstrapping.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .._arrays import reals
from .._ringjet import Ciphertext, Client, EvaluationKeys, Parameters, Server, inner_sum_rotations
from .._scheme import expect_ckks
from . import sigmoid

Vector = npt.NDArray[np.float64]

#: Levels per iteration, by the degree of the sigmoid's polynomial. The first iteration starts at
#: zero and takes one level.
LEVELS = {degree: 2 + degree.bit_length() for degree in sigmoid.DEGREES}

FIRST_LEVELS = 1

#: The arguments of `TrainingPlan.make` that are also fields of the plan, besides the sizes of the
#: data.
SETTINGS = ("iterations", "degree", "bound", "learning_rate", "decay", "l2", "batch_size", "clip", "weight_bound")

#: The cost of one product in a sum of products, relative to a key switch: a level switch and a
#: multiplication.
_PAIR = 0.35


def power_of_two(n: int) -> int:
    """The least power of two that is not below n."""
    return 1 << max(n - 1, 0).bit_length()


@dataclass(frozen=True)
class TrainingPlan:
    """The public numbers of a training run, which both sides know. They do not depend on the values
    of the data."""

    samples: int
    features: int
    iterations: int
    batch_size: int
    degree: int
    bound: float
    learning_rate: float
    decay: float
    l2: float
    #: Bound on the absolute values of the features; the client cuts them off.
    clip: float
    #: Assumed bound on the absolute values of the weights; `check` tells the client whether it
    #: held.
    weight_bound: float
    #: Number of samples per block.
    rows: int
    #: Number of features per row of slots.
    chunk: int
    #: Number of ciphertexts per block.
    chunks: int
    #: Level of fresh and of bootstrapped ciphertexts.
    top: int
    #: The iterations before which the weights are bootstrapped.
    bootstraps: tuple[int, ...]
    #: Fingerprint of the parameters.
    parameters: str
    #: Number of blocks per shard, the part of a batch that one node of a cluster works on at a
    #: time.
    shard: int = 16

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
        shard: int = 16,
    ) -> TrainingPlan:
        """Chooses packing and schedule.

        - params: parameters. If their levels are too few for all iterations, the weights are
          bootstrapped in between.
        - iterations: number of iterations; None for as many as the levels allow.
        - degree, bound: degree of the sigmoid's polynomial (odd, 3 to 15), and the largest score at
          which the polynomial approximates the sigmoid.
        - learning_rate, decay: iteration t has the step size `learning_rate / (1 + decay * t)`.
        - l2: the loss gets the term `l2 / 2` times the sum of the squared weights, which keeps
          scores within `bound`.
        - batch_size: number of samples per iteration; all by default.
        - clip: bound on the absolute values of the features.
        - weight_bound: bound on the absolute values of the weights during training. A larger bound
          costs precision.
        - shard: number of blocks per shard; a smaller one lets more nodes of a cluster share a
          batch, and costs a relinearisation and a rotation per shard and chunk. Shards are
          rounded one by one, so the last bits of the results depend on it.

        learning_rate, bound, clip and weight_bound must be finite and positive; decay and l2 finite
        and at least 0; iterations, batch_size, samples, features and shard at least 1. Refused are HEAAN
        parameters, and more features than the slots of `params` can hold, or bootstrap
        (`features + 1`, rounded up to a power of two).
        """
        expect_ckks(params, "training", "it takes polynomials, which parameters of CKKS have, such as n16-boot")
        if degree not in LEVELS:
            raise ValueError(f"degree = {degree}: odd numbers from 3 to 15 are known")
        if iterations is None:
            iterations = _fitting(_top_level(params), LEVELS[degree])
        if samples < 1 or features < 1 or iterations < 1:
            raise ValueError(
                f"samples = {samples}, features = {features}, iterations = {iterations}: at least 1 of each"
            )
        batch = samples if batch_size is None else min(batch_size, samples)
        if batch < 1:
            raise ValueError(f"batch_size = {batch_size}: at least 1 is needed")
        if shard < 1:
            raise ValueError(f"shard = {shard}: at least 1 is needed")
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
        if width > params.slots:
            raise ValueError(f"{features} features do not fit into {params.slots} slots: choose a larger ring")
        if bootstraps and width > (params.bootstrap_most_slots or 0):
            raise ValueError(
                f"training on {features} features bootstraps {width} slots, these parameters at most "
                f"{params.bootstrap_most_slots}: choose others, such as n15-boot-fast"
            )
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
            _top_level(params),
            bootstraps,
            params.fingerprint,
            shard,
        )

    # ---- sizes ----

    @property
    def width(self) -> int:
        """The number of slots that the weights take: features and the constant 1, padded."""
        return self.chunk * self.chunks

    @property
    def slots(self) -> int:
        """The number of slots of every ciphertext."""
        return self.rows * self.chunk

    @property
    def batches(self) -> int:
        """The number of batches."""
        return -(-self.samples // self.batch_size)

    @property
    def ciphertexts(self) -> int:
        """The number of ciphertexts of the encrypted data."""
        return sum(self.blocks(b) for b in range(self.batches)) * self.chunks

    @property
    def magnitude(self) -> float:
        """Bound on the encrypted values: the constant 1 and the features, times `weight_bound /
        bound`."""
        return max(1.0, self.clip) * self.weight_bound / self.bound

    def batch_samples(self, batch: int) -> int:
        """The number of samples in a batch; the last batch may be smaller."""
        return min(self.batch_size, self.samples - batch * self.batch_size)

    def blocks(self, batch: int) -> int:
        """The number of blocks in a batch."""
        return -(-self.batch_samples(batch) // self.rows)

    def shards(self) -> list[list[tuple[int, int]]]:
        """For each batch its shards: the first ciphertext of the data, and the one after the
        last."""
        all_, start = [], 0
        for b in range(self.batches):
            end = start + self.blocks(b) * self.chunks
            step = self.shard * self.chunks
            all_.append([(i, min(i + step, end)) for i in range(start, end, step)])
            start = end
        return all_

    # ---- step sizes ----

    @property
    def sigmoid(self) -> tuple[float, ...]:
        """Coefficients of the polynomial that approximates the sigmoid of -z, in powers of z /
        bound."""
        return sigmoid.coefficients(self.degree, self.bound)

    def batch_of(self, t: int) -> int:
        """The batch of iteration t."""
        return t % self.batches

    def rate(self, t: int) -> float:
        """The learning rate of iteration t, per sample."""
        return self.learning_rate / (1 + self.decay * t) / self.batch_samples(self.batch_of(t))

    def shrinkage(self, t: int) -> float:
        """The factor by which the penalty shrinks the weights in iteration t."""
        return 1 - self.l2 * self.learning_rate / (1 + self.decay * t)

    def momentum(self) -> list[float]:
        """Nesterov's eta of each iteration. The last one is 0, since no iteration follows."""
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
        """The evaluation keys for the server. They include bootstrapping keys only if the plan
        bootstraps."""
        boot = [self.width] if self.bootstraps else None
        return client.evaluation_keys(
            self.rotations, bool(boot), progress=progress, bootstrapping=boot, key_memory=key_memory
        )

    # ---- the client's side ----

    def rows_of(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Vector:
        """The rows `y * (1, x)` for samples x and labels y in {-1, 1}, without padding."""
        values, labels = reals(x, "x"), reals(y, "y")
        if values.shape != (self.samples, self.features) or labels.shape != (self.samples,):
            expected = f"{self.samples} x {self.features}"
            raise ValueError(f"x has shape {values.shape}, y {labels.shape}: the plan is for {expected}")
        if not np.isin(labels, (-1.0, 1.0)).all():
            raise ValueError("labels must be -1 or 1")
        if (largest := np.max(np.abs(values))) > self.clip:
            raise ValueError(f"a feature is {largest:g}: the plan is for features within clip={self.clip:g}")
        return np.asarray(labels[:, None] * np.column_stack([np.ones(self.samples), values]))

    def pack_block(self, rows: Vector) -> list[Vector]:
        """The vectors of a block, one per ciphertext, from at most `self.rows` rows; the rows are
        multiplied by `weight_bound / bound`."""
        block = np.zeros((self.rows, self.width))
        block[: rows.shape[0], : rows.shape[1]] = rows * (self.weight_bound / self.bound)
        parts = block.reshape(self.rows, self.chunks, self.chunk)
        r = np.arange(self.rows)
        return [parts[r, (r + k) % self.chunks].ravel() for k in range(self.chunks)]

    def pack(self, rows: Vector) -> Iterator[Vector]:
        """All vectors to encrypt: batch by batch, block by block."""
        for b in range(self.batches):
            batch = rows[b * self.batch_size : (b + 1) * self.batch_size]
            for start in range(0, len(batch), self.rows):
                yield from self.pack_block(batch[start : start + self.rows])

    def encrypt(self, client: Client, rows: Vector) -> list[Ciphertext]:
        """Encrypts the rows of `rows_of` for the server."""
        return [client.encrypt(vector, magnitude=self.magnitude) for vector in self.pack(rows)]

    def client(self, params: Parameters, seed: int | bytes | None = None) -> Client:
        """A client whose ciphertexts have the plan's number of slots."""
        if params.fingerprint != self.parameters:
            raise ValueError("the plan was made for other parameters")
        return Client(params, self.slots, seed)

    def unpack(self, values: Vector, factor: float = 1.0) -> Vector:
        """The weights (constant first) from a decrypted vector that holds `factor` times the
        weights."""
        return np.array(values[: self.features + 1]) / factor

    # ---- the server's side ----

    def load(self, server: Server, data: list[bytes]) -> list[Ciphertext]:
        """Loads the encrypted data on the server."""
        if len(data) != self.ciphertexts:
            raise ValueError(f"{len(data)} ciphertexts: the plan has {self.ciphertexts}")
        return [server.load(part) for part in data]

    def inputs(self, server: Server) -> list[Ciphertext]:
        """The data as ciphertexts without values on a model server, which needs no client."""
        return [server.input(self.slots, magnitude=self.magnitude) for _ in range(self.ciphertexts)]

    # ---- bytes ----

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_json(text: str) -> TrainingPlan:
        fields = json.loads(text)
        return TrainingPlan(**{**fields, "bootstraps": tuple(fields["bootstraps"])})


def schedule(params: Parameters, iterations: int, levels: int) -> tuple[int, ...]:
    """The iterations before which the weights are bootstrapped; empty if the levels suffice."""
    if iterations <= _fitting(_top_level(params), levels):
        return ()
    floor = params.bootstrap_input_level
    if floor is None or params.depth < max(levels, FIRST_LEVELS):
        most = _fitting(_top_level(params), levels)
        hint = (
            "choose a preset that bootstraps"
            if floor is None
            else "a bootstrap leaves too few levels for one iteration"
        )
        raise ValueError(f"iterations = {iterations}: {_top_level(params)} levels are enough for {most}; {hint}")
    level, found = _top_level(params) - FIRST_LEVELS, []
    for t in range(1, iterations):
        if level - levels < floor:
            found.append(t)
            level = floor + params.depth
        level -= levels
    return tuple(found)


def _top_level(params: Parameters) -> int:
    """The level of a fresh ciphertext, which all parameters of CKKS have."""
    return cast(int, params.top_level)


def _fitting(depth: int, levels: int) -> int:
    return 0 if depth < FIRST_LEVELS else 1 + (depth - FIRST_LEVELS) // levels


def _packing(slots: int, width: int, batch: int) -> tuple[int, int]:
    """The number of rows and the features per row with the least work for a batch."""

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
