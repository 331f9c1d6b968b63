"""Serialized objects: size limits, damaged bytes, sizes, pickles."""

from __future__ import annotations

import copy
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj


def test_limits(client, server, keys):
    data = client.encrypt([1.0]).to_bytes()
    with pytest.raises(
        rj.TooManyBytesError, match=f"{len(data)} bytes exceeds the limit of 1000: raise the limit .*max_bytes"
    ) as e:
        server.load(data, max_bytes=1000)
    assert (e.value.bytes, e.value.limit) == (len(data), 1000)
    server.load(data, max_bytes=len(data))
    with pytest.raises(rj.TooManyBytesError):
        client.decrypt(data, max_bytes=10)
    blob = keys.to_bytes()
    for load in (rj.EvaluationKeys.from_bytes, rj.Server):
        with pytest.raises(rj.TooManyBytesError):
            load(blob, max_bytes=len(blob) - 1, allow_insecure=True)
    with pytest.raises(rj.TooManyBytesError):
        rj.PublicKey.from_bytes(client.public_key().to_bytes(), max_bytes=99)


def test_damage(client, server, keys, rng):
    for data, load in [
        (client.encrypt([1.0]).to_bytes(), server.load),
        (client.encrypt([1.0]).to_bytes(), client.decrypt),
        (client.public_key().to_bytes(), lambda b: rj.PublicKey.from_bytes(b, allow_insecure=True)),
        (keys.to_bytes(), lambda b: rj.EvaluationKeys.from_bytes(b, allow_insecure=True)),
        (keys.to_bytes(), lambda b: rj.Server(b, allow_insecure=True)),
        (client.to_secret_bytes(), lambda b: rj.Client.from_secret_bytes(b, allow_insecure=True)),
        (client.params.to_bytes(), lambda b: rj.Parameters.from_bytes(b, allow_insecure=True)),
    ]:
        load(data)
        for cut in (0, 1, 31, 32, 100, len(data) // 2, len(data) - 1):
            with pytest.raises(rj.RingjetError):
                load(data[:cut])
        with pytest.raises(rj.MalformedError, match="too many"):
            load(data + b"x")
        for _ in range(25):
            flipped = bytearray(data)
            flipped[rng.integers(len(data))] ^= 1 << rng.integers(8)
            with pytest.raises(rj.RingjetError):
                load(bytes(flipped))
    for junk in (b"", b"RJET", b"\0" * 1000, bytes(rng.bytes(1000))):
        with pytest.raises(rj.MalformedError) as e:
            server.load(junk)
        assert e.value.what and e.value.reason and e.value.offset >= 0


def test_newer_version(client, server):
    data = bytearray(client.encrypt([1.0]).to_bytes())
    data[4] += 1
    with pytest.raises(rj.NewerVersionError, match="upgrade") as e:
        server.load(bytes(data))
    assert e.value.found == e.value.supported + 1


def test_old_version(client, server):
    data = bytearray(client.encrypt([1.0]).to_bytes())
    data[4] -= 1
    with pytest.raises(rj.OldVersionError, match="make the object again") as e:
        server.load(bytes(data))
    assert e.value.found == e.value.supported - 1


def test_wrong_kind(client, server, keys):
    with pytest.raises(rj.MalformedError, match="not a"):
        server.load(keys.to_bytes())
    with pytest.raises(rj.MalformedError):
        rj.Server(client.encrypt([1.0]).to_bytes())
    with pytest.raises(rj.MalformedError):
        rj.Server(client.to_secret_bytes(), allow_insecure=True)
    with pytest.raises(rj.MalformedError):
        server.load(client.to_secret_bytes())
    for bad in (3, None, [b"text"]):
        with pytest.raises(TypeError):
            server.load(bad)


def test_insecure_parameters_are_not_taken_from_strangers(client, keys):
    for load, data in [
        (rj.Server, keys.to_bytes()),
        (rj.EvaluationKeys.from_bytes, keys.to_bytes()),
        (rj.PublicKey.from_bytes, client.public_key().to_bytes()),
        (rj.Parameters.from_bytes, client.params.to_bytes()),
    ]:
        with pytest.raises(rj.InsecureParametersError):
            load(data)


def test_sizes(client, keys, params, x):
    assert keys.sizes == {"keys": len(keys), "bytes": len(keys.to_bytes()), "in_memory": keys.sizes["in_memory"]}
    assert len(keys) == 8
    per_key = params.sizes["evaluation_key_in_memory"]
    assert keys.sizes["in_memory"] == len(keys) * per_key
    assert params.sizes["evaluation_key"] < per_key / 2
    fresh, full = params.sizes["fresh_ciphertext"], params.sizes["ciphertext"]
    assert full == 2 * fresh
    assert 0 <= len(client.encrypt([1.0]).to_bytes()) - fresh < 200
    assert 0 <= len(client.encrypt([1.0], public=True).to_bytes()) - full < 200
    assert 0 <= len((x + 0).to_bytes()) - full < 200
    assert len(x.to_level(0).to_bytes()) < len(x.to_level(3).to_bytes()) < full
    assert len(client.encrypt([1.0], level=1).to_bytes()) < fresh / 2


def test_rotations_survive_bytes(keys):
    loaded = rj.EvaluationKeys.from_bytes(keys.to_bytes(), allow_insecure=True)
    assert sorted(loaded.rotations) == sorted(keys.rotations) == [-5, -1, 1, 2, 3, 4]
    assert loaded.conjugation and loaded.relinearization and loaded.params == keys.params
    assert loaded.to_bytes() == keys.to_bytes()
    assert rj.Server(loaded).rotations == keys.rotations


def test_server_from_bytes_only(client, keys, v):
    server = rj.Server(bytearray(keys.to_bytes()), allow_insecure=True)
    x = server.load(client.encrypt(v).to_bytes())
    assert np.max(np.abs(client.decrypt((x * x.rotate(1)).to_bytes()) - v * np.roll(v, -1))) < 1e-6


def test_merge(client, v):
    merged = client.evaluation_keys(rotations=[7]).merge(client.evaluation_keys(rotations=[8], relinearization=False))
    assert merged.rotations == [7, 8] and merged.relinearization
    x = rj.Server(merged).load(client.encrypt(v))
    assert np.max(np.abs(client.decrypt(x.rotate(7).rotate(8)) - np.roll(v, -15))) < 1e-6


def test_subset(client, v):
    def program(x):
        return (x * x).rotate(3)

    plan = rj.plan(program, client.params, slots=client.slots)
    keys = client.evaluation_keys(rotations=[1, 2, 3], conjugation=True)
    some = keys.subset(**plan.keys)
    assert (some.relinearization, some.conjugation, some.key_id) == (True, False, keys.key_id)
    assert some.sizes["keys"] == 2 and some.sizes["bytes"] < keys.sizes["bytes"] / 2
    x = client.encrypt(v).to_bytes()
    whole, part = (program(rj.Server(k).load(x)).to_bytes() for k in (keys, some))
    assert part == whole
    with pytest.raises(rj.MissingKeyError, match=r"rotations=\[\.\.\., 7\]"):
        keys.subset(rotations=[7])


@pytest.mark.parametrize("preset", ["bgv-n13", "heaan-n14-q210"])
def test_subset_of_other_schemes(preset):
    client = rj.Client(preset, seed=3)
    keys = client.evaluation_keys(rotations=[1, 2])
    some = keys.subset(rotations=[2], relinearization=False)
    assert some.rotations == [2] and not some.relinearization and some.sizes["bytes"] < keys.sizes["bytes"] / 2
    x = client.encrypt(np.arange(2))
    assert rj.Server(some).load(x).rotate(2).to_bytes() == rj.Server(keys).load(x).rotate(2).to_bytes()
    with pytest.raises(rj.MissingRelinearizationKeyError):
        some.subset()


def test_another_reader_agrees():
    """The second implementation of the format, in Python alone, reads the stored vectors."""
    script = Path(__file__).parents[2] / "vectors/check.py"
    subprocess.run([sys.executable, script], check=True)


def test_secret_bytes(client, x, v):
    data = client.to_secret_bytes()
    again = rj.Client.from_secret_bytes(data, allow_insecure=True)
    assert again.slots == client.slots
    assert np.max(np.abs(again.decrypt(x) - v)) < 1e-6
    half = rj.Client.from_secret_bytes(data, slots=512, allow_insecure=True)
    assert half.slots == 512
    with pytest.raises(TypeError, match="to_secret_bytes"):
        pickle.dumps(client)
    with pytest.raises(TypeError):
        copy.copy(client)


def test_public_key_encryption(client, server, v):
    sender = rj.Encryptor(client.public_key())
    assert sender.slots == client.slots and sender.params == client.params
    for ct in (sender.encrypt(v), client.encrypt(v, public=True), sender.encrypt(v, level=2)):
        x = server.load(ct.to_bytes())
        assert np.max(np.abs(client.decrypt(x * 2.0) - 2 * v)) < 1e-6
    assert "no server" in repr(sender.encrypt(v))
    secure = rj.Client(rj.preset("n13-depth2"))
    stranger = rj.Encryptor(secure.public_key().to_bytes(), slots=16)
    assert np.max(np.abs(secure.decrypt(stranger.encrypt([0.5] * 16)) - 0.5)) < 1e-4


def test_sharing(client, x, v):
    # the noise takes about 40 bits of the scale here, so the scale must be large
    wide = rj.Client(rj.params(11, [60, 58], [60], allow_insecure=True))
    server = rj.Server(wide.evaluation_keys())
    plan = rj.plan(lambda x: x * 3, wide.params)
    ct = server.load(wide.encrypt(v)) * 3
    shared = wide.decrypt_for_sharing(ct, 8, plan=plan)
    assert np.array_equal(shared * 2**8, np.round(shared * 2**8))
    # In each slot the noise's standard deviation is 2^-9, and rounding adds at most 2^-9. That one
    # of the 1,024 slots is 8 standard deviations away has a probability below 2^-39.
    assert np.max(np.abs(shared - 3 * v)) < (8 + 1) * 2**-9
    assert wide.decrypt_for_sharing(ct.to_bytes(), 8, complex=True, plan=plan).dtype == np.complex128
    with pytest.raises(rj.NotSharableError, match="leaves 0 bits after the point of 8"):
        client.decrypt_for_sharing(x, 8, plan=rj.plan(lambda x: x, client.params))


def test_seed_is_reproducible(params, v):
    a, b = rj.Client(params, seed=5), rj.Client(params, seed=5)
    assert a.encrypt(v).to_bytes() == b.encrypt(v).to_bytes()
    assert a.evaluation_keys([1]).to_bytes() == b.evaluation_keys([1]).to_bytes()
    assert a.encrypt(v).to_bytes() != a.encrypt(v).to_bytes()
    c, d = rj.Client(params), rj.Client(params)
    assert c.to_secret_bytes() != d.to_secret_bytes()
    assert c.encrypt(v).to_bytes() != c.encrypt(v).to_bytes()
    assert "tests only" in repr(a) and "tests only" not in repr(c)


def test_copy_and_pickle_of_ciphertexts(client, server, x, v):
    for same in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"a": [x]})["a"][0]):
        assert same is x
    p = pickle.loads(pickle.dumps(x))
    assert p is not x and p.to_bytes() == x.to_bytes()
    assert np.max(np.abs(client.decrypt(p) - v)) < 1e-6
    assert np.max(np.abs(client.decrypt(server.load(p) * x) - v * v)) < 1e-6


