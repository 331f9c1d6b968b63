"""The pictures of `docs/guide/speed.md`: measured times, from the files in bench/results."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = Path(__file__).parents[2]


def result(kind: str) -> dict[str, Any]:
    """The latest file of a kind in bench/results."""
    found: dict[str, Any] = json.loads(max((ROOT / "bench" / "results").glob(f"{kind}-2*.json")).read_text())
    return found


def source(data: dict[str, Any]) -> str:
    machine = data["machine"]
    cpu = machine["cpu"].replace("(R)", "")
    return f"{cpu}, {data.get('date') or machine['date']}, commit {(data.get('commit') or machine['commit'])[:8]}"


def pictures() -> dict[str, str]:
    """The text of each picture, by the name of its file."""
    plt.rcParams.update(
        {"svg.hashsalt": "ringjet", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    )

    made = {}

    def save(figure: Any, name: str) -> None:
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
        plt.close(figure)
        made[name] = text.getvalue()

    data = result("cpu")
    one = [r for r in data["ratios"] if r["what"].startswith("lattigo") and r["what"].endswith("1 thread(s)")]
    one.sort(key=lambda r: r["median"])
    figure, axes = plt.subplots(figsize=(7, 4.2))
    errors = [[r["median"] - r["lowest"] for r in one], [r["highest"] - r["median"] for r in one]]
    axes.barh([r["bench"] for r in one], [r["median"] for r in one], xerr=errors, color="#3f51b5", ecolor="#777777")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("time of Lattigo 6.2 / time of ringjet, one thread, N = 2^16, 25 primes")
    axes.set_title(source(data), fontsize=9)
    save(figure, "speed-operations.svg")

    data = result("boot")
    parts = {"bootstrap_s2c": "SlotsToCoeffs", "bootstrap_modraise": "ModRaise", "bootstrap_c2s": "CoeffsToSlots",
             "bootstrap_evalmod": "EvalMod"}  # fmt: skip
    figures = [f for f in data["figures"] if f["library"] == "ringjet"]
    figure, axes = plt.subplots(figsize=(7, 2.6))
    left = [0.0] * len(figures)
    labels = [f"{f['set']}, {f['threads']} thread{'s' if f['threads'] > 1 else ''}" for f in figures]
    for (part, title), colour in zip(parts.items(), ("#3f51b5", "#9fa8da", "#ff8f00", "#26a69a")):
        seconds = [f["times"][part]["median"] for f in figures]
        axes.barh(labels, seconds, left=left, label=title, color=colour)
        left = [a + b for a, b in zip(left, seconds)]
    axes.set_xlabel("seconds of one bootstrap with all slots")
    axes.set_title(source(data), fontsize=9)
    axes.invert_yaxis()
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.4, -0.28), fontsize=9)
    save(figure, "speed-bootstrap.svg")

    data = result("vectors")
    tasks = sorted(data["tasks"].values(), key=lambda t: sorted(t["seconds"])[len(t["seconds"]) // 2])
    figure, axes = plt.subplots(figsize=(7, 2.8))
    middle = [sorted(t["seconds"])[len(t["seconds"]) // 2] for t in tasks]
    axes.barh([t["what"] for t in tasks], middle, color="#3f51b5")
    for place, value in enumerate(middle):
        axes.text(value * 1.05, place, f"{value:.2g} s", va="center", fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(middle[0] / 2, middle[-1] * 2)
    axes.set_xlabel("seconds, median, two threads")
    axes.set_title(source(data), fontsize=9)
    save(figure, "speed-tasks.svg")
    return made
