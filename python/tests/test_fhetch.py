"""The guide's export of a program to FHETCH's polynomial IR, by the command of the package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import ringjet as rj

GUIDE = Path(__file__).parents[2] / "docs/interchange.md"


def test_the_guide_exports_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = GUIDE.read_text().split("\n## Programs for FHETCH\n")[1]
    found = re.search(r"^```python\n(.*?)^```$.*?^```text\nringjet (.*?)\n```$", section, re.S | re.M)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    names: dict[str, rj.Client] = {}
    exec(found[1], names)
    run = subprocess.run([sys.executable, "-m", "ringjet", *found[2].split()], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, ""), run
    assert run.stdout.endswith(" of results\nthe instructions give ringjet's results\n")

    folder = tmp_path / "exported"
    x, y = np.array([0.5, 0.25, -1.0]), np.array([1.0, 0.5, 0.125])
    values = names["client"].decrypt((folder / "0.rjet").read_bytes())
    assert np.abs(values - (x * y + [0.25, -1.0, 0])).max() < 1e-4
    table = json.loads((folder / "polynomials.json").read_text())
    assert [one["name"] for one in table["inputs"]] == ["x", "y"] and len(table["outputs"]) == 1
    used = [polynomial for one in table["inputs"] + table["outputs"] for polynomial in one["polynomials"]]
    assert {one["domain"] for one in used} == {"values"}
    assert {one["modulus"] for one in used} <= set(names["client"].params.q)
    words = np.fromfile(folder / "polynomials.bin", dtype="<u8").reshape(-1, table["ring_degree"])
    assert len(words) == len(used) + len(table["constants"]) and table["ring_degree"] == 8192

    lines = (folder / "program.fhetch").read_text().splitlines()
    primes = [int(line.split()[1], 16) for line in lines if line.startswith("m[")]
    assert primes[0] == 2**64 - 1 and set(primes[1:]) == {*names["client"].params.q, *names["client"].params.p}
    assert words.max() < max(primes[1:]) and lines[-1] == "halt"
