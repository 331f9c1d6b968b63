"""Times programs as a user writes them, optimised ones, and circuits by hand, at N = 2^14 and 2^15.

    python3 bench/programs/programs.py           # measures, and writes bench/results/programs-DATE.json
    python3 bench/programs/programs.py --show    # prints the ratios of the newest record

Needs target/release/ringjet. With --processor-time, times are those on processors, for a machine that
is not idle.
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402

KINDS = ["naive", "optimised", "by_hand"]


def measure(options):
    """What the bench prints for each ring."""
    commands = [
        [compare.OURS, "bench", "program", "--log-n", n, "--reps", "5", "--json", *options] for n in ["14", "15"]
    ]
    rows = [row for command in commands for row in compare.records(command)]
    lines = [" ".join(map(str, command)) for command in commands]
    return compare.circumstances("python3 bench/programs/programs.py", go=False) | {"commands": lines, "rows": rows}


def show(result):
    """How much faster optimised programs are than naive ones, and their times relative to circuits by hand."""
    medians = {(row["params"], row["bench"]): row["median"] for row in result["rows"]}
    for (params, bench), naive in medians.items():
        if bench.endswith("_naive"):
            name = bench.removesuffix("_naive")
            better, hand = (medians[params, f"{name}_{kind}"] for kind in KINDS[1:])
            print(f"{params} {name}: {naive / better:.2f} times faster, {better / hand:.2f} of the time by hand")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--processor-time", action="store_true")
    args = parser.parse_args()
    if args.show:
        newest = max((ROOT / "bench/results").glob("programs-*.json"))
        return show(json.loads(newest.read_text()))
    result = measure(["--processor-time"] if args.processor_time else [])
    show(result)
    compare.write(result, ROOT / "bench/results", "programs")


if __name__ == "__main__":
    main()
