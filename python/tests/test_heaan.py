"""HEAAN with the same classes as CKKS: every operator against numpy and against the ciphertext's
own error estimate, errors, and bytes."""

from __future__ import annotations

import copy
import operator
import pickle
from fractions import Fraction

import numpy as np
import pytest

import ringjet as rj

ROTATIONS = [1, 2, 3, -1, -5]
ARITHMETIC = [operator.add, operator.sub, operator.mul]

#: The largest allowed error, in standard deviations of the ciphertext's own estimate.
MOST = 12


@pytest.fixture(scope="module")
def params() -> rj.Parameters:
    return rj.heaan(10, 300, 35, allow_insecure=True)


@pytest.fixture(scope="module")
def client(params: rj.Parameters) -> rj.Client:
    return rj.Client(params, seed=1)


@pytest.fixture(scope="module")
def keys(client: rj.Client) -> rj.EvaluationKeys:
    return client.evaluation_keys(rotations=ROTATIONS, conjugation=True)


@pytest.fixture(scope="module")
def server(keys: rj.EvaluationKeys) -> rj.Server:
    return rj.Server(keys)


@pytest.fixture
def w(client: rj.Client, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1, 1, client.slots)


def close(client, ct, expected):
    assert isinstance(ct, rj.Ciphertext)
    got = client.decrypt(ct.to_bytes(), complex=np.iscomplexobj(expected))
    assert got.dtype == (np.complex128 if np.iscomplexobj(expected) else np.float64)
    assert np.max(np.abs(got - expected)) <= MOST * 2**-ct.precision_bits


@pytest.mark.parametrize("op", ARITHMETIC)
def test_ciphertexts(client, x, y, v, w, op):
    close(client, op(x, y), op(v, w))
    close(client, op(x, x), op(v, v))


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize(
    "scalar",
    [2, -3, 0.25, 0, True, np.float64(0.3), np.int64(-2), np.array([0.5]), Fraction(1, 4), 0.5 - 0.75j],
    ids=repr,
)
def test_scalars_from_both_sides(client, x, v, op, scalar):
    number = complex(scalar) if isinstance(scalar, complex) else float(np.asarray(scalar, float).item())
    close(client, op(x, scalar), op(v, number))
    close(client, op(scalar, x), op(number, v))


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arrays_from_both_sides(client, x, v, w, op):
    for a in (w, w.astype(np.float32).astype(np.float64), (w + 1j * v) / 2, np.sign(w).astype(int)):
        close(client, op(x, a), op(v, a))
        close(client, op(a, x), op(a, v))
    close(client, op(list(w), x), op(w, v))


def test_scales_are_aligned_and_products_rescaled_late(client, x, y, v, w):
    product = x * y
    assert (product.log_q, product.log_scale) == (300, 70), "a product is rescaled before the next one"
    close(client, product + x, v * w + v)
    close(client, x - product, v - v * w)
    deep = product * x
    assert (deep.log_q, deep.log_scale) == (265, 70)
    close(client, deep, v * w * v)
    close(client, deep + product + y, v * w * v + v * w + w)
    assert (x * 3).log_scale == 35, "integers cost nothing"


def test_rescaling_takes_any_number_of_bits(client, x, v):
    product = x * x
    for bits in (1, 17, 35, 50):
        out = product.rescale(bits)
        assert (out.log_q, out.log_scale, out.scale) == (300 - bits, 70 - bits, 70.0 - bits)
        close(client, out, v * v)
    assert product.rescale().log_scale == 35
    low = x.mod_down_to(77)
    assert (low.log_q, low.log_scale) == (77, 35)
    close(client, low * low, v * v)
    assert len(low.to_bytes()) < client.params.sizes["ciphertext"] / 3
    assert client.encrypt(v, log_q=80).log_q == 80


def test_negation_division_powers(client, x, v, w):
    close(client, -x, -v)
    assert +x is x
    close(client, x / 4, v / 4)
    close(client, x / np.sign(w), v * np.sign(w))
    for n in (0, 1, 2, 3, 5, 8):
        close(client, x**n, v**n)
    assert (x**8).log_q == 300 - 2 * 35
    with pytest.raises(ZeroDivisionError):
        x / 0
    with pytest.raises(rj.ArgumentError, match="exponent"):
        x**-1


@pytest.mark.parametrize("k", [0, 1, 3, -1, -5, 1 + 512])
def test_rotation_is_roll_to_the_left(client, x, v, k):
    close(client, x.rotate(k), np.roll(v, -k))


