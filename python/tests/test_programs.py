"""Programs as values: what is planned, simulated, priced and stored is what a run then does."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ringjet as rj
from numpy.polynomial import Chebyshev

#: Random programs of each kind; a thousand in all with RINGJET_FULL=1.
COUNT = 170 if os.environ.get("RINGJET_FULL") else 6
DEVICE = rj.devices()[0]


def _boot() -> rj.Parameters:
    return rj.bootstrap_chain(
        log_n=10,
        message_levels=4,
        log_ratio=12.0,
        special=4,
        slots_to_coeffs=[5, 4],
        coeffs_to_slots=[5, 4],
        allow_insecure=True,
    )


KINDS: dict[str, Callable[[], rj.Parameters]] = {
    "ckks": lambda: rj.params(10, [50] + [40] * 6, [50] * 2, allow_insecure=True),
    "ckks-composite": lambda: rj.params(10, [50] + [42] * 4, [50] * 3, allow_insecure=True),
    "heaan": lambda: rj.heaan(8, 300, allow_insecure=True),
    "bgv": lambda: rj.bgv(8, 65537, [50] * 5, [50] * 2, allow_insecure=True),
    "bfv": lambda: rj.bgv(8, 65537, [50] * 5, [50] * 2, scheme="bfv", allow_insecure=True),
    "bootstrapping": _boot,
}


class Maker:
    """Makes random programs that the library does not refuse."""

    def __init__(self, params: rj.Parameters, seed: int) -> None:
        self.params, self.rng = params, np.random.default_rng(seed)
        self.exact = params.t is not None

    def numbers(self, count: int) -> Any:
        return self.rng.integers(-3, 4, count) if self.exact else self.rng.uniform(-0.5, 0.5, count)

    def operation(self) -> tuple[str, Any]:
        """An operation of two ciphertexts, by its name and its constant."""
        slots, rng = self.params.slots, self.rng
        kinds = [
            "add",
            "sub",
            "mul",
            "mul",
            "scalar",
            "vector",
            "plus",
            "power",
            "rotate",
            "rotations",
            "inner",
            "pairs",
            "rows",
        ]
        kinds += ["swap"] if self.exact else ["i", "conjugate", "weighted"]
        if self.params.scheme == "ckks":
            kinds += ["matrix", "chebyshev", "level"]
        kind = str(rng.choice(kinds))
        constants = {
            "scalar": lambda: self.numbers(1)[0].item(),
            "vector": lambda: self.numbers(slots),
            "plus": lambda: self.numbers(slots),
            "rotate": lambda: int(rng.integers(-8, 8)),
            "rotations": lambda: [int(k) for k in rng.integers(0, 8, 3)],
            "weighted": lambda: self.numbers(2),
            "rows": lambda: self.numbers(4).reshape(2, 2),
            "matrix": lambda: rj.LinearTransform.from_diagonals(
                slots, {int(k): self.numbers(slots) for k in (0, 1, 5)}
            ),
            "chebyshev": lambda: Chebyshev(rng.uniform(-0.3, 0.3, 6), domain=(-2, 2)),
        }
        return kind, constants[kind]() if kind in constants else None

    def program(self, length: int) -> Callable[..., Any]:
        server = rj.Server(backend="model", params=self.params)
        magnitude = {} if self.exact else {"magnitude": 0.5}
        pool, steps = [server.input(**magnitude), server.input(**magnitude)], []
        while len(steps) < length:
            i, j = (int(k) for k in self.rng.integers(0, len(pool), 2))
            step = (*self.operation(), i, j)
            try:
                made = apply(step, pool)
            except rj.RingjetError:
                continue
            if not self.exact and made.magnitude > 4:
                continue
            pool.append(made)
            steps.append(step)

        def f(x: Any, y: Any) -> Any:
            pool = [x, y]
            for step in steps:
                pool.append(apply(step, pool))
            return {"last": pool[-1], "others": pool[-3:-1]}

        return f


def apply(step: tuple[str, Any, int, int], pool: list[Any]) -> Any:
    kind, c, i, j = step
    x, y = pool[i], pool[j]
    operations: dict[str, Callable[[], Any]] = {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "scalar": lambda: c * x - c,
        "vector": lambda: x * c,
        "plus": lambda: c - x,
        "power": lambda: x**3,
        "rotate": lambda: x.rotate(c),
        "rotations": lambda: sum(x.rotations(c)),
        "inner": lambda: x.inner_sum(1, 4),
        "pairs": lambda: rj.sum_of_products([x, y], [y, x]),
        "rows": lambda: rj.weighted_sums([x, y], c, bias=c[0])[1],
        "swap": lambda: x.swap_rows(),
        "i": lambda: x.times_i(),
        "conjugate": lambda: x.conjugate(),
        "weighted": lambda: rj.weighted_sum([x, y], c),
        "matrix": lambda: x.matmul(c),
        "chebyshev": lambda: x.with_range(-2, 2).polynomial(c) if x.is_real else x + y,
        "level": lambda: x.to_level(x.level - 1) if x.level > 1 else x + y,
    }
    return operations[kind]()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(COUNT))
def test_optimised_programs_give_the_same(kind: str, seed: int) -> None:
    params = KINDS[kind]()
    maker = Maker(params, 1000 + seed)
    f = maker.program(8)
    options = {} if maker.exact else {"magnitudes": 0.5}
    program, plan = rj.compile(f, params, **options), rj.plan(f, params, **options)
    better = program.plan()
    client = rj.Client(params, seed=seed)
    server = rj.Server(client.evaluation_keys(**program.keys))
    values = [maker.numbers(params.slots), maker.numbers(params.slots)]
    inputs = [server.load(client.encrypt(v, **({} if maker.exact else {"magnitude": 0.5}))) for v in values]
    simulated = rj.simulate(f, *values, params=params, modular=True, **options)
    assert len(better.bootstraps) <= len(plan.bootstraps)
    made = leaves(program.run(server, *inputs))
    for a, planned, once, sim in zip(made, better.outputs, plan.outputs, simulated.outputs, strict=True):
        assert a._left == planned.level >= once.level
        found = client.decrypt(a, complex=not maker.exact)
        if maker.exact:
            assert found.tolist() == sim.values.tolist()
            continue
        assert planned.precision_bits > once.precision_bits - 0.6
        if not once.precision_bits < 4:
            assert np.max(np.abs(found - sim.values)) < 12 * 2.0**-planned.precision_bits


def leaves(result: Any) -> list[Any]:
    return [result["last"], *result["others"]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(COUNT))
def test_a_plan_is_what_a_run_does(kind: str, seed: int) -> None:
    params = KINDS[kind]()
    maker = Maker(params, seed)
    f = maker.program(8)
    options = {} if maker.exact else {"magnitudes": 0.5}
    program = rj.compile(f, params, optimise=False, **options)
    program = rj.Program.from_bytes(program.to_bytes(), allow_insecure=True)
    plan, again = rj.plan(f, params, **options), program.plan()
    assert plan.steps == again.steps and plan.keys == again.keys == program.keys
    assert plan.bootstraps == again.bootstraps and plan.levels == again.levels

    # a server with the planned keys alone
    client = rj.Client(params, seed=seed)
    server = rj.Server(client.evaluation_keys(**plan.keys))
    values = [maker.numbers(params.slots), maker.numbers(params.slots)]
    inputs = [server.load(client.encrypt(v, **({} if maker.exact else {"magnitude": 0.5}))) for v in values]
    eager, stored = f(*inputs), program.run(server, *inputs)
    simulated = rj.simulate(f, *values, params=params, modular=True, **options)
    for a, b, planned, sim in zip(leaves(eager), leaves(stored), plan.outputs, simulated.outputs, strict=True):
        assert a.to_bytes() == b.to_bytes()
        assert (a._left, a.scale, a.slots, a.count) == (planned.level, planned.scale, planned.slots, planned.count)
        found = client.decrypt(a, complex=not maker.exact)
        if maker.exact:
            assert found.tolist() == sim.values.tolist()
        elif not planned.ciphertext.precision_bits < 4:
            assert np.max(np.abs(found - sim.values)) < 12 * 2.0**-planned.precision_bits

    # what a counting server counts is what the program is priced at
    counting = rj.Server(backend="model", params=params)
    f(*(counting.input(**({} if maker.exact else {"magnitude": 0.5})) for _ in range(2)))
    counted, priced = counting.estimate(DEVICE), program.estimate(DEVICE)
    assert (counted.operations, counted.bytes, counted.bootstraps) == (
        priced.operations,
        priced.bytes,
        priced.bootstraps,
    )
    assert counted.keys == priced.keys and len(plan.bootstraps) >= counted.bootstraps


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return KINDS["ckks"]()


def score(x: Any, y: Any, bias: float = 0.25) -> Any:
    return {"score": (x * y).sum() + bias, "parts": [x - y, x.rotate(1)]}


def test_a_program_is_a_file(params: rj.Parameters, tmp_path: Any) -> None:
    program = rj.compile(score, params)
    assert program.inputs == ["x", "y"] and program.outputs == ["['score']", "['parts'][0]", "['parts'][1]"]
    path = tmp_path / "score.program"
    program.save(path)
    loaded = rj.Program.load(path, allow_insecure=True)
    assert loaded.to_bytes() == program.to_bytes() == path.read_bytes() and loaded.keys == program.keys
    assert repr(loaded) == repr(program) and "Program(x, y; " in repr(program)
    with pytest.raises(rj.InsecureModulusError if params.scheme == "heaan" else rj.InsecureParametersError):
        rj.Program.load(path)
    with pytest.raises(rj.ArgumentError, match="max_bytes"):
        rj.Program.load(path, max_bytes=10, allow_insecure=True)
    rj.allow_insecure_pickles()
    try:
        assert pickle.loads(pickle.dumps(program)).to_bytes() == program.to_bytes()
    finally:
        rj.allow_insecure_pickles(False)
    for damaged in (b"", b"RJPR", program.to_bytes()[:-1], b"x" + program.to_bytes()[1:]):
        with pytest.raises(rj.MalformedError):
            rj.Program.from_bytes(damaged, allow_insecure=True)
    for at in range(4, len(program.to_bytes()), 7):
        data = bytearray(program.to_bytes())
        data[at] ^= 1
        with pytest.raises(rj.MalformedError):
            rj.Program.from_bytes(bytes(data), allow_insecure=True)


def test_clients_need_no_operations_or_constants(params: rj.Parameters) -> None:
    weights = np.linspace(-1, 1, params.slots)
    program = rj.compile(
        lambda x, y: {"score": (x * weights).sum(), "parts": [x - y]},
        params,
        slots=params.slots,
        level={"y": 3},
        magnitudes={"x": (0.2, 5), "y": 2.0},
        counts={"x": 3},
        public_key={"y": True},
    )
    found = json.loads(program.client_json())
    assert rj.Parameters.from_json(found.pop("parameters"), allow_insecure=True) == params
    names = ("name", "slots", "level", "log_q", "magnitude", "count", "complex", "public_key")
    x = ("x", params.slots, None, None, [0.2, 5.0], 3, False, False)
    y = ("y", params.slots, 3, None, 2.0, None, False, True)
    packing = [
        {"kind": "real", "range": [0.2, 5.0], "shape": [3], "padding": 0.2},
        {"kind": "real", "range": [-2.0, 2.0], "shape": [None], "padding": 0},
    ]
    assert found == {
        "inputs": [{**dict(zip(names, row, strict=True)), **p} for row, p in zip((x, y), packing, strict=True)],
        "keys": program.keys,
        "outputs": ["['score']", "['parts'][0]"],
        "result": {"score": 0, "parts": [1]},
    }
    assert json.loads(rj.compile(lambda x: -x, params).client_json())["result"] == 0
    assert len(program.client_json()) < 2000 < 8 * params.slots < len(program.to_bytes())


def test_results_have_the_structure_of_the_function(params: rj.Parameters) -> None:
    client = rj.Client(params)
    program = rj.compile(score, params, counts=2)
    server = rj.Server(client.evaluation_keys(**program.keys))
    x, y = (server.load(client.encrypt(v)) for v in ([0.5, 0.25], [0.125, 1.0]))
    found = program.run(server, x, y)
    assert list(found) == ["score", "parts"] and isinstance(found["parts"], list)
    assert client.decrypt(found["score"])[0] == pytest.approx(0.5625, abs=1e-4)
    assert isinstance(rj.compile(lambda x: x + 1, params).run(server, x), rj.Ciphertext)
    with pytest.raises(rj.ArgumentError, match="one for each of x, y"):
        program.run(server, x)
    other = rj.Server(rj.Client(KINDS["ckks-composite"]()).evaluation_keys())
    with pytest.raises(rj.ParameterMismatchError):
        program.run(other, x, y)
    with pytest.raises(rj.ArgumentError, match="a ciphertext"):
        rj.compile(lambda x: 1, params)


def test_parameters_are_chosen_by_time() -> None:
    plan = rj.plan(lambda x: x**8)
    assert plan.choice is not None and plan.params in [rj.preset(name) for name in plan.choice]
    assert plan.choice["n13-depth2"].startswith("power") or "levels" in plan.choice["n13-depth2"]
    timed = {name: why for name, why in plan.choice.items() if " on " in why}
    assert len(timed) > 3
    assert rj.compile(lambda x: x**8).params == plan.params
    with pytest.raises(rj.RingjetError):
        rj.plan(lambda x: x.rotate(1).to_level(10**6))
    drowned = pytest.raises(rj.ArgumentError, match="bits of precision")
    with drowned:
        rj.plan(lambda x: x.with_error(1.0))
    plan = rj.plan(lambda x: x**8, device="a100-80gb")
    assert plan.choice is not None and "a100-80gb" in plan.choice["n16-depth24"]


def test_a_program_for_servers_without_bootstrapping_keys_asks_for_none() -> None:
    def deep(x: Any) -> Any:
        for _ in range(5):
            x = (x * x).with_magnitude(1)
        return x

    for bootstrapping in (True, False):
        program = rj.compile(deep, _boot(), slots=512, bootstrapping=bootstrapping, optimise=False)
        stored = rj.Program.from_bytes(program.to_bytes(), allow_insecure=True)
        assert bool(stored.keys["bootstrapping"]) == bool(stored.plan().bootstraps) == bootstrapping


def test_programs_with_impossible_constants_are_refused(params: rj.Parameters) -> None:
    program = rj.compile(lambda x, y: rj.weighted_sum([x, y], [0.5, 0.25]).with_slots(512), params, optimise=False)
    data = program.to_bytes()
    # one weight less, and more slots than the ring has
    weights = data.index(np.float64(0.5).tobytes()) - 4
    assert data[weights] == 2
    fewer = data[:weights] + b"\1" + data[weights + 1 : weights + 20] + data[weights + 36 :]
    # the number of the operation, before operands, place and constant; the digest follows
    slots = data[:-32].rindex(b"\x1b")
    more = data[: slots + 13] + b"\xff" + data[slots + 14 :]
    for changed in (fewer, more):
        sealed = changed[:-32] + hashlib.sha256(changed[:-32]).digest()
        with pytest.raises(rj.MalformedError, match="weighted sum|slots in a ring"):
            rj.Program.from_bytes(sealed, allow_insecure=True)


def test_ciphertexts_of_another_shape_are_refused():
    """A program knows how many values its inputs hold, and what is said of them."""
    params = rj.params(10, [50, 40, 40], [50], allow_insecure=True)
    client = rj.Client(params)
    mean, square = (rj.compile(f, params) for f in (lambda x: x.mean(), lambda x: x * x))
    server = rj.Server(client.evaluation_keys(rotations=[2**i for i in range(9)]))
    three = client.encrypt([0.25, 0.5, 0.75])
    with pytest.raises(rj.ArgumentError, match="x with 3 values: expected 512 values, as the program was recorded"):
        mean(server, three)
    with pytest.raises(rj.ArgumentError, match="x with 3 values"):  # a part of another program
        rj.plan(lambda server, x: mean(server, x), params, counts=3)
    assert abs(client.decrypt(rj.compile(lambda x: x.mean(), params, counts=3)(server, three))[0] - 0.5) < 1e-4
    assert np.allclose(client.decrypt(square(server, three)), [0.0625, 0.25, 0.5625], atol=1e-4)
    for x, found in (
        (client.encrypt([2.0], magnitude=2), "values from -2 to 2: expected values from -1 to 1"),
        (client.encrypt([0.5j]), "complex values: expected real values"),
        (server.load(client.encrypt([0.5] * 64)).with_slots(64), "64 slots a row: expected 512 slots a row"),
    ):
        with pytest.raises(rj.RingjetError, match=found):
            square(server, x)
