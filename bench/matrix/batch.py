"""Times products of encrypted square matrices in batches, beside those in blocks.

    bench/matrix/run.sh                             # both benchmarks of matrices
    .venv/bin/python bench/matrix/batch.py          # measures, and writes bench/results/batch-DATE.json
    .venv/bin/python bench/matrix/batch.py --show   # prints the newest record as a table
    .venv/bin/python bench/matrix/batch.py --size 1024 --rounds 1

Ring of degree 2^13, one thread, both matrices encrypted and random; the first one is sent in columns. A batch
fills all slots: 4096 / d products of d x d matrices at once. Times are processor times of the server, divided
by the number of products; `level` says how many levels a product takes. `error` is the largest one of an
element. Then products of desilofhe, in its batches of 256 (it returns A times the transpose of B), and of
openfhe-numpy, one at a time, in the rings that they choose: wall times of their drivers in `bench/peers`.
"""

import argparse
import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import ringjet as rj
from ringjet.vectors.matrices import decrypt_matrix, encrypt_matrix, load_matrix, plan_matrices

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare

SIZES = [16, 32, 64, 128, 256]
PARAMS = rj.params(13, [50, 40, 40], [50])


def measured(layouts, number, size, rounds):
    """A record of the products of `number` matrices."""

    def program(a, b):
        return a @ b

    shape = (number, size, size) if number > 1 or layouts[0] != "blocks" else (size, size)
    plan = plan_matrices(program, PARAMS, [shape, shape], layout=list(layouts))
    client = rj.Client(PARAMS)
    keys = client.evaluation_keys(**plan.keys).to_bytes()
    server = rj.Server(keys, threads=1)
    rng = np.random.default_rng(size)
    given = [rng.uniform(-1, 1, shape) for _ in layouts]
    a, b = (
        load_matrix(server, encrypt_matrix(client, m, layout=layout)) for m, layout in zip(given, layouts, strict=True)
    )
    times = []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        made = program(a, b)
        times.append(time.process_time() - start)
    error = np.max(np.abs(decrypt_matrix(client, made) - given[0] @ given[1]))
    return {
        "layout": layouts[1],
        "size": size,
        "products": number,
        "seconds": median(times),
        "seconds_a_product": median(times) / number,
        "levels": min(a.level, b.level) - made.level,
        "key_bytes": len(keys),
        "error": float(error),
        "n": 2 * PARAMS.slots,
        "limbs": a.level + 1,
    }


def peers():
    """Records of other libraries. One that does not run is a row with the reason."""
    rows = []
    for name, sizes, reps in [("desilofhe_matrix", ["16", "32"], "3"), ("openfhe_matrix", ["64"], "1")]:
        command = ["bench/peers/python/run.sh", name, "--json", "--reps", reps, "--sizes", *sizes]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            rows.append({"layout": name, "failed": (done.stderr.strip().splitlines() or ["?"])[-1]})
            continue
        for line in map(json.loads, done.stdout.splitlines()):
            size, number = int(line["bench"].rsplit("_", 1)[1]), int(line["params"].split()[0])
            seconds = {"seconds": line["median"], "seconds_a_product": line["median"] / number}
            rows.append(
                {"layout": line["backend"], "size": size, "products": number, "params": line["params"], **seconds}
            )
    return rows


def show(record):
    """A table of a record."""
    print(f"{'layout or library':<27} {'size':>5} {'products':>8} {'ms a product':>13} {'levels':>6} {'error':>9}")
    for row in record["rows"]:
        if "failed" in row:
            print(f"{row['layout']:<27} {row['failed']}")
            continue
        error = f"{row['error']:.1e}" if "error" in row else ""
        print(
            f"{row['layout']:<27} {row['size']:>5} {row['products']:>8} {1e3 * row['seconds_a_product']:>13.3f} "
            f"{row.get('levels', ''):>6} {error:>9}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the newest record")
    parser.add_argument("--size", type=int, help="only batches of this size, printed and not written")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.show:
        newest = max((ROOT / "bench/results").glob("batch-*.json"))
        return show(json.loads(newest.read_text()))
    if options.size is not None:
        count = PARAMS.slots // options.size
        return show({"rows": [measured(("batch_columns", "batch"), count, options.size, options.rounds)]})
    rows = [measured(("batch_columns", "batch"), PARAMS.slots // size, size, options.rounds) for size in SIZES]
    rows += [measured(("blocks", "blocks"), 1, 64, options.rounds), *peers()]
    result = compare.circumstances(".venv/bin/python bench/matrix/batch.py", go=False) | {"rows": rows}
    show(result)
    compare.write(result, ROOT / "bench/results", "batch")


if __name__ == "__main__":
    main()
