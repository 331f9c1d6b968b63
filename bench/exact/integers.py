"""The section "Exact integers" of docs/benchmarks.md, from the newest result of each processor."""

from cells import processor, rows, seconds

HEAD = """\
## Exact integers

BGV and BFV with t = 65537, on one thread. Each library has a chain with about the log2 QP of the preset of its ring.
"wide primes" are the fewest primes below 2^50, each a level; ringjet's presets allow more products, by levels that are
sets of primes. SEAL (through TenSEAL) has one special prime, OpenFHE chooses its special primes, of 60 bits, itself.
Lattigo has the wide primes. A ratio is the time of the other library divided by ringjet's; above 1 ringjet is faster.

`mul_prepared` is a product with a plaintext that is as ready as the library allows: transformed, and for ringjet,
Lattigo and OpenFHE extended to the primes of the level; SEAL has that form in BGV only. `mul_values` starts from
integers, which are encoded in each call (for SEAL and OpenFHE also copied from a Python list). `mul_kept` is
`x * v` where ringjet finds the integers v among those that it multiplied by before.
"""


def params(text):
    """A label without the words that all share."""
    shown = ("logQP", "l", "k", "dnum")
    return " ".join(word for word in text.split() if word.rstrip("0123456789") in shown)


def ratio(ratios, name, ours, figure):
    for r in ratios:
        if (r["scheme"], r["log_n"], r["bench"], r["name"], r["ours"]) == (
            *(figure[k] for k in ("scheme", "log_n", "bench")),
            name,
            ours,
        ):
            return f"{r['median']:.2f} ({r['lowest']:.2f} - {r['highest']:.2f})"
    return ""


def render(results):
    text = HEAD
    for result in results:
        text += f"\n{result['date']}, {processor(result['machine'])}"
        text += ", without AVX-512" if not result["machine"]["avx512"] else ""
        load = f"load {result['load_average_before']:.1f} before"
        load += f" and {result['load_average_after']:.1f} after" if "load_average_after" in result else ""
        text += f", commit {result['commit'][:10]}, {load}, {result['rounds']} rounds"
        figure = result.get("figure", "median")
        text += ", ratios of the least times, as other programs ran" if figure == "min" else ""
        text += ", the processor's time in user mode, as other programs ran" if result.get("cpu") else ""
        text += ":\n\n"
        ours = list(dict.fromkeys(r["ours"] for r in result["ratios"]))
        text += f"```sh\n{result['command']}\n```\n\n"
        lines = [
            [
                f"`{f['scheme']}_{f['bench']}`",
                f"2^{f['log_n']}",
                f["name"],
                params(f["params"]),
                seconds(f[figure]),
                *(ratio(result["ratios"], f["name"], own, f) for own in ours),
            ]
            for f in result["figures"]
        ]
        header = [
            "bench",
            "N",
            "library",
            "chain",
            "median" if figure == "median" else "least time",
            *(f"/ {own}" for own in ours),
        ]
        text += "\n".join(rows(header, lines)) + "\n"
    return text
