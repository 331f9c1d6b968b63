"""Sizes that nobody has the memory for, little memory, and readers who are gone: nothing aborts."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet import __main__ as command
from ringjet import images

SCARCE = Path(__file__).with_name("scarce_memory.py")

#: Calls whose sizes no parameters have. Each must be refused by its sizes, before memory is spent.
SIZES = {
    "slots of a transform": (rj.ArgumentError, lambda x: rj.LinearTransform(np.eye(2), slots=2**40)),
    "slots that overflow": (rj.ArgumentError, lambda x: rj.LinearTransform(np.eye(2), slots=2**63)),
    "a batch": (rj.ArgumentError, lambda x: rj.LinearTransform(np.eye(2), batch=2**40)),
    "a batch that overflows": (rj.ArgumentError, lambda x: rj.LinearTransform(np.eye(2), batch=2**63)),
    "diagonals": (rj.ArgumentError, lambda x: rj.LinearTransform.from_diagonals(2**40, {0: [1.0]})),
    "diagonals that overflow": (rj.ArgumentError, lambda x: rj.LinearTransform.from_diagonals(2**63, {0: [1.0]})),
    "no diagonals": (rj.ArgumentError, lambda x: rj.LinearTransform.from_diagonals(2**40, {})),
    "a plan of matrices": (rj.ArgumentError, lambda x: rj.plan_matrices(lambda a: a, "n14-depth6", [(10**7, 10**7)])),
    "a simulation of matrices": (
        rj.ArgumentError,
        lambda x: rj.simulate_matrices(lambda a: a, np.broadcast_to(0.0, (10**7, 10**7)), params="n14-depth6"),
    ),
    "a matrix to encrypt": (
        rj.ArgumentError,
        lambda x: rj.encrypt_matrix(rj.Client("n13-depth2"), np.broadcast_to(0.0, (10**7, 10**7))),
    ),
    "an image": (rj.ArgumentError, lambda x: images.conv2d(np.ones((3, 3)), (10**6, 10**6))),
    "padding": (rj.ArgumentError, lambda x: images.conv2d(np.ones((3, 3)), (8, 8), padding=10**6)),
    "a kernel": (
        rj.ArgumentError,
        lambda x: images.conv2d(np.broadcast_to(1.0, (10**5, 10**5)), (8, 8), padding=10**5),
    ),
    "channels": (rj.ArgumentError, lambda x: images.conv2d(np.broadcast_to(1.0, (10**9, 1, 3, 3)), (8, 8))),
    "a window": (rj.ArgumentError, lambda x: images.average_pool2d(10**5, (1, 8, 8))),
    "rotations": (rj.ArgumentError, lambda x: rj.Client("n13-depth2").evaluation_keys(rotations=range(10**12))),
    "numbers of slots": (
        rj.ArgumentError,
        lambda x: rj.Client("n15-boot").evaluation_keys(bootstrapping=range(10**12)),
    ),
    "rotations of a ciphertext": (rj.ArgumentError, lambda x: x.rotations(range(10**12))),
    "primes": (rj.ArgumentError, lambda x: rj.params(13, range(10**12), [50])),
    "matrices of a transform": (
        rj.ArgumentError,
        lambda x: rj.bootstrap_chain(log_n=15, message_levels=3, coeffs_to_slots=range(10**12)),
    ),
    "values": (
        (rj.SlotCountError, MemoryError),
        lambda x: rj.Client("n13-depth2").encrypt(np.broadcast_to(0.0, 2**40)),
    ),
    "integers": ((rj.SlotCountError, MemoryError), lambda x: rj.Client("bgv-n12").encrypt(np.broadcast_to(0, 2**40))),
    "an operand": ((rj.SlotCountError, MemoryError), lambda x: x * np.broadcast_to(1.0, 2**40)),
    "edges": (rj.ArgumentError, lambda x: x.histogram(np.broadcast_to(0.5, 2**40), 4, gap=0.1)),
    "a ring": (rj.RingjetError, lambda x: rj.params(2**31, [50], [50], allow_insecure=True)),
    "threads": (rj.ArgumentError, lambda x: rj.set_threads(2**40)),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_checked_first(name, server, client):
    error, call = SIZES[name]
    x = server.load(client.encrypt([0.5]))
    start = time.perf_counter()
    with pytest.raises(error):
        call(x)
    assert time.perf_counter() - start < 2


def test_a_column_whose_diagonals_do_not_fit_is_refused():
    """65,536 diagonals of 65,536 slots, 64 GiB: known before there is the first one."""
    column = np.ones((65_536, 1))
    program = f"import numpy as np, resource; resource.setrlimit(resource.RLIMIT_AS, ({8 << 30},) * 2)\n"
    program += "import ringjet as rj\ntry:\n    rj.LinearTransform(np.ones((65_536, 1)))\nexcept rj.OutOfMemoryError as e:\n    print(e.bytes)"
    start = time.perf_counter()
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stdout) == (0, f"{16 * len(column) ** 2}\n"), found.stderr
    assert time.perf_counter() - start < 20


#: What takes more memory than earlier operations of the process have left behind.
TAKING = {"clients", "keys", "operators", "transforms", "key_bytes", "bootstraps"}


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize(
    "names",
    ["clients keys encryption operators polynomials transforms exact plans", "key_bytes bfv heaan bootstraps"],
)
def test_scarce_memory_is_an_error(names):
    """Every operation ends with a result or a MemoryError of its own, however little memory is left."""
    run = [sys.executable, str(SCARCE), *names.split()]
    found = subprocess.run(run, capture_output=True, text=True, timeout=600, check=False)
    assert found.returncode == 0, found.stdout[-300:] + found.stderr[-600:]
    ends: dict[str, list[str]] = {}
    for name, _, end in (line.split(maxsplit=2) for line in found.stdout.splitlines()):
        ends.setdefault(name, []).append(end)
    assert list(ends) == names.split()
    for name, found in ends.items():
        assert len(found) == 9 and found[-1] == "result", (name, found)
        assert name not in TAKING or "refused" in found, (name, found)


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"], ["--version"], ["train", "--help"]])
def test_a_command_ends_quietly_when_nobody_reads(arguments):
    run = [sys.executable, "-m", "ringjet", *arguments]
    read, write = os.pipe()
    os.close(read)
    # argparse ignores failures of writing, and without a buffer there is nothing left to write at the end
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(run, stdout=write, stderr=subprocess.PIPE, text=True, env=buffered, check=False)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (141, "")


@pytest.mark.parametrize(
    ("reported", "quiet"),
    [(select.POLLERR, True), (select.POLLHUP, True), (select.POLLERR | select.POLLHUP, True), (0, False), (None, True)],
)
def test_gone_readers_of_other_systems(monkeypatch, reported, quiet):
    """macOS reports POLLHUP where Linux reports POLLERR, and Windows has no poll."""

    class Poll:
        def register(self, file, events):
            pass

        def poll(self, timeout):
            return [(1, reported)] if reported else []

    if reported is None:
        monkeypatch.delattr(select, "poll")
    else:
        monkeypatch.setattr(select, "poll", Poll)
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    assert command._reader_is_gone() is quiet
