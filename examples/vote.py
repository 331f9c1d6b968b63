"""A server adds encrypted ballots without reading them; the owner of the key publishes a tally and a mean rating.

What is protected: the server and everybody on the way see only ciphertexts. Readers of the
published numbers, including the server, learn nothing about the secret key. About single ballots
they learn only what the tally and the mean reveal. A plain `decrypt` would reveal more, since its
last bits are an error that depends on the key.

What is not protected: the owner of the key can decrypt any single ballot that reaches them. A voter
can encrypt something other than a ballot. A server can leave out ballots, or compute something else
for which the noise below is too small. Voters, server and owner are trusted to be honest. See
SECURITY.md.
"""

import numpy as np, ringjet as rj
from ringjet import Ciphertext

PRESET, VOTERS, CANDIDATES, BITS = "n14-share-depth2", 40, 3, 16


def count(*ballots: Ciphertext) -> dict[str, Ciphertext]:
    """The server's computation."""
    total = sum(ballots[1:], ballots[0])
    return {"tally": total, "mean": total / len(ballots)}


# --- The owner of the key. Keys and plan are made before the first ballot.
client = rj.Client(PRESET, slots=4)  # the candidates and a rating
public_key = client.public_key().to_bytes()  # goes to the voters

# The plan runs the same computation without values. Its error bound decides how much noise hides
# the error, whatever the server states about its ciphertexts. The bound holds for encryptions with
# the public key and with the secret key.
plan = rj.plan(count, PRESET, slots=[client.slots] * VOTERS, level=1)
keys = client.evaluation_keys(**plan.keys).to_bytes()  # goes to the server; sums take no keys at all

# --- The voters. A ballot has a 1 in the candidate's slot, and a rating from 0 to 1 after the
# candidates.
rng = np.random.default_rng(1)
votes, ratings = rng.integers(CANDIDATES, size=VOTERS), rng.integers(11, size=VOTERS) / 10
encryptor = rj.Encryptor(public_key, slots=client.slots)
sent = [encryptor.encrypt([*np.eye(CANDIDATES)[v], r], level=1).to_bytes() for v, r in zip(votes, ratings)]

# --- The server.
server = rj.Server(keys)
results = count(*(server.load(ballot) for ballot in sent))
returned = {name: result.to_bytes() for name, result in results.items()}

# --- The owner of the key publishes. The plan, and not the server, gives the size of the error.
published = {name: client.decrypt_for_sharing(data, BITS, plan=plan, output=name) for name, data in returned.items()}
tally, mean = np.rint(published["tally"][:CANDIDATES]).astype(int), published["mean"][CANDIDATES]
assert np.array_equal(tally, np.bincount(votes, minlength=CANDIDATES))
assert abs(mean - ratings.mean()) < 2**-BITS

print(f"tally: {tally.tolist()}, mean rating: {mean:.4f}")
for name, output in zip(published, plan.outputs):
    # the formula of SECURITY.md for security=40 and 2^10 answers; a number has the noise of many coefficients
    sigma = 2 ** np.ceil(np.log2(np.sqrt(12 * 2**10) * 2**20 * output.error_bound * 2**output.scale)) / 2**output.scale
    noise = sigma * np.sqrt(client.slots)
    print(
        f"{name}: error below 2^{np.log2(output.error_bound):.1f}, noise 2^{np.log2(noise):.1f}, rounded to {BITS} bits"
    )
print(f"answers given under this key: {client.answers_given} of 1024")
