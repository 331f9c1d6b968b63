"""What the service does with input that nobody should send: it refuses with a problem document,
keeps nothing, and goes on working."""

from __future__ import annotations

import json
import os
import random
import socket
import struct
import sys
import threading
import time
import zlib
from functools import partial
from pathlib import Path

import pytest
import uvicorn

import ringjet as rj
from ringjet.serve import ServiceError, _frames, _http, _transport

sys.path.insert(0, str(Path(__file__).parent))
from serving import PARAMS, Options, Running, digest, head, posted, raw, wait_for  # noqa: E402

from ringjet.serve._gate import Gate  # noqa: E402

OCTETS = {"Content-Type": "application/octet-stream"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    made = Running(
        tmp_path_factory.mktemp("hostile"), body_timeout=1.0, max_data_bytes=200_000, max_key_bytes=20_000_000
    )
    yield made
    # after all that was sent, the service works, and nothing half-written is there
    assert abs(made.connect().call("score", [0.5], [0.5])[0] - 0.25) < 1e-4
    assert not list((made.core.options.folder / "incoming").iterdir())
    made.stop()


@pytest.fixture(scope="module")
def caller(running):
    made = running.connect()
    made.prepare("score")
    return made


@pytest.fixture(scope="module")
def fresh(caller) -> bytes:
    """A good ciphertext."""
    return caller._client(PARAMS.fingerprint, None).encrypt([0.5]).to_bytes()


def sealed(data: bytes) -> bytes:
    """The bytes with the checksum that belongs to them."""
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


def refused(answer, *statuses: int) -> dict:
    """The problem document of a refusal."""
    status, headers, document = answer
    assert status in statuses, (status, document)
    assert headers["content-type"] == "application/problem+json"
    assert document["status"] == status and document["type"].startswith("urn:ringjet:problem:")
    assert "Traceback" not in json.dumps(document) and "/" + "tmp" not in json.dumps(document)
    return document


# ---- who asks ----


@pytest.mark.parametrize("token", ["", "rj_", "x" * 5000, "' OR 1=1 --", "\x7f"])
def test_wrong_tokens(running, token):
    routes = [
        ("GET", "/v1/config"),
        ("PUT", "/v1/data/a"),
        ("POST", "/v1/programs/score"),
        ("GET", "/"),
        ("GET", "/metrics"),
    ]
    for method, path in routes:
        headers = {"Authorization": f"Bearer {token}"}
        document = refused(running.ask(method, path, b"x", headers, token=None), 401)
        assert token == "" or token not in json.dumps(document)
    assert running.ask("GET", "/v1/config", token=None)[0] == 401


def test_other_tenants_see_and_reach_nothing(running, caller, fresh):
    other = running.core.access.add("other")
    key_id = caller.key_id("score")
    assert running.ask("PUT", "/v1/data/mine", fresh)[0] == 201
    _, _, (_, _, job) = posted(running, caller, "slow")
    for method in ("GET", "DELETE"):
        for path in (f"/v1/keys/{key_id}", "/v1/data/mine", f"/v1/jobs/{job['id']}", f"/v1/jobs/{job['id']}/result"):
            if (method, path[-6:]) != ("DELETE", "result"):
                known = refused(running.ask(method, path, token=other), 404)
                # what exists for somebody else looks like what does not exist
                none = path.replace(job["id"], "0" * 32).replace(key_id, "1" * 32).replace("mine", "none")
                assert known["title"] == refused(running.ask(method, none, token=other), 404)["title"]
    assert running.ask("GET", f"/v1/jobs/{job['id']}/events", token=other)[0] == 404
    body = json.dumps({"inputs": {"x": "mine", "w": "mine"}}).encode()
    refused(running.ask("POST", "/v1/programs/score", body, JSON, token=other), 404)
    # the ciphertexts of others find no keys
    document = refused(running.ask("POST", "/v1/programs/slow", _frames.pack([("x", fresh)]), OCTETS, token=other), 409)
    assert document["type"].endswith("missing-keys")
    # the same name is another thing, for another tenant
    mine = rj.Client(PARAMS).encrypt([0.5]).to_bytes()
    assert running.ask("PUT", "/v1/data/mine", mine, token=other)[0] == 201
    assert running.ask("GET", "/v1/data/mine")[2] == fresh
    assert wait_for(running, job["id"])["state"] == "done"


def test_tokens_bound_to_keys(running, caller, fresh):
    stranger = rj.Client(PARAMS)
    bound = running.core.access.add("bound", [stranger.key_id])
    key_id = caller.key_id("score")
    for method in ("GET", "PUT", "DELETE"):
        refused(running.ask(method, f"/v1/keys/{key_id}", b"", token=bound), 403)
    refused(running.ask("PUT", "/v1/data/a", fresh, token=bound), 403)
    refused(running.ask("POST", "/v1/programs/slow", _frames.pack([("x", fresh)]), OCTETS, token=bound), 403)
    assert running.ask("PUT", "/v1/data/a", stranger.encrypt([0.5]).to_bytes(), token=bound)[0] == 201
    # another token of the same tenant, which is bound to other keys
    narrow = running.core.access.add("bound", ["ab" * 16])
    refused(running.ask("GET", "/v1/data/a", token=narrow), 403)


# ---- paths and requests ----


@pytest.mark.parametrize(
    "path",
    [
        "/v1/data/../../etc/passwd",
        "/v1/data/..%2f..%2fetc%2fpasswd",
        "/v1/data/%2e%2e",
        "/v1/data/a%00b",
        "/v1/data/" + "a" * 65,
        "/v1/data/-a",
        "/v1/data/a.b",
        "/v1/data/%ff%fe",
        "/v1/keys/" + "g" * 32,
        "/v1/keys/" + "A" * 32,
        "/v1/keys/" + "a" * 31,
        "/v1/jobs/..",
        "/v1/jobs/" + "a" * 33,
        "/v1/programs/__class__",
        "/v1/programs/score%0a",
        "/v1//data/a",
        "//etc/passwd",
        "/v1/data/a/",
    ],
)
def test_paths(running, path):
    for method in ("GET", "PUT", "POST", "DELETE"):
        refused(running.ask(method, path, b"x"), 404, 405, 422)


def test_methods(running):
    for path, methods in [("/v1/data/a", "DELETE, GET, PUT"), ("/v1/programs/score", "POST"), ("/", "GET")]:
        status, headers, _ = running.ask("PATCH", path)
        assert status == 405 and headers["Allow"] == methods


def test_huge_and_lying_lengths(running, fresh):
    for length in (1 << 40, 1 << 62, 10**30):
        answer = raw(running, head(running, "PUT", "/v1/data/long", Content_Length=length) + b"x")
        assert answer.startswith(b"HTTP/1.1 413") and b"200000" in answer or answer.startswith(b"HTTP/1.1 400")
    # more bytes than are allowed, without a length
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(fresh), fresh) for _ in range(10)) + b"0\r\n\r\n"
    assert raw(running, head(running, "PUT", "/v1/data/long", Transfer_Encoding="chunked") + chunks).startswith(
        b"HTTP/1.1 413"
    )
    for bad in ("-1", "1e3", "0x10", "1, 2"):
        assert raw(running, head(running, "PUT", "/v1/data/long", Content_Length=bad) + b"x")[9:12] in (b"400", b"413")
    assert running.ask("GET", "/v1/data/long")[0] == 404
    # keys that would be too large
    ranged = {"Repr-Digest": digest(b"x"), "Content-Range": f"bytes 0-9/{1 << 50}"}
    refused(running.ask("PUT", "/v1/keys/" + "a" * 32, b"0123456789", ranged), 413)


