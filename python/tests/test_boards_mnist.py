"""`bench/boards/{mnist,cifar10}`: all stages with small networks, and stages that are killed or get damaged files."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
sys.path.insert(0, str(Path(__file__).parent))

import boards

import ringjet as rj

training = boards.models_training()


@pytest.fixture(scope="module")
def digits():
    """Images of 28 x 28 pixels as rows, and their digits."""
    x, y = training.digits()
    return x.reshape(len(x), -1), y


@pytest.fixture(scope="module")
def submission(tmp_path_factory, digits):
    """A folder with a network of the suite's kind, trained on fewer images, and compiled for two instances."""
    folder = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOARD_MODELS", str(folder))
        suite, images = boards.load("mnist", "suite", "images")
        x, y = digits
        suite.train(x[:1200], y[:1200], pixels=256, epochs=40)
        for name, batch in (("small", None), ("single", 1)):
            suite.inference.compile_model(suite.SUITE, name, suite.network(), images.prepare(x[:400]), batch)
    return folder


@pytest.fixture
def board(submission, digits, tmp_path, monkeypatch):
    """Modules of the suite, with images in a fresh folder."""
    monkeypatch.setenv("BOARD_MODELS", str(submission))
    suite, inference, runner = boards.load("mnist", "suite", "inference", "run")
    for name in ("small", "single"):
        inference.write_images(tmp_path, name, *digits, seed=3)
    return suite, inference, runner


def run_all(board, root, name, skip=()):
    suite, _, runner = board
    once, each = suite.stages(name)
    return [runner.run_stage(s, boards.BOARDS / "mnist", root, None) for s in once + each if s.name not in skip]


@pytest.mark.parametrize("name", ["single", "small"])
def test_all_stages_give_the_classes_of_the_clear_network(board, tmp_path, name):
    suite, inference, _ = board
    rows = {row["stage"]: row for row in run_all(board, tmp_path, name)}
    instance = inference.named(name, tmp_path)
    found = suite.verify(tmp_path, name)
    assert found["same_as_clear"] == found["images"] == instance.images
    assert found["correct"] >= 0.9 * found["images"] or name == "single"
    assert instance.secret.stat().st_mode & 0o777 == 0o600
    assert rows["client_encode_encrypt_input"]["sent_bytes"] == instance.sent.stat().st_size
    # one wrong class in a hundred is too many, and so is a missing one
    lines = instance.predictions.read_text().splitlines()
    instance.predictions.write_text("\n".join([str((int(lines[0]) + 1) % 10), *lines[1:]]))
    with pytest.raises(SystemExit, match="not those of the clear model"):
        suite.verify(tmp_path, name)
    assert "security=128 bits" in suite.parameters(name)


def test_the_estimate_counts_every_ciphertext(board, monkeypatch):
    suite, inference, _ = board
    monkeypatch.setattr(inference, "IMAGES", [100, 5000, 1, 1])
    device = rj.devices()[0]
    for name, calls in (("single", 7), ("small", 2)):
        made = rj.ml.Computation.load(inference.models(suite.SUITE) / name)
        one = made.circuit.plan(made.interface.params, device).estimate.seconds
        assert suite.estimate(name, device) == pytest.approx(calls * one)


def test_a_killed_stage_leaves_no_file(board, tmp_path):
    suite, inference, runner = board
    run_all(board, tmp_path, "small", skip=[s.name for s in suite.stages("small")[1][1:]])
    instance = inference.named("small", tmp_path)
    partial = instance.sent.with_name(f".{instance.sent.name}.partial")
    stage = suite.stages("small")[1][1]
    command = [sys.executable, boards.BOARDS / "mnist" / f"{stage.name}.py", *stage.arguments]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        while not (partial.exists() and partial.stat().st_size):
            assert process.poll() is None, "the stage ended before it was killed"
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert partial.exists() and not instance.sent.exists()
    runner.run_stage(stage, boards.BOARDS / "mnist", tmp_path, 1)
    assert instance.sent.exists() and not partial.exists()
    # what is cut off is refused, and nothing is written
    instance.sent.write_bytes(instance.sent.read_bytes()[:-1000])
    with pytest.raises(SystemExit, match="server_encrypted_compute failed"):
        runner.run_stage(suite.stages("small")[1][2], boards.BOARDS / "mnist", tmp_path, 1)
    assert not instance.answer.exists()


def test_too_few_images_are_refused(board, tmp_path):
    suite, inference, runner = board
    pixels = inference.named("small", tmp_path).pixels
    pixels.write_text("".join(pixels.read_text().splitlines(keepends=True)[:99]))
    with pytest.raises(SystemExit, match="client_preprocess_input failed"):
        runner.run_stage(suite.stages("small")[1][0], boards.BOARDS / "mnist", tmp_path, 1)


def test_coloured_images_go_through_the_same_stages(tmp_path, monkeypatch):
    monkeypatch.setenv("BOARD_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("RINGJET_DATA", str(tmp_path))
    rng = np.random.default_rng(5)
    pictures = rng.integers(256, size=(40, 32, 32, 3), dtype=np.uint8)
    np.savez(tmp_path / "cifar10-sample.npz", calibration=pictures[:30], test=pictures[30:], test_labels=np.arange(10))
    layers = [
        training.Convolution(rng, 2, 3, 3, stride=2, padding=1),
        training.Square(),
        training.Mean(),
        training.Flat(),
        training.Dense(rng, 10, 2 * 8 * 8),
    ]
    (tmp_path / "models").mkdir()
    (tmp_path / "models/network.onnx").write_bytes(training.exported(layers, (3, 32, 32)))
    boards.run("cifar10", "single", tmp_path)
    (suite,) = boards.load("cifar10", "suite")
    assert suite.verify(tmp_path, "single")["same_as_clear"] == 1
