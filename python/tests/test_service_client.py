"""The client of a service takes any answer: what is no answer of a service raises a `ServiceError`."""

from __future__ import annotations

import asyncio
import http.server
import json
import sys
import threading
import warnings
from pathlib import Path

import pytest

import ringjet as rj
from ringjet.serve import ServiceError, _transport

sys.path.insert(0, str(Path(__file__).parent))
from serving import PARAMS, Running  # noqa: E402

DETAIL = {"detail": "no", "type": "urn:ringjet:problem:invalid"}


# ---- refusals ----


@pytest.mark.parametrize(
    "document",
    [
        [],
        "text",
        None,
        {"detail": 3},
        {"detail": None},
        {**DETAIL, "type": 5},
        {**DETAIL, "error": ["KeyMismatchError"], "fields": {"a": 1}},
        {**DETAIL, "error": {"a": 1}},
        {**DETAIL, "error": "KeyMismatchError", "fields": [1, 2]},
        {**DETAIL, "error": "KeyMismatchError", "fields": 5},
        {**DETAIL, "error": "KeyMismatchError", "fields": {"args": 5}},
        {**DETAIL, "error": "KeyMismatchError", "fields": {"__class__": "x"}},
        {**DETAIL, "error": "KeyMismatchError", "fields": {"__traceback__": "x"}},
        {**DETAIL, "error": "KeyMismatchError", "fields": {"with_traceback": 1}},
        {**DETAIL, "error": "KeyMismatchError", "fields": {"what": {"a": 1}}},
        {**DETAIL, "error": "KeyMismatchError", "fields": {"what": [[1]]}},
        {**DETAIL, "error": "ServiceError", "fields": {"status": 1}},
        {**DETAIL, "error": "annotations", "fields": {"a": 1}},
    ],
)
def test_hostile_refusals(document):
    error = _transport.error_of(422, json.dumps(document).encode())
    assert type(error) is ServiceError and error.status == 422 and isinstance(error.kind, str)
    assert isinstance(error.document, dict)


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"[" * 100_000, b"{" * 10, b'{"detail": ' + b"9" * 10_000 + b"}", b"<html>"]
)
def test_refusals_that_are_no_json(body):
    error = _transport.error_of(500, body)
    assert (type(error), str(error), error.kind, error.document) == (ServiceError, "HTTP 500", "answer", {})


def test_texts_of_refusals_are_one_printable_line():
    error = _transport.error_of(422, json.dumps({"detail": "a\x1b[31mred\n\x00" + "b" * 100_000}).encode())
    assert str(error).startswith("a [31mred  bbb") and len(str(error)) == 2000
    error = _transport.error_of(
        422,
        json.dumps(
            {**DETAIL, "detail": "\x1b]0;x\x07", "error": "MissingRotationKeyError", "fields": {"rotations": [1]}}
        ).encode(),
    )
    assert type(error) is rj.MissingRotationKeyError and error.rotations == [1] and str(error) == " ]0;x "


# ---- answers ----


