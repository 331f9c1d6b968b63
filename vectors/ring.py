"""The uniform stream and the evaluation domain, in slow and obvious code."""

import struct
from itertools import count


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
    """Residues of the public uniform stream: segments of 256 residues, with rejection."""
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
    """The ring Z_q[X]/(X^N + 1) for one prime q. Elements are values in the order of the evaluation
    domain."""

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
        """The values of a polynomial at the powers 1, 3, 5, ... of the root, by decimation in
        time."""
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
