"""Compares ringjet's bootstrapping with Lattigo's. They run in turn, as each takes most of a
machine's memory.

Writes RESULTS/boot-DATE.json and, from the newest result, the section "Bootstrapping" of
docs/benchmarks.md. Needs cargo, go and Python's standard library. run.sh starts it. BENCHMARKING.md
says how the figures are measured.
"""

import argparse
import os
import sys
from pathlib import Path
from statistics import median

import section

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import compare  # noqa: E402
import table  # noqa: E402

ROOT = compare.ROOT
OURS = compare.OURS
LATTIGO = compare.LATTIGO
# The other library's parameter set that a preset is compared with, by log2 of the ring degree.
SETS = {15: "dense15", 16: "dense16"}
PARTS = ("bootstrap_s2c", "bootstrap_modraise", "bootstrap_c2s", "bootstrap_evalmod")


def build():
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    compare.run(["go", "-C", "bench/peers/lattigo", "build", "-o", str(ROOT / LATTIGO), "."])


def presets():
    """log2 of the ring degree of every preset that bootstraps."""
    return {r["name"]: r["log_n"] for r in compare.records([OURS, "params", "--explain", "--json"])}


def turns(args, known):
    """(library, parameter set, command) of each process of a round."""
    chosen = args.presets or [name for name, log_n in known.items() if log_n in SETS]
    if unknown := [name for name in chosen if name not in known]:
        sys.exit(f"no preset that bootstraps is called {unknown[0]}: there are {', '.join(known)}")
    common = ["--reps", str(args.reps), "--json"]
    if args.log_n_override:
        common += ["--log-n-override", str(args.log_n_override)]
    out = []
    for name in chosen:
        for threads in args.threads:
            real = ["--real"] if args.real else []
            out.append(
                (
                    "ringjet",
                    name,
                    [
                        OURS,
                        "bench",
                        "bootstrap",
                        "--preset",
                        name,
                        "--threads",
                        str(threads),
                        "--path",
                        args.path,
                        *common,
                        *real,
                    ],
                )
            )
    for peer in dict.fromkeys(SETS[known[name]] for name in chosen if known[name] in SETS):
        out.append(("lattigo", peer, [LATTIGO, "bootstrap", "--set", peer, "--boot-log-p", args.boot_log_p, *common]))
    return out


def collect(commands, rounds):
    """Returns runs[(library, parameter set, threads)] = a list with the records by bench for each
    round."""
    runs = {}
    for number in range(rounds):
        for library, name, command in commands if number % 2 == 0 else commands[::-1]:
            if number > 0:
                # the precision of the other inputs is known from the first round
                command = [*command, "--inputs" if library == "ringjet" else "--values", "random"]
            print(f"round {number + 1} of {rounds}: {compare.shown(command)}", file=sys.stderr, flush=True)
            by_bench = {r["bench"]: r for r in compare.records(command)}
            runs.setdefault((library, name, by_bench["bootstrap_info"]["threads"]), []).append(by_bench)
    return runs


def derived(round_):
    """The figures of one round that are compared: rates from the median times and the precision of
    a random vector."""
    info, boot, products = round_["bootstrap_info"], round_["bootstrap"], round_.get("bootstrap_products")
    slots = info.get("slots") or 1 << (info["log_n"] - 1)
    levels = info["level_after"] - info["level_before"]
    after = info["precision"]["random"]["after"]
    precision = after["real"]
    seconds = boot["median"]
    figures = {
        "seconds": seconds,
        "slots": slots,
        "levels_left": levels,
        "mean_bits": precision["mean_log2_precision"],
        "bits_of_mean": precision["log2_mean_precision"],
        "least_bits": precision["min_log2_precision"],
        "complex_mean_bits": after["complex"]["mean_log2_precision"],
        "complex_least_bits": after["complex"]["min_log2_precision"],
        # Equation 3 of de Castro et al.
        "throughput": slots * levels * precision["mean_log2_precision"] / seconds,
    }
    if products:
        figures["amortized_multiplication_s"] = (seconds + products["median"]) / (slots * levels)
        figures["products_s"] = products["median"]
    return figures


