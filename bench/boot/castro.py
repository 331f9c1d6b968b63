"""Runs one bootstrap of each parameter set of de Castro et al. (ePrint 2021/1636, Table XI) at full
size: N = 2^17, compressed keys, all slots, all threads. It takes four minutes and 18 GB of memory.

    python3 bench/boot/castro.py           # measures, and writes bench/results/castro-DATE.json
    python3 bench/boot/castro.py --show    # prints the newest record: a JSON object for each number

The objects have the form of `ringjet model table --json`. Needs target/release/ringjet.
"""

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402

SETS = ["castro-baseline", "castro-best"]
OPTIONS = [
    "--key-memory",
    "compressed",
    "--inputs",
    "random",
    "--reps",
    "1",
    "--threads",
    str(os.cpu_count()),
    "--json",
]
#: limbs after a bootstrap (Table XII: 20 for the baseline's parameters, 19), and bits of precision
LIMBS = {"castro-baseline": 20, "castro-best": 19}
BITS = 19
PRECISION = "the paper takes 19 bits for all sets and does not state its scale; ours is 2^40"


def measure():
    """What the bench prints for each set."""
    commands = [[compare.OURS, "bench", "bootstrap", "--paper", name, *OPTIONS] for name in SETS]
    load = os.getloadavg()[0]
    runs = [compare.records(command) for command in commands]
    figures = []
    for name, run in zip(SETS, runs):
        by_bench = {line["bench"]: line for line in run}
        info = by_bench["bootstrap_info"]
        seconds = {bench: line["min"] for bench, line in by_bench.items() if line.get("unit") == "s"}
        figures.append({"set": name, "threads": info["threads"], "seconds": seconds, "info": info})
    lines = [" ".join(map(str, command)) for command in commands]
    return compare.circumstances("python3 bench/boot/castro.py", go=False) | {
        "load_average_before": load, "commands": lines, "figures": figures,
    }  # fmt: skip


def rows(record):
    def row(entry, quantity, model, paper=None, note=None):
        deviation = None if paper is None else model / paper - 1
        return {
            "table": "castro",
            "entry": entry,
            "quantity": quantity,
            "model": model,
            "paper": paper,
            "deviation": deviation,
            "note": note,
        }

    for figure in record["figures"]:
        name, info = figure["set"], figure["info"]
        yield row(
            name,
            f"s of a bootstrap, {figure['threads']} threads",
            figure["seconds"]["bootstrap"],
            note="the paper has no times",
        )
        yield row(name, "limbs left", info["level_after"] + 1, LIMBS[name])
        yield row(
            name,
            "bits of precision",
            info["precision"]["random"]["after"]["real"]["mean_log2_precision"],
            BITS,
            PRECISION,
        )
        yield row(name, "GB of keys in memory", info["key_bytes"] / 1e9)
        yield row(name, "GB of memory", info["peak_rss_bytes"] / 1e9)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--show", action="store_true", help="print the newest record instead of measuring")
    p.add_argument("--folder", type=Path, default=ROOT / "bench/results")
    args = p.parse_args()
    if args.show:
        record = json.loads(max(args.folder.glob("castro-*.json")).read_text())
    else:
        record = measure()
        compare.write(record, args.folder, "castro")
    for line in rows(record):
        print(json.dumps(line))


if __name__ == "__main__":
    main()
