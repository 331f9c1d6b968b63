"""The suite ml-inference on CIFAR-10: a pretrained ResNet-20, the order of its stages, and how results are verified.

Images and network are no part of ringjet: the folder that `RINGJET_DATA` names has `resnet20-cifar10.onnx` and
`cifar10-sample.npz`, 400 images for calibration and 500 for tests. They went through JPEG, so the accuracy is lower than
that of the network on CIFAR-10 itself.
"""

import os
from pathlib import Path

import images
import inference
import numpy as np
from images import SUITE
from inference import SOURCE, models, server_report, stages  # noqa: F401 - part of what a suite defines

INSTANCES = ["single", "small"]

DATA = Path(os.environ.get("RINGJET_DATA", SUITE.parents[3] / "shared/data"))


def rows(pictures: np.ndarray) -> np.ndarray:
    """Images with bytes (images, rows, columns, colours) as rows of pixels from 0 to 1, one colour after the other."""
    return pictures.transpose(0, 3, 1, 2).reshape(len(pictures), -1) / 255


def network() -> Path:
    """The network: one that lies with the compiled models, else the ResNet-20."""
    own = models(SUITE) / "network.onnx"
    return own if own.exists() else DATA / "resnet20-cifar10.onnx"


def make_data(root: Path, name: str, seed: int) -> None:
    """Compiles the model."""
    with np.load(DATA / "cifar10-sample.npz") as sample:
        known = images.prepare(rows(sample["calibration"]))
    inference.compile_model(SUITE, name, network(), known, batch=1)


def make_query(root: Path, name: str, seed: int) -> None:
    """Random images of those for tests."""
    with np.load(DATA / "cifar10-sample.npz") as sample:
        inference.write_images(root, name, rows(sample["test"]), sample["test_labels"], seed)


def verify(root: Path, name: str) -> dict[str, object]:
    """Compares the predictions with the labels, and with those of the network in the clear."""
    return inference.verify(root, name, network(), disagreement=0.02)


def parameters(name: str) -> str:
    return inference.parameters(SUITE, name)


def estimate(name: str, device: str) -> float:
    """Seconds of the server's computation on a device, by the cost model."""
    return inference.estimate(SUITE, name, device)
