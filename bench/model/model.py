"""Compares the cost model's times with measured ones. Each round calibrates a profile of this
machine, then runs the same programs on the CPU and on the model.

Writes RESULTS/model-DATE.json and, from the newest result, the section "The cost model" of
docs/benchmarks.md. Needs cargo and Python's standard library.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import table  # noqa: E402

OURS = str(ROOT / "target/release/ringjet")


def run(words):
    print(" ".join(Path(w).name if w == OURS else w for w in words), file=sys.stderr, flush=True)
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; each calibrates and runs all programs")
    parser.add_argument("--reps", type=int, default=5, help="samples of a program in a round")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--presets", nargs="+", default=["n15-depth14", "n15-boot", "n16-depth24", "n16-boot"])
    parser.add_argument("--results", type=Path, default=ROOT / "bench/results")
    args = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", "ringjet-cli"], cwd=ROOT, check=True)
    load, rounds, profiles = os.getloadavg()[0], [], []
    for number in range(args.rounds):
        with tempfile.TemporaryDirectory() as folder:
            profile = str(Path(folder) / "profile.toml")
            run([OURS, "model", "calibrate", "--threads", str(args.threads), "-o", profile])
            profiles.append(Path(profile).read_text())
            words = [
                OURS,
                "model",
                "validate",
                "--device",
                profile,
                "--threads",
                str(args.threads),
                "--reps",
                str(args.reps),
                "--json",
            ]
            lines = run(words + [w for p in args.presets for w in ("--preset", p)]).splitlines()
        rounds.append([json.loads(line) for line in lines if line.startswith("{")])
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
    result = compare.circumstances("bench/model/run.sh", go=False) | {
        "kind": "model",
        "rounds": args.rounds,
        "reps": args.reps,
        "threads": args.threads,
        "load_average_before": load,
        "profiles": profiles,
        "programs": rounds,
    }
    compare.write(result, args.results, "model")
    table.main([])


if __name__ == "__main__":
    main()
