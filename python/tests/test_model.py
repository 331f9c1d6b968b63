"""Model servers have the levels, scales and bootstraps of a computing server, but no values."""

from __future__ import annotations

import inspect
import csv
import io
import json
import pickle
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet import ml
from ringjet.__main__ import main
from ringjet.program._file import ProgramError, load
from ringjet.program._inputs import Function

EXAMPLE = Path(__file__).parents[2] / "examples" / "estimate_training.py"
DEVICE = "a100-80gb"

BOOT = rj.bootstrap_chain(
    log_n=11,
    message_levels=9,
    log_ratio=12.0,
    special=4,
    slots_to_coeffs=[5, 5],
    coeffs_to_slots=[5, 5],
    allow_insecure=True,
)


@pytest.fixture
def model(params) -> rj.Server:
    return rj.Server(backend="model", params=params)


@pytest.fixture
def boot() -> rj.Server:
    return rj.Server(backend="model", params=BOOT)


def shape(ct: rj.Ciphertext) -> tuple[int, float, int, float]:
    return ct.level, ct.scale, ct.slots, round(ct.precision_bits, 6)


MATRIX = np.eye(16) + np.diag(np.ones(15), 1)


def everything(server, x, y):
    """Uses each operation once, with constants that both kinds of server see."""
    v = np.linspace(-1, 1, x.slots)
    yield x + y
    yield x - y * 0.5 + 1 - v
    yield -(x * y) / 3
    yield x * v + 2 * y - v / 2
    yield v - x
    yield x**5
    yield x.rotate(3)
    yield from x.rotations([1, 2, -5])
    yield x.conjugate()
    yield x.inner_sum(1, 8)
    yield x.polynomial([0.5, 0.2, 0.0, -0.3])
    yield x.polynomial(np.polynomial.Chebyshev([0.1, 0.2, 0.3, 0.4, 0.5], [-2, 2]))
    yield x.to_level(2) * y
    yield x.times_i().with_magnitude(0.5)
    yield rj.weighted_sum([x, y], [0.25, 3.0])
    yield rj.sum_of_products([x, y], [y, x])
    yield MATRIX @ x
    yield y.matmul(rj.LinearTransform(MATRIX))


def test_levels_scales_and_precision_are_those_of_a_server_that_computes(params):
    client = rj.Client(params, slots=16, seed=1)
    rotations = [1, 2, 3, 4, -5, *rj.LinearTransform(MATRIX).rotations]
    server = rj.Server(client.evaluation_keys(rotations, True))
    model = rj.Server(backend="model", params=params)
    inputs = [server.load(client.encrypt(np.ones(16))) for _ in range(2)]
    shapes = [model.input(16) for _ in range(2)]
    assert shape(shapes[0]) == shape(inputs[0])
    real, counted = everything(server, *inputs), everything(model, *shapes)
    for i, (a, b) in enumerate(zip(real, counted, strict=True)):
        assert shape(a) == shape(b), f"operation {i}"
    # the keys that the program used are the keys that were made
    keys = model.estimate(DEVICE).keys
    assert keys.rotations == server.rotations and keys.conjugation and keys.relinearization and not keys.bootstrapping


def squares(x):
    for _ in range(12):
        x = (x * x + x.rotate(1) * 0.25).with_magnitude(1.0)
    return x


def test_automatic_bootstrapping_is_counted_and_its_matrices_are_not(boot):
    client = rj.Client(BOOT, slots=1024, seed=1)
    server = rj.Server(client.evaluation_keys([1], bootstrapping=True))
    x, y = server.load(client.encrypt([0.5] * 1024)), boot.input()
    x, y = squares(x), squares(y)
    assert shape(x) == shape(y)
    x, y = server.bootstrap(x, real=True), boot.bootstrap(y, real=True)
    assert shape(x) == shape(y)
    many, counted = server.bootstrap_many([x, x, x], real=True), boot.bootstrap_many([y, y, y], real=True)
    assert [shape(a) for a in many] == [shape(b) for b in counted]

    first = boot.estimate(DEVICE)
    automatic = len(rj.plan(squares, BOOT, slots=1024).bootstraps)
    assert automatic > 0 and first.bootstraps == automatic + 1 + 2 and first.set_up_s > 0
    assert (first.keys.rotations, first.keys.bootstrapping) == ([1], [1024])
    assert not any(work.name == "BootstrapMatrices" for _, work in first.tree.walk())
    boot.reset_counts()
    boot.bootstrap(y)
    again = boot.estimate(DEVICE)
    assert (again.bootstraps, again.set_up_s, again.keys.rotations) == (1, 0.0, [])
    # the matrices stay in memory
    alone = rj.Server(backend="model", params=BOOT)
    alone.prepare_bootstrapping(1024)
    held = alone.estimate(DEVICE)
    assert held.seconds == 0.0 and held.bootstraps == 0 and held.set_up_s > 0 and held.keys.count == 0
    assert again.peak_bytes > held.peak_bytes + again.keys.in_memory


