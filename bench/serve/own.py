"""A service in a process of its own, for the load tests."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path


class Service:
    """Runs `python -m ringjet serve` in a temporary folder."""

    def __init__(self, *options: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        command = [sys.executable, "-m", "ringjet", "serve", "--folder", self.folder.name, "--port", "0", *options]
        self.log = (Path(self.folder.name) / "log").open("wb")
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        assert self.child.stdout is not None
        said = self.child.stdout.readline() + self.child.stdout.readline()
        if not said:
            raise SystemExit((Path(self.folder.name) / "log").read_text())
        self.token, self.url = found(r"only now: (\S+)", said), found(r"at (http\S+)", said)

    def memory(self) -> int:
        """The resident memory of the process in bytes."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return 1024 * int(found(r"VmRSS:\s+(\d+)", status))

    def errors(self) -> int:
        """The number of answers with a status of 500 in the log."""
        return (Path(self.folder.name) / "log").read_text().count('"status": 500')

    def stop(self) -> int:
        """Stops the service, and returns its exit status."""
        self.child.terminate()
        status = self.child.wait(60)
        self.log.close()
        return status


def found(pattern: str, text: str) -> str:
    """The first group of a pattern."""
    match = re.search(pattern, text)
    assert match is not None, text
    return match[1]
