"""Bootstrapping of HEAAN from Python, with the same names as for CKKS: explicit calls, automatic
bootstraps, serialized keys, and errors."""

from __future__ import annotations

import numpy as np
import pytest

import ringjet as rj

#: The smallest parameters of the original HEAAN bootstrapping, in a smaller ring; insecure.
SMALL = {"log_n": 10, "log_q": 620, "log_p": 23, "slots": 8, "secret_weight": 64, "allow_insecure": True}

#: The tolerance for values of size 1 after one bootstrap; the error's standard deviation is 2^-17.
TOLERANCE = 2**-13


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return rj.heaan(**SMALL)


@pytest.fixture(scope="module")
def client(params):
    return rj.Client(params, seed=5)


@pytest.fixture(scope="module")
def keys(client):
    return client.evaluation_keys(rotations=[1], bootstrapping=True)


@pytest.fixture(scope="module")
def server(keys):
    return rj.Server(keys)


@pytest.fixture
def v(client, rng):
    return rng.uniform(-1, 1, client.slots)


def error(client, ct, expected):
    got = client.decrypt(ct.to_bytes(), complex=np.iscomplexobj(expected))
    return np.max(np.abs(got - expected))


def test_parameters(params):
    assert params.can_bootstrap and "bootstraps" in repr(params) and params.bootstrap_input_level is None
    assert (params.bootstrap_input_log_q, params.bootstrap_output_log_q) == (29, 155)
    secure = rj.preset("heaan-n16-boot")
    assert secure.can_bootstrap and secure.security >= 128 and not secure.allow_insecure
    assert (secure.bootstrap_input_log_q, secure.bootstrap_output_log_q) == (31, 131)
    for other in (rj.preset("heaan-n14-q210"), rj.heaan(**SMALL | {"log_q": 300}), rj.preset("n16-boot")):
        assert other.bootstrap_input_log_q is None and other.bootstrap_output_log_q is None
        assert other.can_bootstrap == (other.scheme == "ckks")


def test_a_ciphertext_without_modulus_gets_it_back(client, keys, server, rng):
    """A server without bootstrapping keys multiplies down to the last bits. A server with the keys
    then refreshes the ciphertext and goes on."""
    bare = rj.Server(client.evaluation_keys())
    v = np.exp(2j * np.pi * rng.uniform(size=client.slots))
    x = bare.load(client.encrypt(v, log_q=80).to_bytes())
    y, expected = x, v
    for _ in range(2):
        y, expected = (y * y).rescale(), expected * expected
    assert (y.log_q, y.log_scale) == (34, 23)
    with pytest.raises(rj.ModulusExhaustedError, match="bootstrap earlier") as e:
        y * y
    assert (e.value.needed, e.value.left) == (48, 34)
    steps = []
    low = server.load(y.to_bytes())
    with pytest.raises(rj.BootstrapMagnitudeError, match="limit is 1") as e:
        server.bootstrap(low)
    assert (e.value.magnitude, e.value.limit) == (pytest.approx(4.0), 1.0)
    # all values are on the unit circle
    low = low.with_magnitude(1.0)
    z = server.bootstrap(low, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(i, 4) for i in range(1, 5)]
    assert (z.log_q, z.log_scale, z.slots) == (z.params.bootstrap_output_log_q, 23, 8)
    assert error(client, z, expected) < TOLERANCE
    assert error(client, z, expected) < 12 * 2**-z.precision_bits
    for bits in (155, 132, 109, 86):
        z, expected = z * z, expected * expected
        assert z.log_q == bits
    # a squaring doubles the error
    assert error(client, z, expected) < 2**4 * TOLERANCE
    assert low.bootstrap().to_bytes() == server.bootstrap(low, real=True).to_bytes(), "real values are nothing special"


def test_operators_bootstrap_by_themselves(client, server, rng):
    v = rng.uniform(0.9, 1.0, client.slots)
    x = server.load(client.encrypt(v, log_q=29).to_bytes())
    y, expected, bits = x, v, []
    for _ in range(10):
        factor = rng.uniform(0.9, 1.0, client.slots)
        y = y * server.load(client.encrypt(factor).to_bytes())
        expected = expected * factor
        bits.append(y.log_q)
    # after rescaling, a product modulo 2^63 is modulo 2^40: enough for a bootstrap, but not for a
    # multiplication before it
    assert bits == [155, 132, 109, 86, 63] * 2
    assert error(client, y, expected) < 3 * TOLERANCE
    for op, plain in (
        (lambda c: c * v, v * v),
        (lambda c: c * 0.5, v / 2),
        (lambda c: c / 4, v / 4),
        (lambda c: c**2, v**2),
    ):
        assert op(x).log_q == 155 and error(client, op(x), plain) < 2 * TOLERANCE
    assert (x * 3).log_q == (x + x).log_q == (x + 1).log_q == x.rotate(1).log_q == 29, "these take no modulus"


