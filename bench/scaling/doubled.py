"""Writes the section "Two threads and two processes" of docs/benchmarks.md from results of
scaling.py. bench/compare/table.py calls it."""

import sys
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
from cells import commit, processor, rows, seconds, shell  # noqa: E402

ONE, THREADS, PROCESSES = "one thread", "two threads", "two processes"
# The benches, with their arguments.
BENCHES = {"heaan_mul": [], "mul_relin_rescale": ["--dnum", "4"]}
TARGET = 1.8
# Calls of these benches take turns with a reading of memory. The cores of a virtual machine may
# share a path to memory at one time and not at another.
WITH_MEMORY, MEMORY, BY_MEMORY = ["mul_relin_rescale"], "memory", "two threads by memory"
# Two cores count as having separate paths to memory if both together read at least this many times
# what one reads.
APART = 1.5


def by_memory(calls, one, two):
    """Times of calls on two threads, while the cores had separate paths to memory and while they
    had not. Next to each call two threads read memory in the time `two`; one thread reads half as
    much in the time `one`."""
    gains = [2 * one / seconds for seconds in two]
    parts = [[(call, gain) for call, gain in zip(calls, gains) if (gain >= APART) == apart] for apart in (True, False)]
    return [
        {"apart": apart, "n": len(part), "median": median(c for c, _ in part), "memory": median(g for _, g in part)}
        for apart, part in zip((True, False), parts)
        if part
    ]


def spread(ratios):
    """Median, quartiles and extremes; only the value if there is one round."""
    if len(ratios) == 1:
        return [f"{ratios[0]:.2f}", "", "one"]
    low, _, high = quantiles(ratios, n=4, method="inclusive")
    return [f"{median(ratios):.2f}", f"{low:.2f} - {high:.2f}", f"{min(ratios):.2f} - {max(ratios):.2f}"]


def split(rounds, params, bench):
    """A row for the calls while cores had separate paths to memory, and one for the others. Rounds
    with fewer than ten such calls are left out."""
    every = [(found[ONE][0]["median"], part) for found in rounds for part in found.get(BY_MEMORY, [])]
    for apart in (True, False):
        parts = [(one, p) for one, p in every if p["apart"] == apart and p["n"] >= 10]
        if not parts:
            continue
        share = sum(p["n"] for _, p in parts) / sum(p["n"] for _, p in every)
        ratios = [one / p["median"] for one, p in parts]
        what = f"{THREADS}, while both cores read {median(p['memory'] for _, p in parts):.2f} times what one reads ({share:.0%} of the calls)"
        met = "yes" if median(ratios) >= TARGET else "**no**"
        yield [
            f"`{bench}`",
            params,
            what,
            seconds(median(one for one, _ in parts)),
            seconds(median(p["median"] for _, p in parts)),
            *spread(ratios),
            str(TARGET),
            met,
        ]


def lines(result):
    out = []
    for bench in result["rounds"][0]:
        rounds = [r[bench] for r in result["rounds"]]
        time = {what: [r["median"] for found in rounds for r in found[what]] for what in (ONE, THREADS, PROCESSES)}
        # a process makes 1 / median calls a second; two processes make the sum
        ratios = {
            what: [found[ONE][0]["median"] * sum(1 / r["median"] for r in found[what]) for found in rounds]
            for what in (THREADS, PROCESSES)
        }
        for what, each in ratios.items():
            met = ("yes" if median(each) >= TARGET else "**no**") if what == THREADS else ""
            out.append(
                [
                    f"`{bench}`",
                    rounds[0][ONE][0]["params"],
                    what,
                    seconds(median(time[ONE])),
                    seconds(median(time[what])),
                    *spread(each),
                    str(TARGET) if met else "",
                    met,
                ]
            )
            if what == THREADS:
                out += split(rounds, rounds[0][ONE][0]["params"], bench)
    header = [
        "bench",
        "parameters",
        "against one thread",
        "one thread",
        "this",
        "ratio",
        "quartiles",
        "rounds",
        "target",
        "met",
    ]
    return rows(header, out)


def measured(result):
    """The lines that say when, where and how a result was measured, and the table."""
    m = result["machine"]
    return [
        f"### {processor(m)}",
        "",
        f"Measured on {result['date']} at {commit(result)}: {m['cores']} cores; {len(result['rounds'])} rounds "
        f"of {result['seconds']} s for each bench of a process; load average before: {result['load_average_before']:.2f}.",
        "",
        *shell(result),
        "",
        *lines(result),
        "",
    ]


def render(results):
    return "\n".join(
        [
            "## Two threads and two processes",
            "",
            "The tables say how many times as many calls a second as one thread are reached, round by round, by two threads, and by two processes of one "
            "thread each at the same time. The processes never wait for each other, so what they reach is what the machine gives. The cores of a virtual "
            "machine may share a way to memory, or not, and that changes. So where reading 64 MiB of memory takes turns with the calls, the calls are also "
            f"separated by whether both cores read {APART} times what one reads at that moment.",
            "",
            *(line for result in results for line in measured(result)),
        ]
    )
