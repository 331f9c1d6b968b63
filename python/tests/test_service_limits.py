"""Who reaches the service, how many at a time, and what each sees."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
import uvicorn

import ringjet as rj
from ringjet.__main__ import main
from ringjet.serve import _frames, _http

sys.path.insert(0, str(Path(__file__).parent))
import service_programs  # noqa: E402
from serving import PARAMS, Core, Options, Running, digest, head, posted, raw  # noqa: E402

from ringjet.serve._gate import Gate, network  # noqa: E402

OCTETS = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    made = Running(tmp_path_factory.mktemp("limits"), allow_host=("compute.example",))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def caller(running):
    made = running.connect()
    made.prepare("score")
    return made


# ---- names ----


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1",
        "127.0.0.1:8080",
        "[::1]:8080",
        "LOCALHOST:1",
        "compute.example",
        "Compute.Example.:443",
        "10.1.2.3",
    ],
)
def test_names_of_the_service(running, host):
    answer = raw(running, head(running, "GET", "/healthz", Host=host))
    assert answer.startswith(b"HTTP/1.1 200"), answer


@pytest.mark.parametrize(
    "host",
    [
        "attacker.example",
        "localhost.attacker.example",
        "compute.example.attacker.example",
        "127.0.0.1.attacker.example",
        "a b",
        "",
        "@127.0.0.1",
        "[::1",
    ],
)
def test_other_names_are_refused(running, host):
    """A page whose name was given the address of the service gets nothing."""
    for path in ("/healthz", "/v1/config", "/v1/openapi.json", "/nothing"):
        answer = raw(running, head(running, "GET", path, Host=host))
        assert answer.startswith((b"HTTP/1.1 421", b"HTTP/1.1 400")), answer
        assert b"score" not in answer and (b"421" not in answer or b"--allow-host" in answer)


def test_names_of_the_command(capsys):
    for name in ("https://host", "host:80", "a b", ""):
        assert main(["serve", "--check", "--allow-host", name]) == 1
        assert f"--allow-host {name}" in capsys.readouterr().err
    any_name = Gate(Options(Path(), allow_host=("*",)))
    any_name.check_host("attacker.example")
    assert main(["serve", "--check", "--allow-host", "compute.example"]) == 0


# ---- connections and requests ----


def test_an_address_has_its_share_of_connections(tmp_path):
    running = Running(tmp_path, address_connections=6)
    try:
        open_ones = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(6)]
        end = time.monotonic() + 5
        while sum(running.core.gate._connections.values()) < 6 and time.monotonic() < end:
            time.sleep(0.01)
        answer = raw(running, head(running, "GET", "/healthz"))
        assert answer.startswith(b"HTTP/1.1 429") and b"as many connections open as it may have" in answer
        # another address is served
        with socket.create_connection(("127.0.0.1", running.port), 5, source_address=("127.0.0.2", 0)) as other:
            other.sendall(head(running, "GET", "/healthz"))
            assert other.recv(100).startswith(b"HTTP/1.1 200")
        for connection in open_ones:
            connection.close()
        while running.core.gate._connections and time.monotonic() < end:
            time.sleep(0.01)
        assert raw(running, head(running, "GET", "/healthz")).startswith(b"HTTP/1.1 200")
    finally:
        running.stop()


def test_what_counts_as_one_address():
    assert network("2001:db8::1") == network("2001:db8::ffff:1") != network("2001:db8:0:1::1")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("192.0.2.2")


def test_a_tenant_has_its_share_of_requests(tmp_path):
    running = Running(tmp_path, workers=1, tenant_requests=3)
    service_programs.released.clear()
    try:
        caller, other = running.connect(), running.core.access.add("second")
        caller.prepare("held")
        body = posted(running, caller, "held")[0]
        threads = [
            threading.Thread(target=running.ask, args=("POST", "/v1/programs/held?wait=15", body, OCTETS))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + 5
        while running.core.gate._requests["first"] < 3 and time.monotonic() < end:
            time.sleep(0.01)
        status, headers, problem = running.ask("GET", "/v1/config")
        assert (status, problem["quota"], problem["limit"], headers["Retry-After"]) == (429, "requests", 3, "1")
        assert running.ask("GET", "/v1/config", token=other)[0] == 200
        service_programs.released.set()
        for thread in threads:
            thread.join(15)
        assert running.ask("GET", "/v1/config")[0] == 200 and not running.core.gate._requests["second"]
    finally:
        service_programs.released.set()
        running.stop()


def test_a_client_that_reads_slowly_is_cut_off(monkeypatch, tmp_path):
    """Some bytes now and then are not enough."""
    ended = threading.Event()

    async def endless(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while server.server_state.connections:
            await send({"type": "http.response.body", "body": bytes(1 << 16), "more_body": True})
        ended.set()

    monkeypatch.setattr(_http, "READ_TIMEOUT", 1.0)
    protocol = partial(_http.Protocol, gate=Gate(Options(tmp_path)))
    server = uvicorn.Server(uvicorn.Config(endless, http=protocol, lifespan="off", log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        with socket.create_connection(listening.getsockname()) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            end = time.monotonic() + 8
            while not ended.wait(0.1) and time.monotonic() < end:
                try:
                    connection.recv(4096)
                except ConnectionResetError:
                    break
            assert ended.wait(1), "the connection was not cut off"
        server.should_exit = True
        thread.join(10)


# ---- what a token sees ----


def test_a_token_sees_its_own_keys_only(running, caller):
    """Two tokens of one tenant, each bound to the key of one client."""
    clients = [rj.Client(PARAMS) for _ in range(2)]
    tokens = [running.core.access.add("shared", [client.key_id]) for client in clients]
    boss = running.core.access.add("shared", [clients[0].key_id], admin=True)
    mine, other = clients
    for client, token in zip(clients, tokens, strict=True):
        keys = client.evaluation_keys().to_bytes()
        assert (
            running.ask("PUT", f"/v1/keys/{client.key_id}", keys, {"Repr-Digest": digest(keys)}, token=token)[0] == 201
        )
    page = running.ask("GET", "/", token=tokens[0])[2].decode()
    assert mine.key_id in page and other.key_id not in page
    page = running.ask("GET", "/", token=boss)[2].decode()
    assert mine.key_id in page and other.key_id not in page and caller.key_id("score") not in page
    # nor in refusals: stored ciphertexts and jobs of the other one
    data = other.encrypt([0.5]).to_bytes()
    assert running.ask("PUT", "/v1/data/theirs", data, token=tokens[1])[0] == 201
    job = running.ask("POST", "/v1/programs/slow", _frames.pack([("x", data)]), OCTETS, token=tokens[1])[2]["id"]
    asked = [
        ("GET", "/v1/data/theirs", None),
        ("DELETE", "/v1/data/theirs", None),
        ("GET", f"/v1/jobs/{job}", None),
        ("DELETE", f"/v1/jobs/{job}", None),
    ]
    asked.append(("GET", f"/v1/jobs/{job}/result", None))
    for method, path, body in asked:
        status, _, problem = running.ask(method, path, body, token=tokens[0])
        assert status == 403 and other.key_id not in str(problem)
    status, _, problem = running.ask("PUT", "/v1/data/theirs", mine.encrypt([0.5]).to_bytes(), token=tokens[0])
    assert status == 409 and "sha256" not in problem and other.key_id not in str(problem)
    status, _, problem = running.ask("PUT", "/v1/data/theirs", other.encrypt([0.25]).to_bytes(), token=tokens[1])
    assert status == 409 and len(problem["sha256"]) == 64
    for _ in range(100):
        if running.ask("GET", f"/v1/jobs/{job}", token=tokens[1])[2]["state"] == "done":
            break
        time.sleep(0.05)


# ---- the folder ----


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no mode")
def test_nobody_else_enters_the_folder(tmp_path, capsys):
    before = os.umask(0)
    try:
        for name in ("new", "there"):
            folder = tmp_path / name
            if name == "there":
                folder.mkdir(mode=0o755)
                (folder / "blobs").mkdir(mode=0o777)
                (folder / "lock").touch()
            running = Running(folder)
            running.stop()
            modes = {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir()) if path.is_dir()}
            assert modes == dict.fromkeys((name, "blobs", "incoming", "uploads"), 0o700)
        (tmp_path / "third").mkdir(mode=0o755)
        assert main(["serve", "token", "add", "me", "--folder", str(tmp_path / "third")]) == 0
        assert (tmp_path / "third").stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
    capsys.readouterr()


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no mode")
def test_folders_of_somebody_else_are_left_alone(tmp_path, monkeypatch, capsys):
    """The service removes what it does not know from its folder."""
    full, linked, other = tmp_path / "full", tmp_path / "linked", tmp_path / "other"
    for folder in (full, other):
        folder.mkdir(mode=0o755)
    (full / "incoming").mkdir()
    (full / "incoming" / "letter").write_text("mine")
    (full / "lock").write_text("of another program")
    linked.symlink_to(other)
    reasons = {
        full: "has files, and no service has used it",
        linked: f"is a symbolic link: name the folder itself, {other}",
    }
    for folder, reason in reasons.items():
        for words in (["list"], ["add", "a"]):
            assert main(["serve", "token", *words, "--folder", str(folder)]) == 1
            assert reason in capsys.readouterr().err
        with pytest.raises(ValueError, match=reason):
            Core(service_programs.service, Options(folder=folder))
    monkeypatch.setattr(os, "geteuid", lambda: other.stat().st_uid + 1)
    assert main(["serve", "token", "list", "--folder", str(other)]) == 1
    assert f"{other} belongs to user {other.stat().st_uid}, and the service runs as user" in capsys.readouterr().err
    monkeypatch.undo()
    assert (full / "incoming" / "letter").read_text() == "mine" and (full / "lock").read_text() == "of another program"
    assert [path.stat().st_mode & 0o777 for path in (full, other)] == [0o755, 0o755] and not list(other.iterdir())
    # empty folders and those of a service
    for words in (["token", "add", "a"], ["token", "list"]):
        assert main(["serve", *words, "--folder", str(other)]) == 0
    assert other.stat().st_mode & 0o777 == 0o700
