"""Measures the precision of bootstrapping in many runs of each kind of input, with one set of keys.

Writes RESULTS/precision-DATE.json and, from the newest result, docs/bootstrap-precision.svg and the
section "Distribution of errors" of docs/benchmarks.md. Needs cargo and Python's standard library.
BENCHMARKING.md says how the figures are measured.
"""

import argparse
import sys

import distribution
from boot import OURS, compare, table


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--preset", default="n16-boot")
    p.add_argument("--runs", type=int, default=100, help="runs of each kind of input")
    p.add_argument(
        "--threads", type=int, default=0, help="number of threads; 0: one for each core; the errors do not depend on it"
    )
    compare.options(p, "a ring of 2^10 and 5 runs")
    args = compare.parsed_options(p, runs=5)
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    words = [
        OURS,
        "bench",
        "bootstrap",
        "--preset",
        args.preset,
        "--threads",
        str(args.threads),
        "--reps",
        "1",
        "--runs",
        str(args.runs),
        "--json",
    ]
    if args.log_n_override:
        words += ["--log-n-override", str(args.log_n_override)]
    print(compare.shown(words), file=sys.stderr, flush=True)
    records = compare.records(words)
    result = compare.circumstances("python3 bench/boot/precision.py", go=False) | {
        "commands": [compare.shown(words)],
        "insecure": bool(args.log_n_override),
        "info": next(r for r in records if r["bench"] == "bootstrap_info"),
        "runs": [r for r in records if r["bench"] == "bootstrap_run"],
        "histograms": [r for r in records if r["bench"] == "bootstrap_histogram"],
    }
    compare.write(result, args.results, "precision")
    if result["insecure"]:
        (args.results / distribution.PLOT).write_text(distribution.plot(result))
        print(distribution.render(result))
    else:
        table.main([])


if __name__ == "__main__":
    main()
