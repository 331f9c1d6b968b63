"""Options, interleaved timing and output that the Python peer drivers share."""

import argparse
import json
import os
import statistics
import sys
import time


def options(name, **defaults):
    p = argparse.ArgumentParser(prog=name)
    p.add_argument("--log-n", type=int, default=defaults.get("log_n", 15))
    p.add_argument("--limbs", type=int, default=12, help="number of ciphertext primes")
    p.add_argument(
        "--dnum", type=int, default=4, help="number of key-switching digits, if the library lets the caller choose"
    )
    p.add_argument(
        "--prime-bits",
        type=int,
        default=50,
        help="bits of a prime and log2 of the scale, if the library lets the caller choose",
    )
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--reps", type=int, default=11)
    p.add_argument("--json", action="store_true")
    if "sizes" in defaults:
        p.add_argument("--sizes", type=int, nargs="+", default=[16, 32], help="rows of the matrices")
    p.add_argument("names", nargs="*", help="benches to run [default: all]")
    o = p.parse_args()
    # Before the library starts its thread pool.
    os.environ["OMP_NUM_THREADS"] = str(o.threads)
    return o


def vectors(slots, count=2):
    """Complex vectors with both parts uniform in [-1, 1]."""
    import numpy as np

    rng = np.random.default_rng(1)
    return [rng.uniform(-1, 1, slots) + 1j * rng.uniform(-1, 1, slots) for _ in range(count)]


def check(what, have, want):
    import numpy as np

    worst = float(np.max(np.abs(np.asarray(have)[: len(want)] - want)))
    print(f"check {what}: largest error 2^{np.log2(worst):.1f}", file=sys.stderr)
    if not worst < 2.0**-15:
        sys.exit(f"{what}: wrong result")


def run(o, backend, params, benches):
    """Times the functions of the dict `benches`, which take turns, and prints the results."""
    names = o.names or list(benches)
    for n in names:
        if n not in benches:
            sys.exit(f"no bench {n!r}; there are: {' '.join(benches)}")
    inner = {}
    for n in names:
        benches[n]()
        t = time.perf_counter()
        benches[n]()
        inner[n] = int(0.005 / max(time.perf_counter() - t, 1e-9)) + 1
    samples = {n: [] for n in names}
    for rep in range(o.reps):
        for n in names if rep % 2 == 0 else reversed(names):
            f, k = benches[n], inner[n]
            t = time.perf_counter()
            for _ in range(k):
                f()
            samples[n].append((time.perf_counter() - t) / k)
    for n in names:
        lo, mid = min(samples[n]), statistics.median(samples[n])
        if o.json:
            print(
                json.dumps(
                    {
                        "bench": n,
                        "backend": backend,
                        "params": params,
                        "threads": o.threads,
                        "unit": "s",
                        "min": lo,
                        "median": mid,
                        "n": o.reps,
                    },
                    separators=(",", ":"),
                )
            )
        else:
            print(f"{n:<20} min {lo * 1e3:10.3f} ms   median {mid * 1e3:10.3f} ms   n {o.reps}")


def check_within(what, have, want, allowed):
    """Ends the run if a result is further from the plain computation than `allowed`."""
    import numpy as np

    worst = float(np.max(np.abs(np.asarray(have)[: len(want)] - want)))
    print(f"check {what}: largest error {worst:.1e}", file=sys.stderr)
    if not worst <= allowed:
        sys.exit(f"{what}: wrong result")
