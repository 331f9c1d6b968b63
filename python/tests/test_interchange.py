"""What Microsoft SEAL and TenSEAL wrote: parameters, secrets and ciphertexts, decrypted and computed on by ringjet. The bytes
in `data/seal` are those of the libraries; `make.py` there made them and the values."""

from __future__ import annotations

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
    refused(
        lambda: interchange.SealCiphertext.from_bytes(stored("ckks-fresh"), seal, max_bytes=1 << 15),
        "32768",
        rj.TooManyBytesError,
    )


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
        (recompressed(members[:start] + large + members[start + 8 :], 0), "not below its prime"),
    ]:
        with pytest.raises(rj.MalformedError, match=match) as error:
            read(data, seal)
        assert error.value.what == "SEAL ciphertext" and error.value.offset <= 16 + len(members)
    secret = raw("ckks-secret")[16:]
    with pytest.raises(rj.MalformedError, match="not 0, 1 and -1"):
        seal.client(recompressed(secret[: -(3 * 8192)] + bytes(8) + secret[-(3 * 8192) + 8 :], 0), params)


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


def test_primes_are_told_from_other_numbers():
    is_prime = interchange._ring.is_prime
    found = [n for n in range(2000) if is_prime(n)]
    assert found == [n for n in range(2, 2000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    assert is_prime(2**61 - 1) and is_prime(2**64 - 59) and not is_prime(2**64 - 61)
    # pseudoprimes to the first bases
    assert not any(map(is_prime, [3215031751, 3474749660383, 341550071728321, 3825123056546413051]))
