"""What Microsoft SEAL and TenSEAL wrote: parameters, secrets and ciphertexts, decrypted and computed on by ringjet. The bytes
in `data/seal` are those of the libraries; `make.py` there made them and the values."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import ringjet as rj
from ringjet import interchange

DATA = Path(__file__).parent / "data" / "seal"
VALUES = json.loads((DATA / "values.json").read_text())
T = 12289


def stored(name):
    return (DATA / f"{name}.seal").read_bytes()


def opened(scheme):
    """SEAL's parameters, ringjet's, and a client with SEAL's secret."""
    seal = interchange.SealParameters.from_bytes(stored(f"{scheme}-parameters"))
    params = seal.to_ringjet(scale_bits=30 if scheme == "ckks" else None, allow_insecure=True)
    return seal, params, seal.client(stored(f"{scheme}-secret"), params)


def ciphertext(name, seal):
    return interchange.SealCiphertext.from_bytes(stored(name), seal)


def raw(name):
    """The object without compression, as SEAL writes it with `compr_mode_type::none`."""
    return recompressed(interchange._stream.opened(name, stored(name), 1 << 20)._data, 0)


def recompressed(members, mode, minor=3):
    return struct.pack("<HBBBBHQ", 0xA15E, 16, 4, minor, mode, 0, 16 + len(members)) + members


def test_ckks_is_decrypted_and_computed_on():
    seal, params, client = opened("ckks")
    assert (seal.scheme, seal.degree, seal.t) == ("ckks", 1024, None)
    assert [q.bit_length() for q in seal.primes] == [40, 30, 40] and seal.primes == (*params.q, *params.p)
    order, x = seal.slot_order(), np.array(VALUES["ckks"]["values"])
    turn = int(order[1])
    server = rj.Server(client.evaluation_keys(rotations=[turn]).to_bytes(), allow_insecure=True)
    fresh = ciphertext("ckks-fresh", seal)
    assert (fresh.level, fresh.scale, fresh.residues.shape) == (1, 2.0**30, (2, 2, 1024))
    y = server.load(fresh.to_ringjet(params, client.key_id, magnitude=1))
    assert np.abs(client.decrypt(y)[order] - x).max() < 1e-5
    assert np.abs(client.decrypt(y, complex=True)[order].imag).max() < 1e-5
    assert np.abs(client.decrypt(y * y + 0.5)[order] - (x * x + 0.5)).max() < 1e-4
    assert np.abs(client.decrypt(y.rotate(turn))[order] - np.roll(x, -1)).max() < 1e-4


def test_the_stated_error_of_fresh_ckks_is_that_of_the_values():
    seal, params, client = opened("ckks")
    bits = rj.Server(client.evaluation_keys().to_bytes(), allow_insecure=True).load(
        ciphertext("ckks-fresh", seal).to_ringjet(params, client.key_id, magnitude=1)
    )
    values = client.decrypt(bits)[seal.slot_order()]
    found = -np.log2(np.std(values - np.array(VALUES["ckks"]["values"])))
    assert bits.precision_bits - 1 < found < bits.precision_bits + 3


@pytest.mark.parametrize(("name", "level", "polynomials"), [("ckks-lower", 0, 2), ("ckks-three", 1, 3)])
def test_ckks_at_a_lower_level_and_before_relinearization(name, level, polynomials):
    seal, params, client = opened("ckks")
    read = ciphertext(name, seal)
    assert (read.level, len(read.residues)) == (level, polynomials)
    values = client.decrypt(read.to_ringjet(params, client.key_id, magnitude=1, error=1e-5))
    assert np.abs(values[seal.slot_order()] - VALUES["ckks"]["lower"]).max() < 1e-5


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_are_decrypted_and_computed_on(scheme):
    seal, params, client = opened(scheme)
    assert (seal.scheme, seal.t, params.scheme, params.t) == (scheme, T, scheme, T)
    order, x = seal.slot_order(), np.array(VALUES[scheme]["values"])
    server = rj.Server(client.evaluation_keys().to_bytes(), allow_insecure=True)
    data = ciphertext(f"{scheme}-fresh", seal).to_ringjet(params, client.key_id)
    y = server.load(data)
    assert (client.decrypt(y)[order] % T == x).all()
    assert (client.decrypt(y * y + y)[order] % T == (x * x + x) % T).all()
    # the noise is that which SEAL measured, and no more than what was stated
    assert abs(client.noise_budget(data) - VALUES[scheme]["budget"]) < 1.5
    assert VALUES[scheme]["budget"] - 12 < y.noise_budget < client.noise_budget(data)


