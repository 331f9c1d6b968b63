#!/usr/bin/env python3
"""Writes the scheduled assembly of transforms: passes for processors that multiply as a Zen 4 does, tiles for a Zen 5.

A pass is written once, as operations on one vector of each row. Modulo scheduling puts them into the cycles of a loop as long
as the number of multiplications. They are given registers, and written to `src/kernels/ifma/ntt/scheduled/NAME.s` with the
steps into the loop and out of it. A tile is written in parts, some of which are loops; a list scheduler orders the operations
of a part as the units of a Zen 5 can take them. No model here says which of many schedules is fastest, so `tune` measures
them. `CHOSEN` and `CHOSEN_TILES` keep what it found, and `write` makes the files of them.
The reasons and the measurements are in docs/tuning/transforms.md.

    schedule.py write          all files anew; the same files each time
    schedule.py check          that they are as they would be written
    schedule.py tune [NAME..]  measures schedules on this machine (gcc, AVX-512 IFMA) and prints lines for CHOSEN
"""

import pathlib
import random
import subprocess
import sys
import tempfile

from passes import LEAST, PASSES, Unfit, schedule, text
from tiles import TILES, part_text, tile_text

FOLDER = pathlib.Path(__file__).parents[1] / "src/kernels/ifma/ntt/scheduled"

# name: cycles, distance, seed, additions a cycle, iterations of a lap, constants held
CHOSEN = {
    "forward8_first": (38, 10, 2166, 2, 2, 2),
    "forward8": (44, 14, 6918, 2, 2, 4),
    "forward4_first": (15, 16, 1333, 2, 4, 8),
    "forward4": (14, 8, 2201, 1, 4, 8),
    "inverse4_residues": (16, 16, 3955, 1, 8, 8),
    "inverse4_fractions": (14, 14, 1392, 1, 8, 8),
    "inverse4_scaled": (18, 14, 7291, 2, 8, 8),
    "inverse8_residues": (45, 16, 3955, 1, 4, 4),
    "inverse8_fractions": (41, 16, 4292, 1, 2, 4),
    "inverse8_scaled": (49, 16, 2427, 1, 2, 4),
}

# name: of each part seed, bonus, reserve, turns, latency of multiplications and loads
CHOSEN_TILES = {
    "forward_tile": [(5291, 5, 3, 2, 2, 5), (690, 20, 2, 3, 4, 5), (1572, 5, 2, 3, 2, 7)],
    "inverse_tile": [(2682, 30, 6, 2, 3, 1), (4419, 15, 2, 3, 2, 3)],
    "inverse_tile_residues": [(4970, 5, 2, 3, 2, 3)],
    "inverse_tile_fractions": [(531, 5, 2, 1, 3, 1)],
}


def made(name, cycles, distance, seed, adds, unroll, held):
    p = PASSES[name]()
    time = schedule(p, cycles, distance, seed, adds)
    return text(p, time, cycles, unroll, held)


def packed(lines, columns=120):
    """Several instructions on each line; a label begins one."""
    out = []
    for line in lines:
        if out and not line.endswith(":") and len(out[-1]) + len(line) + 2 <= columns:
            out[-1] += ("" if out[-1].endswith(":") else ";") + " " + line
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def files():
    """The text of each file."""
    for name, choice in CHOSEN.items():
        lines, lag = made(name, *choice)
        unroll = choice[4]
        assert unroll * lag < LEAST
        # all operands have to be named, used or not
        head = "/* Made by tools/schedule.py: laps of %d vectors, more than %d of them. {low} {s5} {s7} */" % (
            unroll,
            lag,
        )
        yield FOLDER / (name + ".s"), head + "\n" + packed(lines)
    for name, choice in CHOSEN_TILES.items():
        # all operands have to be named, used or not
        head = (
            "/* Made by tools/schedule.py. {x} {src} {buffer} {k} {vectors} {top} {pair} {shared} {scale} {next} {n} */"
        )
        yield FOLDER / (name + ".s"), head + "\n" + packed(tile_text(name, choice))


def write():
    FOLDER.mkdir(exist_ok=True)
    for path, content in files():
        path.write_text(content)


def check():
    stale = [path.name for path, content in files() if not path.exists() or path.read_text() != content]
    if stale:
        sys.exit("not what schedule.py writes: %s; run it with `write`" % ", ".join(stale))


OPERANDS = {
    "p": "rdi",
    "s": "rsi",
    "n": "rdx",
    "top": "rcx",
    "low": "r8",
    "k": "r9",
    "s3": "rax",
    "s5": "r10",
    "s7": "r11",
}


TILE_OPERANDS = {
    "x": "rdi",
    "src": "rdi",
    "buffer": "rsi",
    "k": "rdx",
    "vectors": "rcx",
    "top": "r8",
    "pair": "r9",
    "shared": "rax",
    "scale": "r10",
}
TILE_OPERANDS |= {"next": "rbp", "n": "r11"}


def measure(variants, rounds=60):
    """Cycles of each variant, which are lines, for a vector of each row, where a multiplication takes one."""
    head = ["lea rax, [rsi + 2*rsi]", "lea r10, [rax + 2*rsi]", "lea r11, [rax + 4*rsi]"]
    call = "f[i](x + 4096 + 64 * (j & 1), 4096, %d, t, t, t, t)" % LEAST
    return [x / LEAST for x in timed(head, [[l.format(**OPERANDS) for l in lines] for lines in variants], call, rounds)]