LONELY = """
import pickle, sys, gc
import numpy as np, ringjet as rj
client = rj.Client(rj.params(11, [50] + [42] * 3, [50, 50], allow_insecure=True))
server = rj.Server(client.evaluation_keys())
x = server.load(client.encrypt([0.5, 0.25]))
data = pickle.dumps([x, x * x])
y, z = pickle.loads(data)
assert np.max(np.abs(client.decrypt(y * x + z)[:2] - np.array([0.5, 0.125]))) < 1e-6   # joins the only server
second = rj.Server(client.evaluation_keys())
lost = pickle.loads(data)[0]
assert "pickle" in repr(lost)
try:
    lost + 1
except rj.DetachedError as e:
    assert "2 servers" in str(e) and "server.load" in str(e)
else:
    sys.exit("no DetachedError")
assert (second.load(lost) + 1).level == x.level
del server, x, y, z, second
gc.collect()
gone = pickle.loads(data)[0]
try:
    gone.level
except rj.DetachedError as e:
    assert "0 servers" in str(e)
else:
    sys.exit("no DetachedError")
assert np.max(np.abs(client.decrypt(gone)[:2] - np.array([0.5, 0.25]))) < 1e-6
"""


def test_pickled_ciphertexts_join_the_only_server():
    subprocess.run([sys.executable, "-c", LONELY], check=True, timeout=60)


