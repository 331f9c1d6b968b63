"""Threads, the interpreter lock, interruption, backends and progress."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ringjet as rj
from ringjet.progress import bar


@pytest.fixture(scope="module")
def big() -> rj.Client:
    return rj.Client(rj.preset("n14-depth6"))


def test_set_threads(client, v):
    before = rj.threads()
    try:
        rj.set_threads(1)
        assert rj.threads() == 1
        one = rj.Client(client.params, seed=1)
        server = rj.Server(one.evaluation_keys())
        assert server.threads == 1
        assert rj.Server(one.evaluation_keys(), threads=2).threads == 2
        x = server.load(client.encrypt(v))
        assert np.max(np.abs(client.decrypt(x * x) - v * v)) < 1e-6
    finally:
        rj.set_threads(before)
    with pytest.raises(rj.ArgumentError, match="threads"):
        rj.set_threads(10**6)
    with pytest.raises(rj.ArgumentError, match="threads = -1"):
        rj.set_threads(-1)
    with pytest.raises(rj.ArgumentError, match="threads = -1"):
        rj.Server(client.evaluation_keys(), threads=-1)


def test_backends_agree_bit_for_bit(client, keys, v):
    assert {"auto", "cpu", "cpu-scalar"} <= set(rj.backends())
    blob, data = keys.to_bytes(), client.encrypt(v).to_bytes()
    results = set()
    for name in [*rj.backends(), "cuda-emulated"]:
        server = rj.Server(blob, backend=name, allow_insecure=True)
        x = server.load(data)
        if name not in ("auto", "cpu"):
            assert server.backend == x.backend == name
        results.add(((x * x + x.rotate(1)) * 0.5 - 0.25 * x + 1).to_bytes())
    assert len(results) == 1


@pytest.mark.parametrize(("bits", "scale"), [(48, 40), (30, 24)])
def test_a_gpu_stores_residues_of_few_bits_in_few_bytes(tmp_path, bits, scale, v):
    params = rj.params(11, [bits] + [scale] * 2, [bits, bits], allow_insecure=True)
    client = rj.Client(params, seed=7)
    keys, data = client.evaluation_keys(rotations=[1]), client.encrypt(v / 8).to_bytes()
    keys.save(tmp_path / "keys")
    results = set()
    for given in (keys, keys.to_bytes(), tmp_path / "keys"):
        for name in ("cpu", "cuda-emulated"):
            server = rj.Server(given, backend=name, allow_insecure=True)
            x = server.load(data)
            results.add((x * x + x.rotate(1)).to_bytes())
    assert len(results) == 1


def test_a_gpu_that_is_not_there_is_named(keys):
    assert rj.Server(keys, backend="auto").backend.startswith("cpu")  # a GPU is never chosen unasked
    if "cuda" in rj.backends():
        assert rj.Server(keys, backend="cuda").backend == "cuda"
        return
    with pytest.raises(rj.BackendError, match="cuda: .*(driver|GPU|NVRTC)"):
        rj.Server(keys, backend="cuda")


def test_ciphertexts_of_two_backends_meet(client, keys, v):
    a = rj.Server(keys).load(client.encrypt(v))
    b = rj.Server(keys, backend="cpu-scalar").load(a)
    assert b.backend == "cpu-scalar"
    assert np.max(np.abs(client.decrypt(a * b) - v * v)) < 1e-6
    assert (b * a).backend == "cpu-scalar"


def test_other_threads_run_during_key_generation(big):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    big.evaluation_keys(rotations=list(range(1, 25)))
    end = time.monotonic()
    stop.set()
    thread.join()
    inside = [t for t in ticks if start < t < end]
    # if the lock were held, there would be ticks between two keys only
    assert len(inside) > max(48, (end - start) / 0.02)


def test_parallel_use_from_python_threads(client, server, v):
    x = server.load(client.encrypt(v))
    expected = (x * x + x.rotate(1)).to_bytes()
    results = []
    threads = [threading.Thread(target=lambda: results.append((x * x + x.rotate(1)).to_bytes())) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [expected] * 6


INTERRUPTED = """
import signal, sys, ringjet as rj
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born with it ignored
client = rj.Client(rj.preset("n14-depth6"))
print("ready", flush=True)
try:
    client.evaluation_keys(rotations=list(range(1, 5000)))
except KeyboardInterrupt:
    x = client.encrypt([1.0])
    sys.exit(42)
