"""Writes the section "Bootstrapping" of docs/benchmarks.md from a result of boot.py.
bench/compare/table.py calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import machine, rows, seconds, shell, warning  # noqa: E402


def gib(b):
    return f"{b / 2**30:.2f} GiB" if b else ""


def name(f):
    return f"{f['library']} `{f['set']}`"


def ratios(result):
    def cell(r):
        return f"{r['median']:.2f} ({r['lowest']:.2f} - {r['highest']:.2f})"

    lines = [
        [
            f"ringjet `{r['preset']}` / {r['peer']} `{r['set']}`",
            str(r["threads"]),
            cell(r["throughput"]),
            cell(r["time"]),
            cell(r["amortized_multiplication"]),
        ]
        for r in result["ratios"]
    ]
    return rows(["", "ringjet's threads", "throughput", "time", "amortised multiplication"], lines)


def figures(result):
    lines = []
    for f in result["figures"]:
        d = {k: v["median"] for k, v in f["derived"].items()}
        lines.append(
            [
                name(f),
                str(f["threads"]),
                seconds(d["seconds"]),
                str(int(d["levels_left"])),
                f"{d['mean_bits']:.2f}",
                f"{d['throughput'] / 1e6:.3g}",
                seconds(d["amortized_multiplication_s"]),
            ]
        )
    return rows(
        ["", "threads", "time", "levels left", "mean bits", "throughput, 10^6/s", "multiplication a slot"], lines
    )


def parts(result):
    benches = ["bootstrap_s2c", "bootstrap_modraise", "bootstrap_c2s", "bootstrap_evalmod", "bootstrap_products"]
    lines = [
        [
            name(f),
            str(f["threads"]),
            *(seconds(f["times"][b]["median"]) for b in benches),
            str(f["times"]["bootstrap"]["n"]),
        ]
        for f in result["figures"]
    ]
    return rows(
        ["", "threads", "SlotsToCoeffs", "ModRaise", "CoeffsToSlots", "EvalMod", "one product a level", "samples"],
        lines,
    )


def sizes(result):
    lines = []
    for f in result["figures"]:
        i = f["info"]
        keys = i.get("keys") or i["galois_keys"] + 3
        lines.append(
            [
                name(f),
                str(f["threads"]),
                f"2^{i['log_n']}",
                f"{i['log_qp']:.0f}",
                f"{i['q_primes']} + {i['p_primes']}",
                str(keys),
                gib(i["key_bytes"]),
                gib(i.get("key_bytes_at_rest")),
                seconds(i["keygen_s"]),
                seconds(i["setup_s"]),
                gib(i.get("peak_rss_bytes")),
            ]
        )
    return rows(
        [
            "",
            "threads",
            "N",
            "log2 QP",
            "primes",
            "keys",
            "keys in memory",
            "keys at rest",
            "key generation",
            "set-up",
            "peak memory",
        ],
        lines,
    )


def precision(result):
    lines, seen = [], set()
    for f in result["figures"]:
        if name(f) in seen:
            continue
        seen.add(name(f))
        for kind, p in f["info"]["precision"].items():
            bits = [
                f"{p['after'][part][k]:.2f}"
                for part in ("real", "complex")
                for k in ("mean_log2_precision", "log2_mean_precision", "min_log2_precision")
            ]
            lines.append([name(f), kind, *bits])
    return rows(
        [
            "",
            "input",
            "real part: mean bits",
            "bits of the mean",
            "least",
            "complex: mean bits",
            "bits of the mean",
            "least",
        ],
        lines,
    )


def render(result):
    real = " ringjet bootstraps real values, Lattigo complex ones." if result["real"] else ""
    return "\n".join(
        [
            "## Bootstrapping",
            "",
            *warning(result),
            f"{machine(result)}, {result['machine']['go']}. {result['rounds']} rounds, one process after the other; load average before: "
            f"{result['load_average_before']:.2f}.",
            "",
            *shell(result),
            "",
            "*Throughput* is slots x levels left x mean bits / time (Equation 3 of de Castro et al.). Levels left are those for "
            "multiplications until the next bootstrap. Mean bits are the mean of -log2 of the error in the real parts of a random vector. "
            "*Multiplication a slot* is amortised: the time of the bootstrap and of one product of two ciphertexts at each of these levels, divided "
            "by levels and slots. Ratios are ringjet's advantage, the median over the rounds and their spread; lattigo runs on "
            f"one thread.{real}",
            "",
            *ratios(result),
            "",
            *figures(result),
            "",
            "### Parts",
            "",
            "EvalMod covers the real and the imaginary parts of complex numbers together.",
            "",
            *parts(result),
            "",
            "### Keys and memory",
            "",
            *sizes(result),
            "",
            "### Precision after bootstrapping",
            "",
            "`constant` is 0.7 in all slots, `period256` repeats 256 random numbers, `onehot` is 1 in one slot.",
            "",
            *precision(result),
            "",
        ]
    )
