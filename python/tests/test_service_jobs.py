"""Jobs of a service's client: submitting, waiting, cancelling, other processes, asyncio; names of inputs;
results for others."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.serve import (
    Job,
    JobStatus,
    JobTimeoutError,
    Service,
    ServiceError,
    Stored,
    _client,
    _frames,
    _jobs,
    _transport,
    progress,
)

sys.path.insert(0, str(Path(__file__).parent))
import service_programs  # noqa: E402
from serving import PARAMS, Running  # noqa: E402

OCTETS = {"Content-Type": "application/octet-stream"}

service = Service()
service._programs.update(service_programs.service.programs)
#: `reached`: the program `stepped` has reported progress. `released`: it may go on.
reached, released = threading.Event(), threading.Event()


@service.program(params=PARAMS)
def stepped(x):
    if x.backend != "model":
        progress(3, 20)
        reached.set()
        assert released.wait(60)
        progress(20, 20)
    return x + x


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    made = Running(tmp_path_factory.mktemp("service"), service)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def client(running, tmp_path_factory) -> rj.serve.ServiceClient:
    return running.connect(secrets=tmp_path_factory.mktemp("secrets") / "keys")


@pytest.fixture
def held():
    """The programs `held` and `stepped` go on after the test, or when the test releases them."""
    for event in (service_programs.released, released, reached):
        event.clear()
    yield
    service_programs.released.set()
    released.set()


# ---- jobs ----


def test_a_job_is_computed_while_the_client_goes_on(client, held):
    job = client.submit("stepped", [0.5])
    assert job.status().state in ("queued", "running") and job.program == "stepped"
    told = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        if (done, total) == (3, 20):
            released.set()

    status = job.wait(60, progress=tell)
    assert status.state == "done" and status.is_final and 0 < status.predicted_seconds < 1
    assert status.created <= status.started <= status.finished
    # (19, 20): the program has said 20 of 20, and is not finished
    assert told[-1] == (100, 100) and (3, 20) in told
    assert set(told) <= {(0, 100), (3, 20), (19, 20), (100, 100)}
    for _ in range(2):
        assert abs(job.result()[0] - 1) < 1e-6
    job.cancel()
    with pytest.raises(ServiceError, match="was cancelled, or its result was forgotten") as error:
        job.result()
    assert (error.value.status, error.value.kind) == (409, "cancelled")


def test_waiting_ends_in_time_and_cancelling_ends_a_job(client, held):
    job = client.submit("held", [0.5])
    with pytest.raises(JobTimeoutError, match=r"^held is (queued|running) after \d+\.\d s$") as error:
        job.wait(0.1)
    assert isinstance(error.value, TimeoutError) and error.value.job == job.id and not job.status().is_final
    job.cancel()
    assert job.wait(60).state == "cancelled"


def after(error: JobTimeoutError) -> float:
    """The seconds that the error of a cancelled job says."""
    found = re.fullmatch(r"held is (?:queued|running) after (\d+\.\d) s; it was cancelled", str(error))
    assert found, error
    return float(found[1])


@pytest.mark.parametrize("timeout", [0.5, 0])
def test_a_call_says_how_long_it_waited(client, held, monkeypatch, timeout):
    client.prepare("held")
    paths, request = [], client._transport.request
    monkeypatch.setattr(client._transport, "request", lambda *a, **b: paths.append(a[1]) or request(*a, **b))
    start = time.monotonic()
    with pytest.raises(JobTimeoutError) as error:
        client.call("held", [0.5], timeout=timeout)
    # the message has one decimal place
    assert timeout <= after(error.value) <= time.monotonic() - start + 0.05
    assert paths[0] == f"/v1/programs/held?wait={timeout}"
    assert client.job(error.value.job).status().state == "cancelled"


def test_the_time_of_a_call_begins_when_the_service_has_the_keys(client, monkeypatch):
    steps, prepare = [], client.prepare
    monkeypatch.setattr(client, "prepare", lambda name: steps.append("keys") or prepare(name))
    monkeypatch.setattr(_client, "Clock", lambda timeout: steps.append(timeout) or _jobs.Clock(timeout))
    client.call("slow", [0.5], timeout=60)
    asyncio.run(client.run_async("slow", [0.5], timeout=61))
    assert steps == ["keys", 60, "keys", 61]


def test_a_service_that_cannot_cancel_does_not_hide_that_the_time_is_over(client, held, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Job, "cancel", lambda self: (_ for _ in ()).throw(ConnectionRefusedError()))
        with pytest.raises(JobTimeoutError, match=r"^held is (queued|running) after \d+\.\d s$") as error:
            client.call("held", [0.5], timeout=0.1)
        with pytest.raises(JobTimeoutError, match=r"^held is (queued|running) after \d+\.\d s$") as other:
            asyncio.run(client.run_async("held", [0.5], timeout=0.1))
    for found in (error, other):
        job = client.job(found.value.job)
        assert not job.status().is_final
        job.cancel()


def test_progress_that_is_shown_is_never_negative():
    shown = []
    for told in ((-5, 10), (3, 0), (3, -1), (12, 10), (0, 1), None):
        _jobs._show(lambda done, total: shown.append((done, total)), JobStatus("running", told))
    assert shown == [(0, 10), (9, 10), (0, 1), (0, 100)]


def test_a_job_that_failed(client):
    job = client.submit("broken", [0.5])
    assert job.wait(10).state == "failed"
    with pytest.raises(ServiceError, match="the program raised RuntimeError") as error:
        job.result()
    assert (error.value.status, error.value.kind) == (500, "program-failed")


def test_another_process_reads_the_results(running, client):
    job = client.submit("slow", [0.25, -0.5])
    program = f"""
