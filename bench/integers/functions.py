"""The section "Integers with any function" of docs/benchmarks.md, from the newest result of each processor."""

from statistics import median

from cells import measured, rows, seconds, shell

HEAD = """\
## Integers with any function

`rj.integers` beside TFHE-rs (crate `tfhe`), which computes on one integer at a time. It has the parameters that its
high-level interface takes by default, for tables of 8 bits those for 4 bits and 4 bits of carry; results are wrong
with a probability of at most 2^-128 an operation. ringjet's presets are `n15-int` for tables of 4 bits and `n16-int`
for all others; it computes a batch at once, and an integer is wrong with a probability below 2^-64 for all results of
a program together ([guide](guide/integers.md)).

"one alone": the time until one result is there, which in ringjet is a third or more of that of a full batch. **Where a single
value is wanted, take TFHE-rs.** "of a batch": the time of a full batch divided by the number of its integers;
TFHE-rs's batch has two for each thread, and on one thread its time is that of one alone. A ratio is TFHE-rs's time
divided by ringjet's; above 1 ringjet is faster. `table4` and `table8` are functions of integers of 4 and 8 bits, the
others operations on two integers of so many bits, neither of which is known.
"""

LIBRARIES = ("tfhe", "ringjet")


def summarised(figures):
    """One object for each benchmark, number of threads, and way to count, of
    `{(bench, threads): {library: records}}`."""
    made = []
    for (bench, threads), of in figures.items():
        alone = not bench.endswith("_each")
        if alone:
            made.append(_row(bench, threads, "one alone", of))
        # on one thread, a batch of the other library takes as long as its integers one after another
        each = figures.get((f"{bench}_each", threads)) if alone else None
        if alone and each:
            of = {"tfhe": each.get("tfhe", of.get("tfhe", [])), "ringjet": each.get("ringjet", [])}
            made.append(_row(bench, threads, "of a batch", of))
    return made


def _row(bench, threads, counted, of):
    row = {"bench": bench, "threads": threads, "counted": counted}
    for library in LIBRARIES:
        records = of.get(library, [])
        if records:
            row[library] = median(r["median"] for r in records)
            row[f"{library}_params"] = records[0]["params"]
            row["backend" if library == "tfhe" else "version"] = records[0]["backend"]
    if all(of.get(library) for library in LIBRARIES):
        ratios = [a["median"] / b["median"] for a, b in zip(of["tfhe"], of["ringjet"], strict=True)]
        row |= {"ratio": median(ratios), "lowest": min(ratios), "highest": max(ratios)}
    return row


def render(results):
    text = HEAD
    for result in results:
        text += f"\n{measured(result)}. {result['rounds']} round(s); load average before: "
        text += f"{result['load_average_before']:.2f}.\n\n" + "\n".join(shell(result)) + "\n\n"
        for counted in ("of a batch", "one alone"):
            lines = [
                [
                    f"`{f['bench']}`",
                    str(f["threads"]),
                    seconds(f["tfhe"]) if "tfhe" in f else "",
                    seconds(f["ringjet"]) if "ringjet" in f else "",
                    f.get("ringjet_params", ""),
                    f"{_short(f['ratio'])} ({_short(f['lowest'])} - {_short(f['highest'])})" if "ratio" in f else "",
                ]
                for f in result["figures"]
                if f["counted"] == counted and "ringjet" in f
            ]
            backend = next((f["backend"] for f in result["figures"] if "backend" in f), "tfhe")
            header = [counted, "threads", backend, "ringjet", "ringjet's parameters", "ratio"]
            text += "\n".join(rows(header, lines)) + "\n\n"
    return text.rstrip("\n") + "\n"


def _short(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2f}"
