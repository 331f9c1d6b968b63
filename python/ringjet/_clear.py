"""Values in the clear that a simulation carries beside a ciphertext, with a mark on padded
slots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays, _integers
from ._ringjet import LinearTransform
from .errors import SlotCountError

#: A vector of slot values; complex only if a complex value was given.
Vector = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

#: The relative amount by which rounding may carry a value beyond a limit.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Range:
    """The least and the greatest value of some slots, and the slots that hold them. Of complex
    values, the real parts are compared."""

    low: float
    high: float
    low_slot: int
    high_slot: int

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class Clear:
    """One value per slot, and a mask of padding: slots that no given value has reached."""

    values: Vector
    padding: Mask
    #: The plaintext modulus of exact schemes, whose values are integers modulo it in two rows.
    modulus: int | None = None
    #: With a modulus: the largest absolute value before the reduction, if it left the residues
    #: between `-modulus/2` and `modulus/2`. None where the operation wrapped no value around.
    wraps: float | None = None

    @staticmethod
    def packed(values: npt.ArrayLike, slots: int, fill: complex = 0, modulus: int | None = None) -> Clear:
        """The values as `Client.encrypt` packs them; the slots after the last value are filled with
        `fill`. With a modulus the values must be integers."""
        given = _arrays.given(values, modulus is not None)
        if given.ndim != 1 or not 1 <= given.size <= slots:
            found = given.size if given.ndim == 1 else f"an array of shape {given.shape}"
            error = SlotCountError(
                f"{found} values do not fit {slots} slots: a vector of 1 to {slots} numbers is needed"
            )
            error.found, error.slots, error.max = given.size, slots, slots
            raise error
        padding = np.arange(slots) >= given.size
        if modulus is not None:
            integers = _packed_integers(given, slots, fill, modulus)
            return Clear(_integers.residues(integers, modulus), padding, modulus, _integers.beyond(integers, modulus))
        rest = np.full(slots - given.size, _arrays.number(fill, "fill"))
        if not np.any(rest.imag):
            rest = rest.real
        return Clear(np.concatenate([given, rest]), padding)

    @property
    def decrypted(self) -> Vector:
        """The values that decryption returns: with a modulus of type int64, whose other values are
        refused."""
        return self.values if self.modulus is None else _integers.decrypted(self.values, self.modulus)

    @property
    def largest(self) -> float:
        """The largest absolute value of a real or imaginary part."""
        return float(max(np.max(np.abs(self.values.real)), np.max(np.abs(self.values.imag))))

    def within(self, limit: float) -> bool:
        """Whether no real or imaginary part is larger than `limit`."""
        return self.largest <= limit * (1 + _ROUNDING)

    def outside(self, low: float, high: float) -> Mask:
        """A mask of the slots whose real parts lie outside of the interval from `low` to `high`."""
        slack = _ROUNDING * (high - low)
        inside: Mask = (self.values.real >= low - slack) & (self.values.real <= high + slack)
        return ~inside

    def range(self, where: Mask) -> Range | None:
        """The range of the chosen slots' values; None if no slot is chosen."""
        slots = np.flatnonzero(where)
        if not slots.size:
            return None
        real = self.values.real[slots]
        low, high = int(np.argmin(real)), int(np.argmax(real))
        return Range(float(real[low]), float(real[high]), int(slots[low]), int(slots[high]))

    def mapped(self, function: Callable[[Vector], Vector]) -> Clear:
        """Applies `function` to every slot."""
        with np.errstate(all="ignore"):
            return self._made(np.asarray(function(self.values)), self.padding)

    def times(self, factor: Any) -> Vector:
        """The values times a number, a residue or other values. Residues are not reduced."""
        values = self.values if self.modulus is None else self.values.astype(object)
        with np.errstate(all="ignore"):
            return np.asarray(values * factor)

    def joined(self, other: Clear, function: Callable[[Vector, Vector], Vector]) -> Clear:
        """Applies `function` to every slot of this vector and of `other`."""
        with np.errstate(all="ignore"):
            return self._made(function(self.values, other.values), self.padding & other.padding)

    def _made(self, values: Vector, padding: Mask) -> Clear:
        """A result; integers are reduced modulo the plaintext modulus."""
        if self.modulus is None:
            return Clear(values, padding)
        made = _integers.reduced(values, self.modulus).astype(self.values.dtype)
        return Clear(made, padding, self.modulus, _integers.beyond(values, self.modulus))

    def _rows(self, vector: Vector) -> Vector:
        return vector.reshape(1 if self.modulus is None else 2, -1)

    def swapped(self) -> Clear:
        """The values with their two rows exchanged."""
        values, padding = (self._rows(vector)[::-1].ravel() for vector in (self.values, self.padding))
        return Clear(values, padding, self.modulus)

    def power(self, exponent: int) -> Clear:
        """The values to the power of `exponent`."""
        if self.modulus is None:
            return self.mapped(lambda v: v**exponent)
        made = _integers.power(self.values, exponent, self.modulus)
        return Clear(made, self.padding, self.modulus, _integers.power_beyond(self.values, exponent, self.modulus))

    def polynomial(self, p: Any) -> Clear:
        """The values of a polynomial, which `Ciphertext.polynomial` would accept."""
        if self.modulus is None:
            return self.mapped(lambda v: evaluate(p, v))
        known = coefficients(p)
        made = _integers.polynomial(known, self.values, self.modulus)
        with np.errstate(all="ignore"):
            size = np.polynomial.polynomial.polyval(self.values.astype(float), known.real.astype(float))
        return Clear(made, self.padding, self.modulus, _integers.beyond(size, self.modulus))

    def rotated(self, k: int) -> Clear:
        """The values rotated to the left by `k` slots."""
        values, padding = (np.roll(self._rows(vector), -k, axis=1).ravel() for vector in (self.values, self.padding))
        return Clear(values, padding, self.modulus)

    def inner_sum(self, stride: int, count: int) -> Clear:
        """The sum of each slot and the next `count - 1` slots at a distance of `stride`."""

        def plus(a: Clear, b: Clear) -> Clear:
            # sums of residues are reduced at the end: parts of a sum may be larger than the sum
            with np.errstate(all="ignore"):
                return replace(self, values=a.values + b.values, padding=a.padding & b.padding)

        total, part, summed, width = None, self, 0, 1
        # `part` sums `width` slots, and `total` the first `summed` ones
        while True:
            if count & width:
                more = part.rotated(summed * stride)
                total, summed = more if total is None else plus(total, more), summed + width
            if summed == count:
                assert total is not None
                return self._made(total.values, total.padding)
            part, width = plus(part, part.rotated(width * stride)), 2 * width

    def repeats(self, slots: int) -> bool:
        """Whether the values repeat with a period of `slots`."""
        rows = self.values.reshape(-1, slots)
        return bool(np.all(np.abs(rows - rows[0]) <= _ROUNDING * max(1.0, self.largest)))

    def repeated(self, slots: int) -> Clear:
        """The values in `slots` slots, as `Ciphertext.with_slots` reads them. With fewer slots,
        each holds the mean of the values that should be equal."""
        if slots >= self.values.size:
            times = slots // self.values.size
            return Clear(np.tile(self.values, times), np.tile(self.padding, times))
        return Clear(
            self.values.reshape(-1, slots).mean(axis=0), np.logical_and.reduce(self.padding.reshape(-1, slots))
        )

    def transformed(self, matrix: LinearTransform | npt.ArrayLike) -> Clear:
        """The product of a matrix with the values. A slot is padding if its row has non-zero
        entries for padding only."""
        if self.modulus is not None:
            rows, padding = self._rows(self.values), np.full(self.padding.size, np.all(self.padding))
            made = _integers.transformed(matrix, rows, self.modulus).ravel()
            return Clear(made, padding, self.modulus, _integers.transformed_beyond(matrix, rows, self.modulus))
        if not isinstance(matrix, LinearTransform):
            matrix = LinearTransform(matrix, self.values.size)
        given = (~self.padding).astype(np.float64)
        made = matrix._apply(self.values)
        # random factors, so that a sum of entries that are not all zero is not zero
        reached = matrix._apply(given * np.random.default_rng(0).uniform(1, 2, given.size))
        real = self.values.dtype.kind == "f" and not np.any(made.imag)
        return Clear(made.real if real else made, reached == 0)


