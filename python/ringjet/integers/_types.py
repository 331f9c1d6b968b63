"""Types of encrypted integers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from .. import _arrays
from .._checks import refusal
from .._pieces import LIMIT, Source
from .._ringjet import Client, Server
from ..errors import NoSineError
from . import _bytes
from ._digits import DEVIATIONS, DIGIT_BITS, RADIX, coded, decoded, deviation_of, expect_certain, imprecise

if TYPE_CHECKING:
    from ._values import EncryptedIntegers


@dataclass(frozen=True)
class IntegerType:
    """Integers of `bits` bits, a multiple of 4 from 4 to 64: from 0 to `2**bits - 1`, or with `signed` from
    `-2**(bits - 1)` to `2**(bits - 1) - 1`. Results of operations wrap around modulo `2**bits`.

    An encrypted vector has one ciphertext for every 4 bits, and one integer in each slot. Signed integers are
    encrypted with `2**(bits - 1)` added."""

    bits: int
    signed: bool = False

    def __post_init__(self) -> None:
        if not 4 <= operator.index(self.bits) <= 64 or self.bits % DIGIT_BITS:
            raise refusal("bits", self.bits, "a multiple of 4 from 4 to 64")

    @property
    def digits(self) -> int:
        """The number of digits, each of 4 bits in a ciphertext of its own."""
        return self.bits // DIGIT_BITS

    @property
    def low(self) -> int:
        """The least integer."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest integer."""
        return self.low + (1 << self.bits) - 1

    def __repr__(self) -> str:
        return f"integers(bits={self.bits}{', signed=True' if self.signed else ''})"

    def encrypt(self, client: Client, values: npt.ArrayLike) -> EncryptedIntegers:
        """Encrypts up to `slots` integers; other slots hold 0. Integers outside the type's range are refused."""
        from ._values import EncryptedIntegers

        expect_sine(client.params)
        digits = zip(self.split(values), self.split(0), strict=True)
        made = [client.encrypt(coded(m, RADIX), fill=coded(zero, RADIX).item(), magnitude=1) for m, zero in digits]
        return EncryptedIntegers(self, made)

    def load(
        self, server: Server, integers: EncryptedIntegers | Source | Sequence[Any], *, max_bytes: int = LIMIT
    ) -> EncryptedIntegers:
        """Gives integers to a server: of this process, their bytes or the path of a file that
        `EncryptedIntegers.save` wrote, of which more than `max_bytes` are refused, or a list of the bytes or paths
        of their ciphertexts. Those of another type are refused."""
        from ._values import EncryptedIntegers

        return EncryptedIntegers(self, [server.load(part) for part in self._parts(integers, max_bytes)])

    def decrypt(
        self, client: Client, integers: EncryptedIntegers | Source | Sequence[Any], *, max_bytes: int = LIMIT
    ) -> npt.NDArray[Any]:
        """The integers, as int64 or uint64, of what `load` takes. Values that are too far from integers are
        refused."""
        parts = self._parts(integers, max_bytes)
        if len(parts) != self.digits:
            raise refusal("integers", f"{len(parts)} ciphertexts", f"{self.digits}, one for each digit")
        return self.joined([rounded(client, x, f"digit {i}") for i, x in enumerate(parts)])

    def _parts(self, integers: EncryptedIntegers | Source | Sequence[Any], max_bytes: int) -> Sequence[Any]:
        """The ciphertexts, or their bytes."""
        from ._values import EncryptedIntegers

        if isinstance(integers, EncryptedIntegers):
            kind, parts = integers.type, cast("Sequence[Any]", integers.ciphertexts)
        elif isinstance(integers, (bytes, bytearray, memoryview, str, PathLike)):
            bits, signed, pieces = _bytes.read(integers, max_bytes)
            kind, parts = IntegerType(bits, signed), list(pieces)
        else:
            kind, parts = self, integers
        if kind != self:
            raise refusal("integers", repr(kind), repr(self))
        return parts

    def encode(self, values: npt.ArrayLike, slots: int) -> list[npt.NDArray[np.float64]]:
        """The values of the ciphertexts of integers, from -15/16 to 15/16, the lowest digit first: inputs of a
        program or a service that makes `EncryptedIntegers` of ciphertexts. Slots without an integer hold 0."""
        given = _arrays.integers(values).ravel().tolist()
        if len(given) > slots:
            raise refusal("values", f"{len(given)} integers", f"up to {slots}, the number of slots")
        return [coded(digit, RADIX) for digit in self.split(given + [0] * (slots - len(given)))]

    def decode(self, values: Sequence[npt.ArrayLike], count: int) -> npt.NDArray[Any]:
        """The first `count` integers with these values, as `encode` makes them, rounded: of results of a program or
        a service. Values further than a quarter of the distance between two digits from one are refused."""
        if len(values) != self.digits:
            raise refusal("values", f"{len(values)} vectors", f"{self.digits}, one for each digit")
        found = [decoded(np.asarray(x)[:count], RADIX) for x in values]
        return self.joined([near(x, 0.25, "decode", f"digit {i}") for i, x in enumerate(found)])

    def split(self, values: npt.ArrayLike) -> list[npt.NDArray[np.int64]]:
        """The digits of integers in the clear, the lowest first."""
        given = [operator.index(x) for x in _arrays.integers(values).ravel().tolist()]
        outside = [x for x in given if not self.low <= x <= self.high]
        if outside:
            raise refusal("values", outside[0], f"{self.low} to {self.high} for {self}")
        shifted = [x - self.low for x in given]
        places = range(0, self.bits, DIGIT_BITS)
        return [np.array([x >> place & (RADIX - 1) for x in shifted], np.int64) for place in places]

    def joined(self, digits: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[Any]:
        """The integers with these digits."""
        kind = np.int64 if self.signed else np.uint64
        rows = zip(*(digit.tolist() for digit in digits), strict=True)
        return np.array([sum(m << DIGIT_BITS * i for i, m in enumerate(row)) + self.low for row in rows], kind)


def integers(bits: int, *, signed: bool = False) -> IntegerType:
    """The type of integers of `bits` bits: a multiple of 4 from 4 to 64."""
    return IntegerType(operator.index(bits), bool(signed))


def expect_sine(params: Any) -> None:
    """Refuses parameters without the sine that tables are made of."""
    if not params.has_sine:
        error = NoSineError(f'{params} have no sine for tables of integers: choose a preset whose name has "int" in it')
        error.params, error.instead = repr(params), 'choose a preset whose name has "int" in it'
        raise error


def rounded(client: Client, ciphertext: Any, what: str) -> npt.NDArray[np.int64]:
    """The numbers of a digit. Refuses a digit whose numbers are not certain, and values that are no numbers."""
    deviation = deviation_of(client._precision_bits(ciphertext), RADIX)
    expect_certain(deviation, RADIX, "decrypt")
    found = decoded(client.decrypt(ciphertext), RADIX)
    return near(found, max(DEVIATIONS * deviation, 2.0**-20), "decrypt", what)


def near(found: npt.NDArray[np.float64], most: float, op: str, what: str) -> npt.NDArray[np.int64]:
    """The digits next to decrypted numbers, which are at most `most` away from them."""
    numbers = np.rint(found)
    off = float(np.max(np.abs(found - numbers), initial=0.0))
    if off > most or bool(np.any((numbers < 0) | (numbers >= RADIX))):
        reason = (
            f"{what}: values are up to {off:.3f} away from numbers of 0 to {RADIX - 1}, further than the {most:.2g}"
        )
        raise imprecise(
            op, 0.0, f"{reason} that is allowed: they were no such numbers, or a program stated wrong bounds"
        )
    return numbers.astype(np.int64)
