"""Measures what each optimisation of bootstrapping gains: runs the full version and one without it
in turn. With --paper: the steps of Jung et al. (ePrint 2021/508), each with those before it.

Writes RESULTS/ablation-DATE.json or RESULTS/ladder-DATE.json and, from the newest results, the
sections "Without each optimisation" and "The steps of Jung et al." of docs/benchmarks.md. Needs cargo and Python's standard library. BENCHMARKING.md says
how the figures are measured.
"""

import argparse
import json
import subprocess
import sys

import ablation
import boot
import ladder
from boot import OURS, ROOT, compare, spread, table

PARTS = ("bootstrap", *boot.PARTS)
MEMORY = ("key_bytes", "key_bytes_at_rest", "matrix_bytes", "peak_rss_bytes", "keygen_s", "setup_s", "keys")


def turns(names):
    """The order of the runs, in which each variant is next to the full version: a, full, b, c,
    full, d, ..."""
    out = []
    for i in range(0, len(names), 2):
        out += [names[i], "full", *names[i + 1 : i + 2]]
    return out


def command(args, preset, name):
    words = [
        OURS,
        "bench",
        "bootstrap",
        "--preset",
        preset,
        "--threads",
        str(args.threads),
        "--reps",
        str(args.reps),
        "--inputs",
        "random",
        "--json",
    ]
    if args.log_n_override:
        words += ["--log-n-override", str(args.log_n_override)]
    if args.processor_time:
        words.append("--processor-time")
    return words + (ablation.ARGUMENTS[name] if name != "full" else [])


def measure(words):
    """Runs a command. Returns its records by bench, or the reason of its failure."""
    print(compare.shown(words), file=sys.stderr, flush=True)
    process = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.returncode != 0:
        reason = next(
            (line for line in process.stderr.splitlines()[::-1] if line.startswith("error")),
            f"exit status {process.returncode}",
        )
        print(reason, file=sys.stderr, flush=True)
        return reason
    return {
        r["bench"]: r for r in map(json.loads, filter(lambda line: line.startswith("{"), process.stdout.splitlines()))
    }


def collect(args, preset):
    """Returns runs[name] = (without, full) for each round, measured next to each other, and
    refused[name] = reason."""
    runs, refused = {}, {}
    for number in range(args.rounds):
        order = turns([name for name in args.without if name not in refused])
        order = order if number % 2 == 0 else order[::-1]
        found = [measure(command(args, preset, name)) for name in order]
        for i, (name, records) in enumerate(zip(order, found)):
            if isinstance(records, str):
                if name == "full":
                    sys.exit(f"{preset}: {records}")
                refused[name] = records
            elif name != "full":
                neighbour = next(found[j] for j in (i - 1, i + 1) if 0 <= j < len(order) and order[j] == "full")
                runs.setdefault(name, []).append((records, neighbour))
    return runs, refused


def figure(preset, name, pairs):
    """Times and bytes with and without an optimisation, and the ratio of times in each round."""

    def times(which):
        return {part: spread([pair[which][part]["median"] for pair in pairs]) for part in PARTS}

    def memory(which):
        info = pairs[0][which]["bootstrap_info"]
        return {field: info[field] for field in MEMORY if field in info}

    ratio = {
        part: spread([without[part]["median"] / full[part]["median"] for without, full in pairs]) for part in PARTS
    }
    bits = [
        without["bootstrap_info"]["precision"]["random"]["after"]["real"]["mean_log2_precision"] for without, _ in pairs
    ]
    return {
        "preset": preset,
        "without": name,
        "backend": pairs[0][0]["bootstrap"]["backend"],
        "times": times(0),
        "full_times": times(1),
        "ratio": ratio,
        "memory": memory(0),
        "full_memory": memory(1),
        "mean_bits": min(bits),
    }


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--reps", type=int, default=2, help="timed bootstraps in a run, after one that checks the result")
    p.add_argument("--presets", nargs="*", default=["n16-boot", "n15-boot"])
    p.add_argument(
        "--paper",
        nargs="+",
        default=[],
        choices=list(ladder.SETS),
        metavar="SET",
        help=f"the steps of Jung et al. with these parameter sets instead: {', '.join(ladder.SETS)}",
    )
    p.add_argument(
        "--paper-log-n", type=int, default=0, help="log2 of the largest ring of --paper [default: 15 and 14]"
    )
    p.add_argument(
        "--key-memory",
        default="expanded",
        choices=["expanded", "compressed"],
        help="keys of --paper [default: expanded]",
    )
    p.add_argument("--threads", type=int, default=1)
    p.add_argument(
        "--processor-time", action="store_true", help="measure the time on processors: for a machine that is not idle"
    )
    p.add_argument(
        "--without",
        nargs="*",
        default=list(ablation.ARGUMENTS),
        choices=list(ablation.ARGUMENTS),
        metavar="NAME",
        help=f"[default: all] {', '.join(ablation.ARGUMENTS)}",
    )
    compare.options(p, "rings of 2^10 and two rounds")
    args = compare.parsed_options(p, rounds=2, reps=1)
    load = compare.load_average()
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    if args.paper:
        return ladder.measure(args, load)
    figures, refused = [], []
    for preset in args.presets:
        runs, reasons = collect(args, preset)
        figures += [figure(preset, name, pairs) for name, pairs in runs.items()]
        refused += [{"preset": preset, "without": name, "reason": reason} for name, reason in reasons.items()]
    result = compare.circumstances("python3 bench/boot/ablate.py", go=False) | {
        "load_average_before": load,
        "commands": [compare.shown(command(args, args.presets[0], name)) for name in ("full", *args.without)],
        "rounds": args.rounds,
        "reps": args.reps,
        "threads": args.threads,
        "processor_time": args.processor_time,
        "insecure": bool(args.log_n_override),
        "figures": figures,
        "refused": refused,
        "papers": ablation.PAPERS,
    }
    compare.write(result, args.results, "ablation")
    if result["insecure"]:
        print(ablation.render(result))
    else:
        table.main([])


if __name__ == "__main__":
    main()
