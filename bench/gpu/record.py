"""Stores the output of bench/gpu/device.sh as a file of bench/results: `record.py h200.json`.
Prints the steps and the medians. Refuses output of the emulator."""

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
    name = device(run["steps"])
    if run["emulated"]:
        sys.exit("not stored: the file is from the emulator, so its figures are not a GPU's")
    if name is None:
        sys.exit("not stored: no step states the name of the GPU")
    if not run["pack"] or run["pack"]["changed_files"]:
        sys.exit("not stored: the programs were built from uncommitted changes; commit them, run run.sh and device.sh again")
    date = datetime.datetime.fromtimestamp(run["unix_time"], datetime.timezone.utc).date().isoformat()
    kept = {"date": date, "device": name, "commit": run["pack"]["commit"], "command": "bench/gpu/device.sh", **run}
    path = RESULTS / f"{name.removeprefix('NVIDIA ').lower().replace(' ', '-')}-{date}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    print(path)


if __name__ == "__main__":
    main()
