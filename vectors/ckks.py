"""The objects of CKKS."""

import json
import math

from objects import (
    ERROR_BOUND,
    Body,
    check_header,
    check_slots,
    fingerprint_of,
    hexadecimal,
    open_object,
    take_noise,
    take_range,
    take_slots,
    ternary,
)
from ring import Ring, uniform


# left out of the form that people write
DEFAULTS = [("passes", 1), ("matrix_keys", False), ("baby_steps", 0), ("sine", False)]


class Parameters:
    def __init__(self, data):
        body = Body(data)
        self.log_n = body.number()
        self.n = 1 << self.log_n
        self.q, self.p = body.list(body.long), body.list(body.long)
        scale_bits, self.alpha, security, insecure = body.number(), body.number(), body.number(), body.flag()
        levels = body.option(
            lambda: body.list(lambda: {"primes": body.list(body.number), "scale": body.option(body.long)})
        )
        self.bootstrap = body.option(lambda: self._bootstrap(body))
        sizes, self.pieces = body.option(lambda: body.list(body.number)), body.number()
        body.end()
        self.ring = {q: Ring(self.log_n, q) for q in self.q + self.p}
        self.fingerprint = fingerprint_of("CKKS", data)
        # the form that people write
        spec = {"log_n": self.log_n, "q": {"primes": self.q}, "p": {"primes": self.p}, "scale_bits": scale_bits}
        spec |= {"alpha": self.alpha, "security": security, "allow_insecure": insecure}
        if levels is not None:
            spec["levels"] = [{key: value for key, value in level.items() if value is not None} for level in levels]
        if self.bootstrap is not None:
            spec["bootstrap"] = {k: v for k, v in self.bootstrap.items() if (k, v) not in DEFAULTS}
        if sizes is not None:
            spec["digits"] = sizes
        if self.pieces != 1:
            spec["pieces"] = self.pieces
        self.spec = spec
        # for each level the indices of its primes; for each prime its digit
        self.levels = [l["primes"] for l in levels] if levels else [range(l + 1) for l in range(len(self.q))]
        sizes = sizes or [self.alpha] * len(self.q)
        self.digit_of = [d for d, size in enumerate(sizes) for _ in range(size)]
        self.top = len(self.levels) - 1 - self._upper_levels()

    @staticmethod
    def _bootstrap(body):
        out = {"slots_to_coeffs": body.list(body.number), "coeffs_to_slots": body.list(body.number)}
        out["slots_to_coeffs_first"] = body.flag()
        out |= {name: body.number() for name in "k degree double_angles arcsine passes secret_weight".split()}
        return out | {"matrix_keys": body.flag(), "baby_steps": body.number(), "sine": body.flag()}

    def _upper_levels(self):
        """The number of levels for bootstrapping above the message levels."""
        if not (b := self.bootstrap):
            return 0
        arcsine = b["arcsine"].bit_length() if b["arcsine"] > 1 else 0
        last = 0 if b["slots_to_coeffs_first"] else len(b["slots_to_coeffs"])
        return last + b["degree"].bit_length() + b["double_angles"] + arcsine + len(b["coeffs_to_slots"])

    def basis(self, level):
        return [self.q[i] for i in self.levels[level]]

    def key(self, level):
        """For a key that serves levels up to `level`: the primes of q, and the primes of each
        digit."""
        primes = sorted({i for set_ in self.levels[: level + 1] for i in set_})
        digits = {}
        for i in primes:
            digits.setdefault(self.digit_of[i], []).append(self.q[i])
        return [self.q[i] for i in primes], list(digits.values())


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
    """The secret under the inverse automorphism: s(X^(1/element))."""
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
    """Checks seed and digits of a key that switches to the secret `to`. `source(ring)` gives the
    values of the secret that it switches from."""
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
    assert body.take(1) == b"\x01", "a seed"
    check_digits(params, body, params.p, *params.key(level), to, source, what)
    return level


def sparse_secret(params, data, s):
    """Computes the ephemeral secret t as the owner of s: from b_0 + a_0 * s in the key that
    switches from t to s."""
    body = Body(data)
    primes, digits = params.key(body.unpack("I")[0])
    assert body.take(1) == b"\x01", "a seed"
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
    """Checks the keys to and from the ephemeral secret. The key to it is stored first, but only the
    key from it lets s reveal the secret."""
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
            shape = take_slots(body, about), *body.unpack("Hdd")
            take_range(body, about)
            check_values(params, [body.polynomial(n, params.basis(shape[1]))], s, shape, about, name)
        elif name.startswith("ciphertext"):
            shape = take_slots(body, about), *body.unpack("Hdd")
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
