"""Compares `Plan.estimate` for this machine with measured times, for ten programs of Python.

    .venv/bin/python bench/model/ten.py

Each round measures this machine anew (the device `here`, in a cache of its own), and then runs all programs.
Writes RESULTS/estimates-DATE.json and the section "Estimates of ten programs" of docs/benchmarks.md. Needs
`make setup`, an otherwise idle machine with 12 GB of memory, and ten minutes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import ringjet as rj

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import table  # noqa: E402

#: 128 vectors of 64 side by side.
W = rj.LinearTransform(np.linspace(-0.1, 0.1, 64 * 64).reshape(64, 64), batch=128)


def variance(x):
    return x.var(8192)


def sigmoid(x):
    return x.sigmoid((-8, 8), error=0.01)


def scores(x):
    return (x * np.linspace(-1, 1, 8192)).inner_sum(1, 64)


def power(x):
    return x**16


def greater(x, y):
    return rj.greater(x, y, gap=0.1, error=0.05)


def filtered(x):
    return sum(x.rotate(k) * w for k, w in enumerate([0.4, 0.3, 0.2, 0.1], start=1))


def inner(x, y):
    return x.dot(y)


def exact(x, y):
    return (x + y) * (x * x + y) * x


def layer(x):
    return (W @ x) ** 2


def squares(x):
    for _ in range(12):
        x = (x * x).with_magnitude(1)
    return x


#: Name, program, parameters, magnitude of the inputs, number of inputs.
PROGRAMS = [
    ("variance of 8,192 values", variance, "n14-depth6", 1, 1),
    ("sigmoid on [-8, 8] to 0.01", sigmoid, "n14-depth6", 8, 1),
    ("128 dot products of 64 with weights", scores, "n14-depth6", 1, 1),
    ("moving average of 4", filtered, "n14-depth6", 1, 1),
    ("layer 64 x 64, then squares", layer, "n14-depth6", 1, 1),
    ("x to the 16th", power, "n15-depth9", 1, 1),
    ("dot product of 16,384 values", inner, "n15-depth9", 1, 2),
    ("x > y to 0.05", greater, "n15-depth14", 1, 2),
    ("product of three, exact", exact, "bgv-n14", 100, 2),
    ("twelve squares with bootstraps", squares, "n15-boot", 1, 1),
]


def round_of(reps):
    """Seconds by the model and measured, of each program. Runs in a process of its own, whose cache is empty."""
    rows = []
    for name, function, preset, magnitude, inputs in PROGRAMS:
        plan = rj.plan(function, preset, magnitudes=magnitude)
        estimate = plan.estimate
        client = rj.Client(preset)
        server = rj.Server(client.evaluation_keys(**plan.keys))
        rng = np.random.default_rng(7)
        whole = plan.params.t is not None
        low, high = (-magnitude, magnitude) if whole else (0, magnitude)
        draw = rng.integers if whole else rng.uniform
        values = [draw(low, high, plan.params.slots) for _ in range(inputs)]
        known = {} if whole else {"magnitude": magnitude}
        cts = [server.load(client.encrypt(v, **known).to_bytes()) for v in values]
        function(*cts)
        seconds = [compare.timed(lambda: function(*cts))[0] for _ in range(reps)]
        rows.append(
            {
                "program": name,
                "params": preset,
                "measured_s": float(np.median(seconds)),
                "fastest_s": min(seconds),
                "model_s": estimate.seconds,
                "threads": server.threads,
            }
        )
        print(f"{name}: {np.median(seconds):.4f} s measured, {estimate.seconds:.4f} s by the model", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reps", type=int, default=5, help="runs of a program in a round")
    parser.add_argument("--results", type=Path, default=ROOT / "bench/results")
    parser.add_argument("--one-round", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one_round:
        compare.result_files.save(args.one_round, {"programs": round_of(args.reps)})
        return
    load, rounds = os.getloadavg()[0], []
    for number in range(1, args.rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "round.json"
            words = [sys.executable, __file__, "--reps", str(args.reps), "--one-round", str(made)]
            subprocess.run(words, check=True, env=os.environ | {"RINGJET_CACHE_DIR": folder})
            rounds.append(compare.json.loads(made.read_text())["programs"])
        print(f"round {number} of {args.rounds}", file=sys.stderr, flush=True)
    result = compare.circumstances(".venv/bin/python bench/model/ten.py", go=False)
    compare.write(result | {"load_average_before": load, "programs": rounds}, args.results, "estimates")
    table.main([])


if __name__ == "__main__":
    main()
