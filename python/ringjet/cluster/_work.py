"""A node's part of a training."""

from __future__ import annotations

from typing import Any

from .._ringjet import Server
from ..ml.layout import TrainingPlan
from ..ml.training import Iteration, State, blocks_of, tree
from ._ray import ray

#: A state between two nodes: iterations done, v, w and the factor of w.
Packed = tuple[int, bytes, bytes, float]


class Training:
    """The loaded shards of a training, and its steps on bytes."""

    def __init__(self, plan: str, server: Server) -> None:
        self._plan, self._server = TrainingPlan.from_json(plan), server
        self._iteration = Iteration(self._plan)
        self._shards: dict[int, list[Any]] = {}
        #: The rotations of the weights in the iteration that is running.
        self._turned: tuple[int, Any] = (0, None)

    def gradient(self, t: int, v: Any, shard: int, data: list[Any], mine: list[int]) -> bytes:
        """A shard's part of the gradient.

        - v: the array of the point of the gradient, in a list with a reference.
        - data: a list with a reference to the shard's ciphertexts, fetched at the first use.
        - mine: the shards that belong to this node. Others are dropped from memory.
        """
        for other in set(self._shards) - set(mine):
            del self._shards[other]
        if shard not in self._shards:
            parts = ray().get(data[0])
            self._shards[shard] = blocks_of(self._plan, [self._loaded(part) for part in parts])
        if t and self._turned[0] != t:
            self._turned = (t, self._iteration.turned(self._loaded(ray().get(v[0]))))
        turned = self._turned[1] if t else None
        made: bytes = self._iteration.gradient(t, self._shards[shard], turned).to_bytes()
        return made

    def added(self, *parts: bytes) -> bytes:
        """The sum of the parts of neighbouring shards, or of neighbouring sums of these."""
        made: bytes = self._tree(parts).to_bytes()
        return made

    def step(self, state: Packed | None, *parts: bytes) -> tuple[Packed, bytes, int, int]:
        """The next state, the small ciphertext of its weights, and the levels before and after."""
        before = self._state(state)
        made = self._iteration.step(before, self._tree(parts))
        packed = (made.done, made.v.to_bytes(), made.w.to_bytes(), made.factor)
        level = self._plan.top if before is None else before.v.level
        return packed, made.w.to_level(0).to_bytes(), level, made.w.level

    def refresh(self, state: Packed) -> Packed:
        """The bootstrapped state."""
        known = self._state(state)
        assert known is not None
        made = self._iteration.refresh(known)
        return made.done, made.v.to_bytes(), made.w.to_bytes(), made.factor

    def _tree(self, parts: tuple[bytes, ...]) -> Any:
        return tree([self._loaded(part) for part in parts])

    def _state(self, state: Packed | None) -> State | None:
        if state is None:
            return None
        done, v, w, factor = state
        return State(done, self._loaded(v), self._loaded(w), factor)

    def _loaded(self, data: Any) -> Any:
        part = bytes(data)
        return self._server.load(part, max_bytes=len(part))
