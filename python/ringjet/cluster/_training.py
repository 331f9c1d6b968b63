"""Training a logistic regression over the nodes of a cluster.

Each node keeps its shards of the data loaded. An iteration is a graph of calls: every shard's part
of the gradient, on the shard's node; additions of eight neighbouring parts; the step to the next
weights. The order of additions is that of `ringjet.ml.training.tree`, so the results have the bytes of one
process.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from .._ringjet import restore_ciphertext
from ..ml.layout import TrainingPlan
from ..ml.training import State, Step
from . import _pack
from ._dispatch import Call
from ._pool import Pool, Worker
from ._ray import ray
from ._work import Packed

#: How many parts one call adds: a power of two, so that the order of additions is that of `tree`.
_FAN = 8


class Homes:
    """Which node has which shard. A shard moves only if its node is lost, or has too many."""

    def __init__(self, pool: Pool, shards: int) -> None:
        self._pool, self._homes = pool, dict.fromkeys(range(shards), "")

    def of(self, shard: int) -> str | None:
        """The node of a shard; None if there is no node."""
        if self._homes[shard] not in {w.place.id for w in self._pool.ready}:
            self.balance()
        return self._homes[shard] or None

    def on(self, node: str) -> list[int]:
        """The shards of a node."""
        return [shard for shard, home in self._homes.items() if home == node]

    def balance(self) -> None:
        """Gives the shards of lost nodes, and those above an even share, to the nodes that have the
        fewest for their cores."""
        cores = {w.place.id: w.place.cores for w in self._pool.ready}
        if not cores:
            return
        whole, total = len(self._homes), sum(cores.values())
        most = {node: -(-whole * c // total) for node, c in cores.items()}
        held: Counter[str] = Counter()
        homeless = []
        for shard, home in self._homes.items():
            if home in cores and held[home] < most[home]:
                held[home] += 1
            else:
                homeless.append(shard)
        for shard in homeless:
            home = min(cores, key=lambda node: ((held[node] + 1) / cores[node], node))
            held[home] += 1
            self._homes[shard] = home


class Nodes(Protocol):
    """What a training needs of a cluster."""

    pool: Pool

    def calls(self, calls: Iterable[Call], window: int | None = None) -> Iterator[Any]: ...
    def bytes_of(self, ciphertext: Any) -> bytes: ...


class ClusterTraining:
    """A training over a cluster, with the interface of `ringjet.ml.EncryptedTraining`. The
    ciphertexts of its steps have no server, like those from a pickle."""

    def __init__(self, cluster: Nodes, plan: TrainingPlan, data: Sequence[Any]) -> None:
        """`data`: the encrypted samples, as ciphertexts or bytes, in the order of the plan."""
        if len(data) != plan.ciphertexts:
            raise ValueError(f"{len(data)} ciphertexts: the plan has {plan.ciphertexts}")
        self.plan, self._cluster = plan, cluster
        self._run, self._json = uuid.uuid4().hex, plan.to_json()
        #: The shards of each batch: their numbers among all shards.
        self._batches: list[list[int]] = []
        self._data: list[Any] = []
        put = ray().put
        for batch in plan.shards():
            self._batches.append([])
            for a, b in batch:
                self._batches[-1].append(len(self._data))
                self._data.append(put([_pack.array(cluster.bytes_of(ct)) for ct in data[a:b]]))
        self._homes = Homes(cluster.pool, len(self._data))

    def run(self, state: State | None = None) -> Iterator[Step]:
        """Trains from the beginning or from `state`, and yields after every iteration."""
        plan = self.plan
        packed: Packed | None = None
        if state is not None:
            packed = (state.done, state.v.to_bytes(), state.w.to_bytes(), state.factor)
        while packed is None or packed[0] < plan.iterations:
            t = 0 if packed is None else packed[0]
            began = time.perf_counter()
            if packed is not None and t in plan.bootstraps:
                (packed,) = self._cluster.calls([self._call("refresh", packed)])
            middle = time.perf_counter()
            self._homes.balance()
            ((packed, small, level, left),) = self._cluster.calls(self._iteration(t, packed))
            end = time.perf_counter()
            done, v, w, factor = packed
            made = State(done, restore_ciphertext(v), restore_ciphertext(w), factor)
            yield Step(t, made, restore_ciphertext(small), factor, level, middle - began, end - middle, left)

    def _call(self, method: str, *arguments: Any, **options: Any) -> Call:
        return Call("train", (self._run, self._json, method, *arguments), **options)

    def _iteration(self, t: int, state: Packed | None) -> list[Call]:
        """The calls of an iteration; the last one returns the next state."""
        v = [] if state is None else [ray().put(_pack.array(state[1]))]
        calls = [self._gradient(t, v, shard) for shard in self._batches[self.plan.batch_of(t)]]
        first, count = 0, len(calls)
        while count > _FAN:
            groups = [tuple(range(a, min(a + _FAN, first + count))) for a in range(first, first + count, _FAN)]
            calls += [self._call("added", needs=group, fetch=False) for group in groups]
            first, count = first + count, len(groups)
        calls.append(self._call("step", state, needs=tuple(range(first, first + count))))
        return calls

    def _gradient(self, t: int, v: list[Any], shard: int) -> Call:
        def late(worker: Worker) -> tuple[Any, ...]:
            return (self._homes.on(worker.place.id),)

        def home() -> Any:
            return self._homes.of(shard)

        return self._call("gradient", t, v, shard, [self._data[shard]], item=shard, home=home, fetch=False, late=late)
