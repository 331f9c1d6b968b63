"""Prints the measured and predicted numbers of two papers beside ours, a JSON object for each, in the
form of `ringjet model table --json`: table, entry, quantity, model (ours), paper, deviation, note.

    python3 bench/heaan/published.py [heaan-VII ...]

"Demystified": heaan-I, heaan-VII to heaan-IX, heaan-fig3 to heaan-fig5. "Accelerating FHE" (the two
pages of the same authors): heaan-acc-I and heaan-acc-fig2. Times are read from the records
bench/results/heaan-plain-*.json (plain.py) and heaan-ablation.json (run.sh), and predictions for
the papers' GPU from docs/design/heaan004-prediction.md.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))
import multiplication  # noqa: E402

RESULTS = ROOT / "bench/results"
PAGE = ROOT / "docs/design/heaan004-prediction.md"
FUNCTIONS = ["heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt", "heaan_rest", "heaan_mul"]
NAME = dict(zip(FUNCTIONS, ["CRT", "NTT", "iNTT", "iCRT", "Extra", "Total"]))
MACHINE = "ours: the variants re-implemented, on the record's processor"
CORES = "ours has 2 threads, the paper 24: compare the gain over one thread's Ref, which grows with the threads"
GPU = "predicted without hidden latency, launches' ends and dependent instructions: a lower bound of the time"
REFERENCE = {
    "heaan_ntt": "the paper's Ref takes 2.7 times as long as its own inverse transform; ours takes about as long for both",
    "heaan_icrt": "ours reduces the sum modulo P by one digit of a long division",
}


def row(table, entry, quantity, model, paper, note=None):
    deviation = None if paper is None else model / paper - 1
    return {
        "table": table,
        "entry": entry,
        "quantity": quantity,
        "model": model,
        "paper": paper,
        "deviation": deviation,
        "note": note,
    }


def ablation():
    """Seconds of each variant, number of threads and function, and gains of steps."""
    record = json.loads((RESULTS / multiplication.RESULT).read_text())
    times = {(f["variant"], f["threads"], f["bench"]): f["median"] for f in record["figures"]}
    steps = {(s["before"], s["after"], s["threads"], s["bench"]): s["median"] for s in record["steps"]}
    return times, steps


def times(table, paper):
    """A table of times and gains over Ref on one thread."""
    ours, _ = ablation()
    rows = []
    for column, variant, threads in (("Ref-1", "Ref", 1), ("Ref-24", "Ref", 2), ("AVX-MT-24", "AVX-MT", 2)):
        for bench, published, least in zip(FUNCTIONS, paper[column], paper["Ref-1"]):
            entry = f"{NAME[bench]}, {column}" if threads == 1 else f"{NAME[bench]}, {column} (ours: {threads} threads)"
            seconds = ours[variant, threads, bench]
            note = REFERENCE.get(bench, MACHINE) if threads == 1 else CORES
            rows.append(row(table, entry, "ms", 1e3 * seconds, published, note))
            if threads > 1:
                gain = ours["Ref", 1, bench] / seconds
                rows.append(row(table, entry, "times faster than Ref-1", gain, least / published, note))
    return rows


def gains(table, paper):
    """The gains that a paper's text has for its figure of the steps."""
    _, ours = ablation()
    one, many = paper
    wide = "the paper's gain is with 24 threads, ours with 2"
    products = "ours reads twiddle factors and adds in vectors throughout, and its Ref is faster"
    rows = [
        row(table, "AVX over Ref, 1 thread", "times faster", ours["Ref", "AVX", 1, "heaan_mul"], one, products),
        row(table, "AVX over Ref, all threads", "times faster", ours["Ref", "AVX", 2, "heaan_mul"], many, wide),
    ]
    for bench in ("heaan_ntt", "heaan_intt"):
        rows.append(
            row(table, f"AVX-M over AVX, {NAME[bench]}", "times faster", ours["AVX", "AVX-M", 2, bench], 1.10, wide)
        )
    icrt = {"heaan-fig4": 1.18, "heaan-acc-fig2": 1.17}[table]
    return [
        *rows,
        row(table, "AVX-MT over AVX-M, iCRT", "times faster", ours["AVX-M", "AVX-MT", 2, "heaan_icrt"], icrt, wide),
    ]


