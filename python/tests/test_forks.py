"""Processes that are forked from a parent with running threads, spawned, or made by pools; and
numbers of threads. Each test is a program of its own with a time limit, so that a deadlock fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PARAMS = "rj.params(13, [50] + [42] * 5, [50, 50], allow_insecure=True)"

#: Large enough that several threads share the work.
WORK = f"""
import os, sys, threading, warnings
warnings.simplefilter("ignore")
import numpy as np
import ringjet as rj

def work(params=None):
    # everything that a client and a server do
    params = params or {PARAMS}
    client = rj.Client(params)
    keys = client.evaluation_keys(rotations=[1, 2], conjugation=True)
    data = keys.to_bytes()
    server = rj.Server(data, allow_insecure=True)
    assert rj.EvaluationKeys.from_bytes(data, allow_insecure=True).to_bytes() == data
    public = rj.PublicKey.from_bytes(client.public_key().to_bytes(), allow_insecure=True)
    v = np.linspace(-1, 1, client.slots)
    x = server.load(client.encrypt(v).to_bytes())
    y = server.load(rj.Encryptor(public).encrypt(v).to_bytes())
    error = np.max(np.abs(client.decrypt((x * y).rotate(1).to_bytes()) - np.roll(v * v, -1)))
    assert error < 1e-5, error
    return client, keys, public, server, x

def child(f):
    pid = os.fork()
    if pid == 0:
        try:
            f()
        except BaseException as e:
            print(repr(e), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7

def tasks():
    return len(os.listdir("/proc/self/task"))
"""


def program(code: str, tmp_path: Path) -> None:
    """Runs `code` after WORK, as a file, since multiprocessing imports it."""
    script = tmp_path / "program.py"
    script.write_text(f"{WORK}\n{code}")
    environment = {**os.environ, **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")}
    run = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


@needs_fork
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_child_of_a_warm_parent_makes_its_own(tmp_path, threads):
    code = f"""
rj.set_threads({threads})
parent = work()
child(work)
child(lambda: work(parent[0].params))
child(lambda: child(work))
work()
child(work)
"""
    program(code, tmp_path)


@needs_fork
def test_what_a_parent_opened_is_refused_in_the_child_at_once(tmp_path):
    code = """
rj.set_threads(2)
client, keys, public, server, x = work()
blob = client.encrypt([0.5]).to_bytes()

def refused():
    mine = rj.Client(client.params)
    mine_server = rj.Server(mine.evaluation_keys())
    y = mine_server.load(mine.encrypt([1.0]))
    calls = [
        lambda: x * x, lambda: x + y, lambda: y + x, lambda: x.to_bytes(), lambda: x.rotate(1),
        lambda: client.encrypt([1.0]), lambda: client.encrypt([1.0], public=True), lambda: client.decrypt(blob),
        lambda: client.evaluation_keys(), lambda: client.public_key(), lambda: mine.decrypt(x),
        lambda: rj.Encryptor(public).encrypt([1.0]), lambda: public.to_bytes(),
        lambda: keys.to_bytes(), lambda: keys.save("never"), lambda: keys.merge(keys),
        lambda: rj.Server(keys), lambda: rj.Server(keys, key_memory="compressed"), lambda: mine.evaluation_keys().merge(keys),
        lambda: server.load(blob), lambda: mine_server.load(x),
    ]
    for i, call in enumerate(calls):
        try:
            call()
        except rj.BackendError as e:
            assert "fork" in str(e), (i, e)
        else:
            raise AssertionError(f"call {i} was not refused")
    again = rj.Client.from_secret_bytes(client.to_secret_bytes(), allow_insecure=True)
    assert abs(again.decrypt(blob)[0] - 0.5) < 1e-5
    global x2
    x2 = None

child(refused)

def forgets():
    global client, keys, public, server, x
    del client, keys, public, server, x
    import gc
    gc.collect()
    work()

child(forgets)
assert not os.path.exists("never")
"""
    program(code, tmp_path)


@needs_fork
def test_a_fork_while_other_threads_compute(tmp_path):
    code = """
rj.set_threads(2)
client, keys, public, server, x = work()
stop = threading.Event()

def compute():
    while not stop.is_set():
        x * x
        client.encrypt([1.0]).to_bytes()

threads = [threading.Thread(target=compute, daemon=True) for _ in range(2)]
for t in threads:
    t.start()
for _ in range(10):
    child(work)
stop.set()
for t in threads:
    t.join()
"""
    program(code, tmp_path)


POOLS = {
    "fork": "multiprocessing.get_context('fork').Pool(2).map(job, range(4))",
    "spawn": "multiprocessing.get_context('spawn').Pool(2).map(job, range(4))",
    "loky": "joblib.Parallel(n_jobs=2, backend='loky')(joblib.delayed(job)(i) for i in range(4))",
}


@pytest.mark.parametrize("kind", POOLS)
def test_pools(tmp_path, kind):
    if kind == "fork" and not hasattr(os, "fork"):
        pytest.skip("no fork here")
    if kind == "loky":
        pytest.importorskip("joblib")
    code = f"""
import multiprocessing

def job(i):
    client, *_ = work()
    return i, os.getpid(), client.encrypt([i], magnitude=4).to_bytes(), client.to_secret_bytes()

if __name__ == "__main__":
    {"import joblib" if kind == "loky" else ""}
    rj.set_threads(2)
    work()
    for i, process, blob, secret in {POOLS[kind]}:
        assert process != os.getpid()
        client = rj.Client.from_secret_bytes(secret, allow_insecure=True)
        assert abs(client.decrypt(blob)[0] - i) < 1e-4
"""
    program(code, tmp_path)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads here")
def test_there_are_as_many_threads_as_said(tmp_path):
    code = """
before = tasks()
most = before

def watch():
    global most
    while not stop.is_set():
        most = max(most, tasks())
        stop.wait(0.0005)

rj.set_threads(1)
for threads, expected in [(1, 0), (3, 2)]:
    rj.set_threads(threads)
    stop, most = threading.Event(), 0
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    held = work()
    boot = rj.Client(rj.bootstrap_chain(log_n=11, message_levels=2, log_ratio=12.0, special=4, slots_to_coeffs=[5, 5],
                                        coeffs_to_slots=[5, 5], allow_insecure=True), slots=8)
    boot.evaluation_keys(bootstrapping=True).to_bytes()
    heaan = rj.Client(rj.heaan(10, 300, 35, allow_insecure=True))
    heaan.evaluation_keys(rotations=[1]).to_bytes()
    stop.set()
    watcher.join()
    assert most - before - 1 == expected, (threads, before, most)
    del held, boot, heaan
    import gc, time
    gc.collect()
    for _ in range(1000):
        if tasks() == before:
            break
        time.sleep(0.01)
    assert tasks() == before, "helpers end with their backend"
"""
    program(code, tmp_path)
