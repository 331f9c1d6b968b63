"""Reads parameters, secret keys and ciphertexts of Microsoft SEAL 4, TenSEAL and OpenFHE, so that ringjet decrypts and computes
on what they encrypted. Nothing is written in their formats.

    context = interchange.TensealContext.from_bytes(context_bytes)
    seal = context.parameters
    params = seal.to_ringjet(scale_bits=40)
    client = seal.client(context.secret_key, params)             # where the secret is
    server = rj.Server(client.evaluation_keys().to_bytes())

    vector = interchange.TensealVector.from_bytes(vector_bytes)
    x = interchange.SealCiphertext.from_bytes(vector.ciphertexts[0], seal)
    x = server.load(x.to_ringjet(params, client.key_id, magnitude=10))
    values = client.decrypt(x * x)[seal.slot_order()][: vector.sizes[0]]

The guide, "From SEAL and OpenFHE", says what cannot be read.
"""

from ._openfhe import OpenfheCiphertext, OpenfheParameters
from ._seal import SealCiphertext, SealParameters
from ._tenseal import TensealContext, TensealVector

__all__ = [
    "OpenfheCiphertext",
    "OpenfheParameters",
    "SealCiphertext",
    "SealParameters",
    "TensealContext",
    "TensealVector",
]
