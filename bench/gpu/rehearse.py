"""Rehearses first.sh on the emulator, for the gate: `rehearse.py FOLDER`.

The folder has the programs `ringjet` and `device_bench`, built with the feature `planted-fault`: with
RINGJET_PLANT_FAULT=rows_product that kernel computes one wrong word.
"""

import contextlib
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

import record

FIRST = pathlib.Path(__file__).resolve().parent / "first.sh"
# Programs that a machine without a GPU need not have.
ELSEWHERE = ["nvidia-smi", "ceilings", "chains", "heaan004", "ncu", "compute-sanitizer"]


def first(pack, *options, backend="cuda-emulated", environment=()):
    """Runs first.sh. Returns its exit status, its steps by name and its output."""
    with tempfile.TemporaryDirectory(prefix="ringjet-rehearsal-") as out:
        command = [str(FIRST), out, backend, "--pack", str(pack), *options]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **dict(environment)})
        print(done.stdout + done.stderr, flush=True)
        file = pathlib.Path(out, "first.json")
        run = json.loads(file.read_text())
        if run["emulated"]:
            refused = subprocess.run([sys.executable, record.__file__, str(file)], capture_output=True, text=True)
            expect(refused.returncode == 1 and "from the emulator" in refused.stderr, f"record.py: {refused}")
        return done.returncode, {step["name"]: step for step in run["steps"]}, done.stdout


def expect(right, what):
    if not right:
        sys.exit(f"rehearse.py: {what}")


def is_elsewhere(outcome):
    return any(outcome == f"not run: {program} is missing" for program in ELSEWHERE)


def whole(pack):
    """Every step runs, or a program is missing that belongs to a machine with a GPU."""
    status, steps, _ = first(pack)
    for name, step in steps.items():
        expect(step["outcome"] == "ok" or is_elsewhere(step["outcome"]), f"{name}: {step['outcome']}")
        expect(step["outcome"] != "ok" or step["results"] or name.startswith("nvidia-smi"), f"{name}: no results")
    missing = [name for name, step in steps.items() if step["outcome"] != "ok"]
    expect(status == (3 if missing else 0), f"exit status {status}, but not run: {missing}")
    bootstraps = [result for step in steps.values() for result in step["results"] if "about" in result]
    expect(bootstraps, "no bootstrap")
    for result in bootstraps:
        expect({"levels_left", "bits", "secret", "ephemeral_secret_weight"} <= result["about"].keys(), f"{result}")


def planted(pack):
    """A wrong word stops the run before anything is timed, and the kernel is named."""
    status, steps, said = first(pack, environment={"RINGJET_PLANT_FAULT": "rows_product"})
    expect(status == 1, f"exit status {status} with a wrong word")
    wrong = [name for name, step in steps.items() if step["outcome"] == "wrong"]
    expect(len(wrong) == 1, f"steps with wrong words: {wrong}")
    for name in ("operations", "bootstrap of n16-boot", "HEAAN"):
        expect(steps[name]["outcome"] == f'not run: the check "{wrong[0]}" failed', f"{name}: {steps[name]['outcome']}")
    beside = steps[f"{wrong[0]}, again, beside the emulator"]["said"]
    expect("rows_product" in beside and "rows_product" in said, f"the kernel is not named: {beside}")
    return wrong[0]


def planted_in_gemm(pack):
    """The suite finds a wrong word of the kernel that no digest runs."""
    command = [str(pack / "device_bench"), "conformance", "--backend", "cuda-emulated", "--log-n", "10"]
    environment = {**os.environ, "RINGJET_PLANT_FAULT": "gemm"}
    done = subprocess.run([*command, "--arithmetic", "f64"], capture_output=True, text=True, env=environment)
    expect(done.returncode == 1 and "gemm" in done.stderr, f"conformance: {done}")


@contextlib.contextmanager
def programs(device_bench, ringjet=None):
    """A folder with shell scripts in place of the programs; ringjet: None for none."""
    with tempfile.TemporaryDirectory(prefix="ringjet-rehearsal-") as folder:
        for name, text in (("device_bench", device_bench), ("ringjet", ringjet)):
            if text is not None:
                path = pathlib.Path(folder, name)
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(path.stat().st_mode | stat.S_IXUSR)
        yield pathlib.Path(folder)


