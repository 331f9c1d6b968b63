"""Compiled models whose samples JavaScript encrypts, and whose scores it decrypts: classes and values are those of
Python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml.models._packing import restored

pytest.importorskip("sklearn")
sys.path.insert(0, str(Path(__file__).parent))
from javascript import PACKAGE, browser, built, in_node, origin  # noqa: F401
from sklearn import datasets, ensemble, linear_model, neighbors, neural_network, svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NETWORK = Path(__file__).parent / "data" / "networks" / "digits.onnx"


def digits():
    """Images (samples, 1, 8, 8) with pixels from 0 to 1, in a fixed order."""
    x, _ = datasets.load_digits(return_X_y=True)
    return x[np.random.default_rng(0).permutation(len(x))].reshape(-1, 1, 8, 8) / 16


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """The network for digits, and its folder."""
    pytest.importorskip("onnx")
    folder = tmp_path_factory.mktemp("digits")
    model = rj.ml.compile(NETWORK, digits()[:1400], batch=1)
    model.save(folder)
    return model, folder


def opened(in_node, folder):
    """A client in JavaScript, and a server with its keys."""
    client = in_node("openModel", (folder / "client.json").read_text())
    return client, rj.ml.Server.load(folder, client.bytes("keys"))


def scored(client, server, samples, options=None):
    """What JavaScript reads of what the server computes on samples that JavaScript encrypted."""
    returned = server.predict(client.bytes("encrypt", samples.tolist()))
    return client("decrypt", f"hex:{returned.hex()}", options or {})


def test_images_of_digits(in_node, images):
    model, folder = images
    assert model.layout == "slots"
    client, server = opened(in_node, folder)
    assert client.opened["classes"] == list(range(10)) and client.opened["names"] is None
    assert client.opened["ranges"] == [[-2, 2]] * 64
    x = digits()[1400:]
    wanted = model.predict(x, mode="clear")
    together = model.params.slots // model._interface.packing.slots
    # one more than a ciphertext holds
    for count in 1, 3, together + 1:
        assert scored(client, server, x[:count]) == wanted[:count].tolist()


def test_images_outside_their_range_and_bytes_of_another_model(in_node, images):
    model, folder = images
    client, server = opened(in_node, folder)
    x = digits()[:2]
    x[1, 0, 0, 3] = 2.5
    refused = client("encrypt", x.tolist())
    assert (refused["name"], refused["message"]) == (
        "ArgumentError",
        "samples[1][3] = 2.5: expected -2 to 2, the accepted range by calibration",
    )
    assert refused["fields"] == {
        "name": "samples[1][3]",
        "value": 2.5,
        "expected": "-2 to 2, the accepted range by calibration",
    }
    for samples, text in (
        ([[1, 2]], "samples[0] = shape (2): expected shape (1, 8, 8)"),
        ([[[[1.0] * 16] * 4]], "samples[0] = shape (1, 4, 16): expected shape (1, 8, 8)"),
        ([[[1.0], [1.0, 2.0]]], "samples[0] = arrays of different lengths: expected arrays of one length"),
        ([], "samples = 0: expected an array of one or more samples"),
        ([[None] * 64], "samples[0][0] = null: expected a finite number"),
    ):
        refused = client("encrypt", samples)
        assert (refused["name"], refused["message"]) == ("ArgumentError", text)

    other = rj.ml.compile(NETWORK, digits()[:1000], batch=1)
    foreign = other.client()
    data = other.server(foreign.keys()).predict(foreign.encrypt(x[:1]))
    refused = client("decrypt", f"hex:{data.hex()}")
    assert refused["name"] == "MalformedError" and "another model" in refused["message"]
    with pytest.raises(rj.MalformedError, match="another model"):
        other.server(foreign.keys()).predict(client.bytes("encrypt", x[:1].tolist()))
    # of the same model, with another key
    foreign = model.client()
    data = model.server(foreign.keys()).predict(foreign.encrypt(x[:1]))
    assert client("decrypt", f"hex:{data.hex()}")["name"] == "KeyMismatchError"

    returned = server.predict(client.bytes("encrypt", x[:1].tolist()))
    for wrong, text in (
        (b"RJsamples" + returned[9:], "no encrypted scores of a compiled model"),
        (returned[:-1], "encrypted matrix: a length that no ciphertext has"),
        (returned[:1000] + bytes([returned[1000] ^ 1]) + returned[1001:], "the checksum does not match"),
        (returned[:25] + bytes([33]) + returned[26:], "scores: 33 samples in 1 x 8192 slots"),
        (returned[:33] + b"RJMY" + returned[37:], "encrypted matrix: does not begin with RJMX"),
    ):
        refused = client("decrypt", f"hex:{wrong.hex()}")
        assert refused["name"] == "MalformedError" and text in refused["message"], refused


def test_a_page_scores_images(built, images, browser, origin, tmp_path):
    import serving  # skips, if the service cannot run here

    model, folder = images
    x = digits()[1400:]
    # one more than a call takes
    many = model.params.slots // model._interface.packing.slots + 1
    service = rj.serve.Service()
    service.add(folder, name="digits")
    flowers, names = iris(names=True)
    others = {
        "columns": linear_model.LogisticRegression(max_iter=1000).fit(flowers, names),
        "trees": ensemble.RandomForestClassifier(3, max_depth=3, random_state=0).fit(flowers, names),
    }
    for name, other in others.items():
        service.add(rj.ml.compile(other, flowers), name=name)
    service.program(lambda x: x + x, name="double", params=serving.PARAMS)
    running = serving.Running(tmp_path / "service", service, allow_origin=(origin,))
    samples = tmp_path / "samples.json"
    samples.write_text(
        json.dumps({"digits": x[:many].tolist(), "columns": flowers.tolist(), "trees": flowers.tolist()})
    )
    command = ["node", PACKAGE / "test" / "model.mjs", browser, origin, running.url, running.token]
    command += [folder / "client.json", samples]
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    finally:
        running.stop()
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    wanted = model.predict(x, mode="clear").tolist()
    assert found["one"] == wanted[:1] and found["three"] == wanted[:3]
    assert found["many"] == wanted[:many]
    for name, other in others.items():
        assert np.mean(np.array(found[name]) == other.predict(flowers)) > 0.98
    alone = found["alone"]
    print({what: f"{ms:.0f} ms" for what, ms in alone["milliseconds"].items()}, alone["bytes"])
    assert (alone["classes"], alone["range"]) == (list(range(10)), [-2, 2])
    assert (
        alone["outside"]
        == found["outside"]
        == {
            "name": "ArgumentError",
            "message": "samples[0][2] = -3: expected -2 to 2, the accepted range by calibration",
        }
    )
    assert alone["other"]["name"] == "MalformedError"
    assert found["noModel"]["message"] == "name = double: expected a model: call calls other programs"


def iris(names=False):
    x, y = datasets.load_iris(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(x))
    return x[order], (np.array(["setosa", "versicolor", "virginica"])[y] if names else y)[order]


def models():
    """A model for each way of reading scores, and its samples."""
    x, y = iris()
    named = iris(names=True)[1]
    binary = np.where(y == 0, -1, 1)
    # no two samples are at the same distance
    apart = np.random.default_rng(3).uniform(size=(len(x), 2))
    return {
        "sign": (linear_model.LogisticRegression().fit(x, binary), x),
        "argmax": (make_pipeline(StandardScaler(), linear_model.LogisticRegression()).fit(x, named), x),
        "pairs": (svm.SVC(kernel="linear", decision_function_shape="ovo").fit(x, y), x),
        "value": (linear_model.LinearRegression().fit(x[:, :2], x[:, 2]), x[:, :2]),
        "values": (linear_model.LinearRegression().fit(x[:, :2], x[:, 2:]), x[:, :2]),
        "nearest": (neighbors.KNeighborsClassifier(3).fit(apart[:40], named[:40]), apart),
        "nearest values": (neighbors.KNeighborsRegressor(3).fit(apart[:40], x[:40, 2:]), apart),
    }


@pytest.mark.parametrize("name", ["sign", "argmax", "pairs", "value", "values", "nearest", "nearest values"])
def test_ways_of_reading_scores(in_node, name, tmp_path):
    original, x = models()[name]
    compiled = rj.ml.compile(original, x)
    assert compiled.layout == "columns" and name.startswith(compiled._interface.head.kind)
    compiled.save(tmp_path)
    client, server = opened(in_node, tmp_path)
    wanted = compiled.predict(x, mode="clear")
    found = scored(client, server, x)
    if wanted.dtype.kind == "f":
        assert np.asarray(found).shape == wanted.shape
        assert np.mean(np.abs(found - wanted) < 1e-3 * np.ptp(wanted)) > 0.97
    else:
        assert np.mean(np.array(found) == wanted) > 0.97 and type(found[0]) is type(wanted.tolist()[0])


@pytest.mark.parametrize("hide_thresholds", [False, True])
def test_trees(in_node, tmp_path, hide_thresholds):
    x, y = iris(names=True)
    forest = ensemble.RandomForestClassifier(5, max_depth=3, random_state=0).fit(x, y)
    compiled = rj.ml.compile(forest, x, hide_thresholds=hide_thresholds)
    assert compiled._interface.packing.kind == "trees"
    compiled.save(tmp_path)
    client, server = opened(in_node, tmp_path)
    assert client.opened["ranges"] is None and client.opened["shape"] == [4]
    wanted = compiled.predict(x, mode="clear")
    found = np.array(scored(client, server, x))
    assert np.mean(found == wanted) > (0.9 if hide_thresholds else 0.999)


def test_numbers_that_are_sent_for_trees(in_node, tmp_path):
    """They are those of Python, also on thresholds and right after them."""
    x, y = iris()
    rj.ml.compile(ensemble.RandomForestClassifier(5, max_depth=3, random_state=0).fit(x, y), x).save(tmp_path)
    found = json.loads((tmp_path / "client.json").read_text())
    packing = found["packing"]
    feature, threshold = packing["feature"], np.array(packing["threshold"])
    at, k = np.resize(x, (len(feature), 4)), np.arange(len(feature))
    at[k, feature] = threshold
    after = at.copy()
    after[k, feature] = np.nextafter(threshold, np.inf)
    samples = np.concatenate([x, at, after])
    ends = {"low": (threshold - 1).tolist(), "high": (threshold + 0.3).tolist()}
    for kind in {"sent": "conditions"}, {"sent": "ranks"}, {"sent": "intervals", **ends}:
        client = in_node("openModel", json.dumps({**found, "packing": {**packing, **kind}}))
        wanted = restored({**packing, **kind}).normal(samples)
        assert np.array_equal(client("normal", samples.tolist()), wanted)
    unsorted = {**packing, "sent": "ranks", "feature": feature[::-1]}
    assert "a wrong packing" in in_node("openModel", json.dumps({**found, "packing": unsorted})).opened["message"]


def test_more_samples_than_slots(in_node, tmp_path):
    """A column takes two ciphertexts. JavaScript would round the first prime."""
    x, y = iris()
    x, params = x[:, :2], rj.params(8, [60, 40, 40], [60], allow_insecure=True)
    assert json.loads(params.to_json())["q"]["primes"][0] > 2**53
    compiled = rj.ml.compile(linear_model.LinearRegression().fit(x, y), x, params=params)
    compiled.save(tmp_path)
    text = (tmp_path / "client.json").read_text()
    assert in_node("openModel", text).opened["name"] == "InsecureParametersError"
    client = in_node("openModel", text, True)
    server = rj.ml.Server.load(tmp_path, client.bytes("keys"), allow_insecure=True)
    assert len(x) > params.slots
    np.testing.assert_allclose(scored(client, server, x), compiled.predict(x, mode="clear"), atol=1e-3)


def test_scores_far_outside_calibration_are_refused(in_node, tmp_path):
    """Features may lie further out than in calibration: then activations are outside their intervals."""
    x, y = iris()
    network = neural_network.MLPClassifier((6,), activation="tanh", max_iter=2000, random_state=0).fit(x, y)
    compiled = rj.ml.compile(network, x, margin=1.0)
    compiled.save(tmp_path)
    client, server = opened(in_node, tmp_path)
    low, high = x.min(axis=0), x.max(axis=0)
    far = np.array([x[0], high + 0.4 * (high - low)])
    assert compiled.simulate(far).outside > 0
    refused = scored(client, server, far)
    assert (refused["name"], refused["fields"]) == ("PredictionWarning", {"samples": [1]})
    found = scored(client, server, far, {"check": False})
    assert found[0] == compiled.predict(far[:1], mode="clear")[0] and len(found) == 2
    assert scored(client, server, far, {"chek": False})["message"] == "options = chek: expected check alone"


def test_wrong_files_are_refused(in_node, tmp_path):
    x, y = iris()
    rj.ml.compile(linear_model.LogisticRegression(max_iter=1000).fit(x, y), x).save(tmp_path)
    found = json.loads((tmp_path / "client.json").read_text())
    packing, head, scores = found["packing"], found["head"], found["scores"]
    for changed, text in (
        ({"format": "ringjet model 1"}, "the format ringjet model 1"),
        ({"packing": {**packing, "half": [0.0, *packing["half"][1:]]}}, "a wrong packing"),
        ({"packing": {**packing, "kind": "trees"}}, "a wrong packing"),
        ({"packing": {**packing, "kind": "other"}}, "samples packed as other"),
        ({"shape": [5]}, "a wrong shape"),
        ({"head": {**head, "classes": head["classes"][1:]}}, "a wrong head"),
        ({"head": {**head, "classes": [0, 1, 2**60]}}, "a wrong head"),
        ({"scores": {**scores, "low": scores["low"][1:]}}, "a wrong scores"),
        ({"fingerprint": "ab"}, "a wrong fingerprint"),
        ({"features": ["a"]}, "a wrong features"),
    ):
        refused = in_node("openModel", json.dumps({**found, **changed})).opened
        assert refused["name"] == "ArgumentError" and text in refused["message"], refused
    wrong = json.dumps({**found, "params": {**found["params"], "log_n": 99}})
    assert in_node("openModel", wrong).opened["name"] == "ParametersError"
