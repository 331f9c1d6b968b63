"""Writes the section "Training" of docs/benchmarks.md from a result of train.py.
bench/compare/table.py calls it."""

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import commit, processor, rows, seconds  # noqa: E402

COLUMNS = ["encrypted", "in the clear", "in the clear, converged", "scikit-learn, converged"]


def quality(runs):
    lines = []
    for r in runs:
        for what, form in (("accuracy", ".2%"), ("AUC", ".4f")):
            values = r["measures"][f"{what}, held out"]
            lines.append(
                [f"`{r['data']}`", str(r["held_out_samples"]), what, *(format(values[c], form) for c in COLUMNS)]
            )
    return rows(["data", "held-out samples", "", *COLUMNS], lines)


def splits(result):
    lines = []
    for name, columns in result["splits"].items():
        for what, form in (("accuracy", ".2%"), ("AUC", ".4f")):
            lines.append([f"`{name}`", what, *(format(columns[c][what], form) for c in COLUMNS[1:])])
    return rows(["data", "", *COLUMNS[1:]], lines)


def cost(runs):
    lines = []
    for r in runs:
        s, boots = r["settings"], r["bootstrap_seconds"]
        whole = (sum(r["iteration_seconds"]) + sum(boots)) / len(r["iteration_seconds"])
        lines.append(
            [
                f"`{r['data']}`",
                f"{r['training_samples']} x {r['features']}",
                f"{s['iterations']} of {s['batch_size']}",
                seconds(median(r["iteration_seconds"])),
                str(len(boots)),
                seconds(median(boots)),
                seconds(min(boots)),
                seconds(whole),
                f"{r['weight_difference']:.0e}",
                f"{r['sizes']['evaluation keys sent'] / 2**30:.2f} GiB",
                f"{r['sizes']['training data sent'] / 2**20:.0f} MiB",
                f"{r['sizes']['peak memory'] / 2**30:.1f} GiB",
                f"{r['load_average_before']:.1f}",
            ]
        )
    return rows(
        [
            "data",
            "training samples",
            "iterations",
            "iteration, median",
            "bootstraps",
            "median",
            "fastest",
            "iteration with its share, mean",
            "weights differ by",
            "keys sent",
            "data sent",
            "peak memory",
            "load before",
        ],
        lines,
    )


def render(result):
    m, runs = result["machine"], result["runs"]
    return "\n".join(
        [
            "## Training",
            "",
            f"Logistic regression on ciphertexts, measured on {result['date']} at {commit(result)}: {processor(m)}"
            f"{' (virtual machine)' if m['virtual'] else ''}, {m['cores']} cores, {m['memory_gib']} GiB, {m['system']}; "
            f"{result['threads']} threads.",
            "",
            "```sh",
            result["command"],
            "",
            *(r["command"] for r in runs),
            "```",
            "",
            f"{runs[0]['parameters']}",
            "",
            "*In the clear*: the same algorithm with the same polynomial, in numpy. *Converged*: the true sigmoid and the same "
            "penalty, by Newton's method. *scikit-learn*: its own settings, on the same features.",
            "",
            *quality(runs),
            "",
            *(
                [
                    "Where little is held out, one sample is half a percent or more. Means over "
                    f"{result['split_count']} splits, in the clear:",
                    "",
                    *splits(result),
                    "",
                ]
                if result["splits"]
                else []
            ),
            "Keys and data are made and encrypted before training; the whole of `mnist38-full` is encrypted once, 96 ciphertexts, and "
            "an iteration takes the eight of its batch.",
            "",
            *(
                ["**The machine was busy with other work meanwhile, as the load shows: times are upper bounds.**", ""]
                if max(r["load_average_before"] for r in runs) > 1
                else []
            ),
            *cost(runs),
            "",
        ]
    )
