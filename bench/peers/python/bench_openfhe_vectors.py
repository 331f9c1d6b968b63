"""Times functions of encrypted vectors in OpenFHE, through its Python wheel: the tasks of
`bench/vectors/against.py`."""

import common

o = common.options("openfhe_vectors", log_n=15)

# E402: the options set the number of threads, which the libraries read when they are imported
import math  # noqa: E402
from importlib.metadata import version  # noqa: E402

import numpy as np  # noqa: E402
import openfhe as fhe  # noqa: E402

SLOTS, DEPTH = 1 << (o.log_n - 1), 9

p = fhe.CCParamsCKKSRNS()
p.SetRingDim(1 << o.log_n)
p.SetSecurityLevel(fhe.SecurityLevel.HEStd_128_classic)
p.SetScalingTechnique(fhe.ScalingTechnique.FIXEDAUTO)
p.SetMultiplicativeDepth(DEPTH)
p.SetScalingModSize(40)
p.SetFirstModSize(50)
p.SetBatchSize(SLOTS)
cc = fhe.GenCryptoContext(p)
for f in ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE"):
    cc.Enable(getattr(fhe.PKESchemeFeature, f))
keys = cc.KeyGen()
cc.EvalMultKeyGen(keys.secretKey)

rng = np.random.default_rng(1)
wide, positive = rng.uniform(-25, 25, SLOTS), rng.uniform(1, 10, SLOTS)
encrypted = {name: cc.Encrypt(keys.publicKey, cc.MakeCKKSPackedPlaintext(v.tolist())) for name, v in
             [("wide", wide), ("positive", positive)]}  # fmt: skip

tasks = {
    # degree 127 is the largest with 7 levels; the error is below 1e-3
    "logistic": (lambda: cc.EvalLogistic(encrypted["wide"], -25, 25, 127), 1 / (1 + np.exp(-wide)), 1e-3),
    "chebyshev15": (
        lambda: cc.EvalChebyshevFunction(lambda t: math.exp(-t / 10), encrypted["wide"], -25, 25, 15),
        np.exp(-wide / 10), 1e-3),
    "divide": (lambda: cc.EvalDivide(encrypted["positive"], 1, 10, 31), 1 / positive, 1e-4),
}  # fmt: skip
for name in o.names or tasks:
    run, known, allowed = tasks[name]
    plain = cc.Decrypt(keys.secretKey, run())
    plain.SetLength(SLOTS)
    common.check_within(name, plain.GetRealPackedValue(), known, allowed)
common.run(o, f"openfhe-{version('openfhe')}", f"n{o.log_n}", {name: run for name, (run, *_) in tasks.items()})
