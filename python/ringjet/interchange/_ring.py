"""Polynomials modulo a prime, and rings: transforms to the evaluation domain, and the order of slots.

A limb is the residues of a polynomial of degree N modulo one prime q, as numbers below q. In the
evaluation domain residue i is the polynomial's value at `psi**(2 * brv(i) + 1)`, where psi is the
smallest primitive 2N-th root of unity modulo q and brv reverses log2(N) bits. So it is in ringjet's wire
format and in SEAL; OpenFHE has another root."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..vectors._cache import cached

Limb = npt.NDArray[np.uint64]


def reversed_bits(degree: int) -> npt.NDArray[np.intp]:
    """brv(i) for i below `degree`, a power of two."""
    order = np.zeros(1, np.intp)
    while len(order) < degree:
        order = np.concatenate([2 * order, 2 * order + 1])
    return order


def is_prime(n: int) -> bool:
    """Whether n, below 2^64, is a prime: the test of Miller and Rabin, whose bases up to 37 are enough for such numbers
    (Sorenson and Webster, "Strong pseudoprimes to twelve prime bases", 2017)."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % base == 0 for base in bases):
        return n in bases
    twos = ((n - 1) & (1 - n)).bit_length() - 1

    def passes(base: int) -> bool:
        power = pow(base, (n - 1) >> twos, n)
        return power == 1 or any(pow(power, 1 << i, n) == n - 1 for i in range(twos))

    return all(map(passes, bases))


def _odd_powers(root: int, q: int, degree: int) -> list[int]:
    """`root**(2 * i + 1)` for i below `degree`."""
    square, powers = root * root % q, [root]
    for _ in range(1, degree):
        powers.append(powers[-1] * square % q)
    return powers


def _psi(q: int, degree: int) -> int:
    cofactor = (q - 1) // (2 * degree)
    roots = (pow(x, cofactor, q) for x in range(2, q))
    return min(_odd_powers(next(r for r in roots if pow(r, degree, q) == q - 1), q, degree))


def order_of_root(root: int, q: int, degree: int) -> npt.NDArray[np.intp] | None:
    """Where the residues belong of a limb whose residue i is the value at `root**(2 * brv(i) + 1)`: the limb `out` with
    `out[order] = limb` is in the evaluation domain. None if `root` is no primitive 2N-th root of unity."""
    return None if pow(root, degree, q) != q - 1 else _order(root, q, degree)


@cached(64)
def _order(root: int, q: int, degree: int) -> npt.NDArray[np.intp]:
    factor = 2 * _odd_powers(_psi(q, degree), q, degree).index(root) + 1
    reverse = reversed_bits(degree)
    return np.asarray(reverse[(factor * (2 * reverse + 1) % (2 * degree)) >> 1], np.intp)


@cached(64)
def _powers(q: int, degree: int, inverse: bool) -> npt.NDArray[np.object_]:
    """`psi**brv(i)`, or `psi**-brv(i)`, for i below `degree`."""
    base, powers = pow(_psi(q, degree), -1 if inverse else 1, q), [1]
    for _ in range(1, degree):
        powers.append(powers[-1] * base % q)
    return np.array(powers, dtype=object)[reversed_bits(degree)]


def to_evaluation(limb: Limb, q: int) -> Limb:
    """The values of the polynomial with these coefficients. q must be a prime that is 1 modulo 2N."""
    degree = len(limb)
    x, powers = limb.astype(object), _powers(q, degree, False)
    blocks = 1
    while blocks < degree:
        x = x.reshape(blocks, 2, -1)
        low, high = x[:, 0], x[:, 1] * powers[blocks : 2 * blocks, None]
        x = np.stack([(low + high) % q, (low - high) % q], axis=1)
        blocks *= 2
    return x.reshape(degree).astype(np.uint64)


def to_coefficients(limb: Limb, q: int) -> Limb:
    """The inverse of `to_evaluation`."""
    degree = len(limb)
    x, powers = limb.astype(object), _powers(q, degree, True)
    blocks = degree // 2
    while blocks:
        x = x.reshape(blocks, 2, -1)
        low, high = x[:, 0], x[:, 1]
        x = np.stack([(low + high) % q, (low - high) * powers[blocks : 2 * blocks, None] % q], axis=1)
        blocks //= 2
    return (x.reshape(degree) * pow(degree, -1, q) % q).astype(np.uint64)


def times(limb: Limb, factor: int, q: int) -> Limb:
    """The limb times a number."""
    return (limb.astype(object) * factor % q).astype(np.uint64)


def divided(limbs: list[Limb], primes: tuple[int, ...]) -> list[Limb]:
    """The polynomial divided by the last prime and rounded (rescaling): one limb less, in the evaluation domain."""
    last = primes[-1]
    rest = to_coefficients(limbs[-1], last).astype(object)
    rest = np.where(rest > last // 2, rest - last, rest)
    out = []
    for limb, q in zip(limbs[:-1], primes[:-1], strict=True):
        whole = limb.astype(object) - to_evaluation((rest % q).astype(np.uint64), q).astype(object)
        out.append((whole * pow(last, -1, q) % q).astype(np.uint64))
    return out


def slots_of_generator_3(degree: int, rows: int) -> npt.NDArray[np.intp]:
    """For each slot of a library whose slot j is the value at the power `3**j` of the root (and in a
    second row at `-3**j`), the index of ringjet's slot with that value. ringjet's slot j is the value at
    the power `5**j`, and in a second row at `-5**j`. With one row the index is of the slot whose value is
    that value or its complex conjugate."""
    half, period = degree // 2, 2 * degree
    ours, power = {}, 1
    for column in range(half):
        ours[power], ours[period - power] = column, column + (half if rows == 2 else 0)
        power = power * 5 % period
    found, power = [], 1
    for _ in range(half):
        found.append(power)
        power = power * 3 % period
    if rows == 2:
        found += [period - power for power in found]
    return np.array([ours[power] for power in found], np.intp)