def planted_in_digests(pack):
    """A wrong word that only the digests find is found."""
    with programs("echo '{}'") as folder:
        (folder / "ringjet").symlink_to(pack.resolve() / "ringjet")
        found_by = planted(folder)
    expect(found_by == "digests of operations", f'"{found_by}" found it')


def timed_out():
    """A step that the end of the time interrupts has failed, and those after it are listed as not run."""
    with programs("echo '{}'", "sleep 600") as folder:
        status, steps, _ = first(folder, "--seconds", "12", backend="cuda")
    expect(status == 3, f"exit status {status} after the time ran out")
    interrupted = steps["digests of operations"]["outcome"]
    expect(interrupted.startswith("failed: over its limit"), f"digests of operations: {interrupted}")
    for name in ("operations", "bootstraps without one optimisation", "memcheck"):
        expect(steps[name]["outcome"] == "not run: no time left", f"{name}: {steps[name]['outcome']}")


def unopened():
    """Without NVRTC or a driver that it needs, the GPU is not opened, and nothing else runs."""
    with programs('echo "device_bench: no NVRTC" >&2; exit 2', "exit 1") as folder:
        status, steps, said = first(folder, backend="cuda")
    expect(status == 2, f"exit status {status} of a GPU that cannot be opened")
    expect("no NVRTC" in said, "the reason is not printed")
    for name in ("every arithmetic", "operations"):
        expect(steps[name]["outcome"] == 'not run: "open" failed', f"{name}: {steps[name]['outcome']}")


def crashed():
    """A check that crashes is a check that failed."""
    with programs("case $1 in open) exit 0;; *) kill -SEGV $$;; esac", "exit 0") as folder:
        status, steps, _ = first(folder, backend="cuda")
    expect(status == 1 and steps["every arithmetic"]["outcome"] == "wrong", f"exit status {status} after a crash")


def hanging():
    """A command that hangs is ended, with everything it has started, and the results before are kept."""
    with programs('echo \'{"name": "first"}\'; sleep 600 | cat', "exit 0") as folder:
        status, steps, _ = first(folder, "--seconds", "8", backend="cuda")
    expect(status == 2 and steps["open"]["outcome"].startswith("failed: over its limit"), f"{status}, {steps['open']}")
    expect(steps["open"]["results"] == [{"name": "first"}], f"{steps['open']['results']}")


def recorded():
    """record.py finds the predicted time of everything that it stores, and refuses times of the emulator."""
    shape = {"seconds": {"median": 1e-3}}
    results = [{"name": name, "shape": "log N = 16, 25 + 7 limbs", **shape} for name in record.OPERATIONS]
    results += [{"name": name, "shape": text, **shape} for name, text in record.SHAPES]
    results += [{"name": "bootstrap", "about": {"preset": preset}, **shape} for preset in record.BOOTSTRAPS]
    results += [{"name": "HEAAN multiply", "shape": "log N = 16, log q = 1200", **shape}]
    results += [{"name": "kernel in a bootstrap", "kernel": "ringjet_rotate_sum_f64", "us": 1}]
    run = {"steps": [{"name": "all", "results": results}]}
    operations, kernels = record.operations(run), record.kernels(run)
    expect(len(operations) + len(kernels) == len(results), f"{operations} and {kernels} of {results}")
    for card in record.CARDS:
        page = record.predictions(card)
        wanted = operations.keys() | (kernels.keys() if card == "H200" else set())  # the page's only table of kernels
        expect(wanted <= page.keys(), f"no prediction for {wanted - page.keys()}")
        expect(all(us > 0 for us in page.values()), f"{page}")


def main():
    recorded()
    pack = pathlib.Path(sys.argv[1])
    unopened()
    crashed()
    hanging()
    timed_out()
    expect(planted(pack) == "every arithmetic", "another step found the wrong word")
    planted_in_digests(pack)
    planted_in_gemm(pack)
    whole(pack)


if __name__ == "__main__":
    main()
