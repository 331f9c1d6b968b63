"""Measures the steps of Jung et al. (ePrint 2021/508), each with those before it, and writes the section
"The steps of Jung et al." of docs/benchmarks.md. ablate.py --paper measures; bench/compare/table.py
calls the rest."""

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import compare  # noqa: E402
from cells import machine, rows, seconds, shell, warning  # noqa: E402

# log2 of the ring degree of each parameter set, and of the smaller ring that is measured by default: in its
# own ring a set takes 18 GiB and more
SETS = {"jung-n16": (16, 15), "jung-n17": (17, 14)}


def model():
    return [compare.OURS, "model", "table", "jung", "--json"]


def command(args, name):
    own, small = SETS[name]
    log_n = args.log_n_override or min(args.paper_log_n or small, own)
    words = [
        compare.OURS,
        "bench",
        "bootstrap",
        "--paper",
        name,
        "--ladder",
        "--key-memory",
        args.key_memory,
        "--threads",
        str(args.threads),
        "--reps",
        str(args.reps),
        "--json",
    ]
    words += ["--log-n-override", str(log_n)] if log_n != own else []
    return words + (["--processor-time"] if args.processor_time else [])


def measure(args, load):
    sets = []
    for name in args.paper:
        words = command(args, name)
        print(compare.shown(words), file=sys.stderr, flush=True)
        found = compare.records(words)
        sets.append(
            {
                "set": name,
                "info": next(r for r in found if r["bench"] == "bootstrap_info"),
                "steps": [r for r in found if r["bench"] == "bootstrap_ladder"],
            }
        )
    result = {
        **compare.circumstances("python3 bench/boot/ablate.py", go=False),
        "load_average_before": load,
        "commands": [compare.shown(words) for words in (*(command(args, name) for name in args.paper), model())],
        "reps": args.reps,
        "threads": args.threads,
        "processor_time": args.processor_time,
        "insecure": bool(args.log_n_override),
        "sets": sets,
        "model": compare.records(model()),
    }
    compare.write(result, args.results, "ladder")
    if result["insecure"]:
        print(render(result))
    else:
        import table

        table.main([])


def gains(before, after):
    """Round by round, how many times faster a step is than another one: median and spread."""
    each = [a / b for a, b in zip(before["bootstrap"], after["bootstrap"])]
    return f"{median(each):.3f} ({min(each):.3f} - {max(each):.3f})"


def figures(result, measured):
    """The table of one parameter set."""

    def row(step, quantity):
        entry = f"{measured['set']}, {step['rung']}"
        return next(
            (r for r in result["model"] if (r["entry"], r["quantity"]) == (entry, quantity)),
            {"model": None, "paper": None},
        )

    def cell(value, form):
        return "" if value is None else format(value, form)

    levels, lines, known, before = measured["info"]["levels_left"], [], measured["steps"][0], None
    for step in measured["steps"]:
        time, products = median(step["bootstrap"]), median(step["products"])
        since, share, ms = row(step, "times faster"), row(step, "share of linear transforms"), row(step, "ms")
        stated = since["paper"] is not None
        lines.append(
            [
                step["rung"],
                seconds(time),
                seconds((time + products) / levels),
                f"{median(step['transforms']):.1%}",
                cell(share["model"], ".1%"),
                gains(before, step) if before else "",
                cell(row(step, "times faster than the step before")["model"], ".3f"),
                gains(known, step) if stated else "",
                cell(since["model"], ".3f"),
                cell(since["paper"], ".3f"),
                cell(ms["model"], ".0f"),
                cell(ms["paper"], ".0f"),
            ]
        )
        before, known = step, step if ms["paper"] is not None else known
    return rows(
        [
            "step",
            "bootstrap",
            "a product, amortised",
            "linear transforms",
            "by the model",
            "than the step before",
            "by the model",
            "than the last published step",
            "by the model",
            "published",
            "V100 by the model, ms",
            "published, ms",
        ],
        lines,
    )


def section(result, measured):
    info, (log_n, _) = measured["info"], SETS[measured["set"]]
    ring = f"N = 2^{info['log_n']}" + (
        "" if info["log_n"] == log_n else f" instead of 2^{log_n}, for lack of memory and time"
    )
    least = min(step["least_bits"] for step in measured["steps"])
    return [
        "",
        f"### `{measured['set']}`",
        "",
        f"{ring}, {info['q_primes']} + {info['p_primes']} primes, {info['keys']} {info['key_memory']} keys of {info['key_bytes'] / 2**30:.2f} GiB, "
        f"matrices of {info['matrix_bytes'] / 2**30:.2f} GiB, peak memory {info['peak_rss_bytes'] / 2**30:.2f} GiB; {info['levels_left']} products "
        f"between bootstraps; the worst slot of any step has {least:.1f} bits.",
        "",
        *figures(result, measured),
    ]


def render(result):
    clock = ", times on processors" if result["processor_time"] else ""
    return "\n".join(
        [
            "## The steps of Jung et al.",
            "",
            *warning(result),
            f"{machine(result)}. "
            f"{result['reps']} round{'s' if result['reps'] > 1 else ''} in which all steps take turns on one set of keys, {result['threads']} thread(s){clock}; "
            f"load average before: {result['load_average_before']:.2f}.",
            "",
            *shell(result),
            "",
            "The steps are those of Lee's talk on Jung et al. (ePrint 2021/508), in its order; each contains those before it. The talk measures a GPU, a "
            "V100, and gives one time for the three fusions within operations. *By the model* is the prediction for a V100. Gains are medians over the "
            "rounds, with their spread. *A product, amortised* is the time of a bootstrap and of one product at each level that it leaves, divided by the "
            "number of these products.",
            *(line for measured in result["sets"] for line in section(result, measured)),
            "",
        ]
    )
