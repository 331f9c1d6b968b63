"""Parameters, secret keys and ciphertexts of OpenFHE, from the JSON that it writes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from .._ringjet import Client, Parameters
from ._convert import PRIME_BITS, Source, client, expect_parameters, expect_ring, parameters
from ._ring import Limb, divided, order_of_root, to_coefficients
from ._stream import expect_size, malformed, refuse, unsupported

_SCHEMES: dict[str, Literal["ckks", "bfv", "bgv"]] = {
    "lbcrypto::CryptoParametersCKKSRNS": "ckks",
    "lbcrypto::CryptoParametersBFVRNS": "bfv",
    "lbcrypto::CryptoParametersBGVRNS": "bgv",
}

#: OpenFHE's numbers of the encodings of slots.
_ENCODINGS = {"ckks": 4, "bfv": 2, "bgv": 2}

#: Uniform ternary secrets.
_TERNARY = 1

#: The scaling techniques of CKKS: FIXEDMANUAL, FIXEDAUTO, FLEXIBLEAUTO, FLEXIBLEAUTOEXT. With the last two the scale of
#: fresh ciphertexts is a prime, and with the last one they have one prime more.
_TECHNIQUES = (0, 1, 2, 3)
_FLEXIBLE, _EXTRA_PRIME = 2, 3


@dataclass(frozen=True)
class OpenfheParameters:
    """The parameters in a crypto context of OpenFHE."""

    scheme: Literal["ckks", "bfv", "bgv"]
    #: The degree N of the ring.
    degree: int
    #: The ciphertext primes. With CKKS and the technique FLEXIBLEAUTOEXT the last one is of fresh ciphertexts alone: it is
    #: divided away when they are read.
    primes: tuple[int, ...]
    #: The plaintext modulus; None for CKKS.
    t: int | None
    #: The root of unity with which OpenFHE transforms, modulo each prime.
    roots: tuple[int, ...] = field(repr=False)
    #: Standard deviation of a coefficient of a fresh error.
    deviation: float
    #: The first so many of the primes are those of `to_ringjet`.
    kept: int = field(repr=False)
    #: The scale of fresh ciphertexts of CKKS modulo these primes; 1 otherwise.
    scale: int

    @staticmethod
    def from_json(data: str | bytes, *, max_bytes: int = 16 << 20) -> OpenfheParameters:
        """From what `openfhe.Serialize(x, openfhe.JSON)` returns of a crypto context, a key or a ciphertext.

        max_bytes: the longest text that is read, without its white space. Reading takes up to 27 times as much memory.
        A key or a ciphertext may need a larger one.
        """
        what = "OpenFHE context"
        return _context(what, _Reader(what, data, max_bytes).find_context())

    def to_ringjet(
        self,
        *,
        p_bits: Sequence[int] = (60,),
        security: Literal[128, 192, 256] = 128,
        allow_insecure: bool = False,
    ) -> Parameters:
        """ringjet's parameters with the same ring, ciphertext primes, plaintext modulus and scale.

        p_bits: sizes of special primes, which OpenFHE does not store. security, allow_insecure: as for `ringjet.params`,
        which checks the primes; its limits are those of 2024.
        """
        made = parameters(
            self.scheme,
            self.degree,
            self.t,
            round(math.log2(self.scale)) if self.scheme == "ckks" else None,
            q=self.primes[: self.kept],
            p=None,
            p_bits=p_bits,
            security=security,
            allow_insecure=allow_insecure,
        )
        if self.scale in (1, 1 << made.scale_bits):
            return made
        # every level's scale follows from that of the top level
        levels: list[dict[str, Any]] = [{"primes": list(range(level + 1)), "scale": None} for level in range(self.kept)]
        levels[-1]["scale"] = self.scale
        return Parameters.from_json(
            json.dumps(json.loads(made.to_json()) | {"levels": levels}), allow_insecure=allow_insecure
        )

    def client(self, secret_key: str | bytes, params: Parameters, *, max_bytes: int | None = None) -> Client:
        """A client with the secret of OpenFHE. It decrypts ciphertexts of OpenFHE that were read, and makes keys to compute
        on them. Its `key_id` is a hash of the secret, the same in every process.

        secret_key: what `openfhe.Serialize(secret_key, openfhe.JSON)` returns. params: ringjet's parameters of the same
        degree, such as `to_ringjet` returns. max_bytes: the longest text that is read, without its white space; by
        default as these parameters need. Python holds the secret in memory that is not wiped.
        """
        what = "OpenFHE secret key"
        expect_ring(what, params, self.scheme, self.degree, self.t)
        reader = _Reader(what, secret_key, self._limit(1) if max_bytes is None else max_bytes, "secret_key")
        self._expect_same(what, _context(what, reader.find_context()))
        limbs = self._polynomial(reader, reader.at(reader.top, "s"))
        return client(what, params, to_coefficients(limbs[0], self.primes[0]), self.primes[0])

    def slot_order(self) -> npt.NDArray[np.intp]:
        """For each slot of OpenFHE, the index of the slot of ringjet that holds its value: `client.decrypt(y)[order]` are
        the values in OpenFHE's order. It is the same order in CKKS."""
        return np.arange(self.degree // 2 if self.scheme == "ckks" else self.degree)

    def _expect_same(self, what: str, found: OpenfheParameters) -> None:
        if found != self:
            names = [x.name for x in fields(self) if getattr(found, x.name) != getattr(self, x.name)]
            unsupported(what, f"one of other parameters ({', '.join(names)} differ), {found}", f"objects of {self}")

    def _limit(self, polynomials: int) -> int:
        """More characters than an object of this many polynomials has without white space: up to 20 for a residue of
        60 bits, and the context."""
        return polynomials * len(self.primes) * self.degree * 24 + (1 << 20)

    def _polynomial(self, reader: _Reader, data: Any) -> list[Limb]:
        """The limbs of a polynomial, in the evaluation domain."""
        if reader.at(data, "f") != 0:
            unsupported(reader.what, "a polynomial of coefficients", "polynomials in the evaluation format")
        towers = reader.at(data, "v")
        if not isinstance(towers, list) or not 1 <= len(towers) <= len(self.primes):
            reader.malformed(f"not 1 to {len(self.primes)} towers")
        limbs = []
        for tower, q, root in zip(towers, self.primes, self.roots, strict=False):
            vector = reader.at(tower, "v", "ptr_wrapper", "data")
            values, order = reader.at(vector, "v"), order_of_root(root, q, self.degree)
            if reader.at(vector, "m", "v") != q or order is None:
                reader.malformed(f"a tower whose modulus is not {q}, or without a root of unity")
            if not isinstance(values, list) or len(values) != self.degree:
                reader.malformed(f"a tower without {self.degree} residues")
            if not all(type(x) is int and 0 <= x < q for x in values):
                reader.malformed(f"a residue that is not below {q}")
            limb = np.empty(self.degree, np.uint64)
            limb[order] = np.array(values, np.uint64)
            limbs.append(limb)
        return limbs


@dataclass(frozen=True, eq=False)
class OpenfheCiphertext:
    """A ciphertext of OpenFHE."""

    parameters: OpenfheParameters
    #: Residues of each polynomial modulo each prime, in ringjet's order of the evaluation domain: an array of shape
    #: (polynomials, limbs, N).
    residues: npt.NDArray[np.uint64] = field(repr=False)
    #: Number of slots: with CKKS perhaps fewer than N / 2.
    slots: int
    #: The scale of CKKS; 1 otherwise.
    scale: float
    #: The scaling factor of BGV; 1 otherwise.
    factor: int
    #: Variance of a coefficient of the error, of a fresh encryption.
    variance: float = field(repr=False)

    @staticmethod
    def from_json(
        data: str | bytes, parameters: OpenfheParameters, *, max_bytes: int | None = None
    ) -> OpenfheCiphertext:
        """From what `openfhe.Serialize(ciphertext, openfhe.JSON)` returns.

        max_bytes: the longest text that is read, without its white space; by default as three polynomials of these
        parameters need.
        """
        what, scheme, degree = "OpenFHE ciphertext", parameters.scheme, parameters.degree
        reader = _Reader(what, data, parameters._limit(3) if max_bytes is None else max_bytes)
        top = reader.top
        if reader.at(top, "cereal_class_version") != 1:
            unsupported(what, f"class version {top['cereal_class_version']}", "version 1")
        parameters._expect_same(what, _context(what, reader.find_context()))
        if reader.at(top, "e") != _ENCODINGS[scheme]:
            unsupported(what, f"plaintext encoding {top['e']}", f"packed values (encoding {_ENCODINGS[scheme]})")
        polynomials = reader.at(top, "v")
        if not isinstance(polynomials, list):
            reader.malformed("no list of polynomials")
        if not 2 <= len(polynomials) <= 3:
            unsupported(what, f"one of {len(polynomials)} polynomials", "2 or 3 polynomials: relinearize it first")
        limbs = [parameters._polynomial(reader, polynomial) for polynomial in polynomials]
        if len({len(x) for x in limbs}) != 1:
            reader.malformed("polynomials of different numbers of towers")
        scale, factor = reader.at(top, "s"), reader.at(top, "si", "v")
        # the public key's error times a ternary polynomial, an error, and an error times the ternary secret
        variance = parameters.deviation**2 * (4 * degree / 3 + 1)
        if len(limbs[0]) > parameters.kept:
            # what is left is a rounding error for each of 1 and the secret
            variance = variance / parameters.primes[-1] ** 2 + (1 + 2 * degree / 3) / 12
            limbs = [divided(x, parameters.primes) for x in limbs]
            scale = scale / parameters.primes[-1] if isinstance(scale, float) else scale
        slots = reader.at(top, "sl") if scheme == "ckks" else degree
        if not (isinstance(scale, float) and math.isfinite(scale) and scale > 0):
            reader.malformed(f"a scale of {scale}")
        if type(factor) is not int or not 1 <= factor < (parameters.t or 2):
            reader.malformed(f"a scaling factor of {factor}")
        if type(slots) is not int or slots < 1 or slots.bit_count() != 1 or (scheme == "ckks" and slots > degree // 2):
            unsupported(what, f"{slots} slots", f"a power of two, at most {degree // 2}")
        scale = scale if scheme == "ckks" else 1.0
        return OpenfheCiphertext(parameters, np.array(limbs), slots, scale, factor, variance)

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
        """The bytes of a ciphertext of ringjet with the same values, for `Server.load` and `Client.decrypt`; arguments as in
        `SealCiphertext.to_ringjet`."""
        polynomials = [list(polynomial) for polynomial in self.residues]
        return self._source.to_ringjet(polynomials, params, key_id, magnitude, real, error, noise_budget)

    @property
    def _source(self) -> Source:
        parameters = self.parameters
        t = parameters.t or 0
        return Source(
            what="OpenFHE ciphertext",
            scheme=parameters.scheme,
            degree=parameters.degree,
            t=parameters.t,
            primes=parameters.primes[: self.residues.shape[1]],
            slots=self.slots,
            scale=self.scale,
            factor=self.factor,
            variance=self.variance,
            # BFV multiplies the message by the quotient of modulus and t, rounded down
            message=float(t * t) if parameters.scheme == "bfv" else t / 2,
        )


class _Reader:
    """Finds members in JSON as cereal writes it."""

    def __init__(self, what: str, data: str | bytes, limit: int, name: str = "data") -> None:
        self.what = what
        if not isinstance(data, (str, bytes, bytearray)):
            refuse(name, None if data is None else f"a {type(data).__name__}", "a text in JSON")
        expect_size(what, _size(data, limit), limit)
        if data[:1] in (b"\0", b"\1", "\0", "\1"):
            unsupported(what, "OpenFHE's binary format", "JSON: openfhe.Serialize(x, openfhe.JSON)")
        try:
            read = json.loads(data)
        except (ValueError, RecursionError):
            self.malformed("no JSON")
        #: The members of the object itself.
        self.top = self.at(read, "value0", "ptr_wrapper", "data")
        if not isinstance(self.top, dict):
            self.malformed("no members of an object")

    def malformed(self, reason: str) -> NoReturn:
        malformed(self.what, reason, 0)

    def at(self, data: Any, *names: str) -> Any:
        for name in names:
            if not isinstance(data, dict) or name not in data:
                self.malformed(f"no member {name!r} of {'.'.join(names)}")
            data = data[name]
        return data

    def find_context(self) -> dict[str, Any]:
        """The members of the crypto parameters, of the class itself and of those that it extends."""
        data = self.top
        while "kt" not in data or "cc" not in data or not isinstance(data["kt"], dict):
            data = data["value0"] if "value0" in data else self.at(data, "cc", "ptr_wrapper", "data")
            if not isinstance(data, dict):
                self.malformed("no crypto context")
        kind = self.at(data, "cc")
        found = {"kind": self.at(kind, "polymorphic_name")}
        data = self.at(kind, "ptr_wrapper", "data", "value0")
        while isinstance(data, dict):
            found = data | found
            data = data.get("value0")
        return found


def _size(data: str | bytes | bytearray, limit: int) -> int:
    """The length of a text, without white space if it is longer than the limit with it. Most of what OpenFHE writes is
    white space."""
    if len(data) <= limit:
        return len(data)
    spaces = " \n\r\t"
    blank = sum(map(data.count, spaces)) if isinstance(data, str) else sum(map(data.count, spaces.encode()))
    return len(data) - blank


def _context(what: str, found: dict[str, Any]) -> OpenfheParameters:
    def at(data: Any, *names: str) -> Any:
        for name in names:
            if not isinstance(data, dict) or name not in data:
                malformed(what, f"no member {name!r} of the crypto parameters", 0)
            data = data[name]
        return data

    scheme = _SCHEMES.get(str(found["kind"]))
    if scheme is None:
        unsupported(what, found["kind"], ", ".join(_SCHEMES))
    if at(found, "mo") != _TERNARY:
        unsupported(what, f"secrets of distribution {found['mo']}", "uniform ternary secrets (1)")
    if at(found, "encs") != 0:
        unsupported(what, f"encryption technique {found['encs']}", "STANDARD (0)")
    ring = at(found, "elp", "ptr_wrapper", "data")
    degree, towers = at(ring, "value0", "rd"), at(ring, "p")
    if type(degree) is not int or not isinstance(towers, list) or not 1 <= len(towers) <= 256:
        malformed(what, "no ring and 1 to 256 towers", 0)
    inner = [at(tower, "ptr_wrapper", "data", "value0") for tower in towers]
    primes = tuple(at(x, "cm", "v") for x in inner)
    roots = tuple(at(x, "ru", "v") for x in inner)
    t = None if scheme == "ckks" else at(found, "enp", "ptr_wrapper", "data", "m")
    deviation = at(found, "dp")
    if not all(type(x) is int and x > 0 for x in (*primes, *roots, 1 if t is None else t)) or not isinstance(
        deviation, float
    ):
        malformed(what, "a prime, a root of unity or a deviation that is no number", 0)
    if not 0 < deviation < 1e6:
        malformed(what, f"errors of deviation {deviation}", 0)
    expect_parameters(what, degree, primes, t)
    kept, scale = len(primes), 1
    if scheme == "ckks":
        technique, bits = at(found, "rs"), at(found, "enp", "ptr_wrapper", "data", "m")
        if technique not in _TECHNIQUES:
            unsupported(what, f"scaling technique {technique}", f"techniques {', '.join(map(str, _TECHNIQUES))}")
        kept -= technique == _EXTRA_PRIME
        if not kept or type(bits) is not int or bits not in PRIME_BITS:
            malformed(what, "no prime for messages, or no scale", 0)
        scale = 1 << bits if technique < _FLEXIBLE else primes[kept - 1]
    return OpenfheParameters(scheme, degree, primes, t, roots, deviation, kept, scale)
