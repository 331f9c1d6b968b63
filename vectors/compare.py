#!/usr/bin/env python3
"""Compares the known answers of two states of the repository: what was computed must be the same.

    vectors/compare.py OLD [NEW]

OLD and NEW are revisions of git or directories that hold the sets (tiny, boot, ...); NEW is this working tree unless it
is given. Both may be of format version 1 or 2. Headers, checksums and descriptions of values are left aside. Compared are
the coefficients of secrets, every seed and every residue, and where they belong: parameters, levels, Galois elements,
scales, numbers of slots. The standard library of Python is enough.
"""

import json
import struct
import subprocess
import sys
from pathlib import Path

OBJECTS = ["parameters", "secret_key", "public_key", "evaluation_keys", "switching_key", "plaintext", "ciphertext"]
WORD = 52


class Source:
    """The files of a revision or of a directory, as {set: {name: bytes}}."""

    def __init__(self, name):
        path = Path(name)
        files = self._directory(path) if path.is_dir() else self._revision(name)
        self.sets = {}
        for at, data in files:
            if at.suffix == ".rjet":
                self.sets.setdefault(at.parent.name, {})[at.stem] = data

    def _directory(self, path):
        return [(at, at.read_bytes()) for at in sorted(path.rglob("*.rjet"))]

    def _revision(self, name):
        def git(*arguments):
            return subprocess.run(
                ["git", *arguments], check=True, capture_output=True, cwd=Path(__file__).parent
            ).stdout

        listed = git("ls-tree", "-r", "--full-tree", "--name-only", name, "vectors").decode().split()
        return [(Path(at), git("show", f"{name}:{at}")) for at in listed]


