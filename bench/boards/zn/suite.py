"""The suite Zn-multiplication: its data, the order of its stages, and how results are verified."""

from pathlib import Path

import circuit
import layout
import numpy as np
import ringjet as rj
from layout import INSTANCES, OPERANDS, PRIMES, Instance
from stage import Stage

SOURCE = "github.com/fhe-benchmarking/Zn-multiplication, harness at commits 0c04b53219b8 and dc2b99b72088"


def stages(name: str) -> tuple[list[Stage], list[Stage]]:
    """Stages that run once, and those that each run repeats."""
    instance, counted = Instance(name), [name, str(INSTANCES[name])]
    once = [
        Stage("client_key_generation", [name], {"keys": str(instance.keys)}),
        Stage("client_preprocess_input", [name]),
        Stage("client_encode_encrypt_input", [name], {"input": str(instance.upload)}),
    ]
    each_run = [
        Stage("server_encrypted_compute", counted, {"answer": str(instance.download)}),
        Stage("client_decrypt_decode", counted),
        Stage("client_postprocess", counted),
    ]
    return once, each_run


def server_report(name: str) -> Path:
    """The file, below the folder of a run, in which the server tells its own times."""
    return Instance(name).report


def make_data(root: Path, name: str, seed: int) -> None:
    """Two files of uniform numbers of 64 bits as the suite's harness makes them, and one of their products."""
    instance, rng = Instance(name, root), np.random.default_rng(seed)
    instance.data.mkdir(parents=True, exist_ok=True)
    numbers = [rng.integers(2**64, size=INSTANCES[name], dtype=np.uint64) for _ in OPERANDS]
    for file, values in zip([*OPERANDS, "expected"], [*numbers, numbers[0] * numbers[1]], strict=True):
        (instance.data / f"{file}.txt").write_text("\n".join(map(str, values.tolist())) + "\n")


def make_query(root: Path, name: str, seed: int) -> None:
    """Nothing: all runs multiply the same numbers."""


def verify(root: Path, name: str) -> dict[str, object]:
    """Compares the products with the expected ones, as numbers of 64 bits."""
    instance = Instance(name, root)
    files = (instance.data / "expected.txt", instance.result)
    expected, found = (np.loadtxt(file, dtype=np.uint64, ndmin=1) for file in files)
    if not np.array_equal(expected, found):
        raise SystemExit(f"products of {name} are wrong")
    return {"products": len(found), "right": True}


def parameters(name: str) -> str:
    return f"{len(PRIMES)} of {layout.parameters(PRIMES[0])!r}"


def estimate(name: str, device: str) -> float:
    """Seconds of the server's computation on a device, by the cost model: that of a block and a prime, as many times as
    there are."""
    server = rj.Server(backend="model", params=layout.parameters(PRIMES[0]))
    x, y = server.input(), server.input()
    server.reset_counts()
    circuit.product(x, y)
    return server.estimate(device).seconds * len(PRIMES) * Instance(name).blocks
