"""A client encrypts, a server computes on the ciphertexts, and the client decrypts the result."""

import numpy as np, ringjet as rj

client = rj.Client(rj.preset("n15-depth9"))  # holds the secret
keys = client.evaluation_keys(rotations=[1, -1])  # public; keys.to_bytes() can be sent
server = rj.Server(keys, backend="auto")  # cannot hold a secret
v = np.random.default_rng(0).uniform(-1, 1, client.slots)
x = server.load(client.encrypt(v).to_bytes(), max_bytes=64 << 20)
y = (x * x + x.rotate(1)) * 0.5 - 0.25 * x + 1
out = client.decrypt(y.to_bytes())
assert np.max(np.abs(out - ((v * v + np.roll(v, -1)) * 0.5 - 0.25 * v + 1))) < 1e-6
print(x, y)  # level, scale, slots, backend, precision estimate
