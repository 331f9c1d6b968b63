"""Stores the output of bench/gpu/device.sh as a file of bench/results: `record.py kernels.json`.
Prints the steps, the medians, the bootstraps by phase, and variants beside a paper's figures. Refuses output of the emulator."""

import datetime
import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"
PREDICTION = Path(__file__).resolve().parents[2] / "docs" / "design" / "gpu-prediction.md"
# What the page of predictions calls a measurement: the step's name for a bootstrap; otherwise the beginnings of
# its name and of its shape.
BOOTSTRAPS = {"bootstrap": "bootstrap", "bootstrap of n16-boot-48": "bootstrap of `n16-boot-48`"}
TIMES = {
    ("multiply:", "log N = 16"): "multiply",
    ("rotate:", "log N = 16"): "rotate",
    ("NTT", "f64, primes of 50 bits, log N = 16, 48 limbs"): "NTT of 48 limbs",
    ("base conversion", "f64, primes of 50 bits, log N = 16, 8 limbs to 32"): "conversion of 8 limbs to 32",
    **{(f"HEAAN {name}", f"log N = 16, log q = {log_q}"): f"HEAAN {name}, log q = {log_q}"
       for name in ("multiply", "square", "rotate") for log_q in (1200, 600, 300)},
}


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


def heaan004(steps):
    """Prints the variants of Jung et al. (arXiv 2003.04510), in ms: the paper's time on a Titan RTX,
    the measured one, their ratio, and both gains over the first variant of each function."""
    shown = lambda x, form: "" if x is None else format(x, form)
    for step in steps:
        if step["name"] != "heaan004" or not isinstance(step["results"], dict):
            continue
        print(f"{'':42} {'paper':>7} {'measured':>9} {'ratio':>6} {'gain':>6} {'paper':>6}  source")
        for variant in step["results"]["variants"]:
            source, measured = variant["source_ms"], variant["ms"]["median"]
            ratio = None if source is None else source / measured
            print(
                f"{variant['name']:42} {shown(source, '.2f'):>7} {measured:9.3f} {shown(ratio, '.2f'):>6} "
                f"{variant['speedup']:6.2f} {shown(variant['source_speedup'], '.2f'):>6}  {variant['source']}"
            )


def predicted(text):
    """Predicted microseconds by operation and card, from the tables under "Operations" and "HEAAN"."""
    found = {}
    for section, prefix in (("Operations", ""), ("HEAAN", "HEAAN ")):
        lines = text.split(f"## {section}\n")[1].split("\n## ")[0].splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("|"))
        rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines[first:]]
        rows = rows[:next((i for i, row in enumerate(rows) if len(row) == 1), len(rows))]
        at = {card: rows[0].index(f"{card}, us") for card in ("H200", "H100")}
        found |= {prefix + row[0]: {card: float(row[column]) for card, column in at.items()} for row in rows[2:]}
    return found


def compared(steps, card):
    """Prints measured times beside the predicted ones of this card, in microseconds."""
    pages, rows = predicted(PREDICTION.read_text()), []
    for step in steps:
        for result in step["results"] if isinstance(step["results"], list) else []:
            if result.get("bench") == "bootstrap" and step["name"] in BOOTSTRAPS:
                rows.append((BOOTSTRAPS[step["name"]], 1e6 * result["median"]))
            for (name, shape), operation in TIMES.items():
                if "seconds_queued" in result and result["name"].startswith(name) and result["shape"].startswith(shape):
                    rows.append((operation, 1e6 * result["seconds_queued"]["median"]))
    if rows:
        print(f"{'':38} {'measured, us':>12} {'predicted, us':>13} {'ratio':>6}")
    for operation, measured in rows:
        print(f"{operation:38} {measured:12.1f} {pages[operation][card]:13.1f} {measured / pages[operation][card]:6.2f}")


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
    heaan004(run["steps"])
    name = device(run["steps"])
    card = next((card for card in ("H200", "H100") if card in (name or "")), None)
    if card is not None:
        compared(run["steps"], card)
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