def test_scales_and_slots(client, server, keys, v):
    x = server.load(client.encrypt(v, log_q=52).to_bytes())
    product = rj.Server(client.evaluation_keys()).load(x) * 0.5
    assert (product.log_q, product.log_scale) == (52, 46)
    fresh = server.bootstrap(server.load(product))
    assert (fresh.log_q, fresh.log_scale) == (155, 23) and error(client, fresh, v / 2) < TOLERANCE
    fine = x.mod_down_to(40).rescale(3).bootstrap()
    assert fine.log_scale == 20 and error(client, fine, v) < 8 * TOLERANCE, "bits of scale are bits of precision"
    # the keys of two slots are all among those of eight
    assert keys.bootstrapping == server.bootstrapping == [1, 2, 4, 8]
    repeated = np.tile(v[:4], 2)
    short = server.load(client.encrypt(repeated, log_q=30)).with_slots(4)
    assert error(client, short.bootstrap().with_slots(8), repeated) < TOLERANCE


def test_all_slots(rng):
    client = rj.Client(rj.heaan(**SMALL | {"log_n": 7, "log_q": 750, "slots": 64}), seed=6)
    server = rj.Server(client.evaluation_keys(bootstrapping=[64]))
    z = np.exp(2j * np.pi * rng.uniform(size=64))
    x = server.load(client.encrypt(z, log_q=client.params.bootstrap_input_log_q))
    steps = []
    y = server.bootstrap(x, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(i, 5) for i in range(1, 6)], "real and imaginary parts one after the other"
    assert y.log_q == client.params.bootstrap_output_log_q and error(client, y, z) < 4 * TOLERANCE