def test_a_client_that_does_not_read_is_cut_off(monkeypatch, tmp_path):
    ended = threading.Event()

    async def endless(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        # a send waits while the client does not read; it ends when the connection does
        while server.server_state.connections:
            await send({"type": "http.response.body", "body": bytes(1 << 16), "more_body": True})
        ended.set()

    monkeypatch.setattr(_http, "READ_TIMEOUT", 0.5)
    server = uvicorn.Server(
        uvicorn.Config(
            endless, http=partial(_http.Protocol, gate=Gate(Options(tmp_path))), lifespan="off", log_config=None
        )
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        with socket.create_connection(listening.getsockname()) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert not ended.wait(0.4), "the connection ended before the time was over"
            assert ended.wait(10), "the connection was not cut off"
        server.should_exit = True
        thread.join(10)


def test_slow_and_truncated_bodies(running, fresh):
    start = time.monotonic()
    answer = raw(running, head(running, "PUT", "/v1/data/slow", Content_Length=len(fresh)) + fresh[:100])
    assert answer.startswith(b"HTTP/1.1 408") and time.monotonic() - start < 5
    raw(running, head(running, "PUT", "/v1/data/slow", Content_Length=len(fresh)) + fresh[:100], close=True)
    described = {"Content_Length": len(fresh), "Content_Type": OCTETS["Content-Type"]}
    raw(running, head(running, "POST", "/v1/programs/slow", **described) + b"RJF1", close=True)
    assert running.ask("GET", "/v1/data/slow")[0] == 404


def test_requests_that_are_no_http(running):
    for data in (
        b"\x16\x03\x01" + bytes(200),
        b"GET\r\n\r\n",
        b"A" * 100_000 + b"\r\n\r\n",
        os.urandom(1000) + b"\r\n\r\n",
    ):
        assert raw(running, data, close=True)[:12] in (b"HTTP/1.1 400", b"")


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        (JSON, b"{", 400),
        (JSON, b"\xff\xfe", 400),
        (JSON, b"[" * 50_000, 400),
        (JSON, b"[]", 422),
        (JSON, b'{"inputs": {"x": "a", "w": "../a"}}', 422),
        (JSON, b'{"inputs": {"x": "a"}}', 422),
        (JSON, b'{"inputs": {"x": "a", "w": "a", "v": "a"}}', 422),
        (JSON, b'{"inputs": {"x": "none", "w": "none"}}', 404),
        (JSON, b'{"inputs": {"x": "a", "w": "a"}, "__class__": 1}', 422),
        (JSON, b'{"inputs": ' + b'"a' * 35_000, 413),
        (OCTETS, b"", 400),
        (OCTETS, b"RJF1", 400),
        (OCTETS, b"RJF1" + struct.pack("<I", 0), 422),
        (OCTETS, b"RJF1" + struct.pack("<I", 0xFFFFFFFF), 400),
        (OCTETS, b"RJF1" + struct.pack("<IHQ", 1, 0, 1 << 63), 400),
        (OCTETS, b"RJF1" + struct.pack("<IHQ", 1, 65535, 1), 400),
        (OCTETS, b"RJF1" + struct.pack("<IH", 1, 2) + b"\xff\xff" + bytes(8), 400),
        (OCTETS, _frames.pack([("x", b"")]), 422),
        (OCTETS, _frames.pack([("x", b"RJET" + bytes(44))]), 422),
        ({"Content-Type": "text/plain"}, b"x", 415),
        ({}, b"x", 415),
        ({**JSON, "Idempotency-Key": "a b"}, b"{}", 400),
    ],
)
def test_malformed_calls(running, headers, body, status):
    refused(running.ask("POST", "/v1/programs/score", body, headers), status)


