"""What OpenFHE wrote as JSON: contexts, secrets and ciphertexts, decrypted and computed on by ringjet. The texts in
`data/openfhe` are those of the library; `make.py` there made them and the values."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import ringjet as rj
from ringjet import interchange

DATA = Path(__file__).parent / "data" / "openfhe"
VALUES = json.loads((DATA / "values.json").read_text())
T = 12289


def stored(name):
    return gzip.decompress((DATA / f"{name}.json.gz").read_bytes())


def opened(scheme):
    """OpenFHE's parameters, ringjet's, and a client with OpenFHE's secret."""
    found = interchange.OpenfheParameters.from_json(stored(f"{scheme}-context"))
    params = found.to_ringjet(allow_insecure=True)
    return found, params, found.client(stored(f"{scheme}-secret"), params)


def ciphertext(name, found):
    return interchange.OpenfheCiphertext.from_json(stored(name), found)


def changed(name, *path):
    """The JSON with another value at a path of members."""
    data = json.loads(stored(name))
    place = data
    for step in path[:-2]:
        place = place[step]
    place[path[-2]] = path[-1]
    return json.dumps(data)


TOP = ("value0", "ptr_wrapper", "data")
CONTEXT = (*TOP, "cc", "ptr_wrapper", "data", "value0")


def test_ckks_is_decrypted_and_computed_on():
    found, params, client = opened("ckks")
    assert (found.scheme, found.degree, found.t) == ("ckks", 1024, None)
    # the last prime is of fresh ciphertexts alone, and is divided away
    assert list(found.primes[:-1]) == params.q and found.primes[-1].bit_length() < 22
    x = np.array(VALUES["ckks"]["values"])
    read = ciphertext("ckks-fresh", found)
    assert (read.level, read.slots, read.residues.shape) == (1, 64, (2, 2, 1024))
    assert read.scale == found.scale == params.q[-1]
    server = rj.Server(client.evaluation_keys(rotations=[1]).to_bytes(), allow_insecure=True)
    y = server.load(read.to_ringjet(params, client.key_id, magnitude=1))
    values = client.decrypt(y)
    assert np.abs(values - x).max() < 1e-7
    assert y.precision_bits - 2 < -np.log2(np.std(values - x)) < y.precision_bits + 3
    assert np.abs(client.decrypt(y * y + y) - (x * x + x)).max() < 1e-6
    assert np.abs(client.decrypt(y.rotate(1)) - np.roll(x, -1)).max() < 1e-6


def test_ckks_after_a_product_of_openfhe():
    found, params, client = opened("ckks")
    read = ciphertext("ckks-square", found)
    assert read.level == 1 and 2.0**79 < read.scale < 2.0**81
    values = client.decrypt(read.to_ringjet(params, client.key_id, magnitude=1, error=1e-7))
    assert np.abs(values - np.array(VALUES["ckks"]["values"]) ** 2).max() < 1e-6


@pytest.mark.parametrize("technique", [0, 1, 2])
def test_techniques_without_an_extra_prime(technique):
    """Their primes are those of all ciphertexts. The scale is a power of two (FIXEDMANUAL, FIXEDAUTO), or the last
    prime (FLEXIBLEAUTO)."""
    names = (*CONTEXT, "rs", technique)
    found = interchange.OpenfheParameters.from_json(changed("ckks-context", *names))
    assert (found.scale, found.kept) == (found.primes[2] if technique == 2 else 2**40, 3)


