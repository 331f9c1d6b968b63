// Moves evaluations between the order in which transforms leave them and the order of positions.
//
// A transform leaves the leaves of its tree in order. In rings of 512 words or more, position
// 8 j + l of each tile of 512 words has leaf 64 l + j. So the nine bits of an index turn by three,
// and three turns lead back: words move in cycles of three, in place.
#pragma once

#include "wram.h"

// Instructions for each index (turns, comparisons, loop) and for each cycle (loads, stores).
#define ORDER_INDEX_INSTRUCTIONS 10
#define ORDER_CYCLE_INSTRUCTIONS 9

// The leaf of a position in a tile.
static inline uint32_t leaf_of_position(uint32_t p) { return (p & 7) << 6 | p >> 3; }

static inline uint32_t turn(uint32_t i) { return (i << 3 & 511) | i >> 6; }

static void order_tile(uint32_t* tile, uint32_t to_positions)
{
    for (uint32_t i = 0; i < TILE_WORDS; i++) {
        const uint32_t j = turn(i), k = turn(j);
        dpu_charge(ORDER_INDEX_INSTRUCTIONS);
        if (j <= i || k <= i) {
            continue; // a word that stays, or a cycle that a smaller index has moved
        }
        const uint32_t first = tile[i], second = tile[j], third = tile[k];
        tile[i] = to_positions ? third : second;
        tile[j] = to_positions ? first : third;
        tile[k] = to_positions ? second : first;
        dpu_charge(ORDER_CYCLE_INSTRUCTIONS);
    }
}

// The tiles of the polynomials from `begin` to `end` - 1 are shared among the tasklets.
static void order(uint32_t begin, uint32_t end, uint32_t to_positions)
{
    uint32_t* const tile = wram.shared + TILE_WORDS * me();
    const uint32_t tiles = (end - begin) * (wram.header.length / TILE_WORDS);
    for (uint32_t t = share(tiles, me()); t < share(tiles, me() + 1); t++) {
        const uint32_t at = polynomial(begin) + TILE_WORDS * t;
        read_words(at, tile, TILE_WORDS);
        order_tile(tile, to_positions);
        write_words(tile, at, TILE_WORDS);
    }
}
