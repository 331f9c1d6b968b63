"""Times products of two encrypted matrices in OpenFHE's extension openfhe-numpy: one product a ciphertext, by
the method of Jiang et al. (ePrint 2018/1041)."""

import common

o = common.options("openfhe_matrix", log_n=14, sizes=True)

from importlib.metadata import version

import openfhe  # openfhe_numpy needs it loaded before
import openfhe_numpy as arrays
import numpy as np

rng = np.random.default_rng(1)
for d in o.sizes:
    chosen = openfhe.CCParamsCKKSRNS()
    chosen.SetMultiplicativeDepth(3)  # of one product
    chosen.SetScalingModSize(45)
    chosen.SetRingDim(1 << o.log_n)
    chosen.SetBatchSize(d * d)
    context = openfhe.GenCryptoContext(chosen)
    feature = openfhe.PKESchemeFeature
    for each in (feature.PKE, feature.LEVELEDSHE, feature.KEYSWITCH, feature.ADVANCEDSHE):
        context.Enable(each)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    left, right = rng.uniform(-1, 1, (2, d, d))

    def encrypted(matrix):
        return arrays.array(
            cc=context,
            data=matrix,
            batch_size=d * d,
            order=arrays.ROW_MAJOR,
            fhe_type="C",
            mode="zero",
            public_key=keys.publicKey,
        )

    a, b = encrypted(left), encrypted(right)
    arrays.EvalSquareMatMultRotateKeyGen(keys.secretKey, a.ncols)
    product = (a @ b).decrypt(keys.secretKey, unpack_type="original")
    common.check(f"{d} x {d}", np.ravel(product), np.ravel(left @ right))
    params = f"1 product of {d} x {d}, n{o.log_n}, 3 levels"
    benches = {f"matrix_product_{d}": lambda a=a, b=b: a @ b}
    common.run(o, f"openfhe-numpy-{version('openfhe-numpy')}", params, benches)
