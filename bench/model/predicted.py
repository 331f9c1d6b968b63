"""Writes the section "The cost model" of docs/benchmarks.md from a result of model.py.
bench/compare/table.py calls it."""

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import measured, rows, seconds, shell  # noqa: E402

TARGET = 0.25


def lines(rounds):
    out = []
    for runs in zip(*rounds):
        first, deviations = runs[0], [r["deviation"] for r in runs]
        measured, model = (median(r[k] for r in runs) for k in ("measured_s", "model_s"))
        middle = median(deviations)
        out.append(
            [
                f"`{first['preset']}`",
                first["program"],
                seconds(measured),
                seconds(model),
                f"{middle:+.0%}",
                f"{min(deviations):+.0%} to {max(deviations):+.0%}",
                "yes" if abs(middle) <= TARGET else "**no**",
                f"{median(r['compute_s'] / r['model_s'] for r in runs):.0%}",
                f"{median(r['memory_s'] / r['model_s'] for r in runs):.0%}",
                f"{first['gop']:.3g}",
                f"{first['gb']:.3g}",
            ]
        )
    return rows(
        [
            "parameters",
            "program",
            "measured",
            "model",
            "deviation",
            "rounds",
            "within 25 %",
            "arithmetic",
            "traffic",
            "GOP",
            "GB",
        ],
        out,
    )


def render(result):
    return "\n".join(
        [
            "## The cost model",
            "",
            f"{measured(result)}, {result['threads']} thread(s), "
            f"{result['rounds']} rounds of a calibration and all programs; load average before: {result['load_average_before']:.2f}. The "
            "model runs the same program on the counting backend. It takes the time of each operation from the profile of this machine, which "
            "was measured just before ([cost-model.md](design/cost-model.md)). Arithmetic and traffic are shares of the model's time. Where "
            "they add up to more than all of it, they overlap.",
            "",
            *shell(result),
            "",
            *lines(result["programs"]),
            "",
        ]
    )