sys.exit(1)
"""


def test_ctrl_c_stops_key_generation(interrupted):
    child = interrupted(INTERRUPTED, 0.5)
    assert child.status == 42 and child.seconds < 3


def test_progress(client, capfd):
    seen = []
    client.evaluation_keys(
        rotations=[1, 2, 3], conjugation=True, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(i, 5) for i in range(1, 6)]
    client.evaluation_keys(rotations=[1], progress=True)
    assert "2/2" in capfd.readouterr().err
    client.evaluation_keys(rotations=[1], progress=False)
    assert capfd.readouterr().err == ""

    def fails(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        client.evaluation_keys(rotations=[1, 2], progress=fails)
    with pytest.raises(TypeError, match="progress"):
        client.evaluation_keys(progress=3)


def test_bar_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out = Terminal()
    show = bar("work", out)
    show(1, 2)
    show(2, 2)
    assert out.getvalue().count("\r") == 2 and out.getvalue().endswith("\n") and "2/2" in out.getvalue()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_is_told_instead_of_hanging(x):
    code = """
import os, sys, warnings
warnings.simplefilter("ignore")
import ringjet as rj
client = rj.Client(rj.params(11, [50] + [42] * 3, [50, 50], allow_insecure=True))
x = rj.Server(client.evaluation_keys()).load(client.encrypt([1.0]))
pid = os.fork()
if pid == 0:
    try:
        x * x
    except rj.BackendError as e:
        os._exit(7 if "spawn" in str(e) else 1)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_presets():
    table = rj.presets()
    text, html = repr(table), table._repr_html_()
    assert len(table) == len(list(table)) == len(text.splitlines()) - 1
    for p in table:
        assert p.name in text and p.name in html and p.name in table
        assert table[p.name].parameters == rj.preset(p.name)
        assert p.security >= 128 and p.parameters.security_margin > 0 or p.parameters.allow_insecure
        assert p.depth > 0 and p.precision > (15 if p.parameters.scheme == "ckks" else 8)
        assert p.slots == p.parameters.slots and set(p.sizes) >= {"ciphertext", "evaluation_key"}
    assert [p.name for p in table if p.parameters.allow_insecure] == ["heaan-n15-boot", "heaan-n16-q1200"]
    assert "insecure" in text
    for word in ("security", "depth", "slots", "precision", "key"):
        assert word in text and word in html


def test_presets_for_what_is_asked():
    found = rj.presets(scheme="ckks", depth=12, slots=1000, bootstrapping=False)
    assert [p.name for p in found] == ["n15-depth14", "n16-depth24", "n16-depth30", "n17-depth50"]
    assert found[0].parameters == rj.preset("n15-depth14") and found["n13-depth2"].depth == 2
    assert "n13-depth2" not in found and found[-1].name == "n17-depth50" and "n14-depth6" not in repr(found)
    deep = [p.name for p in rj.presets(scheme="ckks", depth=40)]
    assert deep[0] == "n15-boot-fast" and "n17-depth50" in deep, "a preset that bootstraps has any depth"
    assert all(p.security for p in rj.presets(depth=0)) and len(rj.presets(depth=0)) < len(rj.presets())
    assert all(p.depth >= 12 for p in rj.presets(depth=12, bootstrapping=True))
    assert {p.parameters.scheme for p in rj.presets(scheme="bgv", slots=8192)} == {"bgv"}
    assert all(p.precision >= 30 and p.security for p in rj.presets(precision=30))
    none = rj.presets(scheme="bfv", depth=30)
    assert len(none) == 0 and repr(none).startswith("no preset has depth 30 or more, scheme bfv: ")
    with pytest.raises(IndexError, match="no preset has depth 30"):
        none[0]
    with pytest.raises(IndexError, match="there are 4"):
        found[4]
    for wrong in ({"scheme": "rsa"}, {"depth": -1}, {"slots": True}, {"precision": float("nan")}):
        with pytest.raises(rj.ArgumentError):
            rj.presets(**wrong)


def test_help_has_the_constructors():
    """`help` shows constructors with their signatures and arguments."""
    import inspect

    for made, arguments in (
        (rj.Client, ["params", "slots", "seed", "magnitude"]),
        (rj.Server, ["keys", "backend", "threads", "max_bytes", "allow_insecure", "params", "key_memory"]),
        (rj.Encryptor, ["public_key", "slots", "magnitude"]),
        (rj.LinearTransform, ["matrix", "slots", "batch", "keep"]),
    ):
        assert list(inspect.signature(made).parameters) == arguments
        assert f"`{made.__name__}({arguments[0]}" in (made.__doc__ or "")
