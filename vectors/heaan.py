"""The objects of HEAAN."""

import json

from objects import (
    ERROR_BOUND,
    Body,
    check_header,
    check_slots,
    fingerprint_of,
    open_object,
    take_noise,
    take_range,
    take_slots,
    ternary,
)
from ring import uniform


class Heaan:
    """Polynomials of integers modulo powers of two, and the secret."""

    WORD = 52

    def __init__(self, data):
        body = Body(data)
        log_n, self.log_q, log_p, log_slots = body.unpack("4I")
        weight, security, insecure = body.option(body.number), body.number(), body.flag()
        body.end()
        self.n = 1 << log_n
        self.fingerprint = fingerprint_of("HEAAN", data)
        # the form that people write
        self.spec = {
            "log_n": log_n,
            "log_q": self.log_q,
            "log_p": log_p,
            "security": security,
            "allow_insecure": insecure,
        }
        self.spec["secret"] = "ternary" if weight is None else {"weight": weight}
        if log_slots != log_n - 1:
            self.spec["log_slots"] = log_slots

    def widths(self, bits):
        return [min(self.WORD, bits - at) for at in range(0, bits, self.WORD)]

    def join(self, limbs):
        return [sum(w << (self.WORD * k) for k, w in enumerate(words)) for words in zip(*limbs)]

    def polynomial(self, body, bits):
        limbs = []
        for width in self.widths(bits):
            string = int.from_bytes(body.take(self.n * width // 8), "little")
            limbs.append([string >> (i * width) & ((1 << width) - 1) for i in range(self.n)])
        return self.join(limbs)

    def expand(self, seed, bits):
        """Integers from the public uniform stream. A modulus that is a power of two needs no
        rejection."""
        limbs = [uniform(seed, 0, k, 1 << width, self.n) for k, width in enumerate(self.widths(bits))]
        return self.join(limbs)

    def mul_add(self, a, b, c, bits):
        out = list(c)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                out[(i + j) % self.n] += x * y if i + j < self.n else -x * y
        half = 1 << (bits - 1)
        return [(x + half) % (1 << bits) - half for x in out]

    def check_key(self, body, s, source, bits, what):
        """Checks that a key of seed (for a) and b satisfies b + a * s = source + e with a small
        error e."""
        a, b = self.expand(body.take(32), bits), self.polynomial(body, bits)
        error = [x - y for x, y in zip(self.mul_add(a, s, b, bits), source)]
        half = 1 << (bits - 1)
        worst = max(abs((e + half) % (1 << bits) - half) for e in error)
        assert 0 < worst <= ERROR_BOUND, f"{what}: an error of {worst}"
        print(f"  {what}: errors up to {worst}")

    def source(self, s, element):
        """2^log_q * s^2 for element 0, else 2^log_q * s(X^element)."""
        zero = [0] * self.n
        if element == 0:
            moved = self.mul_add(s, s, zero, 64)
        else:
            moved = zero
            for i, c in enumerate(s):
                e = i * element % (2 * self.n)
                moved[e % self.n] = c if e < self.n else -c
        return [c << self.log_q for c in moved]

    def check_vector(self, body, s, about, what):
        log_slots = take_slots(body, about)
        bits, log_scale = body.unpack("HH")
        assert (log_slots, bits, log_scale) == (about["log_slots"], about["bits"], about["log_scale"])
        a, b = [0] * self.n, None
        if what != "plaintext":
            take_noise(body, about, log_scale)
            assert body.unpack("B") == (2,)
            seed = body.option(lambda: body.take(32))
            assert (seed and seed.hex()) == about["seed"]
            b = self.polynomial(body, bits)
            a = self.expand(seed, bits) if seed else self.polynomial(body, bits)
        else:
            take_range(body, about)
            b = self.polynomial(body, bits)
        check_slots(self.mul_add(a, s, b, bits), log_slots, 2.0**log_scale, about, what)


def check(folder):
    stated = json.loads((folder / "values.json").read_text())
    heaan = Heaan(open_object(folder / "parameters.rjet")[1])
    assert heaan.spec == stated["objects"]["parameters"]
    print(f"{folder.name}: N = {heaan.n}, {heaan.log_q} bits")
    s = ternary(open_object(folder / "secret_key.rjet")[1], heaan.n)
    for name, about in stated["objects"].items():
        header, data = open_object(folder / f"{name}.rjet")
        check_header(header, heaan, stated)
        body = Body(data)
        if name == "public_key":
            heaan.check_key(body, s, [0] * heaan.n, heaan.log_q, name)
        elif name == "switching_key":
            heaan.check_key(body, s, heaan.source(s, 0), 2 * heaan.log_q, name)
        elif name == "evaluation_keys":
            elements = []
            for _ in range(body.unpack("I")[0]):
                elements += (element := body.unpack("I"))
                heaan.check_key(body, s, heaan.source(s, *element), 2 * heaan.log_q, f"{name}, element {element[0]}")
            assert elements == sorted({0, 5, pow(5, -3, 2 * heaan.n), 2 * heaan.n - 1})
            assert not body.flag()
        elif name == "plaintext" or name.startswith("ciphertext"):
            heaan.check_vector(body, s, about, name)
        else:
            continue
        body.end()