def test_preparing_for_all_that_there_are_keys_for_is_left_to_first_use(boot):
    boot.prepare_bootstrapping()
    assert boot.estimate(DEVICE).set_up_s == 0.0
    boot.input(64).bootstrap()
    assert boot.estimate(DEVICE).keys.bootstrapping == [64] and boot.estimate(DEVICE).set_up_s > 0
    with pytest.raises(rj.NoBootstrappingError):
        rj.Server(backend="model", params="n13-depth2").prepare_bootstrapping()


def test_keys_are_exact(params, model):
    """A program at the highest level needs exactly the keys that a client makes, with their sizes;
    a program at a lower level needs smaller keys."""
    client = rj.Client(params, seed=1)
    x = model.input()
    made = (x * x.rotate(-7)).rotate(1)
    keys = model.estimate(DEVICE).keys
    assert keys.request() == {
        "rotations": [1, -7],
        "conjugation": False,
        "relinearization": True,
        "bootstrapping": [],
        "levels": {"1": made.level},
    }
    assert keys.in_memory == client.evaluation_keys(**keys.request()).sizes["in_memory"]
    real = client.evaluation_keys([-7])
    model.reset_counts()
    x * x.rotate(-7)
    keys = model.estimate(DEVICE).keys
    front = len(params.to_bytes())
    assert (keys.count, keys.in_memory) == (2, real.sizes["in_memory"])
    assert keys.at_rest == real.sizes["bytes"] - front
    model.reset_counts()
    made.to_level(1).rotate(1)
    low = model.estimate(DEVICE).keys
    assert (low.count, low.rotations) == (1, [1]) and 2 * low.in_memory < keys.in_memory / 2


def test_compressed_keys_take_half(params):
    bytes_of = []
    for kept in ("expanded", "compressed"):
        server = rj.Server(backend="model", params=params, key_memory=kept)
        server.input().rotate(1)
        bytes_of.append(server.estimate(DEVICE).keys.in_memory)
    assert bytes_of[0] == 2 * bytes_of[1]


def test_memory_is_that_of_what_is_alive(params, model):
    limbs = 8 << params.log_n
    one = 2 * len(params.q) * limbs
    assert model.estimate(DEVICE).peak_bytes == 0
    kept = [model.input() for _ in range(3)]
    assert model.estimate(DEVICE).peak_bytes == 3 * one
    del kept[1:]
    model.reset_counts()
    assert model.estimate(DEVICE).peak_bytes == one
    total = kept[0] + kept[0]
    assert model.estimate(DEVICE).peak_bytes == 2 * one and total.level == params.top_level


def test_an_estimate_says_where_time_goes(model):
    x = model.input()
    x * x
    one = model.estimate(DEVICE)
    x * x
    two = model.estimate(DEVICE)
    for figure in ("seconds", "compute_s", "memory_s", "launch_s", "operations", "bytes"):
        assert getattr(two, figure) == pytest.approx(2 * getattr(one, figure)) and getattr(one, figure) > 0, figure
    assert one.seconds <= one.compute_s + one.memory_s + one.launch_s
    assert one.seconds >= max(one.compute_s, one.memory_s)
    names = [(depth, work.name, work.count) for depth, work in two.tree.walk() if depth <= 1]
    assert names == [(0, "Program", 1), (1, "Mult", 2)]
    assert two.tree.operations == two.operations and two.tree.bytes == two.bytes
    assert two.device == DEVICE and two.fits and two.memory_bytes > 70e9
    record = json.loads(json.dumps(two.to_dict()))
    assert record["keys"]["count"] == 1 and record["tree"]["steps"][0]["name"] == "Mult"
    text = repr(two)
    assert text.startswith(f"Estimate({DEVICE}: ") and "which fits; 1 keys" in text and "relinearization" in text
    assert two.tree.table(depth=1).count("\n") == 1