def figure_3():
    """Shares of the functions in the time of Ref; the paper's from Table VII, which has the same total."""
    ours, _ = ablation()
    paper = multiplication.PAPERS["B"]["Ref-1"]
    total = sum(ours["Ref", 1, bench] for bench in FUNCTIONS[:-1])
    note = "the paper's forward transform takes 2.7 times as long as its inverse one, so all other shares are smaller there"
    return [
        row(
            "heaan-fig3",
            NAME[bench],
            "share of Ref's time, 1 thread",
            ours["Ref", 1, bench] / total,
            ms / paper[-1],
            note,
        )
        for bench, ms in zip(FUNCTIONS[:-1], paper)
    ]


def predicted(section):
    """Variant -> (predicted ms at 1.77 GHz, the paper's ms or None), from a table of the page."""
    found = {}
    for line in PAGE.read_text().split(f"## {section}", 1)[1].split("\n## ", 1)[0].splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) > 7 and re.fullmatch(r"[\d.]+", cells[4]):
            found[cells[0]] = (float(cells[4]), float(cells[2]) if cells[2] else None)
    return found


def gpu(table, section, prefix=""):
    """Rows of the predicted times of one section, and of the gains over its first variant."""
    variants = predicted(section)
    (first, first_paper), *_ = variants.values()
    rows = []
    for name, (ms, paper) in variants.items():
        if paper is not None:
            rows.append(row(table, prefix + name, "ms, predicted", ms, paper, GPU))
            rows.append(
                row(
                    table, prefix + name, "times faster than the first, predicted", first / ms, first_paper / paper, GPU
                )
            )
    return rows


def table_7():
    last = "GPU-CLH"
    sections = [
        ("CRT", "CRT (", "GPU-C"),
        ("NTT", "NTT (", "radix 32"),
        ("iNTT", "Inverse NTT (", "radix 32"),
        ("iCRT", "iCRT (", "GPU-CL"),
        ("Extra", "The rest of", "products of transforms, shifts and sums"),
        ("Total", "The whole multiplication", last),
    ]
    column = [4.1, 3.7, 4.7, 19.4, 6.2, 38.1]
    found = [(name, predicted(section)[variant][0]) for name, section, variant in sections]
    return [
        *times("heaan-VII", multiplication.PAPERS["B"]),
        *(
            row("heaan-VII", f"{name}, {last}", "ms, predicted", ms, paper, GPU)
            for (name, ms), paper in zip(found, column)
        ),
    ]


def plain():
    records = sorted(RESULTS.glob("heaan-plain-*.json"))
    return json.loads(records[-1].read_text())["published"] if records else []


TABLES = {
    "heaan-I": plain,
    "heaan-VII": table_7,
    "heaan-VIII": lambda: gpu("heaan-VIII", "CRT ("),
    "heaan-IX": lambda: [*gpu("heaan-IX", "NTT (", "NTT, "), *gpu("heaan-IX", "Inverse NTT (", "iNTT, ")],
    "heaan-fig3": figure_3,
    "heaan-fig4": lambda: gains("heaan-fig4", (2.0, 2.7)),
    "heaan-fig5": lambda: [
        *gpu("heaan-fig5", "iCRT (", "iCRT, "),
        *gpu("heaan-fig5", "The whole multiplication", "all, "),
    ],
    "heaan-acc-I": lambda: times("heaan-acc-I", multiplication.PAPERS["A"]),
    "heaan-acc-fig2": lambda: gains("heaan-acc-fig2", (1.4, 1.9)),
}


def main(names):
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        sys.exit(f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    for name in names or TABLES:
        for found in TABLES[name]():
            print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
