"""Compares the rounds of three parties with Lattigo's multiparty package, in rounds in which the two take turns.

Writes RESULTS/parties-DATE-PROCESSOR.json and, from the newest result of each processor, the section "Several parties"
of docs/benchmarks.md. Needs Go and ringjet in .venv (`make demo` makes it). run.sh starts it.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import rounds  # noqa: E402
import table  # noqa: E402


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--reps", type=int, default=5)
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument("--python", default=str(ROOT / ".venv/bin/python"), help="a Python that has ringjet")
    args = p.parse_args()
    peer = ["go", "-C", "bench/peers/lattigo", "run", ".", "parties", "--json", "--reps", str(args.reps)]
    ours = [args.python, "bench/parties/ours.py", "--json", "--reps", str(args.reps)]
    load, figures = compare.load_average(), {}
    for number in range(args.rounds):
        turns = [("lattigo", peer), ("ringjet", ours)]
        for name, command in turns if number % 2 == 0 else turns[::-1]:
            print(f"round {number + 1} of {args.rounds}: {name}", file=sys.stderr, flush=True)
            records = [r for r in compare.records(command) if "median" in r]
            figures.setdefault(name, []).append({r["bench"]: r["median"] for r in records})
            figures.setdefault(f"{name}_version", records[0]["backend"])
    circumstances = compare.circumstances("bench/parties/run.sh", go=True)
    result = {
        # a Python elsewhere is a path of this machine
        **circumstances | {"command": circumstances["command"].replace(f" --python {args.python}", "")},
        "load_average_before": load,
        "load_average_after": os.getloadavg()[0],
        "rounds": args.rounds,
        "versions": [figures["lattigo_version"], figures["ringjet_version"]],
        "figures": rounds.summarised(figures["lattigo"], figures["ringjet"]),
    }
    compare.write(result, args.results, "parties", by_processor=True)
    print(rounds.render([result]))
    table.main([])


if __name__ == "__main__":
    main()
