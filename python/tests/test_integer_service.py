"""A service with a program of encrypted integers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import ringjet as rj
from ringjet.serve import Service

sys.path.insert(0, str(Path(__file__).parent))
from integer_pairs import SMALL  # noqa: E402
from serving import Running  # noqa: E402


def test_programs_of_integers(tmp_path: Path) -> None:
    u8, service = rj.integers(8), Service()

    @service.program(params=SMALL, magnitudes=1)
    def larger(a0: Any, a1: Any, b0: Any, b1: Any) -> dict[str, Any]:
        x, y = rj.EncryptedIntegers(u8, [a0, a1]), rj.EncryptedIntegers(u8, [b0, b1])
        return {"larger": list(rj.maximum(x, y).ciphertexts), "equal": x == y}

    a, b = [7, 255, 100, 16, 15], [5, 254, 100, 17, 31]
    running = Running(tmp_path, service)
    try:
        caller = running.connect()
        slots = SMALL.slots
        found = caller.call("larger", *u8.encode(a, slots), *u8.encode(b, slots))
        assert u8.decode(found["larger"], 5).tolist() == [7, 255, 100, 17, 31]
        assert u8.decode(found["larger"], slots).tolist()[5:] == [0] * (slots - 5)
        assert np.rint(found["equal"][:5]).tolist() == [0, 0, 1, 0, 0]
    finally:
        running.stop()