def test_slots_of_integers_turn_as_in_seal():
    seal, params, client = opened("bfv")
    order, x = seal.slot_order(), np.array(VALUES["bfv"]["values"])
    turn = int(order[1]) % 512
    keys = client.evaluation_keys(rotations=[turn], conjugation=True)
    y = rj.Server(keys.to_bytes(), allow_insecure=True).load(
        ciphertext("bfv-fresh", seal).to_ringjet(params, client.key_id)
    )
    rows = np.roll(x.reshape(2, -1), -1, axis=1).reshape(-1)
    assert (client.decrypt(y.swap_rows().rotate(turn))[order] % T == rows).all()


@pytest.mark.parametrize(("name", "factor"), [("bfv-three", 1), ("bgv-lower", None)])
def test_integers_after_products_of_seal(name, factor):
    scheme, state = name.split("-")
    seal, params, client = opened(scheme)
    read = ciphertext(name, seal)
    # SEAL's modulus switching leaves a correction factor in BGV
    assert read.correction_factor == 1 if factor else read.correction_factor > 1
    budget = VALUES[scheme][f"{state}_budget"]
    data = read.to_ringjet(params, client.key_id, noise_budget=budget)
    x = np.array(VALUES[scheme]["values"])
    assert (client.decrypt(data)[seal.slot_order()] % T == x * x % T).all()
    assert budget <= client.noise_budget(data) < budget + 1.5


def test_a_seed_becomes_the_polynomial_that_seal_encrypted_with():
    seal, params, client = opened("bfv")
    assert len(stored("bfv-seeded")) < len(stored("bfv-fresh")) * 0.6
    data = ciphertext("bfv-seeded", seal).to_ringjet(params, client.key_id)
    assert (client.decrypt(data)[seal.slot_order()] % T == VALUES["bfv"]["values"]).all()


