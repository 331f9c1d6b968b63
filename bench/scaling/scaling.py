"""Measures how much faster two threads are than one, in each round of one run. For comparison it
also runs two processes of one thread each. They share nothing but the machine, so their speed is
the limit that the machine sets.

Writes RESULTS/scaling-DATE-PROCESSOR.json and, from the newest result of each processor, the
section "Two threads and two processes" of docs/benchmarks.md. Needs cargo and Python's standard
library. run.sh starts it.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import doubled  # noqa: E402
import table  # noqa: E402

OURS = str(ROOT / compare.OURS)


def start(bench, words, threads, seconds):
    command = [OURS, "bench", bench, *words, "--threads", str(threads), "--seconds", str(seconds), "--json"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(bench, process):
    """The record of the bench, and the record of memory if its calls took turns with readings of
    memory."""
    out, err = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{' '.join(process.args)} failed:\n{err}")
    records = {r["bench"]: r for r in map(json.loads, out.splitlines())}
    return records[bench], records.get(doubled.MEMORY)


def figures(bench, words, seconds, order):
    """The records of one round, measured in this `order`: threads and processes at the same time
    for each entry."""
    found, memory = {}, {}
    more = [doubled.MEMORY, "--samples"] if bench in doubled.WITH_MEMORY else []
    for what, threads, processes in order:
        running = [start(bench, [*more, *words], threads, seconds) for _ in range(processes)]
        found[what], memory[what] = zip(*(finish(bench, p) for p in running))
    if memory[doubled.THREADS][0]:
        one, two = (memory[what][0]["samples"] for what in (doubled.ONE, doubled.THREADS))
        found[doubled.BY_MEMORY] = doubled.by_memory(found[doubled.THREADS][0]["samples"], median(one), two)
    return {
        what: [{k: v for k, v in record.items() if k != "samples"} for record in records]
        for what, records in found.items()
    }


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=12)
    p.add_argument("--seconds", type=float, default=2, help="seconds of samples of each bench in a process, on average")
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument(
        "--smoke", action="store_true", help="test the script: a small ring and two rounds, results into target/"
    )
    args = p.parse_args()
    if args.rounds < 2:
        p.error("quartiles need at least two rounds")
    benches = doubled.BENCHES
    if args.smoke:
        args.rounds, args.seconds, args.results = 2, 0.1, ROOT / "target/bench-smoke"
        benches = {"mul_relin_rescale": ["--log-n", "12", "--limbs", "4", "--special", "2", "--dnum", "2"]}
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    load = compare.load_average()
    order = [(doubled.ONE, 1, 1), (doubled.THREADS, 2, 1), (doubled.PROCESSES, 1, 2)]
    rounds = []
    for number in range(args.rounds):
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
        turns = order if number % 2 == 0 else order[::-1]
        rounds.append({bench: figures(bench, words, args.seconds, turns) for bench, words in benches.items()})
    result = compare.circumstances("bench/scaling/run.sh", go=False) | {
        "kind": "scaling",
        "seconds": args.seconds,
        "load_average_before": load,
        "rounds": rounds,
    }
    compare.write(result, args.results, "scaling", by_processor=True)
    if args.smoke:
        print(doubled.render([result]))
    else:
        table.main([])


if __name__ == "__main__":
    main()