def _packed_integers(values: Vector, slots: int, fill: complex, modulus: int) -> Vector:
    given = _integers.given(values, modulus)
    padding = _integers.given([fill], modulus, given.size)
    return np.concatenate([given, np.repeat(padding, slots - given.size)])


def coefficients(p: Any) -> Vector:
    """The coefficients of a polynomial, with the constant first."""
    found = _arrays.polynomial(p)
    return np.asarray(getattr(found, "coef", found))


def operand(other: Any, slots: int, modulus: int | None = None, held: int | None = None, neutral: int = 0) -> Vector:
    """A plaintext operand of a ciphertext that holds `held` values, by default one a slot, as the
    ciphertext's own operators take it: an array without dimensions for all slots, or one value a
    slot, `neutral` after the last value."""
    array = _arrays.operand(other, modulus is not None, slots, slots if held is None else held)
    if modulus is not None:
        array = _integers.residues(array, modulus)
    return np.concatenate([array, np.full(slots - array.size, neutral, array.dtype)]) if array.ndim else array


def sum_of(terms: Sequence[Vector]) -> Vector:
    """The sum of at least one vector."""
    total = terms[0]
    with np.errstate(all="ignore"):
        for term in terms[1:]:
            total = total + term
    return total


def evaluate(p: Any, values: Vector) -> Vector:
    """The values of a polynomial, which `Ciphertext.polynomial` would accept."""
    found = _arrays.polynomial(p)
    return np.asarray(found(values) if callable(found) else np.polynomial.polynomial.polyval(values, found))


def interval(p: Any) -> tuple[float, float] | None:
    """The interval of a series; None for a polynomial in powers, which has no interval."""
    powers = isinstance(p, (np.poly1d, np.polynomial.Polynomial)) or not (hasattr(p, "coef") and hasattr(p, "domain"))
    return None if powers else (float(p.domain[0]), float(p.domain[1]))
