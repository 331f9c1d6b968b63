"""Writes the section "HEAAN" of docs/benchmarks.md and its plot from a result of heaan.py.
bench/compare/table.py calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import measured, rows, seconds, shell  # noqa: E402

RESULT = "heaan-ablation.json"
PLOT = "heaan-operations.svg"
FUNCTIONS = {
    "heaan_crt": "CRT",
    "heaan_ntt": "NTT",
    "heaan_intt": "iNTT",
    "heaan_icrt": "iCRT",
    "heaan_rest": "rest",
    "heaan_mul": "total",
}
KERNELS = ["CRT", "NTT", "iNTT", "iCRT"]
ORDER = ["Ref", "AVX", "AVX-M", "AVX-MT", "AVX-32", "IFMA"]
NAMES = {"IFMA": "ringjet (IFMA)"}

# Paper A: Jung et al., "Accelerating Fully Homomorphic Encryption Through Microarchitecture-Aware
# Analysis and Optimization". Paper B: Jung et al., "HEAAN Demystified".
# Times in milliseconds on an Intel Xeon Platinum 8160: Table I of paper A and Table VII of paper B,
# in the order of FUNCTIONS.
PAPERS = {
    "A": {
        "Ref-1": [628.6, 576.5, 582.7, 1636.6, 162.3, 3586.6],
        "Ref-24": [43.5, 27.6, 28.2, 65.7, 13.1, 178.0],
        "AVX-MT-24": [13.5, 7.8, 8.7, 44.1, 13.1, 87.3],
    },
    "B": {
        "Ref-1": [639.9, 1541.0, 584.6, 2126.7, 215.7, 5108.0],
        "Ref-24": [40.4, 73.3, 28.3, 130.1, 73.1, 345.3],
        "AVX-MT-24": [17.5, 8.7, 10.2, 45.4, 37.3, 119.1],
    },
}
# shares of the reference's time in per cent (paper A, Section III)
SHARES = [17.1, 14.6, 14.8, 48.9, None, None]
# the papers' statements about one step: (before, after, bench) -> text
STATED = {
    ("AVX-MT", "AVX-32", "heaan_mul"): "no gain in a first version (B)",
    ("Ref", "AVX", "heaan_mul"): "1.4 on 1 thread, 1.9 on 24 (A); 2.0 and 2.7 (B)",
    ("AVX", "AVX-M", "heaan_ntt"): "1.10, 24 threads (A and B)",
    ("AVX", "AVX-M", "heaan_intt"): "1.10, 24 threads (A and B)",
    ("AVX-M", "AVX-MT", "heaan_icrt"): "1.17 (A), 1.18 (B), 24 threads",
}
# the functions that a step changes; all others are the same code before and after it
STEPS = [
    ("Ref", "AVX", ["heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt", "heaan_mul"]),
    ("AVX", "AVX-M", ["heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt", "heaan_mul"]),
    ("AVX-M", "AVX-MT", ["heaan_icrt", "heaan_mul"]),
    ("AVX-MT", "AVX-32", ["heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt", "heaan_mul"]),
    ("AVX-MT", "IFMA", ["heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt", "heaan_mul"]),
    ("Ref", "AVX-MT", ["heaan_mul"]),
    ("Ref", "IFMA", ["heaan_mul"]),
]
# Table X of paper B and Table II of paper A: emulated, native; operations and operations a second
TABLE_X = {"CRT": (155e6, 27e6), "NTT": (48e6, 17e6), "iNTT": (47e6, 17e6), "iCRT": (319e6, 51e6)}
TABLE_II = {"CRT": (6.58e9, 489e9), "NTT": (2.10e9, 269e9), "iNTT": (2.44e9, 279e9), "iCRT": (17.9e9, 407e9)}
COLOURS = {"CRT": "#3b6ea5", "NTT": "#e0a030", "iNTT": "#c0603a", "iCRT": "#4c8c5a"}


def plain(ms):
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}"


def spread(s):
    return f"{s['median']:.2f} ({s['q1']:.2f} - {s['q3']:.2f})"


def times(result, threads):
    """The table of times: a row for each function, a column for each variant, then the papers'
    columns."""
    found = {(f["variant"], f["bench"]): f for f in result["figures"] if f["threads"] == threads}
    variants = [v for v in ORDER if any(k[0] == v for k in found)]
    full = (result["log_n"], result["log_q"]) == (16, 1200)
    papers = [(paper, column) for paper, columns in PAPERS.items() for column in columns] if full else []
    lines = []
    for i, (bench, name) in enumerate(FUNCTIONS.items()):
        line = [name]
        for variant in variants:
            f = found.get((variant, bench))
            if not f:
                line.append("")
                continue
            faster = f", **{f['speedup']['median']:.2f}x**" if f["speedup"] and variant != "Ref" else ""
            line.append(f"{seconds(f['median'])} ({plain(f['q1'] * 1e3)} - {plain(f['q3'] * 1e3)}){faster}")
        for paper, column in papers:
            values = PAPERS[paper]
            faster = "" if column == "Ref-1" else f", {values['Ref-1'][i] / values[column][i]:.1f}x"
            line.append(f"{values[column][i]} ms{faster}")
        lines.append(line)
    least = [found.get((v, "heaan_mul")) for v in variants]
    reference = found.get(("Ref", "heaan_mul"))
    if reference:
        ratios = [
            "" if v == "Ref" or not f else f", {reference['lowest'] / f['lowest']:.2f}x"
            for v, f in zip(variants, least)
        ]
        lines.append(
            [
                "total, least",
                *(seconds(f["lowest"]) + r if f else "" for f, r in zip(least, ratios)),
                *("" for _ in papers),
            ]
        )
    return rows(["function", *(NAMES.get(v, v) for v in variants), *(f"{p}: {c}" for p, c in papers)], lines)


def shares(result):
    """The share of each function in the time of `Ref` on one thread, and in that of the papers'
    reference."""
    found = {f["bench"]: f["median"] for f in result["figures"] if (f["variant"], f["threads"]) == ("Ref", 1)}
    all_ = sum(found[b] for b in found if b != "heaan_mul")
    of = {paper: [ms / columns["Ref-1"][-1] for ms in columns["Ref-1"]] for paper, columns in PAPERS.items()}
    lines = []
    for i, (bench, name) in enumerate(list(FUNCTIONS.items())[:-1]):
        stated = "" if SHARES[i] is None else f"{SHARES[i]:.1f}%"
        lines.append([name, f"{found[bench] / all_:.1%}", stated, f"{of['A'][i]:.1%}", f"{of['B'][i]:.1%}"])
    return rows(["function", "`Ref`", "A, text", "A, Table I", "B, Table VII"], lines)


def gains(result):
    """The gain of each step, beside what the papers say of it."""
    found = {(s["before"], s["after"], s["bench"], s["threads"]): s for s in result["steps"]}
    threads = sorted({s["threads"] for s in result["figures"]})
    lines = []
    for before, after, benches in STEPS:
        for bench in benches:
            each = [found.get((before, after, bench, t)) for t in threads]
            if any(each):
                cells = [spread(s) if s else "" for s in each]
                lines.append(
                    [
                        f"{NAMES.get(after, after)} over {before}",
                        FUNCTIONS[bench],
                        *cells,
                        STATED.get((before, after, bench), ""),
                    ]
                )
    for s in result["steps"]:
        if "thread" in s["after"]:
            cells = [spread(s) if t == s["threads"] else "" for t in threads]
            lines.append([f"{s['after']} over 1", "total", *cells, ""])
    return rows(["step", "function", *(f"times faster, {t} thread(s)" for t in threads), "the texts"], lines)


def table_iv(counts):
    lines = []
    for r in (r for r in counts if r["table"] == "IV"):
        formula = r["formula"]
        equal = (
            ""
            if formula is None
            else "yes"
            if formula == r["counted"]
            else f"**no**, {formula - r['counted']:,} missing"
        )
        lines.append(
            [r["function"], r["quantity"], f"{r['counted']:,}", "" if formula is None else f"{formula:,}", equal]
        )
    return rows(["function", "operations", "counted in `Ref`", "formula of Table IV", "equal"], lines)


def table_x(result):
    full = (result["log_n"], result["log_q"]) == (16, 1200)
    lines = []
    for r in (r for r in result["counts"] if r["table"] == "X"):
        if r["variant"] == "AVX-MT" and r["function"] != "iCRT":
            continue  # AVX-MT shares these kernels with AVX-M
        paper = [f"{n / 1e6:.0f} M" for n in TABLE_X[r["function"]]] if full else ["", ""]
        parts = " + ".join(f"{r[k] / 1e6:.1f}" for k in ("multiplications", "additions", "shifts", "comparisons"))
        lines.append(
            [
                r["function"],
                r["variant"],
                f"{r['counted'] / 1e6:.1f} M",
                parts,
                f"{r['formula'] / 1e6:.1f} M",
                paper[0],
                f"{r['moves'] / 1e6:.1f} M",
                f"{r['memory'] / 1e6:.1f} M",
                f"{r['native'] / 1e6:.1f} M",
                paper[1],
            ]
        )
    return rows(
        [
            "function",
            "variant",
            "counted",
            "mul + add, sub + shift + cmp (M)",
            "by formula",
            "B",
            "logic, permutations",
            "memory",
            "native, by formula",
            "B",
        ],
        lines,
    )


def table_ii(result):
    full = (result["log_n"], result["log_q"]) == (16, 1200)
    found = {(f["variant"], FUNCTIONS[f["bench"]], f["threads"]): f["median"] for f in result["figures"]}
    threads = sorted({f["threads"] for f in result["figures"]})
    lines = []
    for r in (r for r in result["counts"] if r["table"] == "II"):
        timed = "AVX-MT" if r["variant"] == "AVX-M" else r["variant"]
        each = [found.get((timed, r["function"], t)) for t in threads]
        paper = [f"{n / 1e9:.3g} G" for n in TABLE_II[r["function"]]] if full else ["", ""]
        lines.append(
            [
                r["function"],
                "AVX" if r["variant"] == "AVX" else "AVX-M, AVX-MT",
                f"{r['counted'] / 1e9:.3g} G",
                f"{r['formula'] / 1e9:.3g} G",
                paper[0],
                *(f"{r['counted'] / s / 1e9:.0f} G" if s else "" for s in each),
                paper[1],
            ]
        )
    return rows(
        [
            "function",
            "variant",
            "lane operations",
            "by formula",
            "A",
            *(f"a second, {t} thread(s)" for t in threads),
            "A, 24 threads",
        ],
        lines,
    )


def modelled(result, table, measure):
    """{entry: {quantity or function: value}} of a figure, in the order of the model."""
    out = {}
    for r in result["model"]:
        if r["table"] == table and measure in r["quantity"] and " to " not in r["entry"]:
            entry, _, function = r["entry"].partition(", ")
            out.setdefault(entry, {})[function or "relative"] = r["model"]
        elif r["table"] == table and r["quantity"].startswith("primes"):
            out.setdefault(r["entry"], {})[r["quantity"]] = r["model"]
    return out


MEASURES = ["operations of Table IV", "AVX-512 lane operations"]


def figure_6(result):
    lines = []
    for measure in MEASURES:
        for entry, r in modelled(result, "heaan-fig6", measure).items():
            lines.append([entry, measure, *(f"{r[k]:.1%}" for k in KERNELS), f"{r['relative']:.3g}"])
    return rows(["", "counted", *KERNELS, "all, relative to log Q 1200"], lines)


def figure_7(result):
    lines = []
    for measure in MEASURES:
        for entry, r in modelled(result, "heaan-fig7", measure).items():
            lines.append(
                [
                    entry,
                    f"{r['primes, region 1']:.0f}, {r['primes, region 2']:.0f}",
                    measure,
                    *(f"{r[k]:.3f}" for k in KERNELS),
                    f"{r['relative']:.3f}",
                ]
            )
    return rows(["", "primes", "counted", *KERNELS, "all, relative to log q 1200"], lines)


# size and margins of a panel of the plot, in pixels
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 400, 200, 52, 56, 40


def bars(x, title, columns, above):
    """A chart of stacked bars up to 1. Each column is a name and the shares of the functions."""
    base, step = TOP + HEIGHT, WIDTH / len(columns)
    out = [f'<text x="{x + LEFT}" y="{TOP - 34}" font-weight="bold">{title}</text>']
    for i, (name, shares) in enumerate(columns):
        y = base
        for kernel in KERNELS:
            height = shares[kernel] * HEIGHT
            y -= height
            out.append(
                f'<rect x="{x + LEFT + (i + 0.15) * step:.2f}" y="{y:.2f}" width="{0.7 * step:.2f}" height="{height:.2f}" '
                f'fill="{COLOURS[kernel]}"/>'
            )
        middle = f"{x + LEFT + (i + 0.5) * step:.2f}"
        out.append(f'<text x="{middle}" y="{y - 5:.2f}" text-anchor="middle">{above[i]}</text>')
        out.append(f'<text x="{middle}" y="{base + 16}" text-anchor="middle">{name}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = base - share * HEIGHT
        out.append(f'<path d="M{x + LEFT} {at}h-4" stroke="currentColor"/>')
        out.append(f'<text x="{x + LEFT - 7}" y="{at + 4}" text-anchor="end">{share:.0%}</text>')
    out.append(f'<path d="M{x + LEFT} {TOP}V{base}H{x + LEFT + WIDTH}" fill="none" stroke="currentColor"/>')
    return out


def plot(result):
    """Figures 6 and 7 of paper B, from the cost model's formulas, as SVG."""
    six, seven = (modelled(result, f"heaan-fig{n}", MEASURES[0]) for n in (6, 7))
    width, height = 2 * (LEFT + WIDTH + 24), TOP + HEIGHT + BOTTOM
    label = "Operations of a HEAAN multiplication by log Q and by log q"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11" role="img">',
        f"<title>{label}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        '<g fill="#222" color="#222">',
    ]
    columns = [(entry.removeprefix("log Q "), r) for entry, r in six.items()]
    out += bars(
        0, "Distribution by log Q; above: all, relative to 1200", columns, [f"{r['relative']:.2g}" for _, r in columns]
    )
    columns = [(entry.removeprefix("log q "), r) for entry, r in seven.items()]
    primes = [f"{r['primes, region 1']:.0f}, {r['primes, region 2']:.0f}" for _, r in columns]
    out += bars(LEFT + WIDTH + 24, "Operations by log q, relative to 1200; above: primes", columns, primes)
    for i, kernel in enumerate(KERNELS):
        x = LEFT + 70 * i
        out.append(f'<rect x="{x}" y="{height - 14}" width="10" height="10" fill="{COLOURS[kernel]}"/>')
        out.append(f'<text x="{x + 15}" y="{height - 5}">{kernel}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


def render(result):
    m = result["machine"]
    full = (result["log_n"], result["log_q"]) == (16, 1200)
    small = [] if full else ["**A small ring, to see whether everything runs: these figures mean nothing.**", ""]
    before, after = result["load_average_before"], result["load_average_after"]
    busy = (
        [
            "**The machine was busy with other work meanwhile, as the load shows.** Ratios are of neighbouring multiplications, so "
            "that it meets both sides; times are upper bounds.",
            "",
        ]
        if before > 0.5
        else []
    )
    missing = (
        [f"ringjet's own column is missing: {result['without_ringjet']}.", ""] if result["without_ringjet"] else []
    )
    threads = sorted({f["threads"] for f in result["figures"]})
    out = [
        "## HEAAN: what each optimisation of two papers brings",
        "",
        *small,
        f"{measured(result)}, {m['cores']} cores; "
        f"N = 2^{result['log_n']}, log q = log Q = {result['log_q']}. {result['rounds']} rounds of "
        f"{result['reps']} multiplications each, in which the variants took turns; load average before {before:.2f}, after {after:.2f}. "
        "A cell has the median, the quartiles in milliseconds, and the speed-up over the `Ref` that ran next to it (the median of "
        "these ratios). All variants but ringjet's own gave the same product, bit for bit. ringjet multiplies by digits. So its functions are "
        "timed separately, at the shapes of the papers' algorithm, and its total is not their sum.",
        "",
        *shell(result),
        "",
        *busy,
        *missing,
        '`A` and `B` are two papers of Jung et al. that accelerate the reference library on AVX-512: "Accelerating Fully Homomorphic '
        'Encryption Through Microarchitecture-Aware Analysis and Optimization" and "HEAAN Demystified". The variants '
        "re-implement what the papers describe ([bench/heaan](../bench/heaan)); they are not the papers' code. `Ref` is scalar code on "
        "64-bit words. `AVX` uses AVX-512 without IFMA; products and carries are emulated, and the loops of iCRT are reordered. `AVX-M` "
        "leaves out one of four products of the modular multiplication. `AVX-MT` also transposes what iCRT sums. The papers' columns "
        "are of an Intel Xeon Platinum 8160 at 2.1 GHz with the number of threads at the end of the name; their speed-up is over Ref-1.",
    ]
    for t in threads:
        out += ["", f"### {t} thread{'s' if t > 1 else ''}", "", *times(result, t)]
    if 1 in threads and any(f["variant"] == "Ref" for f in result["figures"]):
        out += ["", "### Where the time of `Ref` goes", "", "On one thread.", "", *shares(result)]
    out += [
        "",
        "### Step by step",
        "",
        "How many times faster, multiplication by multiplication (ringjet and threads: round by round): the median and the quartiles.",
        "",
        *gains(result),
    ]
    out += [
        "",
        "### Operations (paper B, Table IV)",
        "",
        f"One polynomial of the first half, N = 2^{result['log_n']}, counted by the loops of `Ref` with the primes for AVX-512, beside the "
        "cost model's formulas"
        + (", np = 43, qLimbs = 19 and PLimbs = 38, which the first primes above 2^57 give" if full else "")
        + ". In iCRT Table IV has two modular multiplications a residue "
        "and Algorithm 5 has one: the reduction modulo P is one digit of a long division, for the whole sum. In CRT the reduction of a sum "
        "of three words counts as one, though it is three runs of Algorithm 2.",
        "",
        *table_iv(result["counts"]),
        "",
        "### Instructions (paper B, Table X)",
        "",
        "The same polynomial: AVX-512 instructions of the kernels that were timed, counted by running them on lanes that count. "
        "`AVX-MT` differs from `AVX-M` in iCRT alone. The scalar part of iCRT (adding up words, modulo P) is not counted. The formulas are the cost model's. They "
        "have only products with their sums, butterflies and divisions by N, on full lanes. The counts also have reductions, last corrections and idle lanes (48 for 43 "
        "primes, 40 for 38 words). A product added to a sum is 18 instructions here, because no carry leaves the upper word, and 20 in the "
        "formula.",
        "",
        *table_x(result),
        "",
        "### Operations a second (paper A, Table II)",
        "",
        "A whole multiplication, eight operations an instruction, idle lanes included. Paper A uses 24 threads.",
        "",
        *table_ii(result),
        "",
        "### By modulus (paper B, Figures 6 and 7)",
        "",
        f"![Operations by modulus]({PLOT})",
        "",
        "These figures come from the cost model's formulas, where a modular multiplication counts as three operations of Table IV. For a fresh "
        "ciphertext, with N in proportion to log Q:",
        "",
        *figure_6(result),
        "",
        "As log q falls, with N = 2^16 and log Q = 1200 (the paper's text: 24 % are left at 30):",
        "",
        *figure_7(result),
        "",
    ]
    return "\n".join(out)
