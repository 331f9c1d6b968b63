"""How a computation would split over nodes, by the cost model.

The model of a node is a device of `ringjet.devices()`. What is added here is stated in the fields
of `Network` and of `ClusterPlan`: no other overhead is counted, and all nodes are equally fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from .._checks import refusal
from .._ringjet import Parameters, Server
from .._text import duration, quantity, size
from ..ml.layout import TrainingPlan
from ..ml.training import Iteration, State, blocks_of, tree
from ..program import Estimate, Plan
from ..program import plan as plan_of

#: Bytes of keys that a core expands in a second, measured as bytes of the compressed keys.
EXPAND_RATE = 150e6

#: How many parts one call of a training adds.
_FAN = 8


@dataclass(frozen=True)
class Network:
    """The network between nodes."""

    #: Bytes that a node sends, and receives, in a second.
    bandwidth: float = 1.25e9
    #: Seconds of a call apart from its bytes.
    latency: float = 2e-3

    def send(self, bytes: float) -> float:
        """Seconds until the bytes are on one other node."""
        return self.latency + bytes / self.bandwidth

    def broadcast(self, bytes: float, nodes: int) -> float:
        """Seconds until the bytes are on all nodes. Every node that has them sends them to one
        that lacks them, so their number doubles with each round."""
        return math.ceil(math.log2(nodes + 1)) * self.send(bytes)


@dataclass(frozen=True)
class ClusterPlan:
    """The predicted split of a computation over nodes."""

    device: str
    nodes: int
    #: Number of items; of a training the number of iterations.
    items: int
    #: Seconds from the keys on the driver to the last result.
    seconds: float
    #: Seconds until every node has received the keys, has expanded them, and has made the
    #: matrices of bootstrapping.
    keys_seconds: float
    expand_seconds: float
    set_up_seconds: float
    #: Seconds of computing on the busiest node, and of traffic between driver and nodes. In `map`
    #: they overlap; in a training they follow each other.
    work_seconds: float
    traffic_seconds: float
    #: Bytes of the keys that every node receives once, and of what travels for one item.
    key_bytes: int
    item_bytes: int
    #: Items in a second, without the time before the first item.
    throughput: float
    #: The largest number of bytes that a node needs at a time, and whether its device has them.
    node_bytes: int
    fits: bool
    #: The plan and the estimate of one item; of a training None and one shard's part.
    item: Plan | None = field(repr=False)
    estimate: Estimate = field(repr=False)

    @property
    def key_bytes_sent(self) -> int:
        """Bytes of keys that travel to all nodes together."""
        return self.key_bytes * self.nodes

    @property
    def limit(self) -> str:
        """What limits the throughput: "computing" or "network"."""
        return "computing" if self.work_seconds >= self.traffic_seconds else "network"

    @property
    def efficiency(self) -> float:
        """The fraction of the nodes' time in which they compute items."""
        return self.work_seconds / self.seconds if self.seconds else 1.0

    def __str__(self) -> str:
        before = self.keys_seconds + self.expand_seconds + self.set_up_seconds
        fits = "fits" if self.fits else "does not fit"
        return (
            f"{self.items} items on {self.nodes} nodes ({self.device}): {duration(self.seconds)}, of which "
            f"{duration(before)} before the first item (keys sent {duration(self.keys_seconds)}, expanded "
            f"{duration(self.expand_seconds)}, matrices {duration(self.set_up_seconds)})\n"
            f"{quantity(self.throughput, 'items/s')}, limited by {self.limit}; {size(self.item_bytes)} travel for an item\n"
            f"keys: {size(self.key_bytes)} to each node, {size(self.key_bytes_sent)} in all; "
            f"{size(self.node_bytes)} of memory on a node, which {fits}"
        )


