#!/usr/bin/env python3
"""Compiles every kernel for three GPU architectures, without a GPU, and reports the result.

    python -m venv .venv && .venv/bin/pip install -r crates/ringjet-cuda/tools/requirements.txt
    .venv/bin/python crates/ringjet-cuda/tools/compile.py            # writes the page and the embedded PTX
    .venv/bin/python crates/ringjet-cuda/tools/compile.py --check    # fails if they are out of date
    .venv/bin/python crates/ringjet-cuda/tools/compile.py --check --oldest    # compiles for one architecture only
    .venv/bin/python crates/ringjet-cuda/tools/compile.py --programs bench/gpu    # compiles that folder's programs with nvcc
    python crates/ringjet-cuda/tools/compile.py --spills FOLDER    # looks for spilled registers with the compiler there

`cargo xtask check gpu-kernels` makes this environment in `target/gpu-compiler` and runs the commands
with `--oldest` and `--programs`; `cargo xtask full` runs `--check`.

The kernels are `kernels/*.cu`, and `kernels.cu` and `entries.cu`, which the build script makes from
the other files. NVRTC compiles them to PTX, as the library does at run time; ptxas compiles PTX to
machine code; nvdisasm lists its instructions. The script fails if a kernel does not compile, or if
one of the kernels of NO_SPILLS spills registers.

It writes two files: `docs/design/gpu-kernels.md`, and `kernels/compute_80.ptx.gz`, which the
library gives to the driver where NVRTC is not installed. The first line of the PTX has the hash of
its source.
"""

import argparse
import concurrent.futures
import ctypes
import gzip
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

CRATE = pathlib.Path(__file__).resolve().parent.parent
KERNELS = CRATE / "kernels"
PAGE = CRATE.parent.parent / "docs" / "design" / "gpu-kernels.md"
PTX = KERNELS / "compute_80.ptx.gz"
# The architecture and version of the embedded PTX: the oldest that it may run on. PTX_VERSION is
# that of the driver of CUDA 12.0, which src/driver.rs asks for. A driver refuses PTX of a newer
# version, even if it uses nothing new; ptxas fails if it does use something newer.
PTX_ARCHITECTURE = 80
PTX_VERSION = "8.0"
LIBRARY = "kernels.cu"
ARCHITECTURES = [80, 90, 100]
NO_SPILLS = re.compile(
    r"ntt|split_columns|digit_products|join_|base_?conv|convert_|rows_|key_product|rotate_sum|tensors|products|gemm|lincomb|finish_"
)
PROBE = re.compile(r"arith_probe_(?P<arithmetic>[A-Za-z0-9]+)_(?P<operation>[a-z_]+)_(?P<length>\d+)$")
# Resources of a multiprocessor: registers, allocation unit of registers, warps, blocks, bytes of
# shared memory (CUDA C++ Programming Guide, technical specifications for each compute capability).
MULTIPROCESSOR = {
    75: (65536, 256, 32, 16, 64 << 10),
    80: (65536, 256, 64, 32, 164 << 10),
    90: (65536, 256, 64, 32, 228 << 10),
    100: (65536, 256, 64, 32, 228 << 10),
}
# Classes of instructions; the first match counts. Instructions of class None are not counted.
CLASSES = [
    (
        None,
        r"(LD|ST|S2|R2UR|S2UR|BRA|EXIT|NOP|RET|BAR|WARPSYNC|BSSY|BSYNC|CALL|ELECT|ACQBULK|DEPBAR|ERRBAR|CCTL|MEMBAR|UMOV|USHF|U[A-Z])",
    ),
    ("IMAD.WIDE", r"IMAD\.WIDE"),
    ("IMAD.HI", r"IMAD\.HI"),
    ("IMAD as move", r"IMAD\.(MOV|IADD|SHL)"),
    ("IMAD", r"IMAD"),
    ("FP64", r"D(FMA|MUL|ADD|SETP|MNMX)"),
    ("IADD", r"V?IADD"),  # VIADDMNMX is an addition and a minimum
    ("compare, select", r"(V?IMNMX|ISETP|F?SEL|PLOP3)"),
    ("logic, shift", r"(LOP3|SHF|LEA|PRMT|BMSK|SGXT)"),
    ("move", r"(MOV|CS2R|HFMA2|P2R|R2P)"),  # the half-precision unit also makes zeros
]
COLUMNS = [name for name, _ in CLASSES if name] + ["other"]
ORDER = ["mul", "mul_const", "add", "sub", "canonical", "settle", "forward", "inverse", "mac", "fold", "reduce"]


