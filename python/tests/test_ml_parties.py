"""Client and server of a compiled model: keys in files, and samples of several ciphertexts each."""

import mmap

import numpy as np
import pytest

import ringjet as rj

linear = pytest.importorskip("sklearn.linear_model")


@pytest.fixture(scope="module")
def model():
    """A model in columns, in ciphertexts with few slots."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (200, 5))
    fitted = linear.LogisticRegression().fit(x, (x @ [1, -2, 3, 0, 1] > 0).astype(int))
    params = rj.params(10, [50, 38, 38], [50], allow_insecure=True)
    made = rj.ml.compile(fitted, x, params=params)
    assert made.layout == "columns"
    return made, x


def test_a_key_from_a_file_reads_what_the_server_returns(model, tmp_path):
    made, x = model
    made.save(tmp_path)
    first = rj.ml.Client.load(tmp_path / "client.json", allow_insecure=True)
    first.save_key(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    again = rj.ml.Client.load(tmp_path / "client.json", key=tmp_path / "key", allow_insecure=True)
    returned = made.server(first.keys()).predict(again.encrypt(x[:7]))
    assert np.array_equal(first.decrypt(returned), made.predict(x[:7], mode="clear"))
    assert np.array_equal(again.scores(returned), first.scores(returned))
    with pytest.raises(rj.ArgumentError, match="seed"):
        rj.ml.Client.load(tmp_path / "client.json", 1, key=tmp_path / "key", allow_insecure=True)
    other = rj.ml.Client.load(tmp_path / "client.json", allow_insecure=True)
    with pytest.raises(rj.RingjetError):
        other.save_key(tmp_path / "key")
    with pytest.raises(rj.RingjetError):
        other.decrypt(returned)


def test_samples_of_several_ciphertexts_each_are_computed_from_a_mapped_file(model, tmp_path):
    made, x = model
    slots = made.params.slots
    samples = np.tile(x, (2 * slots // len(x) + 1, 1))[: 2 * slots + 3]
    client = made.client()
    server = made.server(client.keys())
    sent = client.encrypt(samples)
    (tmp_path / "sent").write_bytes(sent)
    with (tmp_path / "sent").open("rb") as file:
        returned = server.predict(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    assert returned == server.predict(sent)
    assert np.array_equal(client.decrypt(returned), made.predict(samples, mode="clear"))
    with pytest.raises(rj.MalformedError):
        server.predict(memoryview(sent)[:-1])
    with pytest.raises(rj.MalformedError, match="another model|no encrypted"):
        server.predict(memoryview(sent)[1:])
