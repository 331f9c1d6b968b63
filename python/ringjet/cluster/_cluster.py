"""The driver's side: `cluster` and `Cluster`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from .. import _checks
from .._ringjet import Ciphertext, EvaluationKeys, Parameters, restore_ciphertext
from ..errors import ClusterError
from ..ml.layout import TrainingPlan
from ..ml.training import EncryptedModel, State
from ..program._inputs import given
from ..progress import bar
from . import _pack, _ray
from ._dispatch import Call, Dispatcher
from ._node import NodeInfo, Options
from ._plan import ClusterPlan, Network, plan_function, plan_training
from ._pool import Pool
from ._training import ClusterTraining

Progress = bool | Callable[[int, int], object] | None

#: How many calls for each node are taken from the items ahead of the results.
_WINDOW = 4


class Cluster:
    """Computes on the nodes of a Ray cluster: `with rj.cluster(keys) as c: c.map(f, ciphertexts)`.
    Use it as a context, or call `close`. It needs `pip install ringjet[ray]`, and the same ringjet
    on every node.

    - keys: evaluation keys, their bytes, or the path of their file. They go once into Ray's object
      store, compressed, and every node expands them once. Nothing secret is ever sent: a `Client`
      or a secret key raises `SecretError`, also inside a function or an item.
    - params: of keys that come without theirs, as for `Server`.
    - address: "auto" for the Ray cluster that this machine is part of, or "host:port", or "local".
      None: the one that this process is connected to, or that RAY_ADDRESS names, or a local one.
    - backend, threads, key_memory, allow_insecure: as for `Server`. By default a node's server uses
      all cores of the node. Keys as an object allow what their parameters allow.
    - max_nodes: the largest number of nodes to use.
    - retries: how often an item is computed again whose node is lost.
    - start_timeout: seconds until a node is left out whose cores other work holds.
    - wait_for_nodes: seconds to wait for another node when the last one is lost.
    - progress: True for a bar of nodes that have their keys, or a callable that takes (done,
      total).
    """

    def __init__(
        self,
        keys: EvaluationKeys | bytes | bytearray | str | PathLike[str],
        *,
        params: Parameters | str | None = None,
        address: str | None = None,
        backend: str = "auto",
        threads: int | None = None,
        key_memory: Literal["expanded", "compressed"] | None = None,
        allow_insecure: bool = False,
        max_nodes: int | None = None,
        retries: int = 3,
        start_timeout: float = 60.0,
        wait_for_nodes: float = 60.0,
        progress: Progress = None,
    ) -> None:
        if max_nodes is not None and max_nodes < 1:
            raise _checks.refusal("max_nodes", max_nodes, "at least 1")
        if retries < 0:
            raise _checks.refusal("retries", retries, "at least 0")
        _ray.ray()
        known = None if params is None else given(params)
        data, allow = _key_bytes(keys, allow_insecure)
        #: The parameters of the keys.
        self.params: Parameters = known or _parameters(data, allow)
        #: Bytes of the keys in the object store.
        self.key_bytes = len(data)
        self._retries = retries
        #: How many calls were lost with their nodes and ran again.
        self.repeated = 0
        #: Seconds that all nodes together have spent in calls.
        self.busy_seconds = 0.0
        self._owns_ray = _ray.connect(address)
        self._closed = False
        try:
            self._keys = _ray.ray().put(data)
            del data
            options = Options(backend, threads, allow, key_memory, known)
            self.pool = Pool(self._keys, options, max_nodes, start_timeout, wait_for_nodes)
            self.pool.open(_shown(progress, "nodes"))
            #: Numbers of slots for which there are bootstrapping keys.
            self.bootstrapping = next((node.bootstrapping for node in self.nodes), [])
        except BaseException:
            self.close()
            raise

    # ---- the context ----

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes on the nodes, and disconnects from Ray if this object connected."""
        if self._closed:
            return
        self._closed = True
        if hasattr(self, "pool"):
            self.pool.close()
        self._keys = None
        if self._owns_ray:
            _ray.ray().shutdown()

    @property
    def nodes(self) -> list[NodeInfo]:
        """The nodes that are ready, with their processes, threads, times and memory."""
        return self.pool.infos()

    def __repr__(self) -> str:
        if self._closed:
            return "Cluster(closed)"
        cores = [w.place.cores for w in self.pool.ready]
        return f"Cluster({len(cores)} nodes, {sum(cores)} cores, {self.params})"

    # ---- work ----

    def map(
        self,
        f: Callable[..., Any],
        items: Iterable[Any],
        *,
        batch: int = 1,
        progress: Progress = None,
    ) -> list[Any]:
        """`[f(x) for x in items]`, or of `f(server, x)` if the first parameter is called `server`.

        - f: a function of a ciphertext, or of anything that contains ciphertexts or public values.
          It must give the same result when it is called again, since the item of a lost node is
          computed again. It is sent by Ray's pickles.
        - items: an iterable; with a length `progress` knows the total.
        - batch: number of items per call. More are faster if an item takes milliseconds only.
        - progress: True for a bar, or a callable that takes (done, total).

        An exception of `f` is raised here as an `ItemError`, which is also an instance of its own
        class and names the item. It is not tried again.
        """
        if not isinstance(items, Sequence):
            items = list(items)
        show, results = _shown(progress, "map"), []
        for result in self.imap(f, items, batch=batch):
            results.append(result)
            show(len(results), len(items))
        return results

    def imap(self, f: Callable[..., Any], items: Iterable[Any], *, batch: int = 1) -> Iterator[Any]:
        """As `map`, one result after the other in the order of the items. Items are taken as
        results are, so that neither have to fit into memory."""
        self._open()
        if batch < 1:
            raise _checks.refusal("batch", batch, "at least 1")
        function = _pack.packed(f, "the function")
        name = hashlib.sha256(function).hexdigest()
        sent = _ray.ray().put(_pack.array(function))

        def calls() -> Iterator[Call]:
            source, first = iter(items), 0
            while chunk := list(islice(source, batch)):
                parts = [_pack.packed(x, f"item {first + i}") for i, x in enumerate(chunk)]
                yield Call("map", (name, sent, parts), item=first)
                first += len(chunk)

        def results() -> Iterator[Any]:
            for made in self.calls(calls(), _WINDOW):
                yield from _pack.unpacked(made)

        return results()

    def bootstrap_many(
        self, ciphertexts: Sequence[Ciphertext | bytes], real: bool = False, progress: Progress = None
    ) -> list[Ciphertext]:
        """`bootstrap` of each, with the results of `Server.bootstrap_many`. `real` says that the values are real.
        Ciphertexts that share a bootstrap go to one node: two real ones, or with keys for more slots too as many as
        have room there."""
        self._open()
        if not ciphertexts:
            return []
        slots = restore_ciphertext(self.bytes_of(ciphertexts[0])).slots
        step = (2 if real else 1) * max(1, max(self.bootstrapping, default=0) // slots)

        show, made = _shown(progress, "bootstrap"), []

        def calls() -> Iterator[Call]:
            for i in range(0, len(ciphertexts), step):
                yield Call("bootstrap", (real, [self.bytes_of(ct) for ct in ciphertexts[i : i + step]]), item=i)

        for group in self.calls(calls(), _WINDOW):
            made += [restore_ciphertext(part) for part in group]
            show(len(made), len(ciphertexts))
        return made

    def train(
        self,
        plan: TrainingPlan,
        data: Sequence[Ciphertext | bytes],
        *,
        state: State | None = None,
        progress: Progress = None,
    ) -> EncryptedModel:
        """Trains a logistic regression and returns the encrypted model. Its bytes are those of
        `ringjet.ml.EncryptedTraining`, whatever the number of nodes. `LogisticRegression(cluster=...)`
        does it from samples to coefficients.

        - plan: the training's plan; its `shard` is the number of blocks in a node's unit of work.
        - data: the encrypted samples of `plan.encrypt`.
        - state: the state of an earlier step, to go on from there.
        """
        show, last = _shown(progress, "training"), state
        for step in self.training(plan, data).run(state):
            last = step.state
            show(step.iteration + 1, plan.iterations)
        assert last is not None, "a plan has at least one iteration"
        return EncryptedModel(plan, last.w, last.factor)

    def training(self, plan: TrainingPlan, data: Sequence[Ciphertext | bytes]) -> ClusterTraining:
        """A training whose `run` yields after every iteration."""
        self._open()
        if plan.parameters != self.params.fingerprint:
            raise ValueError("the plan was made for other parameters than the keys of the cluster")
        return ClusterTraining(self, plan, data)

    def plan(
        self,
        f: Callable[..., Any] | TrainingPlan,
        n: int = 1,
        *,
        nodes: int | None = None,
        device: str | PathLike[str] | None = None,
        network: Network | None = None,
        **options: Any,
    ) -> ClusterPlan:
        """What `map(f, ...)` of `n` items takes, or a training by its plan, by the cost model.
        Nothing is computed.

        - nodes: number of nodes; by default those that are ready.
        - device: a name of `ringjet.devices()`, or the path of a profile that `ringjet model
          calibrate` wrote on a node. By default a built-in profile of one or two cores.
        - network: bandwidth and latency between nodes.
        - options: those of `ringjet.plan`, such as `level` and `magnitudes`.
        """
        self._open()
        ready = self.pool.ready
        count = nodes or max(1, len(ready))
        least = min((w.place.cores for w in ready), default=1)
        chosen = device or ("cpu-ifma-1core" if least == 1 else "cpu-ifma-2core")
        expand = max((info.expand_seconds for info in self.nodes), default=None)
        known: dict[str, Any] = {"key_bytes": self.key_bytes, "expand_s": expand, "network": network}
        if isinstance(f, TrainingPlan):
            return plan_training(f, self.params, count, chosen, **known)
        return plan_function(f, self.params, n, count, chosen, **known, **options)

    def load(self, data: bytes) -> Ciphertext:
        """A ciphertext of these bytes without a server, for `map` and `bootstrap_many`."""
        return restore_ciphertext(data)

    # ---- for the parts of this package ----

    def calls(self, calls: Iterable[Call], window: int | None = None) -> Iterator[Any]:
        """Runs calls and yields the results that are fetched."""
        dispatcher = Dispatcher(self.pool, self._retries)
        try:
            yield from dispatcher.run(calls, window)
        finally:
            self.repeated += dispatcher.repeated
            self.busy_seconds += dispatcher.busy

    def bytes_of(self, ciphertext: Ciphertext | bytes | bytearray) -> bytes:
        """The bytes of a ciphertext; refuses everything that is secret."""
        _pack.check_public(ciphertext)
        if isinstance(ciphertext, Ciphertext):
            return ciphertext.to_bytes()
        if isinstance(ciphertext, (bytes, bytearray)):
            return bytes(ciphertext)
        raise TypeError(f"ciphertexts or their bytes are needed, not {type(ciphertext).__name__}")

    def _open(self) -> None:
        if self._closed:
            raise ClusterError("this cluster is closed: make another one")


#: `rj.cluster`: `with rj.cluster(keys) as c` reads better than the name of the class.
cluster = Cluster


def _key_bytes(keys: Any, allow_insecure: bool) -> tuple[_pack.Bytes, bool]:
    """The compressed keys as an array, and whether their parameters may be insecure."""
    _pack.check_public(keys)
    if isinstance(keys, EvaluationKeys):
        return _pack.array(keys.to_bytes()), allow_insecure or keys.params.allow_insecure
    if isinstance(keys, (bytes, bytearray)):
        return _pack.array(keys), allow_insecure
    if isinstance(keys, (str, PathLike)):
        data = np.memmap(fspath(keys), dtype=np.uint8, mode="r")
        _pack.check_public(data)
        return np.asarray(data), allow_insecure
    raise TypeError(f"keys: EvaluationKeys, their bytes or the path of their file, not {type(keys).__name__}")


def _parameters(data: _pack.Bytes, allow_insecure: bool) -> Parameters:
    """The parameters in front of serialized keys."""
    head = data[:32].tobytes()
    length = int.from_bytes(head[24:32], "little") if len(head) == 32 and head[7] == 1 else 0
    if not 32 < length <= len(data):
        raise _checks.refusal("params", None, "the parameters of keys that come without theirs")
    return Parameters.from_bytes(data[:length].tobytes(), allow_insecure=allow_insecure)


def _shown(progress: Progress, label: str) -> Callable[[int, int], object]:
    if callable(progress):
        return progress
    return bar(label) if progress else lambda done, total: None
