"""Logistic regression trained on encrypted data, against the same training in the clear.

The client standardises scikit-learn's breast cancer data (569 tumours, 30 measurements), encrypts it, and sends bytes to a
server. The server trains without seeing anything and sends encrypted weights back; after every iteration it also sends a
small copy of the weights, so that the client can draw the learning curve. `make demo` runs this.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import ringjet as rj
from ringjet.progress import bar
from ringjet.ml import helr

Array = npt.NDArray[np.float64]

#: Standardised values are cut off here: outliers would leave the range in which the polynomial is near the sigmoid.
CLIP = 2.0


def size(n: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}"
        n /= 1000
    return f"{n:.2f} GB"


def rate(t: int) -> float:
    """Learning rate of iteration t."""
    return 1.0 / (1 + 0.1 * t)


@dataclass
class Data:
    """Standardised, labels in {-1, 1}."""

    x_train: Array
    y_train: Array
    x_test: Array
    y_test: Array


def load() -> Data:
    """The data set, split 80/20 and standardised with the statistics of the training part."""
    x, y = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, 2.0 * y - 1, test_size=0.2, random_state=0, stratify=y)
    mean, deviation = x_train.mean(axis=0), x_train.std(axis=0)

    def standardise(a: Array) -> Array:
        return np.asarray(np.clip((a - mean) / deviation, -CLIP, CLIP))

    return Data(standardise(x_train), y_train, standardise(x_test), y_test)


def scores(x: Array, weights: Array) -> Array:
    return np.asarray(weights[0] + x @ weights[1:])


def accuracy(x: Array, y: Array, weights: Array) -> float:
    return float(np.mean(np.sign(scores(x, weights)) == y))


def auc(x: Array, y: Array, weights: Array) -> float:
    return float(roc_auc_score(y, scores(x, weights)))


def loss(x: Array, y: Array, weights: Array) -> float:
    """Mean logistic loss."""
    return float(np.mean(np.logaddexp(0.0, -y * scores(x, weights))))


class Stopwatch:
    """Prints what is done and how long it took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def done(self, what: str, start: float, note: str = "") -> None:
        self.seconds[what] = time.perf_counter() - start
        print(f"  {what:<46} {self.seconds[what]:6.1f} s   {note}", flush=True)


@dataclass
class Training:
    """What came out, and what it cost."""

    history: list[Array]
    iterations: list[float]
    sizes: dict[str, int]


def encrypted_training(params: rj.Parameters, plan: helr.Plan, data: Data) -> Training:
    """Client and server in one process; only bytes go from one to the other."""
    watch, sizes = Stopwatch(), {}

    print("\nclient")
    client = rj.Client(params, slots=plan.slots)
    start = time.perf_counter()
    keys = client.evaluation_keys(rotations=plan.rotations, progress=True)
    sizes["evaluation keys in memory"] = keys.sizes["in_memory"]
    watch.done("makes evaluation keys", start, f"{len(keys)} keys, {size(keys.sizes['in_memory'])} in memory")
    start = time.perf_counter()
    key_bytes = keys.to_bytes()
    del keys
    sizes["evaluation keys sent"] = len(key_bytes)
    watch.done("writes them as bytes", start, size(len(key_bytes)))
    start = time.perf_counter()
    data_bytes = [client.encrypt(v).to_bytes() for v in plan.pack(data.x_train, data.y_train)]
    sizes["training data sent (2 fresh ciphertexts)"] = sum(map(len, data_bytes))
    watch.done("packs and encrypts the training data", start, size(sum(map(len, data_bytes))))

    print("\nserver")
    start = time.perf_counter()
    server = rj.Server(key_bytes, max_bytes=8 << 30)
    del key_bytes
    watch.done("reads and expands the keys", start, repr(server))
    rows, moved = (server.load(b, max_bytes=256 << 20) for b in data_bytes)
    print(f"  {rows}")

    print("  trains; after every iteration the client gets a small copy of the weights, for the learning curve only")

    history, seconds = [], []
    show = bar("training")
    for step in helr.Trainer(plan, rows, moved).run():
        answer = step.weights.to_bytes()  # server to client: a small copy of the weights
        history.append(plan.unpack(client.decrypt(answer)))
        seconds.append(step.seconds)
        sizes["weights sent back"] = len(answer)
        show(step.iteration + 1, len(plan.rates))
    print(f"  {step.weights}")
    return Training(history, seconds, sizes)


