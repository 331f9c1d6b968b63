"""Checks a GPU and measures it in one run: see first.sh. runner.py runs the steps that are listed here."""

import argparse
import dataclasses
import glob
import importlib.util
import json
import math
import os
import pathlib
import platform
import shutil
import sys
import tempfile
import time

import runner
from runner import Step

HERE = pathlib.Path(__file__).resolve().parent
# Exit statuses of first.sh.
ALL_RAN, WRONG, UNOPENED, NOT_ALL = 0, 1, 2, 3
EMULATED = "cuda-emulated"
SMALL_LOG_N = 11  # the smallest ring whose transforms have columns and rows of more than one tile
# Programs of `ringjet digest`, each list a step: wrong operations are found before a bootstrap is tried.
DIGESTS = {
    "digests of operations": ["product", "rotate-sum", "hoisted", "bgv", "heaan"],
    "digest of a gradient step": ["gradient-step"],
    "digest of a bootstrap, 8-byte residues": ["bootstrap"],
    "digest of a bootstrap, 6-byte residues": ["bootstrap48"],
}
ARITHMETICS = ["f64", "u64", "u64below61", "f64below48", "u64below48", "u32", "u32unsigned"]
# What ncu profiles, 20 launches each, and what it measures: time; the share of the peak rate of instructions,
# of memory and of the second-level cache; the share of resident warps.
PROFILED = ["convert_columns", "rows_product", "rotate_sum"]
METRICS = ",".join(
    [
        "gpu__time_duration.sum",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
    ]
)


def find_tools():
    """Adds the places of NVIDIA's tools to PATH, and those of NVRTC to LD_LIBRARY_PATH."""
    programs = ["/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"]
    programs += sorted(glob.glob("/opt/nvidia/nsight-compute/*"), reverse=True)
    programs += sorted(glob.glob("/usr/local/cuda/nsight-compute*"), reverse=True)
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), *filter(os.path.isdir, programs)])
    libraries = []
    if nvcc := shutil.which("nvcc"):  # NVRTC is installed beside it
        toolkit = pathlib.Path(nvcc).resolve().parent.parent
        libraries += [toolkit / "lib64", toolkit / "lib"]
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations if spec else []:
        libraries += [*pathlib.Path(place).glob("cu[0-9]*/lib"), pathlib.Path(place, "cuda_nvrtc", "lib")]
    known = [str(folder) for folder in libraries if folder.is_dir()]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [*known, os.environ.get("LD_LIBRARY_PATH")]))


