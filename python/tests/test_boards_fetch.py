"""`bench/boards/fetch`: the smallest instances, killed stages, and how matches are told apart."""

import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import boards

#: A seed of the toy data for which the query has matches.
SEED = 2


def tables_of(numbers, payloads, sets, noise):
    """The decrypted slots of both tables for matches with these numbers."""
    layout, post = boards.load("fetch", "layout", "client_postprocess")
    rng = np.random.default_rng(3)
    slots = noise * rng.standard_normal((2, layout.SLOTS, 2)) @ [1, 1j]
    for number, payload in zip(numbers, payloads, strict=True):
        held = np.array([1, *(np.divmod(number, 4096) / np.array(4096)), *(payload / 4096)])
        held = held * rng.uniform(0.985, 1.015)
        columns = held[::2] + 1j * held[1::2]
        first, second = post.cells(number, sets)
        slots[0, first + layout.CELLS * np.arange(layout.COLUMNS)] += columns
        slots[1, second * layout.STRIDE + np.arange(layout.COLUMNS)] += columns
    return post.tables(slots), post


@pytest.mark.parametrize("sets", [1, 4, 62])
def test_matches_are_told_apart_unless_they_share_both_cells(sets):
    rng = np.random.default_rng(sets)
    numbers = rng.choice(sets * 16384, 29, replace=False)
    # Records beside each other share a cell of the second table, records 1024 apart one of the first.
    numbers = np.unique([*numbers, numbers[0] // 16 * 16, numbers[0] // 16 * 16 + 1, (numbers[1] + 1024) % 16384])
    payloads = rng.integers(4096, size=(len(numbers), 7))
    both, post = tables_of(numbers, payloads, sets, 1e-5)
    found = post.peel(both, sets)
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, payloads.tolist()))


def test_matches_that_cannot_be_told_apart_are_an_error():
    numbers = [0, 1, 1024, 1025]  # in cells (0, 0), (1, 0), (0, 64), (1, 64): each cell holds two of them
    both, post = tables_of(numbers, np.arange(28).reshape(4, 7), 1, 0)
    with pytest.raises(SystemExit, match="share their cells"):
        post.peel(both, 1)


def test_no_two_records_share_both_cells():
    layout, post = boards.load("fetch", "layout", "client_postprocess")
    sets = layout.Instance(2).sets
    cells = {post.cells(number, sets) for number in range(0, sets * layout.SLOTS, 7)}
    assert len(cells) == len(range(0, sets * layout.SLOTS, 7))


def test_threshold_is_as_near_to_zero_and_one_as_stated():
    (circuit,) = boards.load("fetch", "circuit")
    polynomial = np.polynomial.Chebyshev(circuit.threshold())
    assert np.abs(polynomial(np.linspace(-1, 0.7, 20001))).max() < 3e-6
    assert np.abs(polynomial(np.linspace(-0.5, 0.5, 20001))).max() < 5e-8
    assert np.abs(polynomial(np.linspace(0.85, 1, 2001)) - 1).max() < 0.02
    rising = polynomial(np.linspace(0.7, 0.85, 16))
    assert all(a < b for a, b in pairwise(rising))


def killed(name, arguments, root, partial):
    """Starts a stage, and kills it when it has written some files to `partial`."""
    command = [sys.executable, boards.BOARDS / "fetch" / f"{name}.py", *arguments]
    with subprocess.Popen(command, cwd=root) as process:
        while len(list(partial.rglob("*.bin"))) < 3:
            assert process.poll() is None, "the stage ended before it was killed"
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    return process.returncode


def test_toy_payloads_come_back_and_a_killed_stage_leaves_nothing(tmp_path):
    suite, runner, layout = boards.load("fetch", "suite", "run", "layout")
    suite.make_data(tmp_path, "toy", SEED)
    instance = layout.Instance(0, root=tmp_path)
    (prepare, keys, encrypt, *rest), queries = suite.stages("toy")
    folder = boards.BOARDS / "fetch"
    for stage in (prepare, keys):
        runner.run_stage(stage, folder, tmp_path, None)
    assert instance.secret.stat().st_mode & 0o777 == 0o600

    partial = instance.io / ".encrypted.partial"
    assert killed(encrypt.name, encrypt.arguments, tmp_path, partial) == -signal.SIGKILL
    assert partial.exists() and not instance.encrypted.exists()
    row = runner.run_stage(encrypt, folder, tmp_path, None)
    assert row["database_bytes"] > 128 * 1_000_000
    assert not partial.exists()

    for stage in rest:
        runner.run_stage(stage, folder, tmp_path, None)
    suite.make_query(tmp_path, "toy", SEED)
    for stage in queries:
        runner.run_stage(stage, folder, tmp_path, 1)
    found = suite.verify(tmp_path, "toy")
    assert 0 < found["matches"] <= 32

    result = np.fromfile(instance.result, np.int16)
    result[0] ^= 1
    result.tofile(instance.result)
    with pytest.raises(SystemExit, match="wrong"):
        suite.verify(tmp_path, "toy")


def test_toy_matches_are_counted(tmp_path):
    boards.run("fetch", "count_toy", tmp_path, SEED)
    suite, layout = boards.load("fetch", "suite", "layout")
    assert suite.verify(tmp_path, "count_toy")["matches"] > 0
    result = layout.Instance(0, True, tmp_path).result
    np.array([np.fromfile(result, np.int_)[0] + 1]).tofile(result)
    with pytest.raises(SystemExit, match="wrong"):
        suite.verify(tmp_path, "count_toy")


def test_records_that_are_no_unit_vectors_are_refused(tmp_path):
    suite, layout = boards.load("fetch", "suite", "layout")
    suite.make_data(tmp_path, "toy", SEED)
    data = layout.Instance(0, root=tmp_path).data
    records = np.fromfile(data / "db.bin", np.float32)
    records[5 * 128 : 6 * 128] *= 2
    records.tofile(data / "db.bin")
    command = [sys.executable, boards.BOARDS / "fetch/client_preprocess_dataset.py", "0"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "record 5 of db.bin" in done.stderr


def test_stages_run_from_links_as_the_harness_calls_them(tmp_path):
    suite, layout = boards.load("fetch", "suite", "layout")
    suite.make_data(tmp_path, "toy", SEED)
    suite.make_query(tmp_path, "toy", SEED)
    link = tmp_path / "submission" / "client_preprocess_query.py"
    link.parent.mkdir()
    link.symlink_to(boards.BOARDS / "fetch/client_preprocess_query.py")
    command = [sys.executable, link, "0", "--seed", "5", "--count_only"]
    assert subprocess.run(command, check=False, cwd=tmp_path).returncode == 0
    shutil.rmtree(layout.Instance(0, root=tmp_path).data)
    assert subprocess.run(command, check=False, cwd=tmp_path, stderr=subprocess.DEVNULL).returncode == 1
