"""The service: its programs, its client, restarts, quotas, and the status page."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import pickle
import re
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.__main__ import main
from ringjet.serve import Service, ServiceError, _frames

sys.path.insert(0, str(Path(__file__).parent))
import service_programs  # noqa: E402
from serving import PARAMS, Running, digest, posted, wait_for  # noqa: E402


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    made = Running(tmp_path_factory.mktemp("service"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def caller(running) -> rj.serve.ServiceClient:
    """A client whose keys are there."""
    made = running.connect()
    made.prepare("score")
    return made


# ---- pages of other origins ----


def test_only_allowed_origins_may_call_from_a_browser(running, tmp_path):
    page = "https://page.example"
    wanted = {
        "Origin": page,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization,content-range",
    }

    def allowed(service, origin: str) -> tuple[int, str | None, str | None]:
        status, headers, _ = service.ask(
            "OPTIONS", "/v1/keys/" + "0" * 32, headers={**wanted, "Origin": origin}, token=None
        )
        _, plain, _ = service.ask("GET", "/v1/config", headers={"Origin": origin})
        return status, headers.get("access-control-allow-origin"), plain.get("access-control-allow-origin")

    assert allowed(running, page) == (405, None, None)
    other = Running(tmp_path / "service", allow_origin=(page, "http://127.0.0.1:8000"))
    try:
        assert allowed(other, page) == (200, page, page)
        assert allowed(other, "http://127.0.0.1:8000")[1:] == ("http://127.0.0.1:8000",) * 2
        assert allowed(other, "https://elsewhere.example") == (400, None, None)
        status, headers, _ = other.ask("GET", "/v1/config", headers={"Origin": page}, token="rj_wrong")
        assert (status, headers["access-control-allow-origin"]) == (401, page), "pages read refusals, too"
        assert headers.get("access-control-allow-credentials") is None
    finally:
        other.stop()


@pytest.mark.parametrize("origin", ["*", "null", "https://host/path", "host:80", "https://*", "https://a@b"])
def test_origins_that_are_none_are_refused(origin, capsys):
    assert main(["serve", "--check", "--allow-origin", origin]) == 1
    assert f"--allow-origin {origin}" in capsys.readouterr().err


# ---- programs and calls ----


def test_two_clients_in_parallel_get_right_numbers(running):
    second = running.core.access.add("second")
    failures = []

    def use(token: str, seed: int) -> None:
        try:
            rng = np.random.default_rng(seed)
            client = running.connect(token)
            for _ in range(3):
                v, w = rng.uniform(-1, 1, (2, 512))
                assert np.abs(client.call("score", v, w) - v @ w).max() < 1e-3
                x = rng.uniform(-1, 1, 8)
                found = client.call("parts", x)
                assert np.abs(found["twice"] - 2 * x).max() < 1e-5 and len(found["twice"]) == 8
                assert np.abs(found["more"][0] - x * x).max() < 1e-5 and np.abs(found["more"][1] - x + 1).max() < 1e-5
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=args) for args in ((running.token, 1), (second, 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_program_files_are_offered(tmp_path):
    def centred(x, w):
        return {"product": (x - 0.5) * w, "turned": x.rotate(1)}

    program = rj.compile(centred, PARAMS, slots=8, magnitudes={"x": (0, 2)})
    program.save(tmp_path / "centred.program")
    service = rj.serve.Service()
    service.add(program, name="compiled")
    with pytest.raises(rj.InsecureParametersError):
        service.add(tmp_path / "centred.program", name="stored")
    made = Running(tmp_path / "service", service)
    try:
        client = made.connect()
        v, w = np.linspace(0, 2, 8), np.linspace(-1, 1, 8)
        found = client.call("compiled", v, w)
        assert np.abs(found["product"] - (v - 0.5) * w).max() < 1e-4
        assert np.abs(found["turned"] - np.roll(v, -1)).max() < 1e-4
    finally:
        made.stop()
    planned = service.programs["compiled"].planned(rj.devices()[0])
    assert planned.document()["inputs"][0]["magnitude"] == [0, 2] and planned.plan.keys == program.keys
    own = rj.Client(PARAMS, slots=8)
    server = rj.Server(own.evaluation_keys(**program.keys))
    x, y = server.load(own.encrypt(v, magnitude=(0, 2))), server.load(own.encrypt(w))
    offered, once = planned.run(server, [x, y]), program.run(server, x, y)
    assert [ct.to_bytes() for ct in offered] == [once["product"].to_bytes(), once["turned"].to_bytes()]


def test_threads_share_a_client(running):
    client, failures = running.connect(), []

    def use(value: float) -> None:
        try:
            for i in range(1, 6):
                assert abs(client.call("score", [value], [i / 10])[0] - value * i / 10) < 1e-4
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(value,)) for value in (0.2, -0.4, 0.6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_programs_of_all_schemes(tmp_path):
    service = Service()
    bootstrapping = rj.heaan(10, 620, 23, slots=8, secret_weight=64, allow_insecure=True)
    service.program(params=rj.heaan(10, 200, 24, allow_insecure=True), name="heaan")(lambda x, y: x * y + x.rotate(1))
    service.program(params=bootstrapping, name="boot", log_q=bootstrapping.bootstrap_input_log_q)(
        lambda x: x.bootstrap()
    )
    service.program(params="bfv-n12", name="bfv")(lambda x, y: x * y)
    service.program(params=rj.preset("bgv-n12", t_bits=40), name="wide")(lambda x: x + x)
    service.program(params=PARAMS, name="complex", complex=True, level=1)(lambda server, x: x * x)
    running = Running(tmp_path, service)
    try:
        client, x = running.connect(), np.linspace(-1, 1, 8)
        assert np.abs(client.call("heaan", x, x)[:7] - (x * x + np.roll(x, -1))[:7]).max() < 1e-3
        assert np.abs(client.call("boot", x) - x).max() < 1e-3
        assert client.call("bfv", [1, 2, 3], [4, 5, -6])[:3].tolist() == [4, 10, -18]
        assert client.call("wide", [2**30, 2])[:2].tolist() == [2**31, 4]
        assert np.abs(client.call("complex", [0.5j, 0.1], complex=True)[:2] - [-0.25, 0.01]).max() < 1e-6
    finally:
        running.stop()


def test_intervals_and_counts_reach_the_program(running, caller):
    found = caller.call("inverse", [0.5, 0.8, 2.0])
    assert np.shape(found["inverse"]) == (3,) and np.abs(found["inverse"] - [2, 1.25, 0.5]).max() < 0.11
    assert abs(found["sum"][0] - 6.3) < 1e-3
    with pytest.raises(rj.OutsideStatedError):
        caller.call("inverse", [0.4])


def test_config_says_what_a_client_needs(running):
    status, _, config = running.ask("GET", "/v1/config")
    assert status == 200 and config["version"] == rj.__version__
    found = {p["name"]: p for p in config["programs"]}
    assert set(found) == {"score", "product", "parts", "slow", "held", "broken", "private", "inverse", "mean", "total"}
    score = found["score"]
    assert [i["name"] for i in score["inputs"]] == ["x", "w"] and score["inputs"][0]["level"] == 3
    assert score["keys"]["rotations"] == rj.inner_sum_rotations(1, 512) and score["keys"]["relinearization"]
    assert 0 < score["seconds"] < 1 and score["description"] == "The sum of products."
    assert found["parts"]["result"] == {"twice": 0, "more": [1, 2]} and found["parts"]["inputs"][0]["slots"] == 8
    described = json.dumps(config["parameters"][0]["parameters"])
    assert rj.Parameters.from_json(described, allow_insecure=True) == PARAMS
    assert score["parameters"] == PARAMS.fingerprint and config["parameters"][0]["insecure"]


def test_the_client_checks_what_would_give_wrong_numbers(running, caller):
    with pytest.raises(rj.ArgumentError, match="x = 2 values: expected 512 values: mean is planned for them"):
        caller.call("mean", [1.0, 2.0])
    v = np.linspace(-9, 9, 512) + 1
    assert np.abs(caller.call("mean", v) - 1).max() < 1e-3
    with pytest.raises(rj.MagnitudeError):
        caller.call("score", [2.0], [1.0])
    hidden = np.ma.masked_less([1.0, 0.5], 0.7)
    with pytest.raises(rj.ArgumentError, match="x = a masked array that hides 1 of its 2 values"):
        caller.call("score", hidden, [1.0, 1.0])
    with pytest.raises(TypeError, match="score takes the inputs x, w; the call has x"):
        caller.call("score", [1.0])
    with pytest.raises(rj.ArgumentError, match="one of score, product, parts"):
        caller.call("nothing", [1.0])
    with pytest.raises(rj.InsecureParametersError):
        rj.connect(running.url, running.token).call("score", [1.0], [1.0])


def test_secrets_stay_in_the_client(running, tmp_path):
    client = running.connect(secrets=tmp_path / "keys")
    key_id = client.key_id("score")
    [file] = (tmp_path / "keys").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert running.connect(secrets=tmp_path / "keys").key_id("score") == key_id != running.connect().key_id("score")
    with pytest.raises(TypeError, match="holds secret keys"):
        pickle.dumps(client)
    assert running.token not in repr(client)


def test_a_program_may_fail_and_says_little(running, caller):
    with pytest.raises(ServiceError, match="RuntimeError") as error:
        caller.call("broken", [0.5])
    assert error.value.status == 500 and "secrets" not in json.dumps(error.value.document)
    with pytest.raises(ServiceError, match="the program raised ArgumentError: tell the service's owner") as error:
        caller.call("private", [0.5])
    assert error.value.status == 500 and "7.25" not in json.dumps(error.value.document)
    assert np.abs(caller.call("slow", [0.5])[0] - 1) < 1e-6


@pytest.mark.parametrize(
    ("key", "status"), [("--", 200), ("_", 200), ("a" * 64, 200), ("a" * 65, 400), ("a b", 400), ("", 400)]
)
def test_idempotency_keys_are_those_of_the_published_pattern(running, caller, key, status):
    pattern = running.ask("GET", "/v1/openapi.json")[2]["paths"]["/v1/programs/{name}"]["post"]["parameters"]
    [schema] = [p["schema"] for p in pattern if p["name"] == "Idempotency-Key"]
    assert bool(re.search(schema["pattern"], key)) == (status == 200)
    body = _frames.pack([("x", caller._client(PARAMS.fingerprint, None).encrypt([0.5]).to_bytes())])
    headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": key}
    assert running.ask("POST", "/v1/programs/slow?wait=20", body, headers)[0] == status


def test_ciphertexts_come_before_their_keys(running):
    stranger = rj.Client(PARAMS)
    data = stranger.encrypt([0.25]).to_bytes()
    assert running.ask("PUT", "/v1/data/early", data)[0] == 201
    body, json_type = json.dumps({"inputs": {"x": "early"}}).encode(), {"Content-Type": "application/json"}
    status, _, problem = running.ask("POST", "/v1/programs/slow", body, json_type)
    assert (status, problem["key_id"]) == (409, stranger.key_id)


def test_stored_ciphertexts(running, caller):
    client = caller._client(PARAMS.fingerprint, None)
    data = client.encrypt([0.25]).to_bytes()
    status, _, stored = running.ask("PUT", "/v1/data/a-1", data)
    assert (status, stored["sha256"]) == (201, hashlib.sha256(data).hexdigest()) and stored["key_id"] == client.key_id
    assert running.ask("PUT", "/v1/data/a-1", data)[0] == 200
    assert running.ask("PUT", "/v1/data/a-1", client.encrypt([0.25]).to_bytes())[0] == 409
    assert running.ask("GET", "/v1/data/a-1")[2] == data
    json_type = {"Content-Type": "application/json"}
    body = json.dumps({"inputs": {"x": "a-1", "w": "a-1"}}).encode()
    status, headers, result = running.ask("POST", "/v1/programs/score?wait=10", body, json_type)
    assert status == 200 and headers["Location"].startswith("/v1/jobs/")
    assert abs(caller._decrypted(caller._program("score"), result, False)[0] - 0.0625) < 1e-4
    assert running.ask("DELETE", "/v1/data/a-1")[0] == 204
    assert running.ask("GET", "/v1/data/a-1")[0] == running.ask("DELETE", "/v1/data/a-1")[0] == 404
    assert running.ask("POST", "/v1/programs/score", body, json_type)[0] == 404


def test_jobs_events_and_cancelling(running, caller):
    _, _, (status, headers, job) = posted(running, caller, "slow")
    assert status == 202 and headers["Location"] == f"/v1/jobs/{job['id']}" and job["state"] == "queued"
    assert running.ask("GET", f"/v1/jobs/{job['id']}/result")[0] == 409
    status, headers, stream = running.ask("GET", f"/v1/jobs/{job['id']}/events")
    assert status == 200 and headers["content-type"].startswith("text/event-stream")
    seen = [json.loads(line[6:]) for line in stream.decode().splitlines() if line.startswith("data: ")]
    assert seen[-1]["state"] == "done" and any(e["progress"] and e["progress"][1] == 20 for e in seen)
    assert running.ask("GET", f"/v1/jobs/{job['id']}/result")[0] == 200
    assert running.ask("DELETE", f"/v1/jobs/{job['id']}")[0] == 204
    assert running.ask("GET", f"/v1/jobs/{job['id']}/result")[0] == 409

    _, _, (_, _, job) = posted(running, caller, "slow")
    assert running.ask("DELETE", f"/v1/jobs/{job['id']}")[0] == 204
    assert wait_for(running, job["id"])["state"] == "cancelled"


def test_a_repeated_request_finds_its_job(running, caller):
    body, headers, (_, _, first) = posted(running, caller, "slow", "again-1")
    again = running.ask("POST", "/v1/programs/slow", body, headers)
    assert again[0] == 202 and again[2]["id"] == first["id"]
    assert running.ask("POST", "/v1/programs/broken", body, headers)[0] == 409
    assert wait_for(running, first["id"])["state"] == "done"
    assert running.ask("POST", "/v1/programs/slow", body, headers)[1]["Location"] == f"/v1/jobs/{first['id']}"


# ---- keys ----


def test_a_broken_upload_goes_on(running):
    client = rj.Client(PARAMS)
    data = client.evaluation_keys(rotations=[1]).to_bytes()
    path, half = f"/v1/keys/{client.key_id}", len(data) // 2
    # the head promises everything, half of it comes, and the connection breaks
    connection = http.client.HTTPConnection("127.0.0.1", running.port)
    connection.putrequest("PUT", path)
    headers = {"Authorization": f"Bearer {running.token}", "Content-Length": len(data), "Repr-Digest": digest(data)}
    for name, value in headers.items():
        connection.putheader(name, str(value))
    connection.endheaders()
    connection.send(data[:half])
    connection.close()
    for _ in range(100):
        status, _, state = running.ask("GET", path)
        if status == 200 and state["upload"]["received"] == half:
            break
        time.sleep(0.02)
    upload = {"received": half, "total": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert (state["state"], state["upload"]) == ("receiving", upload)
    # a call does not take unfinished keys
    body = _frames.pack([("x", client.encrypt([0.5]).to_bytes())])
    status, _, problem = running.ask("POST", "/v1/programs/slow", body, {"Content-Type": "application/octet-stream"})
    assert (status, problem["type"]) == (409, "urn:ringjet:problem:missing-keys") and problem["key_id"] == client.key_id

    def part(first: int, last: int, content: bytes, sha: str = digest(data)):
        headers = {"Content-Range": f"bytes {first}-{last}/{len(data)}", "Repr-Digest": sha}
        return running.ask("PUT", path, content, headers)

    # a part at another place is refused, and says where to go on
    status, _, problem = part(half + 1, len(data) - 1, data[half + 1 :])
    assert (status, problem["received"]) == (409, half)
    status, _, state = part(half, half + 9, data[half : half + 10])
    assert (status, state["upload"]["received"]) == (202, half + 10)
    status, _, state = part(half + 10, len(data) - 1, data[half + 10 :])
    assert (status, state["state"], state["keys"]["rotations"]) == (201, "ready", [1]) and state.get("upload") is None
    assert running.ask("DELETE", path)[0] == 204 and running.ask("GET", path)[0] == 404
    # wrong bytes are refused in the end, and nothing stays
    assert running.ask("PUT", path, data, {"Repr-Digest": digest(b"other")})[0] == 422
    assert running.ask("GET", path)[0] == 404


def test_the_client_goes_on_after_broken_connections(running, monkeypatch):
    client = running.connect()
    plain, broken = client._transport._once, []

    def unsteady(method, path, body, *rest):
        if method == "PUT" and len(broken) < 3:
            broken.append(path)
            if len(broken) == 2:
                plain(method, path, body, *rest)  # it came, but the answer is lost
            raise ConnectionResetError
        return plain(method, path, body, *rest)

    monkeypatch.setattr("ringjet.serve._uploads._PART", 100_000)
    monkeypatch.setattr(client._transport, "_once", unsteady)
    assert abs(client.call("score", [0.5], [0.5])[0] - 0.25) < 1e-4 and len(broken) == 3


def test_keys_are_extended_for_another_program(running):
    client = running.connect()
    client.prepare("parts")
    assert running.ask("GET", f"/v1/keys/{client.key_id('parts')}")[2]["keys"]["rotations"] == []
    assert abs(client.call("score", [0.5], [0.5])[0] - 0.25) < 1e-4
    assert abs(client.call("parts", [0.5])["twice"][0] - 1) < 1e-5
    # keys that somebody removed are made and sent again
    assert running.ask("DELETE", f"/v1/keys/{client.key_id('parts')}")[0] == 204
    assert abs(client.call("parts", [0.5])["twice"][0] - 1) < 1e-5
    client.forget("score")
    assert running.ask("GET", f"/v1/keys/{client.key_id('parts')}")[0] == 404


def test_missing_keys_are_named(running):
    client = rj.Client(PARAMS)
    keys = client.evaluation_keys(rotations=[1]).to_bytes()
    assert running.ask("PUT", f"/v1/keys/{client.key_id}", keys, {"Repr-Digest": digest(keys)})[0] == 201
    x = client.encrypt([0.5]).to_bytes()
    body = _frames.pack([("x", x), ("w", x)])
    status, _, problem = running.ask("POST", "/v1/programs/score", body, {"Content-Type": "application/octet-stream"})
    lacking = [2, 4, 8, 16, 32, 64, 128, 256]
    assert status == 422
    assert problem["missing"] == {"rotations": lacking, "levels": {str(k): 2 for k in lacking}}


def test_keys_leave_memory_and_come_back(tmp_path):
    service = Running(tmp_path, max_memory=600_000, workers=1)
    try:
        clients = [service.connect() for _ in range(3)]
        for _ in range(2):
            for i, client in enumerate(clients):
                assert abs(client.call("parts", [0.1 * i])["twice"][0] - 0.2 * i) < 1e-5
                assert 0 < service.core.queue.servers.bytes <= 600_000
        assert len(service.core.queue.servers) < 3
    finally:
        service.stop()


# ---- limits ----


def test_quotas(tmp_path):
    service = Running(tmp_path, workers=1, max_queue_jobs=3)
    service_programs.released.clear()
    try:
        small = service.core.access.add("small", max_bytes=250_000, max_jobs=2, max_seconds=1e-9)
        client = rj.Client(PARAMS)
        data = client.encrypt([0.5]).to_bytes()
        for i in range(100):
            status, headers, problem = service.ask("PUT", f"/v1/data/d{i}", data, token=small)
            if status != 201:
                break
        assert (
            i == 250_000 // len(data)
            and (status, problem["quota"]) == (429, "bytes")
            and int(headers["Retry-After"]) > 0
        )
        keys = client.evaluation_keys(rotations=[1, 2, 4]).to_bytes()
        assert (
            service.ask("PUT", f"/v1/keys/{client.key_id}", keys, {"Repr-Digest": digest(keys)}, token=small)[0] == 429
        )
        assert service.ask("GET", f"/v1/keys/{client.key_id}", token=small)[0] == 404

        few = service.core.access.add("few", max_jobs=2)
        caller = service.connect(few)
        caller.prepare("held")
        body = _frames.pack([("x", caller._client(PARAMS.fingerprint, None).encrypt([0.5]).to_bytes())])
        octets = {"Content-Type": "application/octet-stream"}
        statuses = [service.ask("POST", "/v1/programs/held", body, octets, token=few)[0] for _ in range(3)]
        assert statuses == [202, 202, 429]

        no_time = service.core.access.add("no-time", max_seconds=1e-9)
        late = service.connect(no_time)
        with pytest.raises(ServiceError, match="exceed the quota") as error:
            late.call("slow", [0.5])
        assert (error.value.status, error.value.kind, error.value.document["quota"]) == (429, "quota", "seconds")

        other = service.connect()
        other.prepare("held")
        found = [posted(service, other, "held")[2] for _ in range(5)]
        assert found[-1][0] == 503 and int(found[-1][1]["Retry-After"]) >= 1
    finally:
        service_programs.released.set()
        service.stop()


def test_what_expired_is_removed(tmp_path):
    service = Running(tmp_path, key_ttl=0.01, data_ttl=0.01)
    try:
        client = service.connect()
        key_id = client.prepare("parts")
        data = client._client(PARAMS.fingerprint, None).encrypt([0.5]).to_bytes()
        assert service.ask("PUT", "/v1/data/x", data)[0] == 201
        time.sleep(0.02)
        service.core.tidy()
        assert service.ask("GET", "/v1/data/x")[0] == service.ask("GET", f"/v1/keys/{key_id}")[0] == 404
        assert not [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    finally:
        service.stop()


# ---- status ----


def test_status_page_metrics_and_health(running, caller):
    caller.call("score", [0.5], [0.5])
    status, headers, page = running.ask("GET", "/")
    text = page.decode()
    assert status == 200 and "default-src 'none'" in headers["Content-Security-Policy"]
    assert caller.key_id("score") in text and "score" in text and "first" in text
    assert not re.search(r"<script|src=|href=|@import|url\(", text)
    plain = running.core.access.add("plain")
    basic = base64.b64encode(f"me:{plain}".encode()).decode()
    status, _, own = running.ask("GET", "/", headers={"Authorization": f"Basic {basic}"}, token=None)
    assert status == 200 and caller.key_id("score") not in own.decode() and "first" not in own.decode()
    status, _, metrics = running.ask("GET", "/metrics")
    assert status == 200 and re.search(rb'ringjet_jobs_total{program="score",state="done"} [1-9]', metrics)
    assert running.ask("GET", "/metrics", token=plain)[0] == 403
    assert running.ask("GET", "/healthz", token=None)[0] == running.ask("GET", "/readyz", token=None)[0] == 200


def test_openapi_names_every_route(running):
    document = running.ask("GET", "/v1/openapi.json", token=None)[2]
    assert set(document["paths"]) == {
        *("/", "/healthz", "/readyz", "/metrics", "/v1/config", "/v1/keys/{key_id}", "/v1/data/{name}"),
        *("/v1/programs/{name}", "/v1/jobs/{name}", "/v1/jobs/{name}/result", "/v1/jobs/{name}/events"),
        *("/v1/letters/{session}", "/v1/letters/{session}/{topic}", "/v1/letters/{session}/{topic}/{sender}"),
    }
    assert "application/problem+json" in document["paths"]["/v1/data/{name}"]["put"]["responses"]["413"]["content"]
