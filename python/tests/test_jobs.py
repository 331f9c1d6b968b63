"""The scripts: the one in the README, and the demonstration of training without bootstrapping."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_demo_at_a_smaller_size(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "train_encrypted.py"), "--preset", "n15-depth14"]
    run = subprocess.run([*command, "--output", str(tmp_path)], capture_output=True, text=True, timeout=300, check=True)
    accuracy = re.search(r"accuracy, held out\s+([\d.]+)%\s+([\d.]+)%", run.stdout)
    assert accuracy is not None and abs(float(accuracy[1]) - float(accuracy[2])) <= 1
    difference = re.search(r"largest weight difference.*?([\d.e-]+)\n", run.stdout)
    assert difference is not None and float(difference[1]) < 1e-4
    for part in (
        "4 iterations in",
        "AUC, held out",
        "loss, training",
        "GB sent",
        "MB sent",
        "MB sent back",
        "iterations took",
    ):
        assert part in run.stdout
    assert (tmp_path / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
