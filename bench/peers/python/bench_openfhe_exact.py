"""Times BGV and BFV operations of OpenFHE, through its Python wheel.

The library takes special primes of 60 bits, as many as a digit needs. It chooses BFV's modulus by
the depth; the depth taken here is the largest whose modulus has no more bits than --q-bits say."""

import sys

import exact

o = exact.options("openfhe_exact")

import math  # noqa: E402
from importlib.metadata import version  # noqa: E402

import common  # noqa: E402
import openfhe as fhe  # noqa: E402

if len(set(o.q_bits)) != 1:
    sys.exit("OpenFHE's ciphertext primes have one size here")
limbs, bits = len(o.q_bits), o.q_bits[0]
dnum = o.dnum or limbs


def context(depth):
    p = fhe.CCParamsBGVRNS() if o.scheme == "bgv" else fhe.CCParamsBFVRNS()
    p.SetRingDim(1 << o.log_n)
    p.SetPlaintextModulus(o.t)
    p.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
    p.SetSecretKeyDist(fhe.SecretKeyDist.UNIFORM_TERNARY)
    p.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
    p.SetNumLargeDigits(dnum)
    p.SetMultiplicativeDepth(depth)
    p.SetScalingModSize(bits)
    if o.scheme == "bgv":
        p.SetScalingTechnique(fhe.ScalingTechnique.FIXEDMANUAL)
        p.SetFirstModSize(bits)
    return fhe.GenCryptoContext(p)


def largest():
    """The context with the largest modulus up to --q-bits, and log2 of that modulus."""
    if o.scheme == "bgv":
        made = context(limbs - 1)
        return made, math.log2(made.GetModulus())
    best = None
    for depth in range(1, 64):
        try:
            made = context(depth)
        except RuntimeError:  # fewer primes than digits
            continue
        log_q = math.log2(made.GetModulus())
        if log_q > sum(o.q_bits) + 1:
            break
        best = made, log_q
    return best or sys.exit("even a product alone needs a larger modulus")


cc, log_q = largest()
for f in (fhe.PKESchemeFeature.PKE, fhe.PKESchemeFeature.KEYSWITCH, fhe.PKESchemeFeature.LEVELEDSHE):
    cc.Enable(f)
assert cc.GetRingDimension() == 1 << o.log_n
limbs = math.ceil((log_q - 1) / bits)
special = math.ceil(math.ceil(limbs / dnum) * bits / 60)

keys = cc.KeyGen()
cc.EvalMultKeyGen(keys.secretKey)
cc.EvalRotateKeyGen(keys.secretKey, [1])
v0, v1 = exact.vectors(o)
l0, l1 = v0.tolist(), v1.tolist()
pt0, pt1 = cc.MakePackedPlaintext(l0), cc.MakePackedPlaintext(l1)
ct0, ct1 = cc.Encrypt(keys.publicKey, pt0), cc.Encrypt(keys.publicKey, pt1)


def decrypted(ct):
    pt = cc.Decrypt(keys.secretKey, ct)
    pt.SetLength(1 << o.log_n)
    return pt.GetPackedValue()


exact.check(o, "mul_relin", decrypted(cc.EvalMult(ct0, ct1)), v0 * v1)
exact.check(o, "mul_prepared", decrypted(cc.EvalMult(ct0, pt1)), v0 * v1)
exact.check(o, "rotate", decrypted(cc.EvalRotate(ct0, 1)), exact.rotated(v0))

params = exact.label(o, limbs, special, min(dnum, limbs), log_q + 60 * special)
common.run(
    o,
    f"openfhe-{version('openfhe')}",
    params,
    {
        "encrypt": lambda: cc.Encrypt(keys.publicKey, pt0),
        "decrypt_decode": lambda: cc.Decrypt(keys.secretKey, ct0),
        # a plaintext stays in the evaluation domain after its first product
        "mul_prepared": lambda: cc.EvalMult(ct0, pt1),
        "mul_values": lambda: cc.EvalMult(ct0, cc.MakePackedPlaintext(l1)),
        "mul": lambda: cc.EvalMultNoRelin(ct0, ct1),
        "mul_relin": lambda: cc.EvalMult(ct0, ct1),
        "rotate": lambda: cc.EvalRotate(ct0, 1),
    },
)
