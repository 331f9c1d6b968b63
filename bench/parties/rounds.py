"""The section "Several parties" of docs/benchmarks.md, from the newest result of each processor."""

from statistics import median

from cells import measured, rows, seconds, shell

HEAD = """\
## Several parties

What one of three parties does in each round, beside Lattigo's package `multiparty`, on one thread. All three decrypt,
the ring and the sizes of primes are those of `n15-share-depth5`. Keys: a public key, a relinearisation key and four
rotation keys. Lattigo's times of single keys are added up, with the common random polynomials that it samples first;
ringjet expands its own while it makes shares. ringjet's times are of whole messages: shares are packed into bytes and
hashed, messages are checked and unpacked. Lattigo's are of polynomials in memory.

Noise differs. ringjet's is as wide as 40 bits of security for 2^10 answers ask for (2^46 here in a decryption).
Lattigo's is 2^37, the widest that its sampler draws right at primes of 40 bits; its refresh has masks of 208 bits and
shares with noise of 3.2, and starts at a modulus of 216 bits, ringjet's at one of 176.
"""

ROTATIONS = 4
#: For each of ringjet's benches what it does, and the same in Lattigo's: how often each bench counts.
SAME = {
    "keys1_share": (
        "keys: shares of round 1",
        {
            "public_key_crp": 1,
            "public_key_share": 1,
            "relin_crp": 1,
            "relin_share1": 1,
            "rotation_crp": ROTATIONS,
            "rotation_share": ROTATIONS,
        },
    ),
    "keys2_share": ("keys: share of round 2", {"relin_share2": 1}),
    "keys_sum": ("keys: all sums", {"public_key_sum": 1, "relin_sum": 1, "rotation_sum": ROTATIONS}),
    "decrypt_share": ("decryption: share", {"decrypt_share_4limbs": 1}),
    "decrypt_sum": ("decryption: sum and decoding", {"decrypt_sum_4limbs": 1}),
    "refresh_share": ("refresh: share", {"refresh_crp": 1, "refresh_share": 1}),
    "refresh_sum": ("refresh: sum", {"refresh_sum": 1}),
}


def summarised(lattigo, ringjet):
    """One object for each bench, of `{bench: seconds}` for each round."""
    made = []
    for bench, (what, parts) in SAME.items():
        theirs = [sum(times * one[name] for name, times in parts.items()) for one in lattigo]
        both = ("keys1_sum", "keys2_sum") if bench == "keys_sum" else (bench,)
        ours = [sum(one[name] for name in both) for one in ringjet]
        ratios = [a / b for a, b in zip(theirs, ours, strict=True)]
        row = {"bench": bench, "what": what, "lattigo": median(theirs), "ringjet": median(ours)}
        made.append(row | {"ratio": median(ratios), "lowest": min(ratios), "highest": max(ratios)})
    return made


def render(results):
    text = HEAD
    for result in results:
        text += f"\n{measured(result)}. {result['rounds']} round(s); load average before: "
        text += f"{result['load_average_before']:.2f}.\n\n" + "\n".join(shell(result)) + "\n\n"
        lines = [
            [f["what"], seconds(f["lattigo"]), seconds(f["ringjet"])]
            + [f"{f['ratio']:.2f} ({f['lowest']:.2f} - {f['highest']:.2f})"]
            for f in result["figures"]
        ]
        text += "\n".join(rows(["one party", *result["versions"], "ratio"], lines)) + "\n"
    return text
