"""The workers of a cluster: started on every node, dropped when they are lost, replaced when they
can be."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .._ringjet import __version__
from ..errors import ClusterError, NodesLostError
from . import _errors, _pack
from ._node import Node, NodeInfo, Options, Outcome
from ._ray import Place, places, ray, start

#: How often processes of one node may end before the node is left alone.
_RESTARTS = 3

#: How often the list of nodes is asked for, in seconds.
_POLL = 1.0


@dataclass(eq=False)
class Worker:
    """A process on a node."""

    place: Place
    actor: Any
    #: When it was started, on the driver's clock.
    since: float
    ready: bool = False
    #: Whether it runs at all, and only the keys are missing.
    running: bool = False
    #: What is awaited until it is ready.
    pending: Any = None


class Pool:
    """The workers. Nodes that join get one; a lost node's is dropped."""

    def __init__(self, keys: Any, options: Options, most: int | None, start_timeout: float, wait: float) -> None:
        """`keys`: the reference of the keys in the object store."""
        self._keys, self._options = keys, _pack.packed(options, "the options")
        self._most, self._timeout, self._wait = most, start_timeout, wait
        self._workers: dict[str, Worker] = {}
        self._ends: Counter[str] = Counter()
        self._polled = 0.0
        self._alone = time.monotonic()
        #: Nodes whose cores are taken by other work.
        self.busy: set[str] = set()

    # ---- the workers ----

    @property
    def ready(self) -> list[Worker]:
        """The workers that take calls, in the order of their nodes' ids."""
        return sorted((w for w in self._workers.values() if w.ready), key=lambda w: w.place.id)

    @property
    def opening(self) -> list[Worker]:
        """The workers that are not ready yet."""
        return [w for w in self._workers.values() if not w.ready]

    def infos(self) -> list[NodeInfo]:
        """The state of every ready worker. Workers that are found lost are dropped."""
        module = ray()
        found = []
        for worker, asked in [(w, w.actor.info.remote(w.place.id, w.place.name)) for w in self.ready]:
            try:
                found.append(module.get(asked))
            except module.exceptions.RayError:
                self.drop(worker)
        return found

    def alive(self, worker: Worker) -> bool:
        """Whether the worker has not been dropped."""
        return self._workers.get(worker.place.id) is worker

    # ---- changes ----

    def poll(self, force: bool = False) -> list[Worker]:
        """Looks for new and for lost nodes, at most once a second. Returns the workers that were
        lost."""
        now = time.monotonic()
        if not force and now - self._polled < _POLL:
            return []
        self._polled = now
        there = {place.id: place for place in places()}
        lost = [w for id, w in self._workers.items() if id not in there]
        for worker in lost:
            self.drop(worker)
        for id, place in there.items():
            full = self._most is not None and len(self._workers) >= self._most
            if id not in self._workers and id not in self.busy and not full and self._ends[id] < _RESTARTS:
                self._workers[id] = self._started(place)
        for worker in self.opening:
            self._advance(worker)
        self._expect_nodes(now)
        return lost

    def _started(self, place: Place) -> Worker:
        worker = Worker(place, start(Node, place), time.monotonic())
        worker.pending = worker.actor.version.remote()
        return worker

    def _advance(self, worker: Worker) -> None:
        """Takes a worker from started to running to ready, without waiting."""
        module = ray()
        done, _ = module.wait([worker.pending], timeout=0)
        if not done:
            if not worker.running and time.monotonic() - worker.since > self._timeout:
                self.busy.add(worker.place.id)
                self.drop(worker)
            return
        try:
            answer = module.get(worker.pending)
        except module.exceptions.RayError:
            self.drop(worker)
            return
        if not worker.running:
            if answer != __version__:
                raise _errors.cluster(f"node {worker.place.name} has ringjet {answer}, this process {__version__}")
            worker.running = True
            worker.pending = worker.actor.open.remote(self._keys, self._options, worker.place.cores)
        else:
            outcome: Outcome = answer
            if outcome.error is not None:
                raise _pack.unpacked(outcome.error)
            worker.ready, worker.pending = True, None

    def drop(self, worker: Worker) -> None:
        """Ends a worker. Its node gets another one if it is still there."""
        if not self.alive(worker):
            return
        del self._workers[worker.place.id]
        self._ends[worker.place.id] += 1
        try:
            ray().kill(worker.actor)
        except Exception:
            pass  # it has ended

    def _expect_nodes(self, now: float) -> None:
        """Raises an error if there has been no worker for too long."""
        if self.ready or any(w.running for w in self.opening):
            self._alone = now
        elif now - self._alone > max(self._wait, self._timeout if self.opening else 0.0):
            raise self.lost()

    def lost(self) -> ClusterError:
        """The error for a cluster without nodes."""
        if self.busy and not self._ends.keys() - self.busy:
            return _errors.cluster("other work holds the cores of all nodes: a node's cores must all be free")
        if not self._ends:
            return _errors.cluster("the Ray cluster has no node with processors")
        return NodesLostError(f"no node is left, and none joined for {self._wait:g} s: add nodes, and call again")

    def open(self, show: Any) -> None:
        """Waits until every node that is there now has its keys. `show`: takes (done, total)."""
        self.poll(force=True)
        while opening := self.opening:
            ray().wait([w.pending for w in opening], timeout=0.2)
            for worker in opening:
                self._advance(worker)
            total = len(self._workers)
            show(total - len(self.opening), total)
        if not self.ready:
            raise self.lost()

    def close(self) -> None:
        """Ends all workers."""
        for worker in list(self._workers.values()):
            self.drop(worker)