def test_pickles_of_insecure_parameters_take_the_readers_word(client, keys, params):
    objects = [params, keys, client.public_key(), rj.Encryptor(client.public_key(), slots=64)]
    for data in map(pickle.dumps, objects):
        with pytest.raises(rj.InsecureParametersError):
            pickle.loads(data)
    for read in (rj.Parameters.from_json, rj.heaan(10, 300, allow_insecure=True).from_json):
        with pytest.raises(rj.InsecureParametersError):
            read(params.to_json())
    with pytest.raises(rj.InsecureModulusError):
        rj.Parameters.from_json(rj.heaan(10, 300, allow_insecure=True).to_json())
    secure = rj.preset("n13-depth2")
    assert pickle.loads(pickle.dumps(secure)) == secure and rj.Parameters.from_json(secure.to_json()) == secure


def test_encryptors_and_transforms_travel(client, server, insecure_pickles, rng):
    sender = rj.Encryptor(client.public_key(), slots=64)
    data = sender.to_bytes()
    for again in (rj.Encryptor.from_bytes(data, allow_insecure=True), pickle.loads(pickle.dumps(sender))):
        assert again.slots == 64 and again.to_bytes() == data
        assert np.max(np.abs(client.decrypt(again.encrypt([0.5]))[:1] - 0.5)) < 1e-4
    matrix = np.diag(rng.uniform(-1, 1, 8)) + np.diag(rng.uniform(-1, 1, 7), 1) * (1 + 1j)
    transform = rj.LinearTransform(matrix)
    data = transform.to_bytes()
    assert len(data) == 8 + 1 + 8 + (5 + 8 * 8) + (5 + 8 * 16)
    small = server.load(
        rj.Client.from_secret_bytes(client.to_secret_bytes(), 8, allow_insecure=True).encrypt(np.ones(8))
    )
    for again in (rj.LinearTransform.from_bytes(data), pickle.loads(pickle.dumps(transform))):
        assert (again.slots, again.rotations, again.to_bytes()) == (8, transform.rotations, data)
        out = client.decrypt(again_applied := small.matmul(again), complex=True)
        assert again_applied.level == small.level - 1 and np.max(np.abs(out - matrix.sum(axis=1))) < 1e-6
    read = rj.LinearTransform.from_bytes
    damaged = [
        data[:5],
        b"x" + data[1:],
        data[:-1],
        data[:5] + bytes([17]) + data[6:],
        data[:17] + data[86:] + data[17:86],
        data[:21] + b"\x03" + data[22:],
        data[:8] + b"\x02" + data[9:],
    ]
    damaged += [data[:9] + struct.pack("<2I", *shape) + data[17:] for shape in [(7, 8), (8, 7), (0, 8), (8, 9)]]
    for bad in damaged:
        with pytest.raises(rj.MalformedError):
            read(bad)
    with pytest.raises(rj.NewerVersionError):
        read(data[:4] + b"\x02" + data[5:])
    with pytest.raises(rj.TooManyBytesError):
        read(data, max_bytes=len(data) - 1)
    with pytest.raises(rj.NotFiniteError):
        read(data[:22] + np.float64(np.nan).tobytes() + data[30:])
    with pytest.raises(rj.MalformedError):
        rj.Encryptor.from_bytes(client.public_key().to_bytes(), allow_insecure=True)


