"""What a tenant can make the service store and hold in memory: within its quota, also by requests that
are refused, cancelled or deleted."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ringjet as rj
from ringjet.serve import Service, _frames

sys.path.insert(0, str(Path(__file__).parent))
import service_programs  # noqa: E402
from serving import FULL, PARAMS, Process, Running, digest, head, object_head, raw  # noqa: E402

OCTETS = {"Content-Type": "application/octet-stream"}
JSON = {"Content-Type": "application/json"}
QUOTA = 1_000_000


@pytest.fixture
def running(tmp_path):
    made = Running(tmp_path / "service", workers=1, body_timeout=2.0)
    yield made
    service_programs.released.set()
    made.stop()


@pytest.fixture(scope="module")
def client() -> rj.Client:
    return rj.Client(PARAMS)


@pytest.fixture(scope="module")
def keys(client) -> bytes:
    return client.evaluation_keys().to_bytes()


@pytest.fixture
def tenant(running, client, keys) -> str:
    """The token of a tenant with a small quota, whose keys are there."""
    token = running.core.access.add("small", max_bytes=QUOTA)
    assert running.ask("PUT", f"/v1/keys/{client.key_id}", keys, {"Repr-Digest": digest(keys)}, token=token)[0] == 201
    return token


def disk(running) -> int:
    """The bytes of all files of clients."""
    size = 0
    for name in ("blobs", "incoming", "uploads"):
        for path in (running.core.options.folder / name).rglob("*"):
            try:
                size += path.stat().st_size if path.is_file() else 0
            except FileNotFoundError:  # it was removed meanwhile
                pass
    return size


def settled(running, size: int, seconds: float = 5.0) -> int:
    """The disk, once it has this size or the time is over: jobs end a little after their answers."""
    end = time.monotonic() + seconds
    while disk(running) != size and time.monotonic() < end:
        time.sleep(0.02)
    return disk(running)


# ---- the disk ----


def test_refused_calls_leave_nothing(running, client, keys, tenant):
    """Each call is refused for another reason."""
    x, other = client.encrypt([0.5]).to_bytes(), rj.Client(PARAMS).encrypt([0.5]).to_bytes()
    foreign = rj.Client(rj.params(10, [50, 40], [50], allow_insecure=True)).encrypt([0.5]).to_bytes()
    damaged = x[:-1] + bytes([x[-1] ^ 1])
    one, two = _frames.pack([("x", x)]), [("x", x), ("w", x)]
    refusals = [
        ("slow", 409, _frames.pack([("x", other)])),
        ("score", 422, _frames.pack(two)),  # the keys lack rotations
        ("product", 422, _frames.pack([("x", x), ("v", x)])),
        ("product", 422, one),
        ("product", 422, _frames.pack([("x", x), ("w", other)])),
        ("product", 422, _frames.pack([("x", x), ("w", foreign)])),
        ("product", 422, _frames.pack([("x", x), ("w", damaged)])),
        ("product", 400, _frames.pack([("x", x), ("x", x)])),
        ("product", 400, _frames.pack(two) + b"x"),
        ("product", 400, _frames.pack(two)[:-1]),
        ("slow", 400, one + b"x"),
        ("slow", 400, b"RJF2" + one[4:]),
    ]
    for program, status, body in refusals:
        assert running.ask("POST", f"/v1/programs/{program}", body, OCTETS, token=tenant)[0] == status, (
            program,
            status,
        )
        assert disk(running) == len(keys)
    for path in ("/v1/data/a", "/v1/data/b"):
        assert running.ask("PUT", path, damaged, token=tenant)[0] == 422 and disk(running) == len(keys)
    # by the queue, after everything has come
    running.core.queue._stopping = True
    assert running.ask("POST", "/v1/programs/slow", _frames.pack([("x", x)]), OCTETS, token=tenant)[0] == 503
    running.core.queue._stopping = False
    assert disk(running) == len(keys)


def test_what_is_deleted_cancelled_or_done_leaves_nothing(running, client, keys, tenant):
    x = client.encrypt([0.5]).to_bytes()
    service_programs.released.clear()
    body, named = _frames.pack([("x", x)]), json.dumps({"inputs": {"x": "a"}}).encode()
    for _ in range(3):
        assert running.ask("PUT", "/v1/data/a", x, token=tenant)[0] == 201
        jobs = [
            running.ask("POST", "/v1/programs/held", *what, token=tenant)[2]["id"]
            for what in ((body, OCTETS), (named, JSON))
        ]
        # a job keeps its inputs
        assert running.ask("DELETE", "/v1/data/a", token=tenant)[0] == 204 and disk(running) == len(keys) + len(x)
        for job in jobs:
            assert running.ask("DELETE", f"/v1/jobs/{job}", token=tenant)[0] == 204
        assert disk(running) == len(keys)
    service_programs.released.set()
    status, headers, result = running.ask("POST", "/v1/programs/held?wait=10", body, OCTETS, token=tenant)
    assert status == 200 and settled(running, len(keys) + len(result)) == len(keys) + len(result), "inputs are gone"
    assert running.ask("DELETE", headers["Location"], token=tenant)[0] == 204 and disk(running) == len(keys)
    # keys that replace others
    more = client.evaluation_keys(rotations=[1]).to_bytes()
    assert running.ask("PUT", f"/v1/keys/{client.key_id}", more, {"Repr-Digest": digest(more)}, token=tenant)[0] == 201
    assert disk(running) == len(more)
    assert running.ask("DELETE", f"/v1/keys/{client.key_id}", token=tenant)[0] == 204 and disk(running) == 0


def test_the_disk_stays_within_the_quota(running, client, tenant):
    """Four threads store, call, cancel and delete at once; the disk is measured all the time."""
    x, largest, stop = client.encrypt([0.5]).to_bytes(), 0, threading.Event()
    statuses: list[int] = []

    def measure() -> None:
        nonlocal largest
        while not stop.is_set():
            # no file comes or goes in the middle
            with running.core.blobs._lock:
                largest = max(largest, disk(running))
            time.sleep(0.001)

    def use(thread: int) -> None:
        for i in range(25):
            name, fresh = f"/v1/data/d{thread}-{i}", client.encrypt([i / 100]).to_bytes()
            statuses.append(running.ask("PUT", name, fresh, token=tenant)[0])
            body = _frames.pack([("x", fresh)]) if i % 2 else json.dumps({"inputs": {"x": name[9:]}}).encode()
            status, _, job = running.ask("POST", "/v1/programs/parts", body, OCTETS if i % 2 else JSON, token=tenant)
            statuses.append(status)
            if i % 3 == 0:
                running.ask("DELETE", name, token=tenant)
            if i % 5 == 0 and status == 202:
                running.ask("DELETE", f"/v1/jobs/{job['id']}", token=tenant)
            # two of three bodies are refused in the end
            running.ask(
                "POST",
                "/v1/programs/score",
                _frames.pack([("x", fresh), ("w", x[:-4] + bytes(4))]),
                OCTETS,
                token=tenant,
            )

    sampler = threading.Thread(target=measure)
    sampler.start()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))
    stop.set()
    sampler.join()
    assert 0.5 * QUOTA < largest <= QUOTA, "the quota was used, and never exceeded"
    assert statuses.count(201) > 10 and statuses.count(429) > 10, statuses


def test_a_result_needs_room(running, client, keys, tenant):
    x = client.encrypt([0.5]).to_bytes()
    with running.core.database.write() as db:
        db.exec_driver_sql(f"UPDATE tenants SET max_bytes = {len(keys) + len(x) + 1000} WHERE name = 'small'")
    status, headers, document = running.ask(
        "POST", "/v1/programs/slow?wait=10", _frames.pack([("x", x)]), OCTETS, token=tenant
    )
    assert status == 413 or (status, document["quota"], headers["Retry-After"]) == (429, "bytes", "60"), document
    assert settled(running, len(keys)) == len(keys)


def test_inputs_of_a_running_job_count_once(running, client, keys, tenant):
    """Keys, inputs and result fill the quota."""
    x, path = client.encrypt([0.5]).to_bytes(), "/v1/programs/slow?wait=20"
    result = running.ask("POST", path, _frames.pack([("x", x)]), OCTETS, token=tenant)[2]
    assert settled(running, len(keys) + len(result)) == len(keys) + len(result)
    with running.core.database.write() as db:
        db.exec_driver_sql(
            f"UPDATE tenants SET max_bytes = {len(keys) + 2 * len(result) + len(x) + 100} WHERE name = 'small'"
        )
    other = client.encrypt([0.25]).to_bytes()
    status, _, found = running.ask("POST", path, _frames.pack([("x", other)]), OCTETS, token=tenant)
    assert status == 200, found
    assert settled(running, len(keys) + 2 * len(result)) == len(keys) + 2 * len(result)
    assert running.core.rooms._held == {}, "nothing is held after the jobs"


def test_a_repeated_call_needs_no_room(running, client, keys, tenant):
    x = client.encrypt([0.5]).to_bytes()
    service_programs.released.clear()
    body, headers = _frames.pack([("x", x)]), {**OCTETS, "Idempotency-Key": "once"}
    first = running.ask("POST", "/v1/programs/held", body, headers, token=tenant)[2]
    assert running.ask("PUT", "/v1/data/a", x, token=tenant)[0] == 201
    with running.core.database.write() as db:
        db.exec_driver_sql("UPDATE tenants SET max_bytes = 1, max_jobs = 1 WHERE name = 'small'")
    again = running.ask("POST", "/v1/programs/held", body, headers, token=tenant)
    assert (again[0], again[2]["id"]) == (202, first["id"])
    assert (
        running.ask("POST", "/v1/programs/held", body, {**OCTETS, "Idempotency-Key": "twice"}, token=tenant)[0] == 429
    )
    # neither do the bytes of a stored ciphertext
    assert running.ask("PUT", "/v1/data/a", x, token=tenant)[0] == 200
    assert running.ask("PUT", "/v1/data/b", x, token=tenant)[0] == 429
    assert disk(running) == len(keys) + len(x)


def test_a_crash_leaves_nothing_for_long(running, client, keys, tenant):
    folder = running.core.options.folder
    for name in ("blobs/ab/" + "ab" * 32, "incoming/" + "c" * 32, "uploads/" + "d" * 32):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(bytes(1000))
    running.stop()
    again = Running(folder)
    try:
        assert settled(again, len(keys)) == len(keys)
    finally:
        again.stop()


# ---- what is refused before it comes ----


def first_answer(running, request: bytes) -> bytes:
    """The answer to the beginning of a request, of which no more comes."""
    start = time.monotonic()
    found = raw(running, request)
    assert time.monotonic() - start < 1.5, "it waited for the body"
    return found


def test_lengths_are_compared_with_the_quota_first(running, client, tenant):
    for method, path, headers in [
        ("PUT", "/v1/data/a", {}),
        ("POST", "/v1/programs/slow", {"Content_Type": OCTETS["Content-Type"]}),
    ]:
        request = head(running, method, path, tenant, Content_Length=QUOTA, **headers)
        answer = first_answer(running, request)
        assert answer.startswith(b"HTTP/1.1 429") and b"on their way" in answer
    with socket.create_connection(("127.0.0.1", running.port)) as half:
        # what is announced counts while it comes
        half.sendall(head(running, "PUT", "/v1/data/a", tenant, Content_Length=QUOTA // 2) + b"RJET")
        end = time.monotonic() + 2
        while not list((running.core.options.folder / "incoming").iterdir()) and time.monotonic() < end:
            time.sleep(0.01)
        assert first_answer(running, head(running, "PUT", "/v1/data/b", tenant, Content_Length=QUOTA // 2)).startswith(
            b"HTTP/1.1 429"
        )


def test_calls_are_refused_by_their_first_bytes(running, client, tenant):
    """Only a header comes of 150 kB."""
    size = 150_000
    stranger, foreign = "ab" * 16, "cd" * 16
    cases = [
        ("x", PARAMS.fingerprint, stranger, b"409", b"missing-keys"),
        ("x", foreign, client.key_id, b"422", b"other parameters"),
        ("v", PARAMS.fingerprint, client.key_id, b"422", b"slow takes the inputs x"),
    ]
    for name, fingerprint, key_id, status, why in cases:
        body = _frames.pack([(name, bytes(size))])[: 18 + len(name)] + object_head(fingerprint, key_id, size)
        request = head(
            running, "POST", "/v1/programs/slow", tenant, Content_Length=size + 19, Content_Type=OCTETS["Content-Type"]
        )
        answer = first_answer(running, request + body)
        assert answer[9:12] == status and why in answer, answer
    # longer than any ciphertext of the parameters
    begin = _frames.pack([("x", b"")])[:-8] + (500_000).to_bytes(8, "little")
    begin += object_head(PARAMS.fingerprint, client.key_id, 500_000)
    request = head(
        running, "POST", "/v1/programs/slow", tenant, Content_Length=500_019, Content_Type=OCTETS["Content-Type"]
    )
    answer = first_answer(running, request + begin)
    assert answer.startswith(b"HTTP/1.1 413") and b"none has more than 153600" in answer, answer
    request = head(running, "PUT", "/v1/data/long", tenant, Content_Length=500_000)
    assert first_answer(running, request + begin[-48:]).startswith(b"HTTP/1.1 413")
    # a job quota that is used up, without any byte of the body
    few = running.core.access.add("few", max_seconds=1e-12)
    request = head(running, "POST", "/v1/programs/slow", few, Content_Length=size, Content_Type=OCTETS["Content-Type"])
    assert first_answer(running, request).startswith(b"HTTP/1.1 429")


def test_keys_are_refused_by_their_size_and_header(tmp_path, client, monkeypatch):
    running = Running(tmp_path, max_memory=2_000_000)
    monkeypatch.setattr(
        "ringjet.serve._keys.EvaluationKeys.load", lambda *_, **__: pytest.fail("keys were loaded"), raising=False
    )
    try:
        path, sha = f"/v1/keys/{client.key_id}", {"Repr_Digest": digest(b"")}
        answer = first_answer(running, head(running, "PUT", path, Content_Length=1_000_001, **sha))
        assert (
            answer.startswith(b"HTTP/1.1 413")
            and b"at least 2000002 bytes of memory; the service has 2000000" in answer
        )
        # the header of another key, and of a secret one
        params = PARAMS.to_bytes() if hasattr(PARAMS, "to_bytes") else client.evaluation_keys().to_bytes()
        front = params[: int.from_bytes(params[24:32], "little")]
        for kind, key_id, why in [(4, "ab" * 16, b"these are the keys abab"), (2, client.key_id, b"SECRET KEY")]:
            size = 900_000 - len(front)
            begin = front + object_head(PARAMS.fingerprint, key_id, size, kind)
            answer = first_answer(
                running, head(running, "PUT", path, Content_Length=900_000, **sha) + begin + bytes(1 << 19)
            )
            assert answer.startswith(b"HTTP/1.1 422") and why in answer, answer
            assert running.ask("GET", path)[0] == 404 and disk(running) == 0
    finally:
        running.stop()


def test_memory_is_free_before_keys_are_loaded(tmp_path, monkeypatch):
    """The keys of the first client leave before those of the second come."""
    running = Running(tmp_path, max_memory=600_000, workers=1)
    try:
        clients = [running.connect() for _ in range(2)]
        for client in clients:
            client.prepare("parts")
        servers, seen = running.core.queue.servers, []
        plain = rj.EvaluationKeys.load
        monkeypatch.setattr(
            "ringjet.serve._servers.EvaluationKeys",
            type("Spy", (), {"load": staticmethod(lambda *a, **k: (seen.append(servers.bytes), plain(*a, **k))[1])}),
        )
        for client in clients:
            client.call("parts", [0.5])
        assert seen == [0, 0] and 300_000 < servers.bytes <= 600_000
    finally:
        running.stop()


# ---- pace ----


def test_a_body_that_slows_down_is_cut_off(tmp_path, client):
    """A fast beginning earns no time for what follows."""
    running = Running(tmp_path, body_timeout=0.5, body_rate=16384.0)
    try:
        size, start = 150_000, time.monotonic()
        with socket.create_connection(("127.0.0.1", running.port), 10) as connection:
            connection.sendall(
                head(running, "PUT", "/v1/data/a", Content_Length=size)
                + object_head(PARAMS.fingerprint, client.key_id, size)
            )
            connection.sendall(bytes(100_000))
            answer = b""
            connection.settimeout(0.05)
            while not answer and time.monotonic() - start < 20:
                try:
                    connection.sendall(b"x")
                    answer = connection.recv(1 << 16)
                except TimeoutError:
                    pass
            connection.settimeout(5)
            while piece := connection.recv(1 << 16):
                answer += piece
        assert answer.startswith(b"HTTP/1.1 408") and b"8192 are the least" in answer
        assert time.monotonic() - start < 20 and disk(running) == 0
    finally:
        running.stop()


# ---- repeated requests ----


def test_an_idempotency_key_is_for_one_request(tmp_path):
    """Seven inputs: only the last one differs."""
    service = Service()

    @service.program(params=PARAMS)
    def many(a, b, c, d, e, f, g):
        return a + b + c + d + e + f + g

    running = Running(tmp_path, service)
    try:
        caller = running.connect()
        caller.prepare("many")
        client = caller._client(PARAMS.fingerprint, None)
        same = [(name, client.encrypt([0.125]).to_bytes()) for name in "abcdef"]
        bodies = [_frames.pack([*same, ("g", client.encrypt([last]).to_bytes())]) for last in (0.0, 0.5)]
        headers = {**OCTETS, "Idempotency-Key": "one"}
        first = running.ask("POST", "/v1/programs/many?wait=10", bodies[0], headers)
        assert (
            first[0] == 200
            and running.ask("POST", "/v1/programs/many?wait=10", bodies[0], headers)[1]["Location"]
            == first[1]["Location"]
        )
        status, _, problem = running.ask("POST", "/v1/programs/many?wait=10", bodies[1], headers)
        assert status == 409 and "another request" in problem["detail"]
        assert abs(caller.call("many", *[[0.125]] * 6, [0.5])[0] - 1.25) < 1e-6
    finally:
        running.stop()


# ---- memory ----


LARGE = """
from ringjet.serve import Service