def spread(values):
    return {"median": median(values), "lowest": min(values), "highest": max(values), "rounds": values}


def figures(runs):
    """One object for each library, parameter set and number of threads, over all rounds."""
    out = []
    for (library, name, threads), rounds in runs.items():
        each = [derived(r) for r in rounds]
        info = dict(rounds[0]["bootstrap_info"])
        for field in ("keygen_s", "setup_s"):
            info[field] = median(r["bootstrap_info"][field] for r in rounds)
        times = {
            b: spread([r[b]["median"] for r in rounds])
            | {"min": min(r[b]["min"] for r in rounds), "n": sum(r[b]["n"] for r in rounds)}
            for b in ("bootstrap", *PARTS, "bootstrap_products")
        }
        out.append(
            {
                "library": library,
                "set": name,
                "threads": threads,
                "times": times,
                "derived": {k: spread([d[k] for d in each]) for k in each[0]},
                "info": info,
            }
        )
    return out


def ratios(runs, known):
    """Ratios of ringjet's figures to those of the other library's counterpart in the same round."""
    out = []
    for (library, name, threads), ours in runs.items():
        for (peer, set_, _), theirs in runs.items():
            if library != "ringjet" or peer == "ringjet" or SETS.get(known[name]) != set_:
                continue
            pairs = [(derived(o), derived(t)) for o, t in zip(ours, theirs)]
            out.append(
                {
                    "preset": name,
                    "threads": threads,
                    "peer": peer,
                    "set": set_,
                    "throughput": spread([o["throughput"] / t["throughput"] for o, t in pairs]),
                    "time": spread([t["seconds"] / o["seconds"] for o, t in pairs]),
                    "amortized_multiplication": spread(
                        [t["amortized_multiplication_s"] / o["amortized_multiplication_s"] for o, t in pairs]
                    ),
                }
            )
    return out


def memory_limit():
    """The memory limit of Go's collector: keys and matrices of the large sets fill half of a
    machine's memory."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{max(1, int(pages * 0.85 / 2**30))}GiB"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--reps", type=int, default=3, help="timed bootstraps in a round, after those that check the result")
    p.add_argument(
        "--presets",
        nargs="*",
        help="presets to run [default: all that can bootstrap and have a counterpart in Lattigo]",
    )
    p.add_argument(
        "--threads", type=int, nargs="*", default=[1, 2], help="numbers of threads of ringjet; Lattigo runs on one"
    )
    p.add_argument("--path", default="auto", help="ringjet's kernels, such as fma or scalar")
    p.add_argument(
        "--boot-log-p", default="library", choices=["library", "set"], help="Lattigo's special primes, see bench/peers"
    )
    p.add_argument(
        "--real", action="store_true", help="ringjet bootstraps real values; Lattigo still bootstraps complex ones"
    )
    compare.options(p, "rings of 2^10 and two rounds")
    args = compare.parsed_options(p, rounds=2, reps=2)
    load = compare.load_average()
    build()
    limit = os.environ.setdefault("GOMEMLIMIT", memory_limit())
    known = presets()
    commands = turns(args, known)
    runs = collect(commands, args.rounds)
    result = {
        **compare.circumstances("bench/boot/run.sh"),
        "load_average_before": load,
        "commands": [
            (f"GOMEMLIMIT={limit} " if library == "lattigo" else "") + compare.shown(c) for library, _, c in commands
        ],
        "rounds": args.rounds,
        "insecure": bool(args.log_n_override),
        "real": args.real,
        "figures": figures(runs),
        "ratios": ratios(runs, known),
    }
    compare.write(result, args.results, "boot")
    if result["insecure"]:
        print(section.render(result))
    else:
        table.main([])


if __name__ == "__main__":
    main()
