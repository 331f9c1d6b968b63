"""The uniform polynomials that SEAL stores as seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from ._ring import Limb

#: Bytes of a seed, and of the output that SEAL's generator makes at a time.
SEED = 64
_BLOCK = 4096

#: Blocks that are made at once: of all words, and of words that replace others.
_BATCH, _FEW = 128, 16

# BLAKE2b, RFC 7693: initial values, and the order of message words in each round.
_INITIAL = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
_ORDERS = (
    "0123456789abcdef ea489fd61c02b753 b8c052fdae367194 7931dcbe265a40f8 905724afe1bc683d"
    " 2c6a0b834d75fe19 c51fed4a0763928b db7ec13950f4862a 6fe9b308c2d714a5 a2847615fb9e3cd0"
)
_ROUNDS = [[int(digit, 16) for digit in order] for order in _ORDERS.split()]
_MIXED = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
_MIXED += [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]


def _turned(words: Limb, bits: int) -> Limb:
    return words >> np.uint64(bits) | words << np.uint64(64 - bits)


def _outputs(roots: list[bytes]) -> Limb:
    """The output nodes of BLAKE2Xb for these root hashes, `_BLOCK` bytes for each. hashlib refuses their depth, which is
    0. All nodes are computed at once, a column for each."""
    nodes = np.tile(np.arange(_BLOCK // 64, dtype=np.uint64), len(roots))
    state = np.repeat(_INITIAL[:, None], len(nodes), axis=1)
    state[0] ^= np.uint64(64 | 64 << 32)  # 64 bytes of digest, leaves of 64 bytes
    state[1] ^= nodes | np.uint64(_BLOCK << 32)
    state[2] ^= np.uint64(64 << 8)  # inner hashes of 64 bytes
    work = np.concatenate([state, np.repeat(_INITIAL[:, None], len(nodes), axis=1)])
    work[12] ^= np.uint64(64)  # the length of a root hash
    work[14] ^= np.uint64((1 << 64) - 1)  # the last block
    # the second half of the message is 0
    message = np.repeat(np.frombuffer(b"".join(roots), "<u8").reshape(-1, 8).T, _BLOCK // 64, axis=1)
    for number in range(12):
        order = _ROUNDS[number % 10]
        for i, (a, b, c, d) in enumerate(_MIXED):
            for word, by_d, by_b in ((order[2 * i], 32, 24), (order[2 * i + 1], 16, 63)):
                work[a] += work[b]
                if word < 8:
                    work[a] += message[word]
                work[d] = _turned(work[d] ^ work[a], by_d)
                work[c] += work[d]
                work[b] = _turned(work[b] ^ work[c], by_b)
    hashes: Limb = state ^ work[:8] ^ work[8:]
    return hashes.T.reshape(-1)


def _words(seed: bytes, counters: range) -> Limb:
    """The output of SEAL's generator for these counters: BLAKE2Xb of each counter in 8 bytes, keyed by the seed."""
    found = [np.zeros(0, np.uint64)]
    for start in range(0, len(counters), _BATCH):
        roots = [
            hashlib.blake2b(counter.to_bytes(8, "little"), digest_size=64, key=seed, node_offset=_BLOCK << 32).digest()
            for counter in counters[start : start + _BATCH]
        ]
        found.append(_outputs(roots))
    return np.concatenate(found)


def _further(seed: bytes, rest: Limb, counter: int) -> Iterator[int]:
    """The words in `rest`, then those of the generator from this counter on."""
    while True:
        yield from map(int, rest)
        rest = _words(seed, range(counter, counter + _FEW))
        counter += _FEW


def expanded(seed: bytes, primes: tuple[int, ...], degree: int) -> Limb:
    """The residues of the uniform polynomial modulo each prime, one limb after the other. Words that would make
    residues uneven are replaced by further words of the generator, in order."""
    count = len(primes) * degree
    blocks = -(-count * 8 // _BLOCK)
    words = _words(seed, range(blocks))
    further = _further(seed, words[count:], blocks)
    out = words[:count].reshape(len(primes), degree).copy()
    for limb, q in zip(out, primes, strict=True):
        end = (1 << 64) - 1 - ((1 << 64) - 1) % q - 1
        for i in np.flatnonzero(limb >= np.uint64(end)):
            limb[i] = next(word for word in further if word < end)
        limb %= np.uint64(q)
    return out
