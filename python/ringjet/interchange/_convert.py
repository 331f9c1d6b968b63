"""From secrets and ciphertexts of other libraries to objects of ringjet."""

from __future__ import annotations

import hashlib
import math
import numbers
import secrets
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

import numpy as np

from .._ringjet import Client, Parameters, bgv, params
from . import _wire
from ._ring import Limb, is_prime, times
from ._stream import malformed, refuse, unsupported

#: Degrees of rings, and bits of primes, that ringjet computes with.
LOG_N = range(10, 18)
PRIME_BITS = range(14, 61)

#: Bounds on fresh errors are this many standard deviations.
_DEVIATIONS = 8.0


def _is_number(value: object) -> TypeGuard[float]:
    """Whether the value is a number of at least 0, and finite."""
    try:
        return isinstance(value, numbers.Real) and 0 <= float(value) < math.inf
    except OverflowError:
        return False


def expect_parameters(what: str, degree: int, primes: tuple[int, ...], t: int | None) -> None:
    """Refuses rings and moduli that ringjet does not compute with."""
    if degree < 1 or degree.bit_count() != 1 or degree.bit_length() - 1 not in LOG_N:
        unsupported(what, f"a ring of degree {degree}", "degrees 2^10 to 2^17")
    for q in primes:
        if q % (2 * degree) != 1 or q.bit_length() not in PRIME_BITS or not is_prime(q):
            unsupported(what, f"the modulus {q}", f"primes of 14 to 60 bits that are 1 modulo {2 * degree}")
    if t is not None and (t % (2 * degree) != 1 or t.bit_length() > 30 or not is_prime(t)):
        unsupported(what, f"t = {t}", f"primes t below 2^30 that are 1 modulo {2 * degree} (batching)")


def parameters(
    scheme: Literal["ckks", "bfv", "bgv"],
    degree: int,
    t: int | None,
    scale_bits: int | None,
    *,
    q: Sequence[int],
    p: Sequence[int] | None,
    p_bits: Sequence[int] | None,
    security: Literal[128, 192, 256],
    allow_insecure: bool,
) -> Parameters:
    """ringjet's parameters of this ring, with these ciphertext primes, and digits of one prime."""
    log_n = degree.bit_length() - 1
    if scheme != "ckks":
        if scale_bits is not None:
            refuse("scale_bits", scale_bits, f"None ({scheme.upper()} has no scale)")
        return bgv(
            log_n, t, q=q, p=p, p_bits=p_bits, scheme=scheme, alpha=1, security=security, allow_insecure=allow_insecure
        )
    if not isinstance(scale_bits, numbers.Integral):
        refuse("scale_bits", scale_bits, "an integer, the binary logarithm of the scale of the ciphertexts")
    return params(
        log_n,
        scale_bits=scale_bits,
        q=q,
        p=p,
        p_bits=p_bits,
        alpha=1,
        security=security,
        allow_insecure=allow_insecure,
    )


def expect_ring(what: str, made: Parameters, scheme: Literal["ckks", "bfv", "bgv"], degree: int, t: int | None) -> None:
    """Refuses parameters of ringjet for another scheme, ring or plaintext modulus."""
    if (made.scheme, 1 << made.log_n, made.t) != (scheme, degree, t):
        found = f"parameters of {made.scheme.upper()} with N = {1 << made.log_n}, t = {made.t}"
        unsupported(what, found, f"those of `to_ringjet`: {scheme.upper()}, N = {degree}, t = {t}")


def client(what: str, made: Parameters, coefficients: Limb, q: int) -> Client:
    """A client whose secret has these coefficients, residues modulo q. Its key identity is a hash of the secret."""
    minus = coefficients == np.uint64(q - 1)
    ternary = np.where(minus, -1, coefficients.astype(np.int64))
    if ternary.max() > 1:
        malformed(what, "the coefficients of the secret are not 0, 1 and -1", 0)
    body = _wire.ternary(ternary)
    key_id = hashlib.sha256(b"ringjet key identity of another library's secret\0" + body).digest()[:16]
    data = _wire.framed(made, _wire.SECRET_KEY, key_id, body)
    return Client.from_secret_bytes(data, params=made, allow_insecure=made.allow_insecure)