def test_rotations_conjugates_sums(client, server, x, v, w):
    for k, ct in zip([1, 0, -5], x.rotations([1, 0, -5])):
        close(client, ct, np.roll(v, -k))
    close(client, x.inner_sum(1, 4), sum(np.roll(v, -i) for i in range(4)))
    z = v + 1j * w
    c = server.load(client.encrypt(z))
    close(client, c.conjugate(), z.conj())
    close(client, c * c.conjugate(), np.abs(z) ** 2 + 0j)
    close(client, c.times_i(), 1j * z)
    assert c.times_i().log_q == c.log_q
    assert c.with_magnitude(2.0).precision_bits == pytest.approx(c.precision_bits)


def test_sums_of_products_and_weighted_sums(client, x, y, v, w):
    close(client, rj.sum_of_products([x, y], [y, y]), v * w + w * w)
    close(client, rj.weighted_sum([x, y, x * y], [0.5, -1.25, 2]), 0.5 * v - 1.25 * w + 2 * v * w)
    with pytest.raises(rj.ArgumentError):
        rj.sum_of_products([], [])


def test_sparse_packing(rng):
    client = rj.Client(rj.heaan(10, 300, 35, slots=16, allow_insecure=True))
    assert client.slots == client.params.slots == 16
    server = rj.Server(client.evaluation_keys(rotations=[1, -1]))
    v = rng.uniform(-1, 1, 16)
    x = server.load(client.encrypt(v))
    assert x.slots == 16
    for k in (1, -1, 15, 17):
        close(client, x.rotate(k), np.roll(v, -k))
    close(client, x * v + 1, v * v + 1)
    wide = x.with_slots(64)
    close(rj.Client.from_secret_bytes(client.to_secret_bytes(), 64, allow_insecure=True), wide, np.tile(v, 4))
    other = rj.Client.from_secret_bytes(client.to_secret_bytes(), 8, allow_insecure=True)
    with pytest.raises(rj.SlotMismatchError, match="16 and 8"):
        x + server.load(other.encrypt([1.0]))


def test_show(params, client, keys, server, x):
    assert params.scheme == "heaan" and (params.log_q, params.log_p, params.log_qp) == (300, 35, 600)
    assert (params.depth, params.slots, params.security, params.can_bootstrap) == (7, 512, 0, False)
    for word in ("heaan", "n=2^10", "slots=512", "log_q=300", "scale=2^35", "below 128"):
        assert word in repr(params)
    product = (x * x).rescale(20)
    text = repr(product)
    for word in ("log_q 280/300", "scale 2^50,", "512 slots", product.backend, "about", "bits"):
        assert word in text
    html = product._repr_html_()
    assert html.startswith("<table>") and "280 of 300" in html and "2<sup>50</sup>" in html and "allow_insecure" in html
    for o in (params, client, keys, server, x, client.public_key(), rj.Encryptor(client.public_key())):
        assert "allow_insecure" in repr(o)
    assert "allow_insecure" not in repr(rj.preset("heaan-n14-q210"))
    assert 15 < product.precision_bits < x.precision_bits
    y = server.load(client.encrypt([1.0]))
    # a square has twice the error of its factor; a product has the sum of two independent errors
    assert (x * x).rescale().precision_bits < params.precision_bits
    assert (x * y).rescale().precision_bits == pytest.approx(params.precision_bits, abs=0.3)


def test_presets():
    named = rj.preset("heaan-n14-q210")
    assert named == rj.heaan(14, 210) and named in [p.parameters for p in rj.presets()]
    assert named.security == 128 and named.security_margin > 0
    boot = rj.preset("heaan-n15-boot")
    assert boot.security == 0 and np.isnan(boot.security_margin) and boot.slots == 8
    assert boot == rj.heaan(15, 620, 23, 8, secret_weight=64, allow_insecure=True)
    with pytest.raises(rj.UnknownPresetError, match="heaan-n16-q850"):
        rj.preset("heaan-n16")
    with pytest.raises(rj.UnknownPresetError, match="n15-depth9.*heaan-n16-q850"):
        rj.preset("nothing")


