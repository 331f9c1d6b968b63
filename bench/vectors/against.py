"""Times functions, a network and matrices on encrypted vectors: the tasks of
`bench/peers/python/bench_openfhe_vectors.py` and `bench_tenseal_vectors.py`, with their options."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers" / "python"))
# E402: `common` lies in the folder of the other libraries' drivers
import common  # noqa: E402

o = common.options("ringjet_vectors", log_n=15)

import numpy as np  # noqa: E402

import ringjet as rj  # noqa: E402

rj.set_threads(o.threads)
rng = np.random.default_rng(1)
SLOTS = 1 << 14
wide, positive = rng.uniform(-25, 25, SLOTS), rng.uniform(1, 10, SLOTS)
rng = np.random.default_rng(1)
w1, w2 = rng.uniform(-1, 1, (32, 64)) / 8, rng.uniform(-1, 1, (10, 32)) / 8
image = rng.uniform(0, 1, 64)
a, b = rng.uniform(-1, 1, (64, 64)), rng.uniform(-1, 1, (64, 64))


def mlp(batch):
    slots = 64 * batch
    first, second = (rj.LinearTransform(w, slots, batch=batch) for w in (w1, w2))
    return lambda x: (x.matmul(first) ** 2).matmul(second)


def matmul64(x, y):
    x, y = (rj.EncryptedMatrix([[z]], (64, 64)) for z in (x, y))
    [[product]] = (x @ y).blocks
    return product


functions, network = rj.params(15, [50] + [40] * 9, [50] * 3), rj.preset("n14-depth6")
products = rj.params(14, [50] + [40] * 4, [50] * 2)
tasks = {
    "logistic": (functions, lambda x: x.sigmoid((-25, 25), error=9e-4), [wide], 1 / (1 + np.exp(-wide)), 1e-3, SLOTS),
    "chebyshev15": (functions, lambda x: x.polynomial(np.polynomial.Chebyshev.interpolate(
        lambda t: np.exp(-t / 10), 15, domain=[-25, 25])), [wide], np.exp(-wide / 10), 1e-3, SLOTS),
    "divide": (functions, lambda x: x.with_range(1, 10).reciprocal(1, 10, error=1e-4), [positive], 1 / positive, 1e-4, SLOTS),
    "mlp": (network, mlp(1), [image], w2 @ (w1 @ image) ** 2, 1e-2, 64),
    "mlp_batch128": (rj.preset("n14-depth6"), mlp(128), [np.repeat(image, 128)], np.repeat(w2 @ (w1 @ image) ** 2, 128), 1e-2, 8192),
    "matmul64": (products, matmul64, [a.ravel(), b.ravel()], (a @ b).ravel(), 1e-2, 4096),
}  # fmt: skip


def prepared(params, program, values, known, allowed, slots, name):
    most = [float(np.max(np.abs(v))) for v in values]
    plan = rj.plan(program, params, slots=slots, magnitudes=most)
    client = rj.Client(params, slots=slots)
    server = rj.Server(client.evaluation_keys(**plan.keys))
    operands = [server.load(client.encrypt(v, magnitude=m)) for v, m in zip(values, most, strict=True)]
    common.check_within(name, client.decrypt(program(*operands)), known, allowed)
    return lambda: program(*operands)


chosen = {name: prepared(*tasks[name], name) for name in o.names or tasks}
common.run(o, f"ringjet-{rj.__version__}", "", chosen)
