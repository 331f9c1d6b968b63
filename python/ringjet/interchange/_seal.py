"""Parameters, secret keys and ciphertexts of Microsoft SEAL 4."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from .._ringjet import Client, Parameters
from ..errors import _made
from ._convert import Source, client, expect_parameters, expect_ring, parameters
from ._ring import slots_of_generator_3, to_coefficients, to_evaluation
from ._seeds import SEED, expanded
from ._stream import Members, malformed, opened, unsupported

_SCHEMES: dict[int, Literal["ckks", "bfv", "bgv"]] = {1: "bfv", 2: "ckks", 3: "bgv"}

#: Variance of a coefficient of SEAL's errors: a centred binomial distribution of 42 bits.
_ERROR_VARIANCE = 10.5


@dataclass(frozen=True)
class SealParameters:
    """The encryption parameters of SEAL."""

    scheme: Literal["ckks", "bfv", "bgv"]
    #: The degree N of the ring.
    degree: int
    #: The primes of `coeff_modulus`, in SEAL's order: the last one is the special prime of key switching.
    primes: tuple[int, ...]
    #: The plaintext modulus; None for CKKS.
    t: int | None

    @staticmethod
    def from_bytes(data: bytes | bytearray, *, max_bytes: int = 1 << 16) -> SealParameters:
        """From what `EncryptionParameters.save` of SEAL 4 writes."""
        members = opened("SEAL parameters", data, max_bytes)
        scheme, degree, count = members.read("BQQ")
        if scheme not in _SCHEMES:
            unsupported("SEAL parameters", f"scheme {scheme}", "CKKS, BFV and BGV")
        if not 1 <= count <= 64:
            members.malformed(f"{count} primes, where 1 to 64 belong")
        primes = tuple(members.inner("Q")[0] for _ in range(count))
        (t,) = members.inner("Q")
        members.end()
        expect_parameters("SEAL parameters", degree, primes, t if scheme != 2 else None)
        return SealParameters(_SCHEMES[scheme], degree, primes, t if scheme != 2 else None)

    def to_ringjet(
        self,
        *,
        scale_bits: int | None = None,
        p_bits: Sequence[int] | None = None,
        security: Literal[128, 192, 256] = 128,
        allow_insecure: bool = False,
    ) -> Parameters:
        """ringjet's parameters with the same ring, primes and plaintext modulus.

        scale_bits: of CKKS, where it is needed: binary logarithm of the scale of the ciphertexts. p_bits: sizes of special
        primes, instead of SEAL's, which may be too small for ringjet's keys. security, allow_insecure: as for
        `ringjet.params`, which checks the primes; its limits are those of 2024, which are lower than SEAL's.
        """
        if len(self.primes) == 1:
            unsupported("SEAL parameters", "a single prime", "two primes or more: the last one is for keys")
        return parameters(
            self.scheme,
            self.degree,
            self.t,
            scale_bits,
            q=self.primes[:-1],
            p=self.primes[-1:] if p_bits is None else None,
            p_bits=p_bits,
            security=security,
            allow_insecure=allow_insecure,
        )

    def client(self, secret_key: bytes | bytearray, params: Parameters, *, max_bytes: int | None = None) -> Client:
        """A client with the secret of SEAL. It decrypts ciphertexts of SEAL that were read, and makes keys to compute on
        them. Its `key_id` is a hash of the secret, the same in every process.

        secret_key: what `SecretKey.save` of SEAL 4 writes. params: ringjet's parameters of the same degree, such as
        `to_ringjet` returns. max_bytes: the longest key that is read, also after it was decompressed; by default as
        these parameters need. Python holds the secret in memory that is not wiped.
        """
        what = "SEAL secret key"
        expect_ring(what, params, self.scheme, self.degree, self.t)
        members = opened(what, secret_key, self._limit(1) if max_bytes is None else max_bytes, "secret_key")
        parms_id, count, _ = members.read("32sQd")
        self._expect_parms_id(what, parms_id, self._parms_id(len(self.primes)))
        size = len(self.primes) * self.degree
        if count != size:
            members.malformed(f"{count} coefficients, where {size} belong")
        limbs = members.words((size,)).reshape(len(self.primes), self.degree)
        members.end()
        q = self.primes[0]
        residues = to_coefficients(limbs[0] % np.uint64(q), q)
        return client(what, params, residues, q)

    def slot_order(self) -> npt.NDArray[np.intp]:
        """For each slot of SEAL, the index of the slot of ringjet that holds its value: `client.decrypt(y)[order]` are the
        values in SEAL's order. SEAL numbers slots by powers of 3 where ringjet has powers of 5. Of CKKS, every second slot
        holds the complex conjugate. SEAL's rotation by one slot to the left is ringjet's by `order[1]`, of BFV and BGV
        with rows swapped."""
        return slots_of_generator_3(self.degree, 1 if self.scheme == "ckks" else 2)

    def _limit(self, polynomials: int) -> int:
        """More bytes than an object of this many polynomials has, compressed or not."""
        return polynomials * len(self.primes) * self.degree * 9 + (1 << 16)

    def _parms_id(self, count: int) -> bytes:
        """SEAL's identity of the parameters with the first `count` primes."""
        number = {name: code for code, name in _SCHEMES.items()}[self.scheme]
        words = (number, self.degree, *self.primes[:count], self.t or 0)
        return hashlib.blake2b(struct.pack(f"<{len(words)}Q", *words), digest_size=32).digest()

    @staticmethod
    def _expect_parms_id(what: str, found: bytes, expected: bytes) -> None:
        if found != expected:
            fields = {"what": what, "expected": expected.hex(), "found": found.hex()}
            message = f"{what}: it belongs to SEAL's parameters {found.hex()}, not to {expected.hex()}"
            raise _made("ParameterMismatchError", message, fields)


