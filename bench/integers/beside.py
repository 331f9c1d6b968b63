"""Compares encrypted integers with TFHE-rs, in rounds in which the two take turns.

Writes RESULTS/tfhe-DATE-PROCESSOR.json and, from the newest result of each processor, the section "Integers with any
function" of docs/benchmarks.md. Needs cargo and ringjet in .venv (`make demo` makes it). run.sh starts it. The first
run builds TFHE-rs, which takes ten minutes. Without --names, 64-bit products and quotients are left out.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import functions  # noqa: E402
import table  # noqa: E402

TARGET = "target/peers/tfhe"
PEER = f"{TARGET}/release/peer-tfhe"
NAMES = ["table4", "table8", "add64", "less64", "mul16", "div16", "mul64", "div64"]
#: Those of a run without --names: a round of the others takes more than ten minutes each.
QUICK = NAMES[:6]


def commands(names, threads, python):
    peer = [PEER, "--json", "--threads", str(threads), "--reps", "1"]
    return [
        ("tfhe", [*peer, *names]),
        ("ringjet", [python, "bench/integers/ours.py", "--json", "--threads", str(threads), *names]),
    ]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    p.add_argument("--names", nargs="+", choices=NAMES, default=QUICK)
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument("--python", default=str(ROOT / ".venv/bin/python"), help="a Python that has ringjet")
    args = p.parse_args()
    environment = {**os.environ, "RUSTFLAGS": "-C target-cpu=native"}
    manifest = ["--manifest-path", "bench/peers/tfhe/Cargo.toml", "--target-dir", TARGET]
    compare.run(["cargo", "build", "--release", "--quiet", *manifest], env=environment)
    load = compare.load_average()
    figures = {}
    turns = [turn for threads in args.threads for turn in commands(args.names, threads, args.python)]
    for number in range(args.rounds):
        for name, command in turns if number % 2 == 0 else turns[::-1]:
            print(f"round {number + 1} of {args.rounds}: {name}", file=sys.stderr, flush=True)
            for record in compare.records(command):
                key = record["bench"], record["threads"]
                figures.setdefault(key, {}).setdefault(name, []).append(record)
    circumstances = compare.circumstances("bench/integers/run.sh", go=False)
    result = {
        # a Python elsewhere is a path of this machine
        **circumstances | {"command": circumstances["command"].replace(f" --python {args.python}", "")},
        "load_average_before": load,
        "load_average_after": os.getloadavg()[0],
        "rounds": args.rounds,
        "figures": functions.summarised(figures),
    }
    compare.write(result, args.results, "tfhe", by_processor=True)
    print(functions.render([result]))
    table.main([])


if __name__ == "__main__":
    main()
