"""One version number: the workspace's, in Cargo.toml."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import ringjet as rj

ROOT = Path(__file__).parents[2]
MANIFEST = (ROOT / "Cargo.toml").read_text()


def version() -> str:
    found = re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"$', MANIFEST, re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_package_has_the_version_of_the_workspace():
    said = subprocess.run([sys.executable, "-m", "ringjet", "--version"], capture_output=True, text=True, check=True)
    assert {rj.__version__, importlib.metadata.version("ringjet"), said.stdout} == {version(), f"ringjet {version()}\n"}


def test_the_crates_have_the_version_of_the_workspace():
    crates = [*ROOT.glob("crates/*/Cargo.toml"), ROOT / "python/Cargo.toml", ROOT / "xtask/Cargo.toml"]
    assert len(crates) >= 11
    assert [str(c) for c in crates if "\nversion.workspace = true\n" not in c.read_text()] == []


def test_crates_depend_on_each_other_in_this_version():
    required = re.findall(r'^ringjet(?:-[a-z]+)? = \{ version = "([^"]+)", path = ', MANIFEST, re.MULTILINE)
    assert len(required) == MANIFEST.count("path = ") >= 8
    assert set(required) == {version()}
