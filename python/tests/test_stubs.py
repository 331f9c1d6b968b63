"""The stubs agree with the native module, and typed user code passes the type checker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

TYPED = """
import numpy as np
import ringjet as rj

client = rj.Client(rj.preset("n13-depth2"), slots=16)
keys = client.evaluation_keys(rotations=[1], progress=lambda done, total: None)
server = rj.Server(keys.to_bytes(), backend="auto", threads=1)
x = server.load(client.encrypt([1.0, 2.0]).to_bytes(), max_bytes=1 << 20)
y: rj.Ciphertext = (x * x + x.rotate(1)) * 0.5 - 0.25 * x + 1 - np.ones(16)
out = client.decrypt(y)
total: float = float(out.sum())
z = client.decrypt(y, complex=True)
reveal_type(out.dtype)
reveal_type(z.dtype)
try:
    y.rotate(5)
except rj.MissingRotationKeyError as e:
    print(e.rotation + 1)
x.rotate("1")
"""


def test_stubs_match_the_runtime(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ringjet"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_user_code_type_checks(tmp_path: Path) -> None:
    script = tmp_path / "user.py"
    script.write_text(TYPED)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    errors = [line for line in run.stdout.splitlines() if "error:" in line]
    assert len(errors) == 1 and '"rotate"' in errors[0] and '"str"' in errors[0], run.stdout
    assert "float64" in run.stdout and "complex" in run.stdout
