#!/usr/bin/env python3
"""Predicts how long operations take on an H200 and an H100, without a GPU.

    PYTHON=target/gpu-compiler/bin/python    # `cargo xtask check gpu-kernels` makes it
    $PYTHON crates/ringjet-cuda/tools/predict.py            # writes docs/design/gpu-prediction.md
    $PYTHON crates/ringjet-cuda/tools/predict.py --check    # fails if the page is out of date
    $PYTHON crates/ringjet-cuda/tools/predict.py --emulator    # compares bytes with the emulator's counters

The example `prediction` records the launches of programs at full size. The kernels are compiled for
sm_90 as in compile.py. follow.py counts what each launch executes and moves. Here that becomes
times, and the page (prediction_page.py). It takes about four minutes.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

import compile as compiler
import follow
import prediction_page
from instructions import Unknown
from machine_code import Kernel, parse

CRATE = pathlib.Path(__file__).resolve().parent.parent
PAGE = CRATE.parent.parent / "docs" / "design" / "gpu-prediction.md"
ARCHITECTURE = 90
MULTIPROCESSORS = 132
SCHEDULERS = 4  # of a multiprocessor
CLOCK = 1.98e9
# Bytes of memory a second: of the H200 as measured, of the H100 the same part of its data sheet's.
MEMORY = {"H200": 4.3e12, "H100": 3.35e12 * 4.3 / 4.8}
SECOND_LEVEL = 5.5e12  # bytes a second
CACHE = 30e6  # bytes that stay in the second-level cache between launches
START = 1e-6  # seconds between launches in a graph
# Cycles for which an instruction of a warp occupies its unit of a scheduler.
UNITS = {"FP64": {"FP64": 2}, "multiplier": {"wide": 2, "multiplier": 2}, "integer units": {"integer": 2},
         "quarter-rate units": {"quarter": 8}}
SLOW_WIDE = {**UNITS, "multiplier": {"wide": 4, "multiplier": 2}}


class Launch:
    """A launch and its times. times: seconds that each of a multiprocessor's units and the caches need;
    memory: bytes to and from memory."""

    def __init__(self, recorded, followed, memory, resources, units=UNITS):
        self.kernel, self.scopes = recorded["kernel"], recorded["scopes"]
        self.instructions = 32 * sum(followed.instructions.values())
        self.kinds = followed.instructions
        self.bytes = sum(t.bytes for t in followed.traffic)
        self.memory = memory
        bx, by, bz = recorded["blocks"]
        tx, ty = recorded["threads"]
        blocks = bx * by * bz
        # The multiprocessor with most blocks decides.
        most = -(-blocks // MULTIPROCESSORS) / blocks
        registers, static = resources[self.kernel]
        self.occupancy = compiler.occupancy(ARCHITECTURE, tx * ty, registers, static + recorded["shared"])
        cycles = {"starting": sum(followed.instructions.values()) / SCHEDULERS}
        for unit, costs in units.items():
            cycles[unit] = sum(cost * followed.instructions[kind] for kind, cost in costs.items()) / SCHEDULERS
        cycles["first-level cache"] = followed.shared + followed.global_
        self.times = {unit: c * most / CLOCK for unit, c in cycles.items()}
        self.times["second-level cache"] = followed.cached / SECOND_LEVEL

    def bound(self, card):
        """What takes longest, and how long, in seconds."""
        times = {**self.times, "memory": self.memory / MEMORY[card]}
        unit = max(times, key=times.get)
        return unit, times[unit]


class Cache:
    """Which limbs the second-level cache holds: those that were used last. A limb that is read from it is
    not read from memory. All that is written goes to memory, sooner or later."""

    def __init__(self, size):
        self.size, self.used, self.limbs = size, 0, collections.OrderedDict()

    def memory(self, followed, allocations):
        total = 0
        for t in followed.traffic:
            key = allocations[t.allocation], t.limb
            held = self.limbs.pop(key, None)
            if t.store or held is None:
                total += t.bytes
            self.limbs[key] = max(t.bytes, held or 0)
            self.used += self.limbs[key] - (held or 0)
            while self.used > self.size:
                self.used -= self.limbs.popitem(last=False)[1]
        return total


class Prediction:
    """A program's launches with their times."""

    def __init__(self, recorded, kernels, resources):
        program = follow.Program(recorded, kernels)
        self.name, self.arithmetic = recorded["name"], recorded["arithmetic"]
        self.model = recorded["model"]
        followed = [(launch, *program.follow(launch)) for launch in recorded["launches"]]
        self.memory = {size: self.through(followed, size) for size in (0, CACHE, 50e6)}
        slow = [UNITS, SLOW_WIDE]
        cached = self.memory[CACHE]
        self.launches, self.slow = (
            [Launch(launch, f, m, resources, units) for (launch, f, _), m in zip(followed, cached)] for units in slow)
        # what the program reads and never writes: keys, plaintexts, and its operands
        written, self.inputs = set(), 0
        for _, f, allocations in followed:
            written |= {allocations[t.allocation] for t in f.traffic if t.store}
        for _, f, allocations in followed:
            self.inputs += sum(t.bytes for t in f.traffic if not t.store and allocations[t.allocation] not in written)

    @staticmethod
    def through(followed, size):
        cache = Cache(size)
        return [cache.memory(f, allocations) for _, f, allocations in followed]


