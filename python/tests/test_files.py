"""Files are replaced completely or not at all; key files that need too much memory are refused; key
generation can be interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ringjet as rj

SETUP = """
import os, resource, signal, sys, warnings
import ringjet as rj
params = rj.params(12, [50] + [42] * 6, [50, 50], allow_insecure=True)
"""


def program(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SETUP + code, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run


@pytest.fixture
def other(client):
    """Evaluation keys of another client than those of the fixture `keys`."""
    return client.evaluation_keys(rotations=[7])


def test_saving_replaces_a_file_at_the_end(keys, other, tmp_path):
    path = tmp_path / "keys"
    other.save(path)
    old = path.read_bytes()
    path.chmod(0o640)

    def watched(done, total):
        assert path.read_bytes() == old, "nothing is seen before it is complete"

    keys.save(path, progress=watched)
    assert path.read_bytes() == keys.to_bytes() and os.listdir(tmp_path) == ["keys"]
    assert path.stat().st_mode & 0o777 == 0o640, "who may read it has not changed"
    link = tmp_path / "link"
    link.symlink_to("keys")
    other.save(link)
    assert link.is_symlink() and path.read_bytes() == old
    with pytest.raises(FileNotFoundError, match="nowhere"):
        keys.save(tmp_path / "nowhere" / "keys")
    with pytest.raises(OSError, match=str(tmp_path)):
        keys.save(tmp_path)


def test_ciphertexts_in_files(client, server, tmp_path):
    path = tmp_path / "x.rjet"
    fresh = client.encrypt([0.5, -0.25, 1.0])
    fresh.save(path)
    assert path.read_bytes() == fresh.to_bytes() and os.listdir(tmp_path) == ["x.rjet"]
    (server.load(str(path)) * 2).save(path)
    assert np.allclose(client.decrypt(path), [1.0, -0.5, 2.0], atol=1e-4)
    assert np.allclose(client.decrypt(str(path)), [1.0, -0.5, 2.0], atol=1e-4)
    for load in (server.load, client.decrypt):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            load(tmp_path / "nowhere")
        with pytest.raises(rj.TooManyBytesError):
            load(path, max_bytes=1000)
        with pytest.raises(TypeError, match="takes a Ciphertext, bytes, or the path of a file, not int"):
            load(3)
    secret = tmp_path / "key"
    client.save(secret)
    with pytest.raises(rj.OverwriteError):
        fresh.save(secret)
    with pytest.raises(rj.MalformedError):
        server.load(secret)


def test_public_keys_and_matrices_in_the_clear_in_files(client, server, x, v, tmp_path):
    public = client.public_key()
    encryptor = rj.Encryptor(public, slots=16)
    turn = rj.LinearTransform(np.roll(np.eye(4), 1, axis=1))
    for made in (public, encryptor, turn):
        path = tmp_path / type(made).__name__
        options = {} if made is turn else {"allow_insecure": True}
        made.save(str(path))
        assert path.read_bytes() == made.to_bytes()
        assert type(made).load(path, **options).to_bytes() == made.to_bytes()
        with pytest.raises(rj.TooManyBytesError, match="limit of 10"):
            type(made).load(path, max_bytes=10, **options)
        with pytest.raises(FileNotFoundError, match="nowhere"):
            type(made).load(tmp_path / "nowhere", **options)
        x.save(path)
        with pytest.raises(rj.MalformedError):
            type(made).load(path, **options)
    encryptor.save(tmp_path / "encryptor")
    again = rj.Encryptor.load(tmp_path / "encryptor", allow_insecure=True)
    assert np.max(np.abs(client.decrypt(again.encrypt([0.5, 0.25])) - [0.5, 0.25])) < 1e-5
    public.save(tmp_path / "public")
    with pytest.raises(rj.InsecureParametersError):
        rj.PublicKey.load(tmp_path / "public")


def test_matrices_in_files(client, server, tmp_path):
    path = tmp_path / "a.matrix"
    a = np.linspace(-1, 1, 6).reshape(2, 3)
    fresh = rj.encrypt_matrix(client, a)
    fresh.save(path)
    assert path.read_bytes() == fresh.to_bytes() and os.listdir(tmp_path) == ["a.matrix"]
    (rj.load_matrix(server, str(path)) + 1).save(path)
    assert np.max(np.abs(rj.decrypt_matrix(client, path) - (a + 1))) < 1e-6
    for read in (lambda *x, **y: rj.load_matrix(server, *x, **y), lambda *x, **y: rj.decrypt_matrix(client, *x, **y)):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read(tmp_path / "nowhere")
        with pytest.raises(rj.TooManyBytesError, match="limit of 1000"):
            read(path, max_bytes=1000)
    secret = tmp_path / "key"
    client.save(secret)
    with pytest.raises(rj.OverwriteError):
        fresh.save(secret)
    with pytest.raises(rj.MalformedError, match="RJMX"):
        rj.load_matrix(server, secret)
    with pytest.raises(OSError, match="full"):
        fresh.save("/dev/full")


def test_saving_to_what_is_no_file(keys, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    copy = tmp_path / "copy"
    with copy.open("wb") as out, subprocess.Popen(["cat", str(pipe)], stdout=out) as reader:
        keys.save(pipe)
        assert reader.wait(timeout=60) == 0
    assert copy.read_bytes() == keys.to_bytes() and pipe.is_fifo()


@pytest.mark.parametrize("failure", [RuntimeError("enough"), KeyboardInterrupt()])
def test_saving_that_stops_leaves_the_old_file(keys, other, tmp_path, failure):
    path = tmp_path / "keys"
    other.save(path)
    old = path.read_bytes()

    def stops(done, total):
        raise failure

    with pytest.raises(type(failure)):
        keys.save(path, progress=stops)
    assert path.read_bytes() == old and os.listdir(tmp_path) == ["keys"]


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "keys"
    code = """
