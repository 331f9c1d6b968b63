"""Compiled models that a service offers, and models in processes that have nothing but ringjet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.serve import _frames

pytest.importorskip("sklearn")
sys.path.insert(0, str(Path(__file__).parent))
from serving import PARAMS, Running, digest
from sklearn import datasets, ensemble, neural_network
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

ROWS = 20
#: What HEIR made of the squares of an affine layer.
HEIR = Path(__file__).parent / "data" / "heir" / "affine.mlir"
#: A program that cannot import what only the owner of a model needs.
ALONE = """
import sys
for name in ("sklearn", "onnx", "scipy", "pandas"):
    sys.modules[name] = None
import numpy as np
import ringjet as rj
X = np.load("X.npy")
"""


@pytest.fixture(scope="module")
def models():
    """A model of each kind of packing, the rows that it is tried with, and its classes for them."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    network = neural_network.MLPClassifier((8,), activation="tanh", max_iter=300, random_state=0)
    network = make_pipeline(MinMaxScaler(), network).fit(x[:-ROWS], y[:-ROWS])
    trees = ensemble.GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0).fit(x[:-ROWS], y[:-ROWS])
    made = {
        "trees": (rj.ml.compile(trees, x[:-ROWS]), trees),
        "columns": (rj.ml.compile(network, x[:-ROWS]), network),
        "slots": (rj.ml.compile(network, x[:-ROWS], params="n15-depth9", batch=1), network),
    }
    return {name: (compiled, x[-ROWS:], model.predict(x[-ROWS:])) for name, (compiled, model) in made.items()}


@pytest.fixture(scope="module")
def running(models, tmp_path_factory):
    service = rj.serve.Service()
    folder = tmp_path_factory.mktemp("models")
    for name, (model, _, _) in models.items():
        assert model._interface.packing.kind == name
        # one as it is, one from its files
        model.save(folder / name)
        service.add(model if name == "columns" else folder / name, name=name, description=f"in {name}")

    weights = [np.eye(4, 8), np.arange(4.0)]
    heir = rj.ml.from_heir(HEIR, weights, params="n13-depth2", magnitude=0.5)
    service.add(heir.program, name="heir", packing=heir.packing)

    @service.program(params=PARAMS)
    def double(x):
        return x + x

    made = Running(folder / "service", service)
    yield made
    made.stop()


@pytest.mark.parametrize("name", ["columns", "slots", "trees"])
def test_two_clients_with_their_own_keys(running, models, name):
    _, x, wanted = models[name]
    callers = [running.connect(), running.connect()]
    for caller in callers:
        np.testing.assert_array_equal(caller.predict(name, x), wanted)
    ids = [caller.key_id(name) for caller in callers]
    assert ids[0] != ids[1] and all(len(key) for key in ids)
    # the other way round: each still reads its own
    np.testing.assert_array_equal(callers[0].predict(name, x[:1]), wanted[:1])
    for caller in callers:
        caller.close()


def test_what_the_service_says_of_models(running, models):
    caller = running.connect()
    programs = {program["name"]: program for program in caller.config()["programs"]}
    assert "model" not in programs["double"] and programs["columns"]["description"] == "in columns"
    for name, (model, _, _) in models.items():
        together = model._circuit.together(model.params)
        assert programs[name]["model"]["samples"] == together == (model.params.slots if name == "columns" else together)
    assert len(programs["columns"]["inputs"]) == 30 and len(programs["slots"]["inputs"]) == 1
    # nothing that only the server has
    text = json.dumps(programs["columns"])
    assert "weights" not in text and len(text) < 20_000
    caller.close()