@pytest.mark.parametrize(("scheme", "level", "factor"), [("bfv", 0, False), ("bgv", 2, True)])
def test_integers_are_decrypted_and_computed_on(scheme, level, factor):
    found, params, client = opened(scheme)
    assert (found.scheme, found.t, params.t) == (scheme, T, T)
    read, x = ciphertext(f"{scheme}-fresh", found), np.array(VALUES[scheme]["values"])
    assert read.level == level and (read.factor > 1) == factor
    server = rj.Server(client.evaluation_keys(rotations=[1]).to_bytes(), allow_insecure=True)
    data = read.to_ringjet(params, client.key_id)
    y, order = server.load(data), found.slot_order()
    assert (client.decrypt(y)[order] == x).all()
    assert ((client.decrypt(y * y + y)[order] - (x * x + x)) % T == 0).all()
    assert (client.decrypt(y.rotate(1)) == np.roll(x.reshape(2, -1), -1, axis=1).reshape(-1)).all()
    # the noise that was found is no more than what was stated
    assert client.noise_budget(data) - 25 < y.noise_budget < client.noise_budget(data)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_integers_after_products_of_openfhe(scheme):
    found, params, client = opened(scheme)
    data = ciphertext(f"{scheme}-square", found).to_ringjet(params, client.key_id, noise_budget=10)
    x = np.array(VALUES[scheme]["values"])
    assert ((client.decrypt(data) - x * x) % T == 0).all()
    assert client.noise_budget(data) > 10


@pytest.mark.parametrize("kind", ["context", "secret", "fresh", "square"])
def test_every_object_has_the_parameters(kind):
    assert interchange.OpenfheParameters.from_json(stored(f"ckks-{kind}")) == opened("ckks")[0]


def test_what_ringjet_cannot_use_is_refused_with_what_it_is():
    found, params, client = opened("ckks")
    context = interchange.OpenfheParameters.from_json

    def refused(call, match, kind=rj.UnsupportedObjectError):
        with pytest.raises(kind, match=match) as error:
            call()
        return error.value

    binary = refused(lambda: context((DATA / "binary.bin").read_bytes()), "binary format")
    assert binary.supported == "JSON: openfhe.Serialize(x, openfhe.JSON)"
    name = (*TOP, "cc", "polymorphic_name")
    refused(lambda: context(changed("ckks-context", *name, "lbcrypto::Other")), "lbcrypto::Other")
    refused(lambda: context(changed("bfv-context", *CONTEXT, "encs", 1)), "technique 1")
    refused(lambda: context(changed("ckks-context", *CONTEXT, "value0", "mo", 2)), "distribution 2")
    prime = str(found.primes[0]).encode()
    refused(lambda: context(stored("ckks-context").replace(prime, b"1125899906826243")), "modulus 1125899906826243")
    t = stored("bfv-context").replace(b'"m":12289', b'"m":257')
    refused(lambda: context(t), "t = 257")
    read = interchange.OpenfheCiphertext.from_json
    refused(lambda: read(changed("ckks-fresh", *TOP, "e", 2), found), "encoding 2")
    refused(lambda: read(changed("ckks-fresh", *TOP, "cereal_class_version", 2), found), "class version 2")
    refused(lambda: read(changed("ckks-fresh", *TOP, "sl", 100), found), "100 slots")
    refused(lambda: read(changed("ckks-fresh", *TOP, "v", 0, "f", 1), found), "coefficients")
    refused(lambda: read(stored("bfv-fresh"), found), "other parameters")
    refused(lambda: found.client(stored("bgv-secret"), params), "other parameters")
    assert stored("ckks-fresh").count(b'"dp":3.19') == 1
    others = stored("ckks-fresh").replace(b'"dp":3.19', b'"dp":3.25')
    others = refused(lambda: read(others, found), r"\(deviation differ\)")
    assert "deviation=3.25" in others.found and "deviation=3.19" in others.supported
    refused(lambda: found.to_ringjet(), "128 bits of security", rj.InsecureParametersError)
    refused(lambda: context(changed("ckks-context", *CONTEXT, "rs", 5)), "scaling technique 5")
    refused(lambda: ciphertext("ckks-fresh", found).to_ringjet(params, client.key_id), "magnitude", rj.ArgumentError)
    refused(lambda: read(stored("ckks-fresh"), found, max_bytes=1000), "limit of 1000", rj.TooManyBytesError)


