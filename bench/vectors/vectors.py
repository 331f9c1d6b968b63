"""Order, comparisons and functions of encrypted vectors: are the results right on random inputs, how
far off are they, and how long does one take?

    python bench/vectors/vectors.py --trials 100 --json bench/results/vectors.json
    python bench/vectors/vectors.py --trials 3 sort argmax

Parameters have 128 bits of security. A trial is one encrypted input; times are of the server's work
alone. `right`: every result is within `allowed` of the plain computation. Inputs are uniform, and
differ by at least the gap where they are compared. The seed is printed.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ringjet as rj

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import result_files  # noqa: E402

GAP = 2.0**-10


@dataclass(frozen=True)
class Task:
    """What is computed: on how many values, with which parameters, and how it is judged."""

    what: str
    program: Callable[..., rj.Ciphertext]
    clear: Callable[..., Any]
    draw: Callable[[np.random.Generator], list[np.ndarray]]
    allowed: float
    levels: int
    slots: int | None = None
    log_n: int = 16
    magnitude: float = 1.0
    #: Bits of the primes of levels, and the number of special primes.
    bits: int = 40
    special: int = 6
    #: Which results are compared: all those of `clear`, or where it is known.
    sure: Callable[..., Any] | None = None


def apart(n: int) -> Callable[[np.random.Generator], list[np.ndarray]]:
    """n values in [-1, 1] that differ by at least the gap: a random subset of a fine grid, moved by
    less than the rest of its step."""

    def draw(rng: np.random.Generator) -> list[np.ndarray]:
        step = 1.25 * GAP
        places = rng.choice(int(2 / step), n, replace=False)
        return [-1 + step * (places + 0.5) + rng.uniform(-0.125, 0.125, n) * GAP * 0.9]

    return draw


def uniform(n: int, size: float = 1.0, count: int = 1) -> Callable[[np.random.Generator], list[np.ndarray]]:
    return lambda rng: [rng.uniform(-size, size, n) for _ in range(count)]


def beyond(gap: float) -> Callable[..., Any]:
    """Where two vectors, or one and 0, differ by at least the gap."""
    return lambda x, y=0.0: np.abs(x - y) >= gap


FULL = 1 << 15

#: Nearest neighbours: this many points of 64 features, in the clear, in 64 rows of `SIDE` slots.
POINTS, FEATURES, NEAREST, SIDE = 1000, 64, 5, 1024
POINT = np.random.default_rng(11).uniform(-1, 1, (POINTS, FEATURES))
ROWS = np.pad(POINT.T, ((0, 0), (0, SIDE - POINTS))).reshape(2, FULL)
HALF_SQUARES = np.tile(np.pad((POINT**2).sum(1) / 2, (0, SIDE - POINTS)), FEATURES // 2)
NEAR = 0.06


def nearness(q: np.ndarray) -> np.ndarray:
    """`p.q - |p|^2 / 2` of all points p, from -30 to 6: the larger, the nearer."""
    return POINT @ q - (POINT**2).sum(1) / 2


def query(rng: np.random.Generator) -> list[np.ndarray]:
    """A query whose fifth and sixth neighbours differ by the gap; every feature in a row of slots,
    half of the features in each ciphertext."""
    while True:
        q = rng.uniform(-1, 1, FEATURES)
        order = np.sort(nearness(q))
        if order[-NEAREST] - order[-NEAREST - 1] > NEAR:
            return list(np.repeat(q, SIDE).reshape(2, FULL))


def nearest(a: rj.Ciphertext, b: rj.Ciphertext) -> rj.Ciphertext:
    """1 for the nearest points, 0 for the others."""
    near = (a * ROWS[0] + b * ROWS[1]).inner_sum(SIDE, FEATURES // 2) - HALF_SQUARES
    ranks = near.with_range(-30, 6).rank(POINTS, gap=NEAR, error=0.1)
    return rj.greater(ranks, POINTS - NEAREST - 0.5, gap=0.4, error=0.01)


def nearest_clear(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    near = nearness(np.append(a, b)[::SIDE])
    return near >= np.sort(near)[-NEAREST]


def product(a: rj.Ciphertext, b: rj.Ciphertext) -> rj.Ciphertext:
    a, b = (rj.EncryptedMatrix([[x]], (64, 64)) for x in (a, b))
    return (a @ b).blocks[0][0]


#: Values are right if they are within 1/512 of the width of the interval, and ranks and indices if
#: they round to the right number.
CLOSE = 2 / 512

TASKS = {
    "rank": Task(
        "ranks of 128 values",
        lambda x: x.rank(128, gap=GAP),
        lambda v: np.argsort(np.argsort(v)),
        apart(128),
        0.25,
        33,
        1 << 14,
    ),
    "argmin": Task(
        "index of the smallest of 128",
        lambda x: x.argmin(128, gap=GAP),
        lambda v: [np.argmin(v)],
        apart(128),
        0.25,
        33,
        1 << 14,
    ),
    "sort": Task("128 values in order", lambda x: x.sort(128, gap=GAP), np.sort, apart(128), CLOSE, 33, 1 << 14),
    "argmax": Task(
        "index of the largest of 64",
        lambda x: x.argmax(64, gap=GAP),
        lambda v: [np.argmax(v)],
        apart(64),
        0.25,
        33,
        1 << 12,
    ),
    "median": Task(
        "median of 256", lambda x: x.median(256, gap=GAP), lambda v: [np.median(v)], apart(256), CLOSE, 33, FULL
    ),
    "top": Task(
        "the 5 largest of 256",
        lambda x: x.top_k(5, 256, gap=GAP, ties="average"),
        lambda v: np.sort(v)[::-1][:5],
        apart(256),
        CLOSE,
        34,
        FULL,
        bits=42,
        special=5,
    ),
    "sign": Task(
        "sign, gap and error 2^-10",
        lambda x: x.sign(gap=GAP, error=2**-10),
        np.sign,
        uniform(FULL),
        2**-10 + 1e-5,
        15,
        sure=beyond(GAP),
    ),
    "greater": Task(
        "comparison, gap and error 2^-10",
        lambda x, y: rj.greater(x, y, gap=GAP, error=2**-10),
        lambda x, y: x > y,
        uniform(FULL, count=2),
        2**-10 + 1e-5,
        17,
        sure=beyond(GAP),
    ),
    "fherma-sign": Task(
        "sign to 0.01 for |x| >= 0.02",
        lambda x: x.sign(gap=0.02, error=0.01),
        np.sign,
        uniform(FULL),
        0.01,
        9,
        log_n=15,
        slots=1 << 14,
        special=3,
        sure=beyond(0.02),
    ),
    "fherma-relu": Task(
        "relu to 0.01",
        lambda x: x.relu(error=0.01),
        lambda v: np.maximum(v, 0),
        uniform(FULL),
        0.01,
        7,
        log_n=15,
        slots=1 << 14,
        special=3,
    ),
    "fherma-logistic": Task(
        "logistic function to 1e-3 on [-25, 25]",
        lambda x: x.sigmoid((-25, 25), error=9e-4),
        lambda v: 1 / (1 + np.exp(-v)),
        uniform(FULL, 25.0),
        1e-3,
        8,
        log_n=15,
        slots=1 << 14,
        special=3,
        magnitude=25.0,
    ),
    "nearest": Task("the 5 nearest of 1,000 points with 64 features", nearest, nearest_clear, query, 0.02, 34),
    "product": Task(
        "64 x 64 product of encrypted matrices",
        product,
        lambda a, b: (a.reshape(64, 64) @ b.reshape(64, 64)).ravel(),
        uniform(4096, count=2),
        1e-2,
        4,
        slots=4096,
        log_n=14,
        special=2,
    ),
}


def measure(task: Task, trials: int, rng: np.random.Generator) -> dict[str, Any]:
    params = rj.params(task.log_n, [50] + [task.bits] * task.levels, [50] * task.special)
    inputs = len(task.draw(np.random.default_rng(0)))
    plan = rj.plan(task.program, params, slots=task.slots, magnitudes=[task.magnitude] * inputs)
    client = rj.Client(params, slots=task.slots)
    server = rj.Server(client.evaluation_keys(**plan.keys))
    seconds, errors, right = [], [], 0
    for _ in range(trials):
        values = [v[: client.slots] for v in task.draw(rng)]
        operands = [server.load(client.encrypt(v, magnitude=task.magnitude)) for v in values]
        begin = time.perf_counter()
        result = task.program(*operands)
        seconds.append(time.perf_counter() - begin)
        known = np.asarray(task.clear(*values), float)
        error = np.abs(client.decrypt(result)[: known.size] - known)
        error = float(np.max(error if task.sure is None else error[task.sure(*values)]))
        errors.append(error)
        right += error <= task.allowed
    used = params.max_level - result.level
    return {
        "what": task.what, "trials": trials, "right": right, "allowed": task.allowed, "worst_error": max(errors),
        "seconds": [round(s, 4) for s in seconds], "levels": used, "log_n": task.log_n, "log_qp": params.log_qp,
        "security": params.security, "rotation_keys": len(plan.keys["rotations"]),
    }  # fmt: skip


def machine() -> dict[str, Any]:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.processor())
    return {"cpu": model, "threads": rj.threads(), "commit": commit, "date": time.strftime("%Y-%m-%d")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", choices=[*TASKS, []], help=f"of {', '.join(TASKS)}; all by default")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="file for the results")
    options = parser.parse_args()
    rj.set_threads(options.threads)
    print(f"seed {options.seed}, {machine()}")
    found = {}
    for name in options.tasks or TASKS:
        found[name] = one = measure(TASKS[name], options.trials, np.random.default_rng(options.seed))
        middle = statistics.median(one["seconds"])
        print(f"{name:16} {one['right']:3} of {one['trials']:3} right, worst error {one['worst_error']:.1e} of "
              f"{one['allowed']:.1e}, {middle:.3f} s ({min(one['seconds']):.3f} to {max(one['seconds']):.3f}), "
              f"{one['levels']} levels: {one['what']}", flush=True)  # fmt: skip
        if options.json:
            result_files.save(Path(options.json), {"machine": machine(), "seed": options.seed, "tasks": found})


if __name__ == "__main__":
    main()
