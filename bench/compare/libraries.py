"""Writes the section "All libraries" of docs/benchmarks.md from a result of peers.py. table.py calls
it."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "boot"))
from cells import machine, rows, seconds, shell, warning  # noqa: E402
from section import gib  # noqa: E402

# The secret, where a driver's output does not have it.
SECRETS = {"ringjet": "uniform ternary"}
# log2 QP up to which the guidelines (Bossuat et al. 2024/463, Table 5.2) give 128 bits of security
# to a uniform ternary secret, by log2 N.
SECURE = {15: 868, 16: 1747}


def name(f):
    return f"{f['library']} `{f['set']}`" if f["set"] else f["library"]


def secret_of(info):
    return info.get("secret") or f"ternary, weight {info['secret_weight']}"


def secret(f):
    info = f["info"]
    kind = SECRETS.get(f["library"]) or secret_of(info)
    sparse = info.get("ephemeral_secret_weight")
    return f"{kind}; ephemeral: weight {sparse}" if sparse else kind


def security(f):
    """The same judgement for all libraries, by the guidelines' table. It has no sparse secrets."""
    info = f["info"]
    limit = SECURE.get(info["log_n"])
    sparse = re.search(r"weight (\d+)", secret(f).split(";")[0])
    if not info.get("log_qp") or limit is None or (sparse and int(sparse[1]) < 1 << info["log_n"] - 2):
        return f"no table; by the library: {info.get('security', 'not stated')}"
    return f"{'at least' if info['log_qp'] <= limit else '**less than**'} 128 bits (up to {limit})"


def spread(r):
    return f"{r['median']:.2f} ({r['lowest']:.2f} - {r['highest']:.2f})"


def speeds(result):
    lines = []
    for f in sorted(result["bootstraps"], key=lambda f: -f["derived"]["throughput"]["median"]):
        d, info = f["derived"], f["info"]
        time = d["seconds"]
        bits = info.get("level_bits") or info.get("output_scale_log2")
        lines.append(
            [
                name(f),
                f"2^{info['log_n']}",
                f"{seconds(time['median'])} ({seconds(time['lowest'])} - {seconds(time['highest'])})",
                f"{d['throughput']['median'] / 1e6:.3g}",
                f"{d['levels_left']['median']:.0f}",
                f"{bits:.0f}" if bits else "not shown",
                f"{d['mean_bits']['median']:.2f}",
                f"{d['least_bits']['median']:.2f}",
                f"{d['complex_mean_bits']['median']:.2f}",
                f"{d['complex_least_bits']['median']:.2f}",
                str(f["n"]),
            ]
        )
    return rows(
        [
            "library and set",
            "N",
            "time (rounds)",
            "throughput, 10^6/s",
            "levels left",
            "bits a level",
            "real: mean bits",
            "least",
            "complex: mean bits",
            "least",
            "samples",
        ],
        lines,
    )


def parameters(result):
    lines = []
    for f in result["bootstraps"]:
        info = f["info"]
        log_qp = f"{info['log_qp']:.0f}" if info.get("log_qp") else "not shown"
        lines.append(
            [
                name(f),
                f["backend"],
                log_qp,
                secret(f),
                security(f),
                gib(info["key_bytes"]),
                gib(f["peak_rss_bytes"]),
                seconds(info["keygen_s"] + info["setup_s"]),
            ]
        )
    return rows(
        [
            "library and set",
            "version",
            "log2 QP",
            "secret",
            "security by the guidelines' table",
            "keys",
            "peak memory",
            "keys and set-up, once",
        ],
        lines,
    )


def operations(result):
    figures = result["operations"]
    names = [library for library in dict.fromkeys(f["library"] for f in figures) if library != "ringjet"]
    cells = {(f["library"], f["bench"]): f for f in figures}

    def cell(library, bench):
        f = cells.get((library, bench))
        return f"{seconds(f['median'])}, {spread(f['ratio'])}" if f and "ratio" in f else ""

    lines = [
        [f"`{f['bench']}`", seconds(f["median"]), *(cell(library, f["bench"]) for library in names)]
        for f in figures
        if f["library"] == "ringjet"
    ]
    return rows(["operation", "ringjet", *names], lines)


def failures(result):
    if not result["failures"]:
        return []
    lines = [[name(f), f["part"], f["reason"].replace("|", "/")] for f in result["failures"]]
    return ["", "Failed, in one round or in all:", "", *rows(["library and set", "part", "why"], lines)]


def render(result):
    versions = ", ".join(dict.fromkeys(f["backend"] for f in result["operations"] + result["bootstraps"]))
    page = [
        "## All libraries",
        "",
        *warning(result),
        f"{machine(result)}. "
        f"{result['rounds']} rounds in which the libraries took turns, one process at a time, one thread each; load average before: "
        f"{result['load_average_before']:.2f}. Versions: {versions}.",
        "",
        *shell(result),
    ]
    if result["bootstraps"]:
        page += [
            "",
            "### Bootstraps",
            "",
            "*Throughput* is slots x levels left x mean bits of the real part / time (Equation 3 of de Castro et al.). It counts levels "
            "alike whatever their bits, so the bits of a level stand beside it. All slots hold random complex numbers. *Mean bits* are "
            "the mean of -log2 of the error, *least* that of the worst slot; *complex* is the error |e| of the complex number. Levels "
            "left are those until the next bootstrap. Ephemeral secrets, under which the modulus is raised, are not judged.",
            "",
            *speeds(result),
            "",
            *parameters(result),
        ]
    if result["operations"]:
        page += [
            "",
            "### Operations",
            "",
            f"{result['shape']}. Each cell has the time, and how many times faster ringjet is: the median of the rounds' ratios and "
            "their spread. OpenFHE's special primes have 60 bits; SEAL, in TenSEAL, has one special prime and so one key-switching "
            "digit for each prime; DESILO FHE chooses its primes itself.",
            "",
            *operations(result),
        ]
    return "\n".join([*page, *failures(result), ""])