import ringjet as rj
client = rj.connect({running.url!r}, {running.token!r}, secrets={str(client._secrets)!r}, allow_insecure=True)
print(client.job({job.id!r}).result(timeout=30).round(4).tolist())
"""
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(found.stdout)[:2] == [0.5, -1]


def test_jobs_that_a_client_cannot_read(running, client):
    job, other = client.submit("slow", [0.5]), running.connect()
    with pytest.raises(rj.KeyMismatchError, match=f"belongs to key {client.key_id('slow')}") as error:
        other.job(job.id)
    assert error.value.found == client.key_id("slow") and error.value.expected == other.key_id("slow")
    with pytest.raises(rj.ArgumentError, match="id = '../keys': expected the id of a job"):
        client.job("../keys")
    with pytest.raises(ServiceError, match="there is no job") as error:
        client.job("0" * 32)
    assert error.value.kind == "not-found"
    assert job.wait(60).state == "done"


def test_keys_that_were_removed_are_sent_again(client):
    client.prepare("slow")
    client.forget("slow")
    client._sent[client.key_id("slow")] = client._program("slow")["keys"]
    assert abs(client.submit("slow", [0.5]).result()[0] - 1) < 1e-6


def test_asyncio(running, client, held):
    async def main() -> None:
        v = np.linspace(-1, 1, 8)
        calls = [client.run_async("score", v, v), client.run_async("parts", x=v), client.run_async("slow", v)]
        score, parts, slow = await asyncio.gather(*calls)
        assert abs(score[0] - v @ v) < 1e-3 and np.abs(parts["twice"] - 2 * v).max() < 1e-5
        assert np.abs(slow[:8] - 2 * v).max() < 1e-5

        job = await asyncio.to_thread(client.submit, "stepped", v)
        seen = []
        async for status in job:
            seen.append(status)
            if status.progress == (3, 20):
                released.set()
        assert seen[-1].state == "done" and len(seen) > 1 and len(set(seen)) == len(seen)
        assert (3, 20) in [status.progress for status in seen]
        assert np.abs(await job.result_async() - np.pad(2 * v, (0, 504))[: len(slow)]).max() < 1e-5

        before = running.core.journal.counts().get("cancelled", 0)
        released.clear()
        reached.clear()
        for name in ("stepped", "held"):  # while it runs, and while it is sent
            task = asyncio.create_task(client.run_async(name, v))
            if name == "stepped":
                assert await asyncio.to_thread(reached.wait, 60)
            else:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        with pytest.raises(JobTimeoutError) as error:
            await client.run_async("held", v, timeout=0.1)
        assert after(error.value) >= 0.1
        counts = running.core.journal.counts()
        assert counts["cancelled"] == before + 3 and not {"queued", "running"} & counts.keys()

    asyncio.run(main())


# ---- names of inputs ----


def test_inputs_have_names(running, client):
    v, w = np.linspace(-1, 1, 8), np.linspace(0, 1, 8)
    for found in (
        client.call("score", w=w, x=v),
        client.call("score", v, w=w),
        client.submit("score", v, w=w).result(),
    ):
        assert abs(found[0] - v @ w) < 1e-3
    wrong = {
        ("x, w", "x, v"): ([v], {"v": w}),
        ("x, w", "x, x"): ([v], {"x": w}),
        ("x, w", "w"): ([], {"w": w}),
        ("x, w", "none"): ([], {}),
        ("x, w", "x, w, [2]"): ([v, w, v], {}),
    }
    for (takes, has), (values, named) in wrong.items():
        with pytest.raises(rj.InputNamesError) as error:
            client.call("score", *values, **named)
        assert str(error.value) == f"score takes the inputs {takes}; the call has {has}"
        assert isinstance(error.value, TypeError) and error.value.expected == ["x", "w"]
        assert ", ".join(error.value.found) == has.replace("none", "")


@pytest.mark.parametrize("names", [["x", "v"], ["x"]])
def test_http_refuses_wrong_names_with_both_lists(running, client, names):
    client.prepare("score")
    data = client._client(PARAMS.fingerprint, None).encrypt([0.5]).to_bytes()
    running.ask("PUT", "/v1/data/half", data)
    stored = json.dumps({"inputs": dict.fromkeys(names, "half")}).encode()
    for body, headers in (
        (_frames.pack([(name, data) for name in names]), OCTETS),
        (stored, {"Content-Type": "application/json"}),
    ):
        status, _, problem = running.ask("POST", "/v1/programs/score", body, headers)
        assert status == 422 and problem["error"] == "InputNamesError"
        assert problem["fields"]["expected"] == ["x", "w"] and sorted(problem["fields"]["found"]) == sorted(names)
        error = _transport.error_of(status, json.dumps(problem).encode())
        assert type(error) is rj.InputNamesError and error.expected == ["x", "w"]


def test_the_service_says_what_inputs_take(running, tmp_path):
    inputs = {p["name"]: p["inputs"] for p in running.ask("GET", "/v1/config")[2]["programs"]}

    def packing(name: str) -> list:
        return [[i[k] for k in ("name", "kind", "range", "shape", "padding")] for i in inputs[name]]

    assert packing("score") == [[name, "real", [-1, 1], [None], 0] for name in ("x", "w")]
    assert packing("inverse") == [["x", "real", [0.5, 2], [None], 0.5]]
    assert packing("mean") == [["x", "real", [-10, 10], [512], 0]]
    service = Service()
    service.program(params="bgv-n12", name="exact", counts=3)(lambda a: a + a)
    service.program(params=PARAMS, name="complex", complex=True)(lambda z: z + z)
    described = [
        service.programs[name].planned(rj.devices()[0]).document()["inputs"][0] for name in ("exact", "complex")
    ]
    assert [d["kind"] for d in described] == ["integer", "complex"]
    assert (described[0]["range"], described[0]["shape"]) == ([-32768, 32768], [3])
    assert described[1]["range"] == [0, 1]


# ---- results for others ----


def count(*ballots):
    total = sum(ballots[1:], ballots[0])
    return {"tally": total, "mean": total / len(ballots)}


def test_a_vote(tmp_path):
    """Voters store encrypted ballots; the owner of the key has them counted, and publishes."""
    preset, votes = "n14-share-depth2", np.array([[1, 0, 0, 0.5], [0, 1, 0, 1.0], [1, 0, 0, 0.25]])
    options = {"slots": [4] * len(votes), "level": 1}
    service = Service()
    service.program(params=preset, public_key=True, **options)(count)
    running = Running(tmp_path / "service", service)
    try:
        owner = running.connect(secrets=tmp_path / "secrets")
        encryptor = rj.Encryptor(owner.public_key("count"), slots=4)
        with running.connect() as voters:
            for i, vote in enumerate(votes):
                stored = voters.store(f"ballot-{i}", encryptor.encrypt(vote, level=1))
                assert stored == Stored(f"ballot-{i}")
        ballots = [Stored(f"ballot-{i}") for i in range(len(votes))]
        plan = rj.plan(count, preset, **options)
        found = owner.call_for_sharing("count", *ballots, plan=plan, bits=16)
        assert found["tally"].tolist() == votes.sum(axis=0).tolist()
        assert np.abs(found["mean"] - votes.mean(axis=0)).max() <= 2**-17 + 2**-20
        assert np.all(found["mean"] * 2**16 == np.rint(found["mean"] * 2**16))
        names = {f"ballots[{i}]": ballot for i, ballot in enumerate(ballots)}
        again = owner.submit("count", **names).result_for_sharing(16, plan=plan)
        assert again["tally"].tolist() == found["tally"].tolist()
        # a result is an answer; the count is in the key's file, which counts in blocks of 16
        own = owner._client(owner._program("count")["parameters"], None)
        (path,) = (tmp_path / "secrets").iterdir()
        assert (own.answers_given, rj.Client.load(path, allow_insecure=True).answers_given) == (4, 16)

        with pytest.raises(rj.ArgumentError, match="bits = None"):
            owner.call_for_sharing("count", *ballots, plan=plan)
        with pytest.raises(rj.ArgumentError, match="plan = a plan of 1 results: expected 2 results"):
            owner.call_for_sharing("count", *ballots, bits=16, plan=rj.plan(lambda x: x, preset))
        with pytest.raises(rj.ArgumentError, match=r"ballots\[2\] = values: expected stored ciphertexts for all"):
            owner.call("count", *ballots[:2], votes[2])
        with pytest.raises(rj.ArgumentError, match="name = '../x': expected 1 to 64 letters"):
            Stored("../x")
        owner.remove(ballots[0])
        with pytest.raises(ServiceError) as error:
            owner.call("count", *ballots)
        assert error.value.status == 404
        # ciphertexts themselves are inputs, too
        single = [encryptor.encrypt(vote, level=1) for vote in votes]
        tally = owner.call("count", single[0].to_bytes(), *single[1:])["tally"]
        assert np.abs(tally - votes.sum(axis=0)).max() < 1e-6
    finally:
        running.stop()


def test_a_plan_of_other_inputs_is_refused(tmp_path):
    """A mean is over the values that there are, so a plan of another count is another computation."""
    service = Service()
    service.program(params="n14-share-depth2", name="mean", slots=8)(lambda x: x.mean())
    running = Running(tmp_path / "service", service)
    try:
        with running.connect() as client:
            four = rj.plan(lambda x: x.mean(), "n14-share-depth2", slots=8, counts=4)
            found = client.call_for_sharing("mean", [0.5, 0.25, 0, 0.25], plan=four, bits=8)
            assert found[0] == 0.25
            small = rj.plan(lambda x: x.mean(), "n14-share-depth2", slots=8, counts=4, magnitudes=0.5)
            with pytest.raises(
                rj.ArgumentError,
                match="input x = level 2, 8 slots, values up to 0.5: expected level 2, 8 slots, values up to 1",
            ):
                client.call_for_sharing("mean", [0.5, 0.25, 0, 0.25], plan=small, bits=8)
            with pytest.raises(rj.ArgumentError, match="input x = level 2, 8192 slots.*: expected level 2, 8 slots"):
                client.call_for_sharing("mean", [0.5], plan=rj.plan(lambda x: x.mean(), "n14-share-depth2"), bits=8)
            eight = rj.plan(lambda x: x.mean(), "n14-share-depth2", slots=8)
            with pytest.raises(rj.ArgumentError, match="the plan's input x = 8 values: expected 4, as in this call"):
                client.call_for_sharing("mean", [0.5, 0.25, 0, 0.25], plan=eight, bits=8)
            job = client.submit("mean", [0.5, 0.25, 0, 0.25])
            with pytest.raises(rj.ArgumentError, match="8 values: expected 4"):
                job.result_for_sharing(8, plan=eight)
            assert job.result_for_sharing(8, plan=four)[0] == 0.25
            compiled = rj.compile(lambda x: x.mean(), "n14-share-depth2", slots=8, counts=4)
            assert compiled.plan().counts == four.counts == (4,) and eight.counts == (8,)
    finally:
        running.stop()


def test_exact_results_for_others_have_no_bits(tmp_path):
    service = Service()
    service.program(params="bgv-n12", name="sums")(lambda a, b: a + b)
    running = Running(tmp_path / "service", service)
    try:
        with running.connect() as client:
            plan = rj.plan(lambda a, b: a + b, "bgv-n12", counts=3)
            found = client.call_for_sharing("sums", b=[4, 5, -6], a=[1, 2, 3], plan=plan)
            assert found.tolist() == [5, 7, -3]
    finally:
        running.stop()
