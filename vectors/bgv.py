"""The objects of BGV and BFV."""

import json
import math

import ckks
from objects import Body, check_header, fingerprint_of, hexadecimal, open_object, take_slots, ternary
from ring import Ring


class Parameters:
    def __init__(self, data):
        body = Body(data)
        self.log_n, self.t_primes = body.number(), body.list(body.long)
        self.n, self.t = 1 << self.log_n, math.prod(self.t_primes)
        self.q, self.p = body.list(body.long), body.list(body.long)
        bfv = body.flag()
        levels = body.option(lambda: body.list(lambda: body.list(body.number)))
        alpha, security, insecure, pieces = body.number(), body.number(), body.flag(), body.number()
        assert pieces == 1
        body.end()
        self.ring = {q: Ring(self.log_n, q) for q in self.q + self.p + self.t_primes}
        self.fingerprint = fingerprint_of("BGV", data)
        # the form that people write
        self.spec = {"log_n": self.log_n, "t": self.t_primes, "q": {"primes": self.q}, "p": {"primes": self.p}}
        self.spec |= {"product": "bfv" if bfv else "bgv", "alpha": alpha, "security": security}
        self.spec["allow_insecure"] = insecure
        if levels is not None:
            self.spec["levels"] = levels
        # for each level the indices of its primes; for each prime its digit. BFV has one level
        count = len(self.q)
        self.levels = levels or ([range(count)] if bfv else [range(l + 1) for l in range(count)])
        self.digit_of = [i // alpha for i in range(count)]
        self.top = len(self.levels) - 1

    basis, key = ckks.Parameters.basis, ckks.Parameters.key


def take_range(body, params):
    """Reads bounds on values: those of centred residues."""
    half = params.t // 2
    assert body.unpack("4d") == (half, -half, half, 0)


def take_noise(body, params, about):
    """Reads the bounds on w: the largest slot, the length of the coefficients, the largest coefficient."""
    bounds = body.unpack("3d")
    assert [hexadecimal(x) for x in bounds] == about["noise"]
    slot, length, largest = bounds
    assert 0 < largest <= length <= slot and math.isfinite(slot)
    take_range(body, params)
    return bounds


def check_slots(params, t, values, factor, about, what):
    """Compares the values modulo the prime t, in the order of the evaluation domain, with the stated
    slots: row 0 at the powers psi^(5^j), row 1 at psi^(-5^j)."""
    n = params.n
    value_at = dict(zip(params.ring[t].exponent, values))
    powers = [pow(5, j, 2 * n) for j in range(n // 2)]
    slots = [value_at[e] * pow(factor, -1, t) % t for e in powers + [2 * n - e for e in powers]]
    assert slots == [x % t for x in about["values"]] and max(map(abs, about["values"])) <= params.t // 2, what
    print(f"  {what}: {n} values are exact modulo {t}")


def take_position(params, body, about):
    """Reads the number of slots, the level, the correction factors, and whether it is a plaintext."""
    log_slots = take_slots(body, about, rows=2)
    level, *factors, plain = body.unpack("H4IB")
    count = len(params.t_primes)
    assert log_slots == params.log_n - 1 and factors[count:] == [1] * (4 - count)
    assert all(1 <= factor < t for factor, t in zip(factors, params.t_primes))
    return level, factors[:count], plain


def check_ciphertext(params, body, s, about, what):
    level, factors, plain = take_position(params, body, about)
    assert not plain
    _, length, largest = take_noise(body, params, about)
    (polys,) = body.unpack("B")
    seed = body.option(lambda: body.take(32))
    basis = params.basis(level)
    assert (polys, level, factors) == (about["polynomials"], about["level"], about["factors"])
    assert (seed and seed.hex()) == about["seed"]
    for i, (t, factor) in enumerate(zip(params.t_primes, factors)):
        read = [body.polynomial(params.n, basis) for _ in range(polys - bool(seed))]
        if seed:
            read.append(ckks.expand(params, seed, i, basis))
        # w = t * (c_0 + c_1 * s), or t^2 * (c_0 + c_1 * s + c_2 * s^2)
        limbs = []
        for limb, q in enumerate(basis):
            s_q, value = params.ring[q].evaluate(s), read[-1][limb]
            for poly in reversed(read[:-1]):
                value = ckks.mul_add(value, s_q, poly[limb], q)
            limbs.append([x * t ** (polys - 1) % q for x in value])
        w = ckks.centred(limbs, basis, params)
        left = math.log2(ckks.product(basis) / 2 / max(map(abs, w)))
        assert left > 1, f"{what}: {left} bits are left"
        assert max(map(abs, w)) <= largest and sum(x * x for x in w) <= length**2, what
        check_slots(params, t, params.ring[t].evaluate([x % t for x in w]), factor, about, what)


def check(folder):
    stated = json.loads((folder / "values.json").read_text())
    params = Parameters(open_object(folder / "parameters.rjet")[1])
    assert params.spec == stated["objects"]["parameters"], params.spec
    n, t = params.n, params.t_primes[0]
    print(f"{folder.name}: N = {n}, t = {params.t_primes}, {len(params.q)} + {len(params.p)} primes")
    s = ternary(open_object(folder / "secret_key.rjet")[1], n)

    def relinearisation(ring):
        """t * s^2 for the first prime t: a product lacks a factor t, which its relinearisation supplies."""
        return [t * x * x % ring.q for x in ring.evaluate(s)]

    def galois(ring):
        return ring.evaluate(s)

    for name, about in stated["objects"].items():
        header, data = open_object(folder / f"{name}.rjet")
        check_header(header, params, stated)
        body = Body(data)
        if name == "public_key":
            basis = params.p[-1:] + params.basis(params.top)
            seed, b = body.take(32), body.polynomial(n, basis)
            a = ckks.expand(params, seed, 0, basis)
            error = [ckks.mul_add(x, params.ring[q].evaluate(s), y, q) for q, x, y in zip(basis, a, b)]
            ckks.check_error(error, basis, params, name)
        elif name == "switching_key":
            ckks.check_switching_key(params, body, s, relinearisation, name)
        elif name == "evaluation_keys":
            elements = []
            for _ in range(body.unpack("I")[0]):
                elements += (element := body.unpack("I"))
                to, source = (ckks.turned(params, s, *element), galois) if element[0] else (s, relinearisation)
                ckks.check_switching_key(params, body, to, source, f"{name}, element {element[0]}")
            # relinearisation, rotations by 1 and -3, swapping of rows
            assert elements == sorted({0, 5, pow(5, -3, 2 * n), 2 * n - 1})
            assert not body.flag()
        elif name == "plaintext":
            level, factors, plain = take_position(params, body, about)
            assert (level, factors, plain) == (about["level"], [1] * len(params.t_primes), 1)
            take_range(body, params)
            for prime, values in zip(params.t_primes, body.polynomial(n, params.t_primes)):
                check_slots(params, prime, values, 1, about, name)
        elif name.startswith("ciphertext"):
            check_ciphertext(params, body, s, about, name)
        else:
            continue
        body.end()
