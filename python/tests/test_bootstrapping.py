"""Bootstrapping from Python: explicit calls, automatic bootstraps, serialized keys, and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

#: An insecure chain for bootstrapping in a small ring.
CHAIN = {
    "log_n": 10,
    "message_levels": 4,
    "log_ratio": 12.0,
    "special": 4,
    "slots_to_coeffs": [5, 4],
    "coeffs_to_slots": [5, 4],
    "allow_insecure": True,
}
TOLERANCE = 2e-5


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return rj.bootstrap_chain(**CHAIN)


@pytest.fixture(scope="module")
def client(params):
    return rj.Client(params, seed=5)


@pytest.fixture(scope="module")
def keys(client):
    return client.evaluation_keys(rotations=[1, 2], bootstrapping=True)


@pytest.fixture(scope="module")
def server(keys):
    return rj.Server(keys)


def error(client, ct, expected):
    got = client.decrypt(ct.to_bytes(), complex=np.iscomplexobj(expected))
    return np.max(np.abs(got - expected))


def deviation(client, ct, expected):
    """The root of the mean square of the errors, which `precision_bits` states."""
    return np.sqrt(np.mean(np.abs(client.decrypt(ct.to_bytes(), complex=True) - expected) ** 2))


def test_parameters(params):
    assert params.can_bootstrap and params.bootstrap_input_level == 2 and (params.depth, params.top_level) == (4, 6)
    assert params.max_level == 6 + 8 + 2
    rows = params.levels
    assert [r["level"] for r in rows] == list(range(params.max_level + 1))
    purposes = ["SlotsToCoeffs"] * 3 + ["messages"] * 4 + ["EvalMod"] * 8 + ["CoeffsToSlots"] * 2
    assert [r["purpose"] for r in rows] == purposes
    assert rows[6]["scale_bits"] == pytest.approx(40) and rows[6]["primes"] == 7
    assert all(a["modulus_bits"] < b["modulus_bits"] for a, b in zip(rows, rows[1:]))
    for upper, lower in zip(rows[1:], rows):
        assert upper["modulus_bits"] - lower["modulus_bits"] == pytest.approx(upper["rescale_bits"])
    assert "bootstraps" in repr(params) and "allow_insecure" in repr(params)
    boot, leveled = rj.preset("n16-boot"), rj.preset("n13-depth2")
    assert boot.can_bootstrap and boot.security >= 128 and not boot.allow_insecure
    assert (
        not leveled.can_bootstrap
        and leveled.bootstrap_input_level is None
        and leveled.max_level == leveled.depth == leveled.top_level
    )
    assert rj.Parameters.from_json(params.to_json(), allow_insecure=True) == params
    with pytest.raises(rj.InsecureParametersError):
        rj.Parameters.from_json(params.to_json())
    with pytest.raises(rj.InsecureParametersError):
        rj.bootstrap_chain(**{**CHAIN, "allow_insecure": False})
    with pytest.raises(rj.ArgumentError, match="log_n = 40"):
        rj.bootstrap_chain(**{**CHAIN, "log_n": 40})
    with pytest.raises(rj.ParametersError, match="stages"):
        rj.bootstrap_chain(**{**CHAIN, "slots_to_coeffs": [1, 1]})
    default = rj.bootstrap_chain(log_n=10, message_levels=3, allow_insecure=True)
    assert default.bootstrap_input_level == 3 and (default.depth, default.top_level) == (3, 6)


def test_bootstrap_then_ten_multiplications(client, server, rng):
    """There are four levels between bootstraps, so ten products need two automatic bootstraps."""
    v = rng.uniform(-1, 1, client.slots)
    x = server.load(client.encrypt(v, level=2).to_bytes())
    steps = []
    y = server.bootstrap(x, real=True, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(i, 4) for i in range(1, 5)]
    assert y.level == y.params.top_level and error(client, y, v) < TOLERANCE
    expected, levels = v.copy(), []
    for i in range(10):
        factor = rng.uniform(0.8, 1.0, client.slots)
        y = y * server.load(client.encrypt(factor).to_bytes())
        expected = expected * factor
        levels.append(y.level)
    assert levels == [5, 4, 3, 2, 5, 4, 3, 2, 5, 4]
    assert error(client, y, expected) < 10 * TOLERANCE


def test_complex_values(client, server, rng):
    z = rng.uniform(-1, 1, client.slots) + 1j * rng.uniform(-1, 1, client.slots)
    x = server.load(client.encrypt(z, level=3))
    assert error(client, x.bootstrap(), z) < TOLERANCE
    assert error(client, x.times_i(), 1j * z) < 1e-7 and x.times_i().level == 3
    assert error(client, x.times_i().times_i() + x, 0 * z) < 1e-7


def test_a_long_product_bootstraps_by_itself(client, server, rng):
    v = rng.uniform(0.9, 1.0, client.slots)
    x = server.load(client.encrypt(v))
    y = x
    for _ in range(12):
        y = y * x
    assert y.level >= x.params.bootstrap_input_level
    assert error(client, y, v**13) < 50 * TOLERANCE
    low = x.to_level(2)
    assert error(client, low * 0.5, v * 0.5) < TOLERANCE and (low * 0.5).level == 5
    assert error(client, low * v, v * v) < TOLERANCE
    assert error(client, low**3, v**3) < 5 * TOLERANCE
    assert error(client, low.polynomial([0.5, 0, 0.25]), 0.5 + 0.25 * v * v) < TOLERANCE
    identity = rj.LinearTransform(np.eye(client.slots))
    assert error(client, low.matmul(identity), v) < TOLERANCE and low.matmul(identity).level == 5


def test_many(client, server, rng):
    values = [rng.uniform(-1, 1, client.slots) for _ in range(3)]
    cts = [server.load(client.encrypt(v)) for v in values]
    steps = []
    out = server.bootstrap_many(cts, real=True, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(2, 3), (3, 3)]
    assert all(error(client, y, v) < TOLERANCE and y.level == 6 for y, v in zip(out, values, strict=True))
    assert server.bootstrap_many([]) == []
    with pytest.raises(rj.LevelExhaustedError):
        server.bootstrap_many([cts[0], cts[1].to_level(0)])


@pytest.mark.parametrize("real", [False, True])
def test_many_of_few_slots_are_bootstrapped_as_one(params, rng, real):
    def program(server, a, b, c, d, e, f):
        return server.bootstrap_many([a, b, c, d, e, f], real=real)

    client = rj.Client(params, slots=16, seed=7)
    counts = [16, 10, 16, 16, 16, 16]
    values = [rng.uniform(-1, 1, n) + (0 if real else 1j * rng.uniform(-1, 1, n)) for n in counts]
    plan = rj.plan(program, params, slots=16, complex=not real)
    slots = 64 if real else 128
    assert (plan.keys["bootstrapping"], plan.keys["rotations"]) == ([16, slots], [])
    server = rj.Server(client.evaluation_keys(**plan.keys))
    cts = [server.load(client.encrypt(v, level=3)) for v in values]
    packed = server.bootstrap_many(cts, real=real)
    # no level is left for a division by their number
    apart = server.bootstrap_many([ct.to_level(2) for ct in cts], real=real)
    for x, y, v in zip(packed, apart, values, strict=True):
        assert error(client, x, v) < 2 * TOLERANCE and error(client, y, v) < TOLERANCE
        assert (x.level, x.slots) == (y.level, y.slots) == (6, 16) and x.precision_bits < y.precision_bits
    fewer = rj.Server(client.evaluation_keys(bootstrapping=[slots]))
    with pytest.raises(rj.errors.MissingBootstrappingKeysError):
        fewer.bootstrap_many([fewer.load(ct.to_bytes()) for ct in cts], real=real)


def test_slots_to_coeffs_last(rng):
    params = rj.bootstrap_chain(**CHAIN | {"log_ratio": 12.0, "scale_bits": 38, "slots_to_coeffs_first": False})
    assert params.bootstrap_input_level == 0 and params.depth == params.top_level == 4
    assert [level["purpose"] for level in params.levels[3:8]] == ["messages"] * 2 + ["SlotsToCoeffs"] * 2 + ["EvalMod"]
    client = rj.Client(params, seed=6)
    server = rj.Server(client.evaluation_keys(bootstrapping=True))
    v = rng.uniform(-1, 1, client.slots)
    out = server.load(client.encrypt(v)).to_level(0).bootstrap()
    assert out.level == 4 and error(client, out, v) < TOLERANCE
    with pytest.raises(rj.ParametersError, match="first_bits - scale_bits"):
        rj.bootstrap_chain(**CHAIN | {"slots_to_coeffs_first": False})


def test_primes_can_be_smaller(params):
    """With primes below 2^48 the lowest prime has 48 bits at most."""
    narrow = rj.bootstrap_chain(**CHAIN | {"prime_bits": 48, "first_bits": 48})
    assert narrow.levels[0]["modulus_bits"] == pytest.approx(48, abs=1e-3)
    assert params.levels[0]["modulus_bits"] == pytest.approx(50, abs=1e-3)
    with pytest.raises(rj.ParametersError, match="30 to 48"):
        rj.bootstrap_chain(**CHAIN | {"prime_bits": 48, "first_bits": 50})


def test_few_baby_steps_need_few_keys(params, rng):
    few = rj.bootstrap_chain(**CHAIN | {"baby_steps": 2})
    assert few != params and rj.Parameters.from_bytes(few.to_bytes(), allow_insecure=True) == few
    with pytest.raises(rj.ParametersError, match="3 baby steps: 0 or a power of two"):
        rj.bootstrap_chain(**CHAIN | {"baby_steps": 3})
    client = rj.Client(few, seed=6)
    keys = client.evaluation_keys(bootstrapping=True)
    assert len(keys) < len(rj.Client(params, seed=6).evaluation_keys(bootstrapping=True))
    v = rng.uniform(-1, 1, client.slots)
    x = rj.Server(keys).load(client.encrypt(v, level=few.bootstrap_input_level))
    assert error(client, x.bootstrap(), v) < TOLERANCE


def test_keys_as_bytes(client, keys, rng):
    assert keys.bootstrapping == [client.slots]
    data = keys.to_bytes()
    assert keys.sizes["bytes"] == len(data) and keys.sizes["keys"] == len(keys)
    loaded = rj.EvaluationKeys.from_bytes(data, allow_insecure=True)
    assert loaded.bootstrapping == [client.slots] and loaded.to_bytes() == data
    assert {1, 2} <= set(loaded.rotations), "keys that bootstrapping uses at the top serve messages too"
    server = rj.Server(data, allow_insecure=True)
    assert server.bootstrapping == [client.slots]
    v = rng.uniform(-1, 1, client.slots)
    ct = client.encrypt(v, level=2).to_bytes()
    a, b = server.load(ct).bootstrap(), rj.Server(keys).load(ct).bootstrap()
    assert a.to_bytes() == b.to_bytes(), "bootstrapping is deterministic"


def test_key_memory(client, keys, rng, tmp_path):
    """Compressed keys take half the memory, wherever the option is given, and the results have the
    same bytes."""
    path = tmp_path / "keys.rjet"
    steps = []
    keys.save(path, progress=lambda done, total: steps.append((done, total)))
    data = path.read_bytes()
    assert data == keys.to_bytes() and len(steps) == len(keys) - 1, "both keys of the ephemeral secret are one step"
    small, insecure = {"key_memory": "compressed"}, {"allow_insecure": True}
    compressed = [
        rj.Client(client.params, seed=5).evaluation_keys(rotations=[1, 2], bootstrapping=True, **small),
        rj.EvaluationKeys.from_bytes(data, **insecure, **small),
        rj.EvaluationKeys.load(path, **insecure, **small),
    ]
    half = compressed[0].sizes["in_memory"]
    assert 0.5 <= half / keys.sizes["in_memory"] < 0.52
    for these in compressed:
        assert these.key_memory == "compressed" and these.sizes["in_memory"] == half
        assert these.to_bytes() == data
    assert compressed[0].merge(keys).sizes["in_memory"] == half and keys.key_memory == "expanded"
    ct = client.encrypt(rng.uniform(-1, 1, client.slots), level=2).to_bytes()
    expected = rj.Server(keys).load(ct).bootstrap().to_bytes()
    servers = [rj.Server(keys, **small), rj.Server(compressed[1]), rj.Server(compressed[1], key_memory="expanded")]
    servers += [
        rj.Server(data, **insecure, **small),
        rj.Server(path, **insecure, **small),
        rj.Server(str(path), **insecure),
    ]
    for server in servers:
        assert server.load(ct).bootstrap().to_bytes() == expected
    with pytest.raises(rj.ArgumentError, match="expanded or compressed"):
        rj.Server(keys, key_memory="tiny")


def test_files_of_keys_are_checked(params, keys, tmp_path):
    path = tmp_path / "keys.rjet"
    keys.save(path)
    data = path.read_bytes()
    front = len(params.to_bytes())
    load = lambda **more: rj.EvaluationKeys.load(path, **{"allow_insecure": True, **more})  # noqa: E731
    steps = []
    assert load(progress=lambda done, total: steps.append((done, total))).to_bytes() == data
    assert steps == sorted(steps) and steps[-1][0] <= steps[-1][1] == len(data) - front
    with pytest.raises(rj.InsecureParametersError):
        load(allow_insecure=False)
    with pytest.raises(rj.TooManyBytesError):
        load(max_bytes=len(data) - front - 1)
    with pytest.raises(rj.ParameterMismatchError):
        load(params=rj.preset("n13-depth2"))
    bad = {"truncated": [data[:n] for n in (0, 31, 100, front + 40, len(data) - 1)], "too many": [data + b"x"]}
    bad["checksum"] = [data[:-2000] + bytes([data[-2000] ^ 1]) + data[-1999:]]
    bad["this is a"] = [data[:front] + params.to_bytes(), data[:front] * 2]
    for why, files in bad.items():
        for wrong in files:
            path.write_bytes(wrong)
            with pytest.raises(rj.MalformedError, match=why):
                load()
    # the Rust library serializes keys without their parameters
    path.write_bytes(data[front:])
    assert load(params=params).to_bytes() == data
    with pytest.raises(rj.MalformedError, match="not in front of it: give them"):
        load()
    with pytest.raises(FileNotFoundError, match="nothing"):
        rj.EvaluationKeys.load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="nothing"):
        keys.save(tmp_path / "nothing" / "keys.rjet")
    with pytest.raises(rj.StreamError, match="directory") as e:
        rj.EvaluationKeys.load(tmp_path)
    assert isinstance(e.value, OSError) and e.value.what == "evaluation keys"

    def stop(done, total):
        raise RuntimeError("enough")

    for call in (lambda: load(progress=stop, params=params), lambda: keys.save(path, progress=stop)):
        with pytest.raises(RuntimeError, match="enough"):
            call()


def test_sparse_slots(params, rng):
    client = rj.Client(params, slots=64, seed=2)
    keys = client.evaluation_keys(bootstrapping=[8, 64])
    made = keys.bootstrapping
    assert {8, 64} <= set(made) and "bootstrapping=True" in repr(keys), "keys of some may suffice for others"
    server = rj.Server(keys)
    steps = []
    server.prepare_bootstrapping(progress=lambda done, total: steps.append((done, total)))
    # two matrices of each transform, and a last one for real and imaginary parts together
    assert steps == [(i, 5 * len(made)) for i in range(1, 5 * len(made) + 1)]
    server.prepare_bootstrapping(64, progress=lambda done, total: steps.append((done, total)))
    assert len(steps) == 5 * len(made), "what is prepared is not made again"
    v = rng.uniform(-1, 1, 64)
    x = server.load(client.encrypt(v, level=2))
    assert error(client, x.bootstrap(), v) < TOLERANCE
    w = np.tile(v[:8], 8)
    y = server.load(client.encrypt(w, level=2)).with_slots(8)
    assert y.slots == 8 and error(client, y, v[:8]) < 1e-6
    z = y.bootstrap(real=True).with_slots(64)
    assert z.slots == 64 and error(client, z, w) < TOLERANCE
    with pytest.raises(rj.ArgumentError, match="slots"):
        y.with_slots(1024)
    assert client.evaluation_keys(bootstrapping=True).bootstrapping == [64]
    assert client.evaluation_keys(bootstrapping=False).bootstrapping == []


def test_one_slot(params, rng):
    """Very few slots are bootstrapped with more, in which their values repeat."""
    client = rj.Client(params, slots=1, seed=3)
    keys = client.evaluation_keys(bootstrapping=True)
    assert keys.bootstrapping == [4], "a stage of the transforms for each of two levels"
    server = rj.Server(keys)
    for slots in (1, 2, 4):
        v = rng.uniform(-1, 1, slots) + 1j * rng.uniform(-1, 1, slots)
        one = rj.Client.from_secret_bytes(client.to_secret_bytes(), slots=slots, allow_insecure=True)
        x = server.load(one.encrypt(v, level=2))
        y = x.bootstrap()
        assert (y.slots, y.count, y.level) == (slots, slots, 6) and error(client, y, v) < TOLERANCE


def test_the_preset_for_few_slots(rng):
    """At full size: all levels, twice, with values on the unit circle, which double the error at each square."""
    client = rj.Client("n15-boot-few", slots=32, seed=4)
    params = client.params
    assert (params.depth, params.bootstrap_most_slots, params.bootstrap_input_level) == (4, 32, 1)
    server = rj.Server(client.evaluation_keys(bootstrapping=[2, 32]))
    for slots in (32, 2, 1):
        angle = rng.uniform(0, 2 * np.pi, slots)
        x = server.load(client.encrypt(np.tile(np.exp(1j * angle), 32 // slots), level=1)).with_slots(slots)
        for turn in range(2):
            x = x.bootstrap(real=True)
            stated, power = x.precision_bits, 16**turn
            assert stated > (19.0, 13.0)[turn] and x.level == 5
            assert deviation(client, x, np.exp(1j * power * angle)) < 2 * 2**-stated
            for _ in range(4):
                x = (x * x).with_magnitude(1.0)
            assert deviation(client, x, np.exp(16j * power * angle)) < 2 * 2**-x.precision_bits
    with pytest.raises(rj.ArgumentError, match=r"slots = 16384: expected at most 32"):
        rj.Client("n15-boot-few").evaluation_keys(bootstrapping=True)
    # training bootstraps the weights, a slot for each feature and one more
    assert rj.ml.TrainingPlan.make(params, 100, 31, iterations=4, degree=3).width == 32
    with pytest.raises(ValueError, match="on 40 features bootstraps 64 slots, these parameters at most 32"):
        rj.ml.TrainingPlan.make(params, 100, 40, iterations=4, degree=3)


def test_what_is_refused(client, server, rng, params):
    x = server.load(client.encrypt([1.0], level=1))
    with pytest.raises(rj.LevelExhaustedError):
        x.bootstrap()
    bare = rj.Server(client.evaluation_keys())
    y = bare.load(client.encrypt([1.0], level=2))
    for op in (y.bootstrap, lambda: bare.bootstrap(y), bare.prepare_bootstrapping):
        with pytest.raises(rj.MissingBootstrappingKeysError, match="number of slots"):
            op()
    assert issubclass(rj.MissingBootstrappingKeysError, rj.MissingKeyError)
    assert (y * y).level == 1, "without keys products use the levels there are"
    leveled = rj.Client(rj.params(11, [50, 40], [50], allow_insecure=True))
    for op in (
        lambda: leveled.evaluation_keys(bootstrapping=True),
        rj.Server(leveled.evaluation_keys()).prepare_bootstrapping,
    ):
        with pytest.raises(rj.NoBootstrappingError, match="boot") as e:
            op()
        assert e.value.params
    with pytest.raises(rj.ArgumentError, match="slots = 3"):
        client.evaluation_keys(bootstrapping=[3])
    many = server.load(client.encrypt([1.0], level=2)).with_slots(16)
    for op in (many.bootstrap, lambda: server.bootstrap_many([many]), lambda: server.prepare_bootstrapping(16)):
        with pytest.raises(
            rj.MissingBootstrappingKeysError, match=r"of 16 slots, only of \[.*bootstrapping=\[..., 16\]"
        ) as f:
            op()
        assert f.value.slots == 16 and f.value.available == server.bootstrapping
    # a key that bootstrapping uses at the lowest levels only does not serve higher levels
    sparse = rj.Client(params, slots=64)
    few = rj.Server(sparse.evaluation_keys(bootstrapping=[64]))
    z = few.load(sparse.encrypt([1.0]))
    refused = []
    for k in range(1, 64):
        try:
            z.rotate(k)
        except rj.KeyLevelError as e:
            assert e.level == z.level > e.key_level
            refused.append(k)
        except rj.MissingRotationKeyError:
            pass
    assert all(k not in few.rotations for k in refused)


def test_a_callback_stops_the_work(client, server):
    def fails(done, total):
        raise RuntimeError("enough")

    fresh = rj.Server(client.evaluation_keys(bootstrapping=True))
    with pytest.raises(RuntimeError, match="enough"):
        fresh.prepare_bootstrapping(progress=fails)
    fresh.prepare_bootstrapping()
    with pytest.raises(RuntimeError, match="enough"):
        fresh.bootstrap(fresh.load(client.encrypt([1.0], level=2)), progress=fails)


INTERRUPTED = """
import signal, sys, ringjet as rj
signal.signal(signal.SIGINT, signal.default_int_handler)
client = rj.Client(rj.bootstrap_chain(log_n=13, message_levels=2, special=4, allow_insecure=True))
server = rj.Server(client.evaluation_keys(bootstrapping=True))
x = server.load(client.encrypt([1.0], level=3))
server.prepare_bootstrapping()
print("ready", flush=True)
try:
    while True:
        server.bootstrap(x)