client = rj.Client(params, seed=1)
client.evaluation_keys().save(sys.argv[1])
client.save(sys.argv[1] + ".secret")
keys = client.evaluation_keys(rotations=range(1, 9))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for limit in (0, 100, 5 * 10**6):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        keys.save(sys.argv[1])
    except rj.StreamError as e:
        assert sys.argv[1] in str(e) or "evaluation keys" in str(e), e
    else:
        sys.exit("saved more than there is room for")
resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
try:
    client.save(sys.argv[1] + ".secret")
except rj.StreamError:
    pass
else:
    sys.exit("saved more than there is room for")
"""
    program(code, path)
    client = rj.Client.load(f"{path}.secret", allow_insecure=True)
    keys = rj.EvaluationKeys.load(path, allow_insecure=True)
    assert len(keys) == 1 and sorted(os.listdir(tmp_path)) == ["keys", "keys.secret"]
    x = rj.Server(keys).load(client.encrypt([0.5]))
    assert abs(client.decrypt(x * x)[0] - 0.25) < 1e-6


def test_killed_while_saving(keys, tmp_path):
    path = tmp_path / "keys"
    keys.save(path)
    code = """
keys = rj.Client(params).evaluation_keys(rotations=range(1, 9))
keys.save(sys.argv[1], progress=lambda done, total: os.kill(os.getpid(), signal.SIGKILL))
"""
    run = subprocess.run([sys.executable, "-c", SETUP + code, str(path)], timeout=120, check=False)
    assert run.returncode == -signal.SIGKILL
    assert path.read_bytes() == keys.to_bytes()


def test_a_secret_in_a_file(client, tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"what was there before, for everybody to read")
    path.chmod(0o644)
    before = os.umask(0)
    try:
        with pytest.raises(rj.OverwriteError, match="is no secret key: choose another name") as refused:
            client.save(path)
        client.save(path, overwrite=True)
    finally:
        os.umask(before)
    assert isinstance(refused.value, FileExistsError) and (refused.value.path, refused.value.key_id) == (
        str(path),
        None,
    )
    assert path.stat().st_mode & 0o777 == 0o600 and os.listdir(tmp_path) == ["secret"]
    assert path.read_bytes() == client.to_secret_bytes()
    again = rj.Client.load(path, 16, allow_insecure=True)
    assert again.slots == 16 and again.to_secret_bytes() == client.to_secret_bytes()
    assert np.max(np.abs(rj.Client.load(path, allow_insecure=True).decrypt(client.encrypt([0.5]))[:1] - 0.5)) < 1e-6
    with pytest.raises(rj.InsecureParametersError):
        rj.Client.load(path)
    with pytest.raises(rj.TooManyBytesError, match="limit of 100"):
        rj.Client.load(path, allow_insecure=True, max_bytes=100)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        rj.Client.load(tmp_path / "nowhere")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(rj.MalformedError):
        rj.Client.load(path, allow_insecure=True)


def test_bytes_that_find_no_room_are_refused():
    code = """
import gc
rj.set_threads(1)
client = rj.Client(params)
keys = client.evaluation_keys(rotations=range(1, 80))
size = keys.sizes["bytes"]
x = client.encrypt([0.5])
x.to_bytes(), keys.merge(client.evaluation_keys(rotations=[1])).to_bytes()
gc.collect()

def used():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

soft, hard = resource.getrlimit(resource.RLIMIT_AS)
assert size > 50 << 20, size
for room in (0, 1 << 20, 8 << 20, size // 2, size - (1 << 20)):
    resource.setrlimit(resource.RLIMIT_AS, (used() + room, hard))
    for _ in range(2):
        try:
            keys.to_bytes()
        except rj.OutOfMemoryError as e:
            assert isinstance(e, MemoryError) and str(e.bytes) in str(e) and 0 < e.bytes <= size, e
        else:
            sys.exit(f"{size} bytes in {room}")
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
assert len(keys.to_bytes()) == size
"""
    program(code)


INTERRUPTED = """
import signal, sys, ringjet as rj
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is born with it ignored
rj.set_threads({threads})
client = rj.Client({params})
seen = []
print("ready", flush=True)
try:
    client.evaluation_keys(rotations=list(range(1, {count})), progress=lambda done, total: seen.append(done))
except KeyboardInterrupt:
    client.encrypt([1.0])
    sys.exit(42 if len(seen) <= {most} else 3)
sys.exit(1)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_is_answered_within_a_second(interrupted, threads):
    # keys with 31 digits of 32 limbs each
    params = "rj.params(14, [60] + [55] * 30, [60], alpha=1, allow_insecure=True)"
    child = interrupted(INTERRUPTED.format(params=params, threads=threads, count=50, most=49), 1.0)
    assert child.status == 42 and child.seconds < 1


def test_ctrl_c_within_one_key():
    # the signal handler runs between the steps of a single key, which make no progress calls
    params = rj.params(13, [50] * 20, [50], alpha=1, allow_insecure=True)
    big = rj.Client(params)
    start = time.monotonic()
    big.evaluation_keys()
    whole = time.monotonic() - start
    told: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    try:
        signal.setitimer(signal.ITIMER_REAL, whole / 4)
        with pytest.raises(KeyboardInterrupt):
            big.evaluation_keys(progress=lambda done, total: told.append(done))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert told == [], "stopped within the only key"
