"""Compares ringjet with other libraries. They take turns in each round, so that other load on the
machine affects all of them.

Writes RESULTS/cpu-DATE-PROCESSOR.json and, from the newest results, docs/benchmarks.md. Needs
cargo, go and Python's standard library. run.sh starts it. BENCHMARKING.md says how the figures are
measured.
"""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import result_files
import table

ROOT = Path(__file__).resolve().parents[2]
OURS = os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release/ringjet")
LATTIGO = "target/peers/lattigo"
NTT = "bench/ntt/target/release/bench-ntt"
TRANSFORMS = ("ntt", "intt", "ntt_many", "intt_many")

SCHEME = [
    "encode",
    "decode",
    "decode_2limbs",
    "encrypt",
    "encrypt_sk",
    "decrypt",
    "add",
    "mul_plain",
    "mul_relin",
    "rescale",
    "mul_relin_rescale",
    "rotate",
    "rotate_hoisted8",
]
# The project's targets: (bench, peer) -> how many times faster ringjet is to be on one thread. The
# targets of the transforms depend on log2 of the ring degree.
TARGETS = {"mul_relin_rescale": 8, "rotate": 8, "rotate_hoisted8": 8, "encode": 5, "decode": 5, "encrypt": 5}
NTT_TARGETS = {13: 1.5, 14: 1.5, 16: 1.6}


def run(command, **options):
    """Runs a command, which must succeed, and returns its standard output."""
    print("$", " ".join(map(str, command)), file=sys.stderr, flush=True)
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def records(command):
    """The JSON objects that a bench prints. Its other output is shown only if it fails."""
    process = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{process.stderr}")
    return parsed(process.stdout)


def parsed(output):
    """The JSON objects in the output of a bench, one a line."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def shown(command):
    """A command with the usual path of the program, whatever this machine's build directory is."""
    return " ".join("target/release/ringjet" if word == OURS else word for word in command)


def build():
    run(["cargo", "build", "--release", "--quiet", "-p", "ringjet-cli"])
    run(["cargo", "build", "--release", "--quiet", "--manifest-path", "bench/ntt/Cargo.toml"])
    run(["go", "-C", "bench/peers/lattigo", "build", "-o", str(ROOT / LATTIGO), "."])


def machine(go=True):
    """The properties of this machine that the figures depend on, without its name."""

    def first(path, key):
        try:
            lines = Path(path).read_text().splitlines()
        except OSError:
            return None
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), None)

    try:
        huge = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text().split("[")[1].split("]")[0]
    except (OSError, IndexError):
        huge = None
    memory = first("/proc/meminfo", "MemTotal")
    flags = (first("/proc/cpuinfo", "flags") or "").split()
    caches = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level = (index / "type").read_text().strip(), (index / "level").read_text().strip()
        caches[f"L{level} {kind}"] = (index / "size").read_text().strip()
    return {
        "cpu": first("/proc/cpuinfo", "model name") or platform.processor(),
        "family_model_stepping": [first("/proc/cpuinfo", k) for k in ("cpu family", "model\t", "stepping")],
        "avx512": [f for f in flags if f in ("avx512f", "avx512dq", "avx512ifma")],
        "virtual": "hypervisor" in flags,
        "caches": caches,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory.split()[0]) / 2**20, 1) if memory else None,
        "huge_pages": huge,
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "rustc": run(["rustc", "--version"]).strip(),
    } | ({"go": run(["go", "env", "GOVERSION"]).strip()} if go else {})


def load_average():
    """The load average, with a warning if the machine is not idle."""
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"warning: load average {load:.2f}: this machine is not idle, the figures will be poor", file=sys.stderr)
    return load


def options(p, small):
    """Adds the options that say where results go, and that test a script of bootstraps in `small`."""
    p.add_argument(
        "--log-n-override",
        type=int,
        default=0,
        help="log2 of a smaller ring degree, to test the script; the figures mean nothing",
    )
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument("--smoke", action="store_true", help=f"test the script: {small}, results into target/")