except KeyboardInterrupt:
    sys.exit(42)
"""


def test_ctrl_c_stops_bootstrapping(interrupted):
    assert interrupted(INTERRUPTED, 0.3).status == 42


def test_seed_of_bytes(params):
    a, b = rj.Client(params, seed=bytes(range(32))), rj.Client(params, seed=bytes(range(32)))
    assert a.to_secret_bytes() == b.to_secret_bytes() and a.encrypt([1.0]).to_bytes() == b.encrypt([1.0]).to_bytes()
    assert "seeded" in repr(a) and "tests only" not in repr(a)
    with pytest.raises(rj.ArgumentError, match="31 bytes"):
        rj.Client(params, seed=bytes(31))


def test_the_ephemeral_secret_limits_security():
    """At N = 2^17 the modulus would allow 256 bits; a secret of 32 coefficients has about 192.2, which could be
    half a bit too high."""
    chain = {"log_n": 17, "message_levels": 2, "slots_to_coeffs": [8, 8], "coeffs_to_slots": [8, 8]}
    with pytest.raises(rj.EphemeralSecretError, match="security=128") as e:
        rj.bootstrap_chain(**chain, security=256)
    assert (e.value.weight, e.value.estimate, e.value.security, e.value.log_n) == (32, 192.2, 256, 17)
    with pytest.raises(rj.EphemeralSecretError, match="at least 40 non-zero coefficients"):
        rj.bootstrap_chain(**chain, security=192)
    assert e.value.log_modulus == pytest.approx(100, abs=0.01) and isinstance(e.value, rj.SparseSecretError)
    heavier = chain | {"secret_weight": 40, "k": 24}
    assert rj.bootstrap_chain(**heavier, security=192).security == 192
    assert rj.bootstrap_chain(**chain, security=256, allow_insecure=True).security == 128
    assert (
        all(name in rj.presets() for name in ("n15-boot", "n16-boot", "n16-boot-48")) and "n17-boot" not in rj.presets()
    )


def test_depth_is_what_lies_between_two_bootstraps():
    """Presets, parameters and the reference page have one definition."""
    page = (Path(__file__).parents[2] / "docs/reference/presets.md").read_text()
    for name, depth in [
        ("n15-boot", 4),
        ("n15-boot-fast", 4),
        ("n16-boot", 13),
        ("n16-boot-48", 13),
        ("n16-boot-small", 13),
        ("n16-boot-precise", 12),
    ]:
        preset = rj.preset(name)
        assert (rj.presets()[name].depth, preset.depth) == (depth, depth)
        assert page.count(f"| `{name}` | {depth} |") == 2
        server = rj.Server(backend="model", params=name)
        server.prepare_bootstrapping()
        x = server.bootstrap(server.input(level=preset.bootstrap_input_level))
        assert x.level == preset.bootstrap_input_level + depth
    assert rj.plan(lambda x: x**16, "n15-boot", bootstrapping=False).levels == [2]
    with pytest.raises(rj.LevelExhaustedError):
        rj.plan(lambda x: x**32, "n15-boot", bootstrapping=False)