service = Service()


@service.program(params="{preset}")
def slow(x):
    return x + x
"""


def peak(process: Process) -> int:
    """The largest memory of a process so far, in bytes."""
    status = Path(f"/proc/{process.child.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize(
    ("preset", "calls", "size", "growth"),
    [
        ("n15-depth14", 8, 10_000_000, 30 << 20),
        pytest.param(
            "n17-depth50", 40, 100_000_000, 100 << 20, marks=pytest.mark.skipif(not FULL, reason="make test-full")
        ),
    ],
)
def test_refused_calls_take_little_memory(tmp_path, preset, calls, size, growth):
    """Calls with large frames at once: of a key that is not there, of other parameters, damaged at
    the end, and more than the quota."""
    limit = 1 << 30
    options = ["--max-memory", str(limit), "--tenant-bytes", str(3 * size), "--body-rate", "1024"]
    (tmp_path / "large.py").write_text(LARGE.format(preset=preset))
    process = Process(tmp_path / "service", *options, programs=f"{tmp_path / 'large.py'}:service")
    client = rj.Client(preset)
    try:
        keys = client.evaluation_keys(relinearization=False).to_bytes()
        assert process.ask("PUT", f"/v1/keys/{client.key_id}", keys, {"Repr-Digest": digest(keys)})[0] == 201
        heads = [
            object_head(client.params.fingerprint, client.key_id, size),
            object_head(client.params.fingerprint, "ab" * 16, size),
            object_head("ab" * 16, client.key_id, size),
        ]
        before, largest, stop, statuses = peak(process), 0, threading.Event(), []

        def send(i: int) -> None:
            frame = _frames.pack([("x", b"")])[:-8] + size.to_bytes(8, "little") + heads[i % 3]
            left = size - 48
            request = head(
                process, "POST", "/v1/programs/slow", Content_Length=size + 19, Content_Type=OCTETS["Content-Type"]
            )
            with socket.create_connection(("127.0.0.1", process.port), 60) as connection:
                try:
                    connection.sendall(request + frame)
                    while left:
                        left -= connection.send(bytes(min(left, 1 << 20)))
                except OSError:
                    pass  # it was refused meanwhile
                try:
                    statuses.append(connection.recv(1 << 16)[9:12])
                except OSError:
                    statuses.append(b"cut")

        def measure() -> None:
            nonlocal largest
            while not stop.is_set():
                size = 0
                for path in (tmp_path / "service" / "incoming").glob("*"):
                    try:
                        size += path.stat().st_size
                    except FileNotFoundError:
                        pass
                largest = max(largest, size)
                time.sleep(0.01)

        sampler = threading.Thread(target=measure)
        sampler.start()
        with ThreadPoolExecutor(calls) as pool:
            list(pool.map(send, range(calls)))
        stop.set()
        sampler.join()
        assert len(statuses) == calls and set(statuses) <= {b"409", b"422", b"429", b"cut"}, statuses
        assert peak(process) - before < growth and peak(process) < limit, (before, peak(process))
        assert largest <= 3 * size and not list((tmp_path / "service" / "incoming").iterdir())
        print(
            f"{calls} calls of {size} bytes: peak {peak(process) >> 20} MiB, before {before >> 20} MiB, disk {largest}"
        )
    finally:
        process.kill()


def test_a_tenant_with_little_room_gets_its_result(running, client, tenant):
    x = client.encrypt([0.25]).to_bytes()
    status, _, result = running.ask("POST", "/v1/programs/slow?wait=10", _frames.pack([("x", x)]), OCTETS, token=tenant)
    [(_, content)] = _frames.read(result, max_frames=1, max_bytes=1 << 20)
    assert status == 200 and abs(client.decrypt(content)[0] - 0.5) < 1e-6
