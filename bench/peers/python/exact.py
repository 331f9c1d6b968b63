"""Options, vectors and checks that the Python drivers of exact schemes (BGV, BFV) share. Needs
`common`."""

import argparse
import os
import sys


def numbers(text):
    return [int(word) for word in text.split(",")]


def options(name):
    p = argparse.ArgumentParser(prog=name)
    p.add_argument("--scheme", choices=["bgv", "bfv"], default="bgv")
    p.add_argument("--log-n", type=int, default=13)
    p.add_argument("--t", type=int, default=65537, help="plaintext modulus")
    p.add_argument("--q-bits", type=numbers, default=[41, 41, 41, 41], help="bits of the ciphertext primes")
    p.add_argument(
        "--p-bits", type=numbers, default=[45], help="bits of the special primes, if the library lets the caller choose"
    )
    p.add_argument(
        "--dnum", type=int, default=None, help="number of key-switching digits, if the library lets the caller choose"
    )
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--reps", type=int, default=11)
    p.add_argument("--json", action="store_true")
    p.add_argument("names", nargs="*", help="benches to run [default: all]")
    o = p.parse_args()
    # Before the library starts its thread pool.
    os.environ["OMP_NUM_THREADS"] = str(o.threads)
    return o


def label(o, limbs, special, dnum, log_qp):
    return f"{o.scheme} n{o.log_n} l{limbs} k{special} dnum{dnum} logQP{log_qp:.0f} t{o.t}"


def vectors(o, count=2):
    """Integers uniform modulo t, from -(t-1)/2 to (t-1)/2."""
    import numpy as np

    rng = np.random.default_rng(1)
    return [rng.integers(-(o.t // 2), o.t // 2, 1 << o.log_n, endpoint=True) for _ in range(count)]


def rotated(v):
    """Both rows of slots, rotated by one column."""
    import numpy as np

    return np.roll(v.reshape(2, -1), -1, axis=1).reshape(-1)


def check(o, what, have, want):
    import numpy as np

    have = np.asarray(have)
    wrong = np.count_nonzero((have - want) % o.t) if have.shape == want.shape else len(want)
    if wrong:
        sys.exit(f"{what}: wrong result in {wrong} slots")
    print(f"check {what}: exact", file=sys.stderr)
