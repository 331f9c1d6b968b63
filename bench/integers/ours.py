"""Times ringjet's encrypted integers: a full batch, and one integer alone, in the lines of bench/peers.

    .venv/bin/python bench/integers/ours.py --json --threads 1 table4 add64

`NAME` is the time for one integer alone, with the fewest slots. It is a third or more of that of a full batch, so it is measured for
those of --alone. `NAME_each` is the time of a full batch divided by its integers. Results are decrypted and compared
with Python's before they count.
"""

import argparse
import json
import operator
import time
from statistics import median

import numpy as np
import ringjet as rj
from ringjet.integers._digits import Digit, coded, looked_up

OPERATIONS = {
    "add": (operator.add, operator.add),
    "less": (operator.lt, operator.lt),
    "mul": (operator.mul, operator.mul),
    "div": (operator.floordiv, lambda a, b: a // b if b else -1),
}
NAMES = ["table4", "table8", "add64", "less64", "mul64", "div64", "mul16", "div16"]
#: The parameters of each benchmark; tables of 4 bits are fastest in the smaller ring.
PRESETS = {name: "n15-int" if name == "table4" else "n16-int" for name in NAMES}
#: Vectors of 4-bit integers that share a bootstrap.
PAIR = 2


class Keys:
    """A client and a server, which stay until other ones are needed."""

    def __init__(self):
        self.kind = None

    def of(self, preset, slots):
        if self.kind != (preset, slots):
            self.kind = self.client = self.server = None
            client = rj.Client(preset, slots)
            self.server = rj.Server(client.evaluation_keys(bootstrapping=True))
            self.kind, self.client = (preset, slots), client
        return self.client, self.server


def run(name, client, server, rng):
    """A function that computes, one that checks what it returns, and how many integers it computes."""
    bits = int(name[-2:]) if name[-2:].isdigit() else int(name[-1])
    kind, whole, slots = rj.integers(bits), 1 << bits, client.slots

    def integers():
        return [int.from_bytes(rng.bytes(8), "little") % whole for _ in range(slots)]

    def loaded(values):
        return kind.load(server, kind.encrypt(client, values))

    if name.startswith("table"):
        table = [int(m) for m in rng.permutation(whole)]
        # two vectors of digits are bootstrapped together
        vectors = [integers() for _ in range(PAIR if bits == 4 and slots > 1 else 1)]
        inputs = [loaded(v) for v in vectors]

        def compute():
            if len(inputs) == 1:
                return rj.tables(inputs[0], [table])
            digits = [Digit(x.ciphertexts[0]) for x in inputs]
            found = looked_up(digits, [[coded(table, whole)]] * PAIR, name)
            return [rj.EncryptedIntegers(kind, own) for own in found]

        def check(made):
            for x, v in zip(made, vectors, strict=True):
                assert [int(m) for m in kind.decrypt(client, x)] == [table[m] for m in v], name

        return compute, check, len(vectors) * slots
    computed, clear = OPERATIONS[name[:-2]]
    a, b = integers(), [v >> bits // 3 for v in integers()]
    x, y = loaded(a), loaded(b)

    def check(made):
        if isinstance(made, rj.EncryptedIntegers):
            found = [int(v) for v in kind.decrypt(client, made)]
        else:
            found = [int(v) for v in np.rint(client.decrypt(made))]
        assert found == [int(clear(p, q)) % whole for p, q in zip(a, b, strict=True)], name

    return lambda: computed(x, y), check, slots


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help=f"of {' '.join(NAMES)}")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reps", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--alone", nargs="*", default=["table4", "add64"], help="those that one integer alone is timed of"
    )
    args = parser.parse_args()
    rj.set_threads(args.threads)
    rng = np.random.default_rng(1)
    keys = Keys()
    for alone in (True, False):
        for name in args.names:
            if alone and name not in args.alone:
                continue
            preset = PRESETS[name]
            client, server = keys.of(preset, 1 if alone else None)
            compute, check, count = run(name, client, server, rng)
            times = []
            for _ in range(args.reps):
                start = time.perf_counter()
                made = compute()
                times.append(time.perf_counter() - start)
                check(made)
            times = [t / count for t in times]
            record = {
                "bench": name if alone else f"{name}_each",
                "backend": f"ringjet-{rj.__version__}",
                "params": f"{preset}, {count} at once" if not alone else f"{preset}, {client.slots} slot",
                "threads": args.threads,
                "unit": "s",
                "min": min(times),
                "median": median(times),
                "n": len(times),
            }
            print(
                json.dumps(record) if args.json else f"{record['bench']:<12} {record['min']:.6g} s  {record}",
                flush=True,
            )


if __name__ == "__main__":
    main()
