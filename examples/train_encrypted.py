"""Logistic regression on encrypted data without bootstrapping, compared with training in the clear.

The client standardises scikit-learn's breast cancer data (569 tumours, 30 measurements), encrypts
it, and sends bytes to a server. The server trains without seeing the data, for as many iterations
as its parameters have levels, and sends encrypted weights back. After every iteration it also sends
a small copy of the weights, so that the client can draw the learning curve. `make demo-leveled`
runs this.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

import ringjet as rj
from ringjet.ml.sigmoid import sigmoid
from ringjet.progress import bar

Array = npt.NDArray[np.float64]

#: Each measure: its name, its format, and a function of labels in {-1, 1} and of scores.
MEASURES = [
    ("accuracy", ".2%", lambda y, z: accuracy_score(y, np.where(z > 0, 1.0, -1.0))),
    ("AUC", ".4f", roc_auc_score),
    ("loss", ".4f", lambda y, z: log_loss(y, sigmoid(z))),
]


def done(what: str, start: float, note: str = "") -> None:
    print(f"  {what:<40} {time.perf_counter() - start:6.1f} s   {note}", flush=True)


def train(params: rj.Parameters, plan: rj.ml.TrainingPlan, rows: Array) -> tuple[list[Array], list[float]]:
    """The weights after every iteration, and the seconds of each iteration. Client and server are
    one process here, but only bytes pass between them."""
    print("\nclient")
    start = time.perf_counter()
    client = plan.client(params)  # holds the secret
    keys = plan.keys(client).to_bytes()
    done("makes evaluation keys", start, f"{len(keys) / 1e9:.2f} GB sent")
    start = time.perf_counter()
    data = [ct.to_bytes() for ct in plan.encrypt(client, rows)]
    done("packs and encrypts the training data", start, f"{sum(map(len, data)) / 1e6:.1f} MB sent")

    print("\nserver")
    start = time.perf_counter()
    server = rj.Server(keys, max_bytes=len(keys))
    del keys
    done("reads and expands the keys", start, repr(server))
    history, seconds, show = [], [], bar("training")
    for step in rj.ml.EncryptedTraining(plan, plan.load(server, data)).run():
        answer = step.weights.to_bytes()  # server to client
        # exact, so for the owner of the key only; LogisticRegression(share=True) gives weights to
        # publish
        history.append(plan.unpack(client.decrypt(answer, check=False), step.factor))
        seconds.append(step.seconds)
        show(step.iteration + 1, plan.iterations)
    # the training assumed bounds on the encrypted values; the client checks them now
    if message := rj.ml.check(plan, rows, history):
        print(f"  warning: {message}")
    print(f"  {step.weights}, {len(answer) / 1e6:.1f} MB sent back")
    return history, seconds


def scores(x: Array, weights: Array) -> Array:
    return np.asarray(weights[0] + x @ weights[1:])


def table(parts: dict[str, tuple[Array, Array]], columns: dict[str, Array]) -> None:
    """Prints how well the weights classify."""
    print("\n  " + " " * 22 + "".join(f"{name:>26}" for name in columns))
    for name, form, measure in MEASURES:
        for part, (x, y) in parts.items():
            cells = "".join(f"{measure(y, scores(x, w)):>26{form}}" for w in columns.values())
            print(f"  {f'{name}, {part}':<22}{cells}")


def plot(x: Array, y: Array, encrypted: list[Array], clear: list[Array], path: Path) -> None:
    """Plots the loss after every iteration."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, history, style in [("in the clear", clear, "o-"), ("encrypted", encrypted, "x--")]:
        axis.plot(range(1, len(history) + 1), [log_loss(y, sigmoid(scores(x, w))) for w in history], style, label=name)
    axis.set(title="breast cancer: loss on the training data", xlabel="iteration")
    axis.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    print(f"\n  learning curve: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--preset", default="n16-depth30", help="parameter set: its depth decides the number of iterations"
    )
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="directory of the plot")
    arguments = parser.parse_args()
    began = time.perf_counter()
    rj.set_threads(arguments.threads)
    params = rj.preset(arguments.preset)

    # a sigmoid of degree 3 takes the fewest levels per iteration: four
    model = rj.LogisticRegression(params, iterations=None, degree=3, bound=16.0)
    x, y = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=0, stratify=y)
    x, y = model.prepare(x_train, y_train)  # standardised, labels -1 and 1
    x_test, y_test = model.transform(x_test), np.where(y_test == model.classes_[1], 1.0, -1.0)
    plan = model.plan(*x.shape)
    print(f"{plan.samples} training and {len(x_test)} test samples, {plan.features} features")
    print(f"{plan.iterations} iterations in {plan.slots} slots; {params}")

    rows = plan.rows_of(x, y)
    clear = rj.ml.train_in_the_clear(plan, rows)
    encrypted, seconds = train(params, plan, rows)
    best = LogisticRegression(max_iter=1000).fit(x, y)
    converged = np.concatenate([best.intercept_, best.coef_[0]])
    columns = {"encrypted": encrypted[-1], "in the clear": clear[-1], "scikit-learn, converged": converged}
    table({"held out": (x_test, y_test), "training": (x, y)}, columns)
    print(f"\n  largest weight difference to training in the clear   {np.max(np.abs(encrypted[-1] - clear[-1])):.1e}")
    print(f"  iterations took                                      {', '.join(f'{s:.2f}' for s in seconds)} s")
    plot(x, y, encrypted, clear, arguments.output / "learning_curve.png")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(f"  {time.perf_counter() - began:.0f} s in all, {peak:.1f} GB of memory at the peak")


if __name__ == "__main__":
    main()
