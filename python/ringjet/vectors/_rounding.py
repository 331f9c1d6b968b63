"""Integers made of the values of every slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .._ringjet import Ciphertext
    from ..integers import EncryptedIntegers, IntegerType


class Rounding:
    """Methods that turn values into encrypted integers."""

    __slots__ = ()

    def to_integer(self, kind: IntegerType, *, gap: float = 1 / 64) -> EncryptedIntegers:
        """The integers next to the values of every slot, as a type of `rj.integers`.

        gap: the largest distance of a value from an integer, at most 1/16, and less of more than 4 bits. Values that are further away get
        wrong digits, which nothing notices. The stated range of the values must lie in that of the type. It
        bootstraps twice for each digit but those of 4 bits, once, and takes a level for each digit. Raises
        `IntegerPrecisionError` where the errors of the ciphertext come on top of the gap and are too large."""
        from ..integers import _reals  # only here: integers are made of ciphertexts

        return _reals.to_integer(cast("Ciphertext", self), kind, gap)
