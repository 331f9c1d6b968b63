"""The overhead of a cluster: bootstraps in one process, on one node with the same cores, and on a
node for each core; memory of the keys on a node; the loss of a node.

    python bench/cluster/overhead.py --preset n15-boot --count 32 --rounds 3 --json overhead.json

The nodes are Ray's test nodes on this machine. The kinds of run take turns, so that other work on
the machine slows all of them. Each kind runs once before its first measurement.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster as Raylets

import ringjet as rj

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import result_files  # noqa: E402

#: Settings with which Ray notices a lost node in a second or two instead of half a minute.
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 2,
    "object_manager_pull_timeout_ms": 1000,
    # Ray's workers give way to all other processes unless this is 0
    "worker_niceness": 0,
}


def digest(ciphertexts: list[Any]) -> str:
    return hashlib.sha256(b"".join(ct.to_bytes() for ct in ciphertexts)).hexdigest()


class Nodes:
    """Ray on this machine: a head without cores, and a node for each number of cores."""

    def __init__(self, cores: list[int], store: int) -> None:
        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
        head = {"num_cpus": 0, "object_store_memory": store, "include_dashboard": False, "_system_config": QUICK}
        self.raylets = Raylets(initialize_head=True, head_node_args=head)
        self.nodes = [self.raylets.add_node(num_cpus=n, object_store_memory=store) for n in cores]
        ray.init(address=self.raylets.address, log_to_driver=False, logging_level="error")

    def close(self) -> None:
        ray.shutdown()
        self.raylets.shutdown()


def spread(values: list[float]) -> dict[str, Any]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values), "all": values}


def shown(name: str, values: dict[str, Any], unit: str, places: int = 2) -> None:
    low, high = values["least"], values["most"]
    print(f"{name:<58} {values['median']:.{places}f} {unit} ({low:.{places}f} to {high:.{places}f})", flush=True)


def against(args: argparse.Namespace, server: Any, cts: list[Any], cores: list[int], expected: str) -> dict[str, Any]:
    """Runs of one process and of a cluster with these nodes, taking turns."""
    loaded = [server.load(ct.to_bytes()) for ct in cts]
    nodes = Nodes(cores, args.store << 20)
    found: dict[str, Any] = {"nodes": cores}
    try:
        began = time.perf_counter()
        with rj.cluster(args.keys, allow_insecure=True) as c:
            found["start_seconds"] = time.perf_counter() - began
            ready = [info.private_bytes for info in c.nodes]
            warm = 2 * len(cores) * (2 if args.real else 1)
            server.bootstrap_many(loaded[:warm], args.real)
            c.bootstrap_many(cts[:warm], args.real)
            one, many, idle = [], [], []
            for i in range(args.rounds):
                for kind in (("one", "many"), ("many", "one"))[i % 2]:
                    began, busy = time.perf_counter(), c.busy_seconds
                    run = (
                        server.bootstrap_many(loaded, args.real) if kind == "one" else c.bootstrap_many(cts, args.real)
                    )
                    seconds = time.perf_counter() - began
                    assert digest(run) == expected, "the bytes differ"
                    print(f"  {kind:<5} {seconds:8.2f} s  load {os.getloadavg()[0]:.1f}", flush=True)
                    if kind == "one":
                        one.append(seconds)
                    else:
                        many.append(seconds)
                        idle.append(1 - (c.busy_seconds - busy) / (seconds * len(cores)))
            infos = c.nodes
            found |= {
                "one_process_seconds": spread(one),
                "cluster_seconds": spread(many),
                "overhead": spread([b / a - 1 for a, b in zip(one, many)]),
                "idle_fraction": spread(idle),
                "expand_seconds": [info.expand_seconds for info in infos],
                "expansions": [info.expansions for info in infos],
                "private_bytes_with_keys": ready,
                "private_bytes_after": [info.private_bytes for info in infos],
                "peak_bytes": [info.peak_bytes for info in infos],
            }
            if len(cores) > 1 and args.loss:
                third = found["cluster_seconds"]["median"] / 3
                timer = threading.Timer(third, nodes.raylets.remove_node, [nodes.nodes[0], False])
                timer.start()
                began = time.perf_counter()
                run = c.bootstrap_many(cts, args.real)
                found["with_a_lost_node"] = {
                    "seconds": time.perf_counter() - began,
                    "calls_repeated": c.repeated,
                    "same_bytes": digest(run) == expected,
                    "nodes_left": len(c.nodes),
                }
                timer.join()
    finally:
        nodes.close()
    label = f"{len(cores)} node(s) of {cores[0]} core(s)"
    shown(f"{label}: one process", found["one_process_seconds"], "s")
    shown(f"{label}: cluster", found["cluster_seconds"], "s")
    shown(f"{label}: overhead", {k: v * 100 for k, v in found["overhead"].items() if k != "all"}, "%", 1)
    shown(
        f"{label}: nodes between two calls",
        {k: v * 100 for k, v in found["idle_fraction"].items() if k != "all"},
        "%",
        2,
    )
    mib = [f"{n / 2**20:.0f}" for n in found["private_bytes_with_keys"]]
    print(
        f"{label}: own memory of each node with its keys, MiB: {', '.join(mib)}; expanded {found['expansions']} times"
    )
    if "with_a_lost_node" in found:
        print(f"{label}: with a lost node {found['with_a_lost_node']}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="n15-boot")
    parser.add_argument(
        "--parameters", help="a file of Parameters.to_json instead of a preset; insecure ones are allowed"
    )
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--real", action="store_true", help="real values, two and two")
    parser.add_argument("--no-loss", dest="loss", action="store_false")
    parser.add_argument("--store", type=int, default=1536, help="object store of each node in MiB")
    parser.add_argument("--json")
    args = parser.parse_args()
    params = rj.preset(args.preset)
    if args.parameters:
        with open(args.parameters, encoding="utf-8") as file:
            params = rj.Parameters.from_json(file.read(), allow_insecure=True)
    client = rj.Client(params, seed=1)
    keys = client.evaluation_keys(bootstrapping=True)
    rng = np.random.default_rng(0)
    level = params.bootstrap_input_level
    cts = [client.encrypt(rng.uniform(-1, 1, client.slots), level=level) for _ in range(args.count)]
    print(f"{params}\nkeys: {keys.sizes}, load {os.getloadavg()}")
    sizes = keys.sizes
    with tempfile.TemporaryDirectory() as folder:
        args.keys = os.path.join(folder, "keys")
        keys.save(args.keys)
        del keys
        measured(args, params, sizes, cts)


def measured(args: argparse.Namespace, params: Any, sizes: dict[str, int], cts: list[Any]) -> None:
    server = rj.Server(args.keys, threads=args.cores, allow_insecure=True)
    expected = digest(server.bootstrap_many([server.load(ct.to_bytes()) for ct in cts], args.real))
    found = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": platform.processor() or platform.machine(),
        "cores": args.cores,
        "command": f"bench/cluster/overhead.py --preset {args.preset} --count {args.count} --rounds {args.rounds}",
        "ray": ray.__version__,
        "load_before": os.getloadavg(),
        "parameters": str(params),
        "keys": sizes,
        "runs": [against(args, server, cts, cores, expected) for cores in ([args.cores], [1] * args.cores)],
        "load_after": None,
    }
    found["load_after"] = os.getloadavg()
    if args.json:
        result_files.save(Path(args.json), found)


if __name__ == "__main__":
    main()
