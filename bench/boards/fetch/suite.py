"""The suite fetch-by-similarity: its data, the order of its stages, and how results are verified."""

from pathlib import Path

import circuit
import layout
import numpy as np
import ringjet as rj
from layout import NAMES, PAYLOAD, PAYLOAD_BOUND, SLOTS, Instance
from numpy.polynomial import Chebyshev
from stage import Stage

SOURCE = "github.com/fhe-benchmarking/fetch-by-similarity, harness at commit d304f3b3a4ed"
INSTANCES = NAMES + [f"count_{name}" for name in NAMES]


def named(name: str, root: Path = Path()) -> Instance:
    """The instance of a name, with paths below `root`."""
    return Instance(NAMES.index(name.removeprefix("count_")), name.startswith("count_"), root)


def stages(name: str) -> tuple[list[Stage], list[Stage]]:
    """Stages that run once, and those that run for each query."""
    instance = named(name)
    arguments = [str(instance.size)] + ["--count_only"] * instance.count_only
    once = [
        Stage("client_preprocess_dataset", arguments),
        Stage("client_key_generation", arguments, {"keys": str(instance.keys)}),
        Stage("client_encode_encrypt_db", arguments, {"database": str(instance.encrypted)}),
        Stage("server_preprocess_dataset", arguments),
    ]
    each_query = [
        Stage("client_preprocess_query", arguments),
        Stage("client_encode_encrypt_query", arguments, {"query": str(instance.query)}),
        Stage("server_encrypted_compute", arguments, {"answer": str(instance.answer)}),
        Stage("client_decrypt_decode", arguments),
        Stage("client_postprocess", arguments),
    ]
    return once, each_query


def server_report(name: str) -> Path:
    """The file, below the folder of a run, in which the server tells its own times."""
    return named(name).report


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def make_data(root: Path, name: str, seed: int) -> None:
    """Records, centers and payloads as the suite's harness makes them: half of the records are random, the others near
    one of records / 32 centers."""
    instance, rng = named(name, root), np.random.default_rng(seed)
    records, dimension = instance.records, instance.dimension
    centers = unit(rng.standard_normal((records // 32, dimension), np.float32))
    instance.data.mkdir(parents=True, exist_ok=True)
    centers.tofile(instance.data / "centers.bin")
    with (instance.data / "db.bin").open("wb") as file:
        for start in range(0, records, SLOTS):
            vectors = unit(rng.standard_normal((min(SLOTS, records - start), dimension), np.float32))
            near = rng.integers(2, size=len(vectors)) == 0
            vectors[near] = centers[rng.integers(len(centers), size=near.sum())] + np.float32(0.3) * vectors[near]
            unit(vectors).tofile(file)
    rng.integers(PAYLOAD_BOUND, size=(records, PAYLOAD), dtype=np.int16).tofile(instance.data / "payloads.bin")


def make_query(root: Path, name: str, seed: int) -> None:
    """A query as the suite's harness makes it: near a center with a probability of one half, else random."""
    instance, rng = named(name, root), np.random.default_rng(seed)
    query = unit(rng.standard_normal(instance.dimension, np.float32))
    if rng.integers(2) == 0:
        centers = np.fromfile(instance.data / "centers.bin", np.float32).reshape(-1, instance.dimension)
        query = unit(centers[rng.integers(len(centers))] + np.float32(0.3) * query)
    query.tofile(instance.data / "query.bin")


def verify(root: Path, name: str) -> dict[str, object]:
    """Compares the result with that of the clear computation, by the suite's rule: cosines above 0.8 are matches,
    payloads are sorted, and any payloads will do where there are more than 32."""
    instance = named(name, root)
    records = np.memmap(instance.data / "db.bin", np.float32, "r").reshape(-1, instance.dimension)
    cosines = records @ np.fromfile(instance.data / "query.bin", np.float32)
    matching = cosines > 0.8
    between = int(((cosines > circuit.LOW) & (cosines < circuit.HIGH)).sum())
    found = {"matches": int(matching.sum()), "records_between_low_and_high": between}
    if instance.count_only:
        right = np.array_equal(np.fromfile(instance.result, np.int_), [matching.sum()])
    else:
        payloads = np.memmap(instance.data / "payloads.bin", np.int16, "r").reshape(-1, PAYLOAD)[matching]
        result = np.fromfile(instance.result, np.int16).reshape(-1, PAYLOAD)
        right = len(payloads) > 32 or np.array_equal(payloads[np.lexsort(payloads.T[::-1])], result)
    if not right:
        raise SystemExit(f"the result of {name} is wrong: {found}")
    return found | {"right": True}


def parameters(name: str) -> str:
    return repr(layout.parameters())


def estimate(name: str, device: str) -> float:
    """Seconds of the server's computation on a device, by the cost model."""
    instance = named(name)
    server = rj.Server(backend="model", params=layout.parameters())
    polynomial = Chebyshev(circuit.threshold())
    rows = [server.input(complex=True, level=instance.level) for _ in range(instance.baby)]
    payloads = [server.input(complex=True, level=layout.PAYLOAD_LEVEL, magnitude=2) for _ in range(layout.COLUMNS)]
    query = server.input(level=instance.level)
    server.reset_counts()
    queries = circuit.rotated_queries(query, instance.baby)
    decisions = []
    for group in range(instance.groups):
        half = circuit.similarities(queries, (rows for _ in range(instance.dimension // instance.baby)))
        decisions += circuit.matches(half, polynomial, min(2, instance.sets - 2 * group))
    if instance.count_only:
        circuit.count(decisions, instance.count_unit)
    else:
        tables = circuit.Tables()
        for decision in decisions:
            tables.add(decision, payloads)
        tables.answer()
    return server.estimate(device).seconds
