// Permutations of the words of a polynomial, with changes of sign: automorphisms.
#pragma once

#include "sums.h"

// Instructions for each word: loads, mask, comparison, store, loop; and for a change of sign.
#define GATHER_INSTRUCTIONS 11
#define SIGN_INSTRUCTIONS 3

// out[i] = A[map[i]], where the words of polynomial B are the map. With the bit of the ring degree in
// map[i], out[i] = -A[map[i] without the bit]. A tile of A lies in WRAM, where all tasklets read it.
static void gather(struct command c)
{
    const uint32_t n = wram.header.length, m = wram.header.modulus, size = least(SHARED_WORDS, n);
    const uint32_t pairs = n / 2, first = 2 * share(pairs, me()), end = 2 * share(pairs, me() + 1);
    uint32_t *const map = buffer(), *const out = map + PART_WORDS;
    for (uint32_t tile = 0; tile < n; tile += size) {
        const uint32_t last = 2 * share(size / 2, me() + 1);
        barrier_wait(&all_tasklets); // nobody reads the tile before
        for (uint32_t at = 2 * share(size / 2, me()); at < last; at += TILE_WORDS) {
            dpu_charge(CHUNK_INSTRUCTIONS);
            read_words(polynomial(c.a) + tile + at, wram.shared + at, least(TILE_WORDS, last - at));
        }
        barrier_wait(&all_tasklets);
        for (uint32_t at = first; at < end; at += PART_WORDS) {
            const uint32_t words = least(PART_WORDS, end - at);
            dpu_charge(CHUNK_INSTRUCTIONS);
            read_words(polynomial(c.b) + at, map, words);
            if (size < n) { // the other words come from other tiles
                read_words(polynomial(c.out) + at, out, words);
            }
            for (uint32_t i = 0; i < words; i++) {
                const uint32_t from = (map[i] & (n - 1)) - tile;
                dpu_charge(GATHER_INSTRUCTIONS);
                if (from >= size) {
                    continue;
                }
                const uint32_t x = wram.shared[from];
                out[i] = x;
                if (map[i] & n) {
                    dpu_charge(SIGN_INSTRUCTIONS);
                    out[i] = x == 0 ? 0 : m - x;
                }
            }
            write_words(out, polynomial(c.out) + at, words);
        }
    }
}
