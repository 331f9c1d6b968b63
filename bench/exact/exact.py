"""Compares BGV and BFV with other libraries. They take turns in each round, so that other load on
the machine affects all of them.

Writes RESULTS/exact-DATE-PROCESSOR.json and, from the newest result of each processor, the section
"Exact integers" of docs/benchmarks.md, and prints the ratios. Needs cargo, go, and Python's
standard library; libraries in Python are installed at the first run, and left out where that fails.
run.sh starts it.
"""

import argparse
import math
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import integers  # noqa: E402
import table  # noqa: E402

BENCHES = ["encrypt", "mul_prepared", "mul_values", "mul", "mul_relin", "rotate"]
# Times of ringjet alone.
OWN = ["mul_kept"]
# Those of --cpu, each of which takes more than any least time of a sample.
LONG = ["mul_relin", "rotate"]
PYTHON_PEERS = ["tenseal", "openfhe"]

# Bits of the ciphertext and special primes, by log2 of the ring degree. log2 QP is that of the
# presets bgv-n12 to bgv-n15 (102, 209, 414, 850), within 16 bits.
# For SEAL: one special prime.
SINGLE = {12: ([33] * 2, [36]), 13: ([41] * 4, [45]), 14: ([45] * 8, [50]), 15: ([50] * 16, [50])}
# The fewest primes below 2^50, with as many special primes as are fast.
WIDE = SINGLE | {14: ([45] * 7, [49] * 2), 15: ([50] * 14, [50] * 3)}
# For OpenFHE: primes of one size, digits; its special primes have 60 bits. At 2^12 they leave no
# room for a product.
OPENFHE = {
    "bgv": {13: ([37] * 4, 4), 14: ([50] * 7, 7), 15: ([56] * 13, 7)},
    "bfv": {13: ([50] * 3, 3), 14: ([50] * 7, 7), 15: ([56] * 13, 7)},
}


def bits(sizes):
    return ",".join(map(str, sizes))


def commands(scheme, log_n, benches, peers, paths):
    """(name, command) of each process of a round, without the number of samples."""
    own = [f"{scheme}_{bench}" for bench in benches + (OWN if "mul_prepared" in benches else [])]
    times = ["--json"]
    ours = [compare.OURS, "bench", *own, *times, "--threads", "1"]
    (wide_q, wide_p), (single_q, single_p) = WIDE[log_n], SINGLE[log_n]
    wide = ["--log-n", str(log_n), "--q-bits", bits(wide_q), "--p-bits", bits(wide_p)]
    driver = "bench/peers/python/run.sh"
    found = [("lattigo", [compare.LATTIGO, "exact", "--scheme", scheme, *wide, *times])]
    for path in paths or [None]:
        chosen, suffix = (["--path", path], f" ({path})") if path else ([], "")
        found += [
            (f"ringjet{suffix}", [*ours, "--preset", f"{scheme}-n{log_n}", *chosen]),
            (f"ringjet, wide primes{suffix}", [*ours, *wide, *chosen]),
        ]
    if "tenseal" in peers:
        single = ["--log-n", str(log_n), "--q-bits", bits(single_q), "--p-bits", bits(single_p)]
        found.append(("tenseal", [driver, "tenseal_exact", "--scheme", scheme, *single, *times]))
    if "openfhe" in peers and log_n in OPENFHE[scheme]:
        q, dnum = OPENFHE[scheme][log_n]
        primes = ["--log-n", str(log_n), "--q-bits", bits(q), "--dnum", str(dnum)]
        found.append(("openfhe", [driver, "openfhe_exact", "--scheme", scheme, *primes, *times]))
    return found