class Failure(Exception):
    """An error to report to the user."""


def packages():
    """The folder of the compiler in NVIDIA's Python packages."""
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations if spec else []:
        for folder in sorted(pathlib.Path(place).glob("cu[0-9]*"), reverse=True):
            if (folder / "bin" / "ptxas").exists() and list((folder / "lib").glob("libnvrtc.so.*")):
                return folder
    raise Failure(f"{sys.executable} has no compiler: pip install -r {CRATE.name}/tools/requirements.txt")


class Nvrtc:
    """NVRTC, which compiles CUDA C++ to PTX."""

    def __init__(self, folder):
        # NVRTC opens its library of built-in functions by name.
        for builtins in (folder / "lib").glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.lib = ctypes.CDLL(str(next((folder / "lib").glob("libnvrtc.so.*"))))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def call(self, name, *arguments):
        code = getattr(self.lib, name)(*arguments)
        if code:
            raise Failure(f"{name}: error {code}")

    def text(self, program, what):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, buffer)
        return buffer.value.decode()

    def ptx(self, name, text, architecture):
        program = ctypes.c_void_p()
        self.call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
        options = [f"--gpu-architecture=compute_{architecture}", "--std=c++17", f"--include-path={KERNELS}"]
        array = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        if self.lib.nvrtcCompileProgram(program, len(options), array):
            raise Failure(f"{name}, sm_{architecture}:\n{self.text(program, 'ProgramLog')}")
        ptx = self.text(program, "PTX")
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        return ptx


def sources(built):
    """Names and texts of the sources to compile. `built`: the build script's folder; if None, cargo
    is asked for it."""
    found = {path.name: path.read_text() for path in sorted(KERNELS.glob("*.cu"))}
    if built is None:
        build = ["cargo", "build", "--quiet", "--message-format=json", "--manifest-path", CRATE / "Cargo.toml"]
        for line in run(*build, errors=False).splitlines():
            message = json.loads(line) if line.startswith("{") else {}
            if message.get("reason") == "build-script-executed" and CRATE.name in message["package_id"]:
                built = message["out_dir"]
    texts = [pathlib.Path(built or "", name) for name in (LIBRARY, "entries.cu")]
    if not built or not all(text.exists() for text in texts):
        raise Failure(
            f"{CRATE.name} was not built: no {LIBRARY} and entries.cu in {built or 'any folder that cargo names'}"
        )
    found[LIBRARY] = "".join(text.read_text() for text in texts)
    return found


def embedded(text, ptx):
    """The PTX to embed: for the oldest driver, after a line with the hash of its source."""
    ptx, versions = re.subn(r"(?m)^\.version .*$", f".version {PTX_VERSION}", ptx)
    if versions != 1:
        raise Failure(f"PTX with {versions} versions")
    return f"// ringjet kernels {hashed(text)}\n{ptx}"


