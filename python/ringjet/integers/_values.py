"""Encrypted vectors of integers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from .. import _arrays, _ringjet
from .._checks import refusal
from .._ringjet import Ciphertext
from . import _bits, _bytes, _division, _products, _sums
from ._digits import RADIX, Digit, coded, combined, known, looked_up
from ._types import IntegerType, expect_sine

#: Integers that an operation takes beside encrypted ones.
Clear = int | npt.NDArray[Any] | Sequence[int]


class EncryptedIntegers:
    """A vector of integers of one type, with a ciphertext for each digit of 4 bits, the lowest first.

    Sums, differences and comparisons bootstrap, and give exact results. A comparison gives a ciphertext of
    ones and zeros. Results wrap around modulo `2**type.bits`. Both operands must have the same type;
    `astype` converts. Integers in the clear are numbers, or arrays of one number for each slot."""

    __slots__ = ("ciphertexts", "type")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]  # `==` is computed, so equal integers have no common hash

    def __init__(self, kind: IntegerType, ciphertexts: Sequence[Ciphertext]) -> None:
        self.type = kind
        #: The digits, the lowest first, each a ciphertext. The number m is encoded as `(2 * m - 15) / 16`.
        self.ciphertexts = tuple(ciphertexts)
        if len(self.ciphertexts) != kind.digits:
            raise refusal("ciphertexts", f"{len(self.ciphertexts)} of them", f"{kind.digits}, one for each digit")
        first = self.ciphertexts[0]
        expect_sine(first.params)
        if any((x.params, x.slots, x.count) != (first.params, first.slots, first.count) for x in self.ciphertexts):
            raise refusal("ciphertexts", "digits of different parameters, slots or counts", "those of one vector")

    @property
    def slots(self) -> int:
        """The number of slots of each ciphertext."""
        return self.ciphertexts[0].slots

    @property
    def level(self) -> int:
        """The lowest level of a ciphertext."""
        return min(x.level for x in self.ciphertexts)

    def to_bytes(self) -> bytes:
        """The type and the ciphertexts as bytes. The type is not encrypted."""
        kind = self.type
        return _bytes.written(kind.bits, kind.signed, [x.to_bytes() for x in self.ciphertexts])

    def save(self, path: str | PathLike[str]) -> None:
        """Writes `to_bytes` to a file, as `Ciphertext.save` does. `type.load(server, path)` and
        `type.decrypt(client, path)` read it."""
        _ringjet.replace_file(path, self.to_bytes())

    @property
    def _digits(self) -> list[Digit]:
        return [Digit(x) for x in self.ciphertexts]

    def __repr__(self) -> str:
        return f"EncryptedIntegers({self.type!r}, slots={self.slots}, level={self.level})"

    def _of(self, digits: Sequence[Digit]) -> EncryptedIntegers:
        return EncryptedIntegers(self.type, [digit.ciphertext for digit in digits])

    def _parts(self, other: EncryptedIntegers | Clear, op: str) -> list[_sums.Part]:
        """The digits of an operand, encrypted with the type's offset. Refuses what is no such operand."""
        if isinstance(other, EncryptedIntegers):
            if other.type != self.type:
                raise TypeError(f"{op} of {self.type!r} and {other.type!r}: convert one with x.astype(...)")
            return list(other._digits)
        if isinstance(other, Ciphertext):
            raise TypeError(f"{op} of {self.type!r} and a ciphertext of numbers: convert the integers with x.to_real()")
        if not _is_operand(other):
            raise TypeError(f"{op} of {self.type!r} and {type(other).__name__}: integers are needed")
        given = _arrays.operand(other, True, self.slots, self.ciphertexts[0].count, "integers")
        if given.ndim == 0:
            return [digit[0] for digit in self.type.split(given.reshape(1))]
        # slots without a value hold 0
        rest = self.type.split(np.zeros(self.slots - given.size, np.int64))
        return [np.concatenate(parts) for parts in zip(self.type.split(given), rest, strict=True)]

    @property
    def _offset(self) -> int:
        """What is added to the highest digit of every integer."""
        return RADIX // 2 if self.type.signed else 0

    def __add__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        if not _is_operand(other):
            return NotImplemented
        y = self._parts(other, "sum")
        # both operands have the offset, the result has it once
        return self._of(_sums.added(self._digits, y, carry=0, offset=self._offset, op="sum"))

    __radd__ = __add__

    def __sub__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        if not _is_operand(other):
            return NotImplemented
        y = _sums.complement(self._parts(other, "difference"))
        return self._of(_sums.added(self._digits, y, carry=1, offset=self._offset, op="difference"))

    def __rsub__(self, other: Clear) -> EncryptedIntegers:
        if not _is_operand(other):
            return NotImplemented
        # y - x = y + 1 + (2**bits - 1 - x)
        x = [digit for digit in _sums.complement(self._digits) if isinstance(digit, Digit)]
        parts = self._parts(other, "difference")
        return self._of(_sums.added(x, parts, carry=1, offset=self._offset, op="difference"))

    def __mul__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        if not _is_operand(other):
            return NotImplemented
        parts = self._parts(other, "product")
        if self.type.signed:
            # modulo 2**bits the product of signed integers is that of unsigned ones with the same bits
            kind = IntegerType(self.type.bits)
            if isinstance(other, EncryptedIntegers):
                parts = list(other.astype(kind)._digits)
            else:
                parts[-1] = cast("npt.NDArray[Any]", parts[-1]) ^ self._offset
            x = self.astype(kind)
            return x._of(_products.multiplied(x._digits, parts, "product")).astype(self.type)
        return self._of(_products.multiplied(self._digits, parts, "product"))

    __rmul__ = __mul__

    def __floordiv__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        """The quotient, rounded down, as Python's. Where an encrypted divisor is 0, all bits of the quotient of
        unsigned integers are 1."""
        return self._divided(other, "quotient", remainder=False)[0] if _is_operand(other) else NotImplemented

    def __mod__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        """The remainder, with the sign of the divisor, as Python's. Where an encrypted divisor is 0, it is the
        integer itself."""
        return self._divided(other, "remainder")[1] if _is_operand(other) else NotImplemented

    def __divmod__(self, other: EncryptedIntegers | Clear) -> tuple[EncryptedIntegers, EncryptedIntegers]:
        """Quotient and remainder, from one division."""
        return self._divided(other, "quotient") if _is_operand(other) else NotImplemented

    def __rfloordiv__(self, other: Clear) -> EncryptedIntegers:
        return self._known(other, "quotient") // self if _is_operand(other) else NotImplemented

    def __rmod__(self, other: Clear) -> EncryptedIntegers:
        return self._known(other, "remainder") % self if _is_operand(other) else NotImplemented

    def __rdivmod__(self, other: Clear) -> tuple[EncryptedIntegers, EncryptedIntegers]:
        return divmod(self._known(other, "quotient"), self) if _is_operand(other) else NotImplemented

    def _known(self, given: Clear, op: str) -> EncryptedIntegers:
        """Known integers as encrypted ones, without randomness."""
        parts = [part for part in self._parts(given, op) if not isinstance(part, Digit)]
        return self._of([known(self.ciphertexts[0], part) for part in parts])

    def _divided(
        self, other: EncryptedIntegers | Clear, op: str, *, remainder: bool = True
    ) -> tuple[EncryptedIntegers, EncryptedIntegers]:
        """Quotient and remainder; without `remainder` the integers themselves take its place."""
        parts = self._parts(other, op)
        if not isinstance(other, EncryptedIntegers) and not np.all(_arrays.integers(other)):
            raise ZeroDivisionError(f"{op}: a divisor is 0")
        if self.type.signed:
            return self._divided_signed(other, op, remainder=remainder)
        quotient, rest = _division.divided(self._digits, parts, op, remainder=remainder)
        return self._of(quotient), self._of(rest) if remainder else self

    def _divided_signed(
        self, other: EncryptedIntegers | Clear, op: str, *, remainder: bool
    ) -> tuple[EncryptedIntegers, EncryptedIntegers]:
        kind = IntegerType(self.type.bits)
        size, negative = self._sized()
        by: EncryptedIntegers | npt.NDArray[Any]
        if isinstance(other, EncryptedIntegers):
            by, other_negative = other._sized()
        else:
            given = _arrays.integers(other)
            by = np.abs(given.astype(object))
            other_negative = (self.ciphertexts[0] * 0 + (given < 0).astype(np.float64)).with_range(0, 1)
        quotient, rest = size._divided(by, op)
        # of integers of different signs the quotient is rounded the other way
        differ = (negative + other_negative - negative * other_negative * 2).with_range(0, 1)
        exact = rest == 0
        rounded = (-quotient)._where(exact, ~quotient)
        result = rounded._where(differ, quotient).astype(self.type)
        if not remainder:
            return result, self
        moved = (by - rest)._where((differ * (1 - exact)).with_range(0, 1), rest)
        return result, (-moved)._where(other_negative, moved).astype(self.type)

    def _sized(self) -> tuple[EncryptedIntegers, Ciphertext]:
        """The absolute values of signed integers, as unsigned ones, and 1 where an integer is negative."""
        x = self.astype(IntegerType(self.type.bits))
        negative = self._negative()
        return (-x)._where(negative, x), negative

    def _negative(self) -> Ciphertext:
        """1 where a signed integer is negative, else 0."""
        table = (np.arange(RADIX) < RADIX // 2).astype(np.float64)
        return looked_up(self._digits[-1:], [[table]], "sign")[0][0]

    def __neg__(self) -> EncryptedIntegers:
        return 0 - self

    def __pos__(self) -> EncryptedIntegers:
        return self

    def __invert__(self) -> EncryptedIntegers:
        """Each bit inverted, which bootstraps nothing: `-1 - x`."""
        return self._of([combined([(-1, digit)], RADIX - 1, RADIX) for digit in self._digits])

    def __gt__(self, other: EncryptedIntegers | Clear) -> Ciphertext:
        if not _is_operand(other):
            return NotImplemented
        return _sums.greater(self._digits, self._parts(other, "comparison"), "comparison")

    def __lt__(self, other: EncryptedIntegers | Clear) -> Ciphertext:
        if not _is_operand(other):
            return NotImplemented
        # x < y where the complement of x is larger than that of y
        x = [digit for digit in _sums.complement(self._digits) if isinstance(digit, Digit)]
        return _sums.greater(x, _sums.complement(self._parts(other, "comparison")), "comparison")

    def __ge__(self, other: EncryptedIntegers | Clear) -> Ciphertext:
        return (1 - (self < other)).with_range(0, 1) if _is_operand(other) else NotImplemented

    def __le__(self, other: EncryptedIntegers | Clear) -> Ciphertext:
        return (1 - (self > other)).with_range(0, 1) if _is_operand(other) else NotImplemented

    def __bool__(self) -> bool:
        raise TypeError(
            "encrypted integers are neither true nor false: a comparison gives a ciphertext of ones and zeros"
        )

    def __eq__(self, other: object) -> Ciphertext:  # type: ignore[override]  # no bool
        if not _is_operand(other):
            raise TypeError(f"comparison of {self.type!r} and {type(other).__name__}: integers are needed")
        return _sums.equal(self._digits, self._parts(other, "comparison"), "comparison")  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Ciphertext:  # type: ignore[override]  # no bool
        return (1 - (self == other)).with_range(0, 1)

    def _where(self, condition: Ciphertext, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        """These integers where the condition is 1, and the other ones where it is 0."""
        return self._of(_sums.chosen(condition, self._digits, self._parts(other, "where"), "where"))

    def overflowing_add(self, other: EncryptedIntegers | Clear) -> tuple[EncryptedIntegers, Ciphertext]:
        """The sum, which wraps around, and 1 where it did, else 0."""
        return self._overflowing(self._parts(other, "sum"), 0, "sum")

    def overflowing_sub(self, other: EncryptedIntegers | Clear) -> tuple[EncryptedIntegers, Ciphertext]:
        """The difference, which wraps around, and 1 where it did, else 0."""
        return self._overflowing(_sums.complement(self._parts(other, "difference")), 1, "difference")

    def overflowing_mul(self, other: EncryptedIntegers | Clear) -> tuple[EncryptedIntegers, Ciphertext]:
        """The product, which wraps around, and 1 where it did, else 0. Of integers of at most 32 bits: it is
        computed with twice as many."""
        if self.type.bits > 32:
            raise refusal("overflowing_mul", repr(self.type), "integers of at most 32 bits")
        self._parts(other, "product")  # refuses other types
        wide = IntegerType(2 * self.type.bits, self.type.signed)
        product = self.astype(wide) * (other.astype(wide) if isinstance(other, EncryptedIntegers) else other)
        made = product.astype(self.type)
        return made, made.astype(wide) != product

    def _overflowing(self, y: Sequence[_sums.Part], carry: int, op: str) -> tuple[EncryptedIntegers, Ciphertext]:
        """The sum of these integers, y and a carry, which is 1 for a difference: y is then a complement."""
        made, out, highest = _sums.added_checked(self._digits, y, carry=carry, offset=self._offset, op=op)
        if not self.type.signed:
            flag = 1 - out if carry else out
        else:
            # with the offset in both operands, a sum fits where its highest bit is not the carry
            flag = 1 - out - highest + out * highest * 2
        return self._of(made), flag.with_range(0, 1)

    def _bitwise(
        self,
        other: EncryptedIntegers | Clear,
        op: str,
        on_digits: Callable[[Any, Any], Any],
        both: Callable[[Any, Any], Any],
    ) -> EncryptedIntegers:
        """`on_digits` computes with digits in the clear, `both` with encrypted bits."""
        if not isinstance(other, EncryptedIntegers):
            return self._with_known(self._parts(other, op), op, on_digits)
        both_bits = _bits.bits([*self._digits, *self._encrypted(other, op)], op)
        x, y = both_bits[: self.type.bits], both_bits[self.type.bits :]
        made = [both(a, b).with_range(0, 1) for a, b in zip(x, y, strict=True)]
        if self.type.signed:
            # signed integers have their highest bit inverted: `both` is for the bits as they are
            a, b = (1 - x[-1]), (1 - y[-1])
            made[-1] = (1 - both(a, b)).with_range(0, 1)
        return self._of(_bits.of_bits(made))

    def _encrypted(self, other: EncryptedIntegers, op: str) -> list[Digit]:
        return [digit for digit in self._parts(other, op) if isinstance(digit, Digit)]

    def _with_known(
        self, parts: Sequence[_sums.Part], op: str, on_digits: Callable[[Any, Any], Any]
    ) -> EncryptedIntegers:
        numbers = np.arange(RADIX)
        tables = []
        for i, part in enumerate(parts):
            assert not isinstance(part, Digit)
            if part.ndim:
                raise refusal("integers", "an array", f"a single number, or encrypted integers, for {op}")
            flipped = self._offset if i == len(parts) - 1 else 0
            tables.append([coded(on_digits(numbers ^ flipped, int(part) ^ flipped) ^ flipped, RADIX)])
        return self._of([Digit(own[0]) for own in looked_up(self._digits, tables, op)])

    def __and__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        return self._bitwise(other, "and", operator.and_, operator.mul) if _is_operand(other) else NotImplemented

    def __or__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        return (
            self._bitwise(other, "or", operator.or_, lambda a, b: a + b - a * b)
            if _is_operand(other)
            else NotImplemented
        )

    def __xor__(self, other: EncryptedIntegers | Clear) -> EncryptedIntegers:
        return (
            self._bitwise(other, "xor", operator.xor, lambda a, b: a + b - a * b * 2)
            if _is_operand(other)
            else NotImplemented
        )

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, by: int) -> EncryptedIntegers:
        """Times `2**by`, for a known `by` of 0 to `bits - 1`. Bits that leave the type are lost."""
        return self._shifted(operator.index(by), 1)

    def __rshift__(self, by: int) -> EncryptedIntegers:
        """Divided by `2**by` and rounded down, for a known `by` of 0 to `bits - 1`."""
        return self._shifted(operator.index(by), -1)

    def _shifted(self, by: int, sign: int) -> EncryptedIntegers:
        if not 0 <= by < self.type.bits:
            raise refusal("by", by, f"0 to {self.type.bits - 1} bits")
        if by == 0:
            return self
        made = _bits.shifted(self._digits, sign * by, "shift")
        zero = known(self.ciphertexts[0], 0)
        if self.type.signed and sign < 0:
            # a single digit needs no sign
            positive = (1 - self._negative()).with_range(0, 1) if self.type.digits > 1 else zero.ciphertext
            return self._of(_bits.filled(made, by, positive, zero))
        shifted = self._of([digit or zero for digit in made])
        if not self.type.signed:
            return shifted
        # the bit with the offset has left, and the new highest one has none yet
        return EncryptedIntegers(IntegerType(self.type.bits), shifted.ciphertexts).astype(self.type)

    def bits(self) -> list[Ciphertext]:
        """The bits of the integers, the lowest first: ciphertexts of ones and zeros. Of signed integers those
        in two's complement."""
        made = _bits.bits(self._digits, "bits")
        if self.type.signed:
            made[-1] = (1 - made[-1]).with_range(0, 1)
        return made

    def astype(self, kind: IntegerType) -> EncryptedIntegers:
        """The same integers modulo `2**kind.bits`, as another type. To fewer bits, and between signed and
        unsigned ones of as many bits, it takes no bootstrap of lower digits."""
        if kind == self.type:
            return self
        digits = self._digits[: kind.digits]
        wide = digits + [known(self.ciphertexts[0], 0)] * (kind.digits - len(digits))
        if self.type.signed and kind.digits > self.type.digits:
            # 2**(bits - 1) was added; in the wider type it is taken away again
            shift = (1 << (kind.bits - 1) if kind.signed else 0) - (1 << (self.type.bits - 1))
            unsigned = IntegerType(kind.bits)
            made = EncryptedIntegers(unsigned, [d.ciphertext for d in wide]) + (shift % (1 << kind.bits))
            return EncryptedIntegers(kind, made.ciphertexts)
        had = self._offset if kind.digits == self.type.digits else 0
        wanted = RADIX // 2 if kind.signed else 0
        if had != wanted:
            turned = coded((np.arange(RADIX) + RADIX // 2) % RADIX, RADIX)
            wide[-1] = Digit(looked_up([wide[-1]], [[turned]], "astype")[0][0])
        return EncryptedIntegers(kind, [digit.ciphertext for digit in wide])

    def to_real(self, scale: float = 1.0) -> Ciphertext:
        """The integers times `scale` as numbers, in one ciphertext. Errors are those of the digits, times their
        places: of more than about 24 bits the lowest digits are lost."""
        weights = [scale * RADIX / 2 * float(RADIX) ** i for i in range(len(self.ciphertexts))]
        made = _ringjet.weighted_sum(self.ciphertexts, weights) + scale * self.type.low
        made = made + sum(weights) * (RADIX - 1) / RADIX
        ends = sorted((scale * self.type.low, scale * self.type.high))
        return made.with_range(*ends)

    def rotate(self, k: int) -> EncryptedIntegers:
        """Rotates the slots by `k` to the left."""
        return EncryptedIntegers(self.type, [x.rotate(k) for x in self.ciphertexts])


def _is_operand(x: Any) -> bool:
    """Whether x is something that integers are combined with."""
    return isinstance(x, (EncryptedIntegers, Ciphertext, int, np.integer, np.ndarray, list, tuple)) and not isinstance(
        x, bool
    )
