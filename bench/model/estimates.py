"""Writes the section "Estimates of ten programs" of docs/benchmarks.md from a result of ten.py.
bench/compare/table.py calls it."""

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import measured, rows, seconds, shell  # noqa: E402


def deviation(run):
    return run["model_s"] / run["measured_s"] - 1


def lines(rounds):
    header = ["program", "parameters", "measured", "estimate", "deviation", "rounds"]
    out = []
    for runs in zip(*rounds):
        each = [deviation(run) for run in runs]
        out.append(
            [
                runs[0]["program"],
                f"`{runs[0]['params']}`",
                *(seconds(median(run[key] for run in runs)) for key in ("measured_s", "model_s")),
                f"{median(each):+.0%}",
                f"{min(each):+.0%} to {max(each):+.0%}",
            ]
        )
    return rows(header, out)


def render(result):
    rounds = result["programs"]
    sizes = [abs(median(map(deviation, runs))) for runs in zip(*rounds)]
    return "\n".join(
        [
            "## Estimates of ten programs",
            "",
            f"{measured(result)}, {rounds[0][0]['threads']} thread(s), {len(rounds)} rounds; load average before: "
            f"{result['load_average_before']:.2f}. `rj.plan(program, params).estimate` for the device `here`, which each round measured "
            "anew in some seconds, beside the median time of runs of the same function. Half of the deviations are at most "
            f"{median(sizes):.0%} in size, the largest is {max(sizes):.0%}.",
            "",
            *shell(result),
            "",
            *lines(rounds),
            "",
        ]
    )
