"""`bench/boards/zn`: the smallest instances, extreme numbers, and the Chinese remainder theorem."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import boards

EXTREMES = [0, 1, 2**64 - 1, 2**63, 2**63 - 1, 2**63 + 1, 2**32, 2**32 - 1, 12345, 2**64 - 2]


def write(path, numbers):
    path.write_text("".join(f"{number}\n" for number in numbers))


def test_products_of_extreme_numbers_are_exact(tmp_path):
    suite, runner, layout = boards.load("zn", "suite", "run", "layout")
    instance = layout.Instance("toy", tmp_path)
    instance.data.mkdir(parents=True)
    pairs = [(x, EXTREMES[(i + 2) % 10] if i % 2 else x) for i, x in enumerate(EXTREMES)]
    write(instance.data / "lhs.txt", [x for x, _ in pairs])
    write(instance.data / "rhs.txt", [y for _, y in pairs])
    write(instance.data / "expected.txt", [x * y % 2**64 for x, y in pairs])
    once, each_run = suite.stages("toy")
    for stage in once + each_run:
        runner.run_stage(stage, boards.BOARDS / "zn", tmp_path, None)
    assert instance.result.read_text().split() == [str(x * y % 2**64) for x, y in pairs]
    assert suite.verify(tmp_path, "toy") == {"products": 10, "right": True}
    secrets = list(instance.secrets.iterdir())
    assert len(secrets) == 5 and all(file.stat().st_mode & 0o777 == 0o600 for file in secrets)

    write(instance.result, [1] + [x * y % 2**64 for x, y in pairs[1:]])
    with pytest.raises(SystemExit, match="wrong"):
        suite.verify(tmp_path, "toy")


def test_runner_verifies_and_estimates_a_single_product(tmp_path):
    options = ["zn", "single", "--runs", "2", "--no-record", "--folder", tmp_path]
    done = subprocess.run(
        [sys.executable, boards.BOARDS / "run.py", *options], check=True, capture_output=True, text=True
    )
    record = json.loads(done.stdout)
    assert [(each["run"], each["products"], each["right"]) for each in record["verified"]] == [
        (1, 1, True),
        (2, 1, True),
    ]
    assert 0 < record["estimated_96_vcpu_seconds"] < 1
    rows = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"stage"')]
    assert [row["run"] for row in rows] == [None] * 3 + [1] * 3 + [2] * 3
    assert rows[2]["input_bytes"] == sum(
        file.stat().st_size for file in (tmp_path / "io/single/ciphertexts_upload").iterdir()
    )


def test_numbers_are_joined_from_their_remainders():
    layout, post = boards.load("zn", "layout", "client_postprocess")
    rng = np.random.default_rng(4)
    signed = [int(x) for x in rng.integers(-(2**63), 2**63, 1000)]
    products = [x * y for x, y in zip(signed, signed[::-1], strict=True)] + [2**126, -(2**126) + 2**63, 0, -1]
    remainders = np.array([[(x + p // 2) % p - p // 2 for x in products] for p in layout.PRIMES])
    assert post.joined(remainders).tolist() == [x % 2**64 for x in products]


def test_a_killed_stage_leaves_nothing(tmp_path):
    suite, runner, layout = boards.load("zn", "suite", "run", "layout")
    suite.make_data(tmp_path, "medium", 1)
    instance = layout.Instance("medium", tmp_path)
    keys, prepare, encrypt = suite.stages("medium")[0]
    for stage in (keys, prepare):
        runner.run_stage(stage, boards.BOARDS / "zn", tmp_path, None)
    partial = instance.io / ".ciphertexts_upload.partial"
    command = [sys.executable, boards.BOARDS / "zn" / f"{encrypt.name}.py", *encrypt.arguments]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        while len(list(partial.glob("*.bin"))) < 3:
            assert process.poll() is None, "the stage ended before it was killed"
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert partial.exists() and not instance.upload.exists()
    runner.run_stage(encrypt, boards.BOARDS / "zn", tmp_path, None)
    assert len(list(instance.upload.iterdir())) == 2 * 5 * instance.blocks
    assert not partial.exists()