def seconds(launches, card):
    return sum(launch.bound(card)[1] + START for launch in launches)


def recorded(*words):
    """The recorded programs, from the example with these arguments."""
    command = ["cargo", "run", "--quiet", "--release", "--manifest-path", str(CRATE / "Cargo.toml")]
    done = subprocess.Popen([*command, "--example", "prediction", *words], stdout=subprocess.PIPE, text=True)
    for line in done.stdout:
        yield json.loads(line)
    if done.wait():
        raise compiler.Failure("the example `prediction` failed")


def compiled():
    """The compiler's version, a function that gives a kernel by name, and the registers and the static shared
    memory of each kernel."""
    folder = compiler.packages()
    nvrtc = compiler.Nvrtc(folder)
    text = compiler.sources(None)[compiler.LIBRARY]
    log, listing = compiler.assemble(folder, nvrtc.ptx(compiler.LIBRARY, text, ARCHITECTURE), ARCHITECTURE)
    items, known = parse(listing), {}

    def kernel(name):
        if name not in known:
            known[name] = Kernel(name, items[name])
        return known[name]

    return nvrtc.version, kernel, {name: (r, shared) for name, (r, _, shared) in compiler.resources(log).items()}


def compare_with_emulator(kernels):
    """Compares the bytes that were found in machine code with those that the emulator counted in the same
    launches, in small rings. Both count what a launch writes; a launch reads at least each residue once, and at
    most as often as its threads ask for it."""
    compared = 0
    for program in recorded("emulated"):
        follower = follow.Program(program, kernels)
        for launch, counted in zip(program["launches"], program["traffic"], strict=True):
            followed, _ = follower.follow(launch)
            read, written = (sum(t.bytes for t in followed.traffic if t.store == store) for store in (False, True))
            what = f"{program['name']} in {program['arithmetic']}, {launch['kernel']}"
            if launch["kernel"] != f"ringjet_{counted['kernel']}":
                raise compiler.Failure(f"{what}: the emulator ran {counted['kernel']}")
            if written != counted["written"] or not counted["read"] <= read <= counted["all_read"]:
                raise compiler.Failure(f"{what}: reads {read} and writes {written} bytes; the emulator counts {counted}")
            compared += 1
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    parser.add_argument("--emulator", action="store_true", help="only compare bytes with the emulator's counters")
    arguments = parser.parse_args()
    version, kernels, resources = compiled()
    if arguments.emulator:
        print(f"the bytes of {compare_with_emulator(kernels)} launches agree with the emulator's counters")
        return
    predictions = [Prediction(program, kernels, resources) for program in recorded()]
    text = prediction_page.page(version, predictions, sys.modules[__name__])
    if arguments.check and (not PAGE.exists() or PAGE.read_text() != text):
        raise compiler.Failure(f"out of date: {PAGE.name}; run {pathlib.Path(__file__).name} without --check")
    if not arguments.check:
        PAGE.write_text(text)
    print(f"{PAGE.name}: {sum(len(p.launches) for p in predictions)} launches of {len(predictions)} programs")


if __name__ == "__main__":
    try:
        main()
    except (compiler.Failure, Unknown) as failure:
        sys.exit(f"predict.py: {failure}")
