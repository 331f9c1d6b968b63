#!/usr/bin/env python3
"""Makes what the library's predictor needs, and the page of its predictions.

    PYTHON=target/gpu-compiler/bin/python    # `cargo xtask check gpu-kernels` makes it
    $PYTHON crates/ringjet-cuda/tools/predict.py            # writes kernels/skeletons_90.txt.gz and gpu-prediction.md
    $PYTHON crates/ringjet-cuda/tools/predict.py --check    # fails if one of them is out of date

The kernels are compiled for sm_90 as in compile.py. machine_code.py cuts their machine code down to what decides
about branches and addresses: kernels/skeletons_90.txt.gz. The predictor in Rust (src/predict) counts with it what
each launch executes and moves, and prices that; the example `prediction` prints the launches of programs at full
size, from which prediction_page.py writes the page.
"""

import argparse
import gzip
import json
import pathlib
import subprocess
import sys

import compile as compiler
import prediction_page
import skeleton
from instructions import Unknown
from machine_code import Kernel, parse

CRATE = pathlib.Path(__file__).resolve().parent.parent
ROOT = CRATE.parent.parent
PAGE = ROOT / "docs" / "design" / "gpu-prediction.md"
RESULTS = ROOT / "bench" / "results"
SKELETONS = CRATE / "kernels" / "skeletons_90.txt.gz"
ARCHITECTURE = 90


def skeletons(text):
    """The text of SKELETONS for a source, and the compiler's version."""
    folder = compiler.packages()
    nvrtc = compiler.Nvrtc(folder)
    log, listing = compiler.assemble(folder, nvrtc.ptx(compiler.LIBRARY, text, ARCHITECTURE), ARCHITECTURE)
    resources = compiler.resources(log)
    lines = [header(text, nvrtc.version)]
    for name, items in sorted(parse(listing).items()):
        registers, _, shared = resources[name]
        lines += skeleton.listing(name, Kernel(name, items), registers, shared)
    return "\n".join(lines) + "\n"


def header(text, version=None):
    """The first line of SKELETONS: the source's hash, and the compiler's version."""
    line = compiler.embedded(text, ".version 8.0").splitlines()[0].removeprefix("// ")
    return f"{line}, sm_{ARCHITECTURE}, CUDA {version}" if version else line


def old_skeletons():
    try:
        return gzip.decompress(SKELETONS.read_bytes()).decode()
    except (OSError, EOFError, UnicodeDecodeError):
        return ""


def predictions():
    """The lines of the example: the GPUs, then the programs."""
    command = ["cargo", "run", "--quiet", "--manifest-path", str(CRATE / "Cargo.toml"), "--example", "prediction"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise compiler.Failure("the example `prediction` failed")
    gpus, *programs = map(json.loads, done.stdout.splitlines())
    return gpus, programs


def measured():
    """What was measured last on each card: the newest bench/results/gpu-<card>-<date>.json."""
    found = {}
    for path in sorted(RESULTS.glob("gpu-*.json")):
        result = json.loads(path.read_text())
        found[result["card"].upper()] = result
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    parser.add_argument(
        "--built", metavar="FOLDER", help="the build script's output folder; by default cargo is asked for it"
    )
    arguments = parser.parse_args()
    text, old = compiler.sources(arguments.built)[compiler.LIBRARY], old_skeletons()
    if not old.startswith(header(text)):
        if arguments.check:
            raise compiler.Failure(f"out of date: {SKELETONS.name}; run {pathlib.Path(__file__).name} without --check")
        old = skeletons(text)
        SKELETONS.write_bytes(gzip.compress(old.encode(), 9, mtime=0))
    version = old.splitlines()[0].rpartition(" ")[2]
    resources = {}
    for line in old.splitlines():
        if line.startswith("kernel "):
            _, name, registers, shared = line.split()
            resources[name] = int(registers), int(shared)
    gpus, programs = predictions()
    page = prediction_page.page(version, gpus, programs, resources, measured())
    if arguments.check and (not PAGE.exists() or PAGE.read_text() != page):
        raise compiler.Failure(f"out of date: {PAGE.name}; run {pathlib.Path(__file__).name} without --check")
    if not arguments.check:
        PAGE.write_text(page)
    print(f"{PAGE.name}: {sum(len(p['launches']) for p in programs)} launches of {len(programs)} programs")


if __name__ == "__main__":
    try:
        main()
    except (compiler.Failure, Unknown, ValueError) as failure:
        sys.exit(f"predict.py: {failure}")
