"""Times products of a matrix in the clear with encrypted rows, beside OpenBLAS and weighted sums one by one.

    .venv/bin/python bench/matrix/matrix.py          # measures, and writes bench/results/matrix-DATE.json
    .venv/bin/python bench/matrix/matrix.py --show   # prints the ratios of the newest record

`gemm`: `rj.weighted_sums` of 128 x 784, 1024 x 1024 and 4096 x 4096 numbers, one thread, in turn with numpy's product of
doubles of as many multiply-adds (OpenBLAS on one thread; a modular multiply-add takes two of them, so half
of its rate is the limit) and with `rj.weighted_sum` of single rows. `network`: a network of 784, 128 and 10
units with the square between them, random weights, on encrypted images of random pixels, on all cores:
time of the server, largest error, and whether all classes are those of the clear network.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import argparse  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import median  # noqa: E402

import numpy as np  # noqa: E402
import ringjet as rj  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402

#: Rows and columns, and how often each product is timed.
SHAPES = [(128, 784, 5), (1024, 1024, 3), (4096, 4096, 1)]
#: Rows that are computed one by one.
SINGLE = 4


def timed(run):
    start = time.process_time()
    run()
    return time.process_time() - start


def products():
    """Rates in modular multiply-adds a second, of numpy half of its multiply-adds."""
    rows = []
    params = rj.params(12, [37, 30], [37])
    client = rj.Client(params)
    server = rj.Server(client.evaluation_keys(relinearization=False), threads=1)
    for height, width, rounds in SHAPES:
        rng = np.random.default_rng(1)
        matrix = rng.uniform(-1, 1, (height, width)) / width
        cts = [server.load(client.encrypt(rng.uniform(-1, 1, client.slots))) for _ in range(width)]
        words = 2 * (cts[0].level + 1) * 2 * params.slots
        left, right = rng.uniform(-1, 1, (height, width)), rng.uniform(-1, 1, (width, words))
        rates = {"weighted_sums": [], "weighted_sum": [], "half_of_dgemm": []}
        for _ in range(rounds):
            rates["weighted_sums"].append(
                height * width * words / timed(lambda m=matrix, x=cts: rj.weighted_sums(x, m))
            )
            single = timed(lambda m=matrix, x=cts: [rj.weighted_sum(x, row) for row in m[:SINGLE]])
            rates["weighted_sum"].append(SINGLE * width * words / single)
            rates["half_of_dgemm"].append(height * width * words / timed(lambda a=left, b=right: a @ b) / 2)
        for name, all_rates in rates.items():
            rows.append(
                {"bench": name, "rows": height, "columns": width, "n": 2 * params.slots, "rate": median(all_rates)}
            )
    return rows


def network(images):
    """The network on so many images."""
    rng = np.random.default_rng(2)
    params = rj.params(13, [48, 36, 36, 36], [48])
    client = rj.Client(params)
    server = rj.Server(client.evaluation_keys())
    first, second = rng.normal(0, 0.02, (128, 784)), rng.normal(0, 0.2, (10, 128))
    bias, last = rng.normal(0, 0.1, 128), rng.normal(0, 0.1, 10)
    pixels = rng.uniform(0, 1, (images, 784))
    between = pixels @ first.T + bias
    clear, bound = between**2 @ second.T + last, 1.5 * float(np.max(np.abs(between)))
    seconds, found = 0.0, []
    for start in range(0, images, client.slots):
        group = pixels[start : start + client.slots]
        inputs = [server.load(client.encrypt(column, magnitude=(0, 1))) for column in group.T]
        begin = time.perf_counter()
        hidden = [x.with_range(-bound, bound) for x in rj.weighted_sums(inputs, first, bias=bias)]
        hidden = [x * x for x in hidden]
        scores = rj.weighted_sums(hidden, second, bias=last)
        seconds += time.perf_counter() - begin
        found.append(np.array([client.decrypt(score)[: len(group)] for score in scores]).T)
    found = np.concatenate(found)
    error = float(np.max(np.abs(found - clear)))
    same = float(np.mean(found.argmax(1) == clear.argmax(1)))
    return {
        "bench": "network",
        "images": images,
        "n": 2 * params.slots,
        "seconds": seconds,
        "error": error,
        "same": same,
    }


def show(result):
    for row in result["rows"]:
        if row["bench"] == "network":
            print(
                f"network on {row['images']} images: {row['seconds']:.2f} s on the server, largest error "
                f"{row['error']:.1e}, {row['same']:.2%} of the classes are those of the clear network"
            )
        else:
            shape = f"{row['rows']} x {row['columns']}"
            print(f"{shape} {row['bench']}: {row['rate'] / 1e9:.2f} G modular multiply-adds a second")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--images", type=int, default=10_000)
    args = parser.parse_args()
    if args.show:
        newest = max((ROOT / "bench/results").glob("matrix-*.json"))
        return show(json.loads(newest.read_text()))
    rows = [*products(), network(args.images)]
    result = compare.circumstances(".venv/bin/python bench/matrix/matrix.py", go=False) | {"rows": rows}
    show(result)
    compare.write(result, ROOT / "bench/results", "matrix")


if __name__ == "__main__":
    main()
