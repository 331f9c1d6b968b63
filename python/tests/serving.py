"""A running service for tests. Importing this skips the tests, aloud, if the extra is not
installed."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

import ringjet as rj
from ringjet.serve import Service, _command, _frames

try:
    _command.require_packages()
except ImportError as error:
    warnings.warn(f"THE SERVICE IS NOT TESTED: {error}", stacklevel=1)
    pytest.skip(f"the service is not tested: {error}", allow_module_level=True)

# after the check of packages; the tests import both from here
from ringjet.serve._core import Core, FolderInUse  # noqa: F401
from ringjet.serve._options import Options
from ringjet.serve._run import listening_at, server_of

HERE = Path(__file__).parent
import service_programs  # noqa: E402

PARAMS = service_programs.PARAMS
#: Magic, version and scheme of objects with these parameters.
PARAMS_HEAD = rj.Client(PARAMS).encrypt([0.5]).to_bytes()[:8]
#: `make test-full` sets the first one: more rounds of kills. The second one is an address of an
#: empty database for them, such as one of PostgreSQL.
FULL = bool(os.environ.get("RINGJET_FULL"))
DATABASE = os.environ.get("RINGJET_TEST_DATABASE")


class Running:
    """A service in this process."""

    def __init__(self, folder: Path, service: Service = service_programs.service, **options) -> None:
        options = {"host": "127.0.0.1", "port": 0, "grace": 5.0, **options}
        self.socket = listening_at(Options(folder=folder, **options))
        self.core = Core(service, Options(folder=folder, **options))
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = self.core.access.add("first", admin=True)
        self.server = server_of(self.core)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]})
        self.thread.start()

    def stop(self) -> None:
        self.server.config.app.state.waiters.stopping = True
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()

    def connect(self, token: str | None = None, **options) -> rj.serve.ServiceClient:
        return rj.connect(self.url, token or self.token, allow_insecure=True, **options)

    def ask(self, method: str, path: str, body: bytes | None = None, headers=None, token: str | None = ""):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = dict(headers or {})
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {token or self.token}")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if answer.headers.get("content-type", "").endswith("json"):
            data = json.loads(data)
        return answer.status, answer.headers, data


class Process:
    """A service in a process of its own."""

    def __init__(
        self, folder: Path, *options: str, programs: str | None = f"{HERE / 'service_programs.py'}:service"
    ) -> None:
        command = [
            sys.executable,
            "-m",
            "ringjet",
            "serve",
            *filter(None, [programs]),
            "--folder",
            str(folder),
            "--port",
            "0",
            *options,
        ]
        self.log = (folder.parent / "log").open("ab")
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.token = None
        assert self.child.stdout is not None
        for line in self.child.stdout:
            if found := re.search("shown only now: (rj_.*)", line):
                self.token = found[1]
            if found := re.search(r"at http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise AssertionError((folder.parent / "log").read_text())
        self.url = f"http://127.0.0.1:{self.port}"

    connect, ask = Running.connect, Running.ask

    def kill(self, how: int = signal.SIGKILL) -> int:
        self.child.send_signal(how)
        status = self.child.wait(30)
        self.log.close()
        assert self.child.stdout is not None
        self.child.stdout.close()
        return status


def wait_for(running: Running, name: str, seconds: float = 20.0) -> dict:
    end = time.monotonic() + seconds
    while (job := running.ask("GET", f"/v1/jobs/{name}")[2])["state"] in ("queued", "running"):
        assert time.monotonic() < end, job
        time.sleep(0.02)
    return job


def posted(running, caller, name: str, key: str | None = None, query: str = "", value: float = 0.5):
    """Calls a program of one input."""
    body = _frames.pack([("x", caller._client(PARAMS.fingerprint, None).encrypt([value]).to_bytes())])
    headers = {"Content-Type": "application/octet-stream", **({"Idempotency-Key": key} if key else {})}
    return body, headers, running.ask("POST", f"/v1/programs/{name}{query}", body, headers)


def raw(running, data: bytes, *, close: bool = False, seconds: float = 6.0) -> bytes:
    """The answer to bytes on the wire."""
    with socket.create_connection(("127.0.0.1", running.port), seconds) as connection:
        connection.sendall(data)
        if close:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        try:
            while piece := connection.recv(1 << 16):
                found += piece
        except (ConnectionResetError, TimeoutError):
            pass
        return found


def head(running, method: str, path: str, token: str | None = None, **headers: object) -> bytes:
    """The head of a request."""
    lines = [f"{method} {path} HTTP/1.1", f"Authorization: Bearer {token or running.token}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in {"Host": "localhost", **headers}.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def object_head(fingerprint: str, key_id: str, length: int, kind: int = 7) -> bytes:
    """The header of an object of this length, by default of a ciphertext."""
    start = PARAMS_HEAD[:7] + bytes([kind]) + bytes.fromhex(fingerprint)
    return start + length.to_bytes(8, "little") + bytes.fromhex(key_id)


def digest(data: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"
