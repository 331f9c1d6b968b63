"""A statistics office publishes exact counts and totals of encrypted survey records.

Every record has a region (0 to 4), an income, and a survey weight: how many households it stands for.
The server finds the records of each region by polynomials over the integers modulo t, which are 1 at
one number and 0 at the others, and adds up weights and weighted incomes. All of it is exact.

What is protected: the server sees only ciphertexts. The office publishes through the sharing path:
noise hides whether decryption was close to failing, which could tell something about the key. What is
not protected: the office can decrypt any single record, and the published totals say what totals say
about people; adding noise to them for privacy is another matter. See SECURITY.md.
"""

import numpy as np, ringjet as rj
from ringjet import Ciphertext

REGIONS = 5
#: t is the largest prime below 2^30 that packs 2^14 slots: totals up to t/2 are exact.
params = rj.bgv(14, t=1073643521, q_bits=[48] + [46] * 7, p_bits=[50])


def indicator(region: int) -> list[int]:
    """The coefficients, modulo t, of the polynomial that is 1 at `region` and 0 at the other regions."""
    coefficients, scale = [1], 1
    for other in range(REGIONS):
        if other != region:
            coefficients = [a - other * b for a, b in zip([0, *coefficients], [*coefficients, 0])]
            scale = scale * (region - other)
    inverse = pow(scale, -1, params.t)
    return [(c * inverse + params.t // 2) % params.t - params.t // 2 for c in coefficients]


def total(x: Ciphertext) -> Ciphertext:
    """The sum of all slots, in every slot."""
    rows = x.inner_sum(1, params.slots // 2)
    return rows + rows.swap_rows()


def tally(region: Ciphertext, income: Ciphertext, weight: Ciphertext) -> dict[str, Ciphertext]:
    """The server's computation: households and their total income in each region."""
    weighted = weight * income
    results = {}
    for r in range(REGIONS):
        inside = region.polynomial(indicator(r))
        results[f"households {r}"] = total(inside * weight)
        results[f"income {r}"] = total(inside * weighted)
    return results


# --- The office. Keys and plan are made before the first record.
client = rj.Client(params)
plan = rj.plan(tally, params, public_key=True)
keys = client.evaluation_keys(**plan.keys).to_bytes()          # goes to the server
public = client.public_key().to_bytes()                        # goes to whoever collects records

# --- The records, encrypted by whoever collects them, who cannot decrypt. Unused slots have weight 0.
encryptor = rj.Encryptor(public)
rng, count = np.random.default_rng(1), 12000
regions, incomes = rng.integers(REGIONS, size=count), rng.integers(200, 6000, size=count)
weights = rng.integers(1, 12, size=count)
sent = [encryptor.encrypt(column).to_bytes() for column in (regions, incomes, weights)]

# --- The server.
server = rj.Server(keys)
results = tally(*(server.load(column) for column in sent))
returned = {name: result.to_bytes() for name, result in results.items()}

# --- The office publishes. The plan, and not the server, says how much noise is added.
published = {name: int(client.decrypt_for_sharing(data, plan=plan, output=name)[0]) for name, data in returned.items()}
for r in range(REGIONS):
    inside = regions == r
    assert published[f"households {r}"] == weights[inside].sum()
    assert published[f"income {r}"] == (weights * incomes)[inside].sum()
    mean = published[f"income {r}"] / published[f"households {r}"]
    print(f"region {r}: {published[f'households {r}']} households, mean income {mean:.2f}")
print(f"all totals are exact; answers given under this key: {client.answers_given} of 1024")