def machine():
    """What the machine is, without asking the GPU."""
    tools = {name: shutil.which(name) for name in ("nvidia-smi", "nvcc", "ncu", "compute-sanitizer")}
    places = [place for place in os.environ["LD_LIBRARY_PATH"].split(os.pathsep) if place]
    nvrtc = [file for place in places for file in sorted(glob.glob(place + "/libnvrtc.so*"))]
    return {
        "system": platform.platform(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "tools": tools,
        "nvrtc": nvrtc,
    }


class Schedule:
    """The steps, in order, for a backend and a folder of programs."""

    def __init__(self, backend, pack, expected):
        self.backend, self.pack, self.expected = backend, pack, expected
        self.emulated = backend == EMULATED

    def bench(self, *words):
        """A command of device_bench."""
        full = [] if self.emulated else ["--full"]
        return [str(self.pack / "device_bench"), *words, "--backend", self.backend, *full]

    def digest(self, backend, programs, *more):
        """A command of `ringjet digest`."""
        small = ["--log-n", str(SMALL_LOG_N)] if self.emulated else []
        return [str(self.pack / "ringjet"), "digest", *programs, "--path", backend, *small, *more]

    def checks(self):
        """The checks. One that finds a wrong word ends the run before anything is timed; one that finds no time
        does not."""
        yield Step("nvidia-smi", 10, [["nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE,ECC"]])
        yield Step("open", 100, [self.bench("open")], wrong=runner.WRONG, opens=True)
        rings = [(log_n, ARITHMETICS) for log_n in (5, 10, 13)]
        if self.emulated:
            rings = [(5, ARITHMETICS), (10, ["f64"]), (SMALL_LOG_N, ["f64below48"])]
        suites = [
            self.bench("conformance", "--log-n", str(log_n), "--arithmetic", a) for log_n, some in rings for a in some
        ]
        yield Step("every arithmetic", 70, suites, wrong=runner.WRONG)
        for name, programs in DIGESTS.items():
            command = self.digest(self.backend, programs, "--expect", str(self.expected))
            yield Step(name, 60, [command], wrong=runner.WRONG)

    def measurements(self):
        """The steps that take times, the most important of each kind first."""
        smaller = ["--log-n", "10"] if self.emulated else []
        yield Step("ceilings", 40, [[str(self.pack / "ceilings")]])
        yield Step("chains", 30, [[str(self.pack / "chains")]])
        yield Step("operations", 60, [self.bench("operations")])
        yield Step("latency", 15, [self.bench("latency")])
        yield Step("bootstrap of n16-boot", 60, [self.bench("bootstrap", "--preset", "n16-boot")])
        yield Step("bootstrap of n16-boot-48", 60, [self.bench("bootstrap", "--preset", "n16-boot-48", *smaller)])
        yield Step("two bootstraps at once", 60, [self.bench("two", "--preset", "n16-boot", *smaller)])
        yield Step("HEAAN", 30, [self.bench("heaan")])
        yield Step(
            "gradient step",
            40,
            [self.digest(self.backend, ["gradient-step"], "--repeat", "1" if self.emulated else "10")],
        )
        yield Step("bootstraps without one optimisation", 90, [self.bench("without", "--preset", "n16-boot", *smaller)])
        profile = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", METRICS]
        for kernel in PROFILED:
            some = ["--kernel-name", f"regex:{kernel}", "--launch-skip", "20", "--launch-count", "20", "--kill", "yes"]
            yield Step(f"ncu: {kernel}", 40, [[*profile, *some, *self.bench("profiled")]])
        yield Step("heaan004", 30, [[str(self.pack / "heaan004")]])
        small = [
            str(self.pack / "device_bench"),
            "conformance",
            "--log-n",
            "10",
            "--arithmetic",
            "f64",
            "--backend",
            self.backend,
        ]
        sanitizer = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9"]
        yield Step("memcheck", 40, [[*sanitizer, *small]], wrong=(9,))

    def last(self):
        words = ["nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE,PERFORMANCE"]
        yield Step("nvidia-smi after all", 5, [words], always=True)


def diagnose(run, entry, backend):
    """Runs the first failing command of a step again: with a wait after each launch, so that an error names its
    kernel, and beside the emulator, which compares every word that a launch writes."""
    command = entry["failing"][0]
    wrong = [result["program"] for result in entry["results"] if result.get("equal") is False]
    again = [("waiting after each launch", command, {"CUDA_LAUNCH_BLOCKING": "1", "RINGJET_CUDA_WAIT": "1"})]
    mirror = {"RINGJET_CUDA_MIRROR": "1"}
    if wrong:  # only the first wrong program; the emulator takes long at full size, so a small ring is first
        program = [word for word in command if word == wrong[0] or word not in sum(DIGESTS.values(), [])]
        again = [(what, program, environment) for what, _, environment in again]
        if backend != EMULATED:
            small = [*program[: program.index("--expect")], "--log-n", str(SMALL_LOG_N)]
            again.append(("beside the emulator, in a small ring", small, mirror))
        command = program
    again.append(("beside the emulator", command, mirror))
    for what, command, environment in again:
        step = Step(f"{entry['name']}, again, {what}", 150, [command], always=True, environment=environment)
        run.run(step)


def limited(step, backend):
    """The step; on the emulator, which is slow, without a time limit of its own."""
    return dataclasses.replace(step, limit=math.inf) if backend == EMULATED else step


def exit_status(steps):
    outcomes = [step["outcome"] for step in steps]
    if any(outcome.startswith("wrong") for outcome in outcomes):
        return WRONG
    if any(step["name"] == "open" and step["outcome"].startswith("failed") for step in steps):
        return UNOPENED
    return ALL_RAN if all(outcome == "ok" for outcome in outcomes) else NOT_ALL


def report(steps, path):
    """Prints every step with its outcome."""
    width = max(len(step["name"]) for step in steps)
    for step in steps:
        print(f"{step['name']:{width}}  {step['seconds']:6.1f} s  {step['outcome']}")
    ran = sum(step["outcome"] == "ok" for step in steps)
    print(f"{ran} of {len(steps)} steps ran without an error; {path}")


def main():
    parser = argparse.ArgumentParser(prog="first.sh")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT", help="folder of the results")
    parser.add_argument("backend", nargs="?", default="cuda", choices=["cuda", EMULATED], metavar="BACKEND")
    parser.add_argument("--seconds", type=float, default=540, help="time for all steps")
    parser.add_argument("--pack", type=pathlib.Path, default=HERE / "pack", help="folder that pack.sh has made")
    arguments = parser.parse_args()
    pack, out = arguments.pack.resolve(), arguments.out.resolve()
    if not (pack / "device_bench").exists():
        sys.exit(f"first.sh: {pack} has no programs: run bench/gpu/pack.sh before, and carry that folder along")
    out.mkdir(parents=True, exist_ok=True)
    find_tools()
    with tempfile.TemporaryDirectory(prefix="ringjet-first-") as scratch:
        return run_all(arguments.backend, arguments.seconds, pack, out, pathlib.Path(scratch))


def run_all(backend, seconds, pack, out, scratch):
    os.environ["RINGJET_SCRATCH"] = str(scratch)
    # The shipped machine code of the kernels, in a cache folder that can be written to. Where it is missing, the
    # first step compiles.
    cache = scratch / "cache"
    shutil.copytree(pack / "cubin", cache) if (pack / "cubin").is_dir() else cache.mkdir()
    os.environ["RINGJET_CACHE_DIR"] = str(cache)
    about = {
        "kind": "gpu",
        "backend": backend,
        "emulated": backend == EMULATED,
        "unix_time": int(time.time()),
        "pack": json.loads((pack / "pack.json").read_text()) if (pack / "pack.json").exists() else None,
        "machine": machine(),
    }
    run = runner.Run(out / "first.json", seconds, about, [(pack, "PACK"), (scratch, "SCRATCH"), (out, "OUT")])
    expected = pack / "digests.jsonl"
    if backend == EMULATED:  # small rings, whose digests the processor computes at once
        expected = out / "digests.jsonl"
        schedule = Schedule(backend, pack, expected)
        made = run.run(Step("digests by the processor", 60, [schedule.digest("auto", sum(DIGESTS.values(), []))]))
        expected.write_text("".join(json.dumps(result) + "\n" for result in made["results"]))
    schedule = Schedule(backend, pack, expected)
    for step in schedule.checks():
        entry = run.run(limited(step, backend))
        if entry["outcome"].startswith("wrong"):
            diagnose(run, entry, backend)
    for step in [*schedule.measurements(), *schedule.last()]:
        run.run(limited(step, backend))
    report(run.steps, run.path)
    return exit_status(run.steps)


if __name__ == "__main__":
    sys.exit(main())
