"""Runs encrypted training at full size, one data set after the other, and plaintext training for
comparison.

Writes RESULTS/train-DATE.json and, from the newest result, the section "Training" of
docs/benchmarks.md. run.sh starts it. BENCHMARKING.md says how the figures are measured.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import ringjet as rj
from ringjet._train import data

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import compare  # noqa: E402
import table  # noqa: E402

ROOT = compare.ROOT
# Options of each data set. The number of iterations is that of the literature where it states one.
RUNS = {
    "breast-cancer": {"iterations": 60},
    "credit": {"iterations": 30},
    "mnist38": {"iterations": 32},
    "mnist38-full": {"iterations": 32, "batch_size": 1024},
}
# Data sets so small that the result depends on the split.
SPLIT = ("breast-cancer", "mnist38")
SPLITS = 25


def prepared(name, seed, options):
    """The model, its rows, and the training and held-out parts of a data set, as (x, y) with labels
    -1 and 1."""
    d = data.load(name, None, 0.2, seed)
    model = rj.LogisticRegression(random_state=seed, **options)
    x, y = model.prepare(d.x_train, d.y_train)
    return model, (x, y), (model.transform(d.x_test), np.where(d.y_test == model.classes_[1], 1.0, -1.0))


def by_scikit_learn(x, y):
    best = LogisticRegression(max_iter=100_000).fit(x, y)
    return np.concatenate([best.intercept_, best.coef_[0]])


def over_splits(name, options):
    """Mean accuracy and AUC on held-out samples over several splits, for the same training in the
    clear and for converged ones."""
    found = {"in the clear": [], "in the clear, converged": [], "scikit-learn, converged": []}
    for seed in range(SPLITS):
        model, (x, y), held_out = prepared(name, seed, options)
        plan = model.plan(*x.shape)
        weights = [
            rj.ml.train_in_the_clear(plan, plan.rows_of(x, y))[-1],
            data.converged(x, y, plan.l2),
            by_scikit_learn(x, y),
        ]
        for values, w in zip(found.values(), weights):
            values.append((data.accuracy(*held_out, w), data.auc(*held_out, w)))
    return {what: dict(zip(("accuracy", "AUC"), np.mean(values, axis=0))) for what, values in found.items()}


def trained(name, options, preset):
    """Runs the training command in its own process. Returns its record, with the figures of
    scikit-learn's model added."""
    words = [w for option, value in options.items() for w in ("--" + option.replace("_", "-"), str(value))]
    command = ["-m", "ringjet", "train", "--data", name, "--preset", preset, *words]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        print(
            compare.run([sys.executable, *command, "--report", str(Path(folder) / "r.html"), "--figures", str(record)])
        )
        figures = json.loads(record.read_text())
    _, train, held_out = prepared(name, 0, options)
    w = by_scikit_learn(*train)
    for part, samples in (("training", train), ("held out", held_out)):
        for what, measure in (("accuracy", data.accuracy), ("AUC", data.auc), ("loss", data.loss)):
            figures["measures"][f"{what}, {part}"]["scikit-learn, converged"] = measure(*samples, w)
    return {"command": " ".join(["python", *command]), "load_average_before": load, **figures}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--data", nargs="*", default=list(RUNS), choices=list(RUNS))
    p.add_argument("--preset", default="n16-boot")
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    args = p.parse_args()
    result = {
        **compare.circumstances("bench/train/run.sh"),
        "threads": rj.threads(),
        "splits": {name: over_splits(name, RUNS[name]) for name in args.data if name in SPLIT},
        "split_count": SPLITS,
        "runs": [trained(name, RUNS[name], args.preset) for name in args.data],
    }
    compare.write(result, args.results, "train")
    table.main([])


if __name__ == "__main__":
    main()