def hashed(text):
    """The hash of a source (FNV-1a, as in src/compile.rs)."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"


def run(*command, errors=True):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{command[0]}: {done.stderr or done.stdout}")
    return done.stdout + (done.stderr if errors else "")


def resources(log):
    """Registers, spilled bytes and bytes of shared memory of each kernel, from the output of `ptxas
    -v`."""
    found = {}
    for part in re.split(r"Compiling entry function ", log)[1:]:
        name = re.match(r"'(\w+)'", part).group(1)
        number = lambda pattern: int((re.search(pattern, part) or [0, 0])[1])
        spills = number(r"(\d+) bytes spill stores") + number(r"(\d+) bytes spill loads")
        found[name] = number(r"Used (\d+) registers"), spills, number(r"(\d+) bytes smem")
    return found


def block_sizes(ptx):
    """Largest number of threads of a block for each kernel, by __launch_bounds__."""
    pattern = r"\.entry (\w+)\((?:(?!\.entry).)*?\.maxntid (\d+)"
    return {name: int(n) for name, n in re.findall(pattern, ptx, re.S)}


def occupancy(architecture, threads, registers, shared):
    """Share of a multiprocessor's warps that can be resident at a time."""
    file, unit, most_warps, most_blocks, memory = MULTIPROCESSOR[architecture]
    warps = -(-threads // 32)
    a_warp = -(-max(registers, 1) * 32 // unit) * unit
    # A multiprocessor has four parts with a quarter of the registers and of the warps each. The
    # system takes 1 KiB of shared memory of each block.
    by_registers = file // 4 // a_warp * 4 // warps
    blocks = min(by_registers, most_warps // warps, most_blocks, memory // (shared + 1024))
    return blocks * warps / most_warps


def instructions(listing):
    """Number of instructions of each class, for each kernel."""
    counts, kernel = {}, None
    for line in listing.splitlines():
        if start := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
            kernel = counts.setdefault(start.group(1), dict.fromkeys(COLUMNS, 0))
        elif kernel is not None and (code := re.match(r"\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][\w.]*)", line)):
            name = next((n for n, pattern in CLASSES if re.match(pattern, code.group(1))), "other")
            if name:
                kernel[name] += 1
    return counts


def per_operation(counts):
    """Instructions of one operation: the difference of two chains' counts, divided by that of their
    lengths."""
    chains = {}
    for kernel, count in counts.items():
        if m := PROBE.match(kernel):
            chains.setdefault((m["arithmetic"], m["operation"]), {})[int(m["length"])] = count
    found = {}
    for key, by_length in chains.items():
        (short, a), (long, b) = sorted(by_length.items())
        found[key] = {c: (b[c] - a[c]) / (long - short) for c in COLUMNS}
    for (arithmetic, operation), count in found.items():
        if operation in ("fold", "reduce"):  # each step of the chain also has a product
            for c in COLUMNS:
                count[c] -= found[arithmetic, "mac"][c]
    return found


def number(x):
    return "" if abs(x) < 0.005 else f"{x:.4g}" if x == int(x) else f"{x:.1f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def origin(version, text):
    """The line of the page that says what it was made of."""
    return f"Generated by `crates/ringjet-cuda/tools/compile.py` with the compiler of CUDA {version} of the kernels with the hash `{hashed(text)}`; nothing here was measured."


def page(of, kernels, operations):
    """The text of docs/design/gpu-kernels.md."""
    generations = ", ".join(f"sm_{architecture}" for architecture in ARCHITECTURES)
    out = [
        "# The kernels as the compiler made them",
        "",
        of,
        "",
        "## Kernels",
        "",
        "Threads of a block by `__launch_bounds__`; occupancy: the part of a multiprocessor's 64 warps that registers and static",
        f"shared memory leave room for. Kernels of `arith_probe.cu` are left out. Several figures are those of {generations}.",
        "",
    ]
    columns = {}
    for (file, name, architecture), (threads, r, spills, shared) in sorted(kernels.items()):
        if not PROBE.match(name):
            part = f"{100 * occupancy(architecture, threads, r, shared):.0f} %" if threads else "?"
            cells = str(threads or "?"), str(r), str(spills), str(shared), part
            columns.setdefault((file, name), []).append(cells)
    rows = [
        [f"`{file}`", f"`{name}`", *(a[0] if len(set(a)) == 1 else ", ".join(a) for a in zip(*found))]
        for (file, name), found in columns.items()
    ]
    head = ["file", "kernel", "threads", "registers", "bytes spilled", "bytes shared", "occupancy"]
    out += table(head, rows) if rows else ["None yet."]
    out += [
        "",
        "## Arithmetic",
        "",
        "Instructions of one operation: chains of 8 and of 16 of them, the difference divided by 8. Loads, stores, jumps and what",
        "runs once for a warp are not counted. `IMAD as move` are moves, additions and shifts that the compiler gives to the",
        "multiplier. `forward` and `inverse` are butterflies; how often a transform settles a word: `gpu-arithmetic.md`.",
        "`mac` is a term of a sum; `fold` is due after 2 terms in 32 bits, 8 in double precision, 4096 and 63 in 64 bits; `reduce`",
        "ends a sum.",
    ]
    for architecture in ARCHITECTURES:
        found = operations[architecture]
        keys = sorted(found, key=lambda k: (NAMES.index(k[0]), ORDER.index(k[1])))
        out += ["", f"### sm_{architecture}", ""]
        rows = [
            [f"`{a}`", f"`{o}`", number(sum(found[a, o].values())) or "0"] + [number(found[a, o][c]) for c in COLUMNS]
            for a, o in keys
        ]
        out += table(["", "", "all", *COLUMNS], rows)
    return "\n".join(out) + "\n"


NAMES = ["U32", "U32Unsigned", "F64", "U64Below50", "U64Below61"]  # the others differ in memory only


def compile_one(folder, nvrtc, file, source, architecture):
    """Compiles a source. Returns its PTX; threads, registers, spilled bytes and bytes of shared
    memory of each kernel; and the instructions of each operation."""
    ptx = nvrtc.ptx(file, source, architecture)
    log, listing = assemble(folder, ptx, architecture)
    threads = block_sizes(ptx)
    kernels = {(file, name, architecture): (threads.get(name), *found) for name, found in resources(log).items()}
    return ptx, kernels, per_operation(instructions(listing))


def assemble(folder, ptx, architecture):
    """Compiles PTX with ptxas. Returns its log and a listing of the machine code."""
    with tempfile.TemporaryDirectory() as scratch:
        text, code = pathlib.Path(scratch, "k.ptx"), pathlib.Path(scratch, "k.cubin")
        text.write_text(ptx)
        log = run(folder / "bin" / "ptxas", "-v", f"-arch=sm_{architecture}", text, "-o", code)
        return log, run(folder / "bin" / "nvdisasm", "-c", code)


def spilling(kernels, where=""):
    """The kernels that spill registers although they must not."""
    return [
        f"{name}, sm_{architecture}{where}: {spills} bytes"
        for (_, name, architecture), (_, _, spills, _) in sorted(kernels.items())
        if spills and NO_SPILLS.search(name)
    ]


def spills_of(folder, text):
    """Compiles the library's kernels for sm_90 with another compiler, and fails if one in double precision
    spills registers. Those of integers are listed."""
    nvrtc = Nvrtc(folder)
    with tempfile.TemporaryDirectory() as scratch:
        ptx, code = pathlib.Path(scratch, "k.ptx"), pathlib.Path(scratch, "k.cubin")
        ptx.write_text(nvrtc.ptx(LIBRARY, text, 90))
        log = run(folder / "bin" / "ptxas", "-v", "-arch=sm_90", ptx, "-o", code)
    found = resources(log)
    spills = spilling({(LIBRARY, name, 90): (None, *r) for name, r in found.items()})
    print(
        f"{len(found)} kernels compiled for sm_90 with CUDA {nvrtc.version}; spilled registers: {', '.join(spills) or 'none'}"
    )
    if doubles := [spill for spill in spills if re.search(r"_f64(below48)?,", spill)]:
        raise Failure("registers are spilled in double precision:\n" + "\n".join(doubles))


def compile_all(folder, texts, architectures):
    """Compiles all sources. Returns NVRTC's version, the kernels, the operations of each
    architecture, the PTX to embed, and the kernels that spill."""
    nvrtc = Nvrtc(folder)
    if not (folder / "bin" / "nvdisasm").exists():
        raise Failure("nvdisasm is missing: pip install nvidia-cuda-nvdisasm")
    kernels, operations = {}, {a: {} for a in architectures}
    # NVRTC and the programs run outside Python, so threads are enough. The longest text goes first.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(file, a) for file in sorted(texts, key=lambda f: f == LIBRARY) for a in architectures]
        started = {(file, a): pool.submit(compile_one, folder, nvrtc, file, texts[file], a) for file, a in jobs}
        for (_, architecture), job in started.items():
            _, resources_of, operations_of = job.result()
            kernels.update(resources_of)
            operations[architecture].update(operations_of)
        ptx = embedded(texts[LIBRARY], started[LIBRARY, PTX_ARCHITECTURE].result()[0])
        logs = dict(zip(architectures, pool.map(lambda a: assemble(folder, ptx, a)[0], architectures)))
    spills = spilling(kernels)
    for architecture, log in logs.items():  # machine code of the embedded PTX, as a driver makes it
        found = {(LIBRARY, name, architecture): (None, *r) for name, r in resources(log).items()}
        spills += spilling(found, " from the embedded PTX")
    return nvrtc.version, kernels, operations, ptx, spills


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a generated file is out of date")
    parser.add_argument(
        "--oldest",
        action="store_true",
        help="with --check: compile for the oldest architecture, and of the page look at its hash",
    )
    parser.add_argument(
        "--built", metavar="FOLDER", help="the build script's output folder; by default cargo is asked for it"
    )
    parser.add_argument("--programs", metavar="FOLDER", help="only compile the .cu files of this folder, with nvcc")
    parser.add_argument(
        "--spills", metavar="FOLDER", help="only look for spilled registers, with the compiler of this folder"
    )
    arguments = parser.parse_args()
    if arguments.oldest and not arguments.check:
        parser.error("--oldest only checks")
    if arguments.spills:
        return spills_of(pathlib.Path(arguments.spills), sources(arguments.built)[LIBRARY])
    if arguments.programs:
        return programs(packages(), pathlib.Path(arguments.programs))
    texts = sources(arguments.built)
    architectures = [PTX_ARCHITECTURE] if arguments.oldest else ARCHITECTURES
    version, kernels, operations, ptx, spills = compile_all(packages(), texts, architectures)
    of, old_page = origin(version, texts[LIBRARY]), PAGE.read_text() if PAGE.exists() else ""
    text = page(of, kernels, operations) if not arguments.oldest else old_page if of in old_page else ""
    stale = [path for path, old, new in ((PAGE, old_page, text), (PTX, unpacked(), ptx)) if old != new]
    if arguments.check and stale:
        names = " and ".join(path.name for path in stale)
        raise Failure(f"out of date: {names}; run {pathlib.Path(__file__).name} without --check")
    if PAGE in stale:
        PAGE.write_text(text)
    if PTX in stale:
        PTX.write_bytes(gzip.compress(ptx.encode(), 9, mtime=0))
    if spills:
        raise Failure("registers are spilled:\n" + "\n".join(spills))
    print(f"{len(kernels)} kernels compiled with CUDA {version}; {PTX.name}: {PTX.stat().st_size} bytes")


def programs(folder, sources_folder):
    """Compiles and links a folder's .cu programs, which use templates of this crate's kernels."""
    found = sorted(sources_folder.rglob("*.cu"))
    if not found:
        raise Failure(f"no .cu file in {sources_folder}")
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        options = ["-O3", "-std=c++17", "-arch=sm_90", "-I", KERNELS, "-Werror", "all-warnings"]
        nvcc = lambda path: run(folder / "bin" / "nvcc", *options, path, "-o", pathlib.Path(scratch, path.stem))
        list(pool.map(nvcc, found))
    print(f"{len(found)} programs of {sources_folder} compiled and linked for sm_90")


def unpacked():
    """The embedded PTX as it is now; empty if the file is missing or damaged (as after a merge
    conflict)."""
    try:
        return gzip.decompress(PTX.read_bytes()).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return ""


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"compile.py: {failure}")