@dataclass(frozen=True, eq=False)
class SealCiphertext:
    """A ciphertext of SEAL."""

    parameters: SealParameters
    #: Residues of each polynomial modulo each prime, N of them: an array of shape (polynomials, limbs, N).
    residues: npt.NDArray[np.uint64] = field(repr=False)
    #: Whether residues are in the evaluation domain. They are in CKKS and BGV.
    ntt_form: bool
    #: The scale of CKKS; 1 otherwise.
    scale: float
    #: The correction factor of BGV; 1 otherwise.
    correction_factor: int

    @staticmethod
    def from_bytes(
        data: bytes | bytearray, parameters: SealParameters, *, max_bytes: int | None = None
    ) -> SealCiphertext:
        """From what `Ciphertext.save` of SEAL 4 writes; also with a seed for the second polynomial.

        max_bytes: the longest ciphertext that is read, also after it was decompressed; by default as three polynomials
        of these parameters need.
        """
        what = "SEAL ciphertext"
        members = opened(what, data, parameters._limit(3) if max_bytes is None else max_bytes)
        parms_id, ntt_form, size, degree, limbs, scale, factor = members.read("32sBQQQdQ")
        if ntt_form > 1 or degree != parameters.degree or not 1 <= limbs <= len(parameters.primes):
            members.malformed(f"{limbs} limbs of {degree} residues do not fit the parameters")
        parameters._expect_parms_id(what, parms_id, parameters._parms_id(limbs))
        if limbs == len(parameters.primes) > 1:
            unsupported(what, "one modulo the special prime, as in public keys", "ciphertexts without it")
        if not 2 <= size <= 3:
            unsupported(what, f"one of {size} polynomials", "2 or 3 polynomials: relinearize it first")
        if not (math.isfinite(scale) and scale > 0) or not 1 <= factor < (parameters.t or 2):
            members.malformed(f"scale {scale}, correction factor {factor}")
        primes, words = parameters.primes[:limbs], limbs * degree
        seeded = (words,) if size == 2 else ()
        read = members.words((size * words, *seeded))
        if len(read) == words:
            read = np.concatenate([read, _seeded(members, primes, degree).reshape(-1)])
        members.end()
        residues = read.reshape(size, limbs, degree)
        if (residues >= np.array(primes, np.uint64)[:, None]).any():
            malformed(what, "a residue is not below its prime", members.offset)
        return SealCiphertext(parameters, residues, ntt_form == 1, scale, factor)

    @property
    def level(self) -> int:
        """ringjet's level: one less than the number of primes, and 0 in BFV."""
        return self._source.level

    def to_ringjet(
        self,
        params: Parameters,
        key_id: str,
        *,
        magnitude: float | None = None,
        real: bool = True,
        error: float | None = None,
        noise_budget: float | None = None,
    ) -> bytes:
        """The bytes of a ciphertext of ringjet with the same values, for `Server.load` and `Client.decrypt`. Values are in
        ringjet's order of slots, see `SealParameters.slot_order`.

        params: parameters whose first ciphertext primes are those of SEAL, such as `to_ringjet` returns. key_id: that of
        `SealParameters.client`. The bytes of SEAL do not say how large values and noise are, so it is stated here, and
        ringjet relies on it. magnitude: of CKKS, needed: the largest absolute value of a slot. real: whether all
        imaginary parts are 0. error: of CKKS, the standard deviation of a value's error. noise_budget: of BFV and BGV,
        what SEAL's `invariant_noise_budget` says. Without error and noise_budget the ciphertext must be a fresh encryption.
        """
        primes = self.parameters.primes[: self.residues.shape[1]]
        polynomials = [
            [limb if self.ntt_form else to_evaluation(limb, q) for limb, q in zip(polynomial, primes, strict=True)]
            for polynomial in self.residues
        ]
        return self._source.to_ringjet(polynomials, params, key_id, magnitude, real, error, noise_budget)

    @property
    def _source(self) -> Source:
        scheme, degree, t = self.parameters.scheme, self.parameters.degree, self.parameters.t
        return Source(
            what="SEAL ciphertext",
            scheme=scheme,
            degree=degree,
            t=t,
            primes=self.parameters.primes[: self.residues.shape[1]],
            slots=degree // 2 if scheme == "ckks" else degree,
            scale=self.scale,
            factor=self.correction_factor,
            # SEAL encrypts modulo one prime more and divides by it, which leaves a rounding error for each of 1 and the
            # ternary secret; with the secret key, the error itself is left
            variance=_ERROR_VARIANCE + (1 + 2 * degree / 3) / 12,
            message=(t or 0) / 2,
        )


def _seeded(members: Members, primes: tuple[int, ...], degree: int) -> npt.NDArray[np.uint64]:
    """The polynomial of the seed that comes next."""
    kind, seed = members.inner(f"B{SEED}s")
    if kind != 1:
        unsupported(members.what, f"a seed of generator {kind}", "seeds of generator 1 (BLAKE2xb)")
    return expanded(seed, primes, degree)
