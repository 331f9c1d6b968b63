"""Makes the bytes of Microsoft SEAL and TenSEAL that `test_interchange.py` reads.

    python -m venv seal && seal/bin/pip install seal-python==4.4.0 tenseal==0.3.18 numpy
    seal/bin/python make.py

Secrets are random, so every run writes other bytes. Rings are small, and not secure.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import seal
import tenseal
from tenseal import sealapi

HERE = Path(__file__).parent
DEGREE, T = 1024, 12289
facts: dict[str, object] = {"tenseal": tenseal.__version__, "seal-python": version("seal-python")}


class Library:
    """Keys of SEAL, by one of its two wrappers. That of TenSEAL compresses with zstd, the other one not at all."""

    def __init__(self, api: object, scheme: object, none: object, bits: list[int], t: int | None = None) -> None:
        self.parms = api.EncryptionParameters(scheme)
        self.parms.set_poly_modulus_degree(DEGREE)
        self.parms.set_coeff_modulus(api.CoeffModulus.Create(DEGREE, bits))
        if t:
            self.parms.set_plain_modulus(t)
        self.context = api.SEALContext(self.parms, True, none)
        keys = api.KeyGenerator(self.context)
        self.secret, public, self.relin = keys.secret_key(), api.PublicKey(), api.RelinKeys()
        keys.create_public_key(public)
        keys.create_relin_keys(self.relin)
        self.encryptor, self.evaluator = api.Encryptor(self.context, public), api.Evaluator(self.context)
        self.decryptor, self.api = api.Decryptor(self.context, self.secret), api

    def save(self, name: str, **things: object) -> None:
        for kind, thing in {"parameters": self.parms, "secret": self.secret, **things}.items():
            thing.save(str(HERE / f"{name}-{kind}.seal"))

    def encrypt(self, plain: object) -> object:
        out = self.api.Ciphertext()
        self.encryptor.encrypt(plain, out)
        return out


def ckks() -> None:
    library = Library(sealapi, sealapi.SCHEME_TYPE.CKKS, sealapi.SEC_LEVEL_TYPE.NONE, [40, 30, 40])
    encoder, plain, scale = sealapi.CKKSEncoder(library.context), sealapi.Plaintext(), 2.0**30
    x = np.round(np.sin(np.arange(DEGREE // 2)), 3).tolist()
    encoder.encode(x, scale, plain)
    fresh, square = library.encrypt(plain), sealapi.Ciphertext()
    library.evaluator.square(fresh, square)
    lower = sealapi.Ciphertext()
    library.evaluator.relinearize(square, library.relin, lower)
    library.evaluator.rescale_to_next_inplace(lower)
    library.decryptor.decrypt(lower, plain)
    library.save("ckks", fresh=fresh, three=square, lower=lower)
    facts["ckks"] = {"values": x, "lower": encoder.decode_double(plain)}


def bfv() -> None:
    library = Library(sealapi, sealapi.SCHEME_TYPE.BFV, sealapi.SEC_LEVEL_TYPE.NONE, [36, 36, 37], T)
    encoder, plain, x = sealapi.BatchEncoder(library.context), sealapi.Plaintext(), integers()
    encoder.encode(x, plain)
    fresh, square = library.encrypt(plain), sealapi.Ciphertext()
    library.evaluator.square(fresh, square)
    # SEAL stores a ciphertext that was encrypted with the secret key by the seed of its second polynomial
    seeded = sealapi.Encryptor(library.context, library.secret).encrypt_symmetric(plain)
    library.save("bfv", fresh=fresh, three=square, seeded=seeded)
    budgets = [library.decryptor.invariant_noise_budget(x) for x in (fresh, square)]
    facts["bfv"] = {"values": x, "budget": budgets[0], "three_budget": budgets[1]}


def bgv() -> None:
    library = Library(seal, seal.scheme_type.bgv, seal.sec_level_type.none, [36, 36, 37], T)
    encoder, x = seal.BatchEncoder(library.context), integers()
    fresh = library.encrypt(encoder.encode(np.array(x, np.uint64)))
    lower = library.evaluator.square(fresh)
    library.evaluator.relinearize_inplace(lower, library.relin)
    library.evaluator.mod_switch_to_next_inplace(lower)
    library.save("bgv", fresh=fresh, lower=lower)
    budgets = [library.decryptor.invariant_noise_budget(x) for x in (fresh, lower)]
    facts["bgv"] = {"values": x, "budget": budgets[0], "lower_budget": budgets[1]}


def integers() -> list[int]:
    return [i * 7 % T for i in range(DEGREE)]


def of_tenseal() -> None:
    context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, 2048, coeff_mod_bit_sizes=[30, 24])
    context.global_scale = 2.0**20
    private = context.serialize(
        save_public_key=False, save_secret_key=True, save_galois_keys=False, save_relin_keys=False
    )
    (HERE / "context.tenseal").write_bytes(private)
    vector = tenseal.ckks_vector(context, [1.5, -2.25, 3.0, 0.125])
    (HERE / "vector.tenseal").write_bytes(vector.serialize())


ckks()
bfv()
bgv()
of_tenseal()
(HERE / "values.json").write_text(json.dumps(facts) + "\n")
