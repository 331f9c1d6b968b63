"""Writes the section "Distribution of errors" of docs/benchmarks.md and its plot from a result of
precision.py. bench/compare/table.py calls it."""

import sys
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import commit, rows, shell, warning  # noqa: E402

PLOT = "bootstrap-precision.svg"

# size and margins of a panel of the plot, in pixels
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 340, 130, 46, 34, 36


def spans(counts, share=1e-6):
    """Indices of the first and the last bin that has more than `share` of the counts."""
    least = sum(counts) * share
    filled = [i for i, c in enumerate(counts) if c > least]
    return filled[0], filled[-1]


def panel(h, x, y, first, last):
    """The panel of one kind of input: a bar for each bin, as high as its share of all errors."""
    counts, width = h["counts"][first : last + 1], h["bin_bits"]
    total, top = sum(h["counts"]), max(h["counts"])
    bar = WIDTH / len(counts)
    base = y + TOP + HEIGHT
    out = [f'<text x="{x + LEFT}" y="{y + TOP - 10}" font-weight="bold">{h["input"]}, {h["runs"]} runs</text>']
    tops = [(base - count / top * HEIGHT, x + LEFT + (i + 1) * bar) for i, count in enumerate(counts)]
    outline = "".join(f"V{y:.2f}H{right:.2f}" for y, right in tops)
    out.append(f'<path d="M{x + LEFT} {base}{outline}V{base}Z" fill="#3b6ea5"/>')
    out.append(f'<path d="M{x + LEFT} {y + TOP}V{base}H{x + LEFT + WIDTH}" fill="none" stroke="currentColor"/>')
    out.append(f'<text x="{x + LEFT - 5}" y="{y + TOP + 9}" text-anchor="end">{top / total:.1%}</text>')
    step = 2 if len(counts) * width <= 24 else 4
    for bits in range(int(first * width), int((last + 1) * width) + 1):
        at = x + LEFT + (bits / width - first) * bar
        if bits % step == 0 and x + LEFT <= at <= x + LEFT + WIDTH + 1:
            out.append(f'<path d="M{at:.2f} {base}v4" stroke="currentColor"/>')
            out.append(f'<text x="{at:.2f}" y="{base + 17}" text-anchor="middle">{bits}</text>')
    return out


def plot(result):
    """The histograms of all kinds of input as SVG."""
    histograms, info = result["histograms"], result["info"]
    ends = [spans(h["counts"]) for h in histograms]
    first, last = min(a for a, _ in ends), max(b for _, b in ends)
    columns, (w, h) = 2, (LEFT + WIDTH + 20, TOP + HEIGHT + BOTTOM)
    height = h * -(-len(histograms) // columns) + 26
    title = (
        f"{info['preset']}, N = 2^{info['log_n']}: -log2 of the error of the real part of a slot after bootstrapping"
    )
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * w}" height="{height}" viewBox="0 0 {columns * w} {height}" '
        'font-family="sans-serif" font-size="11" role="img">',
        f"<title>{title}</title>",
        f'<rect width="{columns * w}" height="{height}" fill="#fff"/>',
        '<g fill="#222" color="#222">',
        f'<text x="{LEFT}" y="18" font-size="13">{title}</text>',
    ]
    for i, histogram in enumerate(histograms):
        out += panel(histogram, i % columns * w, 20 + i // columns * h, first, last)
    return "\n".join([*out, "</g>", "</svg>", ""])


def table(result):
    lines = []
    for h in result["histograms"]:
        runs = [r for r in result["runs"] if r["input"] == h["input"]]
        means = [r["real"]["mean_log2_precision"] for r in runs]
        least = [r["complex"]["min_log2_precision"] for r in runs]
        cells = [
            cell for bits in (means, least) for cell in (f"{mean(bits):.2f}", f"{min(bits):.2f} - {max(bits):.2f}")
        ]
        lines.append([h["input"], str(len(runs)), *cells])
    return rows(["input", "runs", "mean bits", "over the runs", "least bits of a run", "over the runs"], lines)


def render(result):
    info = result["info"]
    return "\n".join(
        [
            "## Distribution of errors",
            "",
            *warning(result, "A small insecure ring"),
            f"`{info['preset']}` on {result['date']} at {commit(result)}. All runs use one set of keys, and each run encrypts anew. "
            "`random` and `period256` are new vectors in every run; `constant` and `onehot` are the same vector in all runs.",
            "",
            *shell(result),
            "",
            f"![Histograms of bits of precision after bootstrapping, for four kinds of input]({PLOT})",
            "",
            "In the plot and in *mean bits* the bits are of the real part of a slot; in *least bits* they are of the complex error.",
            "",
            *table(result),
            "",
        ]
    )
