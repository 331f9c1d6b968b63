"""Measures products by number of digits of key switching, with the same ciphertext primes, and writes the
section "Products by number of digits" of docs/benchmarks.md and its plot: the figure "dnum vs.
multiplication time for a fixed Q" of Lee's talk on Jung et al. (ePrint 2021/508).

Writes RESULTS/digits-DATE.json. bench/compare/table.py calls the rest."""

import argparse
import os
import sys
from math import log2
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import compare  # noqa: E402
from cells import measured, rows, seconds, shell, warning  # noqa: E402

PLOT = "product-digits.svg"
# as in `ringjet model table jung-dnum`
LOG_N, LIMBS = 16, 35
ALPHAS = (35, 18, 12, 9, 7, 6, 5, 4, 3, 2, 1)
CURVES = (
    ("measured, one thread", "#3b6ea5"),
    ("model, one thread", "#3f9e6e"),
    ("model, V100", "#c0603a"),
    ("model, multiplications", "#777777"),
)


def model():
    return [compare.OURS, "model", "table", "jung-dnum", "--json"]


def command(args, alpha):
    words = [
        compare.OURS,
        "bench",
        "mul_relin_rescale",
        "--log-n",
        str(args.log_n),
        "--limbs",
        str(LIMBS),
        "--special",
        str(alpha),
        "--scale-bits",
        "45",
        "--threads",
        "1",
        "--reps",
        str(args.reps),
        "--json",
    ]
    return words + (["--processor-time"] if args.processor_time else [])


def points(result):
    """The number of digits and the four values of each point."""
    predicted = {(r["entry"], r["quantity"]): r["model"] for r in result["model"]}
    out = []
    for p in result["points"]:
        of = lambda what: predicted[f"dnum = {p['dnum']}", what]  # noqa: E731
        out.append(
            (
                p["dnum"],
                p["min"],
                of("ms of a product, one thread") / 1e3,
                of("ms of a product, V100") / 1e3,
                of("modular multiplications"),
                of("MB of a key"),
                of("log2(QP)"),
            )
        )
    return out


def plot(result):
    """Each curve relative to its least value, over the number of digits."""
    width, height, left, top = 520, 220, 50, 60
    found = points(result)
    x = lambda dnum: left + width * log2(dnum) / log2(LIMBS)  # noqa: E731
    curves = [[p[i + 1] / min(p[i + 1] for p in found) for p in found] for i in range(len(CURVES))]
    most = max(map(max, curves))
    y = lambda value: top + height * (1 - log2(value) / log2(most * 1.05))  # noqa: E731
    title = f"A product by number of digits, relative to the fastest: N = 2^{result['log_n']}, {LIMBS} primes"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{top + height + 50}" '
        f'viewBox="0 0 {left + width + 30} {top + height + 50}" font-family="sans-serif" font-size="11" role="img">',
        f"<title>{title}</title>",
        f'<rect width="{left + width + 30}" height="{top + height + 50}" fill="#fff"/>',
        '<g fill="#222" color="#222">',
        f'<text x="{left}" y="18" font-size="13">{title}</text>',
    ]
    for value in (1, 1.5, 2, 3, 4, 6, 8):
        if value <= most * 1.05:
            out += [
                f'<path d="M{left} {y(value):.1f}H{left + width}" stroke="#ddd"/>',
                f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value}</text>',
            ]
    for p in found:
        out += [
            f'<path d="M{x(p[0]):.1f} {top + height}v4" stroke="currentColor"/>',
            f'<text x="{x(p[0]):.1f}" y="{top + height + 17}" text-anchor="middle">{p[0]}</text>',
        ]
    out += [
        f'<path d="M{left} {top}V{top + height}H{left + width}" fill="none" stroke="currentColor"/>',
        f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">dnum: digits of key switching</text>',
    ]
    for i, ((name, colour), curve) in enumerate(zip(CURVES, curves)):
        path = "".join(
            f"{'L' if j else 'M'}{x(p[0]):.1f} {y(value):.1f}" for j, (p, value) in enumerate(zip(found, curve))
        )
        out += [
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<rect x="{left + i * 132}" y="30" width="14" height="3" fill="{colour}"/>',
            f'<text x="{left + i * 132 + 18}" y="36">{name}</text>',
        ]
    return "\n".join([*out, "</g>", "</svg>", ""])


