"""Stores what first.sh measured as a file of bench/results: `record.py OUT/first.json`.

Prints the steps, the bootstraps with their levels, bits and secrets, the variants of a paper, and the measured
times beside the predicted ones. The stored file has, beside the whole run:

    card          H200 or H100, as docs/design/gpu-prediction.md names it
    operations    microseconds by operation, with the names of that page
    kernels       microseconds by kernel, in all its launches of a bootstrap

Refuses output of the emulator, of a run with wrong words, and of programs that were built from uncommitted changes.
"""

import datetime
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compare"))
import result_files  # noqa: E402

RESULTS = Path(__file__).resolve().parents[1] / "results"
PREDICTION = Path(__file__).resolve().parents[2] / "docs" / "design" / "gpu-prediction.md"
CARDS = ("H200", "H100")
# The page's name of a bootstrap of a preset, and of an operation of the backend in a shape.
BOOTSTRAPS = {"n16-boot": "bootstrap", "n16-boot-48": "bootstrap of `n16-boot-48`"}
OPERATIONS = ("multiply", "rotate", "8 hoisted rotations", "rescale")
SHAPES = {
    ("NTT", "f64, primes of 50 bits, log N = 16, 48 limbs"): "NTT of 48 limbs",
    ("base conversion", "f64, primes of 50 bits, log N = 16, 8 limbs to 32"): "conversion of 8 limbs to 32",
    ("matrix product", "f64, primes of 50 bits, log N = 12, 2 limbs, 128 x 784"): "product with a 128 x 784 matrix",
    ("matrix product", "f64, primes of 50 bits, log N = 12, 2 limbs, 1024 x 1024"): "product with a 1024 x 1024 matrix",
}


def results(run):
    """Every result of a step that ran, with the step's name."""
    for step in run["steps"]:
        for result in step["results"]:
            yield step["name"], result


def operations(run):
    """Measured microseconds by operation, with the names of the prediction page."""
    found = {}
    for _, result in results(run):
        name, shape = result.get("name"), result.get("shape", "")
        if "seconds" not in result or not isinstance(result["seconds"], dict):
            continue
        if name == "bootstrap":
            page = None if result.get("without") else BOOTSTRAPS.get(result["about"]["preset"])
        elif name in OPERATIONS and shape.startswith("log N = 16"):
            page = name
        elif name.startswith("HEAAN ") and shape.startswith("log N = 16, "):
            page = f"{name}, {shape.removeprefix('log N = 16, ')}"
        else:
            page = SHAPES.get((name, shape))
        if page:
            found.setdefault(page, round(1e6 * result["seconds"]["median"], 3))
    return found


def kernels(run):
    """Measured microseconds by kernel, in all its launches of a bootstrap."""
    return {r["kernel"]: r["us"] for _, r in results(run) if r.get("name") == "kernel in a bootstrap"}


def card(run):
    """The GPU's name, from the first step that states it, and what the prediction page calls it."""
    names = (r["device"]["name"] if isinstance(r.get("device"), dict) else r.get("device") for _, r in results(run))
    name = next((name for name in names if name), None)
    return name, next((card for card in CARDS if card in (name or "")), None)


def print_steps(run):
    for step in run["steps"]:
        print(f"{step['name']:40} {step['seconds']:7.1f} s  {step['outcome']}")


def print_bootstraps(run):
    """Bootstraps in ms, with what a time says nothing without."""
    first = True
    for _, result in results(run):
        about, times = result.get("about"), result.get("seconds") or result.get("seconds_of_the_device")
        if not about or not times:
            continue
        if first:
            print(f"{'':44} {'ms':>9} {'quartiles':>19} {'levels':>6} {'bits':>5}  secret")
            first = False
        without = f", without {result['without']}" if result.get("without") else ""
        name = f"{result.get('phase', result['name'])} of {about['preset']}{without}"
        quartiles = f"{1e3 * times['q1']:.3f} to {1e3 * times['q3']:.3f}"
        secret = f"{about['secret']}, ephemeral of weight {about['ephemeral_secret_weight']}"
        print(
            f"{name:44} {1e3 * times['median']:9.3f} {quartiles:>19} {about['levels_left']:6} {about['bits']:5.1f}  {secret}"
        )


