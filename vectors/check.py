#!/usr/bin/env python3
"""Reads vectors/v2 by docs/design/wire-format.md alone and checks every object against the secret key.

A second implementation, slow and obvious, of the format, the uniform stream and the evaluation domain: Python's
standard library only. Ciphertexts must decrypt to the stated values; the error of every key, recovered exactly from
all its residues, must have no coefficient above 42, the bound of the error distribution.
"""

import cmath
import hashlib
import json
import math
import struct
import sys
import zlib
from itertools import count
from pathlib import Path

ERROR_BOUND = 42


def chacha20_block(key, counter, stream):
    def quarter(a, b, c, d):
        for x, y, z, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            v = s[z] ^ s[x]
            s[z] = (v << by | v >> (32 - by)) & 0xFFFFFFFF

    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key)]
    start += [counter & 0xFFFFFFFF, counter >> 32, stream & 0xFFFFFFFF, stream >> 32]
    s = start[:]
    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(s, start)))


def uniform(seed, part, limb, q, n):
    """Residues of the public uniform stream: segments of 256, words by rejection."""
    out, mask = [], (1 << (q - 1).bit_length()) - 1
    for segment in range(-(-n // 256)):
        want = min(256, n - len(out))
        for block in count(1024 * segment):
            words = struct.unpack("<8Q", chacha20_block(seed, block, part << 32 | limb))
            fit = [w & mask for w in words if w & mask < q][:want]
            out += fit
            want -= len(fit)
            if not want:
                break
    return out


def reverse(x, bits):
    return int(f"{x:0{bits}b}"[::-1], 2)


class Ring:
    """Z_q[X]/(X^N + 1) for one q, elements as values in the order of the evaluation domain."""

    def __init__(self, log_n, q):
        self.n, self.q = 1 << log_n, q
        n = self.n
        root = next(r for r in (pow(x, (q - 1) // (2 * n), q) for x in count(2)) if pow(r, n, q) == q - 1)
        square, odd = root * root % q, [root]
        for _ in range(n - 1):
            odd.append(odd[-1] * square % q)
        psi = min(odd)
        self.power = [1]
        for _ in range(2 * n - 1):
            self.power.append(self.power[-1] * psi % q)
        self.exponent = [2 * reverse(i, log_n) + 1 for i in range(n)]

    def evaluate(self, coefficients):
        """The values of a polynomial: a decimation in time, on exponents 1, 3, 5, ..."""
        q, n, values = self.q, self.n, [c * w % self.q for c, w in zip(coefficients, self.power)]
        return self._order(self._dft(values, 2, q, n))

    def _dft(self, x, step, q, n):
        if len(x) == 1:
            return x
        even, odd = self._dft(x[::2], 2 * step, q, n), self._dft(x[1::2], 2 * step, q, n)
        turned = [self.power[step * i] * v % q for i, v in enumerate(odd)]
        return [(a + b) % q for a, b in zip(even, turned)] + [(a - b) % q for a, b in zip(even, turned)]

    def _order(self, natural):
        return [natural[e >> 1] for e in self.exponent]

    def coefficients(self, values):
        """The inverse of evaluate."""
        q, n, natural = self.q, self.n, [0] * self.n
        for e, v in zip(self.exponent, values):
            natural[e >> 1] = v
        # the inverse DFT is the DFT with indices negated
        back = self._dft(natural, 2, q, n)
        back = [back[0]] + back[:0:-1]
        inverse = pow(n, -1, q)
        return [v * inverse * self.power[-i % (2 * n)] % q for i, v in enumerate(back)]


def fingerprint_of(scheme, body):
    return hashlib.sha256(f"ringjet {scheme} parameters 2\0".encode() + body).digest()[:16]


class Parameters:
    def __init__(self, data):
        body = Body(data)
        self.log_n = body.number()
        self.n = 1 << self.log_n
        self.q, self.p = body.list(body.long), body.list(body.long)
        scale_bits, self.alpha, security, insecure = body.number(), body.number(), body.number(), body.flag()
        levels = body.option(lambda: body.list(lambda: {"primes": body.list(body.number), "scale": body.option(body.long)}))
        self.bootstrap = body.option(lambda: self._bootstrap(body))
        sizes = body.option(lambda: body.list(body.number))
        body.end()
        self.ring = {q: Ring(self.log_n, q) for q in self.q + self.p}
        self.fingerprint = fingerprint_of("CKKS", data)
        # as people write it down
        spec = {"log_n": self.log_n, "q": {"primes": self.q}, "p": {"primes": self.p}, "scale_bits": scale_bits}
        spec |= {"alpha": self.alpha, "security": security, "allow_insecure": insecure}
        if levels is not None:
            spec["levels"] = [{key: value for key, value in level.items() if value is not None} for level in levels]
        if self.bootstrap is not None:
            spec["bootstrap"] = {k: v for k, v in self.bootstrap.items() if (k, v) != ("passes", 1)}
        if sizes is not None:
            spec["digits"] = sizes
        self.spec = spec
        # indices of each level's primes, and each prime's digit
        self.levels = [l["primes"] for l in levels] if levels else [range(l + 1) for l in range(len(self.q))]
        sizes = sizes or [self.alpha] * len(self.q)
        self.digit_of = [d for d, size in enumerate(sizes) for _ in range(size)]
        self.top = len(self.levels) - 1 - self._upper_levels()

    @staticmethod
    def _bootstrap(body):
        out = {"slots_to_coeffs": body.list(body.number), "coeffs_to_slots": body.list(body.number)}
        out["slots_to_coeffs_first"] = body.flag()
        return out | {name: body.number() for name in "k degree double_angles arcsine passes secret_weight".split()}

    def _upper_levels(self):
        """Levels of bootstrapping above those of messages."""
        if not (b := self.bootstrap):
            return 0
        arcsine = b["arcsine"].bit_length() if b["arcsine"] > 1 else 0
        last = 0 if b["slots_to_coeffs_first"] else len(b["slots_to_coeffs"])
        return last + b["degree"].bit_length() + b["double_angles"] + arcsine + len(b["coeffs_to_slots"])

    def basis(self, level):
        return [self.q[i] for i in self.levels[level]]

    def key(self, level):
        """The primes of q in a key for levels up to this one, and those of each digit."""
        primes = sorted({i for set_ in self.levels[: level + 1] for i in set_})
        digits = {}
        for i in primes:
            digits.setdefault(self.digit_of[i], []).append(self.q[i])
        return [self.q[i] for i in primes], list(digits.values())


class Body:
    """A cursor."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        out = self.data[self.at : self.at + n]
        assert len(out) == n, "truncated"
        self.at += n
        return out

    def unpack(self, fmt):
        return struct.unpack("<" + fmt, self.take(struct.calcsize("<" + fmt)))

    def number(self):
        return self.unpack("I")[0]

    def long(self):
        return self.unpack("Q")[0]

    def flag(self):
        (byte,) = self.unpack("B")
        assert byte in (0, 1)
        return byte == 1

    def list(self, read):
        return [read() for _ in range(self.number())]

    def option(self, read):
        return read() if self.flag() else None

    def polynomial(self, n, basis):
        limbs = []
        for q in basis:
            bits = q.bit_length()
            string = int.from_bytes(self.take(n * bits // 8), "little")
            limb = [string >> (i * bits) & ((1 << bits) - 1) for i in range(n)]
            assert max(limb) < q
            limbs.append(limb)
        return limbs

    def end(self):
        assert self.at == len(self.data), "trailing bytes"


OBJECTS = ["parameters", "secret_key", "public_key", "evaluation_keys", "switching_key", "plaintext", "ciphertext"]
SCHEMES = {"heaan": 2}


def open_object(path):
    """What the header says of parameters and secret, and the body."""
    data = path.read_bytes()
    magic, version, scheme, kind, fingerprint, length, key = struct.unpack("<4sHBB16sQ16s", data[:48])
    assert (magic, version, length) == (b"RJET", 2, len(data)), path
    assert scheme == SCHEMES.get(path.parent.name, 1) and path.stem.startswith(OBJECTS[kind - 1]), path
    assert zlib.crc32(data[:-4]) == struct.unpack("<I", data[-4:])[0], path
    # what belongs to a secret says to which
    assert (key == bytes(16)) == (OBJECTS[kind - 1] in ("parameters", "plaintext")), path
    return (fingerprint, key if any(key) else None), data[48:-4]


def check_header(found, params, stated):
    """Fingerprint and key identity, against those stated."""
    fingerprint, key = found
    assert fingerprint == params.fingerprint and fingerprint.hex() == stated["fingerprint"]
    assert key is None or key.hex() == stated["key"]


def expand(params, seed, part, basis):
    return [uniform(seed, part, i, q, params.n) for i, q in enumerate(basis)]


def mul_add(a, b, c, q):
    return [(x * y + z) % q for x, y, z in zip(a, b, c)]


def centred(limbs, basis, params):
    """Coefficients as integers in (-M/2, M/2]."""
    modulus = 1
    for q in basis:
        modulus *= q
    total = [0] * params.n
    for limb, q in zip(limbs, basis):
        rest = modulus // q
        factor = rest * pow(rest, -1, q)
        total = [t + factor * c for t, c in zip(total, params.ring[q].coefficients(limb))]
    total = [t % modulus for t in total]
    return [t - modulus if 2 * t > modulus else t for t in total]


def check_error(limbs, basis, params, what):
    worst = max(abs(e) for e in centred(limbs, basis, params))
    assert 0 < worst <= ERROR_BOUND, f"{what}: an error of {worst}"
    print(f"  {what}: errors up to {worst}")


def turned(params, s, element):
    """s(X^(1/element))."""
    n, g, to = params.n, pow(element, -1, 2 * params.n), [0] * params.n
    for i, c in enumerate(s):
        e = i * g % (2 * n)
        to[e % n] = c if e < n else -c
    return to


def product(numbers):
    out = 1
    for x in numbers:
        out *= x
    return out


def check_digits(params, body, special, primes, digits, to, source, what):
    """The seed and the digits of a key that leads to the secret `to`; `source(ring)`: what it leads from, as values."""
    basis, seed = special + primes, body.take(32)
    for d, own in enumerate(digits):
        b, a = body.polynomial(params.n, basis), expand(params, seed, d, basis)
        error = []
        for q, b_q, a_q in zip(basis, b, a):
            ring = params.ring[q]
            e = mul_add(a_q, ring.evaluate(to), b_q, q)
            g = product(special) % q
            error.append([(x - g * y) % q for x, y in zip(e, source(ring))] if q in own else e)
        check_error(error, basis, params, f"{what}, digit {d}")


def check_switching_key(params, body, to, source, what):
    level = body.number()
    check_digits(params, body, params.p, *params.key(level), to, source, what)
    return level


def sparse_secret(params, data, s):
    """The ephemeral secret, from the key that leads from it to s: its owner's part of what b_0 + a_0 s says."""
    body = Body(data)
    primes, digits = params.key(body.unpack("I")[0])
    basis, special, seed = params.p + primes, product(params.p), body.take(32)
    b, a = body.polynomial(params.n, basis), expand(params, seed, 0, basis)
    sums = [mul_add(x, params.ring[q].evaluate(s), y, q) for q, x, y in zip(basis, a, b)]
    others = [i for i, q in enumerate(basis) if q not in digits[0]]
    error = centred([sums[i] for i in others], [basis[i] for i in others], params)
    q = digits[0][0]
    whole = params.ring[q].coefficients(sums[basis.index(q)])
    t = [(x - e) * pow(special, -1, q) % q for x, e in zip(whole, error)]
    t = [x - q if 2 * x > q else x for x in t]
    assert set(t) == {-1, 0, 1} and sum(map(abs, t)) == params.bootstrap["secret_weight"], "the ephemeral secret"
    return t


def check_encapsulation(params, body, s, what):
    """The keys to the ephemeral secret and from it. The first one comes first, but only the second one tells it."""
    low = params.basis(0)
    start = body.at
    length = 32 + sum(params.n * q.bit_length() // 8 for q in [params.p[0], *low])
    t = sparse_secret(params, body.data[start + length :], s)
    check_digits(
        params, body, params.p[:1], low, [low], t, lambda ring: ring.evaluate(s), f"{what}, to the ephemeral secret"
    )
    assert body.at == start + length
    level = check_switching_key(params, body, s, lambda ring: ring.evaluate(t), f"{what}, from the ephemeral secret")
    assert level == len(params.levels) - 1


def hexadecimal(x):
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


def take_range(body, about):
    """Bounds on values, which must hold for those stated."""
    magnitude, low, high, imaginary = bounds = body.unpack("4d")
    assert magnitude >= 0 and low <= high and imaginary >= 0 and all(map(math.isfinite, bounds))
    # values are encrypted and decrypted, or rounded, before they are stated
    slack = 1e-6
    for re, im in about["values"]:
        assert math.hypot(re, im) <= magnitude + slack and abs(im) <= imaginary + slack
        assert low - slack <= re <= high + slack
    return magnitude


def take_noise(body, about, log_scale):
    """Estimate and bound of the error, bounds on the values, and what the error stems from."""
    variance, bound = body.unpack("2d")
    magnitude = take_range(body, about)
    if bound == sys.float_info.max:
        bound = math.inf
    sources, turned, mixed = int.from_bytes(body.take(16), "little"), *body.take(2)
    assert [hexadecimal(x) for x in (variance, bound, magnitude)] == about["noise"]
    # the bound holds for the worst slot, so it is no less than the estimate
    assert 0 < variance <= bound**2 and (bound == math.inf or math.log2(bound) < log_scale)
    assert sources and turned in (0, 1) and mixed in (0, 1)


def check_values(params, polys, s, shape, about, what):
    log_slots, level, hi, lo = shape
    basis = params.basis(level)
    limbs = []
    for i, q in enumerate(basis):
        s_q, value = params.ring[q].evaluate(s), polys[-1][i]
        for poly in reversed(polys[:-1]):
            value = mul_add(value, s_q, poly[i], q)
        limbs.append(value)
    check_slots(centred(limbs, basis, params), log_slots, hi + lo, about, what)
    bits = [hexadecimal(x) for x in (hi, lo)]
    assert (bits, level, log_slots) == (about["scale"], about["level"], about["log_slots"])


def check_slots(coefficients, log_slots, scale, about, what):
    """The values of a polynomial, against those stated."""
    slots, worst = 1 << log_slots, 0
    y = coefficients[:: len(coefficients) // (2 * slots)]
    for j in range(slots):
        power = pow(5, j, 4 * slots)
        z = sum(c * cmath.exp(2j * cmath.pi * (k * power % (4 * slots)) / (4 * slots)) for k, c in enumerate(y)) / scale
        worst = max(worst, abs(z - complex(*about["values"][j])))
    assert worst < 1e-8, f"{what}: {worst}"
    print(f"  {what}: {slots} values within {worst:.1e}")


class Heaan:
    """Polynomials of integers modulo powers of two, and one secret."""

    WORD = 52

    def __init__(self, data):
        body = Body(data)
        log_n, self.log_q, log_p, log_slots = body.unpack("4I")
        weight, security, insecure = body.option(body.number), body.number(), body.flag()
        body.end()
        self.n = 1 << log_n
        self.fingerprint = fingerprint_of("HEAAN", data)
        # as people write it down
        self.spec = {"log_n": log_n, "log_q": self.log_q, "log_p": log_p, "security": security, "allow_insecure": insecure}
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
        """The public uniform stream: a modulus that is a power of two rejects nothing."""
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
        """A seed and b with b + a s = source + e."""
        a, b = self.expand(body.take(32), bits), self.polynomial(body, bits)
        error = [x - y for x, y in zip(self.mul_add(a, s, b, bits), source)]
        half = 1 << (bits - 1)
        worst = max(abs((e + half) % (1 << bits) - half) for e in error)
        assert 0 < worst <= ERROR_BOUND, f"{what}: an error of {worst}"
        print(f"  {what}: errors up to {worst}")

    def source(self, s, element):
        """2^log_q s^2, or 2^log_q s(X^element)."""
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
        log_slots, bits, log_scale = body.unpack("BHH")
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


def ternary(data, n):
    """The coefficients of a secret, behind which there is the number of decryptions that were shared under it."""
    body = Body(data)
    packed = body.take(n // 4)
    assert body.unpack("Q") == (0,)
    body.end()
    s = [(0, 1, None, -1)[packed[i // 4] >> 2 * (i % 4) & 3] for i in range(n)]
    assert set(s) == {-1, 0, 1}
    return s


def check_heaan(folder):
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


def check(folder):
    stated = json.loads((folder / "values.json").read_text())
    params = Parameters(open_object(folder / "parameters.rjet")[1])
    assert params.spec == stated["objects"]["parameters"]
    print(f"{folder.name}: N = {params.n}, {len(params.q)} + {len(params.p)} primes")
    n = params.n
    s = ternary(open_object(folder / "secret_key.rjet")[1], n)

    def relinearisation(ring):
        return [x * x % ring.q for x in ring.evaluate(s)]

    def galois(ring):
        return ring.evaluate(s)

    for name, about in stated["objects"].items():
        header, data = open_object(folder / f"{name}.rjet")
        check_header(header, params, stated)
        body = Body(data)
        if name == "public_key":
            basis = params.p[-1:] + params.basis(params.top)
            seed, b = body.take(32), body.polynomial(n, basis)
            a = expand(params, seed, 0, basis)
            error = [mul_add(x, params.ring[q].evaluate(s), y, q) for q, x, y in zip(basis, a, b)]
            check_error(error, basis, params, name)
        elif name == "switching_key":
            check_switching_key(params, body, s, relinearisation, name)
        elif name == "evaluation_keys":
            elements = []
            for _ in range(body.unpack("I")[0]):
                elements += (element := body.unpack("I"))
                to, source = (turned(params, s, *element), galois) if element[0] else (s, relinearisation)
                check_switching_key(params, body, to, source, f"{name}, element {element[0]}")
            # relinearisation, rotations by 1 and -3, conjugation
            wanted = {0, 5, pow(5, -3, 2 * n), 2 * n - 1}
            assert elements == sorted(set(elements)) and wanted <= set(elements)
            assert body.flag() == (params.bootstrap is not None)
            if params.bootstrap:
                check_encapsulation(params, body, s, name)
            else:
                assert set(elements) == wanted
        elif name == "plaintext":
            shape = body.unpack("BHdd")
            take_range(body, about)
            check_values(params, [body.polynomial(n, params.basis(shape[1]))], s, shape, about, name)
        elif name.startswith("ciphertext"):
            shape = body.unpack("BHdd")
            take_noise(body, about, math.log2(shape[2]))
            basis = params.basis(shape[1])
            (polys,) = body.unpack("B")
            seed = body.option(lambda: body.take(32))
            read = [body.polynomial(n, basis) for _ in range(polys - bool(seed))]
            if seed:
                read.append(expand(params, seed, 0, basis))
            assert (seed and seed.hex(), polys) == (about["seed"], about["polynomials"])
            check_values(params, read, s, shape, about, name)
        else:
            continue
        body.end()


if __name__ == "__main__":
    root = Path(__file__).parent / "v2"
    folders = sorted(f for f in root.iterdir() if f.is_dir())
    assert folders, f"nothing in {root}"
    for folder in folders:
        (check_heaan if folder.name == "heaan" else check)(folder)
    print("all objects are what they should be")
    sys.exit(0)