def test_insecure_parameters():
    with pytest.raises(rj.InsecureModulusError, match="allow_insecure") as e:
        rj.heaan(12, 300)
    assert isinstance(e.value, rj.InsecureParametersError)
    assert (e.value.log_n, e.value.log_q, e.value.log_qp, e.value.security) == (12, 300, 600.0, 128)
    assert f"log_q up to {e.value.allowed // 2}" in str(e.value)
    with pytest.raises(rj.SparseSecretError, match="64 non-zero") as f:
        rj.heaan(14, 100, secret_weight=64)
    assert f.value.weight == 64
    for arguments in ((18, 300), (14, 10), (14, 300, 101)):
        with pytest.raises(rj.ParametersError):
            rj.heaan(*arguments, allow_insecure=True)
    with pytest.raises(rj.ArgumentError, match="slots = 3"):
        rj.heaan(10, 300, slots=3, allow_insecure=True)
    with pytest.raises(rj.ParametersError, match="log_slots = 10"):
        rj.heaan(10, 300, slots=1024, allow_insecure=True)


def test_vectors(client, x):
    n = client.slots
    with pytest.raises(rj.SlotCountError, match=str(n + 1)):
        client.encrypt(np.zeros(n + 1))
    with pytest.raises(rj.SlotCountError, match="0 values"):
        client.encrypt([])
    with pytest.raises(rj.NotFiniteError, match="index 1"):
        client.encrypt([1, np.nan])
    with pytest.raises(rj.TooLargeForModulusError) as e:
        client.encrypt([1e90])
    assert e.value.magnitude == 1e90 and e.value.needed > e.value.log_q
    with pytest.raises(
        rj.SlotMismatchError, match=f"an array of {n + 1} numbers does not fit a ciphertext of {n} slots"
    ):
        x + np.ones(n + 1)
    for op in (lambda: x * np.nan, lambda: x + np.inf, lambda: x * np.full(n, np.nan), lambda: x / np.zeros(n)):
        with pytest.raises(rj.NotFiniteError):
            op()


def test_exhausted_modulus(client, x):
    low = x.mod_down_to(70)
    for op in (lambda: low * low, lambda: low * 0.5, lambda: low * np.ones(client.slots), lambda: low**2):
        with pytest.raises(rj.ModulusExhaustedError, match="needs|bits") as e:
            op()
        assert e.value.needed > e.value.left
    with pytest.raises(rj.ModulusExhaustedError):
        x.mod_down_to(36)
    with pytest.raises(rj.ArgumentError, match="log_q = 301.*at most 300"):
        x.mod_down_to(301)
    with pytest.raises(rj.ArgumentError, match="bits = 36.*at most 35"):
        x.rescale(36)
    with pytest.raises(rj.ArgumentError, match="log_q = 301"):
        client.encrypt([1.0], log_q=301)
    with pytest.raises(rj.ModulusExhaustedError):
        client.encrypt([1.0], log_q=36)


def test_keys(client, x):
    with pytest.raises(rj.MissingRotationKeyError, match="17") as e:
        x.rotate(17)
    assert e.value.rotation == 17
    for op in (lambda: x.inner_sum(9, 4), lambda: x.rotations([18, 9])):
        with pytest.raises(rj.MissingRotationKeyError) as g:
            op()
        assert g.value.rotations == [9, 18]
    bare = rj.Server(client.evaluation_keys(relinearization=False)).load(client.encrypt([1.0]))
    with pytest.raises(rj.MissingRelinearizationKeyError):
        bare * bare
    with pytest.raises(rj.MissingConjugationKeyError):
        bare.conjugate()
    assert isinstance(bare * 2.5 + bare, rj.Ciphertext)
    with pytest.raises(rj.ArgumentError, match="compressed.*HEAAN"):
        client.evaluation_keys(key_memory="compressed")


CKKS = rj.params(10, [50] + [42] * 3, [50, 50], allow_insecure=True)


def test_schemes_do_not_mix(client, server, x):
    other = rj.Client(CKKS)
    elsewhere = rj.Server(other.evaluation_keys())
    foreign = elsewhere.load(other.encrypt([0.5]))
    for op in ARITHMETIC:
        for pair in ((x, foreign), (foreign, x)):
            with pytest.raises(rj.ParameterMismatchError, match="parameter set"):
                op(*pair)
    for load in (server.load, client.decrypt):
        for bad in (foreign, foreign.to_bytes()):
            with pytest.raises(rj.ParameterMismatchError):
                load(bad)
    for load in (elsewhere.load, other.decrypt):
        for bad in (x, x.to_bytes()):
            with pytest.raises(rj.ParameterMismatchError):
                load(bad)
    with pytest.raises(rj.ParameterMismatchError):
        client.evaluation_keys().merge(other.evaluation_keys())
    with pytest.raises(rj.ParameterMismatchError):
        rj.sum_of_products([x], [foreign])
    with pytest.raises(rj.ParameterMismatchError):
        rj.weighted_sum([foreign, x], [1.0, 1.0])
    assert client.params != other.params


