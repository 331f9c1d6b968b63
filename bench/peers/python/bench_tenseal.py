"""Times CKKS operations of Microsoft SEAL, through TenSEAL's `tenseal.sealapi`.

SEAL has one special prime, so it has one key-switching digit for each ciphertext
prime. It has no hoisted rotations."""

import sys

import common

o = common.options("tenseal")
if o.threads != 1:
    sys.exit("SEAL runs each operation on one thread")

from importlib.metadata import version  # noqa: E402

import numpy as np  # noqa: E402
import tenseal.sealapi as seal  # noqa: E402

n = 1 << o.log_n
parms = seal.EncryptionParameters(seal.SCHEME_TYPE.CKKS)
parms.set_poly_modulus_degree(n)
parms.set_coeff_modulus(seal.CoeffModulus.Create(n, [o.prime_bits] * (o.limbs + 1)))
ctx = seal.SEALContext(parms, True, seal.SEC_LEVEL_TYPE.NONE)
gen = seal.KeyGenerator(ctx)
sk, pk, rlk, gk = gen.secret_key(), seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
gen.create_public_key(pk)
gen.create_relin_keys(rlk)
gen.create_galois_keys([3], gk)  # the Galois element of a rotation by 1
ev, ecd = seal.Evaluator(ctx), seal.CKKSEncoder(ctx)
enc, dec = seal.Encryptor(ctx, pk, sk), seal.Decryptor(ctx, sk)

scale = 2.0**o.prime_bits
v0, v1 = common.vectors(n // 2)
l0, l1 = v0.tolist(), v1.tolist()
pt0, pt1, pt_out = seal.Plaintext(), seal.Plaintext(), seal.Plaintext()
ecd.encode(l0, scale, pt0)
ecd.encode(l1, scale, pt1)
ct0, ct1, prod, out, out2 = (seal.Ciphertext() for _ in range(5))
enc.encrypt(pt0, ct0)
enc.encrypt(pt1, ct1)


def mul_relin(to):
    ev.multiply(ct0, ct1, to)
    ev.relinearize_inplace(to, rlk)


def mul_relin_rescale():
    mul_relin(out)
    ev.rescale_to_next(out, out2)


def decrypted(ct):
    dec.decrypt(ct, pt_out)
    return np.array(ecd.decode_complex(pt_out))


mul_relin(prod)
mul_relin_rescale()
common.check("mul_relin_rescale", decrypted(out2), v0 * v1)
ev.rotate_vector(ct0, 1, gk, out)
common.check("rotate", decrypted(out), np.roll(v0, -1))

enc_out, dec_out, op_out = seal.Ciphertext(), seal.Plaintext(), seal.Ciphertext()
common.run(
    o,
    f"tenseal-{version('tenseal')}",
    f"n{o.log_n} l{o.limbs} k1 dnum{o.limbs}",
    {
        "encode": lambda: ecd.encode(l0, scale, dec_out),
        "decode": lambda: ecd.decode_complex(pt0),
        "encrypt": lambda: enc.encrypt(pt0, enc_out),
        "encrypt_sk": lambda: enc.encrypt_symmetric(pt0, enc_out),
        "decrypt": lambda: dec.decrypt(ct0, dec_out),
        "add": lambda: ev.add(ct0, ct1, op_out),
        "mul_plain": lambda: ev.multiply_plain(ct0, pt1, op_out),
        "mul_relin": lambda: mul_relin(op_out),
        "rescale": lambda: ev.rescale_to_next(prod, op_out),
        "mul_relin_rescale": mul_relin_rescale,
        "rotate": lambda: ev.rotate_vector(ct0, 1, gk, op_out),
    },
)
