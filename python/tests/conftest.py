"""Fixtures: a small insecure ring for speed, one client and one server for all tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

# profiles of this machine that tests measure, while others disturb it, are not for its users
os.environ["RINGJET_CACHE_DIR"] = str(Path(__file__).parents[2] / "target/cache-of-tests")

ROTATIONS = [1, 2, 3, 4, -1, -5]


@pytest.fixture(scope="session")
def params() -> rj.Parameters:
    return rj.params(11, [50] + [42] * 6, [50, 50], allow_insecure=True)


@pytest.fixture(scope="session")
def client(params: rj.Parameters) -> rj.Client:
    return rj.Client(params, seed=1)


@pytest.fixture(scope="session")
def keys(client: rj.Client) -> rj.EvaluationKeys:
    return client.evaluation_keys(rotations=ROTATIONS, conjugation=True)


@pytest.fixture(scope="session")
def server(keys: rj.EvaluationKeys) -> rj.Server:
    return rj.Server(keys)


@pytest.fixture
def insecure_pickles() -> Iterator[None]:
    """Allows pickles of insecure parameters during a test."""
    rj.allow_insecure_pickles()
    yield
    rj.allow_insecure_pickles(False)


class Interrupted:
    """Runs a Python program, which prints "ready", and interrupts it a little later."""

    def __init__(self, program: str, after: float) -> None:
        self.child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        try:
            assert self.child.stdout is not None and self.child.stdout.readline() == "ready\n"
            time.sleep(after)
            self.child.send_signal(signal.SIGINT)
            start = time.monotonic()
            self.status = self.child.wait(timeout=30)
            self.seconds = time.monotonic() - start
        finally:
            self.child.kill()
            self.child.wait()


@pytest.fixture
def interrupted() -> type[Interrupted]:
    return Interrupted


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def v(client: rj.Client, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1, 1, client.slots)


@pytest.fixture
def w(client: rj.Client, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-0.99, 0.99, client.slots) + 0.01


@pytest.fixture
def x(client: rj.Client, server: rj.Server, v: np.ndarray) -> rj.Ciphertext:
    return server.load(client.encrypt(v).to_bytes())


@pytest.fixture
def y(client: rj.Client, server: rj.Server, w: np.ndarray) -> rj.Ciphertext:
    return server.load(client.encrypt(w).to_bytes())
