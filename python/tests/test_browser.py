"""The client for browsers: its bytes are those of Python, and it calls a service from a page.

The tests need the package that `make browser` builds. With RINGJET_FULL=1 they build it themselves.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "js" / "ringjet-client"
WASM = PACKAGE / "wasm" / "ringjet_wasm_bg.wasm"
SEED = bytes(range(32))


def skip(why: str) -> None:
    warnings.warn(f"THE CLIENT FOR BROWSERS IS NOT TESTED: {why}", stacklevel=2)
    pytest.skip(f"the client for browsers is not tested: {why}")


@pytest.fixture(scope="module")
def built() -> None:
    """The package is there, and not older than its sources."""
    if shutil.which("node") is None:
        skip("node does not run")
    if os.environ.get("RINGJET_FULL"):
        done = subprocess.run(["cargo", "xtask", "browser", "compile"], cwd=ROOT, capture_output=True, text=True)
        if missing := re.search("wasm.* is (not installed|here as).*", done.stdout):
            skip(missing[0])
        assert done.returncode == 0, done.stdout + done.stderr
    if not WASM.exists():
        skip("make browser builds it")
    crates = [ROOT / "crates" / name for name in ("ringjet", "ringjet-math", "ringjet-backend", "ringjet-wasm")]
    sources = [file for folder in crates for file in folder.glob("src/**/*.rs")]
    if WASM.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        skip("its sources are newer than the package: make browser")


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


@pytest.fixture
def browser() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None or shutil.which("node") is None:
        skip("no browser: none of chromium, chromium-browser, google-chrome is there, or node is not")
    return found


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
    command += ["--iterations", "3", "--report", out, "--json", record]
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


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def served(tmp_path):
    """The repository's files over HTTP, and a service that its pages may call."""
    import serving  # skips, if the service cannot run here

    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=ROOT))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{files.server_port}"
    programs = tmp_path / "programs.py"
    programs.write_text(
        'from ringjet.serve._builtin import service\n\n\n@service.program(params="n13-depth2")\ndef plus(x, y):\n    return x + y\n'
    )
    service = serving.Process(tmp_path / "service", "--allow-origin", origin, programs=f"{programs}:service")
    yield origin, service
    service.kill(signal.SIGTERM)
    files.shutdown()


def test_a_page_calls_a_service(built, served, browser, tmp_path):
    origin, service = served
    folder = Path(os.environ.get("RINGJET_SCREENSHOTS") or tmp_path)
    command = ["node", str(PACKAGE / "test" / "browser.mjs"), browser, origin, service.url, service.token, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    for name, alone in found["alone"].items():
        print(name, {what: f"{ms:.0f} ms" for what, ms in alone["milliseconds"].items()}, alone["bytes"])
        assert alone["known"] and alone["same"] and alone["secrets"] == []
        assert alone["error"] < 1e-6
        assert np.abs(np.array([*alone["other"], *alone["complex"]]) - [0.5, -0.25] * 2).max() < 1e-6
        assert np.abs(np.array(alone["padded"]) - [4, 0.2]).max() < 1e-5
        assert (alone["misspelt"], alone["closed"]) == ("ArgumentError", "this is closed")

    programs = found["programs"]
    print({what: f"{ms:.0f} ms" for what, ms in programs["milliseconds"].items()})
    assert max(programs["plus"], programs["product"], programs["after"]) < 1e-6
    assert programs["first"] < 1e-3 and programs["dot"] < 1e-3, "sums of 4096 products"
    assert programs["total"] == "2"
    assert programs["shown"][:2] == ["keys", "upload"]
    assert re.fullmatch("[0-9a-f]{32}", programs["keyId"])
    errors = programs["errors"]
    assert errors["magnitude"]["name"] == "MagnitudeError" and errors["magnitude"]["fields"] == {
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
