"""Networks with learned quadratics instead of rectifiers: their accuracy, and their time on encrypted images.

    python bench/models/quadratics.py             # trains on digits, measures, writes a record
    python bench/models/quadratics.py --resnet    # also distils ResNet-20 and adds it: 20 minutes and more
    python bench/models/quadratics.py --show      # prints the newest record

It needs torch, onnx, scikit-learn, and ringjet. `--resnet` needs a folder with resnet20-cifar10.onnx and
cifar10-sample.npz: RINGJET_DATA, by default ../shared/data.

digits: a residual network for the digits of scikit-learn, 8 x 8 pixels, the last 500 of a fixed order being tests. It is
trained with quadratics and with rectifiers, from `--seeds` seeds each. The first one with quadratics is compiled from its
ONNX file and computes all tests on ciphertexts.

ResNet-20: the weights of a network with rectifiers, whose activations become quadratics by distillation on 400
images. `agreement` is the share of 500 other images with the same class as that of the original network. These are
far too few images to train a network: the figure tells what the method reaches without the 50,000 training images.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from statistics import median

import numpy as np
import quadratic_networks as networks
import quadratic_training as training
import ringjet as rj
import torch
from ringjet.ml.models._approximations import approximated
from ringjet.ml.models._compile import _source
from ringjet.ml.models._compiled_network import _scaled, ranges, with_squares
from ringjet.ml.models._scores import scale
from ringjet.ml.models._steps import least_depth
from sklearn import datasets

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare

TESTS, EPOCHS = 500, 30

#: Means and deviations of the channels of CIFAR-10, with which the network of the file was trained.
MEANS, DEVIATIONS = np.array([0.4914, 0.4822, 0.4465]), np.array([0.2023, 0.1994, 0.2010])


def digits():
    """Images (samples, 1, 8, 8) with pixels from -1 to 1, and labels."""
    x, y = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    return (x[order].reshape(-1, 1, 8, 8) / 8 - 1).astype(np.float32), y[order]


def trained(activation, seed, x, y):
    """A network with activations of a kind, and its accuracy for the tests."""
    torch.manual_seed(seed)
    x, y = torch.tensor(x), torch.tensor(y)
    made = networks.Residual(1, (8, 16), 1, activation)
    training.trained(made, x[:-TESTS], y[:-TESTS], epochs=EPOCHS, seed=seed)
    with torch.no_grad():
        return made, networks.accuracy(made(x[-TESTS:]), y[-TESTS:])


def levels(file, known):
    """How many levels the network of a file takes with one ciphertext from start to end."""
    source = _source(file, known, None)
    network, x = source.network, source.samples
    centre, half = ranges(x, network)
    scores = network(x)
    polynomials, _ = approximated(with_squares(network, x), x, centre, np.ptp(scores, axis=0), 0.0, 1.5)
    return least_depth(_scaled(polynomials, centre, half, *scale(network.head, scores)))


def on_digits(seeds):
    """The record of the network for digits."""
    x, y = digits()
    made = {
        name: [trained(kind, seed, x, y) for seed in range(seeds)]
        for name, kind in (("quadratics", networks.Hermite), ("rectifiers", networks.Rectifier))
    }
    file = networks.exported(networks.frozen(made["quadratics"][0][0]), x.shape[1:])
    row = {f"{name}_accuracy": [share for _, share in found] for name, found in made.items()}
    return {"network": "digits", **row, "levels": levels(file, x[:-TESTS]), **encrypted(file, x, y)}


def encrypted(file, x, y):
    """What the tests give on ciphertexts, and the times."""
    compile_seconds, model = compare.timed(lambda: rj.ml.compile(file, x[:-TESTS], batch=1))
    client = model.client()
    keys = client.keys()
    server, tests = model.server(keys), x[-TESTS:]
    one = client.encrypt(tests[:1])
    first, _ = compare.timed(lambda: server.predict(one))
    row = {"parameters": repr(model.params), "compile_seconds": compile_seconds, "key_bytes": len(keys)}
    row |= {
        "first_seconds": first,
        "one_seconds": median(compare.timed(lambda: server.predict(one))[0] for _ in range(5)),
    }
    sent = client.encrypt(tests)
    row["seconds"], made = compare.timed(lambda: server.predict(sent))
    found, wanted = client.decrypt(made), model.predict(tests, mode="clear")
    row |= {
        "images": TESTS,
        "agreement": float(np.mean(found == wanted)),
        "clear": float(np.mean(wanted == y[-TESTS:])),
    }
    row["accuracy"] = float(np.mean(found == y[-TESTS:]))
    return row | {"peak_bytes": compare.peak()}


# --- ResNet-20 ---


def on_cifar(folder, steps, kept):
    """The record of ResNet-20. kept: where the distilled network is written."""
    stored = np.load(folder / "cifar10-sample.npz")
    known, tests = (
        ((stored[name] / 255 - MEANS) / DEVIATIONS).transpose(0, 3, 1, 2).astype(np.float32)
        for name in ("calibration", "test")
    )
    teacher = networks.resnet20(folder / "resnet20-cifar10.onnx")
    seconds, student = compare.timed(
        lambda: training.distilled(teacher, torch.tensor(known), steps=steps, report=print)
    )
    with torch.no_grad():
        wanted, found = (model(torch.tensor(tests)).argmax(1).numpy() for model in (teacher, student))
    file = networks.exported(student, known.shape[1:])
    if kept:
        Path(kept).write_bytes(file)
    labels = stored["test_labels"]
    return {
        "network": "ResNet-20",
        "steps": steps,
        "distillation_seconds": seconds,
        "images": len(tests),
        "agreement": float(np.mean(found == wanted)),
        "accuracy": float(np.mean(found == labels)),
        "accuracy_of_original": float(np.mean(wanted == labels)),
        "levels": levels(file, known[:24]),
    }


def show(record):
    """The figures of a record."""
    for row in record["rows"]:
        print(", ".join(f"{name} {value}" for name, value in row.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the newest record")
    parser.add_argument("--resnet", action="store_true", help="also distil ResNet-20")
    parser.add_argument("--seeds", type=int, default=1, help="networks of each kind that are trained on digits")
    parser.add_argument("--steps", type=int, default=1000, help="steps of distillation")
    parser.add_argument("--shared", action="store_true", help="note that other processes used the machine")
    parser.add_argument("--keep", help="where ResNet-20 with quadratics is written as ONNX")
    options = parser.parse_args()
    if options.show:
        return show(json.loads(max((ROOT / "bench/results").glob("quadratics-*.json")).read_text()))
    torch.set_num_threads(1)
    rows = [on_digits(options.seeds)]
    if options.resnet:
        folder = Path(os.environ.get("RINGJET_DATA", ROOT / "../shared/data"))
        rows.append(on_cifar(folder, options.steps, options.keep))
    result = compare.circumstances("python bench/models/quadratics.py", go=False)
    result |= {"shared_machine": options.shared, "rows": rows}
    show(result)
    compare.write(result, ROOT / "bench/results", "quadratics")


if __name__ == "__main__":
    main()
