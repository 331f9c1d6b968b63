"""The client for browsers: its bytes are those of Python, and it calls a service from a page.

The tests need the package that `make browser` builds. With RINGJET_FULL=1 they build it themselves.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

sys.path.insert(0, str(Path(__file__).parent))
from javascript import PACKAGE, ROOT, browser, built, in_node, origin  # noqa: F401

SEED = bytes(range(32))


def numbers(count: int) -> list[float]:
    rng = np.random.default_rng(5)
    return [float(x) for x in rng.uniform(-1, 1, count)]


def from_wasm(cases: list[dict]) -> list[dict]:
    command = ["node", str(PACKAGE / "test" / "bytes.mjs")]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# rings with and without transforms in order of leaves, wide and narrow primes, all schemes
SETS = {
    "n13-depth2": lambda: rj.preset("n13-depth2"),
    "n14-depth6": lambda: rj.preset("n14-depth6"),
    "wide": lambda: rj.params(8, [60] + [45] * 3, [60], allow_insecure=True),
    "narrow": lambda: rj.params(10, [30] + [28] * 3, [30, 30], allow_insecure=True),
    "heaan": lambda: rj.heaan(10, 120, allow_insecure=True),
    "bgv": lambda: rj.preset("bgv-n12"),
    "bfv": lambda: rj.bgv(10, q_bits=[50, 50], p_bits=[50], scheme="bfv", allow_insecure=True),
}


@pytest.mark.parametrize("name", list(SETS))
def test_bytes_are_those_of_python(built, name):
    params = SETS[name]()
    client = rj.Client(params, seed=SEED)
    exact = params.t is not None
    values = [int(1000 * x) for x in numbers(params.slots)] if exact else numbers(params.slots)
    method = "encryptIntegers" if exact else "encryptNumbers"
    ciphertext = client.encrypt(np.array(values)).to_bytes()
    expected = [ciphertext, client.encrypt(np.array(values[:3]), public=True).to_bytes()]
    steps = [[method, values, {}], [method, values[:3], {"public": True}]]
    if not exact:
        scaled = [16 * x for x in values[:4]]
        options = {"magnitude": 16.0, "slots": 4, "complex": False}
        small = rj.Client.from_secret_bytes(client.to_secret_bytes(), 4, allow_insecure=True)
        steps.append([method, scaled, options])
        keys = {"rotations": [1, -3], "conjugation": True}
    else:
        keys = {"rotations": [1, -3], "conjugation": False}
    steps += [["evaluationKeys", keys], ["publicKey"], ["decrypt", ciphertext.hex()]]
    (found,) = from_wasm([{"params": params.to_json(), "seed": SEED.hex(), "steps": steps}])
    assert found["keyId"] == client.key_id
    made = [bytes.fromhex(data) for data in found["bytes"]]
    if not exact:
        # the slots of a Python client are fixed, and its seeds are of its own: compare the values
        fewer = made.pop(2)
        assert np.abs(small.decrypt(fewer) - scaled).max() < 1e-2
        client.encrypt([0.5])  # takes the seed that the other client used
    expected += [
        client.evaluation_keys(**keys).to_bytes(),
        client.public_key().to_bytes(),
        client.decrypt(ciphertext).tobytes(),
    ]
    for what, ours, theirs in zip(("secret", "public", "keys", "public key", "values"), expected, made, strict=True):
        assert ours == theirs, f"{name}, {what}: {len(ours)} and {len(theirs)} bytes"


def sent(results: list[rj.Ciphertext]) -> list[str]:
    return [f"hex:{ct.to_bytes().hex()}" for ct in results]


def test_a_program_computes_what_a_page_encrypted(in_node):
    """The page has the program's JSON alone, and the server the program's bytes."""

    def f(x, y):
        return {"mean": (x * y).mean(), "parts": [x + y, x.rotate(1)]}

    options = {"slots": 8, "magnitudes": {"x": (0.2, 5), "y": 2.0}, "counts": {"x": 3, "y": 3}}
    program = rj.compile(f, "n14-depth6", public_key={"y": True}, **options)
    client = in_node("open", program.client_json(), True)
    assert client.opened["outputs"] == ["['mean']", "['parts'][0]", "['parts'][1]"]
    assert client.opened["keys"] == program.keys
    x, y = np.array([0.5, 4.0, 1.25]), np.array([-2.0, 1.0, 0.5])
    inputs = [client.bytes("encrypt", "x", list(x)), client.bytes("encrypt", "y", list(y))]
    server = rj.Server(rj.EvaluationKeys.from_bytes(client.bytes("evaluationKeys")))
    cts = [server.load(data) for data in inputs]
    assert [(ct.slots, ct.count) for ct in cts] == [(8, 3), (8, 3)]
    assert (cts[0].range, cts[1].magnitude) == ((0.2, 5.0), 2.0)
    planned = rj.Client(program.params).encrypt(y, public=True, magnitude=2.0)
    assert len(inputs[1]) == len(planned.to_bytes()) > 1.9 * len(inputs[0]), "y is encrypted with the public key"
    made = rj.Program.from_bytes(program.to_bytes()).run(server, *cts)
    results = sent([made["mean"], *made["parts"]])
    found = client("decryptAll", results)
    assert abs(found["mean"][0] - (x * y).mean()) < 1e-4
    assert np.abs(np.array(found["parts"][0]) - (x + y)).max() < 1e-4
    assert np.abs(np.array(found["parts"][1])[:2] - x[1:]).max() < 1e-4
    assert np.abs(np.array(client("decrypt", "['parts'][0]", results[1])) - (x + y)).max() < 1e-4

    low = client("encrypt", "x", [0.5, 0.1, 7])
    assert (low["name"], low["fields"]) == (
        "OutsideStatedError",
        {"name": "x", "index": 1, "found": 0.1, "low": 0.2, "high": 5},
    )
    assert low["message"] == "x[1] = 0.1: the program takes values from 0.2 to 5"
    large = client("encrypt", "y", [0, 0, -2.5])
    assert (large["name"], large["fields"]) == (
        "MagnitudeError",
        {"name": "y", "index": 2, "found": -2.5, "stated": 2},
    )
    for wrong, text in {
        ("encrypt", "x", (1,)): "x = 1 values: expected 3 values: the program is planned for them",
        ("encrypt", "z", (1,)): "name = z: expected one of x, y",
        (
            "decrypt",
            "mean",
            results[0],
        ): """name = "mean": expected one of ["['mean']","['parts'][0]","['parts'][1]"]""",
        ("decryptAll", ()): "ciphertexts = 0: expected 3, one for each result",
    }.items():
        refused = client(*wrong)
        assert (refused["name"], refused["message"]) == ("ArgumentError", text)
    complex_numbers = client("encrypt", "x", [1, 0, 1, 0, 1, 0], {"complex": True})
    assert complex_numbers["message"] == "x = complex numbers: expected real numbers: the program takes them"
    slots = client("encrypt", "x", [1, 1, 1], {"slots": 4})
    assert slots["message"] == "options = slots: expected complex alone: the program states the others"
    broken = in_node("open", program.client_json().replace('"count": 3', '"count": 9'), True)
    assert broken.opened["message"] == "program = a wrong inputs: expected the text that Program.client_json writes"


def test_programs_of_integers_and_of_complex_numbers(in_node):
    rng = np.random.default_rng(7)
    for params, options in (rj.preset("bgv-n12"), {}), (SETS["heaan"](), {"magnitudes": 4.0, "complex": True}):
        program = rj.compile(lambda x: x * x - x, params, **options)
        client = in_node("open", program.client_json(), True)
        keys = rj.EvaluationKeys.from_bytes(client.bytes("evaluationKeys"), allow_insecure=True)
        x, shown = rng.integers(-4, 5, params.slots), {}
        given = x.tolist()
        if options:
            x = x + 1j * rng.integers(-2, 3, params.slots)
            given, shown = x.view(float).tolist(), {"complex": True}
        server = rj.Server(keys)
        made = program(server, server.load(client.bytes("encrypt", "x", given, shown)))
        found = np.array(client("decryptAll", sent([made]), shown))
        expected = x * x - x
        assert np.abs(found - (expected.view(float) if options else expected)).max() < 1e-3


def test_the_report_of_a_training(browser, tmp_path):
    """The page fits phones and desktops, and its numbers are those of the record."""
    params, out, record = tmp_path / "params.json", tmp_path / "report.html", tmp_path / "record.json"
    chain = {
        "log_ratio": 12.0,
        "special": 4,
        "slots_to_coeffs": [5, 5],
        "coeffs_to_slots": [5, 5],
        "allow_insecure": True,
    }
    params.write_text(rj.bootstrap_chain(log_n=11, message_levels=9, **chain).to_json())
    command = [
        sys.executable,
        "-m",
        "ringjet",
        "train",
        "--data",
        "breast-cancer",
        "--parameters",
        params,
        "--allow-insecure",
    ]
    command += ["--iterations", "3", "--report", out, "--figures", record]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder = os.environ.get("RINGJET_SCREENSHOTS") or tmp_path
    done = subprocess.run(
        ["node", str(ROOT / "js" / "page.mjs"), browser, str(out), "training", str(folder)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    accuracy = json.loads(record.read_text())["measures"]["accuracy, held out"]["encrypted"]
    for text in json.loads(done.stdout):
        assert "breast-cancer" in text and f"{accuracy:.2%}" in text


@pytest.fixture
def served(origin, tmp_path):
    """The repository's files over HTTP, and a service that its pages may call."""
    import serving  # skips, if the service cannot run here

    programs = tmp_path / "programs.py"
    programs.write_text(
        'from ringjet.serve._builtin import service\n\n\n@service.program(params="n13-depth2")\ndef plus(x, y):\n    return x + y\n'
    )
    service = serving.Process(tmp_path / "service", "--allow-origin", origin, programs=f"{programs}:service")
    yield origin, service
    service.kill(signal.SIGTERM)


