"""The suite ml-inference: files and stages that its data sets share. A suite's `images.py` says what is special.

A compiled model is a folder with the files that `Model.save` writes. `suite.py` makes one for each instance, before the
first stage: the client needs `client.json` of it, the server all of it.
"""

import argparse
import io
import json
import mmap
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import ringjet as rj
from stage import Stage, write

SOURCE = "github.com/fhe-benchmarking/ml-inference, file names as in its harness of September 2026"

NAMES = ["single", "small", "medium", "large"]
IMAGES = [1, 100, 1_000, 10_000]


@dataclass(frozen=True)
class Instance:
    """An instance, and its files below the folder in which a stage runs."""

    size: int
    root: Path = Path()

    @property
    def name(self) -> str:
        return NAMES[self.size]

    @property
    def images(self) -> int:
        return IMAGES[self.size]

    @property
    def folder(self) -> Path:
        return self.root / "io" / self.name

    @property
    def pixels(self) -> Path:
        """An image a line, numbers from 0 to 1."""
        return self.root / "datasets" / self.name / "intermediate/test_pixels.txt"

    @property
    def labels(self) -> Path:
        """The class of an image a line."""
        return self.pixels.with_name("test_labels.txt")

    @property
    def keys(self) -> Path:
        return self.folder / "public_keys/keys.bin"

    @property
    def secret(self) -> Path:
        return self.folder / "secret_key/secret.bin"

    @property
    def prepared(self) -> Path:
        """The images as the model takes them."""
        return self.folder / "intermediate/preprocessed_input.npy"

    @property
    def sent(self) -> Path:
        return self.folder / "ciphertexts_upload/images.bin"

    @property
    def answer(self) -> Path:
        return self.folder / "ciphertexts_download/scores.bin"

    @property
    def scores(self) -> Path:
        return self.folder / "intermediate/model_scores.npy"

    @property
    def predictions(self) -> Path:
        """The predicted class of an image a line."""
        return self.folder / "encrypted_model_predictions.txt"

    @property
    def report(self) -> Path:
        """The server's own times."""
        return self.folder / "server_reported_steps.json"


def named(name: str, root: Path = Path()) -> Instance:
    """The instance of a name."""
    return Instance(NAMES.index(name), root)


def given() -> Instance:
    """The instance that a stage is given as its argument."""
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=int, choices=range(len(NAMES)), help=" ".join(map(str, enumerate(NAMES))))
    return Instance(parser.parse_args().size)


def models(suite: Path) -> Path:
    """The folder of the compiled models of a suite, one for each instance. They are a part of the submission."""
    return Path(os.environ.get("BOARD_MODELS", suite / "models"))


def stages(name: str) -> tuple[list[Stage], list[Stage]]:
    """Stages that run once, and those that run for each query."""
    instance = named(name)
    size = [str(instance.size)]
    once = [
        Stage("client_key_generation", size, {"keys": str(instance.keys)}),
        Stage("server_preprocess_model"),
    ]
    each_query = [
        Stage("client_preprocess_input", size),
        Stage("client_encode_encrypt_input", size, {"sent": str(instance.sent)}),
        Stage("server_encrypted_compute", size, {"answer": str(instance.answer)}),
        Stage("client_decrypt_decode", size),
        Stage("client_postprocess", size),
    ]
    return once, each_query


def server_report(name: str) -> Path:
    """The file, below the folder of a run, in which the server tells its own times."""
    return named(name).report


def client_key_generation(suite: Path, instance: Instance) -> None:
    """Makes the client's secret key, and the keys that the server computes with."""
    client = rj.ml.Client.load(models(suite) / instance.name / "client.json")
    instance.secret.parent.mkdir(parents=True, exist_ok=True)
    client.save_key(instance.secret, overwrite=True)
    write(instance.keys, client.keys())


def server_preprocess_model(suite: Path) -> None:
    """Reads the models of all instances, so that a damaged file is found before a client sends anything."""
    folders = sorted(path.parent for path in models(suite).glob("*/model.json"))
    if not folders:
        raise SystemExit(f"there is no compiled model in {models(suite)}: suite.py makes them")
    for folder in folders:
        rj.ml.Computation.load(folder)


