"""Files of secret keys: nothing destroys a key by accident, and the count of shared answers is in the
file before an answer is given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ringjet as rj
from ringjet._train import checkpoint

#: The block of numbers that a process takes at once (python/src/answers.rs).
BLOCK = 16
#: Its scales leave room for the noise of shared answers.
PRESET = "n14-share-depth2"

SHARE = """
import os, signal, sys
import ringjet as rj
client = rj.Client.load(sys.argv[1])
plan, ct = rj.plan(lambda x: x, client.params), client.encrypt([0.25])
def share(answers=1024):
    return client.decrypt_for_sharing(ct, 8, plan=plan, answers=answers)
"""


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "secret.key"


@pytest.fixture(scope="module")
def owner() -> rj.Client:
    return rj.Client(PRESET)


@pytest.fixture(scope="module")
def plan(owner):
    return rj.plan(lambda x: x, owner.params)


def count_in(path: Path) -> int:
    return rj.Client.load(path, allow_insecure=True).answers_given


def share(client: rj.Client, plan, times: int = 1, answers: int = 1024) -> None:
    ct = client.encrypt([0.25])
    for _ in range(times):
        assert abs(client.decrypt_for_sharing(ct, 8, plan=plan, answers=answers)[0] - 0.25) <= 2**-9


def process(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", SHARE + code, str(path)], stdout=subprocess.PIPE, text=True)


# ---- what saving replaces ----


def test_a_key_of_another_client_is_not_replaced(params, path):
    first, second = rj.Client(params), rj.Client(params)
    first.save(path)
    kept = path.read_bytes()
    with pytest.raises(rj.OverwriteError, match=f"holds the secret key {first.key_id}.*overwrite=True") as error:
        second.save(path)
    assert (error.value.path, error.value.key_id) == (str(path), first.key_id) and isinstance(
        error.value, FileExistsError
    )
    assert path.read_bytes() == kept
    # the same key again, from this client and from another object
    first.save(path)
    rj.Client.load(path, allow_insecure=True).save(path)
    assert path.read_bytes() == kept and os.listdir(path.parent) == ["secret.key"]
    second.save(path, overwrite=True)
    assert rj.Client.load(path, allow_insecure=True).key_id == second.key_id


def test_the_first_program_of_the_tutorial_runs_twice(tmp_path, monkeypatch):
    """The key of the first run stays."""
    text = (Path(__file__).parents[2] / "docs" / "tutorials" / "first-computation.md").read_text()
    code = text.partition("# client, first run\n")[2].partition("# server:")[0]
    assert 'client.save("secret.key")' in code
    monkeypatch.chdir(tmp_path)
    names = {"rj": rj, "Path": Path, "temperatures": [18.5, 21.0]}
    exec(code, names)
    kept = Path("secret.key").read_bytes()
    with pytest.raises(rj.OverwriteError):
        exec(code, dict(names))
    assert Path("secret.key").read_bytes() == kept


def test_public_keys_do_not_replace_a_secret_key(client, keys, path):
    client.save(path)
    with pytest.raises(rj.OverwriteError, match="choose another name, or remove the file first") as error:
        keys.save(path)
    assert error.value.key_id == client.key_id and path.read_bytes() == client.to_secret_bytes()


def test_other_files_are_not_replaced_and_empty_ones_are(client, keys, path):
    for content in (b"notes", keys.to_bytes(), bytes(3 << 20)):
        path.write_bytes(content)
        with pytest.raises(rj.OverwriteError, match="is no secret key") as error:
            client.save(path)
        assert error.value.key_id is None and path.read_bytes() == content
    path.write_bytes(b"")
    client.save(path)
    nothing = path.parent / "link"
    nothing.symlink_to("nowhere")
    client.save(nothing)
    assert nothing.read_bytes() == client.to_secret_bytes()
    # a damaged file of the same key loses nothing
    path.write_bytes(path.read_bytes()[:-9])
    client.save(path)
    assert path.read_bytes() == client.to_secret_bytes()


def test_of_clients_that_save_at_once_one_wins(params, path):
    clients = [rj.Client(params) for _ in range(8)]
    start = threading.Barrier(len(clients))

    def save(client: rj.Client) -> bool:
        start.wait()
        try:
            client.save(path)
        except rj.OverwriteError:
            return False
        return True

    with ThreadPoolExecutor(len(clients)) as pool:
        won = list(pool.map(save, clients))
    assert won.count(True) == 1 and rj.Client.load(path, allow_insecure=True).key_id == clients[won.index(True)].key_id
    assert os.listdir(path.parent) == ["secret.key"]


def test_a_checkpoint_does_not_replace_a_key(client, tmp_path):
    """`ringjet train --checkpoint run` keeps its secret in run.secret."""
    path = tmp_path / "run.secret"
    client.save(path)
    with pytest.raises(checkpoint.CheckpointError, match="and a checkpoint's secret has 32: choose another name"):
        checkpoint.secret_of(tmp_path / "run")
    assert path.read_bytes() == client.to_secret_bytes()
    path.write_bytes(bytes(32))
    assert len(checkpoint.secret_of(tmp_path / "run")) == 32 and path.read_bytes() != bytes(32)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no mode")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o620, 0o600, 0o400])
def test_loading_warns_of_a_file_that_others_read(client, path, mode):
    client.save(path)
    path.chmod(mode)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        rj.Client.load(path, allow_insecure=True)
    texts = [str(w.message) for w in found]
    if mode & 0o077:
        assert (
            len(texts) == 1 and f"(mode 0{mode:o}): chmod 600 {path}" in texts[0] and found[0].category is UserWarning
        )
    else:
        assert not texts


# ---- the count of answers ----


def test_load_share_exit_counts(owner, path):
    owner.save(path)
    before = count_in(path)
    for _ in range(2):
        assert process("share()\nprint(client.answers_given)", path).wait(60) == 0
    assert count_in(path) == before + 2, "what was left of a block was given back"


def test_an_answer_is_counted_before_it_is_given(owner, path):
    """A process that is killed with its first answer wastes a block, and loses no count."""
    owner.save(path)
    before = count_in(path)
    assert process("share()\nos.kill(os.getpid(), signal.SIGKILL)", path).wait(60) == -signal.SIGKILL
    assert count_in(path) == before + BLOCK
    again = rj.Client.load(path)
    share(again, rj.plan(lambda x: x, again.params))
    assert again.answers_given == before + BLOCK + 1 and count_in(path) == before + 2 * BLOCK
    again.save(path)
    assert count_in(path) == before + 2 * BLOCK, "saving does not lose what is taken"
    del again
    assert count_in(path) == before + BLOCK + 1


def test_processes_with_one_file_share_its_answers(plan, tmp_path):
    """No number is spent twice: 3 processes, and 2 clients in each, get as many answers as there
    are."""
    path, limit = tmp_path / "secret", 50
    rj.Client(PRESET).save(path)
    code = f"""