class Fake:
    """A service that answers what it is told to: by the beginning of the path, status, headers and
    body."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, headers, body = next(
                    found for path, found in fake.answers.items() if self.path.startswith(path)
                )
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

            do_GET = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def connect(self) -> rj.serve.ServiceClient:
        return rj.connect(f"http://127.0.0.1:{self.server.server_port}", allow_insecure=True)


@pytest.fixture
def fake():
    made = Fake()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def config(tmp_path_factory) -> dict:
    """What an honest service says of itself."""
    running = Running(tmp_path_factory.mktemp("honest"))
    found = running.ask("GET", "/v1/config")[2]
    running.stop()
    return found


def told(config: dict, **changes: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {}, json.dumps({**config, **changes}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"3",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"programs": 3}',
        b'{"programs": [], "parameters": {}, "limits": {}}',
    ],
)
def test_what_is_no_config(fake, body):
    fake.answers["/v1/config"] = (200, {}, body)
    with pytest.raises(ServiceError) as error:
        fake.connect().programs  # noqa: B018
    assert error.value.kind == "answer"


def test_configs_with_wrong_members(fake, config):
    program = next(p for p in config["programs"] if p["name"] == "parts")
    wrong = {
        "inputs": [
            3,
            [3],
            "x",
            [{"name": "x"}],
            [{**program["inputs"][0], "slots": "8"}],
            [{**program["inputs"][0], "count": "8"}],
        ]
    }
    wrong |= {"keys": [3, {"rotations": 5}, {"rotations": ["1"]}, {"relinearization": 1}, {"bootstrapping": True}]}
    wrong |= {"result": ["x", None, {"a": 1.5}], "outputs": [3, [3]], "parameters": [3], "name": [3]}
    for name, values in wrong.items():
        for value in values:
            fake.answers["/v1/config"] = told(config, programs=[{**program, name: value}])
            with pytest.raises(ServiceError) as error:
                fake.connect().call("parts", [0.5])
            assert name in str(error.value)
    for limits in (
        3,
        {},
        {"max_data_bytes": "x", "max_wait_seconds": 1},
        {"max_data_bytes": 1, "max_wait_seconds": None},
    ):
        fake.answers["/v1/config"] = told(config, limits=limits)
        with pytest.raises(ServiceError, match="limits"):
            fake.connect().programs  # noqa: B018
    fake.answers["/v1/config"] = told(config, parameters=[])
    with pytest.raises(ServiceError, match="describes no parameters"):
        fake.connect().call("parts", [0.5])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "-1", str(2**70), "1e400"])
def test_configs_with_wrong_numbers(fake, config, number):
    """Python's JSON takes numbers that are not finite."""
    program = next(p for p in config["programs"] if p["name"] == "parts")
    hole = "a hole"

    def refused(name: str, document: dict) -> None:
        text = json.dumps(document)
        assert text.count(f'"{hole}"') == 1
        fake.answers["/v1/config"] = (200, {}, text.replace(f'"{hole}"', number).encode())
        with pytest.raises(ServiceError, match=f"the service sent what is no answer of a service: .*{name}") as error:
            fake.connect().call("parts", [0.5])
        assert error.value.kind == "answer"

    for name in config["limits"]:
        if name in ("max_data_bytes", "max_wait_seconds"):
            refused(name, {**config, "limits": {**config["limits"], name: hole}})
    for name in ("slots", "level", "count"):
        refused(name, {**config, "programs": [{**program, "inputs": [{**program["inputs"][0], name: hole}]}]})
    if float(number) in (-1, 2**70):
        return
    for magnitude in (hole, [hole, 2], [-2, hole]):
        refused(
            "magnitude",
            {**config, "programs": [{**program, "inputs": [{**program["inputs"][0], "magnitude": magnitude}]}]},
        )


def test_numbers_of_keys_and_of_results(fake, config):
    program = next(p for p in config["programs"] if p["name"] == "parts")
    fake.answers["/v1/config"] = told(config, programs=[{**program, "keys": {"rotations": [2**70]}}])
    with pytest.raises(ServiceError, match="rotations.*not from -131072 to 131072"):
        fake.connect().prepare("parts")
    fake.answers["/v1/config"] = told(config)
    fake.answers["/v1/keys"] = (200, {}, json.dumps({"upload": {"received": -5, "sha256": "a"}}).encode())
    with pytest.raises(ServiceError, match="received is -5, not from 0"):
        fake.connect().prepare("parts")
    fake.answers["/v1/config"] = told(config, limits={**config["limits"], "max_data_bytes": 1 << 60})
    assert fake.connect()._max_result() == 8 << 30


def test_wrong_states_jobs_and_results(fake, config):
    fake.answers["/v1/config"] = told(config)
    for body in (b"[]", b'{"keys": 3}', b'{"keys": {"rotations": {}}}', b"nothing"):
        fake.answers["/v1/keys"] = (200, {}, body)
        with pytest.raises(ServiceError, match="the service sent"):
            fake.connect().prepare("parts")
    fake.answers["/v1/keys"] = (200, {}, json.dumps({"keys": {"relinearization": True}}).encode())
    job = {"id": "a" * 32, "program": "parts", "state": "done"}
    for body in (b"[]", b"{}", json.dumps({**job, "id": 3}).encode(), json.dumps({**job, "state": ["done"]}).encode()):
        fake.answers["/v1/programs"] = (202, {}, body)
        with pytest.raises(ServiceError, match="no answer of a service"):
            fake.connect().call("parts", [0.5])
    fake.answers["/v1/programs"] = (202, {}, json.dumps({**job, "state": "running"}).encode())
    for progress in (3, [1], [1, 2, 3], ["a", "b"]):
        fake.answers["/v1/jobs"] = (200, {}, json.dumps({**job, "progress": progress}).encode())
        with pytest.raises(ServiceError, match="progress"):
            fake.connect().call("parts", [0.5])
    for result in (b"", b"RJF1", b"RJF1\xff\xff\xff\xff", b"RJF1\0\0\0\0"):
        fake.answers["/v1/programs"] = (200, {}, result)
        with pytest.raises(ServiceError, match="frames|0 results"):
            fake.connect().call("parts", [0.5])
    # the number of a result that is not there
    program = next(p for p in config["programs"] if p["name"] == "parts")
    honest = rj.Client(PARAMS).encrypt([0.5]).to_bytes()
    fake.answers["/v1/config"] = told(config, programs=[{**program, "result": 7}])
    fake.answers["/v1/programs"] = (200, {}, rj.serve._frames.pack([(str(i), honest) for i in range(3)]))
    with pytest.raises(ServiceError, match="result 7 of 3"):
        fake.connect().call("parts", [0.5])