def test_waits_that_are_no_times(running):
    for wait in ("nan", "inf", "-1", "1e9", "x"):
        refused(running.ask("POST", f"/v1/programs/score?wait={wait}", b"{}", JSON), 422)


@pytest.mark.parametrize(
    ("place", "sha", "status"),
    [
        ("bytes 0-1", None, 400),
        ("bytes 5-1/10", None, 400),
        ("bytes 0-9/9", None, 400),
        ("bytes 0-8/10", None, 400),
        ("bytes 0-99999999999999999999/5", None, 400),
        ("items 0-1/2", None, 400),
        ("bytes 5-14/20", None, 409),
        ("bytes */0", None, 400),
        ("bytes */20", None, 400),
        (None, "sha-256=:AAAA:", 400),
        (None, "md5=:AAAA:", 400),
        (None, "", 400),
    ],
)
def test_parts_of_keys(running, place, sha, status):
    headers = {"Repr-Digest": digest(b"0123456789") if sha is None else sha}
    if place is not None:
        headers["Content-Range"] = place
    refused(running.ask("PUT", "/v1/keys/" + "c" * 32, b"0123456789", headers), status)
    assert running.ask("GET", "/v1/keys/" + "c" * 32)[0] == 404


# ---- objects ----


def test_objects_of_another_kind(running, caller):
    client = rj.Client(PARAMS)
    secret = client.to_secret_bytes()
    for path, headers in [("/v1/data/s", {}), (f"/v1/keys/{client.key_id}", {"Repr-Digest": digest(secret)})]:
        document = refused(running.ask("PUT", path, secret, headers), 422)
        assert "SECRET KEY" in document["detail"] and running.ask("GET", path)[0] == 404
    refused(running.ask("PUT", "/v1/data/s", client.evaluation_keys().to_bytes()[:150_000]), 422)
    refused(running.ask("PUT", "/v1/data/s", client.public_key().to_bytes()), 422)
    keys = client.evaluation_keys().to_bytes()
    document = refused(running.ask("PUT", f"/v1/keys/{'d' * 32}", keys, {"Repr-Digest": digest(keys)}), 422)
    assert document["found"] == client.key_id
    foreign = rj.Client(rj.params(10, [50] + [40] * 2, [50], allow_insecure=True))
    refused(running.ask("PUT", "/v1/data/s", foreign.encrypt([0.5]).to_bytes()), 422)
    keys = foreign.evaluation_keys().to_bytes()
    refused(running.ask("PUT", f"/v1/keys/{foreign.key_id}", keys, {"Repr-Digest": digest(keys)}), 422)
    # keys in the place of a ciphertext that a program gets, and ciphertexts of two clients
    mine = caller._client(PARAMS.fingerprint, None)
    two = _frames.pack([(name, c.encrypt([0.5]).to_bytes()) for name, c in (("x", mine), ("w", client))])
    assert refused(running.ask("POST", "/v1/programs/score", two, OCTETS), 422)["error"] == "KeyMismatchError"


