"""What 10, 100 and 1,000 nodes do to throughput, distribution of keys and cost, by the cost model.

    python bench/cluster/scale.py                       # the tables of docs/design/scale.md
    python bench/cluster/scale.py --price 1.20 --bandwidth 3.125e9 --device mine.toml

Nothing is measured here. `--help` lists the assumptions, which are inputs.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any

import ringjet as rj
from ringjet import ml
from ringjet.cluster import ClusterPlan, Network, plan_function, plan_training
from ringjet.cluster._plan import training_costs

NODES = (1, 10, 100, 1000)


@dataclass(frozen=True)
class Assumptions:
    """What is added to the cost model."""

    #: Price of a node-hour, in any currency.
    price: float
    #: Mean hours until a node is lost.
    hours_to_failure: float
    #: Seconds until Ray notices a lost node and until its replacement joins.
    notice: float
    replace: float
    #: Relative deviation of the speed of nodes.
    deviation: float

    def slowest(self, nodes: int) -> float:
        """How much longer the slowest of the nodes takes, on average: their speeds are normal, and
        the expected largest of n deviations is about sqrt(2 ln n)."""
        return 1 + self.deviation * math.sqrt(2 * math.log(nodes)) if nodes > 1 else 1.0

    def lost(self, nodes: int, seconds: float) -> float:
        """How many nodes are lost in this time, on average."""
        return nodes * seconds / 3600 / self.hours_to_failure


def table(head: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def clock(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def data(n: float) -> str:
    return f"{n / 1e6:.0f} MB" if n < 1e9 else f"{n / 1e9:.1f} GB" if n < 1e12 else f"{n / 1e12:.2f} TB"


def keys(preset: str, key_bytes: int, net: Network, expand: float) -> None:
    print(f"### Keys of `{preset}`: {data(key_bytes)} compressed\n")
    rows = []
    for n in NODES:
        rounds = math.ceil(math.log2(n + 1))
        serial = n * net.send(key_bytes)
        sent = net.broadcast(key_bytes, n)
        rows.append([f"{n:,}", data(n * key_bytes), clock(serial), str(rounds), clock(sent), clock(sent + expand)])
    head = ["nodes", "sent in all", "by the driver alone", "rounds of the tree", "by the tree"]
    table([*head, "until all have expanded them"], rows)


def bootstraps(args: argparse.Namespace, a: Assumptions, net: Network, preset: str, real: bool) -> None:
    params = rj.preset(preset)
    level = params.bootstrap_input_level

    def one(server: rj.Server, x: rj.Ciphertext) -> rj.Ciphertext:
        return server.bootstrap(x, real)

    probe = plan_function(one, params, 1, 1, args.device, network=net, level=level)
    expand = probe.key_bytes / args.expand
    keys(preset, probe.key_bytes, net, expand)
    print(f"### {args.bootstraps:,} bootstraps of `{preset}`, {'real' if real else 'complex'} values\n")
    rows = []
    for n in NODES:
        p = plan_function(one, params, args.bootstraps, n, args.device, network=net, expand_s=expand, level=level)
        # items go to idle nodes, so slow nodes get fewer: only the last item of the slowest is waited for
        tail = (a.slowest(n) - 1) * p.estimate.seconds + p.estimate.seconds
        # all nodes work until the end at their mean speed
        lost = a.lost(n, p.seconds)
        # what a lost node had is done again, and its place is empty until a new one has its keys
        empty = a.notice + a.replace + net.send(p.key_bytes) + expand + p.set_up_seconds
        seconds = p.seconds + tail + lost * (2 * p.estimate.seconds + empty) / n
        rows.append(row(n, p, seconds, a, lost, args.bootstraps))
    table(HEAD, rows)


HEAD = ["nodes", "time", "before the first item", "items a second", "limit", "speed-up per node", "nodes lost"]
HEAD += ["node-hours", "cost", "cost of a million items"]


def row(n: int, p: ClusterPlan, seconds: float, a: Assumptions, lost: float, items: int) -> list[str]:
    before = p.keys_seconds + p.expand_seconds + p.set_up_seconds
    alone = p.estimate.seconds * items
    hours = n * seconds / 3600
    cost = hours * a.price
    return [
        f"{n:,}",
        clock(seconds),
        clock(before),
        f"{items / seconds:.3g}",
        p.limit,
        f"{alone / seconds / n:.0%}",
        f"{lost:.2g}",
        f"{hours:,.1f}",
        f"{cost:,.1f}",
        f"{cost / items * 1e6:,.1f}",
    ]


def trainings(args: argparse.Namespace, a: Assumptions, net: Network, shard: int) -> None:
    params = rj.preset(args.train_preset)
    sizes: dict[str, Any] = {"iterations": args.iterations, "degree": args.degree, "shard": shard}
    plan = ml.TrainingPlan.make(params, args.rows, args.features, **sizes)
    costs = training_costs(plan, params, args.device)
    shards = len(plan.shards()[0])
    key_bytes = costs.estimate.keys.at_rest
    full = rj.plan(lambda server, x: server.bootstrap(x), params, slots=plan.width, device=args.device).estimate
    assert full is not None
    key_bytes += full.keys.at_rest
    expand = key_bytes / args.expand
    boot = costs.refresh * plan.iterations / max(1, len(plan.bootstraps))
    print(
        f"### Training: {args.rows:,} rows of {args.features} features, {args.iterations} iterations, `{args.train_preset}`, "
        f"shards of {shard} blocks\n\n{plan.blocks(0):,} blocks of {plan.rows:,} rows and {plan.chunks} ciphertexts; "
        f"{shards:,} shards; data {data(shards * costs.data_bytes)} as sent. A shard takes {costs.shard:.3g} s an iteration, "
        f"rotating the weights {costs.turned:.3g} s a node, a bootstrap {boot:.3g} s "
        f"in {len(plan.bootstraps)} of the iterations.\n"
    )
    rows = []
    for n in NODES:
        p = plan_training(plan, params, n, args.device, key_bytes=key_bytes, expand_s=expand, network=net, costs=costs)
        working = min(n, shards)
        on_one = -(-shards // n)
        # every iteration waits for its slowest node
        slow = (a.slowest(working) - 1) * on_one * costs.shard * plan.iterations
        lost = a.lost(n, p.seconds + slow)
        # the others load and compute the lost node's shards once more in that iteration, while it lasts
        redo = a.notice + on_one * (costs.shard + 2 * net.send(costs.data_bytes)) / max(1, working - 1)
        seconds = p.seconds + slow + lost * redo
        hours = n * seconds / 3600
        ideal = (shards * costs.shard * plan.iterations) / n
        rows.append(
            [
                f"{n:,}",
                clock(seconds),
                clock(seconds / plan.iterations),
                f"{ideal / seconds:.0%}",
                clock(p.keys_seconds + p.expand_seconds),
                clock(shards * costs.data_bytes / net.bandwidth),
                data(p.node_bytes + full.keys.in_memory),
                f"{lost:.2g}",
                f"{hours:,.1f}",
                f"{hours * a.price:,.1f}",
            ]
        )
    head = ["nodes", "time", "an iteration", "speed-up per node", "keys", "sending the data", "memory of a node"]
    table([*head, "nodes lost", "node-hours", "cost"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu-ifma-2core", help="the node: a name of rj.devices(), or a profile")
    parser.add_argument("--price", type=float, default=0.10, help="of a node-hour, in any currency")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes a second of each node's connection")
    parser.add_argument("--latency", type=float, default=2e-3, help="seconds of a call apart from its bytes")
    parser.add_argument(
        "--expand", type=float, default=150e6, help="bytes of compressed keys that a node expands in a second"
    )
    parser.add_argument("--hours-to-failure", type=float, default=1000.0, help="mean hours until a node is lost")
    parser.add_argument("--notice", type=float, default=30.0, help="seconds until Ray notices a lost node")
    parser.add_argument("--replace", type=float, default=180.0, help="seconds until its replacement joins")
    parser.add_argument(
        "--deviation", type=float, default=0.05, help="standard deviation of the speed of nodes, as a fraction"
    )
    parser.add_argument("--bootstraps", type=int, default=10**6)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--features", type=int, default=63)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--degree", type=int, default=7)
    parser.add_argument("--train-preset", default="n16-boot")
    args = parser.parse_args()
    a = Assumptions(args.price, args.hours_to_failure, args.notice, args.replace, args.deviation)
    net = Network(args.bandwidth, args.latency)
    print("| assumption | value |\n|---|---|")
    for name, value in vars(args).items():
        print(f"| `--{name.replace('_', '-')}` | {value} |")
    print()
    for preset in ("n15-boot", "n16-boot"):
        bootstraps(args, a, net, preset, real=False)
    for shard in (16, 4, 1):
        trainings(args, a, net, shard)


if __name__ == "__main__":
    main()