@pytest.mark.parametrize("kind", ["fresh", "secret"])
def test_objects_of_another_root_of_unity_are_refused(kind):
    """Their residues are at other places of the evaluation domain: the values would be wrong."""
    found, params, _ = opened("ckks")
    q, root = found.primes[1], found.roots[1]
    other = pow(root, 3, q)
    text = json.dumps(json.loads(stored(f"ckks-{kind}")))
    assert text.count(f'"ru": {{"v": {root}}}') == 1
    text = text.replace(f'"ru": {{"v": {root}}}', f'"ru": {{"v": {other}}}')
    with pytest.raises(rj.UnsupportedObjectError, match=r"other parameters \(roots differ\)"):
        if kind == "fresh":
            interchange.OpenfheCiphertext.from_json(text, found)
        else:
            found.client(text, params)


def test_the_default_limits_follow_from_the_parameters():
    found, params, _ = opened("ckks")
    read = interchange.OpenfheCiphertext.from_json
    assert [found._limit(n) for n in (1, 3)] == [n * 3 * 1024 * 24 + (1 << 20) for n in (1, 3)]
    # white space does not count, and OpenFHE writes more of it than of anything else
    text = json.dumps(json.loads(stored("ckks-fresh")), indent=1)
    padded = text.replace("\n", "\n\r\t" + " " * 200)
    assert len(padded) > found._limit(3)
    assert (read(padded, found).residues == ciphertext("ckks-fresh", found).residues).all()
    assert (read(padded.encode(), found).residues == ciphertext("ckks-fresh", found).residues).all()
    large = b"[" + b"[]," * (found._limit(3) // 3) + b"[]]"
    with pytest.raises(rj.TooManyBytesError, match=f"limit of {found._limit(3)}"):
        read(large, found)
    with pytest.raises(rj.TooManyBytesError, match=f"limit of {found._limit(1)}"):
        found.client(large, params)
    with pytest.raises(rj.TooManyBytesError, match=f"limit of {16 << 20}"):
        interchange.OpenfheParameters.from_json(b"1" * ((16 << 20) + 1))


@pytest.mark.parametrize("data", [None, 5, ["{}"]])
def test_what_is_no_text_is_refused(data):
    found, params, _ = opened("ckks")
    for name, call in [
        ("data", lambda: interchange.OpenfheParameters.from_json(data)),
        ("data", lambda: interchange.OpenfheCiphertext.from_json(data, found)),
        ("secret_key", lambda: found.client(data, params)),
    ]:
        with pytest.raises(rj.ArgumentError, match="a text in JSON") as error:
            call()
        assert error.value.name == name


def test_damaged_texts_are_refused():
    found, params, _ = opened("ckks")
    read = interchange.OpenfheCiphertext.from_json
    tower = (*TOP, "v", 0, "v", 0, "v", "ptr_wrapper", "data")
    for data, match in [
        (b"", "no JSON"),
        (stored("ckks-fresh")[:-1], "no JSON"),
        (b"[" * 100000, "no JSON"),
        (b"{}", "no member 'value0'"),
        (b'{"value0":{"ptr_wrapper":{"data":{"value0":{"value0":3}}}}}', "class_version|no crypto context"),
        (changed("ckks-fresh", *tower, "v", [1, 2]), "1024 residues"),
        (changed("ckks-fresh", *tower, "v", 0, found.primes[0]), "not below"),
        (changed("ckks-fresh", *tower, "v", 0, -1), "not below"),
        (changed("ckks-fresh", *tower, "m", {"v": 17}), "modulus is not"),
        (changed("ckks-fresh", *TOP, "v", 0, "v", []), "towers"),
        (changed("ckks-fresh", *TOP, "v", 7), "no list"),
        (changed("ckks-fresh", *TOP, "s", -1.0), "a scale of -"),
        (changed("ckks-fresh", *TOP, "si", {"v": 5}), "factor of 5"),
    ]:
        with pytest.raises(rj.MalformedError, match=match):
            read(data, found)
    secret = changed("ckks-secret", *TOP, "s", "v", 0, "v", "ptr_wrapper", "data", "v", 0, 5)
    with pytest.raises(rj.MalformedError, match="not 0, 1 and -1"):
        found.client(secret, params)
