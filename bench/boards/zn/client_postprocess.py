#!/usr/bin/env python3
"""Computes the products modulo 2^64 from their remainders, by Garner's algorithm for the Chinese remainder theorem."""

from math import prod

import layout
import numpy as np
from layout import PRIMES
from stage import write


def joined(remainders: np.ndarray) -> np.ndarray:
    """The numbers with these remainders, of at most half the product of the primes in size, modulo 2^64. A number plus
    that half is not negative; its digits in the mixed radix of the primes are found one after the other."""
    half = prod(PRIMES) // 2
    digits: list[np.ndarray] = []
    for index, prime in enumerate(PRIMES):
        value = (remainders[index] + half % prime) % prime
        for digit, earlier in zip(digits, PRIMES, strict=False):
            value = (value - digit) % prime * pow(earlier, -1, prime) % prime
        digits.append(value)
    total = np.full(remainders.shape[1], -half % 2**64, np.uint64)
    for index, digit in enumerate(digits):
        total += digit.astype(np.uint64) * np.uint64(prod(PRIMES[:index]) % 2**64)
    return total


def main() -> None:
    instance = layout.instance()
    products = joined(np.fromfile(instance.remainders, np.int64).reshape(len(PRIMES), -1))
    write(instance.result, ("\n".join(map(str, products.tolist())) + "\n").encode())


if __name__ == "__main__":
    main()