def test_truncated_and_mutated_ciphertexts(running, fresh):
    chance = random.Random(5)
    for _ in range(40):
        cut = fresh[: chance.randrange(len(fresh))]
        mutated = bytearray(fresh)
        mutated[chance.randrange(len(fresh))] ^= 1 << chance.randrange(8)
        for data in (cut, bytes(mutated), fresh + b"x"):
            refused(running.ask("PUT", "/v1/data/bad", data), 422)
            refused(running.ask("POST", "/v1/programs/slow?wait=5", _frames.pack([("x", data)]), OCTETS), 422)
    assert running.ask("GET", "/v1/data/bad")[0] == 404


def test_mutations_with_a_right_checksum(running, caller, fresh):
    """They pass the check of the header, and the strict loader or the program refuses them, or they
    are other ciphertexts."""
    chance, statuses = random.Random(6), []
    for place in [*range(4, 48), *range(48, 130), *(chance.randrange(130, len(fresh) - 4) for _ in range(20))]:
        mutated = bytearray(fresh)
        mutated[place] ^= 1 << chance.randrange(8)
        answer = running.ask("POST", "/v1/programs/parts?wait=5", _frames.pack([("x", sealed(bytes(mutated)))]), OCTETS)
        statuses.append(answer[0])
        if answer[0] != 200:
            refused(answer, 409, 413, 422)
    assert statuses.count(422) > 60


