"""Parts of objects that both schemes have: headers, fields, secrets, bounds, values."""

import cmath
import hashlib
import math
import struct
import sys
import zlib

# bound on a coefficient of an error
ERROR_BOUND = 42


def fingerprint_of(scheme, body):
    return hashlib.sha256(f"ringjet {scheme} parameters 2\0".encode() + body).digest()[:16]


class Body:
    """A reader with a position in the bytes of a body."""

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
SCHEMES = {"heaan": 2, "bgv": 3, "bfv": 3, "bgv_crt": 3}


def open_object(path):
    """The fingerprint and key identity in the header, and the body."""
    data = path.read_bytes()
    magic, version, scheme, kind, fingerprint, length, key = struct.unpack("<4sHBB16sQ16s", data[:48])
    assert (magic, version, length) == (b"RJET", 2, len(data)), path
    assert scheme == SCHEMES.get(path.parent.name, 1) and path.stem.startswith(OBJECTS[kind - 1]), path
    assert zlib.crc32(data[:-4]) == struct.unpack("<I", data[-4:])[0], path
    # only parameters and plaintexts do not belong to a secret; their key identity is zero
    assert (key == bytes(16)) == (OBJECTS[kind - 1] in ("parameters", "plaintext")), path
    return (fingerprint, key if any(key) else None), data[48:-4]


def check_header(found, params, stated):
    """Compares fingerprint and key identity with the stated ones."""
    fingerprint, key = found
    assert fingerprint == params.fingerprint and fingerprint.hex() == stated["fingerprint"]
    assert key is None or key.hex() == stated["key"]


def hexadecimal(x):
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


def take_slots(body, about, rows=1):
    """Reads the number of slots in a row, how many slots hold values, and whether all others are 0."""
    log_slots, count, zeros = body.unpack("BIB")
    slots = rows << log_slots
    assert 1 <= count <= slots and count == about["count"]
    assert zeros in (0, 1) and not (zeros and (count == slots or any(map(any, about["values"][count:]))))
    return log_slots


def take_range(body, about):
    """Reads bounds on values, and checks that they hold for the stated values."""
    magnitude, low, high, imaginary = bounds = body.unpack("4d")
    assert magnitude >= 0 and low <= high and imaginary >= 0 and all(map(math.isfinite, bounds))
    # the stated values were decrypted or rounded, so they may differ slightly from the encrypted
    # ones
    slack = 1e-6
    for re, im in about["values"]:
        assert math.hypot(re, im) <= magnitude + slack and abs(im) <= imaginary + slack
        assert low - slack <= re <= high + slack
    return magnitude


def take_noise(body, about, log_scale):
    """Reads estimate and bound of the error, bounds on the values, and the sources of the error."""
    variance, bound = body.unpack("2d")
    magnitude = take_range(body, about)
    if bound == sys.float_info.max:
        bound = math.inf
    sources, turned, mixed = int.from_bytes(body.take(16), "little"), *body.take(2)
    assert [hexadecimal(x) for x in (variance, bound, magnitude)] == about["noise"]
    # the bound holds for the worst slot, so it is at least as large as the estimate
    assert 0 < variance <= bound**2 and (bound == math.inf or math.log2(bound) < log_scale)
    assert sources and turned in (0, 1) and mixed in (0, 1)


def check_slots(coefficients, log_slots, scale, about, what):
    """Compares the values of a polynomial with the stated ones."""
    slots, worst = 1 << log_slots, 0
    y = coefficients[:: len(coefficients) // (2 * slots)]
    for j in range(slots):
        power = pow(5, j, 4 * slots)
        z = sum(c * cmath.exp(2j * cmath.pi * (k * power % (4 * slots)) / (4 * slots)) for k, c in enumerate(y)) / scale
        worst = max(worst, abs(z - complex(*about["values"][j])))
    assert worst < 1e-8, f"{what}: {worst}"
    print(f"  {what}: {slots} values within {worst:.1e}")


def ternary(data, n):
    """The coefficients of a secret. The number of decryptions shared under it comes after them."""
    body = Body(data)
    packed = body.take(n // 4)
    assert body.unpack("Q") == (0,)
    body.end()
    s = [(0, 1, None, -1)[packed[i // 4] >> 2 * (i % 4) & 3] for i in range(n)]
    assert set(s) == {-1, 0, 1}
    return s
