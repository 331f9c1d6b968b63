"""ResNet-20 for CIFAR-10 on encrypted images, compiled from its ONNX file alone.

    .venv/bin/python bench/models/resnet20.py          # compiles, measures, writes bench/results/resnet20-DATE.json
    .venv/bin/python bench/models/resnet20.py --show   # prints the newest record as a table

The weights and the images are those of the folder `RINGJET_DATA` (by default ../shared/data): resnet20-cifar10.onnx, and
cifar10-sample.npz with 400 images for calibration and 500 for tests, which went through JPEG. So `accuracy` is lower than
published ones, and `agreement` with the network in the clear is what counts. `simulated` is for all test images, with
polynomials and noise as on ciphertexts; the others are for encrypted ones. Each image is a call of its own; the first one
also encodes the weights. It needs 16 GB of memory.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from statistics import median

import numpy as np
import ringjet as rj

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare

DATA = Path(os.environ.get("RINGJET_DATA", ROOT / "../shared/data"))
MEANS, DEVIATIONS = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


def images(raw):
    """Pixels (images, height, width, channels) as the network takes them: normalised, channels first."""
    return ((raw / 255 - MEANS) / DEVIATIONS).transpose(0, 3, 1, 2)


def measured(file, data, count, memory, batch):
    """A record of the network on `count` encrypted images."""
    tests, labels = images(data["test"]), data["test_labels"]
    compile_seconds, model = compare.timed(
        lambda: rj.ml.compile(file, images(data["calibration"]), memory=memory, batch=batch)
    )
    print(model, flush=True)
    trial = model.simulate(tests, labels, seed=0)
    estimate = model.plan.estimate
    client = model.client()
    keys_seconds, keys = compare.timed(client.keys)
    row = {
        "batch": batch,
        "parameters": repr(model.params),
        "compile_seconds": compile_seconds,
        "compile_peak_bytes": compare.peak(),
        "simulated_agreement": trial.agreement,
        "simulated_accuracy": trial.accuracy,
        "outside": trial.outside,
        "device": rj.devices()[0],
        "estimated_seconds": estimate.seconds,
        "estimated_peak_bytes": estimate.peak_bytes,
        "bootstraps": len(model.plan.bootstraps),
        "rotation_keys": len(model.plan.keys["rotations"]),
        "keys_seconds": keys_seconds,
        "key_bytes": len(keys),
        "key_bytes_in_memory": estimate.keys.in_memory,
    }
    server = model.server(keys)
    del keys
    encrypt_seconds, sent = compare.timed(lambda: client.encrypt(tests[:batch]))
    row |= {"encrypt_seconds": encrypt_seconds, "sent_bytes": len(sent)}
    times, scores = [], []
    for start in range(0, count, batch):
        sent = client.encrypt(tests[start : start + batch])
        seconds, made = compare.timed(lambda sent=sent: server.predict(sent))
        times.append(seconds)
        scores.append(client.scores(made))
        print(f"images {start} to {start + batch - 1}: {seconds:.1f} s", flush=True)
    found, exact = np.concatenate(scores), model.scores(tests[:count], mode="clear")
    row |= {
        "images": count,
        "returned_bytes": len(made),
        "first_seconds": times[0],
        "seconds": median(times[1:] or times),
        "all_seconds": times,
        "agreement": float(np.mean(found.argmax(axis=1) == exact.argmax(axis=1))),
        "accuracy": float(np.mean(found.argmax(axis=1) == labels[:count])),
        "largest_difference_of_logits": float(np.abs(found - exact).max()),
        "peak_bytes": compare.peak(),
    }
    del server
    # of one ciphertext, layer by layer, in the second of two runs
    profile = model.profile(tests[:batch])
    print(profile)
    row["layers"] = [
        {"name": x.name, "size": x.size, "level": x.level, "rotations": x.rotations, "bootstraps": x.bootstraps}
        | {"seconds": x.measured, "estimate": x.estimate}
        for x in profile.layers
    ]
    return row


def show(record):
    """A table of a record."""
    for row in record["rows"]:
        for name, value in row.items():
            if name != "layers":
                print(f"{name:<30} {value}")
        for x in row.get("layers", []):
            print(f"{x['name']:<12} {x['size']:<16} {x['level']:>3} {x['seconds']:>8.3f} {x['estimate']:>8.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the newest record")
    parser.add_argument("--images", type=int, default=10, help="the number of encrypted images")
    parser.add_argument("--batch", type=int, default=1, help="images in a call")
    parser.add_argument("--memory", type=float, default=16, help="gigabytes of memory of the server")
    options = parser.parse_args()
    if options.show:
        newest = max((ROOT / "bench/results").glob("resnet20-*.json"))
        return show(json.loads(newest.read_text()))
    file = DATA / "resnet20-cifar10.onnx"
    if not file.exists():
        sys.exit(f"{file} is missing: RINGJET_DATA names the folder with it")
    with np.load(DATA / "cifar10-sample.npz") as data:
        row = measured(file, data, options.images, int(options.memory * 1e9), options.batch)
    result = compare.circumstances(".venv/bin/python bench/models/resnet20.py", go=False) | {"rows": [row]}
    show(result)
    compare.write(result, ROOT / "bench/results", "resnet20")


if __name__ == "__main__":
    main()