@dataclass(frozen=True)
class Source:
    """What a ciphertext of another library is, besides its residues."""

    what: str
    scheme: Literal["ckks", "bfv", "bgv"]
    degree: int
    t: int | None
    #: The primes of the ciphertext.
    primes: tuple[int, ...]
    #: Number of slots in all rows.
    slots: int
    #: The scale of CKKS.
    scale: float
    #: What BGV multiplied the message by.
    factor: int
    #: Variance of a coefficient of the error of a fresh encryption.
    variance: float
    #: Bound on the coefficients of the message in t times the phase of BFV, or in the phase of BGV.
    message: float

    @property
    def level(self) -> int:
        """ringjet's level: one less than the number of primes, and 0 in BFV."""
        return 0 if self.scheme == "bfv" else len(self.primes) - 1

    def to_ringjet(
        self,
        polynomials: list[list[Limb]],
        made: Parameters,
        key_id: str,
        magnitude: float | None,
        real: bool,
        error: float | None,
        noise_budget: float | None,
    ) -> bytes:
        """The bytes of a ciphertext with these polynomials, whose limbs are in the evaluation domain."""
        try:
            key = bytes.fromhex(key_id) if isinstance(key_id, str) else b""
        except ValueError:
            key = b""
        if len(key) != 16 or not any(key):
            refuse("key_id", key_id, "the `key_id` of a client, 32 hexadecimal digits,")
        expect_ring(self.what, made, self.scheme, self.degree, self.t)
        level = made.levels[self.level : self.level + 1]
        if tuple(made.q[: len(self.primes)]) != self.primes or [x["primes"] for x in level] != [len(self.primes)]:
            unsupported(self.what, f"one modulo the primes {self.primes}", "moduli of a level of `params`")
        if self.scheme == "ckks":
            if noise_budget is not None:
                refuse("noise_budget", noise_budget, "None (of CKKS, state `error`)")
            body = self._approximate(magnitude, real, error)
        else:
            for name, value in {"magnitude": magnitude, "error": error, "real": None if real else real}.items():
                if value is not None:
                    refuse(name, value, "nothing (of integers, state `noise_budget`)")
            body = self._exact(noise_budget)
        body += struct.pack("<BB", len(polynomials), 0)
        # ringjet's message is t times the phase of two polynomials, t**2 times that of three
        power = 0 if self.t is None else len(polynomials) - 1 - (self.scheme == "bfv")
        for limbs in polynomials:
            for limb, q in zip(limbs, self.primes, strict=True):
                body += _wire.packed(times(limb, pow(self.t or 1, -power, q), q) if power else limb, q)
        return _wire.framed(made, _wire.CIPHERTEXT, key, body)

    def _head(self, rows: int) -> bytes:
        return struct.pack("<BIBH", (self.slots // rows).bit_length() - 1, self.slots, 0, self.level)

    def _approximate(self, magnitude: float | None, real: bool, error: float | None) -> bytes:
        """The fields of CKKS before the polynomials."""
        if not _is_number(magnitude):
            refuse("magnitude", magnitude, "a number, the largest absolute value of a slot,")
        if error is not None and not _is_number(error):
            refuse("error", error, "None or a number, the standard deviation of a value's error")
        # a slot depends on 2 * slots coefficients; 1/12: the rounding of the encoded message
        variance = 2 * self.slots * (self.variance + 1 / 12) if error is None else (error * self.scale) ** 2
        bounds = (magnitude, -magnitude, magnitude, 0.0 if real else magnitude)
        source = 1 << secrets.randbelow(128)
        head = self._head(1) + struct.pack("<2d6d", self.scale, 0.0, variance, _wire.UNBOUNDED, *bounds)
        return head + source.to_bytes(16, "little") + bytes([1, 1])

    def _exact(self, noise_budget: float | None) -> bytes:
        """The fields of BFV and BGV before the polynomials."""
        degree, t, bits = self.degree, self.t or 1, math.prod(self.primes).bit_length()
        if noise_budget is None:
            deviation = t * math.sqrt(self.variance + 1 / 12)
            largest = self.message + _DEVIATIONS * deviation
            length = math.sqrt(degree) * (self.message + 2 * deviation)
            slot = degree * self.message + _DEVIATIONS * math.sqrt(degree) * deviation
        elif _is_number(noise_budget) and noise_budget < bits:
            largest = 2.0 ** (bits - noise_budget - 1)
            length, slot = math.sqrt(degree) * largest, degree * largest
        else:
            refuse("noise_budget", noise_budget, f"a number of bits from 0 to {bits - 1}")
        factor, half = (-math.prod(self.primes) % t if self.scheme == "bfv" else self.factor), (t - 1) / 2
        bounds = (half, -half, half, 0.0)
        return self._head(2) + struct.pack("<4IB7d", factor, 1, 1, 1, 0, slot, length, largest, *bounds)