def test_a_page_calls_a_service(built, served, browser, tmp_path):
    origin, service = served
    folder = Path(os.environ.get("RINGJET_SCREENSHOTS") or tmp_path)
    program = rj.compile(lambda x: {"same": x}, "n13-depth2", magnitudes=2.0, counts=2)
    file = tmp_path / "program.json"
    file.write_text(program.client_json())
    script = PACKAGE / "test" / "browser.mjs"
    command = ["node", script, browser, origin, service.url, service.token, file, folder]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    for name, alone in found["alone"].items():
        print(name, {what: f"{ms:.0f} ms" for what, ms in alone["milliseconds"].items()}, alone["bytes"])
        assert alone["known"] and alone["same"] and alone["secrets"] == []
        assert alone["error"] < 1e-6
        assert np.abs(np.array([*alone["other"], *alone["complex"]]) - [0.5, -0.25] * 2).max() < 1e-6
        assert np.abs(np.array(alone["padded"]) - [4, 0.2]).max() < 1e-5
        assert (alone["misspelt"], alone["closed"]) == ("ArgumentError", "this is closed")

    one = found["program"]
    assert one["outputs"] == ["['same']"]
    assert np.abs(np.array([one["all"], one["one"]]) - [0.5, -0.25]).max() < 1e-6
    assert one["refused"] == {
        "name": "MagnitudeError",
        "fields": {"name": "x", "index": 1, "found": 3, "stated": 2},
    }
    # the program uses no keys: those bytes are the parameters
    assert (one["shown"], one["keys"] < 2000) == ([], True) and one["publicKey"] > 50_000

    programs = found["programs"]
    print({what: f"{ms:.0f} ms" for what, ms in programs["milliseconds"].items()})
    assert max(programs["plus"], programs["product"], programs["after"]) < 1e-6
    assert programs["first"] < 1e-3 and programs["dot"] < 1e-3, "sums of 4096 products"
    assert programs["total"] == "2"
    assert programs["shown"][:2] == ["keys", "upload"]
    assert re.fullmatch("[0-9a-f]{32}", programs["keyId"])
    errors = programs["errors"]
    assert errors["magnitude"]["name"] == "MagnitudeError" and errors["magnitude"]["fields"] == {
        "name": "x",
        "index": 0,
        "found": 2,
        "stated": 1,
    }
    assert [errors[name]["name"] for name in ("count", "whole", "name", "unsafe")] == ["ArgumentError"] * 4
    assert (errors["token"]["name"], errors["token"]["status"]) == ("ServiceError", 401)

    for example in found["example"]:
        assert example["expected"] == 0.8125 and abs(example["found"] - 0.8125) < 1e-3, (
            "the preset has 5 digits in such a sum"
        )
    for text in found["status"]:
        assert all(
            word in text for word in ("ready", "dot", "1 of" if "1 of" in text else "0 of", programs["keyId"][:8])
        )