def test_huge_refusals_and_answers_that_are_no_http(fake, monkeypatch):
    fake.answers["/v1/config"] = (422, {}, bytes(3 << 20))
    with pytest.raises(ServiceError, match="HTTP 422 with an answer of more than 1048576 bytes") as error:
        fake.connect().programs  # noqa: B018
    assert error.value.status == 422
    monkeypatch.setattr(_transport.time, "sleep", lambda seconds: None)
    fake.answers["/v1/config"] = (200, {"Content-Length": "100", "Connection": "close"}, b"short")
    with pytest.raises((ServiceError, OSError)):
        fake.connect().programs  # noqa: B018


@pytest.mark.parametrize(
    ("wait", "seconds"), [("nan", 1.0), ("inf", 1.0), ("-5", 0.1), ("1e9", 60.0), ("soon", 1.0), ("2", 2.0)]
)
def test_waits_that_a_service_asks_for(wait, seconds):
    assert _transport._pause({"retry-after": wait}) == seconds


# ---- the connection ----


@pytest.mark.parametrize("url", ["http://compute.example", "http://192.0.2.1:8080", "http://[2001:db8::1]:80/base"])
def test_a_token_in_clear_is_warned_of(url):
    with pytest.warns(
        UserWarning,
        match=f"{url.split('//')[1][:8].replace('[', '.')}.*token goes over the network in clear.*use https",
    ) as found:
        rj.connect(url, "rj_token")
    assert found[0].filename == __file__ and "rj_token" not in str(found[0].message)


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("http://127.0.0.1:8080", "rj_t"),
        ("http://localhost", "rj_t"),
        ("http://[::1]:1", "rj_t"),
        ("https://compute.example", "rj_t"),
        ("http://compute.example", None),
    ],
)
def test_other_connections_are_not_warned_of(url, token):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rj.connect(url, token)


def test_connections_of_all_threads_are_closed(fake):
    fake.answers["/"] = (200, {}, b"{}")
    transport = fake.connect()._transport
    barrier = threading.Barrier(5)

    def ask() -> None:
        transport.request("GET", "/x")
        barrier.wait(20)

    async def main() -> None:
        await asyncio.gather(*(asyncio.to_thread(ask) for _ in range(5)))
        connections = list(transport._connections)
        assert [connection.sock is not None for connection in connections] == [True] * 5
        transport.close()
        assert [connection.sock for connection in connections] == [None] * 5
        # a later request opens the connection of its thread again
        await asyncio.to_thread(transport.request, "GET", "/x")
        assert sum(connection.sock is not None for connection in connections) == 1
        transport.close()

    asyncio.run(main())


def test_a_connection_in_use_is_closed_after_its_answer(fake):
    fake.answers["/"] = (200, {}, b"{}")
    transport = fake.connect()._transport
    with transport._connection(5.0) as connection:
        connection.request("GET", "/x")
        transport.close()
        assert connection.getresponse().read() == b"{}"
        assert connection.sock is not None
    assert connection.sock is None and not transport._busy


def test_a_broken_connection_does_not_close_those_of_other_threads(fake, monkeypatch):
    monkeypatch.setattr(_transport.time, "sleep", lambda seconds: None)
    fake.answers["/whole"] = (200, {}, b"{}")
    fake.answers["/broken"] = (200, {"Content-Length": "100", "Connection": "close"}, b"short")
    transport = fake.connect()._transport
    transport.request("GET", "/whole")
    own = transport._local.connection

    def ask() -> None:
        with pytest.raises(ServiceError, match="does not speak HTTP"):
            transport.request("GET", "/broken")
        assert transport._local.connection.sock is None
        done.append(True)

    done: list[bool] = []
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(60)
    assert done and own.sock is not None
    transport.close()
    assert own.sock is None


def test_processes_with_one_folder_of_secrets_have_one_key(tmp_path):
    """Clients that start at once: the first key that is written is the key of all."""
    running = Running(tmp_path / "service")
    try:
        clients = [running.connect(secrets=tmp_path / "secrets") for _ in range(6)]
        start, found = threading.Barrier(len(clients)), []

        def key_id(client: rj.serve.ServiceClient) -> None:
            client.config()
            start.wait()
            found.append(client.key_id("score"))

        threads = [threading.Thread(target=key_id, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == len(clients) and len(set(found)) == 1
    finally:
        running.stop()
