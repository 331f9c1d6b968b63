"""Writes the section "Without each optimisation" of docs/benchmarks.md from a result of ablate.py,
with what papers report of the same optimisations. bench/compare/table.py calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import machine, rows, seconds, shell, warning  # noqa: E402


def without(*names):
    return [word for name in names for word in ("--without", name)]


# Arguments that each variant adds to the command of the full version.
ARGUMENTS = {
    "merged-rescaling": without("merged-rescaling"),
    "batched-products": without("batched-products"),
    "hoisted-moddown": without("hoisted-moddown"),
    "hoisted-modup": without("hoisted-modup"),
    "baby-steps": without("baby-steps"),
    "giant-steps": without("giant-steps"),
    "compressed-diagonals": without("compressed-diagonals"),
    "expanded-keys": ["--key-memory", "compressed"],
    "expanded-keys-giant-steps": ["--key-memory", "compressed", *without("giant-steps")],
    "rotation-sums": without("rotation-sums"),
    "reordering": without("reordering"),
    "modup-fusion": without("modup-fusion"),
    "inner-product-fusion": without("inner-product-fusion"),
    "moddown-fusion": without("moddown-fusion"),
    "alpha-caching": without("alpha-caching"),
    "beta-caching": without("beta-caching"),
    "limb-caching": without("limb-caching"),
    "all": without("all"),
    "ifma": ["--path", "avx512"],
    "avx512": ["--path", "scalar"],
}

NOTES = {
    "merged-rescaling": "division by P and by the level's primes at once; instead one after the other",
    "batched-products": "products of one level added up before they are relinearised; instead each by itself",
    "hoisted-moddown": "divisions by P put off to the end of a linear transform; instead one for each baby and giant step",
    "hoisted-modup": "one decomposition for all baby steps; instead one for each rotation, and no put-off divisions either",
    "baby-steps": "baby steps by cost, a giant step counting three; instead as few rotations in all as possible",
    "giant-steps": "giant steps; instead a single step with a key for every rotation (Algorithm 8 of de Castro et al.)",
    "compressed-diagonals": "diagonals without their repeated words; instead whole ones",
    "expanded-keys": "keys ready for use; instead half of each from a seed, at every use (the sources' optimisation)",
    "expanded-keys-giant-steps": "both: the sources' best case, a single step with compressed keys",
    "rotation-sums": "all sums of a tile at once; instead rotation by rotation, sum by sum, with whole diagonals",
    "reordering": "a key switch as one operation, the limbs that are divided out first; instead ModUp, inner product, division",
    "modup-fusion": "and in ModUp conversions of bases in tiles together with their transforms; instead limb after limb through memory",
    "inner-product-fusion": "and inner products and products of ciphertexts in one pass each; instead one product after the other",
    "moddown-fusion": "and in divisions conversions of bases in tiles together with their transforms; instead limb after limb through memory",
    "alpha-caching": "and conversions of bases in tiles together with their transforms; instead limb after limb through memory",
    "beta-caching": "and inner products of all digits of a limb at once, and sums of rotations; instead digit by digit",
    "limb-caching": "and products of ciphertexts limb by limb: nothing is fused any more",
    "all": "all of the above but keys and giant steps",
    "ifma": "52-bit products; instead AVX-512 without them",
    "avx512": "vectors; instead portable code",
}

# Variants that include another variant and leave out one thing more. Their gain is computed against
# the variant they include.
STEPS = {
    "hoisted-modup": "hoisted-moddown",
    "rotation-sums": "compressed-diagonals",
    "expanded-keys-giant-steps": "expanded-keys",
    "modup-fusion": "reordering",
    "inner-product-fusion": "reordering",
    "moddown-fusion": "reordering",
    "alpha-caching": "reordering",
    "beta-caching": "alpha-caching",
    "limb-caching": "beta-caching",
    "avx512": "ifma",
}

CASTRO = "de Castro et al. 2021/1636"
JUNG = "Lee's talk on Jung et al. 2021/508"
MODEL = "not comparable: DRAM transfers and operations of a model, no time; the figure's bars have no printed numbers"
CUMULATIVE = "GPU times, cumulative in the order fusion, batching, hoisting"

# What the sources report of the same optimisation: the figure and where it stands.
PAPERS = {
    "merged-rescaling": [(CASTRO, "Section V-A, Algorithm 7, Figure 5", "one of the bars of Figure 5", MODEL)],
    "batched-products": [
        (
            CASTRO,
            "Section V-A, faster inner product; Table XIII",
            "with all optimisations InnerProduct 1.2x, PolyEval 1.3x fewer operations",
            "not comparable: operations in a model, and other optimisations in the same figure",
        )
    ],
    "hoisted-moddown": [(CASTRO, "Section V-B, Figure 5", "one of the bars of Figure 5", MODEL)],
    "hoisted-modup": [
        (
            JUNG,
            "table of bootstrapping latencies, hoisting",
            "351.09 to 328.25 ms (1.07x), 568.2 to 526.96 ms (1.08x)",
            CUMULATIVE,
        )
    ],
    "giant-steps": [
        (
            CASTRO,
            "Section V-B, Algorithm 8",
            "with compressed keys one giant step is best",
            "not comparable: an optimum of modelled DRAM transfers",
        )
    ],
    "expanded-keys": [
        (
            CASTRO,
            "Section V-C, Figure 5; Table VII",
            "keys half as large; 32.8 of the baseline's 208 GB are reads of keys",
            "not comparable: a model in which expanding costs no transfers; here it costs time",
        )
    ],
    "expanded-keys-giant-steps": [
        (
            CASTRO,
            "Sections V-B and V-C, Algorithm 8",
            "the best case of their search",
            "not comparable: an optimum of modelled DRAM transfers",
        )
    ],
    "rotation-sums": [
        (
            JUNG,
            "table of bootstrapping latencies, mult-and-add batching",
            "377.78 to 351.09 ms (1.08x), 623.92 to 568.2 ms (1.10x)",
            CUMULATIVE,
        )
    ],
    "reordering": [(CASTRO, "Section IV-D, Figure 4", "the last bar of Figure 4", MODEL)],
    "modup-fusion": [
        (JUNG, "intra-HE-operation fusions", "one time for all three fusions, see `limb-caching`", CUMULATIVE)
    ],
    "inner-product-fusion": [
        (JUNG, "intra-HE-operation fusions", "one time for all three fusions, see `limb-caching`", CUMULATIVE)
    ],
    "moddown-fusion": [
        (JUNG, "intra-HE-operation fusions", "one time for all three fusions, see `limb-caching`", CUMULATIVE)
    ],
    "alpha-caching": [(CASTRO, "Section IV-C, Figure 4", "one of the bars of Figure 4", MODEL)],
    "beta-caching": [(CASTRO, "Section IV-B, Figure 4", "one of the bars of Figure 4", MODEL)],
    "limb-caching": [
        (CASTRO, "Section IV-A, Figure 4", "the first bar of Figure 4 after the baseline", MODEL),
        (
            JUNG,
            "table of bootstrapping latencies, intra-HE-operation fusion",
            "428.94 to 377.78 ms (1.14x), 719.87 to 623.92 ms (1.15x)",
            CUMULATIVE + "; against all fusions but sums of rotations here",
        ),
    ],
    "all": [
        (
            CASTRO,
            "Table XIII",
            "operations 1.9x, DRAM transfers 4.6x fewer (208 to 45.3 GB)",
            "not comparable: a model, with other parameters before than after",
        ),
        (
            JUNG,
            "table of bootstrapping latencies",
            "428.94 to 328.25 ms (1.31x), 719.87 to 526.96 ms (1.37x)",
            "GPU times",
        ),
    ],
}

LEFT_OUT = (
    "Two techniques cannot be left out, because parameters and keys depend on them. Without the ephemeral sparse secret K, the degree of the "
    "cosine and the failure probability would be others. The order with SlotsToCoeffs first has another chain than the usual order. Caches of "
    "a given size cannot be chosen either: a program decides what it fuses, not how large the caches are. Nor can a program choose the address "
    "mapping (ibid., Section IV-A, Table X)."
)


def mib(b):
    return f"{b / 2**30:.2f} GiB" if b >= 2**30 else f"{b / 2**20:.0f} MiB"


def gain(r):
    return f"{r['median']:.3f} ({r['lowest']:.3f} - {r['highest']:.3f})"


def step(figures, f):
    """The gain against the variant that this one includes, if there is one."""
    before = figures.get((f["preset"], STEPS.get(f["without"])))
    if before is None:
        return ""
    return f"{f['ratio']['bootstrap']['median'] / before['ratio']['bootstrap']['median']:.3f} (`{before['without']}`)"


def times(result):
    figures = {(f["preset"], f["without"]): f for f in result["figures"]}
    order = list(ARGUMENTS)
    lines = []
    for f in sorted(
        result["figures"],
        key=lambda f: (result["figures"][0]["preset"] != f["preset"], f["preset"], order.index(f["without"])),
    ):
        t, full = f["times"]["bootstrap"]["median"], f["full_times"]["bootstrap"]["median"]
        lines.append(
            [
                f"`{f['preset']}`",
                f"`{f['without']}`",
                seconds(full),
                seconds(t),
                gain(f["ratio"]["bootstrap"]),
                step(figures, f),
                *(
                    f"{f['ratio'][part]['median']:.2f}"
                    for part in ("bootstrap_s2c", "bootstrap_c2s", "bootstrap_evalmod")
                ),
            ]
        )
    return rows(["preset", "without", "full", "without it", "gain (rounds)", "against", "S2C", "C2S", "EvalMod"], lines)


def memory(result):
    lines = []
    for f in result["figures"]:
        a, b = f["full_memory"], f["memory"]
        if a["keys"] == b["keys"] and all(abs(a[k] - b[k]) < 0.02 * a[k] for k in ("key_bytes", "matrix_bytes")):
            continue
        cells = [
            f"{mib(a[k])}, {mib(b[k])}" for k in ("key_bytes", "key_bytes_at_rest", "matrix_bytes", "peak_rss_bytes")
        ]
        lines.append([f"`{f['preset']}`", f"`{f['without']}`", f"{a['keys']}, {b['keys']}", *cells])
    return (
        rows(["preset", "without", "keys", "keys in memory", "keys at rest", "matrices", "peak memory"], lines)
        if lines
        else []
    )


def papers():
    lines = [
        [f"`{name}`", NOTES[name], *said] for name in ARGUMENTS for said in PAPERS.get(name, [("", "", "", "ours")])
    ]
    return rows(
        ["without", "what is left out, and what is there instead", "source", "where", "reported", "comparable?"], lines
    )


def render(result):
    clock = ", times on processors" if result.get("processor_time") else ""
    refused = [f"`{r['preset']}` without `{r['without']}` was not run: {r['reason']}." for r in result["refused"]]
    return "\n".join(
        [
            "## Without each optimisation",
            "",
            *warning(result),
            f"{machine(result)}. "
            f"{result['rounds']} round{'s' if result['rounds'] > 1 else ''}, {result['threads']} thread(s){clock}; each variant runs next to the full version; load average before: "
            f"{result['load_average_before']:.2f}.",
            "",
            *shell(result),
            "",
            "*Gain* is the time without the optimisation divided by the time of the full version next to it: the median over the rounds and their "
            "spread. *Against* is the same compared with another variant, which the variant includes. Gains of parts are those of the times of "
            "SlotsToCoeffs, CoeffsToSlots and EvalMod. Where a gain is below 1, the full version would be faster without the optimisation.",
            "",
            *times(result),
            "",
            *([*refused, ""] if refused else []),
            "### Memory",
            "",
            "With all optimisations, and without the named one. Variants that change nothing are left out.",
            "",
            *memory(result),
            "",
            "### What the sources report",
            "",
            *papers(),
            "",
            LEFT_OUT,
            "",
        ]
    )