def installed():
    """The libraries in Python that can be used here."""
    found = []
    for peer in PYTHON_PEERS:
        command = ["bench/peers/python/run.sh", f"{peer}_exact", "--help"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            found.append(peer)
        else:
            print(f"left out: {peer} cannot be installed here:\n{done.stdout}", file=sys.stderr)
    return found


def timed(command, benches, reps):
    """The records of a process."""
    names = [] if command[0] == compare.OURS else benches
    return compare.records([*command, "--reps", str(reps), *names])


def by_cpu(command, benches, reps):
    """The records of a process for each bench. Their times are the processor's, in user mode: those
    of `reps` further calls."""
    if command[0] == compare.LATTIGO:
        command = [*command, "--min-sample", "1ns"]
    found = []
    for bench in benches:
        one = [word for word in command if not word.endswith(tuple(f"_{b}" for b in benches if b != bench))]
        times = []
        for count in (2, 2 + reps):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            records = timed(one, [bench], count)
            times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        each = (times[1] - times[0]) / reps
        found += [{**record, "median": each, "min": each, "n": reps} for record in records]
    return found


def collect(turns, rounds, measure):
    """figures[(scheme, log_n, bench)][name] = the records of all rounds."""
    figures = {}
    for number in range(rounds):
        for scheme, log_n, processes in turns:
            for name, command in processes if number % 2 == 0 else processes[::-1]:
                print(f"round {number + 1} of {rounds}: {scheme} N = 2^{log_n}, {name}", file=sys.stderr, flush=True)
                for record in measure(name, command):
                    bench = record["bench"].removeprefix(f"{scheme}_")
                    if bench in BENCHES + OWN:
                        figures.setdefault((scheme, log_n, bench), {}).setdefault(name, []).append(record)
    return figures


def summarise(figures, figure):
    """One object for each measurement, and the ratios of each peer to both chains of ringjet, of this
    figure of each round: median or min."""
    times, ratios = [], []
    for (scheme, log_n, bench), of in figures.items():
        for name, rs in of.items():
            medians = [r["median"] for r in rs]
            times.append(
                {
                    "scheme": scheme,
                    "log_n": log_n,
                    "bench": bench,
                    "name": name,
                    "backend": rs[0]["backend"],
                    "params": rs[0]["params"],
                    "median": median(medians),
                    "min": min(r["min"] for r in rs),
                    "round_medians": medians,
                    "n": sum(r["n"] for r in rs),
                }
            )
        for name, rs in of.items():
            for ours in [other for other in of if other.startswith("ringjet")]:
                if not name.startswith("ringjet"):
                    made = compare.ratio(
                        "peer", bench, f"{scheme} n{log_n}", f"{name} / {ours}", rs, of[ours], None, figure
                    )
                    ratios.append({"scheme": scheme, "log_n": log_n, "name": name, "ours": ours, **made})
    return times, ratios


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--reps", type=int, default=5, help="samples of each bench in a process")
    p.add_argument("--log-n", type=int, nargs="*", default=sorted(WIDE), help="log2 of the ring degrees")
    p.add_argument("--schemes", nargs="*", choices=["bgv", "bfv"], default=["bgv", "bfv"])
    p.add_argument("--benches", nargs="*", choices=BENCHES, help="[default: all; with --cpu mul_relin and rotate]")
    p.add_argument(
        "--figure",
        choices=["median", "min"],
        default="median",
        help="a round's figure in the ratios; on a busy machine the minimum",
    )
    p.add_argument(
        "--paths",
        nargs="*",
        choices=["ifma", "avx512", "fma", "scalar"],
        help="instructions of ringjet [default: the fastest that are here]",
    )
    p.add_argument(
        "--cpu",
        type=int,
        metavar="CALLS",
        help="the processor's time in user mode for so many calls (a tenth in other libraries), of 5 ms or more each: for a machine that is busy",
    )
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument(
        "--smoke", action="store_true", help="test the script: the smallest ring and two rounds, results into target/"
    )
    args = p.parse_args()
    if args.cpu and min(args.log_n) < 14:
        p.error("--cpu: shorter calls share a sample: give --log-n 14 or more")
    if args.smoke:
        args.log_n, args.rounds, args.reps, args.results = [12], 2, 1, ROOT / "target/bench-smoke"
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    compare.run(["go", "-C", "bench/peers/lattigo", "build", "-o", str(ROOT / compare.LATTIGO), "."])
    peers = installed()
    load = compare.load_average()
    benches = args.benches or (LONG if args.cpu else BENCHES)
    turns = [
        (scheme, log_n, commands(scheme, log_n, benches, peers, args.paths))
        for log_n in args.log_n
        for scheme in args.schemes
    ]

    def measure(name, command):
        if args.cpu:
            return by_cpu(command, benches, args.cpu if name.startswith("ringjet") else math.ceil(0.1 * args.cpu))
        return timed(command, benches, args.reps)

    times, ratios = summarise(collect(turns, args.rounds, measure), args.figure)
    result = {
        **compare.circumstances("bench/exact/run.sh"),
        "load_average_before": load,
        "load_average_after": os.getloadavg()[0],
        "cpu": args.cpu,
        "reps": args.reps,
        "commands": [compare.shown(map(str, command)) for _, _, processes in turns for _, command in processes],
        "rounds": args.rounds,
        "figure": args.figure,
        "figures": times,
        "ratios": ratios,
    }
    compare.write(result, args.results, "exact-cpu" if args.cpu else "exact", by_processor=True)
    print(integers.render([result]))
    if not args.smoke:
        table.main([])


if __name__ == "__main__":
    main()