def test_seeds_become_words_in_batches_of_any_size(monkeypatch):
    seeds, seed = interchange._seeds, bytes(range(64))
    # of the last three moduli, one word in 17 is replaced
    primes = [2**60 - 98303, 2**60 - 163839, 1073643521, *(2**64 // 17 + x for x in (2, 4, 6))]
    found = seeds.expanded(seed, tuple(primes), 1 << 14)
    # known answer, of an implementation that computed one block at a time
    digest = "e9dab0423c82d2a070fad02643db60947c9325220ed2e561d814b22abf4ab3de"
    assert hashlib.sha256(found.astype("<u8").tobytes()).hexdigest() == digest
    words = seeds._words(seed, range(200))
    single = [seeds._words(seed, range(i, i + 1)) for i in range(200)]
    assert (words == np.concatenate(single)).all() and words.shape == (200 * 512,)
    monkeypatch.setattr(seeds, "_BATCH", 7)
    monkeypatch.setattr(seeds, "_FEW", 1)
    assert (seeds.expanded(seed, tuple(primes), 1 << 14) == found).all()


def test_words_that_would_make_residues_uneven_are_replaced_in_order():
    seeds, seed, primes, degree = interchange._seeds, bytes(64), (2**64 // 17 + 2, 2**64 // 17 + 4), 1024
    stream = list(map(int, seeds._words(seed, range(20))))
    words, further = stream[: 2 * degree], iter(stream[2 * degree :])
    expected, replaced = [], 0
    for i, word in enumerate(words):
        q = primes[i // degree]
        while word >= (2**64 - 1) // q * q - 1:
            word, replaced = next(further), replaced + 1  # noqa: PLW2901
        expected.append(word % q)
    assert seeds.expanded(seed, primes, degree).reshape(-1).tolist() == expected and replaced > 50


def test_tenseal():
    context = interchange.TensealContext.from_bytes((DATA / "context.tenseal").read_bytes())
    seal = context.parameters
    assert (seal.scheme, seal.degree, context.scale) == ("ckks", 2048, 2.0**20)
    assert "secret" not in repr(context)
    params = seal.to_ringjet(scale_bits=20, p_bits=[40], allow_insecure=True)
    client = seal.client(context.secret_key, params)
    vector = interchange.TensealVector.from_bytes((DATA / "vector.tenseal").read_bytes())
    assert vector.sizes == (4,)
    read = interchange.SealCiphertext.from_bytes(vector.ciphertexts[0], seal)
    values = client.decrypt(read.to_ringjet(params, client.key_id, magnitude=4))
    assert np.abs(values[seal.slot_order()][:4] - [1.5, -2.25, 3.0, 0.125]).max() < 0.01


def test_the_key_identity_is_that_of_the_secret():
    _, params, client = opened("ckks")
    assert opened("ckks")[2].key_id == client.key_id != opened("bfv")[2].key_id
    again = rj.Client.from_secret_bytes(client.to_secret_bytes(), allow_insecure=True)
    assert (again.key_id, again.params) == (client.key_id, params)


@pytest.mark.parametrize("mode", [0, 1])
def test_other_compressions_hold_the_same(mode):
    seal, *_ = opened("ckks")
    members = raw("ckks-fresh")[16:]
    data = recompressed(zlib.compress(members) if mode else members, mode)
    read = interchange.SealCiphertext.from_bytes(data, seal)
    assert (read.residues == ciphertext("ckks-fresh", seal).residues).all()


def test_what_ringjet_cannot_use_is_refused_with_what_it_is():
    seal, params, client = opened("ckks")
    members = raw("ckks-parameters")[16:]
    read = interchange.SealParameters.from_bytes

    def refused(call, match, kind=rj.UnsupportedObjectError):
        with pytest.raises(kind, match=match) as error:
            call()
        return error.value

    older = stored("ckks-parameters")[:3] + bytes([3, 7]) + stored("ckks-parameters")[5:]
    assert refused(lambda: read(older), "SEAL 3.7 cannot be read").supported == "SEAL 4.0 to 4.4"
    refused(lambda: read(recompressed(members, 0, minor=5)), "SEAL 4.5")
    refused(lambda: read(recompressed(members, 3)), "compression mode 3")
    refused(lambda: read(recompressed(b"\4" + members[1:], 0)), "scheme 4")
    refused(lambda: read(recompressed(members[:1] + struct.pack("<Q", 512) + members[9:], 0)), "degree 512")
    prime = struct.pack("<Q", seal.primes[0])
    refused(
        lambda: read(recompressed(members.replace(prime, struct.pack("<Q", 2**40 + 15)), 0)), "modulus 1099511627791"
    )
    composite = 2048 * 262 * 2**20 + 1
    assert composite % 7 == 0
    refused(lambda: read(recompressed(members.replace(prime, struct.pack("<Q", composite)), 0)), f"modulus {composite}")
    bfv = raw("bfv-parameters")[16:]
    refused(lambda: read(recompressed(bfv.replace(struct.pack("<Q", T), struct.pack("<Q", 257)), 0)), "t = 257")
    refused(lambda: ciphertext("ckks-fresh", seal).to_ringjet(opened("bfv")[1], client.key_id, magnitude=1), "BFV")
    other = rj.params(10, [40, 30], [41], 30, allow_insecure=True)
    refused(lambda: ciphertext("ckks-fresh", seal).to_ringjet(other, client.key_id, magnitude=1), "modulo the primes")
    refused(lambda: seal.to_ringjet(scale_bits=30), "128 bits of security", rj.InsecureParametersError)
    refused(lambda: ciphertext("bfv-fresh", seal), "do not fit|belongs to", rj.ParameterMismatchError)
    refused(lambda: seal.client(stored("bfv-secret"), params), "belongs to", rj.ParameterMismatchError)
    for name in ("magnitude", "key_id"):
        given = {"magnitude": 1, "key_id": client.key_id} | {name: None if name == "magnitude" else "12"}
        error = refused(lambda: ciphertext("ckks-fresh", seal).to_ringjet(params, **given), name, rj.ArgumentError)  # noqa: B023
        assert error.name == name
    read_ciphertext = interchange.SealCiphertext.from_bytes
    refused(lambda: read_ciphertext(stored("ckks-fresh"), seal, max_bytes=1 << 15), "32768", rj.TooManyBytesError)
    # by default as much as three polynomials need
    limit = 3 * 3 * 1024 * 9 + (1 << 16)
    large = recompressed(zlib.compress(bytes(limit)), 1)
    refused(lambda: read_ciphertext(large, seal), f"limit of {limit}", rj.TooManyBytesError)
    limit = 1 * 3 * 1024 * 9 + (1 << 16)
    refused(lambda: seal.client(large, params), f"limit of {limit}", rj.TooManyBytesError)


@pytest.mark.parametrize(
    ("scheme", "name", "value"),
    [("ckks", "key_id", x) for x in (None, 5, b"1" * 32, "12")]
    + [("ckks", "magnitude", x) for x in (None, "1", [1], -1, float("nan"), 10**400)]
    + [("ckks", "error", x) for x in ("1", [1], -1, float("inf"))]
    + [("bfv", "noise_budget", x) for x in ("1", [1], -1, 10**400, 1000)],
    ids=lambda x: repr(x)[:12],
)
def test_arguments_of_other_types_are_refused(scheme, name, value):
    seal, params, client = opened(scheme)
    given = {"key_id": client.key_id} | ({"magnitude": 1} if scheme == "ckks" else {}) | {name: value}
    with pytest.raises(rj.ArgumentError, match=f"^{name} = ") as error:
        ciphertext(f"{scheme}-fresh", seal).to_ringjet(params, **given)
    assert error.value.name == name


@pytest.mark.parametrize("data", [None, 5, "text", [1]])
def test_what_is_no_bytes_is_refused(data):
    seal, params, _ = opened("ckks")
    for name, call in [
        ("data", lambda: interchange.SealParameters.from_bytes(data)),
        ("data", lambda: interchange.SealCiphertext.from_bytes(data, seal)),
        ("data", lambda: interchange.TensealContext.from_bytes(data)),
        ("data", lambda: interchange.TensealVector.from_bytes(data)),
        # such as the secret of a public context of TenSEAL
        ("secret_key", lambda: seal.client(data, params)),
    ]:
        with pytest.raises(rj.ArgumentError, match="an object of bytes is needed") as error:
            call()
        assert error.value.name == name
    for bits in ("40", 40.5, None):
        with pytest.raises(rj.ArgumentError, match="scale_bits"):
            seal.to_ringjet(scale_bits=bits, allow_insecure=True)


def test_damaged_bytes_are_refused():
    seal, params, _ = opened("ckks")
    members = raw("ckks-fresh")[16:]
    read = interchange.SealCiphertext.from_bytes
    large = struct.pack("<Q", seal.primes[0])
    start = members.index(struct.pack("<HBB", 0xA15E, 16, 4)) + 24
    for data, match in [
        (b"", "no header"),
        (stored("ckks-fresh")[:-1], "states"),
        (recompressed(members[:-8], 0), "are needed"),
        (recompressed(members + b"\0", 0), "left over"),
        (recompressed(b"\0" * 100, 2), "compressed members are damaged"),
        (recompressed(zlib.compress(members)[:-20], 1), "compressed members are damaged"),
        (recompressed(zlib.compress(members) + b"\0", 1), "compressed members are damaged"),
        (recompressed(members[:start] + large + members[start + 8 :], 0), "not below its prime"),
    ]:
        with pytest.raises(rj.MalformedError, match=match) as error:
            read(data, seal)
        assert error.value.what == "SEAL ciphertext" and error.value.offset <= 16 + len(members)
    secret = raw("ckks-secret")[16:]
    with pytest.raises(rj.MalformedError, match="not 0, 1 and -1"):
        seal.client(recompressed(secret[: -(3 * 8192)] + bytes(8) + secret[-(3 * 8192) + 8 :], 0), params)


def test_bytes_after_a_zstd_frame_are_refused():
    seal, *_ = opened("ckks")
    frame = stored("ckks-fresh")[16:]
    assert stored("ckks-fresh")[5] == 2 and recompressed(frame, 2) == stored("ckks-fresh")
    for more in (b"\0", frame):
        with pytest.raises(rj.MalformedError, match="compressed members are damaged"):
            interchange.SealCiphertext.from_bytes(recompressed(frame + more, 2), seal)


def test_random_bytes_never_do_anything_else():
    seal, params, client = opened("bfv")
    rng = np.random.default_rng(5)
    for name in ("bfv-seeded", "bfv-parameters"):
        data = bytearray(stored(name) if name == "bfv-seeded" else raw(name))
        refused = 0
        for _ in range(150):
            damaged = bytearray(data)
            damaged[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
            try:
                if name == "bfv-parameters":
                    interchange.SealParameters.from_bytes(damaged)
                else:
                    interchange.SealCiphertext.from_bytes(damaged, seal)
            except (rj.MalformedError, rj.UnsupportedObjectError, rj.TooManyBytesError, rj.ParameterMismatchError):
                refused += 1
        assert refused > 30


def test_damaged_messages_of_tenseal():
    data = (DATA / "vector.tenseal").read_bytes()
    read = interchange.TensealVector.from_bytes
    with pytest.raises(rj.MalformedError, match="are left"):
        read(data[:-1])
    with pytest.raises(rj.MalformedError, match="wire type 7"):
        read(data + b"\x0f")
    with pytest.raises(rj.UnsupportedObjectError, match="ckks_vector"):
        read(b"\x0a\x02\x02\x02" + data[3:])
    with pytest.raises(rj.MalformedError, match="no encryption parameters"):
        interchange.TensealContext.from_bytes(b"")
    # a field of two bytes takes a hundred in memory
    assert read(data + b"\x18\x01" * (4096 - 3)).sizes == (4,)
    for many, match in [
        (data + b"\x18\x01" * 4096, "more than 4096 fields"),
        (b"\x0a\x81\x20" + b"\1" * 4097, "more than 4096 numbers"),
    ]:
        with pytest.raises(rj.UnsupportedObjectError, match=match):
            read(many)
    with pytest.raises(rj.TooManyBytesError, match=f"limit of {16 << 20}"):
        interchange.TensealContext.from_bytes(bytes((16 << 20) + 1))


def test_primes_are_told_from_other_numbers():
    is_prime = interchange._ring.is_prime
    found = [n for n in range(2000) if is_prime(n)]
    assert found == [n for n in range(2, 2000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    assert is_prime(2**61 - 1) and is_prime(2**64 - 59) and not is_prime(2**64 - 61)
    # pseudoprimes to the first bases
    assert not any(map(is_prime, [3215031751, 3474749660383, 341550071728321, 3825123056546413051]))
