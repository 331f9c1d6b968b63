"""Times CKKS operations of DESILO FHE.

The library chooses N, the primes and the digits from the number of levels; its
`multiply` relinearizes and rescales in one call."""

import sys

import common

o = common.options("desilofhe")

from importlib.metadata import version  # noqa: E402

import numpy as np  # noqa: E402
import desilofhe  # noqa: E402

levels = o.limbs - 1
if o.threads == 1:
    e = desilofhe.Engine(max_level=levels, mode="cpu")
else:
    e = desilofhe.Engine(max_level=levels, mode="parallel", thread_count=o.threads)
log_n = e.slot_count.bit_length()
if log_n != o.log_n:
    print(f"{levels} levels: this library takes N = 2^{log_n}", file=sys.stderr)
sk = e.create_secret_key()
pk, rlk = e.create_public_key(sk), e.create_relinearization_key(sk)
rks = [e.create_fixed_rotation_key(sk, k) for k in range(1, 9)]

v0, v1 = common.vectors(e.slot_count)
pt0, pt1 = e.encode(v0), e.encode(v1)
ct0, ct1 = e.encrypt(pt0, pk), e.encrypt(pt1, pk)
print(f"levels of a fresh ciphertext: {ct0.level}", file=sys.stderr)

prod = e.multiply(ct0, ct1, rlk)
print(f"levels of a product: {prod.level}", file=sys.stderr)
common.check("mul_relin_rescale", e.decrypt(prod, sk), v0 * v1)
rotated = e.decrypt(e.rotate(ct0, rks[0]), sk)
sign = 1 if np.allclose(rotated, np.roll(v0, 1), atol=1e-4) else -1
common.check("rotate", rotated, np.roll(v0, sign))
common.check("rotate_hoisted8", e.decrypt(e.rotate_many(ct0, rks)[7], sk), np.roll(v0, 8 * sign))

common.run(
    o,
    f"desilofhe-{version('desilofhe')}",
    f"n{log_n} l{o.limbs}",
    {
        "encode": lambda: e.encode(v0),
        "decode": lambda: e.decode(pt0),
        "encrypt": lambda: e.encrypt(pt0, pk),
        "encrypt_sk": lambda: e.encrypt(pt0, sk),
        "decrypt": lambda: e.decrypt_to_plaintext(ct0, sk),
        "add": lambda: e.add(ct0, ct1),
        "mul_relin_rescale": lambda: e.multiply(ct0, ct1, rlk),
        "rotate": lambda: e.rotate(ct0, rks[0]),
        "rotate_hoisted8": lambda: e.rotate_many(ct0, rks),
    },
)