def test_many(client, server, rng):
    values = [rng.uniform(-1, 1, client.slots) for _ in range(3)]
    cts = [server.load(client.encrypt(v)) for v in values]
    steps = []
    out = server.bootstrap_many(cts, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert all(error(client, y, v) < TOLERANCE and y.log_q == 155 for y, v in zip(out, values, strict=True))
    assert server.bootstrap_many([]) == []
    with pytest.raises(rj.ModulusExhaustedError, match="bootstrapping needs 29"):
        server.bootstrap_many([cts[0], cts[1].mod_down_to(28)])
    with pytest.raises(rj.SlotMismatchError):
        server.bootstrap_many([cts[0], cts[1].with_slots(16)])


def test_keys_travel(client, keys, v, tmp_path):
    data = keys.to_bytes()
    assert len(keys) == len(rj.EvaluationKeys.from_bytes(data, allow_insecure=True)) and "bootstrapping=True" in repr(
        keys
    )
    assert keys.sizes == {"keys": len(keys), "bytes": len(data), "in_memory": keys.sizes["in_memory"]}
    assert keys.sizes["in_memory"] == len(keys) * client.params.sizes["evaluation_key_in_memory"]
    path = tmp_path / "keys.rjet"
    keys.save(path)
    ct = client.encrypt(v, log_q=29).to_bytes()
    expected = rj.Server(keys).load(ct).bootstrap().to_bytes()
    insecure = {"allow_insecure": True}
    for server in (rj.Server(data, **insecure), rj.Server(path, **insecure)):
        assert server.bootstrapping == [1, 2, 4, 8] and server.load(ct).bootstrap().to_bytes() == expected
    with pytest.raises(rj.RingjetError):
        rj.Server(data[:-1], **insecure)
    with pytest.raises(rj.TooManyBytesError):
        rj.Server(data, max_bytes=len(data) // 2, **insecure)
    # requested rotations use the same keys; of several sets, only keys of one complete set count
    again = rj.Client.from_secret_bytes(client.to_secret_bytes(), allow_insecure=True)
    few = again.evaluation_keys(keys.rotations[:3])
    rest = again.evaluation_keys(keys.rotations[3:], conjugation=True, relinearization=False)
    assert few.bootstrapping == rest.bootstrapping == [] and few.merge(rest).bootstrapping == [1, 2, 4, 8]
    assert client.evaluation_keys(bootstrapping=False).bootstrapping == []


def test_preparing(client, keys, v):
    server, steps = rj.Server(keys), []
    server.prepare_bootstrapping(8, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 2), (2, 2)]
    server.prepare_bootstrapping(8, progress=lambda done, total: steps.append((done, total)))
    assert len(steps) == 2, "what is prepared is not made again"
    x = server.load(client.encrypt(v))

    def fails(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        rj.Server(keys).prepare_bootstrapping(progress=fails)
    for call in (lambda: server.bootstrap(x, progress=fails), lambda: server.bootstrap_many([x, x], progress=fails)):
        with pytest.raises(RuntimeError, match="enough"):
            call()


def test_what_is_refused(client, server, params):
    with pytest.raises(rj.ModulusExhaustedError, match="bootstrapping needs 29 bits of modulus, but 28 are left") as e:
        server.load(client.encrypt([1.0], log_q=28)).bootstrap()
    assert (e.value.op, e.value.needed, e.value.left) == ("bootstrapping", 29, 28)
    bare = rj.Server(client.evaluation_keys())
    y = bare.load(client.encrypt([1.0], log_q=60))
    for op in (y.bootstrap, lambda: bare.bootstrap(y), lambda: bare.bootstrap_many([y]), bare.prepare_bootstrapping):
        with pytest.raises(rj.MissingBootstrappingKeysError, match="number of slots"):
            op()
    assert bare.bootstrapping == [] and (y * y).log_q == 60, "without keys products use the modulus there is"
    # keys for eight slots do not serve sixteen
    with pytest.raises(rj.MissingBootstrappingKeysError, match="of 16 slots, only of") as s:
        server.load(client.encrypt([1.0])).with_slots(16).bootstrap()
    assert s.value.slots == 16 and s.value.available == server.bootstrapping
    with pytest.raises(rj.ArgumentError, match="slots = 3"):
        client.evaluation_keys(bootstrapping=[3])
    small = rj.Client(rj.heaan(**SMALL | {"log_q": 300}))
    for op in (
        lambda: small.evaluation_keys(bootstrapping=True),
        rj.Server(small.evaluation_keys()).prepare_bootstrapping,
        lambda: rj.Server(small.evaluation_keys()).load(small.encrypt([1.0])).bootstrap(),
        rj.Server(backend="model", params=small.params).prepare_bootstrapping,
    ):
        with pytest.raises(rj.NoBootstrappingError, match='log_q = 517.*"boot"') as f:
            op()
        assert "logQ=300" in f.value.params and "log_q = 517" in f.value.instead
    assert rj.heaan(**SMALL | {"log_q": 517}).can_bootstrap and not rj.heaan(**SMALL | {"log_q": 516}).can_bootstrap
    ckks = rj.Client(rj.params(10, [50] + [42] * 3, [50, 50], allow_insecure=True))
    foreign = rj.Server(ckks.evaluation_keys()).load(ckks.encrypt([0.5]))
    for op in (lambda: server.bootstrap(foreign), lambda: server.bootstrap_many([foreign])):
        with pytest.raises(rj.ParameterMismatchError):
            op()


def test_a_model_server_bootstraps(client, keys, server):
    model = rj.Server(backend="model", params=client.params)
    low = model.input(log_q=29)
    fresh = low.bootstrap()
    real = server.load(client.encrypt([1.0], log_q=29)).bootstrap()
    assert (fresh.log_q, fresh.log_scale, fresh.precision_bits) == (real.log_q, real.log_scale, real.precision_bits)
    estimate = model.estimate("a100-80gb")
    assert (estimate.bootstraps, estimate.keys.bootstrapping, estimate.keys.rotations) == (1, [8], [])
    assert estimate.set_up_s > 0 and not any(work.name == "BootstrapMatrices" for _, work in estimate.tree.walk())
    made = client.evaluation_keys(**estimate.keys.request())
    assert (estimate.keys.count, made.bootstrapping) == (len(made), keys.bootstrapping)
    model.reset_counts()
    y = low * 0.5
    assert (y.log_q, model.estimate("a100-80gb").bootstraps) == (155, 1), "operators do it by themselves"
    assert 8 in model.bootstrapping


INTERRUPTED = f"""
import signal, sys, ringjet as rj
signal.signal(signal.SIGINT, signal.default_int_handler)
client = rj.Client(rj.heaan(**{SMALL | {"log_n": 12}}))
server = rj.Server(client.evaluation_keys(bootstrapping=True))
x = server.load(client.encrypt([1.0]))
server.prepare_bootstrapping(8)
print("ready", flush=True)
try:
    while True:
        server.bootstrap(x)
except KeyboardInterrupt:
    sys.exit(42)
"""


def test_ctrl_c_stops_bootstrapping(interrupted):
    assert interrupted(INTERRUPTED, 0.3).status == 42
