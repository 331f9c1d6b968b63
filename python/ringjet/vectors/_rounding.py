"""Integers made of the values of every slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .._ringjet import Ciphertext
    from ..integers import EncryptedIntegers, IntegerType


class Rounding:
    """Methods that turn values into encrypted integers."""

    __slots__ = ()

    def to_integer(self, kind: IntegerType, *, gap: float | None = None) -> EncryptedIntegers:
        """The integers next to the values of every slot, as a type of `rj.integers`.

        gap: the largest distance of a value from an integer. By default it is the largest that is taken with
        `n16-int`: 1/16 for 4 bits, 1/64 for 8, and 1/4096 for 12 and 16. Values that are further away get wrong
        digits, which nothing notices. The stated range of the values must lie in that of the type.

        It takes a level for each digit, and about 3 d / 2 bootstraps for d digits, one for 4 bits. Raises
        `IntegerPrecisionError` where gap and errors of the ciphertext are too large."""
        from ..integers import _reals  # only here: integers are made of ciphertexts

        return _reals.to_integer(cast("Ciphertext", self), kind, gap)
