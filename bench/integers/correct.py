"""Computes with random encrypted integers at full size, and compares every result with Python's integers.

    .venv/bin/python bench/integers/correct.py                       # 32,768 of each operation of 64 bits, minutes
    .venv/bin/python bench/integers/correct.py --count 1000000       # as many of each, hours
    .venv/bin/python bench/integers/correct.py --operations add less --bits 64 16
    .venv/bin/python bench/integers/correct.py --operations --chains 8    # four kinds of 8-bit tables, 20 in a row

A third of the operands share their high digits, a third are chosen for long carries (sums of 2**bits - 1 and of its
neighbours, equal operands), the others are uniform. Chains start with all integers of the type. A record for each
operation is added to bench/results/integers-correct-DATE.json: how many results there were, how many of them were
wrong, the time, and the least stated precision of the results.
"""

import argparse
import datetime
import json
import math
import operator
import sys
import time
from pathlib import Path

import numpy as np
import ringjet as rj

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import result_files  # noqa: E402

OPERATIONS = {
    "add": (operator.add, operator.add),
    "subtract": (operator.sub, operator.sub),
    "multiply": (operator.mul, operator.mul),
    "divide": (operator.floordiv, lambda p, q: p // q if q else -1),
    "remainder": (operator.mod, lambda p, q: p % q if q else p),
    "less": (operator.lt, operator.lt),
    "equal": (operator.eq, operator.eq),
    "minimum": (rj.minimum, min),
}


def operands(rng, bits, count, divisors):
    """Two lists of integers: near each other, with long carries, and uniform; or of divisors of all sizes."""
    whole = 1 << bits

    def uniform():
        return [int.from_bytes(rng.bytes(8), "little") % whole for _ in range(count)]

    x, y = uniform(), uniform()
    for i in range(0, count, 3):
        y[i] = (x[i] + int(rng.integers(-2, 3))) % whole
    # divisors of all sizes, 0 included
    if divisors:
        return x, [v >> i % (bits + 1) for i, v in enumerate(y)]
    for i in range(1, count, 3):
        # all digits of the sum are 15, or it carries through all of them
        y[i] = (whole - 1 - x[i] + int(rng.integers(0, 3))) % whole
    return x, y


def chain(kind, client, server, name, rng):
    """The results and wrong results of twenty tables in a row, and the least precision on the way."""
    count = 1 << kind.bits
    numbers = np.arange(client.slots) * 7 % count
    x = kind.load(server, kind.encrypt(client, numbers))
    wrong, precision = 0, math.inf
    m = np.arange(count)
    for _ in range(20):
        table = {
            "permutation": rng.permutation(count),
            "alternating": np.where(m % 2, m, count - 1 - m),
            "step": np.where(m < count // 2, 0, count - 1),
            "constant": np.full(count, count // 2),
        }[name]
        (x,) = rj.tables(x, [table])
        numbers = table[numbers]
        wrong += int(np.sum(kind.decrypt(client, x) != numbers))
        precision = min(precision, *(ct.precision_bits for ct in x.ciphertexts))
    return 20 * client.slots, wrong, precision


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1, help="at least so many of each operation")
    parser.add_argument("--bits", type=int, nargs="+", default=[64])
    parser.add_argument("--operations", nargs="*", choices=OPERATIONS, default=["add", "less"])
    parser.add_argument("--chains", type=int, nargs="*", default=[], metavar="BITS", help="4 and 8: tables in a row")
    parser.add_argument("--preset", default="n16-int")
    parser.add_argument("--seed", type=int, default=None, help="of the operands; printed")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}, {args.preset}, {rj.threads()} thread(s), {rj.backends()[0]}", flush=True)
    rng = np.random.default_rng(seed)
    client = rj.Client(args.preset)
    server = rj.Server(client.evaluation_keys(bootstrapping=True))
    records = []
    for bits in args.bits:
        kind, whole = rj.integers(bits), 1 << bits
        for name in args.operations:
            computed, clear = OPERATIONS[name]
            wrong = done = 0
            seconds = 0.0
            while done < args.count:
                a, b = operands(rng, bits, client.slots, name in ("divide", "remainder"))
                x, y = (kind.load(server, kind.encrypt(client, v)) for v in (a, b))
                start = time.perf_counter()
                made = computed(x, y)
                seconds += time.perf_counter() - start
                if isinstance(made, rj.EncryptedIntegers):
                    found = [int(v) for v in kind.decrypt(client, made)]
                    precision = min(ct.precision_bits for ct in made.ciphertexts)
                else:
                    found, precision = [int(v) for v in np.rint(client.decrypt(made))], made.precision_bits
                wrong += sum(int(clear(p, q)) % whole != r for p, q, r in zip(a, b, found, strict=True))
                done += client.slots
                print(
                    f"{bits} bits, {name}: {done} results, {wrong} wrong, {seconds / done * 1e3:.2f} ms each",
                    flush=True,
                )
            records.append(
                {"operation": name, "bits": bits, "results": done, "wrong": wrong, "seconds": round(seconds, 2)}
                | {"precision_bits": round(precision, 2)}
            )
    for bits in args.chains:
        for name in ("permutation", "alternating", "step", "constant"):
            start = time.perf_counter()
            done, wrong, precision = chain(rj.integers(bits), client, server, name, rng)
            seconds = time.perf_counter() - start
            print(f"{bits} bits, 20 {name} tables: {done} results, {wrong} wrong, {precision:.1f} bits", flush=True)
            records.append(
                {"operation": f"20 {name} tables", "bits": bits, "results": done, "wrong": wrong}
                | {"seconds": round(seconds, 2), "precision_bits": round(precision, 2)}
            )
    date = datetime.date.today().isoformat()
    made_with = {"preset": args.preset, "threads": rj.threads(), "backend": rj.backends()[0], "seed": seed}
    path = ROOT / f"bench/results/integers-correct-{date}.json"
    earlier = json.loads(path.read_text()) if path.exists() else []
    result_files.save(path, earlier + [made_with | row for row in records])
    print(f"wrote {path.relative_to(ROOT)}")
    if any(row["wrong"] for row in records):
        raise SystemExit("some results were wrong")


if __name__ == "__main__":
    main()
