"""The script of the README, the demo, and encrypted training against the same training in the clear."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml import helr

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "examples" / "quickstart.py"


@pytest.mark.parametrize("preset", ["n15-depth9", "n14-depth6"])
def test_script_as_written(preset, capsys):
    source = QUICKSTART.read_text().replace("n15-depth9", preset)
    if preset == "n14-depth6":
        source = source.replace("1e-6", "1e-5")
    exec(compile(source, str(QUICKSTART), "exec"), {})
    out = capsys.readouterr().out
    assert out.count("Ciphertext(level") == 2 and "slots" in out and "bits" in out and "scale" in out


def test_scripts_in_readmes_are_the_example():
    code = QUICKSTART.read_text().split('"""\n', 1)[1].strip()
    block = re.search(r"```python\n(.*?)\n```", (ROOT / "python" / "README.md").read_text(), re.S)
    assert block is not None and code.startswith(block[1])


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    x = np.clip(rng.normal(size=(100, 6)), -2, 2)
    y = np.where(x @ rng.normal(size=6) + 0.3 + 0.2 * rng.normal(size=100) > 0, 1.0, -1.0)
    return x, y


def test_training_agrees_with_training_in_the_clear(problem):
    x, y = problem
    params = rj.params(11, [50] + [40] * 13, [50] * 4, allow_insecure=True)
    plan = helr.Plan.for_depth(params.depth, 100, 6, lambda t: 1 / (1 + 0.1 * t))
    assert (plan.width, plan.rows, plan.slots, len(plan.rates)) == (8, 128, 1024, 4)
    client = rj.Client(params, slots=plan.slots)
    server = rj.Server(client.evaluation_keys(plan.rotations).to_bytes(), allow_insecure=True)
    data, moved = (server.load(client.encrypt(a).to_bytes()) for a in plan.pack(x, y))
    clear = helr.train_in_the_clear(plan, plan.rows_of(x, y))
    steps = list(helr.Trainer(plan, data, moved).run())
    assert [s.level for s in steps] == [12, 8, 4, 0]
    for step, expected in zip(steps, clear):
        assert step.weights.level == 0
        values = client.decrypt(step.weights.to_bytes())
        assert np.max(np.abs(plan.unpack(values) - expected)) < 1e-5
        repeated = values.reshape(plan.rows, plan.width)
        assert np.max(np.abs(repeated - repeated[0])) < 1e-4, "weights are repeated once a sample"
    assert np.mean(np.sign(clear[-1][0] + x @ clear[-1][1:]) == y) > 0.9


def test_plan(problem):
    x, y = problem
    plan = helr.Plan(100, 6, (1.0,) * 3)
    rows, moved = (a.reshape(plan.rows, plan.width) for a in plan.pack(x, y))
    assert np.array_equal(rows[5, 1:7], y[5] * x[5]) and rows[5, 0] == y[5] and not rows[100:].any()
    assert np.array_equal(moved[4, 1:], rows[5, 1:]) and np.array_equal(moved[:, 0], rows[:, 0])
    assert plan.rotations == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert plan.momentum()[-1] == 0
    gradient = plan.rows_of(x, y).sum(axis=0) * 0.5 / 100
    assert np.allclose(helr.train_in_the_clear(plan, plan.rows_of(x, y))[0], gradient)
    for bad in (y * 2, y[:-1], np.zeros(100)):
        with pytest.raises(ValueError):
            plan.pack(x, bad)
    with pytest.raises(ValueError, match="depth = 0"):
        helr.Plan.for_depth(0, 100, 6, lambda t: 1.0)


def test_demo_at_a_smaller_size(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "train_encrypted.py"), "--preset", "n15-depth14"]
    run = subprocess.run([*command, "--output", str(tmp_path)], capture_output=True, text=True, timeout=300, check=True)
    accuracy = re.search(r"accuracy, held out\s+([\d.]+)%\s+([\d.]+)%", run.stdout)
    assert accuracy is not None and abs(float(accuracy[1]) - float(accuracy[2])) <= 1
    difference = re.search(r"largest weight difference.*?([\d.e-]+)\n", run.stdout)
    assert difference is not None and float(difference[1]) < 1e-4
    for part in ("AUC, held out", "time per iteration", "evaluation keys sent", "training data sent", "weights sent back"):
        assert part in run.stdout
    assert (tmp_path / "learning_curves.png").read_bytes().startswith(b"\x89PNG")