def render(result):
    m = result["machine"]
    found = points(result)
    least = [min(p[i] for p in found) for i in range(1, 5)]
    bold = lambda i, p, text: f"**{text}**" if p[i] == least[i - 1] else text  # noqa: E731
    lines = [
        [
            str(p[0]),
            bold(1, p, seconds(p[1])),
            bold(2, p, seconds(p[2])),
            bold(3, p, seconds(p[3])),
            bold(4, p, f"{p[4] / 1e6:.0f} million"),
            f"{p[5]:.0f} MB",
            f"{p[6]:.0f}",
        ]
        for p in found
    ]
    clock = ", on processors" if result["processor_time"] else ""
    return "\n".join(
        [
            "## Products by number of digits",
            "",
            *warning(result, "A small ring"),
            f"{measured(result)}, {m['cores']} cores, {m['system']}, {m['rustc']}. The "
            f"shortest of {result['reps']} samples{clock}; load average before: {result['load_average_before']:.2f}.",
            "",
            *shell(result),
            "",
            f"A product of two ciphertexts of {LIMBS} primes, relinearised and rescaled, N = 2^{result['log_n']}. With fewer digits there are more special "
            "primes and smaller keys, and log2(QP) is larger, so the same ring is less secure. Lee's talk on Jung et al. (ePrint 2021/508) plots this curve "
            "for a CPU and a GPU, without numbers: on a GPU the fastest number is smaller than the one with the least arithmetic. The model of a V100 "
            "fuses as the talk does; that of one thread is the library, on another processor. The CPU's vector kernels convert from at most 11 primes, "
            "so with one to three digits scalar code converts; the model does not know that. The smallest value of each column is in bold.",
            "",
            f"![Time of a product by number of digits, measured and by the model]({PLOT})",
            "",
            *rows(
                [
                    "dnum",
                    "measured, one thread",
                    "model, one thread",
                    "model, V100",
                    "multiplications",
                    "a key",
                    "log2(QP)",
                ],
                lines,
            ),
            "",
        ]
    )


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--reps", type=int, default=9)
    p.add_argument(
        "--processor-time", action="store_true", help="measure the time on processors: for a machine that is not idle"
    )
    p.add_argument(
        "--log-n",
        type=int,
        default=LOG_N,
        help="log2 of a smaller ring degree, to test the script; the figures mean nothing",
    )
    p.add_argument("--results", type=Path, default=compare.ROOT / "bench/results")
    args = p.parse_args()
    if args.log_n != LOG_N:
        # test results must not be mixed with real ones
        args.results = compare.ROOT / "target/boot-smoke"
    load = os.getloadavg()[0]
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    measured = []
    for alpha in ALPHAS:
        words = command(args, alpha)
        print(compare.shown(words), file=sys.stderr, flush=True)
        record = next(r for r in compare.records(words) if r["bench"] == "mul_relin_rescale")
        measured.append(
            {
                "dnum": -(-LIMBS // alpha),
                "alpha": alpha,
                **{k: record[k] for k in ("min", "median", "n", "params", "backend")},
            }
        )
    result = {
        **compare.circumstances("python3 bench/model/digits.py", go=False),
        "load_average_before": load,
        "commands": [compare.shown(words) for words in (*(command(args, alpha) for alpha in ALPHAS), model())],
        "reps": args.reps,
        "processor_time": args.processor_time,
        "log_n": args.log_n,
        "insecure": args.log_n != LOG_N,
        "points": measured,
        "model": compare.records(model()),
    }
    compare.write(result, args.results, "digits")
    if result["insecure"]:
        print(render(result))
    else:
        import table

        table.main([])


if __name__ == "__main__":
    main()
