"""Measures a multiplication of HEAAN in the variants of two papers (Ref, AVX, AVX-M, AVX-MT), which
take turns after each multiplication, and in ringjet (IFMA), in its own process right before or
after them.

Prints a table and writes bench/results/heaan-ablation.json, from which bench/compare/table.py makes
the section "HEAAN" of docs/benchmarks.md. Needs cargo and Python's standard library. The column
IFMA needs target/release/ringjet with the bench `heaan_mul`; without it the column is left out.
run.sh starts the script.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import multiplication  # noqa: E402
import result_files  # noqa: E402
import table  # noqa: E402

TARGET = os.environ.get("CARGO_TARGET_DIR")
OURS, BENCH = (Path(TARGET or ROOT / "target") / "release" / name for name in ("ringjet", "bench-heaan"))
RESULT = ROOT / "bench/results" / multiplication.RESULT
VARIANTS = ["Ref", "AVX", "AVX-M", "AVX-MT", "AVX-32"]
STEPS = [
    ("Ref", "AVX"),
    ("AVX", "AVX-M"),
    ("AVX-M", "AVX-MT"),
    ("AVX-MT", "AVX-32"),
    ("AVX-MT", "IFMA"),
    ("Ref", "AVX-MT"),
    ("Ref", "IFMA"),
]


def lines(words):
    process = subprocess.run(list(map(str, words)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{process.stderr}")
    return [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]


def no_ringjet(args):
    """The reason why ringjet's own column is missing, or None."""
    if not OURS.exists():
        return "target/release/ringjet is not built (cargo build --release -p ringjet-cli)"
    help_ = subprocess.run(
        [OURS, "bench", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout
    if "heaan" not in help_:
        return "this target/release/ringjet has no bench heaan_mul"
    if (args.log_n, args.log_q) != (16, 1200):
        return "ringjet's bench has only N = 2^16 and log q = 1200"
    return None


def turns(args, ringjet):
    """Number of threads and command of each process of a round. ringjet runs next to the variants
    with as many threads, and next to itself with other numbers of threads."""
    size = ["--log-n", args.log_n, "--log-q", args.log_q, "--reps", args.reps]
    out = []
    for i, threads in enumerate(args.threads):
        own = [(threads, [OURS, "bench", "heaan_mul", "--threads", threads, "--json"])] if ringjet else []
        variants = (threads, [BENCH, "times", "--variants", ",".join(args.variants), "--threads", threads, *size])
        out += [variants, *own] if i % 2 == 0 else [*own, variants]
    return out


def collect(args, ringjet):
    """Returns samples[(variant, threads)][function] = for each round the seconds of its samples, or
    of their median."""
    samples, products = {}, set()
    for number in range(args.rounds):
        order = turns(args, ringjet)
        for threads, words in order if number % 2 == 0 else order[::-1]:
            print(
                f"round {number + 1} of {args.rounds}: {Path(words[0]).name}, {threads} thread(s)",
                file=sys.stderr,
                flush=True,
            )
            variants = {}
            for r in lines(words):
                if r["bench"] in multiplication.FUNCTIONS:
                    variants.setdefault(r["backend"] if r["backend"] in VARIANTS else "IFMA", {})[r["bench"]] = r
                    products.add(r.get("checksum"))
            for variant, records in variants.items():
                for bench, r in records.items():
                    samples.setdefault((variant, threads), {}).setdefault(bench, []).append(
                        r.get("samples", [r["median"]])
                    )
    if len(products - {None}) > 1:
        sys.exit("the variants' products differ")
    return samples


def summary(values):
    """Median, quartiles and extremes."""
    q1, middle, q3 = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": middle, "q1": q1, "q3": q3, "lowest": min(values), "highest": max(values), "n": len(values)}


def ratio(slow, fast):
    """How many times faster `fast` is than `slow`: by samples if they took turns, otherwise by the
    medians of each round."""
    each = []
    for s, f in zip(slow, fast):
        pairs = zip(s, f) if len(s) == len(f) else [(median(s), median(f))]
        each += [a / b for a, b in pairs if b > 0]
    return summary(each) if each else None


def figures(samples):
    out = []
    for (variant, threads), functions in samples.items():
        for bench, rounds in functions.items():
            reference = samples.get(("Ref", threads), {}).get(bench)
            out.append(
                {
                    "variant": variant,
                    "threads": threads,
                    "bench": bench,
                    **summary([s for r in rounds for s in r]),
                    "rounds": rounds,
                    "speedup": ratio(reference, rounds) if reference else None,
                }
            )
    return out


def steps(samples):
    """How many times faster one variant is than another, and several threads than one (by the
    medians of each round)."""
    out = []
    for (variant, threads), functions in samples.items():
        for before, after in STEPS:
            if variant == after and (before, threads) in samples:
                slow = samples[before, threads]
                found = {bench: ratio(slow[bench], rounds) for bench, rounds in functions.items() if bench in slow}
                out += [
                    {"before": before, "after": after, "threads": threads, "bench": bench, **r}
                    for bench, r in found.items()
                    if r
                ]
        if threads > 1 and (variant, 1) in samples:
            one, more = ([[median(r)] for r in f["heaan_mul"]] for f in (samples[variant, 1], functions))
            out.append(
                {
                    "before": f"{variant}, 1 thread",
                    "after": f"{variant}, {threads} threads",
                    "threads": threads,
                    "bench": "heaan_mul",
                    **ratio(one, more),
                }
            )
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3, help="number of processes, each with all variants")
    p.add_argument(
        "--reps",
        type=int,
        default=5,
        help="timed multiplications of each variant in a round, after one that is not timed",
    )
    p.add_argument("--log-n", type=int, default=16)
    p.add_argument("--log-q", type=int, default=1200, help="bits of q and of Q")
    p.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    p.add_argument("--variants", nargs="+", default=VARIANTS, choices=VARIANTS)
    p.add_argument(
        "--json",
        type=Path,
        help=f"file of the result [default: {multiplication.RESULT} in bench/results, for other sizes in target]",
    )
    p.add_argument(
        "--smoke", action="store_true", help="test the script: a small ring and one round, results into target/"
    )
    args = p.parse_args()
    if args.smoke:
        args.rounds, args.reps, args.log_n, args.log_q = 1, 1, 10, 120
    if args.json is None:
        args.json = (
            RESULT if (args.log_n, args.log_q) == (16, 1200) else ROOT / "target/bench-smoke" / multiplication.RESULT
        )
    if not {"avx512f", "avx512dq"} <= set(compare.machine(go=False)["avx512"]):
        print("this processor lacks AVX-512F or AVX-512DQ: only the variant Ref is measured", file=sys.stderr)
        args.variants = ["Ref"]
    compare.run(["cargo", "build", "--release", "--quiet", "--package", "ringjet-papers", "--bin", "bench-heaan"])
    missing = no_ringjet(args)
    if missing:
        print(f"the column IFMA is left out: {missing}", file=sys.stderr)
    load = compare.load_average()
    samples = collect(args, missing is None)
    result = compare.circumstances("bench/heaan/run.sh", go=False) | {
        "kind": "heaan-ablation",
        "rounds": args.rounds,
        "reps": args.reps,
        "log_n": args.log_n,
        "log_q": args.log_q,
        "load_average_before": load,
        "load_average_after": os.getloadavg()[0],
        "without_ringjet": missing,
        "figures": figures(samples),
        "steps": steps(samples),
        "counts": lines([BENCH, "counts", "--log-n", args.log_n, "--log-q", args.log_q]),
        "model": lines([BENCH, "model"]),
    }
    result_files.save(args.json, result)
    print(f"written: {args.json}", file=sys.stderr)
    print(multiplication.render(result))
    if args.json == RESULT:
        table.main([])


if __name__ == "__main__":
    main()
