#!/usr/bin/env python3
"""Runs a suite: makes its data, runs each stage as a process of its own, verifies the result, stores a record.

    python bench/boards/run.py fetch small --runs 3
    python bench/boards/run.py fetch count_toy --no-record     # does everything run?
    python bench/boards/run.py --show                          # the newest records as a table

The record is `bench/results/board-SUITE-INSTANCE-DATE.json`. README.md says what a suite's folder contains.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

BOARDS = Path(__file__).resolve().parent
ROOT = BOARDS.parents[1]
sys.path[:0] = [str(BOARDS), str(ROOT / "bench/compare")]

import compare
from stage import size

#: The profile of the machine with 96 virtual processors on which the reference implementations were measured.
DEVICE = BOARDS / "xeon-48core.toml"


def apart(function, *arguments):
    """Calls a function in a process of its own. The peak memory of a stage can count the memory of the process that
    starts it, so the data stay out of this one."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def run_stage(stage, folder, root, run):
    """Runs a stage in the folder `root`, and returns its row of the record. Raises if the stage fails."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, folder / f"{stage.name}.py", *stage.arguments], cwd=root)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{stage.name} failed with status {process.returncode}")
    row = {"stage": stage.name, "run": run, "seconds": round(seconds, 4)}
    row |= {"cpu_seconds": round(usage.ru_utime + usage.ru_stime, 4), "peak_bytes": 1024 * usage.ru_maxrss}
    row |= {f"{label}_bytes": size(root / path) for label, path in stage.messages.items()}
    print(json.dumps(row), file=sys.stderr)
    return row


def measured(suite, folder, instance, root, runs, seed):
    """Rows of all stages, and what the verification of each run found."""
    once, each_run = suite.stages(instance)
    apart(suite.make_data, root, instance, seed)
    rows = [run_stage(stage, folder, root, None) for stage in once]
    verified = []
    for run in range(1, runs + 1):
        apart(suite.make_query, root, instance, seed + run)
        rows += [run_stage(stage, folder, root, run) for stage in each_run]
        report = root / suite.server_report(instance)
        reported = json.loads(report.read_text()) if report.exists() else {}
        verified.append({"run": run} | apart(suite.verify, root, instance) | reported)
        print(json.dumps(verified[-1]), file=sys.stderr)
    return rows, verified


def estimated(suite, instance):
    """What the cost model says of the server's stage on the machine of the reference implementations."""
    seconds = apart(suite.estimate, instance, str(DEVICE))
    return {
        "estimated_96_vcpu_seconds": float(f"{seconds:.3g}"),
        "estimate": f"the cost model counts the operations of server_encrypted_compute; {DEVICE.name} turns them into a "
        "time: the profile cpu-ifma-1core with the rates of 48 cores, which is a linear scaling, and that machine's "
        "memory. Reading of files and keys is left out",
    }


def show():
    """A table of the newest record of each instance. Messages are sums over all stages."""
    newest = {tuple(path.name.split("-")[1:3]): path for path in sorted((ROOT / "bench/results").glob("board-*.json"))}
    print(
        "| suite | instance | server, s | its processor time, s | estimate for 96 vCPU, s | server memory | messages |"
    )
    print("|---|---|---:|---:|---:|---:|---|")
    for (suite, instance), path in newest.items():
        record = json.loads(path.read_text())
        server = [row for row in record["stages"] if row["stage"] == "server_encrypted_compute"]
        first = [row for row in record["stages"] if row["run"] in (None, 1)]
        messages = {
            key[:-6]: row[key] for row in first for key in row if key.endswith("_bytes") and key != "peak_bytes"
        }
        figures = [record["server_encrypted_compute_seconds"], median(row["cpu_seconds"] for row in server)]
        cells = [suite, instance, *(f"{each:.1f}" for each in figures), f"{record['estimated_96_vcpu_seconds']:.2g}"]
        cells.append(f"{max(row['peak_bytes'] for row in server) / 1e6:.0f} MB")
        cells.append(", ".join(f"{name} {value / 1e6:.3g} MB" for name, value in messages.items()))
        print(f"| {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the newest records as a table, and run nothing")
    parser.add_argument("suite", nargs="?", choices=sorted(path.parent.name for path in BOARDS.glob("*/suite.py")))
    parser.add_argument("instance", nargs="?")
    parser.add_argument("--runs", type=int, default=3, help="how often the stages of a query run (3)")
    parser.add_argument("--seed", type=int, default=1, help="of the data and the queries; keys are random (1)")
    parser.add_argument("--folder", type=Path, help="where files lie; by default a temporary folder")
    parser.add_argument("--note", help="stored with the record, for example that the machine was shared")
    parser.add_argument("--no-record", action="store_true", help="store nothing")
    args = parser.parse_args()
    if args.show:
        return show()
    if not args.suite:
        parser.error("which suite, and which of its instances?")
    folder = BOARDS / args.suite
    sys.path.insert(0, str(folder))
    suite = importlib.import_module("suite")
    if args.instance not in suite.INSTANCES:
        parser.error(f"{args.suite} has the instances {', '.join(suite.INSTANCES)}")
    record = compare.circumstances("bench/boards/run.py", go=False)
    with tempfile.TemporaryDirectory(prefix="board-") as temporary:
        root = (args.folder or Path(temporary)).resolve()
        root.mkdir(parents=True, exist_ok=True)
        load = os.getloadavg()[0]
        rows, verified = measured(suite, folder, args.instance, root, args.runs, args.seed)
    compute = [row["seconds"] for row in rows if row["stage"] == "server_encrypted_compute"]
    record |= {"suite": suite.SOURCE, "instance": args.instance, "parameters": suite.parameters(args.instance)}
    record |= {"note": args.note} if args.note else {}
    record |= {"load_average": [load, os.getloadavg()[0]], "server_encrypted_compute_seconds": median(compute)}
    record |= estimated(suite, args.instance)
    record |= {"stages": rows, "verified": verified}
    if args.no_record:
        print(json.dumps({key: record[key] for key in record if key != "stages"}, indent=1))
    else:
        compare.write(record, ROOT / "bench/results", f"board-{args.suite}-{args.instance}")


if __name__ == "__main__":
    main()
