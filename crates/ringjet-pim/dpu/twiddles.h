// Twiddle factors in MRAM: where they are, and buffers of them.
#pragma once

#include "field.h"

#define FACTOR_WORDS (SHOUP ? 2 : 1)

static inline uint32_t twiddle_section(uint32_t inverse)
{
    return inverse ? wram.header.inverse : wram.header.forward;
}

// The index of the first factor of a stage with this many groups. Factor `groups + g` of bit-reversed
// tables is that of group g. Scrambled tables have the stages of the inverse one after the other,
// from the largest: psi^-i is factor 1 + brv(i - 1).
static inline uint32_t first_twiddle(uint32_t groups, uint32_t inverse)
{
    return SCRAMBLED && inverse ? 1 + wram.header.length - 2 * groups : groups;
}

// One factor from MRAM.
static struct factor get_factor(uint32_t index, uint32_t inverse)
{
    const uint32_t at = twiddle_section(inverse) + FACTOR_WORDS * index;
#if SHOUP
    __dma_aligned uint32_t pair[2];
    dpu_charge(GET_WORD_INSTRUCTIONS);
    read_words(at, pair, 2);
    const struct factor factor = {pair[0], pair[1]};
#else
    const struct factor factor = {get_word(at), 0};
#endif
    return factor;
}

// Reads `count` factors into a buffer with room for one more, in one transfer. Returns where the
// first is: transfers begin at even words.
static const uint32_t* read_factors(uint32_t index, uint32_t count, uint32_t inverse, uint32_t* to)
{
    const uint32_t at = twiddle_section(inverse) + FACTOR_WORDS * index, odd = at & 1;
    read_words(at - odd, to, (odd + FACTOR_WORDS * count + 1) & ~1u);
    return to + odd;
}

static inline struct factor factor_at(const uint32_t* words)
{
    const struct factor factor = {words[0], SHOUP ? words[1] : 0};
    return factor;
}
