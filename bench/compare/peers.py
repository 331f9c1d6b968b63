"""Compares ringjet with every library that has a driver in bench/peers: operations on ciphertexts at
one shape, and bootstraps. The libraries take turns, one process at a time. A library that fails or
does not fit in memory is a row with the reason.

Writes RESULTS/peers-DATE-PROCESSOR.json and, from the newest result, the section "All libraries" of
docs/benchmarks.md. `run.sh --all` starts it. BENCHMARKING.md says how the figures are measured.
"""

import argparse
import functools
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

import compare
import libraries
import table

ROOT = compare.ROOT
sys.path.insert(0, str(ROOT / "bench/boot"))
import boot  # noqa: E402

LIBRARIES = ("ringjet", "lattigo", "openfhe", "tenseal", "desilofhe", "poulpy")
PYTHON = "bench/peers/python/run.sh"
POULPY_TARGET = "target/peers/poulpy"
POULPY = f"{POULPY_TARGET}/release/peer-poulpy"
# Parameter sets of bootstraps that are compared, by library.
PRESETS = ("n16-boot", "n15-boot")
LATTIGO_SETS = ("dense16", "dense15")
# The second has fewer keys, so that they fit in 24 GiB.
POULPY_SETS = {"n16_d35_k685_p19_s2c_ffr_ci": [], "n16_d35_k733_p20_s2c": ["--few-keys"], "n15_d35_k180_p18_c2s": []}
OPERATIONS = [bench for bench in compare.SCHEME if bench != "decode_2limbs"]
LIMIT_S = 900
# Bytes of memory that are left to the system and other programs.
SPARE = 1 << 30


class Failed(Exception):
    """Why a library gave no figures."""