def test_names_of_presets_stand_for_parameters():
    named, given = rj.Client("n13-depth2", seed=1), rj.Client(rj.preset("n13-depth2"), seed=1)
    assert named.params == given.params
    key = named.public_key().to_bytes()
    front = len(named.params.to_bytes())
    assert rj.PublicKey.from_bytes(key[front:], params="n13-depth2").to_bytes() == key
    secret = named.to_secret_bytes()
    assert rj.Client.from_secret_bytes(secret[front:], params="n13-depth2").to_secret_bytes() == secret
    keys = named.evaluation_keys().to_bytes()
    assert rj.EvaluationKeys.from_bytes(keys[front:], params="n13-depth2").to_bytes() == keys
    with pytest.raises(rj.ParameterMismatchError):
        rj.EvaluationKeys.from_bytes(keys, params="n14-depth6")
    with pytest.raises(rj.UnknownPresetError, match="n13-depth2"):
        rj.Client("n13")
    with pytest.raises(TypeError, match="name of a preset, not int"):
        rj.Client(13)


def test_pickle_of_the_rest(client, keys, params, insecure_pickles):
    assert pickle.loads(pickle.dumps(params)) == params and hash(copy.deepcopy(params)) == hash(params)
    assert pickle.loads(pickle.dumps(keys)).to_bytes() == keys.to_bytes()
    key = client.public_key()
    assert pickle.loads(pickle.dumps(key)).to_bytes() == key.to_bytes()
    assert rj.Parameters.from_json(params.to_json(), allow_insecure=True) == params
    assert rj.Parameters.from_bytes(params.to_bytes(), allow_insecure=True) == params
    assert rj.preset("n13-depth2") != params


def test_a_server_has_no_way_to_a_secret(server):
    names = [n for n in dir(rj.Server) if not n.startswith("__")]
    bootstrapping = ["bootstrap", "bootstrap_many", "bootstrapping"]
    model = ["estimate", "input"]
    recording = ["_facts", "_findings", "_input", "_keys", "_program", "_recording"]
    profiling = ["_begin_profile", "_counts", "_end_profile", "profile"]
    expected = ["_bootstraps", *recording, "backend", *bootstrapping, *model, "key_id", "load", "params", *profiling]
    expected += ["pim_traffic", "prepare_bootstrapping", "reset_counts", "rotations", "threads"]
    assert sorted(names) == sorted(expected)
