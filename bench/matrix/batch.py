"""Times products of encrypted square matrices in batches, beside those in blocks.

    .venv/bin/python bench/matrix/batch.py          # measures, and writes bench/results/batch-DATE.json
    .venv/bin/python bench/matrix/batch.py --show   # prints the newest record as a table
    .venv/bin/python bench/matrix/batch.py --size 1024 --rounds 1

Ring of degree 2^13, one thread, both matrices encrypted and random; the first one is sent in columns. A batch
fills all slots: 4096 / d products of d x d matrices at once. Times are processor times of
the server, divided by the number of products; `level` says how many levels a product takes. `error` is the largest one of an element.
"""

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
import ringjet as rj
from ringjet.vectors.matrices import decrypt_matrix, encrypt_matrix, load_matrix, plan_matrices

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402

SIZES = [16, 64, 128, 256]
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


def show(record):
    """A table of a record."""
    print(f"{'layout':<8} {'size':>5} {'products':>8} {'ms a product':>13} {'levels':>6} {'error':>9}")
    for row in record["rows"]:
        print(
            f"{row['layout']:<8} {row['size']:>5} {row['products']:>8} {1e3 * row['seconds_a_product']:>13.3f} "
            f"{row['levels']:>6} {row['error']:>9.1e}"
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
    rows.append(measured(("blocks", "blocks"), 1, 64, options.rounds))
    result = compare.circumstances(".venv/bin/python bench/matrix/batch.py", go=False) | {"rows": rows}
    show(result)
    compare.write(result, ROOT / "bench/results", "batch")


if __name__ == "__main__":
    main()