def measure_tiles(variants, rounds=60):
    """Cycles of each variant for eight vectors, where a multiplication takes one."""
    head, tail = ["push rbp", "mov rax, [rsp + 16]", "mov r10, rdx", "lea rbp, [rdi + 4096]"], ["pop rbp"]
    call = "f[i](x + 4096 * (j & 3), (uint64_t)(x + (1 << 16)), (uint64_t)t, t, t + 32 * (j & 3), t + 256 + 336 * (j & 3), t)"
    return [
        x / 8
        for x in timed(head, [[l.format(**TILE_OPERANDS) for l in lines] + tail for lines in variants], call, rounds)
    ]


def timed(head, variants, call, rounds):
    """Cycles of each variant, where a multiplication takes one: the least of some rounds."""
    out = [".intel_syntax noprefix", ".text"]
    for i, lines in enumerate(variants):
        out += [".p2align 6", ".globl f%d" % i, "f%d:" % i] + head + lines + ["ret"]
    out += [".globl ref", "ref:", "1:"]
    out += ["vpmadd52luq zmm%d, zmm30, zmm31" % (i % 8) for i in range(96)] + [
        "dec rdx",
        "jnz 1b",
        "ret",
        '.section .note.GNU-stack,"",@progbits',
    ]
    count = len(variants)
    c = "#include <stdio.h>\n#include <stdint.h>\n#include <time.h>\n"
    c += "typedef void F(char*, uint64_t, uint64_t, const uint64_t*, const uint64_t*, const uint64_t*, const uint64_t*); F ref;\n"
    c += "".join("F f%d;" % i for i in range(count)) + "static F *f[] = {%s};\n" % ",".join(
        "f%d" % i for i in range(count)
    )
    c += """static char x[1 << 17] __attribute__((aligned(4096))); static uint64_t t[4096] __attribute__((aligned(64)));
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(void) {
  static double best[%d]; double b = 1e9; for (int i = 0; i < %d; i++) best[i] = 1e9;
  for (int r = 0; r < %d; r++) {
    double s = now(); ref(0, 0, 400, 0, 0, 0, 0); double e = now() - s; if (e < b) b = e;
    for (int i = 0; i < %d; i++) {
      s = now(); for (int j = 0; j < 12; j++) %s;
      e = now() - s; if (e < best[i]) best[i] = e; } }
  for (int i = 0; i < %d; i++) printf("%%f\\n", best[i] / 12 / (b / 400 / 96)); }
""" % (count, count, rounds, count, call, count)
    with tempfile.TemporaryDirectory() as d:
        d = pathlib.Path(d)
        (d / "f.s").write_text("\n".join(out) + "\n")
        (d / "m.c").write_text(c)
        subprocess.run(["gcc", "-O1", d / "m.c", d / "f.s", "-o", d / "m"], check=True)
        return [float(x) for x in subprocess.run([d / "m"], check=True, capture_output=True, text=True).stdout.split()]


def tune_tile(name, tries=160):
    rnd, chosen = random.Random(1), []
    for part in TILES[name]:
        candidates = []
        for _ in range(tries):
            pick = [(5, 10, 15, 20, 30), (2, 3, 4, 6), (1, 2, 3), (2, 3, 4), (1, 3, 5, 7)]
            choice = (rnd.randrange(10000), *map(rnd.choice, pick))
            lines = part_text(name, part, choice)
            if lines:
                candidates.append((choice, lines))
        times = measure_tiles([c[1] for c in candidates], 200)
        best = sorted(range(len(times)), key=lambda i: times[i])[:8]
        again = measure_tiles([candidates[i][1] for i in best], 1000)
        found = sorted(zip(again, [candidates[i][0] for i in best]))
        chosen.append(found[0][1])
        print("    # %s" % ["%.1f" % f[0] for f in found])
    print("    %r: %r," % (name, chosen), flush=True)


def tune(names, tries=40):
    for name in names:
        if name in TILES:
            tune_tile(name)
            continue
        p = PASSES[name]()
        units = [op[0] for op in p.ops]
        floor = max(units.count("mul"), -(-(units.count("mul") + units.count("add")) // 2))
        candidates = []
        rnd = random.Random(1)
        for cycles in range(floor, floor + 3):
            for distance in (8, 10, 12, 14, 16):
                for adds in (1, 2):
                    for unroll in (2, 4) if p.rows == 8 else (4, 8):
                        for _ in range(tries):
                            seed = rnd.randrange(10000)
                            time = schedule(p, cycles, distance, seed, adds)
                            if time is None:
                                continue
                            for held in (8, 6, 4, 2, 0):
                                try:
                                    lines, lag = text(p, time, cycles, unroll, held)
                                    if unroll * lag >= LEAST:
                                        raise Unfit
                                    candidates.append(((cycles, distance, seed, adds, unroll, held), lines))
                                    break
                                except Unfit:
                                    pass
                            else:
                                continue
                            break
        if not candidates:
            print("# %s: none fits" % name)
            continue
        times = measure([c[1] for c in candidates])
        best = sorted(zip(times, [c[0] for c in candidates]))[:8]
        again = measure([candidates[[c[0] for c in candidates].index(b[1])][1] for b in best], 200)
        found = sorted(zip(again, [b[1] for b in best]))
        print(
            "    %r: %r,  # %.1f cycles, %d multiplications; %s"
            % (name, found[0][1], found[0][0], units.count("mul"), ["%.1f" % f[0] for f in found]),
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    elif sys.argv[1:] == ["check"]:
        check()
    elif sys.argv[1:2] == ["tune"]:
        tune(sys.argv[2:] or list(PASSES) + list(TILES))
    else:
        sys.exit(__doc__)
