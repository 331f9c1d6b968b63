"""The service as a process: restarts, and the command that starts it."""

from __future__ import annotations

import hashlib
import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.__main__ import main
from ringjet.serve import Service, _command, _frames

sys.path.insert(0, str(Path(__file__).parent))
import service_programs  # noqa: E402
from serving import DATABASE, FULL, PARAMS, Core, FolderInUse, Options, Process, Running, posted, wait_for  # noqa: E402

# ---- restarts ----


def test_no_job_is_lost_or_doubled_by_kills(tmp_path):
    rounds, chance = (50 if FULL else 3), random.Random(3)
    folder = tmp_path / "folder"
    options = ["--max-attempts", "1000", "--tenant-jobs", "1000", *(["--database", DATABASE] if DATABASE else [])]
    process = Process(folder, *options)
    token = process.token
    caller = process.connect(secrets=tmp_path / "secrets")
    caller.prepare("slow")
    asked: dict[str, tuple[float, bytes, dict, str]] = {}
    try:
        for i in range(rounds):
            for j in range(3):
                key, value = f"job-{i}-{j}", chance.uniform(-0.9, 0.9)
                body, headers, (status, _, job) = posted(process, caller, "slow", key, value=value)
                assert status == 202
                asked[key] = (value, body, headers, job["id"])
            time.sleep(chance.uniform(0, 0.5))
            process.kill()
            process = Process(folder, *options)
            process.token = token
        for key, (value, body, headers, name) in asked.items():
            job = wait_for(process, name, 300)
            assert job["state"] == "done", job
            # the same request again finds the same job
            status, found, result = process.ask("POST", "/v1/programs/slow?wait=1", body, headers)
            assert (status, found["Location"]) == (200, f"/v1/jobs/{name}"), key
            assert abs(caller._client(PARAMS.fingerprint, None).decrypt(_only(result))[0] - 2 * value) < 1e-6
        page = process.ask("GET", "/")[2].decode()
        states = {"queued": 0, "running": 0, "done": len(asked), "failed": 0, "cancelled": 0}
        assert "".join(f'<td data-name="{state}">{n}</td>' for state, n in states.items()) in page
        assert not list((folder / "incoming").iterdir())
    finally:
        process.kill()
    blobs = [path for path in (folder / "blobs").rglob("*") if path.is_file()]
    assert blobs and all(path.name == hashlib.sha256(path.read_bytes()).hexdigest() for path in blobs)
    assert token.encode() not in b"".join(path.read_bytes() for path in folder.glob("ringjet.db*"))
    assert token not in (tmp_path / "log").read_text()


def _only(frames: bytes) -> bytes:
    [(_, content)] = _frames.read(frames, max_frames=1, max_bytes=1 << 30)
    return content


def test_a_stop_leaves_jobs_for_the_next_start(tmp_path):
    service = Running(tmp_path, workers=1)
    caller = service.connect()
    caller.prepare("slow")
    names = [posted(service, caller, "slow")[2][2]["id"] for _ in range(4)]
    with pytest.raises(FolderInUse):
        Core(service_programs.service, Options(folder=tmp_path))
    service.stop()
    again = Running(tmp_path)
    try:
        assert {wait_for(again, name)["state"] for name in names} == {"done"}
    finally:
        again.stop()


def test_a_job_that_stops_the_service_again_and_again_fails(tmp_path):
    service = Running(tmp_path, workers=1)
    caller = service.connect()
    caller.prepare("slow")
    name = posted(service, caller, "slow")[2][2]["id"]
    assert wait_for(service, name)["state"] == "done"
    with service.core.database.write() as db:
        db.exec_driver_sql("UPDATE jobs SET state = 'running', attempts = 3")
    service.stop()
    again = Running(tmp_path)
    try:
        job = wait_for(again, name)
        assert job["state"] == "failed" and "stopped 3 times" in job["problem"]["detail"]
    finally:
        again.stop()


# ---- the command ----


@pytest.fixture
def command(capsys, tmp_path):
    """Runs the command in this process: its status, and what it printed to stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["serve", *arguments, "--folder", str(tmp_path)])
        return status, *capsys.readouterr()

    return run


def test_command_starts_without_programs_and_stops(tmp_path):
    child = [sys.executable, "-m", "ringjet", "serve", "--folder", str(tmp_path / "new"), "--port", "0", "--open"]
    with subprocess.Popen(child, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"serves 5 programs at (http://127\.0\.0\.1:\d+)", line)
        assert found, line
        client = rj.connect(found[1])
        v = np.linspace(-1, 1, 4096)
        assert set(client.programs) == {"mean", "variance", "dot", "product", "total"}
        assert abs(client.call("mean", v)[0] - v.mean()) < 1e-3
        assert abs(client.call("mean", [0.1, 0.2, 0.6])[0] - 0.3) < 1e-3, "of the values that there are"
        with pytest.raises(rj.ArgumentError, match="3 values: expected 4096 values"):
            client.call("variance", [0.1, 0.2, 0.6])
        assert client.call("total", [1, 2, 3])[0] == 6
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=30)
    assert process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert lines[-1]["event"] == "stopped" and any(
        line["event"] == "job" and line["program"] == "mean" for line in lines
    )


def test_tokens_of_the_command(command):
    token = command("token", "add", "me", "--keys", "ab" * 16)[1].strip()
    listed = command("token", "list")[1]
    name = hashlib.sha256(token.encode()).hexdigest()[:12]
    assert token.startswith("rj_") and token not in listed
    assert re.search(f'me  {name}  since 20.* UTC  keys: \\["{"ab" * 16}"\\]\n', listed)
    # a tenant changes its token: both are there for a while
    second = command("token", "add", "me", "--admin")[1].strip()
    assert command("token", "list")[1].count("me  ") == 2
    assert "1 token(s) of me removed" in command("token", "revoke", "me", name)[1]
    assert "0 token(s) of me removed" in command("token", "revoke", "me", name)[1]
    assert command("token", "list")[1].endswith("keys: all of the tenant's  admin\n")
    assert "'%': a token is named by 12 hexadecimal digits" in command("token", "revoke", "me", "%")[2]
    assert "1 token(s) of me removed" in command("token", "revoke", "me")[1] and second.startswith("rj_")
    assert command("token", "add", "../me")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--open", "--host", "0.0.0.0"], "without tokens, only this machine"),
        (["nothing.py:service"], "there is no such file"),
        (["service.py"], "file.py:service or module:service"),
        (["--workers", "0"], "--workers 0: a number from 1 on"),
        (["token", "remove"], "add NAME, list, revoke NAME, or revoke NAME TOKEN"),
    ],
)
def test_refusals_of_the_command(command, arguments, message):
    status, out, error = command(*arguments)
    assert status == 1 and message in error and not out


def test_without_the_extra(monkeypatch, command):
    monkeypatch.setattr(_command, "_PACKAGES", ("fastapi_that_is_not_there",))
    status, _, error = command()
    assert status == 1 and "a service needs fastapi_that_is_not_there: pip install ringjet[serve]" in error


def test_services_refuse_programs_that_they_cannot_offer():
    service = Service()
    with pytest.raises(rj.ArgumentError, match="no other program"):
        for _ in range(2):
            service.program(params=PARAMS, name="twice")(lambda x: x)
    with pytest.raises(rj.ArgumentError, match="letters, digits"):
        service.program(params=PARAMS)(lambda x: x)
    service.program(params=PARAMS, name="number")(lambda x: (x, 3))
    with pytest.raises(TypeError, match="not int"):
        service.programs["number"].planned("cpu-ifma-2core")
