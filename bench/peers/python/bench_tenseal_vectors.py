"""Times matrices and a network on encrypted vectors in TenSEAL: the tasks of
`bench/vectors/against.py`."""

import common

o = common.options("tenseal_vectors", log_n=13)

# E402: the options set the number of threads, which the libraries read when they are imported
from importlib.metadata import version  # noqa: E402

import numpy as np  # noqa: E402
import tenseal as ts  # noqa: E402

context = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[40, 30, 30, 30, 40], n_threads=o.threads)
context.global_scale = 2**30
context.generate_galois_keys()

rng = np.random.default_rng(1)
w1, w2 = rng.uniform(-1, 1, (32, 64)) / 8, rng.uniform(-1, 1, (10, 32)) / 8
image = rng.uniform(0, 1, 64)
a, b = rng.uniform(-1, 1, (64, 64)), rng.uniform(-1, 1, (64, 64))

x = ts.ckks_vector(context, image.tolist())
first, second = w1.T.tolist(), w2.T.tolist()


def network():
    y = x.mm(first)
    y.square_()
    return y.mm(second)


tasks = {"mlp": (network, w2 @ (w1 @ image) ** 2)}
if "matmul64" in o.names:  # by name only: one product takes minutes
    left, right = (
        ts.ckks_tensor(context, ts.plain_tensor(a.tolist())),
        ts.ckks_tensor(context, ts.plain_tensor(b.tolist())),
    )
    tasks["matmul64"] = (lambda: left.mm(right), a @ b)
for name in o.names or tasks:
    run, known = tasks[name]
    found = run().decrypt()
    found = found.tolist() if hasattr(found, "tolist") else found
    common.check_within(name, np.asarray(found).ravel(), np.asarray(known).ravel(), 1e-2)
o.names = o.names or ["mlp"]
common.run(o, f"tenseal-{version('tenseal')}", "n13", {name: run for name, (run, _) in tasks.items()})
