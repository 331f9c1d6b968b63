"""Measures sums and products of ciphertexts of HEAAN beside those of the plain numbers (Table I of
Jung et al., "HEAAN Demystified"): one thread, N = 2^16, log q = 1200, 32768 complex numbers.

Writes bench/results/heaan-plain-DATE.json, whose "published" has a row for each number of the table.
Needs target/release/ringjet.
"""

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402

RINGJET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "release/ringjet"
BENCHES = ["heaan_add", "heaan_mul", "heaan_plain_add", "heaan_plain_mul"]
NUMBERS = 32768
# nanoseconds for a complex number: message, ciphertext (Table I)
PAPER = {"add": (2.1, 348.2), "mul": (4.3, 155883.8)}
NAMES = {"add": "addition", "mul": "multiplication"}


def published(seconds):
    """Table I: the paper's nanoseconds for each number, and ours."""
    rows = []
    for bench, (message, ciphertext) in PAPER.items():
        plain, ours = (1e9 * seconds[f"heaan_{kind}{bench}"] / NUMBERS for kind in ("plain_", ""))
        vectors = "plain numbers in vectors of doubles on another processor; the paper's scalar code is not described"
        digits = "vectors on another processor; the paper's is the scalar reference library"
        for quantity, value, paper, note in (
            ("ns for a number, message", plain, message, vectors),
            ("ns for a number, ciphertext", ours, ciphertext, digits),
            ("slowdown", ours / plain, ciphertext / message, "from the two rows above"),
        ):
            rows.append(
                {
                    "table": "heaan-I",
                    "entry": NAMES[bench],
                    "quantity": quantity,
                    "model": value,
                    "paper": paper,
                    "deviation": value / paper - 1,
                    "note": note,
                }
            )
    return rows


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=5, help="number of processes")
    p.add_argument("--folder", type=Path, default=ROOT / "bench/results")
    args = p.parse_args()
    load, rounds = os.getloadavg()[0], []
    for _ in range(args.rounds):
        out = compare.run([RINGJET, "bench", *BENCHES, "--threads", "1", "--json"])
        rounds.append({r["bench"]: r["min"] for r in map(json.loads, out.splitlines()) if r["bench"] in BENCHES})
    seconds = {bench: min(r[bench] for r in rounds) for bench in BENCHES}
    result = compare.circumstances("bench/heaan/plain.py", go=False) | {
        "load_average_before": load,
        "statistic": "least time of all rounds",
        "seconds": seconds,
        "rounds": rounds,
        "published": published(seconds),
    }
    compare.write(result, args.folder, "heaan-plain")
    for row in result["published"]:
        print(f"{row['entry']:15} {row['quantity']:30} {row['model']:10.2f} {row['paper']:10.1f}")


if __name__ == "__main__":
    main()
