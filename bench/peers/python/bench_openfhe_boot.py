"""Times OpenFHE's bootstrapping of CKKS ciphertexts, through its Python wheel."""

import boot

o = boot.options("openfhe_boot", log_n=16, levels=8, scale_bits=59, first_bits=60, dnum=3, level_budget=4)

# E402: the options set the number of threads, which the library reads when it is imported
import math  # noqa: E402
import os  # noqa: E402
import tempfile  # noqa: E402
from importlib.metadata import version  # noqa: E402

import common  # noqa: E402
import numpy as np  # noqa: E402
import openfhe as fhe  # noqa: E402

budget = [o.level_budget, o.level_budget]
depth = o.levels + fhe.CryptoContext.GetBootstrapDepth(budget, fhe.SecretKeyDist.UNIFORM_TERNARY)
p = fhe.CCParamsCKKSRNS()
p.SetRingDim(1 << o.log_n)
p.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
p.SetSecretKeyDist(fhe.SecretKeyDist.UNIFORM_TERNARY)
p.SetScalingTechnique(fhe.ScalingTechnique.FLEXIBLEAUTO)
p.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
p.SetMultiplicativeDepth(depth)
p.SetScalingModSize(o.scale_bits)
p.SetFirstModSize(o.first_bits)
p.SetNumLargeDigits(o.dnum)
p.SetBatchSize(1 << (o.log_n - 1))
p.SetCKKSDataType(fhe.CKKSDataType.COMPLEX)
cc = fhe.GenCryptoContext(p)
for f in ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE", "FHE"):
    cc.Enable(getattr(fhe.PKESchemeFeature, f))
assert cc.GetRingDimension() == 1 << o.log_n
slots = 1 << (o.log_n - 1)


def keygen():
    keys = cc.KeyGen()
    cc.EvalMultKeyGen(keys.secretKey)
    cc.EvalBootstrapKeyGen(keys.secretKey, slots)
    return keys


def key_bytes():
    """Bytes of the library's serialized form of the evaluation keys."""
    total = 0
    for write in (cc.SerializeEvalMultKey, cc.SerializeEvalAutomorphismKey):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keys")
            if not write(path, fhe.BINARY):
                return None
            total += os.path.getsize(path)
    return total


_, setup_s = boot.timed(lambda: cc.EvalBootstrapSetup(budget, [0, 0], slots))
keys, keygen_s = boot.timed(keygen)

(want,) = common.vectors(slots, 1)
# the last level: one prime is left
fresh = cc.Encrypt(keys.publicKey, cc.MakeCKKSPackedPlaintext(want, 1, depth - 1))


def decrypted(ct):
    pt = cc.Decrypt(keys.secretKey, ct)
    pt.SetLength(slots)
    return np.array(pt.GetCKKSPackedValue())


limbs = depth + 1
# the library's special primes have 60 bits, as many as a digit needs
special = math.ceil(math.ceil(limbs / o.dnum) * o.scale_bits / 60)
log_qp = o.first_bits + depth * o.scale_bits + 60 * special
boot.run(
    o,
    f"openfhe-{version('openfhe')}",
    f"n{o.log_n} l{limbs} k{special} dnum{o.dnum}",
    {
        "set": f"uniform ternary, scale 2^{o.scale_bits}",
        "log_n": o.log_n,
        "log_qp": log_qp,
        "q_primes": limbs,
        "p_primes": special,
        "secret": "uniform ternary",
        "level_bits": o.scale_bits,
        "output_scale_log2": o.scale_bits,
        "key_bytes": key_bytes(),
        "keygen_s": keygen_s,
        "setup_s": setup_s,
        # FLEXIBLEAUTO delays the rescaling of a product: the scale's degree is 2 after one
        "levels": lambda ct: depth - ct.GetLevel() - (ct.GetNoiseScaleDeg() - 1),
    },
    want,
    fresh,
    lambda: cc.EvalBootstrap(fresh),
    decrypted,
)
