"""Times CKKS operations of OpenFHE, through its Python wheel."""

import common

o = common.options("openfhe")

from importlib.metadata import version  # noqa: E402

import numpy as np  # noqa: E402
import openfhe as fhe  # noqa: E402

p = fhe.CCParamsCKKSRNS()
p.SetRingDim(1 << o.log_n)
p.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
p.SetSecretKeyDist(fhe.SecretKeyDist.UNIFORM_TERNARY)
p.SetScalingTechnique(fhe.ScalingTechnique.FIXEDMANUAL)
p.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
p.SetMultiplicativeDepth(o.limbs - 1)
p.SetScalingModSize(o.prime_bits)
p.SetFirstModSize(o.prime_bits)
p.SetNumLargeDigits(o.dnum)
p.SetBatchSize(1 << (o.log_n - 1))
p.SetCKKSDataType(fhe.CKKSDataType.COMPLEX)
cc = fhe.GenCryptoContext(p)
for f in (fhe.PKESchemeFeature.PKE, fhe.PKESchemeFeature.KEYSWITCH, fhe.PKESchemeFeature.LEVELEDSHE):
    cc.Enable(f)
assert cc.GetRingDimension() == 1 << o.log_n

keys = cc.KeyGen()
cc.EvalMultKeyGen(keys.secretKey)
steps = list(range(1, 9))
cc.EvalRotateKeyGen(keys.secretKey, steps)

slots = 1 << (o.log_n - 1)
m = cc.GetCyclotomicOrder()
v0, v1 = common.vectors(slots)
pt0, pt1 = cc.MakeCKKSPackedPlaintext(v0), cc.MakeCKKSPackedPlaintext(v1)
ct0, ct1 = cc.Encrypt(keys.publicKey, pt0), cc.Encrypt(keys.publicKey, pt1)
prod = cc.EvalMult(ct0, ct1)


def decrypted(ct):
    pt = cc.Decrypt(keys.secretKey, ct)
    pt.SetLength(slots)
    return np.array(pt.GetCKKSPackedValue())


def hoisted():
    digits = cc.EvalFastRotationPrecompute(ct0)
    return [cc.EvalFastRotation(ct0, k, m, digits) for k in steps]


common.check("mul_relin_rescale", decrypted(cc.Rescale(prod)), v0 * v1)
common.check("rotate", decrypted(cc.EvalRotate(ct0, 1)), np.roll(v0, -1))
common.check("rotate_hoisted8", decrypted(hoisted()[7]), np.roll(v0, -8))

common.run(
    o,
    f"openfhe-{version('openfhe')}",
    f"n{o.log_n} l{o.limbs} dnum{o.dnum}",
    {
        "encode": lambda: cc.MakeCKKSPackedPlaintext(v0),
        "encrypt": lambda: cc.Encrypt(keys.publicKey, pt0),
        "decrypt_decode": lambda: cc.Decrypt(keys.secretKey, ct0),
        "add": lambda: cc.EvalAdd(ct0, ct1),
        "mul_plain": lambda: cc.EvalMult(ct0, pt1),
        "mul_relin": lambda: cc.EvalMult(ct0, ct1),
        "rescale": lambda: cc.Rescale(prod),
        "mul_relin_rescale": lambda: cc.RescaleInPlace(cc.EvalMult(ct0, ct1)),
        "rotate": lambda: cc.EvalRotate(ct0, 1),
        "rotate_hoisted8": hoisted,
    },
)
