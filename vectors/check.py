#!/usr/bin/env python3
"""Reads vectors/v2 by docs/design/wire-format.md alone and checks every object against the secret key.

A second implementation, slow and obvious, of the format, the uniform stream and the evaluation domain: Python's
standard library only. Ciphertexts must decrypt to the stated values; the error of every key, recovered exactly from
all its residues, must have no coefficient above 42, the bound of the error distribution.
"""

import sys
from pathlib import Path

import bgv
import ckks
import heaan


if __name__ == "__main__":
    root = Path(__file__).parent / "v2"
    folders = sorted(f for f in root.iterdir() if f.is_dir())
    assert folders, f"nothing in {root}"
    for folder in folders:
        {"heaan": heaan, "bgv": bgv, "bfv": bgv, "bgv_crt": bgv}.get(folder.name, ckks).check(folder)
    print("all objects are what they should be")
    sys.exit(0)
