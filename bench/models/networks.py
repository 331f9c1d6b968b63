"""Times networks on encrypted images of digits: one image, and many at once.

    .venv/bin/python bench/models/networks.py          # trains, measures, writes bench/results/networks-DATE.json
    .venv/bin/python bench/models/networks.py --show   # prints the newest record as a table

`training.py` makes the networks. Each is compiled from its ONNX file with the default agreement of 99 %. `clear` is
the share of right classes of the file for 500 images that it has not seen, and `agreement` the share of encrypted
predictions with the same class as the file's. Times are wall times of the server, on all cores, after one call that
encodes the weights; that of one image is the median of five calls with one image.
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import median

import numpy as np
import ringjet as rj
import training

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare

#: The network, whether its images are sent in columns, the number of images at once.
RUNS = [
    ("784-128-10, relu", False, 500),
    ("CryptoNets, square", False, 500),
    ("LeNet-5, relu", False, 500),
    ("784-128-10, relu", True, 10000),
    ("CryptoNets, square", True, 1000),
]


def measured(name, file, in_columns, count, x, y):
    """A record of a network on `count` images."""
    known, tests = x[: -training.TESTS], np.arange(count) % training.TESTS + len(x) - training.TESTS
    compile_seconds, model = compare.timed(lambda: rj.ml.compile(file, known, batch=None if in_columns else 1))
    client = model.client()
    keys = client.keys()
    server = model.server(keys)
    row = {
        "network": name,
        "layout": model.layout,
        "parameters": repr(model.params),
        "images": count,
        "compile_seconds": compile_seconds,
        "key_bytes": len(keys),
        "key_bytes_at_all_levels": len(
            rj.Client(model.params).evaluation_keys(**{**model.plan.keys, "levels": {}}).to_bytes()
        ),
    }
    if not in_columns:
        one = client.encrypt(x[-1:])
        row["first_seconds"], _ = compare.timed(lambda: server.predict(one))
        row["one_seconds"] = median(compare.timed(lambda: server.predict(one))[0] for _ in range(5))
    row["encrypt_seconds"], sent = compare.timed(lambda: client.encrypt(x[tests]))
    row["sent_bytes"] = len(sent)
    row["seconds"], made = compare.timed(lambda: server.predict(sent))
    found, wanted = client.decrypt(made), model.predict(x[tests], mode="clear")
    row["agreement"], row["clear"] = float(np.mean(found == wanted)), float(np.mean(wanted == y[tests]))
    row["accuracy"] = float(np.mean(found == y[tests]))
    row["peak_bytes"] = compare.peak()
    return row


def show(record):
    """A table of a record."""
    print(
        f"{'network':<20} {'layout':<8} {'images':>6} {'seconds':>8} {'one':>7} {'agreement':>9} {'accuracy':>8} {'keys':>8}"
    )
    for row in record["rows"]:
        one = f"{row['one_seconds']:.3f}" if "one_seconds" in row else ""
        print(
            f"{row['network']:<20} {row['layout']:<8} {row['images']:>6} {row['seconds']:>8.2f} {one:>7} "
            f"{row['agreement']:>9.4f} {row['accuracy']:>8.4f} {row['key_bytes'] / 1e6:>5.0f} MB"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the newest record")
    if parser.parse_args().show:
        newest = max((ROOT / "bench/results").glob("networks-*.json"))
        return show(json.loads(newest.read_text()))
    x, y = training.digits()
    known = len(x) - training.TESTS
    files = {
        name: training.exported(training.trained(layers, x[:known], y[:known]))
        for name, layers in training.networks().items()
    }
    rows = [measured(name, files[name], in_columns, count, x, y) for name, in_columns, count in RUNS]
    result = compare.circumstances(".venv/bin/python bench/models/networks.py", go=False) | {"rows": rows}
    show(result)
    compare.write(result, ROOT / "bench/results", "networks")


if __name__ == "__main__":
    main()
