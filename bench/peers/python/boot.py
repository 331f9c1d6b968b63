"""Options, checks and output that the Python drivers of bootstraps share. Needs `common`."""

import argparse
import json
import os
import statistics
import sys
import time


def options(name, **defaults):
    """The common options, and those in `defaults`: integers or texts, with their values."""
    p = argparse.ArgumentParser(prog=name)
    for option, value in defaults.items():
        p.add_argument("--" + option.replace("_", "-"), type=type(value), default=value)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--reps", type=int, default=1, help="timed bootstraps, after the one that is checked")
    p.add_argument("--json", action="store_true")
    o = p.parse_args()
    if o.reps < 1:
        sys.exit("--reps is at least 1")
    # Before the library starts its thread pool.
    os.environ["OMP_NUM_THREADS"] = str(o.threads)
    return o


def timed(f):
    """The value of `f`, and the seconds that it took."""
    start = time.perf_counter()
    value = f()
    return value, time.perf_counter() - start


def summary(errors):
    """Numbers below 2^-60 count as 2^-60."""
    import numpy as np

    e = np.maximum(errors, 2.0**-60)
    return {
        "mean_log2_precision": float(np.mean(-np.log2(e))),
        "log2_mean_precision": float(-np.log2(np.mean(e))),
        "min_log2_precision": float(-np.log2(np.max(e))),
    }


def precision(want, have):
    """One number for each slot: the real part of the error, and |e| of the complex error e."""
    import numpy as np

    error = np.asarray(have)[: len(want)] - want
    return {"real": summary(np.abs(error.real)), "complex": summary(np.abs(error))}


def peak_rss():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def run(o, backend, params, info, want, fresh, bootstrap, decrypted):
    """Checks one bootstrap of the ciphertext `fresh` against the plain vector `want`, times others,
    and prints the results. `info` describes the parameters; `levels` in it is a function of the
    result's ciphertext."""
    before = precision(want, decrypted(fresh))
    out = bootstrap()
    after = precision(want, decrypted(out))
    mean, least = after["real"]["mean_log2_precision"], after["complex"]["min_log2_precision"]
    print(f"check random: real part: mean {mean:.2f} bit, complex: least {least:.2f} bit", file=sys.stderr)
    if not least > 5:
        sys.exit("random: wrong result")
    info = {
        **info,
        "level_before": 0,
        "level_after": info["levels"](out),
        "peak_rss_bytes": None,
        "precision": {"random": {"before": before, "after": after}},
    }
    del info["levels"], out
    samples = [timed(bootstrap)[1] for _ in range(o.reps)]
    info["peak_rss_bytes"] = peak_rss()
    common = {"backend": backend, "params": params, "threads": o.threads}
    lo, mid = min(samples), statistics.median(samples)
    if not o.json:
        print(f"bootstrap min {lo:.3f} s   median {mid:.3f} s   n {o.reps}   levels left {info['level_after']}")
        return
    print(json.dumps({"bench": "bootstrap", **common, "unit": "s", "min": lo, "median": mid, "n": o.reps}))
    print(json.dumps({"kind": "info", "bench": "bootstrap_info", **common, **info}))