def print_others(run):
    """Times of operations in each arithmetic and of launches, in microseconds, and whatever has one figure."""
    for step, result in results(run):
        times = result.get("us") if isinstance(result.get("us"), dict) else result.get("seconds")
        if isinstance(times, dict) and "shape" in result:
            scale = 1 if "us" in result else 1e6
            what = [result["name"], *(str(result[key]) for key in ("operation", "number", "kernel") if key in result)]
            quartiles = f"{scale * times['q1']:.2f} to {scale * times['q3']:.2f}"
            print(f"{' '.join(what)}, {result['shape']}: {scale * times['median']:.2f} us ({quartiles})")
        elif "part_of_fp64_peak" in result:
            rate, part = result["products_per_second"] / 1e12, 100 * result["part_of_fp64_peak"]
            peak = f"{part:.0f} % of the multiply-adds of an {result['peak_of']}"
            print(f"{result['name']}, {result['shape']}: {rate:.3f} * 10^12 a second, {peak}")
        elif result.get("name") == "latency" or "repeated_seconds" in result or "seconds_each" in result:
            print(f"{step}: {json.dumps({k: v for k, v in result.items() if k not in ('results', 'about')})}")


def print_heaan004(run):
    """The variants of Jung et al. (arXiv 2003.04510), in ms: the paper's time on a Titan RTX, the measured one,
    their ratio, and both gains over the first variant of each function."""
    shown = lambda x, form: "" if x is None else format(x, form)
    for step, result in results(run):
        if step != "heaan004" or "variants" not in result:
            continue
        print(f"{'':42} {'paper':>7} {'measured':>9} {'ratio':>6} {'gain':>6} {'paper':>6}  source")
        for variant in result["variants"]:
            source, measured = variant["source_ms"], variant["ms"]["median"]
            ratio = None if source is None else source / measured
            print(
                f"{variant['name']:42} {shown(source, '.2f'):>7} {measured:9.3f} {shown(ratio, '.2f'):>6} "
                f"{variant['speedup']:6.2f} {shown(variant['source_speedup'], '.2f'):>6}  {variant['source']}"
            )


def predictions(card):
    """Predicted microseconds by operation and by kernel, with the page's names: the column of this card in each
    table that has one. Of several rows with the same name the first counts."""
    found, column, section = {}, None, ""
    for line in PREDICTION.read_text().splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        if not line.startswith("|"):
            column = None
            continue
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if column is None:
            column = cells.index(f"{card}, us") if f"{card}, us" in cells else -1
        elif column >= 0 and not cells[column].startswith("---"):
            name = f"HEAAN {cells[0]}" if section == "HEAAN" and "log q" in cells[0] else cells[0]
            found.setdefault(name if name in BOOTSTRAPS.values() else name.strip("`"), float(cells[column]))
    return found


def print_compared(measured, card):
    page = predictions(card)
    print(f"{'':44} {'measured, us':>12} {'predicted, us':>13} {'ratio':>6}")
    for name, us in measured.items():
        expected = page.get(name)
        print(f"{name:44} {us:12.1f} " + (f"{expected:13.1f} {us / expected:6.2f}" if expected else ""))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: record.py OUT/first.json")
    run = json.loads(Path(sys.argv[1]).read_text())
    print_steps(run)
    print_bootstraps(run)
    print_others(run)
    print_heaan004(run)
    device, short = card(run)
    by_operation, by_kernel = operations(run), kernels(run)
    if short:
        print_compared({**by_operation, **by_kernel}, short)
    if run["emulated"]:
        sys.exit("not stored: the file is from the emulator, so its times are not a GPU's")
    if any(step["outcome"].startswith("wrong") for step in run["steps"]):
        sys.exit("not stored: the GPU computed a wrong word")
    if device is None:
        sys.exit("not stored: no step states the name of the GPU")
    if not run["pack"] or run["pack"]["changed_files"]:
        sys.exit(
            "not stored: the programs were built from uncommitted changes; commit them, run pack.sh and first.sh again"
        )
    date = datetime.datetime.fromtimestamp(run["unix_time"], datetime.timezone.utc).date().isoformat()
    kept = {
        "date": date,
        "device": device,
        "card": short or device,
        "commit": run["pack"]["commit"],
        "command": "bench/gpu/first.sh",
        "operations": by_operation,
        "kernels": by_kernel,
        **run,
    }
    name = (short or device.removeprefix("NVIDIA ")).lower().replace(" ", "-")
    path = RESULTS / f"gpu-{name}-{date}.json"
    result_files.save(path, kept)
    print(path)


if __name__ == "__main__":
    main()