def report(data: Data, encrypted: Training, clear: list[Array], clear_seconds: float) -> None:
    """The table."""
    e, c = encrypted.history[-1], clear[-1]
    best = LogisticRegression().fit(data.x_train, data.y_train)
    converged = np.concatenate([best.intercept_, best.coef_[0]])
    rows: list[tuple[str, ...]] = [("", "encrypted", "in the clear", "scikit-learn, converged")]
    for name, measure, form in [("accuracy", accuracy, ".2%"), ("AUC", auc, ".4f"), ("loss", loss, ".4f")]:
        for part, x, y in [("held out", data.x_test, data.y_test), ("training", data.x_train, data.y_train)]:
            rows.append((f"{name}, {part}", *(format(measure(x, y, w), form) for w in (e, c, converged))))
    per_iteration = encrypted.iterations[1:] or encrypted.iterations
    rows.append(("iterations", str(len(encrypted.history)), str(len(clear)), str(best.n_iter_[0])))
    rows.append(("time per iteration", f"{np.mean(per_iteration):.2f} s", f"{clear_seconds / len(clear) * 1e6:.0f} us", ""))
    print()
    for row in rows:
        print(f"  {row[0]:<22}" + "".join(f"{cell:>16}" for cell in row[1:3]) + f"{row[3]:>26}")
    print(f"\n  largest weight difference to training in the clear   {np.max(np.abs(e - c)):.1e}")
    print(f"  iterations took                                      {', '.join(f'{s:.2f}' for s in encrypted.iterations)} s")
    for what, n in encrypted.sizes.items():
        print(f"  {what:<52} {size(n)}")


def plot(data: Data, encrypted: Training, clear: list[Array], path: Path) -> None:
    """Loss and accuracy after every iteration."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    iterations = range(1, len(clear) + 1)
    curves = [("loss on the training data", loss, data.x_train, data.y_train, axes[0])]
    curves.append(("accuracy on held-out data", accuracy, data.x_test, data.y_test, axes[1]))
    for title, measure, x, y, axis in curves:
        axis.plot(iterations, [measure(x, y, w) for w in clear], "o-", color="tab:gray", label="in the clear", markersize=9)
        values = [measure(x, y, w) for w in encrypted.history]
        axis.plot(iterations, values, "x--", color="tab:blue", label="encrypted")
        axis.set(title=title, xlabel="iteration", xticks=list(iterations))
        axis.grid(alpha=0.3)
        axis.legend()
    figure.suptitle("Logistic regression on the breast cancer data")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    print(f"\n  learning curves: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="n16-depth30", help="parameter set: its depth decides the number of iterations")
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="directory of the plot")
    arguments = parser.parse_args()
    began = time.perf_counter()
    rj.set_threads(arguments.threads)

    data = load()
    params = rj.preset(arguments.preset)
    samples, features = data.x_train.shape
    plan = helr.Plan.for_depth(params.depth, samples, features, rate)
    print(f"{samples} training and {len(data.y_test)} test samples, {features} features")
    print(f"{len(plan.rates)} iterations in {plan.slots} slots; {params}")

    start = time.perf_counter()
    clear = helr.train_in_the_clear(plan, plan.rows_of(data.x_train, data.y_train))
    clear_seconds = time.perf_counter() - start
    encrypted = encrypted_training(params, plan, data)
    report(data, encrypted, clear, clear_seconds)
    plot(data, encrypted, clear, arguments.output / "learning_curves.png")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"  {time.perf_counter() - began:.0f} s in all, {peak:.1f} GB of memory at the peak")


if __name__ == "__main__":
    main()
