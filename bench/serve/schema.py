"""Requests made from the OpenAPI document: no answer may be an internal error, or one that the
document does not name."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from own import Service


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    a = parser.parse_args()
    service = Service()
    beside = Path(sys.executable).with_name("schemathesis")
    tool = str(beside) if beside.exists() else shutil.which("schemathesis")
    if tool is None:
        raise SystemExit("schemathesis is not installed")
    command = [
        tool,
        "run",
        f"{service.url}/v1/openapi.json",
        "-H",
        f"Authorization: Bearer {service.token}",
        "--no-color",
    ]
    # a schema cannot say which bytes are a ciphertext, so most bodies that fit it are refused
    command += ["--exclude-checks", "positive_data_acceptance", "--continue-on-failure", "--seed", "1"]
    # the number is that of cases of each operation with parameters, of which there are about 14
    command += ["--max-examples", str(max(1, a.cases // 14))]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    cases = re.search(r"(\d+) generated", run.stdout)
    figures = {
        "cases": int(cases[1]) if cases else None,
        "passed": run.returncode == 0,
        "internal_errors": service.errors(),
        "memory_mb": round(service.memory() / 1e6),
        "exit_status": service.stop(),
    }
    print(json.dumps(figures, indent=1))
    if run.returncode:
        print(run.stdout[-5000:])
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