def by_description(running, name: str, x: np.ndarray) -> np.ndarray:
    """The classes of samples for a client that knows docs/service.md and what the service says of itself."""
    program = next(p for p in running.ask("GET", "/v1/config")[2]["programs"] if p["name"] == name)
    model = program["model"]["client"]
    packing, layout, scores = model["packing"], model["packing"]["layout"], model["scores"]
    if packing["kind"] == "trees":
        assert packing["sent"] == "conditions"
        numbers = (x[:, packing["feature"]] <= np.array(packing["threshold"])).astype(float)
    else:
        numbers = (x - packing["centre"]) / packing["half"]
    samples = layout["samples"]
    last = numbers[-1:] if layout["missing"] == "last" else 0 * numbers[:1]
    numbers = np.concatenate([numbers, np.repeat(last, samples - len(x), axis=0)])[:samples]

    client = rj.Client(rj.Parameters.from_json(json.dumps(model["params"])))
    j = np.arange(client.slots)
    frames = []
    for given, pattern in zip(program["inputs"], layout["ciphertexts"], strict=True):
        column = np.array([-1 if k is None else k for k in pattern])[j // samples % len(pattern)]
        values = np.where(column < 0, 0, numbers[j % samples, column])
        magnitude = given["magnitude"]
        bounds = tuple(magnitude) if isinstance(magnitude, list) else magnitude
        data = client.encrypt(values, level=given["level"], magnitude=bounds).to_bytes()
        frames.append((given["name"], data))
    keys = client.evaluation_keys(**program["keys"]).to_bytes()
    running.ask("PUT", f"/v1/keys/{client.key_id}", keys, {"Repr-Digest": digest(keys)})
    octets = {"Content-Type": "application/octet-stream"}
    status, _, body = running.ask("POST", f"/v1/programs/{name}?wait=20", _frames.pack(frames), octets)
    assert status == 200
    results = [client.decrypt(data) for _, data in _frames.read(body, max_frames=100, max_bytes=1 << 30)]
    [[result, place]] = layout["scores"]
    found = results[result][place * samples + np.arange(len(x))] * scores["unit"][0] + scores["shift"][0]
    assert model["head"]["kind"] == "sign"
    return np.array(model["head"]["classes"])[(found > 0).astype(int)]


@pytest.mark.parametrize("name", ["columns", "slots", "trees"])
def test_samples_are_packed_by_the_description_alone(running, models, name):
    model, x, wanted = models[name]
    few = min(len(x), model._circuit.together(model.params))
    np.testing.assert_array_equal(by_description(running, name, x[:few]), wanted[:few])


def test_a_layout_that_contradicts_the_packing_is_refused(models, tmp_path):
    models["trees"][0].save(tmp_path)
    document = json.loads((tmp_path / "client.json").read_text())
    document["packing"]["layout"]["samples"] *= 2
    (tmp_path / "client.json").write_text(json.dumps(document))
    with pytest.raises(rj.errors.MalformedError, match="a layout of samples that contradicts"):
        rj.ml.Client.load(tmp_path / "client.json")


@pytest.mark.parametrize("name", ["columns", "slots", "trees"])
def test_more_samples_than_a_call_takes(running, models, name):
    model, x, wanted = models[name]
    caller, together = running.connect(), model._circuit.together(model.params)
    many = np.tile(x, (together // len(x) + 1, 1))
    assert together < len(many) < 2 * together
    np.testing.assert_array_equal(caller.predict(name, many), np.tile(wanted, len(many) // len(x)))
    caller.close()


def test_refusals(running, models):
    x = models["columns"][1]
    caller = running.connect()
    with pytest.raises(rj.errors.ArgumentError, match="name = 'double': expected a model"):
        caller.predict("double", x)
    with pytest.raises(rj.errors.ArgumentError, match="the accepted range by calibration"):
        caller.predict("columns", 1e6 * x)
    with pytest.raises(rj.errors.ArgumentError, match=r"X = an array of shape \(20, 29\)"):
        caller.predict("columns", x[:, :29])
    caller.close()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"samples": 0}, "0 samples a call"),
        ({"client": {}}, "no model: KeyError"),
        ({"client": []}, "no model: TypeError"),
    ],
)
def test_models_that_are_none(running, models, changes, words):
    caller = running.connect()
    program = next(p for p in caller.config()["programs"] if p["name"] == "columns")
    program["model"] = {**program["model"], **changes}
    with pytest.raises(rj.errors.MalformedError, match=words):
        caller.predict("columns", models["columns"][1])
    caller.close()


def test_parameters_of_a_model_are_those_of_its_program(running, models):
    caller = running.connect()
    programs = {program["name"]: program for program in caller.config()["programs"]}
    programs["columns"]["model"] = programs["slots"]["model"]
    assert models["columns"][0].params != models["slots"][0].params
    with pytest.raises(rj.errors.MalformedError, match="other parameters than its program"):
        caller.predict("columns", models["columns"][1])
    caller.close()


def test_a_program_of_heir(running):
    """Its client needs the service, which describes the packing."""
    caller, x = running.connect(), np.linspace(-0.5, 0.5, 8)
    packing = rj.ml.HeirPacking.from_json(json.dumps(caller._program("heir")["packing"]))
    found = packing.unpack(*caller.call("heir", *packing.pack(x)))
    np.testing.assert_allclose(found, (x[:4] + np.arange(4)) ** 2, atol=1e-3)
    caller.close()


def alone(folder, program):
    """What a program prints in a process that cannot import scikit-learn."""
    command = [sys.executable, "-c", ALONE + program]
    return json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("name", ["columns", "slots", "trees"])
def test_saved_models_need_nothing_but_ringjet(models, name, tmp_path):
    model, x, wanted = models[name]
    model.save(tmp_path / "model")
    np.save(tmp_path / "X.npy", x[:5])
    program = """
client = rj.ml.Client.load("model/client.json")
server = rj.ml.Server.load("model", client.keys())
found = client.decrypt(server.predict(client.encrypt(X)))
print(found.tolist())
"""
    assert alone(tmp_path, program) == wanted[:5].tolist()


def test_a_client_in_another_process(running, models, tmp_path):
    _, x, wanted = models["columns"]
    np.save(tmp_path / "X.npy", x)
    program = f"""
service = rj.connect({running.url!r}, {running.token!r})
print(service.predict("columns", X).tolist())
"""
    assert alone(tmp_path, program) == wanted.tolist()


def test_folders_with_insecure_parameters_are_allowed_by_name(tmp_path):
    x, y = datasets.load_iris(return_X_y=True)
    params = rj.params(11, [50] + [38] * 5, [50, 50], allow_insecure=True)
    trees = ensemble.RandomForestClassifier(2, max_depth=2, random_state=0).fit(x, y)
    rj.ml.compile(trees, x, params=params).save(tmp_path)
    service = rj.serve.Service()
    with pytest.raises(rj.InsecureParametersError):
        service.add(tmp_path, name="trees")
    service.add(tmp_path, name="trees", allow_insecure=True)
    assert service.programs["trees"].params == params