class Body:
    """A reader with a position in the body of an object."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        out = self.data[self.at : self.at + size]
        assert len(out) == size, "truncated"
        self.at += size
        return out

    def unpack(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def number(self):
        return self.unpack("I")[0]

    def list(self, read):
        return [read() for _ in range(self.number())]

    def option(self, read):
        (tag,) = self.unpack("B")
        assert tag in (0, 1), tag
        return read() if tag else None


def open_object(data):
    """Version, scheme ("ckks" or "heaan"), object, whether seeded (version 1), body."""
    magic, version = struct.unpack("<4sH", data[:6])
    assert magic == b"RJET"
    if version == 1:
        kind, flags = data[6], data[7]
        return version, "heaan" if kind > 16 else "ckks", OBJECTS[kind % 16 - 1], flags & 1, Body(data[48:-4])
    assert version == 2, version
    return version, {1: "ckks", 2: "heaan"}[data[6]], OBJECTS[data[7] - 1], None, Body(data[48:-4])


def ckks_parameters(version, body):
    if version == 1:
        spec = json.loads(body.take(len(body.data)))
        spec["q"], spec["p"] = spec["q"]["primes"], spec["p"]["primes"]
        if boot := spec.get("bootstrap"):
            boot.setdefault("passes", 1)
            boot.setdefault("matrix_keys", False)
        for level in spec.get("levels") or []:
            level.setdefault("scale", None)
        return {key: spec.get(key) for key in FIELDS}
    word, long = body.number, lambda: body.unpack("Q")[0]
    flag = lambda: bool(body.unpack("B")[0])  # noqa: E731
    readers = {
        "log_n": word,
        "q": lambda: body.list(long),
        "p": lambda: body.list(long),
        "scale_bits": word,
        "alpha": word,
        "security": word,
        "allow_insecure": flag,
        "levels": lambda: body.option(
            lambda: body.list(lambda: {"primes": body.list(word), "scale": body.option(long)})
        ),
        "bootstrap": lambda: body.option(
            lambda: {
                "slots_to_coeffs": body.list(word),
                "coeffs_to_slots": body.list(word),
                "slots_to_coeffs_first": flag(),
                **{name: word() for name in ("k", "degree", "double_angles", "arcsine", "passes", "secret_weight")},
                "matrix_keys": flag(),
            }
        ),
        "digits": lambda: body.option(lambda: body.list(word)),
    }
    return {key: readers[key]() for key in FIELDS}


FIELDS = ("log_n", "q", "p", "scale_bits", "alpha", "security", "allow_insecure", "levels", "bootstrap", "digits")


def heaan_parameters(version, body):
    if version == 1:
        spec = json.loads(body.take(len(body.data)))
        weight = None if spec["secret"] == "ternary" else spec["secret"]["weight"]
        return {
            "log_n": spec["log_n"],
            "log_q": spec["log_q"],
            "log_p": spec["log_p"],
            "log_slots": spec.get("log_slots", spec["log_n"] - 1),
            "weight": weight,
            "security": spec["security"],
            "allow_insecure": spec["allow_insecure"],
        }
    out = dict(zip(("log_n", "log_q", "log_p", "log_slots"), body.unpack("4I")))
    out["weight"] = body.option(body.number)
    out["security"], out["allow_insecure"] = body.number(), bool(body.unpack("B")[0])
    return out


class Set:
    """The objects of one set, as lists of pairs: a description, and residues or another value."""

    def __init__(self, files):
        self.version, self.scheme, _, _, body = open_object(files["parameters"])
        read = ckks_parameters if self.scheme == "ckks" else heaan_parameters
        self.params = read(self.version, body)
        assert body.at == len(body.data)
        self.n = 1 << self.params["log_n"]
        self.objects = {name: self._values(data) for name, data in files.items()}

    def _values(self, data):
        version, scheme, kind, seeded, body = open_object(data)
        assert (version, scheme) == (self.version, self.scheme)
        if kind == "parameters":
            return [("parameters", self.params)]
        values = list(getattr(self, "_" + kind)(body, seeded))
        assert body.at == len(body.data), f"{kind}: bytes are left"
        return values

    def _polynomial(self, body, widths):
        """A list of n residues for each given width in bits."""
        limbs = []
        for bits in widths:
            string = int.from_bytes(body.take(self.n * bits // 8), "little")
            limbs.append([string >> (i * bits) & ((1 << bits) - 1) for i in range(self.n)])
        return [residue for limb in limbs for residue in limb]

    def _widths(self, at):
        """The widths of the limbs at a level, or for a number of bits."""
        if self.scheme == "heaan":
            return [min(WORD, at - first) for first in range(0, at, WORD)]
        return [self.params["q"][i].bit_length() for i in self._levels()[at]]

    def _levels(self):
        levels = self.params["levels"]
        return [level["primes"] for level in levels] if levels else [range(i + 1) for i in range(len(self.params["q"]))]

    def _secret_key(self, body, _):
        packed = body.take(self.n // 4)
        yield "coefficients", [(0, 1, None, -1)[packed[i // 4] >> 2 * (i % 4) & 3] for i in range(self.n)]
        yield "answers", body.unpack("Q")

    def _public_key(self, body, _):
        yield "seed", body.take(32)
        if self.scheme == "heaan":
            yield "b", self._polynomial(body, self._widths(self.params["log_q"]))
        else:
            special = self.params["p"][-1].bit_length()
            yield "b", self._polynomial(body, [special, *self._widths(self._top())])

    def _top(self):
        boot, highest = self.params["bootstrap"], len(self._levels()) - 1
        if not boot:
            return highest
        arcsine = boot["arcsine"].bit_length() if boot["arcsine"] > 1 else 0
        last = 0 if boot["slots_to_coeffs_first"] else len(boot["slots_to_coeffs"])
        above = last + boot["degree"].bit_length() + boot["double_angles"] + arcsine + len(boot["coeffs_to_slots"])
        return highest - above

    def _switching_key(self, body, _):
        if self.scheme == "heaan":
            yield "seed", body.take(32)
            yield "b", self._polynomial(body, self._widths(2 * self.params["log_q"]))
            return
        stated = self.version == 2 or self.params["levels"]
        level = body.number() if stated else len(self._levels()) - 1
        yield "level", level
        primes = sorted({i for set_ in self._levels()[: level + 1] for i in set_})
        sizes = self.params["digits"] or [self.params["alpha"]] * len(self.params["q"])
        digit_of = [digit for digit, size in enumerate(sizes) for _ in range(size)]
        widths = [q.bit_length() for q in self.params["p"] + [self.params["q"][i] for i in primes]]
        yield "seed", body.take(32)
        for digit in sorted({digit_of[i] for i in primes}):
            yield f"digit {digit}", self._polynomial(body, widths)

    def _evaluation_keys(self, body, _):
        for _ in range(body.number()):
            element = body.number()
            for what, value in self._switching_key(body, None):
                yield f"element {element}, {what}", value
        if self.version == 2:
            ephemeral = body.unpack("B") == (1,)
        else:
            ephemeral = self.scheme == "ckks" and self.params["bootstrap"] and body.number() == 1
        if ephemeral:
            yield "to the ephemeral secret, seed", body.take(32)
            widths = [self.params["p"][0].bit_length(), *self._widths(0)]
            yield "to the ephemeral secret", self._polynomial(body, widths)
            for what, value in self._switching_key(body, None):
                yield f"from the ephemeral secret, {what}", value

    def _shape(self, body):
        """The number of slots, then level and scale (CKKS) or bits and scale (HEAAN)."""
        (log_slots,) = body.unpack("B")
        if self.version == 2:
            body.take(5)  # how many slots hold values, and whether the others are 0
        shape = log_slots, *body.unpack("Hdd" if self.scheme == "ckks" else "HH")
        return shape, self._widths(shape[1])

    def _plaintext(self, body, _):
        if self.version == 1 and self.scheme == "ckks":
            assert body.unpack("B") == (1,)
        shape, widths = self._shape(body)
        yield "shape", shape
        body.take(32)  # bounds on the values
        yield "polynomial", self._polynomial(body, widths)

    def _ciphertext(self, body, seeded):
        count = 2
        if self.version == 1 and self.scheme == "ckks":
            (count,) = body.unpack("B")
        shape, widths = self._shape(body)
        yield "shape", shape
        body.take(66)  # error estimates and bounds on the values
        if self.version == 1:
            seed = body.take(32) if seeded else None
        else:
            (count,) = body.unpack("B")
            seed = body.option(lambda: body.take(32))
        yield "seed", seed
        yield "polynomials", count
        for i in range(count - bool(seed)):
            yield f"polynomial {i}", self._polynomial(body, widths)


def compare(old, new):
    """The numbers of equal objects and equal residues, and a list of differences."""
    objects = residues = 0
    differences = []
    for name in sorted(old.sets.keys() | new.sets.keys()):
        if name not in old.sets or name not in new.sets:
            differences.append(f"{name}: only in one of both")
            continue
        before, after = Set(old.sets[name]).objects, Set(new.sets[name]).objects
        for object_ in sorted(before.keys() | after.keys()):
            where = f"{name}/{object_}"
            if object_ not in before or object_ not in after:
                differences.append(f"{where}: only in one of both")
            elif wrong := [a[0] for a, b in zip(before[object_], after[object_]) if a != b]:
                differences.append(f"{where}: {', '.join(wrong)}")
            elif len(before[object_]) != len(after[object_]):
                differences.append(f"{where}: {len(before[object_])} values and {len(after[object_])}")
            else:
                objects += 1
                residues += sum(len(value) for _, value in before[object_] if isinstance(value, list))
    return objects, residues, differences


def main(old, new=None):
    new = new or str(Path(__file__).parent)
    objects, residues, differences = compare(Source(old), Source(new))
    for line in differences:
        print("differs:", line)
    print(f"{objects} objects with {residues} residues and coefficients are equal, {len(differences)} objects differ")
    return 1 if differences or not objects else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