def test_mixed_parameter_sets(client, server, x):
    other = rj.Client(rj.heaan(10, 299, 35, allow_insecure=True))
    foreign = other.encrypt([1.0])
    for op in (lambda: server.load(foreign), lambda: client.decrypt(foreign), lambda: x + foreign):
        with pytest.raises(rj.ParameterMismatchError) as e:
            op()
        assert e.value.found == other.params.fingerprint


def test_what_one_scheme_lacks_says_what_there_is(params, client, server, x):
    for op, there in (
        (lambda: x.polynomial([1.0, 2.0]), r"\*\*"),
        (lambda: x.matmul(np.eye(512)), "rotate"),
        (lambda: np.eye(512) @ x, "rotate"),
        (lambda: x.to_level(1), "mod_down_to"),
        (lambda: x.level, "log_q"),
        (lambda: client.encrypt([1.0], level=1), "log_q"),
        (lambda: rj.weighted_sum([x], [1.0], level=1), "rescaled"),
        (lambda: params.levels, "log_q"),
        (lambda: params.max_level, "log_q"),
        (lambda: params.q, "log_q"),
        (lambda: params.p, "log_q"),
        (lambda: rj.LogisticRegression(params).fit(np.eye(4), [0, 1, 0, 1]), "n16-boot"),
    ):
        with pytest.raises(rj.SchemeError, match=there) as e:
            op()
        assert e.value.scheme == "HEAAN" and str(e.value).startswith(f"HEAAN has no {e.value.op}")
    assert params.bootstrap_input_level is None and server.bootstrapping == []
    other = rj.Client(CKKS)
    z = rj.Server(other.evaluation_keys()).load(other.encrypt([0.5]))
    for op, there in (
        (lambda: z.rescale(20), "by themselves"),
        (lambda: z.mod_down_to(50), "to_level"),
        (lambda: z.log_q, "level"),
        (lambda: z.log_scale, "scale"),
        (lambda: CKKS.log_q, "levels"),
        (lambda: CKKS.log_p, "scale_bits"),
        (lambda: other.encrypt([1.0], log_q=50), "level"),
    ):
        with pytest.raises(rj.SchemeError, match=there) as e:
            op()
        assert e.value.scheme == "CKKS"


def test_bytes_and_pickles(client, keys, params, x, v, insecure_pickles):
    for same in (copy.copy(x), copy.deepcopy(x)):
        assert same is x
    again = pickle.loads(pickle.dumps(x))
    assert again is not x and again.to_bytes() == x.to_bytes()
    product = x * x
    assert rj.Server(keys).load(product.to_bytes()).log_scale == product.log_scale
    assert pickle.loads(pickle.dumps(params)) == params
    assert rj.Parameters.from_json(params.to_json(), allow_insecure=True) == params
    assert rj.Parameters.from_bytes(params.to_bytes(), allow_insecure=True) == params
    assert hash(copy.deepcopy(params)) == hash(params)
    assert pickle.loads(pickle.dumps(keys)).to_bytes() == keys.to_bytes()
    assert keys.sizes == {"keys": 7, "bytes": len(keys.to_bytes()), "in_memory": keys.sizes["in_memory"]}
    assert (keys.rotations, keys.relinearization, keys.conjugation) == ([-1, 1, 2, 3, -5], True, True)
    key = client.public_key()
    assert pickle.loads(pickle.dumps(key)).to_bytes() == key.to_bytes()
    sender = rj.Encryptor(pickle.loads(pickle.dumps(key)))
    for ct in (sender.encrypt(v), client.encrypt(v, public=True), sender.encrypt(v, log_q=90)):
        close(client, ct, v)
    owner = rj.Client.from_secret_bytes(client.to_secret_bytes(), allow_insecure=True)
    close(owner, x, v)
    fresh = client.encrypt(v)
    sizes = params.sizes
    assert 0 <= len(fresh.to_bytes()) - sizes["fresh_ciphertext"] < 165
    assert 0 <= len(x.rotate(1).to_bytes()) - sizes["ciphertext"] < 160
    assert 0 <= len(keys.to_bytes()) - 7 * sizes["evaluation_key"] < 500
    assert keys.sizes["in_memory"] == 7 * sizes["evaluation_key_in_memory"]


