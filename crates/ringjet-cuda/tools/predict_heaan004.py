#!/usr/bin/env python3
"""Predicts the times of the variants in bench/gpu/heaan004.cu on the card of their paper, and writes the page.

    PYTHON=target/gpu-compiler/bin/python    # `cargo xtask check gpu-kernels` makes it
    $PYTHON crates/ringjet-cuda/tools/predict_heaan004.py            # writes docs/design/heaan004-prediction.md
    $PYTHON crates/ringjet-cuda/tools/predict_heaan004.py --check    # fails if it is out of date

nvcc compiles bench/gpu/heaan/launches.cu for sm_75. Linked with heaan/recorder.cpp in place of the CUDA runtime it lists
the launches of each variant at the paper's size. machine_code.py cuts the kernels' machine code down to what decides about
branches and addresses. The library's predictor (src/predict) counts with both what each launch executes and moves, and
prices that: the example `heaan004_prediction`.
"""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import compile as compiler
import heaan004_page
import skeleton
from instructions import Unknown
from machine_code import Kernel, parse

ROOT = compiler.CRATE.parent.parent
PROGRAM = ROOT / "bench" / "gpu" / "heaan"
PAGE = ROOT / "docs" / "design" / "heaan004-prediction.md"
ARCHITECTURE = 75
MULTIPROCESSORS = 72
# Bytes before a kernel's arguments in constant bank 0 on sm_75.
PARAMETERS = 0x160


def parameter_bytes(cubin):
    """The bytes of each kernel's arguments, from the sizes of the sections of constants."""
    data = cubin.read_bytes()
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    section = lambda i: struct.unpack_from(
        "<IIQQQQ", data, table + size * i
    )  # name, type, flags, address, offset, bytes
    found = {}
    for i in range(count):
        start = section(names)[4] + section(i)[0]
        name = data[start : data.index(b"\0", start)].decode()
        if name.startswith(".nv.constant0."):
            found[name.removeprefix(".nv.constant0.")] = section(i)[5] - PARAMETERS
    return found


def skeletons(scratch, nvcc, nvdisasm):
    """The text of the kernels' skeletons, and registers and bytes of arguments of each."""
    cubin = scratch / "launches.cubin"
    log = compiler.run(*nvcc, "-O3", "-cubin", "-Xptxas", "-v", PROGRAM / "launches.cu", "-o", cubin)
    registers = {name: found[0] for name, found in compiler.resources(log).items()}
    lines = []
    for name, items in sorted(parse(compiler.run(nvdisasm, "-c", cubin)).items()):
        lines += skeleton.listing(name, Kernel(name, items, falls_through=True), registers[name], 0)
    return "\n".join(lines) + "\n", registers, parameter_bytes(cubin)


def recorded(scratch, nvcc, registers, parameters):
    """The allocations and launches, each with the warps that a multiprocessor has at a time."""
    program = scratch / "launches"
    compiler.run(
        *nvcc,
        "-cudart",
        "none",
        f"-DMULTIPROCESSORS={MULTIPROCESSORS}",
        PROGRAM / "launches.cu",
        PROGRAM / "recorder.cpp",
        "-o",
        program,
    )
    sizes = "".join(f"{name}={size}," for name, size in parameters.items())
    done = subprocess.run([program], env={"PARAMETER_BYTES": sizes}, capture_output=True, text=True, check=True)
    lines = []
    for line in done.stdout.splitlines():
        if line.startswith("launch "):
            kind, kernel, bx, by, _, tx, _, shared, *words = line.split()
            warps = resident(int(bx) * int(by), int(tx), registers[kernel], int(shared))
            line = " ".join([kind, kernel, bx, by, tx, shared, str(warps), *words])
        lines.append(line)
    return "\n".join(lines) + "\n"


def resident(blocks, threads, registers, shared):
    """Warps that a multiprocessor has at a time."""
    most = compiler.occupancy(ARCHITECTURE, threads, registers, shared) * compiler.MULTIPROCESSOR[ARCHITECTURE][2]
    return min(round(most), -(-blocks // MULTIPROCESSORS) * -(-threads // 32))


def predictions(folder):
    """The compiler's version, and what the example printed: the GPU, then the variants."""
    nvcc = [folder / "bin" / "nvcc", "-std=c++17", f"-arch=sm_{ARCHITECTURE}", "-I", compiler.KERNELS]
    version = re.search(r"release ([\d.]+)", compiler.run(nvcc[0], "--version")).group(1)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        text, registers, parameters = skeletons(scratch, nvcc, folder / "bin" / "nvdisasm")
        (scratch / "skeletons").write_text(text)
        (scratch / "list").write_text(recorded(scratch, nvcc, registers, parameters))
        command = [
            "cargo",
            "run",
            "--quiet",
            "--manifest-path",
            compiler.CRATE / "Cargo.toml",
            "--example",
            "heaan004_prediction",
            "--",
            scratch / "skeletons",
            scratch / "list",
        ]
        gpu, *variants = [json.loads(line) for line in compiler.run(*command, errors=False).splitlines()]
        return version, gpu, variants


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    arguments = parser.parse_args()
    version, gpu, variants = predictions(compiler.packages())
    page = heaan004_page.page(version, gpu, variants)
    if arguments.check and (not PAGE.exists() or PAGE.read_text() != page):
        raise compiler.Failure(f"out of date: {PAGE.name}; run {pathlib.Path(__file__).name} without --check")
    if not arguments.check:
        PAGE.write_text(page)
    print(f"{PAGE.name}: {len(variants)} variants")


if __name__ == "__main__":
    try:
        main()
    except (compiler.Failure, Unknown, ValueError) as failure:
        sys.exit(f"predict_heaan004.py: {failure}")