def available():
    """Bytes that a new process can use without swapping."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def attempt(command, environment=None):
    """The JSON objects that a driver prints. Its process gets no more memory than the machine has."""
    limit = max(available() - SPARE, SPARE)
    restrict = functools.partial(resource.setrlimit, resource.RLIMIT_DATA, (limit, limit))
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            preexec_fn=restrict,
            env={**os.environ, **(environment or {})},
        )
    except FileNotFoundError as error:
        raise Failed(f"{error.filename} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Failed(f"no result within {LIMIT_S} s") from error
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        memory = any(
            sign in done.stderr
            for sign in ("memory allocation", "bad_alloc", "MemoryError", "out of memory", "allocate memory")
        )
        if memory or done.returncode == -9:
            raise Failed(f"needs more than the {limit / 2**30:.1f} GiB of memory that were free")
        raise Failed(words[-1][:160] if words else f"ended with status {done.returncode}")
    return compare.parsed(done.stdout)


def build(chosen):
    """Builds ringjet and the drivers. Returns the reasons why libraries cannot run."""
    compare.run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    trial = ["--log-n", "12", "--limbs", "4", "--dnum", "2", "--reps", "1", "add"]
    steps = {
        "lattigo": (["go", "-C", "bench/peers/lattigo", "build", "-o", str(ROOT / compare.LATTIGO), "."], {}),
        "poulpy": (
            [
                "cargo",
                "+nightly",
                "build",
                "--release",
                "--quiet",
                "--manifest-path",
                "bench/peers/poulpy/Cargo.toml",
                "--target-dir",
                POULPY_TARGET,
            ],
            {"RUSTFLAGS": "-C target-cpu=native"},
        ),
        **{name: ([PYTHON, name, *trial], {}) for name in ("openfhe", "tenseal", "desilofhe")},
    }
    missing = {}
    for name in chosen:
        if name not in steps:
            continue
        command, environment = steps[name]
        print("$", *command, file=sys.stderr, flush=True)
        try:
            attempt(command, environment)
        except Failed as why:
            print(f"{name}: {why}", file=sys.stderr)
            missing[name] = str(why)
    return missing


def operations(args):
    """(library, label, command) of each process of the operations."""
    shape = ["--log-n", str(args.log_n), "--limbs", str(args.limbs), "--json"]
    special, dnum = ["--special", str(args.special)], ["--dnum", str(-(-args.limbs // args.special))]
    reps = ["--reps", str(args.reps)]
    return [
        ("ringjet", "", [boot.OURS, "bench", *OPERATIONS, *shape, *special, *dnum, *reps, "--threads", "1"]),
        ("lattigo", "", [compare.LATTIGO, *shape, *special, *reps, *OPERATIONS]),
        ("openfhe", "", [PYTHON, "openfhe", *shape, *dnum, *reps]),
        ("tenseal", "", [PYTHON, "tenseal", *shape, *reps]),
        ("desilofhe", "", [PYTHON, "desilofhe", *shape, *reps]),
    ]


def bootstraps(args):
    """(library, parameter set, command) of each process of the bootstraps. Where a bootstrap takes
    tens of seconds, one is timed in each round, after the one that is checked."""
    small = ["--log-n-override", "10"] if args.smoke else []
    ours = [boot.OURS, "bench", "bootstrap", "--threads", "1", "--inputs", "random", "--reps", "3", "--json", *small]
    lattigo = [compare.LATTIGO, "bootstrap", "--values", "random", "--reps", "1", "--json", *small]
    turns = [("ringjet", name, [*ours, "--preset", name]) for name in PRESETS]
    turns += [("lattigo", name, [*lattigo, "--set", name]) for name in LATTIGO_SETS]
    if args.smoke:
        return turns
    turns += [
        ("poulpy", name, [POULPY, "--set", name, *keys, "--reps", "1", "--json"]) for name, keys in POULPY_SETS.items()
    ]
    turns += [
        ("openfhe", "", [PYTHON, "openfhe_boot", "--reps", "1", "--json"]),
        ("desilofhe", "", [PYTHON, "desilofhe_boot", "--reps", "1", "--json"]),
    ]
    return turns


def collect(turns, rounds, missing):
    """Returns runs[(library, set)] = {round: records by bench}, and why others have none."""
    runs, failures = {}, {}
    for number in range(rounds):
        for library, name, command in turns if number % 2 == 0 else turns[::-1]:
            if library in missing:
                failures[library, name] = missing[library]
            if (library, name) in failures:
                continue
            print(f"round {number + 1} of {rounds}: {compare.shown(command)}", file=sys.stderr, flush=True)
            try:
                records = attempt(command)
            except Failed as why:
                print(f"{library} {name}: {why}", file=sys.stderr)
                failures[library, name] = str(why)
            else:
                runs.setdefault((library, name), {})[number] = {r["bench"]: r for r in records}
    return runs, [{"library": library, "set": name, "reason": reason} for (library, name), reason in failures.items()]


def times(runs):
    """One object for each operation and library: its time, and its ratio to ringjet's in the same
    rounds."""
    ours = runs.get(("ringjet", ""), {})
    out = []
    for (library, _), rounds in runs.items():
        for bench in dict.fromkeys(b for by_bench in rounds.values() for b in by_bench):
            records = {n: by_bench[bench] for n, by_bench in rounds.items()}
            (summary,) = compare.summarise({(library, bench, "", 1): list(records.values())})
            both = [n for n in records if bench in ours.get(n, {})]
            if library != "ringjet" and both:
                slow, fast = [records[n] for n in both], [ours[n][bench] for n in both]
                summary["ratio"] = compare.ratio("peer", bench, "", f"{library} / ringjet", slow, fast, None)
            out.append({"library": library, **summary, "backend": next(iter(records.values()))["backend"]})
    return out


def bootstrapped(runs):
    """One object for each library and parameter set."""
    out = []
    for (library, name), rounds in runs.items():
        rounds = list(rounds.values())
        info = rounds[0]["bootstrap_info"]
        each = [boot.derived(r) for r in rounds]
        peaks = [r["bootstrap_info"].get("peak_rss_bytes") or 0 for r in rounds]
        out.append(
            {
                "library": library,
                "set": name or info["set"],
                "backend": info["backend"],
                "info": info,
                "n": sum(r["bootstrap"]["n"] for r in rounds),
                "peak_rss_bytes": median(peaks),
                "derived": {k: boot.spread([d[k] for d in each]) for k in each[0]},
            }
        )
    return out


def main():
    p = argparse.ArgumentParser(
        prog="run.sh --all", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--reps", type=int, default=3, help="samples of each operation in a round")
    p.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    p.add_argument("--parts", nargs="+", choices=["operations", "bootstraps"], default=["operations", "bootstraps"])
    p.add_argument(
        "--sets",
        nargs="+",
        help="parameter sets of bootstraps, by their libraries' names [default: all]; OpenFHE and DESILO FHE have one each, see --libraries",
    )
    p.add_argument("--log-n", type=int, default=15, help="shape of the operations")
    p.add_argument("--limbs", type=int, default=12)
    p.add_argument("--special", type=int, default=3)
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument(
        "--smoke",
        action="store_true",
        help="test the script: small rings and two rounds, results into target/; libraries that are not installed are left out",
    )
    args = p.parse_args()
    if args.smoke:
        args.log_n, args.limbs, args.special, args.rounds, args.reps = 12, 4, 2, 2, 1
        args.results = ROOT / "target/peers-smoke"
    load = compare.load_average()
    os.environ.setdefault("GOMEMLIMIT", boot.memory_limit())
    if args.smoke:
        installed = {
            name
            for name in ("openfhe", "tenseal", "desilofhe")
            if (ROOT / f"bench/peers/python/.venv-{name}/installed").exists()
        }
        args.libraries = [name for name in args.libraries if name in installed | {"ringjet", "lattigo"}]
    missing = build(args.libraries)
    if args.smoke:
        args.libraries = [name for name in args.libraries if name not in missing]
    shown, figures, failures = [], {"operations": [], "bootstraps": []}, []
    for part, made, summed in (("operations", operations, times), ("bootstraps", bootstraps, bootstrapped)):
        if part not in args.parts:
            continue
        turns = [
            t
            for t in made(args)
            if t[0] in args.libraries and (part == "operations" or not args.sets or not t[1] or t[1] in args.sets)
        ]
        runs, failed = collect(turns, args.rounds, missing)
        shown += [compare.shown(command) for _, _, command in turns]
        figures[part] = summed(runs)
        failures += [{"part": part, **f} for f in failed]
    result = {
        **compare.circumstances(
            "bench/compare/run.sh --all", go="lattigo" in args.libraries and "lattigo" not in missing
        ),
        "load_average_before": load,
        "commands": shown,
        "rounds": args.rounds,
        "insecure": args.smoke,
        "shape": f"N = 2^{args.log_n}, {args.limbs} primes and {args.special} special ones",
        **figures,
        "failures": failures,
    }
    compare.write(result, args.results, "peers", by_processor=True)
    if args.smoke:
        print(libraries.render(result))
    else:
        table.main([])


if __name__ == "__main__":
    main()