def plan_function(
    f: Callable[..., Any],
    params: Parameters | str,
    n: int,
    nodes: int,
    device: str | PathLike[str],
    *,
    key_bytes: int | None = None,
    expand_s: float | None = None,
    network: Network | None = None,
    **options: Any,
) -> ClusterPlan:
    """The plan of `map(f, ...)` with `n` items on `nodes` nodes. `options` are those of
    `ringjet.plan`. Without `key_bytes` the keys that `f` uses are counted."""
    _at_least_one(n=n, nodes=nodes)
    net = network or Network()
    item = plan_of(f, params, device=device, **options)
    estimate = item.estimate
    assert estimate is not None, "a device gives an estimate"
    keys = estimate.keys.at_rest if key_bytes is None else key_bytes
    inputs = [step.level for step in item.steps if step.operation == "input"]
    sent = sum(ciphertext_bytes(item.params, level) // 2 for level in inputs)
    back = sum(ciphertext_bytes(item.params, output.level) for output in item.outputs)
    work = -(-n // nodes) * estimate.seconds
    # all results pass the driver's own connection
    traffic = n * (sent + back) / net.bandwidth
    before = _before(keys, expand_s, estimate, nodes, net)
    steady = max(work, traffic)
    return ClusterPlan(
        estimate.device,
        nodes,
        n,
        sum(before) + steady + net.latency,
        *before,
        work,
        traffic,
        keys,
        sent + back,
        n / steady if steady else math.inf,
        estimate.peak_bytes,
        estimate.fits,
        item,
        estimate,
    )


@dataclass(frozen=True)
class TrainingCosts:
    """Seconds of the parts of one iteration on one node, averaged over the iterations."""

    #: A shard's part of the gradient, and the rotations of the weights that a node's shards share.
    shard: float
    turned: float
    #: Adding the parts of two shards, and the step to the next weights.
    add: float
    step: float
    #: Bootstrapping the weights, as a share of one iteration.
    refresh: float
    #: Bytes of a shard's data, of its part of the gradient, and of the state.
    data_bytes: int
    part_bytes: int
    state_bytes: int
    estimate: Estimate


def training_costs(plan: TrainingPlan, params: Parameters, device: str | PathLike[str]) -> TrainingCosts:
    """Counts the parts of every iteration on ciphertexts without values."""
    server = Server._recording(params, bool(plan.bootstraps), False, False)
    work = Iteration(plan)
    a, b = plan.shards()[0][0]
    shard = blocks_of(plan, [server.input(plan.slots, magnitude=plan.magnitude) for _ in range(b - a)])
    spent = dict.fromkeys(("shard", "turned", "add", "step", "refresh"), 0.0)
    largest: Estimate | None = None

    def counted(part: str, run: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal largest
        server.reset_counts()
        made = run(*arguments)
        estimate = server.estimate(device)
        spent[part] += estimate.seconds
        if part == "shard" and (largest is None or estimate.seconds > largest.seconds):
            largest = estimate
        return made

    state: State | None = None
    level = 0
    for t in range(plan.iterations):
        if state is not None and t in plan.bootstraps:
            state = counted("refresh", work.refresh, state)
        turned = None if state is None else counted("turned", work.turned, state.v)
        part = counted("shard", work.gradient, t, shard, turned)
        level = max(level, part.level)
        state = counted("step", work.step, state, counted("add", tree, [part, part]))
    assert largest is not None, "a plan has at least one iteration"
    mean = {part: seconds / plan.iterations for part, seconds in spent.items()}
    return TrainingCosts(
        **mean,
        data_bytes=(b - a) * ciphertext_bytes(params, plan.top) // 2,
        part_bytes=ciphertext_bytes(params, level),
        state_bytes=2 * ciphertext_bytes(params, plan.top),
        estimate=largest,
    )


def plan_training(
    plan: TrainingPlan,
    params: Parameters,
    nodes: int,
    device: str | PathLike[str],
    *,
    key_bytes: int | None = None,
    expand_s: float | None = None,
    network: Network | None = None,
    costs: TrainingCosts | None = None,
) -> ClusterPlan:
    """The plan of a training. `costs`: those of `training_costs`, if they are known already."""
    _at_least_one(nodes=nodes)
    net = network or Network()
    known = costs or training_costs(plan, params, device)
    shards = plan.shards()
    total = sum(map(len, shards))
    per_batch = max(map(len, shards))
    on_one = -(-per_batch // nodes)
    keys = known.estimate.keys.at_rest if key_bytes is None else key_bytes
    # additions of eight parts at a time, which come from eight nodes
    rounds = max(0, math.ceil(math.log(per_batch, _FAN)) - 1) if per_batch > 1 else 0
    inside = min(per_batch, _FAN)
    added = rounds * (_FAN - 1) * known.add + (inside - 1) * known.add
    work = known.refresh + known.turned + on_one * known.shard + added + known.step
    gathered = rounds * net.send(_FAN * known.part_bytes) + net.send(inside * known.part_bytes)
    if nodes == 1:
        gathered = 0.0
    traffic = net.broadcast(known.state_bytes / 2, nodes) + gathered + 2 * net.send(known.state_bytes)
    before = _before(keys, expand_s, known.estimate, nodes, net)
    # the driver sends every shard to its node, once
    data = total * known.data_bytes / net.bandwidth
    # a shard's data are loaded for good, and take twice the room of fresh ciphertexts
    loaded = -(-total // nodes) * 2 * known.data_bytes
    memory = known.estimate.peak_bytes + loaded
    return ClusterPlan(
        known.estimate.device,
        nodes,
        plan.iterations,
        sum(before) + data + plan.iterations * (work + traffic),
        *before,
        plan.iterations * work,
        data + plan.iterations * traffic,
        keys,
        int(known.state_bytes * 2 + min(nodes, per_batch) * known.state_bytes / 2 + per_batch * known.part_bytes),
        1 / (work + traffic),
        memory,
        memory <= known.estimate.memory_bytes,
        None,
        known.estimate,
    )


def ciphertext_bytes(params: Parameters, level: int) -> int:
    """The size of a serialized ciphertext at a level, headers aside. A fresh one has half of it."""
    if params.t is not None:
        return params.sizes["ciphertext"]
    bits: float = level if params.top_level is None else params.levels[level]["modulus_bits"]
    return round((2 << params.log_n) * bits / 8)


def _before(
    keys: int, expand_s: float | None, estimate: Estimate, nodes: int, net: Network
) -> tuple[float, float, float]:
    expand = keys / EXPAND_RATE if expand_s is None else expand_s
    return net.broadcast(keys, nodes), expand, estimate.set_up_s


def _at_least_one(**numbers: int) -> None:
    for name, value in numbers.items():
        if value < 1:
            raise refusal(name, value, "at least 1")