def test_devices(model, tmp_path):
    assert DEVICE in rj.devices() and len(set(rj.devices())) == len(rj.devices())
    for name in rj.devices()[1:]:
        assert model.estimate(name).device == name
    with pytest.raises(rj.DeviceError, match="abacus.*there are .*a100-80gb.*or give the path") as caught:
        model.estimate("abacus")
    assert caught.value.device == "abacus"
    profile = tmp_path / "mine.toml"
    profile.write_text("name = 3\n")
    for given in (profile, str(profile)):
        with pytest.raises(rj.DeviceError, match="mine.toml: name is 3"):
            model.estimate(given)
    with pytest.raises(FileNotFoundError, match="none.toml"):
        model.estimate(tmp_path / "none.toml")


def test_nothing_can_be_read(client, model):
    x = model.input()
    for read in (x.to_bytes, lambda: pickle.dumps(x), lambda: client.decrypt(x)):
        with pytest.raises(rj.NoValuesError, match="counts operations and holds no values") as caught:
            read()
        assert caught.value.backend == "model"
    with pytest.raises(TypeError):
        np.asarray(x)


def test_models_are_apart(client, server, params, model):
    other = rj.Server(backend="model", params=params)
    model.input().rotate(1)
    assert other.estimate(DEVICE).keys.count == 0
    for a, b in ((model.input(), other.input()), (server.load(client.encrypt([1.0])), model.input())):
        with pytest.raises(rj.NoValuesError):
            a + b
    # a pickled ciphertext is attached to the computing server
    restored = pickle.loads(pickle.dumps(client.encrypt([1.0])))
    assert restored.backend != "model"


def test_refusals(client, keys, server, params):
    with pytest.raises(rj.ArgumentError, match='backend="model"') as caught:
        rj.Server()
    assert (caught.value.name, caught.value.value) == ("keys", "None")
    for given in (keys, keys.to_bytes(), "keys.bin"):
        with pytest.raises(rj.ArgumentError, match="give params=... alone") as caught:
            rj.Server(given, backend="model", params=params)
        assert caught.value.name == "keys"
    with pytest.raises(rj.ArgumentError, match="name of a preset") as caught:
        rj.Server(backend="model")
    assert caught.value.name == "params"
    with pytest.raises(rj.UnknownPresetError):
        rj.Server(backend="model", params="n99")
    with pytest.raises(TypeError, match="name of a preset, not int"):
        rj.Server(backend="model", params=13)
    with pytest.raises(rj.ArgumentError, match="or model for a server that counts"):
        rj.Server(keys, backend="abacus")
    assert "model" not in rj.backends()
    for call in (server.input, lambda: server.estimate(DEVICE), server.reset_counts):
        with pytest.raises(rj.ArgumentError, match=r'rj.Server\(backend="model", params=...\) counts') as caught:
            call()
        assert (caught.value.name, caught.value.value) == ("backend", server.backend)


def test_inputs(params, model):
    assert repr(model) == "Server(model, n=2^11, counts and holds no values, allow_insecure)"
    assert shape(model.input())[:3] == (
        params.top_level,
        float(params.levels[params.top_level]["scale_bits"]),
        params.slots,
    )
    assert shape(model.input(8, 2))[::2] == (2, 8)
    assert rj.Server(backend="model", params="n13-depth2").input().slots == 4096
    with pytest.raises(rj.NoSuchLevelError):
        model.input(level=params.top_level + 1)
    with pytest.raises(rj.ArgumentError, match="a power of two"):
        model.input(12)
    with pytest.raises(rj.LevelExhaustedError):
        model.input(level=0) * model.input()


# ---- training ----