def test_ciphertexts_of_another_shape(running, caller):
    client = caller._client(PARAMS.fingerprint, None)
    for data in (
        client.encrypt([0.5], level=1).to_bytes(),
        caller._client(PARAMS.fingerprint, 4).encrypt([0.5]).to_bytes(),
    ):
        document = refused(running.ask("POST", "/v1/programs/slow?wait=5", _frames.pack([("x", data)]), OCTETS), 422)
        assert (document["input"], document["level"], document["slots"]) == ("x", 3, 512)


def test_what_ciphertexts_state_beyond_the_plan(running, caller):
    """Operations choose their rotations, masks and degrees by it."""
    client = caller._client(PARAMS.fingerprint, None)
    short = caller._client(PARAMS.fingerprint, 64)
    imprecise = rj.Server(client.evaluation_keys()).load(client.encrypt([0.5])).with_error(2**-20)

    def document(program: str, x: rj.Ciphertext) -> dict:
        body = _frames.pack([("x", x.to_bytes())])
        return refused(running.ask("POST", f"/v1/programs/{program}?wait=20", body, OCTETS), 422)

    for name in ("total", "slow", "inverse"):
        caller.prepare(name)
    assert abs(caller.call("total", [0.5] * 8)[0] - 4) < 1e-4
    for values in ([0.5] * 64, [0.5] * 7):
        found = document("total", short.encrypt(values))
        assert found["detail"] == f"input x has count {len(values)}; the program takes count 8" and found["count"] == 8
    with pytest.raises(rj.ArgumentError, match="x = 64 values: expected 8 values: total is planned for them"):
        caller.call("total", [0.5] * 64)
    for program, x, expected in (
        ("total", short.encrypt([0.5] * 8, magnitude=(0.5, 1)), "has slots after its values with unknown numbers"),
        (
            "slow",
            client.encrypt([0.5], magnitude=(-1, 64)),
            "has values within [-1, 64]; the program takes values within [-1, 1]",
        ),
        (
            "inverse",
            client.encrypt([0.5], magnitude=(0.1, 2)),
            "has values within [0.1, 2]; the program takes values within [0.5, 2]",
        ),
        ("slow", client.encrypt([0.5 + 0.5j]), "has values that are complex; the program takes values that are real"),
        ("slow", imprecise, "has a precision of 20.00; the program takes a precision of 33.82"),
        ("mean", client.encrypt([0.5, 0.5], magnitude=10), "has count 2; the program takes count 512"),
    ):
        assert expected in document(program, x)["detail"]


def test_mutated_keys(running):
    client = rj.Client(PARAMS)
    keys, chance = client.evaluation_keys().to_bytes(), random.Random(7)
    for place in [*range(0, 200, 7), *(chance.randrange(200, len(keys) - 4) for _ in range(10))]:
        mutated = bytearray(keys)
        mutated[place] ^= 1 << chance.randrange(8)
        refused(
            running.ask("PUT", f"/v1/keys/{client.key_id}", bytes(mutated), {"Repr-Digest": digest(bytes(mutated))}),
            422,
        )
        assert running.ask("GET", f"/v1/keys/{client.key_id}")[0] == 404


# ---- the client ----


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"<html>"),
        (500, b""),
        (422, b"[]"),
        (422, b'{"detail": 3}'),
        (422, b'{"detail": "x", "error": "RingjetError"}'),
    ],
)
def test_the_client_takes_any_refusal(status, body):
    error = _transport.error_of(status, body)
    assert isinstance(error, ServiceError) and error.status == status


def test_the_client_raises_the_errors_of_ringjet_only():
    body = json.dumps({"detail": "no", "error": "KeyMismatchError", "fields": {"expected": "a", "found": "b"}}).encode()
    error = _transport.error_of(422, body)
    assert type(error) is rj.KeyMismatchError and (error.expected, error.found, str(error)) == ("a", "b", "no")
    for name in ("annotations", "SystemExit", "__builtins__"):
        made = _transport.error_of(422, json.dumps({"detail": "no", "error": name, "fields": {"a": 1}}).encode())
        assert type(made) is ServiceError