def parsed_options(p, **small):
    """The arguments, with those in `small` if the script is only tested."""
    args = p.parse_args()
    if args.smoke:
        vars(args).update(small, log_n_override=args.log_n_override or 10)
    if args.log_n_override:
        # test results must not be mixed with real ones
        args.results = ROOT / "target/boot-smoke"
    return args


def circumstances(script, go=True):
    """The entries of every result: date, commit, machine and command line."""
    return {
        "date": datetime.date.today().isoformat(),
        "commit": run(["git", "rev-parse", "HEAD"]).strip(),
        "changed_files": bool(run(["git", "status", "--porcelain", "--untracked-files=no"]).strip()),
        "machine": machine(go),
        "command": " ".join([script, *sys.argv[1:]]),
    }


def timed(call):
    """The seconds that a call takes, and its result."""
    start = time.perf_counter()
    found = call()
    return time.perf_counter() - start, found


def peak():
    """The largest memory of this process until now, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def write(result, folder, kind, by_processor=False):
    """Writes a result to a file named for its date, and for the processor if `by_processor`."""
    words = [result["machine"]["cpu"].lower(), *result["machine"]["family_model_stepping"][:2]] if by_processor else []
    names = [kind, result["date"], *re.findall(r"[a-z0-9]+", " ".join(word or "" for word in words))]
    path = folder / f"{'-'.join(names)}.json"
    result_files.save(path, result)
    print(f"written: {path}", file=sys.stderr)


def commands(args):
    """Name and command of each process of a round."""
    shape = ["--log-n", str(args.log_n), "--limbs", str(args.limbs), "--special", str(args.special), "--json"]
    reps = ["--reps", str(args.reps)]
    ours = [OURS, "bench", *SCHEME, *shape, "--dnum", str(-(-args.limbs // args.special)), *reps]
    if args.paths:
        ours[2:2] = ["ntt", "intt"]
        paths = [(f"ringjet, {path}", [*ours, "--threads", "1", "--path", path]) for path in args.paths]
        return [*paths, ("lattigo", [LATTIGO, *shape, *reps, *SCHEME])]
    # measurements whose ratio has a target run next to each other
    turns = [
        ("lattigo", [LATTIGO, *shape, *reps, *SCHEME]),
        ("ringjet, 1 thread", [*ours, "--threads", "1"]),
        ("ringjet, 2 threads", [*ours, "--threads", "2"]),
    ]
    # one process, in which the libraries take turns after each transform
    logs = ",".join(map(str, args.ntt))
    turns.append(("transforms", [NTT, "--json", "--log-n", logs, "--reps", "11" if args.smoke else "201"]))
    return turns


def key(record):
    """A key that is equal for records of the same measurement by different libraries."""
    shape = [p for p in record["params"].split() if p[0] in "nlkd" and not p.startswith("s")]
    if record["bench"] in TRANSFORMS:
        shape = shape[:1]
    return record["bench"], " ".join(shape)


def collect(turns, rounds):
    """Returns figures[(library, bench, shape, threads)] = the records of all rounds."""
    figures = {}
    for number in range(rounds):
        for name, command in turns if number % 2 == 0 else turns[::-1]:
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr, flush=True)
            for record in records(command):
                figures.setdefault((record["backend"], *key(record), record["threads"]), []).append(record)
    return figures


def summarise(figures):
    """One object for each measurement, over all rounds."""
    out = []
    for (backend, bench, _, threads), rs in figures.items():
        medians = [r["median"] for r in rs]
        out.append(
            {
                "bench": bench,
                "backend": backend,
                "params": rs[0]["params"],
                "threads": threads,
                "unit": rs[0]["unit"],
                "min": min(r["min"] for r in rs),
                "median": median(medians),
                "round_medians": medians,
                "n": sum(r["n"] for r in rs),
            }
        )
    return out


def ratio(kind, bench, shape, what, slow, fast, target, figure="median"):
    """How many times faster `fast` is than `slow`, in each round."""
    each = [s[figure] / f[figure] for s, f in zip(slow, fast)]
    return {
        "kind": kind,
        "bench": bench,
        "params": shape,
        "what": what,
        "median": median(each),
        "lowest": min(each),
        "highest": max(each),
        "rounds": each,
        "target": target,
    }


def compare(figures):
    ours = {k: rs for k, rs in figures.items() if k[0].startswith("ringjet")}
    out = []
    for (backend, bench, shape, threads), rs in ours.items():
        for (peer, *other), theirs in figures.items():
            if not peer.startswith("ringjet") and other == [bench, shape, 1]:
                target = TARGETS.get(bench) if threads == 1 else None
                if bench in ("ntt", "intt"):
                    target = NTT_TARGETS.get(int(shape[1:]))
                out.append(ratio("peer", bench, shape, f"{peer} / {backend}, {threads} thread(s)", theirs, rs, target))
        for (other, *same, other_threads), slow in ours.items():
            if same == [bench, shape] and other == backend and (other_threads, threads) == (1, 2):
                out.append(ratio("threads", bench, shape, f"{backend}, 1 / 2 threads", slow, rs, None))
            if same == [bench, shape] and other == "ringjet-cpu-scalar" != backend:
                out.append(ratio("paths", bench, shape, f"{other} / {backend}, 1 thread", slow, rs, None))
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--reps", type=int, default=5, help="samples of each bench in a round")
    p.add_argument("--log-n", type=int, default=16)
    p.add_argument("--limbs", type=int, default=25)
    p.add_argument("--special", type=int, default=7)
    p.add_argument(
        "--paths",
        nargs="+",
        help="compare these paths of ringjet, such as fma and scalar, on one thread; docs/benchmarks.md stays as it is",
    )
    p.add_argument("--ntt", type=int, nargs="*", default=[13, 14, 16], help="ring degrees of the transforms, as log2")
    p.add_argument("--results", type=Path, default=ROOT / "bench/results")
    p.add_argument(
        "--smoke", action="store_true", help="test the script: a small ring and two rounds, results into target/"
    )
    args = p.parse_args()
    if args.smoke:
        args.log_n, args.limbs, args.special, args.ntt, args.rounds, args.reps = 12, 4, 2, [12], 2, 2
        args.results = ROOT / "target/bench-smoke"
    build()
    load = load_average()
    turns = commands(args)
    figures = collect(turns, args.rounds)
    if args.paths:
        result = {
            **circumstances("bench/compare/run.sh"),
            "load_average_before": load,
            "rounds": args.rounds,
            "commands": [shown(c) for _, c in turns],
            "figures": summarise(figures),
            "ratios": compare(figures),
        }
        return write(result, args.results, "paths")
    shape = ["--log-n", str(args.log_n), "--limbs", str(args.limbs), "--special", str(args.special), "--json"]
    once = [
        [OURS, "bench", "sizes", *shape],
        [LATTIGO, "sizes", *shape],
        [OURS, "bench", "mul_relin_rescale", "--reps", "1", *shape],
    ]
    precision = [
        [program, *words, "precision", *shape, "--reps", "2" if args.smoke else "60"]
        for program, *words in ([OURS, "bench"], [LATTIGO])
    ]
    sizes = [r for command in once for r in records(command)]
    errors = [r for command in precision for r in records(command)]
    result = {
        **circumstances("bench/compare/run.sh"),
        "load_average_before": load,
        "commands": [shown(c) for c in [*(c for _, c in turns), *once, *precision]],
        "rounds": args.rounds,
        "figures": summarise(figures),
        "ratios": compare(figures),
        "sizes": sizes,
        "precision": errors,
    }
    write(result, args.results, "cpu", by_processor=True)
    if args.smoke:
        print(table.render(result))
    else:
        table.main([])


if __name__ == "__main__":
    main()