def test_training_bootstraps_and_rotates_as_it_does_on_data():
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-1, 1, (60, 5)), np.where(rng.uniform(size=60) < 0.5, -1.0, 1.0)
    plan = ml.TrainingPlan.make(BOOT, *x.shape, iterations=5, degree=7)
    model = rj.Server(backend="model", params=BOOT)
    counted = list(ml.EncryptedTraining(plan, plan.inputs(model)).run())
    estimate = model.estimate(DEVICE)
    assert estimate.bootstraps == len(plan.bootstraps) > 1 and estimate.keys.bootstrapping == [plan.width]
    client = plan.client(BOOT, seed=1)
    sent = [ct.to_bytes() for ct in plan.encrypt(client, plan.rows_of(x, y))]

    def run(keys):
        return list(ml.EncryptedTraining(plan, plan.load(rj.Server(keys), sent)).run())

    real = run(client.evaluation_keys(**estimate.keys.request()))
    for a, b in zip(real, counted, strict=True):
        assert (a.level, shape(a.state.v), shape(a.state.w)) == (b.level, shape(b.state.v), shape(b.state.w))
    assert set(estimate.keys.rotations) == set(plan.rotations) and estimate.keys.conjugation
    # a plan of the training gives the same numbers
    dry = rj.plan(lambda server: list(ml.EncryptedTraining(plan, plan.inputs(server)).run())[-1].state.w, BOOT)
    assert dry.keys == estimate.keys.request() and dry.levels == [real[-1].state.w.level]
    assert estimate.bootstraps == len(dry.bootstraps)


def test_the_example(capsys):
    example = runpy.run_path(str(EXAMPLE))
    server = rj.Server(backend="model", params="n16-boot")
    weights = example["training"](server)
    plan = ml.TrainingPlan.make(server.params, example["SAMPLES"], example["FEATURES"])
    assert plan.iterations == 30 and weights.slots == plan.slots
    assert server.estimate(DEVICE).bootstraps == len(plan.bootstraps) == 14
    assert main(["estimate", f"{EXAMPLE}:training", "--device", DEVICE]) == 0
    assert "  bootstraps  14, 14 at " in capsys.readouterr().out


# ---- the command ----


@pytest.fixture
def program(tmp_path):
    before = sys.path.copy()
    path = tmp_path / "mine.py"
    path.write_text(
        inspect.cleandoc(
            """
            import helper

            def square(server, x, y, times=3):
                for _ in range(times):
                    x = x * y
                return {"x": x, "parts": [x.inner_sum(1, 4), 7]}

            def long(server, x):
                for _ in range(20):
                    x = helper.squared(x)
                    x = x * x
                return x

            def deep(server, x):
                x = x.to_level(1)
                y = x * x
                return helper.squared(y)

            def reads(server, x):
                return x.to_bytes()

            def named(server, *, x):
                return x

            def wrong(server):
                return 1 / 0
            """
        )
    )
    (tmp_path / "helper.py").write_text("def squared(x):\n    return x * x\n")
    yield path
    sys.modules.pop("helper", None)
    sys.path[:] = before