def client_preprocess_input(instance: Instance, prepare: Callable[[np.ndarray], np.ndarray]) -> None:
    """Reads the images as text. prepare: makes of rows of pixels what the model takes."""
    text = instance.pixels.read_text()
    lines = text.count("\n") + (not text.endswith("\n"))
    pixels = np.fromstring(text, sep=" ").reshape(lines, -1)
    if lines != instance.images:
        raise SystemExit(f"{instance.pixels} has {lines} images, and the instance {instance.name} {instance.images}")
    save(instance.prepared, prepare(pixels))


def client_encode_encrypt_input(suite: Path, instance: Instance) -> None:
    """Encrypts the images."""
    write(instance.sent, client(suite, instance).encrypt(np.load(instance.prepared)))


def server_encrypted_compute(suite: Path, instance: Instance) -> None:
    """Computes the scores of the encrypted images."""
    start = time.perf_counter()
    server = rj.ml.Server.load(models(suite) / instance.name, instance.keys.read_bytes())
    ready = time.perf_counter()
    with instance.sent.open("rb") as file:
        answer = server.predict(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    end = time.perf_counter()
    write(instance.answer, answer)
    times = {"Loading of the model and keys": ready - start, "Encrypted computation": end - ready}
    write(instance.report, json.dumps({name: round(seconds, 4) for name, seconds in times.items()}).encode())


def client_decrypt_decode(suite: Path, instance: Instance) -> None:
    """Decrypts the scores."""
    save(instance.scores, client(suite, instance).scores(instance.answer.read_bytes()))


def client_postprocess(instance: Instance) -> None:
    """The class with the largest score."""
    classes = np.load(instance.scores).argmax(axis=1)
    write(instance.predictions, "".join(f"{k}\n" for k in classes).encode())


def client(suite: Path, instance: Instance) -> rj.ml.Client:
    """The client with the secret key that it stored."""
    return rj.ml.Client.load(models(suite) / instance.name / "client.json", key=instance.secret)


def save(path: Path, array: np.ndarray) -> None:
    """Writes an array."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    write(path, buffer.getvalue())


def write_images(root: Path, name: str, pixels: np.ndarray, labels: np.ndarray, seed: int) -> None:
    """Random ones of these images as text, as the suite's harness writes them. pixels: rows of numbers from 0 to 1."""
    instance = named(name, root)
    chosen = np.random.default_rng(seed).permutation(len(pixels))[: instance.images]
    # few different numbers: each becomes text once
    values, places = np.unique(pixels[chosen], return_inverse=True)
    words = np.array([f"{value:.6f}" for value in values], object)[places.reshape(len(chosen), -1)]
    write(instance.pixels, "".join(" ".join(row) + "\n" for row in words).encode())
    write(instance.labels, "".join(f"{k}\n" for k in labels[chosen]).encode())


def compile_model(suite: Path, name: str, network: Path, known: np.ndarray, batch: int | None) -> None:
    """Compiles a network for an instance. known: prepared images that give the ranges of its values."""
    rj.ml.compile(network, known, batch=batch).save(models(suite) / name)


def verify(root: Path, name: str, network: Path, disagreement: float) -> dict[str, object]:
    """How many images are classified rightly, by the encrypted model and by the network in the clear. disagreement: the
    largest accepted share of images of which they say different classes."""
    # stages need no onnx
    from onnx.reference import ReferenceEvaluator

    instance = named(name, root)
    clear = ReferenceEvaluator(str(network))
    found, labels = (np.loadtxt(path, int, ndmin=1) for path in (instance.predictions, instance.labels))
    prepared = np.load(instance.prepared).astype(np.float32)
    wanted = clear.run(None, {clear.input_names[0]: prepared})[0].argmax(axis=1)
    same, count = int((found == wanted).sum()), len(labels)
    figures = {"images": count, "same_as_clear": same, "correct": int((found == labels).sum())}
    figures |= {"clear_correct": int((wanted == labels).sum())}
    if len(found) != count or count - same > disagreement * count:
        raise SystemExit(f"the predictions of {name} are not those of the clear model: {figures}")
    return figures


def parameters(suite: Path, name: str) -> str:
    """The parameters of an instance's model, and its layout."""
    made = rj.ml.Computation.load(models(suite) / name)
    return f"{made.interface.params!r}, {made.interface.packing.described()}"


def estimate(suite: Path, name: str, device: str) -> float:
    """Seconds of the server's computation on a device, by the cost model."""
    made = rj.ml.Computation.load(models(suite) / name)
    params = made.interface.params
    calls = -(-named(name).images // made.circuit.together(params))
    return calls * made.circuit.plan(params, device).estimate.seconds
