"""Parameters for a number of levels, where no preset has exactly these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._ringjet import Parameters, bootstrap_chain, params, preset
from ...errors import InsecureParametersError

#: Bits of the scale, the best one first. Below the last one too little precision is left.
_SCALES = range(45, 31, -1)

#: The number of parts of the ciphertext primes in key switching, the fastest one first.
_PARTS = (3, 4, 5, 6, 8)

#: Bits of the largest primes: those up to this size are the fastest.
_PRIME = 50

#: Bits of the lowest prime above those of the scale, for values that are larger than 1.
_ROOM = 10


def chains(log_n: int, depth: int) -> Iterator[Parameters]:
    """Parameters of CKKS in this ring with so many levels and 128 bits of security, the fastest ones first; each has a
    larger scale than the one before it."""
    best = 0
    for parts in _PARTS:
        special = -(-(depth + 1) // parts)
        for scale in _SCALES:
            if scale <= best:
                break
            first = min(_PRIME, scale + _ROOM)
            size = min(_PRIME, -(-(first + (special - 1) * (scale + 1)) // special) + 1)
            try:
                found = params(log_n, [first, *[scale] * depth], [size] * special)
            except InsecureParametersError:
                continue
            best = scale
            yield found
            break


#: The numbers of special primes of parameters that bootstrap. With more of them keys have fewer parts, but kernels convert
#: from eight primes at most by vectors.
_SPECIAL = (8, 7)

#: All else is that of the preset n16-boot.
_LIKE_N16_BOOT: dict[str, Any] = {
    "log_n": 16,
    "first_bits": 49,
    "slots_to_coeffs_bits": 35,
    "eval_mod_bits": 60.5,
    "shared_primes": True,
    "coeffs_to_slots": [5, 3, 3, 4],
    "matrix_keys": True,
}


def bootstrapping(levels: int) -> Parameters | None:
    """Parameters of CKKS that bootstrap, with so many levels between two bootstraps, if these are fewer than those of the
    preset n16-boot; None if there are none."""
    if levels >= preset("n16-boot").depth:
        return None
    for special in _SPECIAL:
        try:
            return bootstrap_chain(message_levels=levels, special=special, **_LIKE_N16_BOOT)
        except InsecureParametersError:
            continue
    return None