def test_bytes_are_not_trusted(client, keys, server, rng):
    data = client.encrypt([1.0]).to_bytes()
    with pytest.raises(rj.TooManyBytesError):
        server.load(data, max_bytes=len(data) - 1)
    with pytest.raises(rj.InsecureModulusError):
        rj.Server(keys.to_bytes())
    with pytest.raises(rj.ArgumentError, match="compressed"):
        rj.Server(keys.to_bytes(), allow_insecure=True, key_memory="compressed")
    for blob, load in (
        (data, server.load),
        (keys.to_bytes(), lambda b: rj.EvaluationKeys.from_bytes(b, allow_insecure=True)),
        (client.public_key().to_bytes(), lambda b: rj.PublicKey.from_bytes(b, allow_insecure=True)),
        (client.to_secret_bytes(), lambda b: rj.Client.from_secret_bytes(b, allow_insecure=True)),
        (client.params.to_bytes(), lambda b: rj.Parameters.from_bytes(b, allow_insecure=True)),
    ):
        load(blob)
        for cut in (0, 31, len(blob) // 2, len(blob) - 1):
            with pytest.raises(rj.RingjetError):
                load(blob[:cut])
        flipped = bytearray(blob)
        flipped[rng.integers(len(blob))] ^= 1
        with pytest.raises(rj.RingjetError):
            load(bytes(flipped))


def test_files_of_keys(tmp_path, client, keys, v):
    path = tmp_path / "keys"
    told = []
    keys.save(path, progress=lambda done, total: told.append((done, total)))
    assert len(told) == len(keys) and told == sorted(told) and {total for _, total in told} == {told[0][1]}
    assert rj.EvaluationKeys.load(path, allow_insecure=True).to_bytes() == keys.to_bytes()
    x = rj.Server(path, allow_insecure=True).load(client.encrypt(v))
    close(client, x * x, v * v)
    merged = client.evaluation_keys([7]).merge(client.evaluation_keys([8], relinearization=False))
    assert merged.rotations == [7, 8] and merged.relinearization


def test_backends_agree(client, keys, v):
    out = []
    for backend in rj.backends():
        if backend != "reference":
            x = rj.Server(keys, backend=backend).load(client.encrypt(v).to_bytes() if not out else out[0][1])
            out.append(((x * x + x.rotate(1)).to_bytes(), x.to_bytes()))
    assert len({result for result, _ in out}) == 1


def test_sharing(client, rng):
    wide = rj.Client(rj.heaan(10, 300, 70, allow_insecure=True))
    v = rng.uniform(-1, 1, wide.slots)
    plan = rj.plan(lambda x: x, wide.params)
    shared = wide.decrypt_for_sharing(wide.encrypt(v), 8, plan=plan)
    assert np.array_equal(shared * 2**8, np.round(shared * 2**8)) and np.max(np.abs(shared - v)) < 2**-7
    with pytest.raises(rj.NotSharableError, match="bits"):
        client.decrypt_for_sharing(client.encrypt([1.0]), 20, plan=rj.plan(lambda x: x, client.params))


def test_interrupted_key_generation(interrupted):
    run = interrupted(
        "import signal, ringjet as rj\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "client = rj.Client(rj.heaan(13, 400, allow_insecure=True))\n"
        "print('ready', flush=True)\n"
        "client.evaluation_keys(rotations=range(1, 3000))\n",
        0.5,
    )
    assert run.status != 0 and run.seconds < 5


def test_a_model_server_counts(params, client):
    model = rj.Server(backend="model", params=params)
    x = model.input()
    assert (x.log_q, x.log_scale, x.slots) == (300, 35, 512)
    y = x * x + x.rotate(3).conjugate() * 0.5
    real = rj.Server(client.evaluation_keys(rotations=[3], conjugation=True)).load(client.encrypt([1.0]))
    z = real * real + real.rotate(3).conjugate() * 0.5
    assert (y.log_q, y.log_scale, y.precision_bits) == (z.log_q, z.log_scale, z.precision_bits)
    estimate = model.estimate("a100-80gb")
    keys = estimate.keys
    assert (keys.relinearization, keys.conjugation, keys.rotations, keys.count) == (True, True, [3], 3)
    # b has 12 words of 52 bits; two polynomials of two digits are stored modulo 13 primes
    assert keys.in_memory == 3 * (12 + 2 * 2 * 13) * 1024 * 8
    kept = client.evaluation_keys(rotations=[3], conjugation=True)
    assert keys.in_memory == kept.sizes["in_memory"]
    assert estimate.seconds > 0 and estimate.bootstraps == 0
    assert {"Mult", "Rotate", "Conjugate"} <= {work.name for _, work in estimate.tree.walk()}
    assert model.input(slots=16, log_q=100).log_q == 100
    with pytest.raises(rj.NoValuesError):
        client.decrypt(y)
    with pytest.raises(rj.SchemeError):
        model.input(level=1)
