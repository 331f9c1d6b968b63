"""What bench/gpu/device.sh wrote on a machine with a GPU, as a file of bench/results: `record.py h200.json`. Prints the steps
and the medians. Refuses what the emulator made."""

import datetime
import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"


def device(steps):
    """Name of the GPU, by whichever step says it."""
    for step in steps:
        found = step["results"] or []
        for result in found if isinstance(found, list) else [found]:
            if isinstance(result.get("device"), dict):
                return result["device"]["name"]
            if "device" in result:
                return result["device"]
    return None


def medians(value, path=()):
    """Everything with a median below a step's results, with its name."""
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
        sys.exit("made by the emulator: nothing of it is a GPU's, and it is not kept")
    if name is None:
        sys.exit("no step says what the device is: not kept")
    if not run["pack"] or run["pack"]["changed_files"]:
        sys.exit("the programs are of no commit: not kept; commit, pack and run again")
    date = datetime.datetime.fromtimestamp(run["unix_time"], datetime.timezone.utc).date().isoformat()
    kept = {"date": date, "device": name, "commit": run["pack"]["commit"], "command": "bench/gpu/device.sh", **run}
    path = RESULTS / f"{name.removeprefix('NVIDIA ').lower().replace(' ', '-')}-{date}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    print(path)


if __name__ == "__main__":
    main()