other, first, given = rj.Client.load(sys.argv[1]), client, 0
for client in [first, other] * {limit}:
    try:
        share({limit})
        given += 1
    except rj.AnswersExhaustedError as e:
        assert e.limit == {limit}
print(given)
"""
    children = [process(code, path) for _ in range(3)]
    given = [int(child.communicate(timeout=120)[0]) for child in children]
    assert sum(given) <= limit and sum(given) > limit - 3 * 2 * BLOCK
    client = rj.Client.load(path)
    with pytest.raises(rj.AnswersExhaustedError):
        share(client, plan, limit + 1 - client.answers_given, answers=limit)
    assert client.answers_given == limit == count_in(path)


def test_all_files_of_a_client_count(owner, plan, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    rj.Client(PRESET).save(first)
    client = rj.Client.load(first)
    client.save(second)
    share(client, plan, 3)
    assert (count_in(first), count_in(second)) == (BLOCK, BLOCK)
    del client
    assert (count_in(first), count_in(second)) == (3, 3)
    # a client that was made here counts from where it is
    fresh = rj.Client(PRESET)
    share(fresh, plan, 2)
    fresh.save(tmp_path / "third")
    share(fresh, plan)
    assert fresh.answers_given == 3 and count_in(tmp_path / "third") == 2 + BLOCK


def test_a_second_file_has_the_answers_of_other_processes(owner, plan, path):
    owner.save(path)
    first, other = rj.Client.load(path), rj.Client.load(path)
    share(other, plan, 2)
    first.save(path.parent / "copy")
    assert count_in(path.parent / "copy") == count_in(path) >= other.answers_given


@pytest.mark.parametrize("lost", ["removed", "replaced"])
def test_without_its_file_nothing_is_shared(plan, path, lost):
    client = rj.Client(PRESET)
    client.save(path)
    if lost == "removed":
        path.unlink()
    else:
        rj.Client(PRESET).save(path, overwrite=True)
    with pytest.raises(
        rj.StreamError, match=r"cannot be kept in .*secret\.key: .*client\.save\(path\) writes it again"
    ):
        share(client, plan)
    assert client.answers_given == 0
    client.save(path.parent / "again")
    share(client, plan)
    assert client.answers_given == 1 and count_in(path.parent / "again") == BLOCK


@pytest.mark.skipif(sys.platform == "win32", reason="files have no mode")
@pytest.mark.filterwarnings("ignore:.*others may read")
def test_counting_keeps_the_mode_of_the_file(plan, path):
    rj.Client(PRESET).save(path)
    path.chmod(0o640)
    client = rj.Client.load(path)
    share(client, plan)
    assert path.stat().st_mode & 0o777 == 0o640 and count_in(path) == BLOCK
    assert os.listdir(path.parent) == ["secret.key"]
