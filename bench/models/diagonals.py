"""Times products with matrices of many diagonals, and measures their memory, for each way to keep diagonals.

    .venv/bin/python bench/models/diagonals.py          # measures, writes bench/results/diagonals-DATE.json
    .venv/bin/python bench/models/diagonals.py --show   # prints the newest record as a table
    .venv/bin/python bench/models/diagonals.py --small  # a small ring: products are checked, no record is written

A matrix of `n16-boot`'s ring for 16,384 slots at level 4 has real diagonals as convolutions have: runs of neighbours
around multiples of the row's length. Each line is a process of its own. `first` is the time of the first product,
which encodes the diagonals, `again` the median of later ones; `memory` is what the first product added to the largest
memory of the process.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np
import ringjet as rj

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare

LEVEL = 4
COUNTS, THREADS = (400, 900), (1, 2)


def places(count, slots):
    """The first `count` diagonals of runs of the square root of `count` diagonals, at both sides of the main one."""
    run = int(count**0.5)
    step = slots // (2 * run)
    return sorted({(step * (i // run - run // 2) + i % run) % slots for i in range(count)})


def line(count, keep, threads, small, repeats):
    """Measures one way, and checks the product."""
    rj.set_threads(threads)
    params = rj.preset("n16-boot")
    if small:
        params = rj.params(11, [50] + [42] * 6, [50, 50], allow_insecure=True)
    slots = 256 if small else 16384
    rng = np.random.default_rng(count)
    diagonals = {k: rng.uniform(-1, 1, slots) / count for k in places(count, slots)}
    matrix = rj.LinearTransform.from_diagonals(slots, diagonals, keep=keep)
    client = rj.Client(params, slots=slots)
    levels = None if small else {r: LEVEL for r in matrix.rotations}
    keys = client.evaluation_keys(rotations=matrix.rotations, relinearization=False, levels=levels)
    server = rj.Server(keys)
    values = rng.uniform(-1, 1, slots)
    x = server.load(client.encrypt(values, level=LEVEL))
    before = compare.peak()
    first, y = compare.timed(lambda: x.matmul(matrix))
    memory = compare.peak() - before
    again = median(compare.timed(lambda: x.matmul(matrix))[0] for _ in range(repeats))
    wanted = sum(d * np.roll(values, -k) for k, d in diagonals.items())
    error = float(np.max(np.abs(client.decrypt(y).real - wanted)))
    if error > 1e-5:
        raise SystemExit(f"{count} diagonals, {keep}: an error of {error}")
    return {
        "diagonals": count,
        "keep": keep,
        "threads": threads,
        "rotations": len(matrix.rotations),
        "first_seconds": first,
        "seconds": again,
        "memory_bytes": memory,
        "error": error,
    }


def measured(count, keep, threads, options):
    """`line` in a process of its own, with the same module."""
    shape = json.dumps([count, keep, threads, options.small, options.repeats])
    made = subprocess.run([sys.executable, __file__, "--line", shape], capture_output=True, text=True, env=os.environ)
    if made.returncode:
        raise SystemExit(made.stdout + made.stderr)
    return json.loads(made.stdout)


def show(rows):
    """A table of rows."""
    print(f"{'diagonals':>9} {'kept':<12} {'threads':>7} {'rotations':>9} {'first':>8} {'again':>8} {'memory':>9}")
    for row in rows:
        print(
            f"{row['diagonals']:>9} {row['keep']:<12} {row['threads']:>7} {row['rotations']:>9} "
            f"{row['first_seconds']:>8.2f} {row['seconds']:>8.2f} {row['memory_bytes'] / 1e6:>6.0f} MB"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the newest record")
    parser.add_argument("--small", action="store_true", help="a small ring, without a record")
    parser.add_argument("--repeats", type=int, default=3, help="products after the first one")
    parser.add_argument("--note", help="what to know of the machine, for the record")
    parser.add_argument("--line", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.line:
        return print(json.dumps(line(*json.loads(options.line))))
    if options.show:
        newest = max((ROOT / "bench/results").glob("diagonals-*.json"))
        return show(json.loads(newest.read_text())["rows"])
    counts = (40, 200) if options.small else COUNTS
    keeps = ("encoded", "coefficients")
    rows = [measured(n, keep, threads, options) for n in counts for keep in keeps for threads in THREADS]
    show(rows)
    if not options.small:
        result = compare.circumstances(".venv/bin/python bench/models/diagonals.py", go=False)
        compare.write(result | {"note": options.note, "rows": rows}, ROOT / "bench/results", "diagonals")


if __name__ == "__main__":
    main()
