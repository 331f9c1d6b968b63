"""Times batches of products of encrypted matrices in DESILO FHE.

The library has engines for 256 matrices of 16 x 16, 32 x 32 and 64 x 64, and chooses everything else. Its
`matrix_multiply` returns A times the transpose of B."""

import common

o = common.options("desilofhe_matrix", sizes=True)

from importlib.metadata import version

import desilofhe
import numpy as np

BATCH = 256

rng = np.random.default_rng(1)
for d in o.sizes:
    e = desilofhe.Engine(shape=(BATCH, d, d))
    secret = e.create_secret_key()
    key = e.create_matrix_multiplication_key(secret)
    left, right = rng.uniform(-1, 1, (2, BATCH, d, d))
    a, b = e.encrypt(left, secret), e.encrypt(right, secret)
    product = e.decrypt(e.matrix_multiply(a, b, key), secret)
    common.check(f"{d} x {d}", np.ravel(product), np.ravel(left @ right.transpose(0, 2, 1)))
    params = f"{BATCH} products of {d} x {d}, level {a.level}"
    benches = {f"matrix_product_{d}": lambda a=a, b=b, key=key, e=e: e.matrix_multiply(a, b, key)}
    common.run(o, f"desilofhe-{version('desilofhe')}", params, benches)
