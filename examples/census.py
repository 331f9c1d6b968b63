"""A statistics office publishes exact counts and totals of encrypted survey records.

Every record has a region (0 to 4), an income, and a survey weight: how many households it stands for.
The server finds the records of each region by polynomials over the integers modulo t, which are 1 at
one number and 0 at the others, and adds up weights and weighted incomes. All of it is exact.

What is protected: the server sees only ciphertexts. The office publishes through the sharing path:
noise hides whether decryption was close to failing, which could tell something about the key. What is
not protected: the office can decrypt any single record, and the published totals say what totals say
about people; adding noise to them for privacy is another matter. See SECURITY.md.

A second part says how certain totals are. Districts send encrypted tables, and the server adds them up
again and again with other small weights. This is work for processors in memory: the tables stay where
they are, and only sums move.

    python examples/census.py [--backend NAME]

NAME is one of ringjet.backends(), cuda-emulated or pim-emulated. Processors in memory do the second
part alone: the first one needs wider primes than they take.
"""

import argparse, os, time

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
    # a lower level has smaller bytes, and less noise to hide in what is published
    return (rows + rows.swap_rows()).to_level(1)


def tally(region: Ciphertext, income: Ciphertext, weight: Ciphertext) -> dict[str, Ciphertext]:
    """The server's computation: households and their total income in each region."""
    weighted = weight * income
    results = {}
    for r in range(REGIONS):
        inside = region.polynomial(indicator(r))
        results[f"households {r}"] = total(inside * weight)
        results[f"income {r}"] = total(inside * weighted)
    return results


def publish_totals(backend: str) -> None:
    """Publishes households and mean incomes of the regions."""
    # --- The office. Keys and plan are made before the first record.
    client = rj.Client(params)
    plan = rj.plan(tally, params, public_key=True)
    keys = client.evaluation_keys(**plan.keys).to_bytes()  # goes to the server
    public = client.public_key().to_bytes()  # goes to whoever collects records

    # --- The records, encrypted by whoever collects them, who cannot decrypt. Unused slots have weight 0.
    encryptor = rj.Encryptor(public)
    rng, count = np.random.default_rng(1), 12000
    regions, incomes = rng.integers(REGIONS, size=count), rng.integers(200, 6000, size=count)
    weights = rng.integers(1, 12, size=count)
    sent = [encryptor.encrypt(column).to_bytes() for column in (regions, incomes, weights)]

    # --- The server.
    server = rj.Server(keys, backend=backend)
    results = tally(*(server.load(column) for column in sent))
    returned = {name: result.to_bytes() for name, result in results.items()}

    # --- The office publishes. The plan, and not the server, says how much noise is added.
    published = {
        name: int(client.decrypt_for_sharing(data, plan=plan, output=name)[0]) for name, data in returned.items()
    }
    for r in range(REGIONS):
        inside = regions == r
        assert published[f"households {r}"] == weights[inside].sum()
        assert published[f"income {r}"] == (weights * incomes)[inside].sum()
        mean = published[f"income {r}"] / published[f"households {r}"]
        print(f"region {r}: {published[f'households {r}']} households, mean income {mean:.2f}")
    print(f"all totals are exact; answers given under this key: {client.answers_given} of 1024")


DISTRICTS, REPLICATES = 48, 16
#: Counts and weighted totals below t/2; primes of at most 30 bits, which processors in memory take.
tables = rj.bgv(13, t=786433, q_bits=[30] * 4, p_bits=[30])


def replicate_weights() -> list[list[int]]:
    """How many districts each one stands for: in the estimate, and in samples that are drawn from it."""
    rng = np.random.default_rng(2)
    stands_for = rng.integers(1, 5, size=DISTRICTS)
    drawn = [rng.multinomial(DISTRICTS, np.full(DISTRICTS, 1 / DISTRICTS)) for _ in range(REPLICATES)]
    return [stands_for.tolist(), *((stands_for * times).tolist() for times in drawn)]


def weigh(*districts: Ciphertext) -> list[Ciphertext]:
    """The server's computation: the estimate of every cell of the table, and its replicates."""
    return [rj.weighted_sum(districts, weights) for weights in replicate_weights()]


def publish_estimates(backend: str) -> None:
    """Publishes estimates of 8192 cells, such as small areas by age, with their standard errors."""
    client = rj.Client(tables)
    plan = rj.plan(weigh, tables, public_key=[True] * DISTRICTS)
    keys, public = client.evaluation_keys(**plan.keys).to_bytes(), client.public_key().to_bytes()

    # --- The districts. One slot is one cell.
    rng, encryptor = np.random.default_rng(3), rj.Encryptor(public)
    means = rng.integers(5, 200, size=tables.slots)
    counts = rng.poisson(means, size=(DISTRICTS, tables.slots))
    sent = [encryptor.encrypt(row).to_bytes() for row in counts]

    # --- The server.
    server = rj.Server(keys, backend=backend)
    districts = [server.load(row) for row in sent]
    begin = time.perf_counter()
    returned = [result.to_bytes() for result in weigh(*districts)]
    spent = 1e3 * (time.perf_counter() - begin)
    print(f"{len(returned)} sums of {DISTRICTS} tables by {server.backend}, {spent:.0f} ms of this machine")
    if server.backend.startswith("pim"):
        done = server.pim_traffic()  # this server alone uses them
        print(
            f"  {1e3 * done.seconds():.0f} ms of processors in memory at 350 MHz in {done.launches} launches; "
            f"{done.between_dpus >> 20} MiB of sums went between them; {done.host_operations} operations ran on the host"
        )

    # --- The office publishes.
    published = [
        np.asarray(client.decrypt_for_sharing(data, plan=plan, output=k)).real.round().astype(int)
        for k, data in enumerate(returned)
    ]
    for weights, values in zip(replicate_weights(), published):
        assert np.array_equal(values, weights @ counts)
    estimate, replicates = published[0], np.stack(published[1:])
    error = replicates.std(axis=0, ddof=1)
    print(f"cell 0: {estimate[0]} with a standard error of {error[0]:.0f}; all {tables.slots} cells are exact")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--backend", default="auto", help="default: %(default)s")
    backend = parser.parse_args().backend
    if backend.startswith("pim"):
        # Every processor adds up the tables that it has; more processors are for more tables.
        os.environ.setdefault("RINGJET_PIM_DPUS", "4")
    else:
        publish_totals(backend)
    publish_estimates(backend)