@pytest.fixture
def small(tmp_path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(BOOT.to_json())
    return path


def estimate(*arguments):
    return main(["estimate", *map(str, arguments)])


def test_the_command_prints_a_table(program, capsys):
    assert estimate(f"{program}:square", "--preset", "n15-depth9", "--slots", 64, "--device", DEVICE, "v100") == 0
    out = capsys.readouterr().out
    assert "inputs      x, y (level 9, 64 slots)" in out
    assert "result      ['x']: level 6, scale 2^42.00, 64 slots" in out and "result      ['parts'][0]: level 6" in out
    assert "bootstraps  0\n" in out and "sent: relinearization; rotations 1, 2\n" in out
    rows = [line for line in out.splitlines() if re.match(r"(a100-80gb|v100) .*: fits$", line)]
    assert [row.split()[0] for row in rows] == [DEVICE, "v100"]
    assert f"where the time goes on {DEVICE}:\nProgram " in out and re.search(r"\n  Mult +3 x ", out)


def test_the_command_counts_heaan(program, capsys):
    assert estimate(f"{program}:square", "--preset", "heaan-n14-q210", "--device", DEVICE) == 0
    out = capsys.readouterr().out
    assert (
        re.search(r"inputs +x, y \(log_q 210, \d+ slots\)", out)
        and "result      ['x']: log_q 150, scale 2^60.00" in out
    )


def test_the_command_says_where_it_bootstraps(program, small, capsys):
    assert estimate(f"{program}:long", "--parameters", small, "--device", DEVICE, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["inputs"] == [[BOOT.top_level, BOOT.slots]]
    places = record["bootstraps"]
    assert set(places) <= {f"{program}:10", f"{program}:11", f"{program.parent / 'helper.py'}:2"}
    (device,) = record["devices"]
    assert sum(places.values()) == device["bootstraps"] == 4
    assert record["results"] == [{"name": "", "level": 7, "scale": record["results"][0]["scale"], "slots": 1024}]
    assert device["device"] == DEVICE and device["tree"]["count"] == 1


def test_the_command_prints_csv(program, capsys):
    assert estimate(f"{program}:square", "--preset", "n15-depth9", "--csv", "--device", DEVICE, "v100") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["device"] for row in rows] == [DEVICE, "v100"] and all(float(row["seconds"]) > 0 for row in rows)
    assert int(rows[0]["keys.count"]) > 0 and "tree" not in rows[0] and None not in rows[0]
    with pytest.raises(SystemExit):
        estimate(f"{program}:square", "--csv", "--json")
    assert "not allowed with argument" in capsys.readouterr().err


def test_this_machine_unless_told(program, capsys):
    assert estimate(f"{program}:square", "--preset", "n13-depth2", "--json", "--level", 1) == 1
    assert "LevelExhaustedError" in capsys.readouterr().err
    assert estimate(f"{program}:square", "--preset", "n15-depth9", "--json") == 0
    assert [d["device"] for d in json.loads(capsys.readouterr().out)["devices"]] == ["here"]


REFUSED = [
    (
        "deep",
        [],
        r"LevelExhaustedError: multiplication needs 1 level.*\n  .*mine.py:17, in deep\n    return helper.squared\(y\)\n  .*helper.py:2, in squared",
    ),
    ("reads", [], r"NoValuesError: .*holds no values.*\n  .*mine.py:20, in reads\n    return x.to_bytes\(\)"),
    ("wrong", [], r"ZeroDivisionError: .*\n  .*mine.py:26, in wrong"),
    ("square", ["--slots", "5000"], r"slots = 5000: expected a power of two up to 4096"),
    ("square", ["--level", "5"], r"level 5 does not exist"),
    ("square", ["--device", "abacus"], r"LevelExhausted|no device is called"),
    ("named", [], r"x of .* can be given by name only"),
    ("none", [], r"has no function 'none'; it has deep, long, named,"),
]


@pytest.mark.parametrize(("function", "options", "message"), REFUSED)
def test_errors_come_with_the_line_of_the_program(function, options, message, program, capsys):
    assert estimate(f"{program}:{function}", "--preset", "n13-depth2", *options) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: ") and re.search(message, err), err


def test_programs_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("import ringjet\nringjet.preset('n99')\n")
    (tmp_path / "syntax.py").write_text("def f(:\n")
    for name, message in [
        ("nowhere.py:f", "there is no such file"),
        ("f", "a program is file.py:function or module:function"),
        ("nowhere:f", "No module named 'nowhere'"),
        ("syntax:f", "SyntaxError|write syntax.py:f"),
        ("broken.py:f", "UnknownPresetError: .*\n  broken.py:2, in <module>"),
        ("syntax.py:f", "SyntaxError"),
    ]:
        with pytest.raises(ProgramError, match=message):
            load(name)
    assert Function(load("ringjet.ml:EncryptedModel")).inputs(None) == ["plan", "weights"]


def test_a_gpu_is_priced_by_the_launches_that_the_library_makes():
    """The figures of the page of predictions, which is made from the same launches."""
    page = (Path(__file__).parents[2] / "docs" / "design" / "gpu-prediction.md").read_text()
    server = rj.Server(backend="model", params="n16-depth24")
    x = server.input()
    programs = {"multiply": lambda: x * x, "rotate": lambda: x.rotate(1)}
    for name, program in programs.items():
        server.reset_counts()
        program()
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        cells = [cell.strip(" *") for cell in row.split("|")]
        megabytes, h200, h100 = (float(cells[i]) for i in (3, 8, 10))
        estimate = server.estimate("H200")
        assert estimate.seconds == pytest.approx(h200 * 1e-6, rel=0.01), name
        assert server.estimate("h100").seconds == pytest.approx(h100 * 1e-6, rel=0.01), name
        assert estimate.bytes == pytest.approx(megabytes * 1e-3, rel=0.01), name
        assert estimate.launch_s == pytest.approx(int(cells[2]) * 1e-6)
        ideal = server.estimate("ideal-h200")
        assert ideal.seconds < 0.9 * estimate.seconds and ideal.operations == pytest.approx(estimate.operations)
        assert estimate.device == "h200" and estimate.tree.seconds == pytest.approx(estimate.seconds)
