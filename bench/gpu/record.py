"""Stores the output of bench/gpu/device.sh as a file of bench/results: `record.py kernels.json`.
Prints the steps, the medians, and the bootstraps by phase. Refuses output of the emulator."""

import datetime
import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"


def device(steps):
    """The GPU's name, from the first step that states it."""
    for step in steps:
        found = step["results"] or []
        for result in found if isinstance(found, list) else [found]:
            if isinstance(result.get("device"), dict):
                return result["device"]["name"]
            if "device" in result:
                return result["device"]
    return None


def medians(value, path=()):
    """All results of a step that have a median, with their names."""
    if isinstance(value, list):
        for item in value:
            yield from medians(item, path)
    elif isinstance(value, dict) and "median" in value:
        yield " ".join(path), value
    elif isinstance(value, dict):
        own = [str(value[key]) for key in ("name", "shape", "bytes") if key in value]
        for key, item in value.items():
            yield from medians(item, (*path, *own, key))


PHASES = ["bootstrap_s2c", "bootstrap_modraise", "bootstrap_c2s", "bootstrap_evalmod"]


def bootstraps(steps):
    """Prints the bootstraps by phase, in ms, with the amortised time of a multiplication: that of the
    bootstrap and of one product at each level that it leaves, divided by levels and slots."""
    first = None
    for step in steps:
        found = {r["bench"]: r for r in step["results"] or [] if isinstance(r, dict) and "bench" in r}
        if not {"bootstrap", "bootstrap_products", "bootstrap_info", *PHASES} <= found.keys():
            continue
        if first is None:
            first = found["bootstrap"]["median"]
            print(f"{'':38} {'ms':>9} {'ratio':>6} {'StC':>8} {'raise':>8} {'CtS':>8} {'EvalMod':>8} {'ns a mult.':>10}")
        info, whole = found["bootstrap_info"], found["bootstrap"]["median"]
        products = found["bootstrap_products"]["median"]
        each = 1e9 * (whole + products) / info["levels_left"] / info["slots"]
        phases = " ".join(f"{1e3 * found[p]['median']:8.2f}" for p in PHASES)
        print(f"{step['name']:38} {1e3 * whole:9.2f} {whole / first:6.2f} {phases} {each:10.1f}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: record.py FILE")
    run = json.loads(Path(sys.argv[1]).read_text())
    print(f"{'step':34} {'outcome':28} {'s':>7}")
    for step in run["steps"]:
        print(f"{step['name']:34} {step['outcome']:28} {step['seconds']:7.1f}")
    for step in run["steps"]:
        for name, spread in medians(step["results"] or []):
            print(f"{name}: {spread['median']:.4g} ({spread['q1']:.4g} to {spread['q3']:.4g}, {spread['n']})")
    bootstraps(run["steps"])
    name = device(run["steps"])
    if run["emulated"]:
        sys.exit("not stored: the file is from the emulator, so its figures are not a GPU's")
    if name is None:
        sys.exit("not stored: no step states the name of the GPU")
    if not run["pack"] or run["pack"]["changed_files"]:
        sys.exit("not stored: the programs were built from uncommitted changes; commit them, run run.sh and device.sh again")
    date = datetime.datetime.fromtimestamp(run["unix_time"], datetime.timezone.utc).date().isoformat()
    kept = {"date": date, "device": name, "commit": run["pack"]["commit"], "command": "bench/gpu/device.sh", **run}
    path = RESULTS / f"{name.removeprefix('NVIDIA ').lower().replace(' ', '-')}-{run['part']}-{date}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    print(path)


if __name__ == "__main__":
    main()
