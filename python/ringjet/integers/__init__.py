"""Encrypted integers of 4 to 64 bits with exact results: sums, comparisons, bits, and tables of any function.

A type (`rj.integers(bits=32)`) encrypts, loads and decrypts; `EncryptedIntegers` are computed with."""

from ._operations import argmax as argmax
from ._operations import argmin as argmin
from ._operations import tables as tables
from ._types import IntegerType as IntegerType
from ._types import integers as integers
from ._values import EncryptedIntegers as EncryptedIntegers
