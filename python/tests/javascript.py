"""The client for browsers in tests: whether it is built, and clients in processes of Node.js."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "js" / "ringjet-client"
WASM = PACKAGE / "wasm" / "ringjet_wasm_bg.wasm"


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


class InNode:
    """The client of a program or of a compiled model, in JavaScript."""

    def __init__(self, method: str, *arguments: Any) -> None:
        """method: "open" or "openModel"."""
        command = ["node", str(PACKAGE / "test" / "program.mjs")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.opened = self(method, *arguments)

    def __call__(self, *command: Any) -> Any:
        """The result of a method; a dictionary with the error where it refuses."""
        print(json.dumps(command), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return answer["result"] if "result" in answer else answer["error"]

    def bytes(self, *command: Any) -> bytes:
        """The bytes that a method returns."""
        return bytes.fromhex(self(*command).removeprefix("hex:"))

    def close(self) -> None:
        """Ends the process."""
        self.process.communicate()


@pytest.fixture
def in_node(built):
    """Opens clients, which are closed after the test."""
    made: list[InNode] = []

    def make(*command: Any) -> InNode:
        made.append(InNode(*command))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def browser() -> str:
    """The command of a browser."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None or shutil.which("node") is None:
        skip("no browser: none of chromium, chromium-browser, google-chrome is there, or node is not")
    return found


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Writes no log."""

    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def origin():
    """The address of the repository's files over HTTP."""
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=ROOT))
    threading.Thread(target=files.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{files.server_port}"
    files.shutdown()
