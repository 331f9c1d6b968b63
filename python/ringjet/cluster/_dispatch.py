"""Gives calls to workers, and results back in order.

Calls must be repeatable: a call whose worker is lost runs again on another one. A result that other
calls need stays on the node that made it. If that node is lost, the call that made it runs again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import ClusterError
from . import _errors, _pack
from ._node import Outcome
from ._pool import Pool, Worker
from ._ray import ray

#: How many calls are given to a worker at a time, so that it never waits for the next one.
_DEPTH = 2


@dataclass
class Call:
    """A call of a worker's method `do_<method>`."""

    method: str
    arguments: tuple[Any, ...]
    #: The number of the first item, for errors.
    item: int = 0
    #: Calls before this one in the list whose results follow the arguments.
    needs: tuple[int, ...] = ()
    #: The node that should run it, as a function of the call; None for any.
    home: Callable[[], str | None] | None = None
    #: Whether the result comes to this process.
    fetch: bool = True
    #: Called with the worker when the call is given to it: makes the last arguments before results.
    late: Callable[[Worker], tuple[Any, ...]] | None = None


@dataclass
class _Flight:
    """A call that a worker has."""

    number: int
    worker: Worker
    result: Any


class Dispatcher:
    """One run of a sequence of calls."""

    def __init__(self, pool: Pool, retries: int) -> None:
        self._pool, self._retries = pool, retries
        #: Calls that were lost with their nodes and ran again.
        self.repeated = 0
        #: Seconds that workers spent in calls.
        self.busy = 0.0
        self._calls: dict[int, Call] = {}
        self._ready: deque[int] = deque()
        self._waiting: set[int] = set()
        #: Calls that are ready, waiting or with a worker.
        self._scheduled: set[int] = set()
        self._flights: dict[Any, _Flight] = {}
        self._attempts: dict[int, int] = {}
        #: Results: values that were fetched, or references with their workers.
        self._values: dict[int, Any] = {}
        self._kept: dict[int, tuple[Any, Worker]] = {}

    def run(self, calls: Iterable[Call], window: int | None = None) -> Iterator[Any]:
        """Yields the result of each call that fetches its result, in order. With a `window`, calls
        are taken ahead of the results, at most so many for each worker."""
        source, taken, given, whole = iter(calls), 0, 0, False
        try:
            while True:
                most = None if window is None else given + window * max(1, len(self._pool.ready))
                while not whole and (most is None or taken < most):
                    call = next(source, None)
                    if call is None:
                        whole = True
                        break
                    self._calls[taken] = call
                    self._add(taken)
                    taken += 1
                while given in self._calls and (given in self._values or not self._calls[given].fetch):
                    call = self._calls[given]
                    if call.fetch:
                        del self._calls[given]
                        yield self._values.pop(given)
                    given += 1
                if whole and given == taken:
                    return
                self._turn()
        finally:
            self._stop()

    # ---- one turn ----

    def _turn(self) -> None:
        for worker in self._pool.poll():
            self._lose(worker)
        self._give()
        pending = list(self._flights)
        opening = [w.pending for w in self._pool.opening]
        done, _ = ray().wait([*pending, *opening], timeout=0.5) if pending or opening else ([], None)
        for ref in done:
            if ref in self._flights:
                self._land(ref)
            elif ref in opening:
                self._pool.poll(force=True)
        if not pending and not opening:
            # no worker: the pool raises an error when it has waited long enough
            self._pool.poll(force=True)
            time.sleep(0.1)

    def _add(self, number: int) -> None:
        """Makes a call ready, or lets it wait for what it needs. What was lost runs again."""
        self._scheduled.add(number)
        for need in self._calls[number].needs:
            if not self._has(need) and need not in self._scheduled:
                self.repeated += 1
                self._add(need)
        if all(self._has(need) for need in self._calls[number].needs):
            self._waiting.discard(number)
            self._ready.append(number)
        else:
            self._waiting.add(number)

    def _has(self, number: int) -> bool:
        return number in self._kept or number in self._values

    def _give(self) -> None:
        """Gives ready calls to workers, to the least loaded ones first."""
        workers = self._pool.ready
        load = {id(w): 0 for w in workers}
        for flight in self._flights.values():
            load[id(flight.worker)] = load.get(id(flight.worker), 0) + 1
        # towards the end a worker gets one call at a time, so that none has to wait for a slow one
        for depth in range(1, _DEPTH + 1):
            for worker in workers:
                if load[id(worker)] < depth and (depth == 1 or len(self._ready) > len(workers)):
                    number = self._chosen(worker)
                    if number is not None:
                        self._send(number, worker)
                        load[id(worker)] += 1

    def _chosen(self, worker: Worker) -> int | None:
        """The first ready call that this worker may run."""
        for at, number in enumerate(self._ready):
            home = self._calls[number].home
            if home is None or home() in (None, worker.place.id):
                del self._ready[at]
                return number
        return None

    def _send(self, number: int, worker: Worker) -> None:
        call = self._calls[number]
        late = call.late(worker) if call.late else ()
        needed = [self._kept[n][0] if n in self._kept else self._values[n] for n in call.needs]
        outcome, result = worker.actor.call.options(num_returns=2).remote(call.method, *call.arguments, *late, *needed)
        self._flights[outcome] = _Flight(number, worker, result)

    # ---- results ----

    def _land(self, ref: Any) -> None:
        """Takes the outcome of a call."""
        module = ray()
        flight = self._flights.pop(ref)
        number, worker = flight.number, flight.worker
        call = self._calls[number]
        try:
            outcome: Outcome = module.get(ref)
            value = module.get(flight.result) if outcome.error is None and call.fetch else None
        except (module.exceptions.ActorDiedError, module.exceptions.ActorUnavailableError) as error:
            self._retry(number, error)
            self._lose(worker)
            return
        except module.exceptions.RayError as error:
            # a result or a needed one was lost with its node
            for need in call.needs:
                self._forget(need)
            self._retry(number, error)
            self._pool.poll(force=True)
            return
        self.busy += outcome.seconds
        if outcome.error is not None:
            raise _errors.item(call.item + outcome.at, _pack.unpacked(outcome.error), worker.place.name, outcome.text)
        if call.fetch:
            self._values[number] = value
        else:
            self._kept[number] = (flight.result, worker)
        self._scheduled.discard(number)
        for waiting in sorted(self._waiting):
            self._add(waiting)

    def _lose(self, worker: Worker) -> None:
        """Drops a worker, and runs again what it had and what it kept."""
        self._pool.drop(worker)
        for ref in [ref for ref, flight in self._flights.items() if flight.worker is worker]:
            self._retry(self._flights.pop(ref).number, None)
        for number in [n for n, (_, owner) in self._kept.items() if owner is worker]:
            self._forget(number)

    def _forget(self, number: int) -> None:
        """Runs a call again whose kept result is lost, if somebody still needs it."""
        if self._kept.pop(number, None) is None:
            return
        for ready in [n for n in self._ready if number in self._calls[n].needs]:
            self._ready.remove(ready)
            self._add(ready)
        for waiting in [n for n in self._waiting if number in self._calls[n].needs]:
            self._add(waiting)

    def _retry(self, number: int, error: Exception | None) -> None:
        self.repeated += 1
        self._attempts[number] = self._attempts.get(number, 0) + 1
        if self._attempts[number] > self._retries:
            item = self._calls[number].item
            raise ClusterError(
                f"item {item}: its process ended {self._attempts[number]} times, on different nodes where there are some. "
                "It may take more memory than a node has"
            ) from error
        self._add(number)

    def _stop(self) -> None:
        """Takes back calls that have not begun. Calls that run are waited for by the next ones."""
        for flight in self._flights.values():
            try:
                ray().cancel(flight.result, force=False)
            except Exception:
                pass  # it has begun, or its worker is lost
        self._flights.clear()
