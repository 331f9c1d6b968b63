"""Times BGV and BFV operations of Microsoft SEAL, through TenSEAL's `tenseal.sealapi`.

SEAL has one special prime, so it has one key-switching digit for each ciphertext prime. TenSEAL's
enumeration of schemes does not list BGV, but passes its number on."""

import sys

import exact

o = exact.options("tenseal_exact")
if o.threads != 1 or len(o.p_bits) != 1:
    sys.exit("SEAL runs each operation on one thread and has one special prime")

from importlib.metadata import version  # noqa: E402

import common  # noqa: E402
import tenseal.sealapi as seal  # noqa: E402

BGV = 3
n = 1 << o.log_n
parms = seal.EncryptionParameters(seal.SCHEME_TYPE.BFV if o.scheme == "bfv" else seal.SCHEME_TYPE(BGV))
parms.set_poly_modulus_degree(n)
parms.set_coeff_modulus(seal.CoeffModulus.Create(n, o.q_bits + o.p_bits))
parms.set_plain_modulus(o.t)
ctx = seal.SEALContext(parms, True, seal.SEC_LEVEL_TYPE.NONE)
gen = seal.KeyGenerator(ctx)
sk, pk, rlk, gk = gen.secret_key(), seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
gen.create_public_key(pk)
gen.create_relin_keys(rlk)
gen.create_galois_keys([3], gk)  # the Galois element of a rotation by 1
ev, ecd = seal.Evaluator(ctx), seal.BatchEncoder(ctx)
enc, dec = seal.Encryptor(ctx, pk, sk), seal.Decryptor(ctx, sk)

v0, v1 = exact.vectors(o)
l0, l1 = v0.tolist(), v1.tolist()
pt0, pt1, pt_out = seal.Plaintext(), seal.Plaintext(), seal.Plaintext()
ecd.encode(l0, pt0)
ecd.encode(l1, pt1)
pt_new = seal.Plaintext()
ct0, ct1, prod, out, op_out = (seal.Ciphertext() for _ in range(5))
enc.encrypt(pt0, ct0)
enc.encrypt(pt1, ct1)


def mul_relin(to):
    ev.multiply(ct0, ct1, to)
    ev.relinearize_inplace(to, rlk)


def decrypted(ct):
    dec.decrypt(ct, pt_out)
    return ecd.decode_int64(pt_out)


mul_relin(prod)
exact.check(o, "mul_relin", decrypted(prod), v0 * v1)


def mul_values():
    ecd.encode(l1, pt_new)
    ev.multiply_plain(ct0, pt_new, op_out)


mul_values()
exact.check(o, "mul_values", decrypted(op_out), v0 * v1)
if o.scheme == "bgv":
    # a ciphertext of BGV is in the evaluation domain, so a plaintext can be there as well
    ev.transform_to_ntt_inplace(pt1, ctx.first_parms_id())
ev.multiply_plain(ct0, pt1, out)
exact.check(o, "mul_prepared", decrypted(out), v0 * v1)
ev.rotate_rows(ct0, 1, gk, out)
exact.check(o, "rotate", decrypted(out), exact.rotated(v0))

enc_out, dec_out = seal.Ciphertext(), seal.Plaintext()
params = exact.label(o, len(o.q_bits), 1, len(o.q_bits), sum(o.q_bits + o.p_bits))
common.run(
    o,
    f"tenseal-{version('tenseal')}",
    params,
    {
        "encrypt": lambda: enc.encrypt(pt0, enc_out),
        "decrypt": lambda: dec.decrypt(ct0, dec_out),
        "mul_prepared": lambda: ev.multiply_plain(ct0, pt1, op_out),
        "mul_values": mul_values,
        "mul": lambda: ev.multiply(ct0, ct1, op_out),
        "mul_relin": lambda: mul_relin(op_out),
        "rotate": lambda: ev.rotate_rows(ct0, 1, gk, op_out),
    },
)
