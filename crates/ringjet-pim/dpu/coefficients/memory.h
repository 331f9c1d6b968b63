// The variables of the program, and where coefficients are.
#pragma once

#include "header.h"
#include "../words.h"

// Words of 32 bits of a coefficient, and coefficients of each of a tasklet's two buffers. Together
// the buffers have 512 bytes.
#define COEFFICIENT_WORDS 4
#define BUFFER_COEFFICIENTS (BUFFERED ? 16u : 1u)

struct wram {
    struct header header;
    struct wide buffers[MOST_PROGRAM_TASKLETS][2 * 16] __dma_aligned;
};

static WRAM struct wram wram __dma_aligned;

// The word of MRAM where a polynomial begins.
static inline uint32_t polynomial(uint32_t index)
{
    return wram.header.data + COEFFICIENT_WORDS * index * wram.header.length;
}

static inline void read_coefficients(uint32_t word, struct wide* to, uint32_t count)
{
    read_words(word, (uint32_t*)to, COEFFICIENT_WORDS * count);
}

static inline void write_coefficients(const struct wide* from, uint32_t word, uint32_t count)
{
    write_words((const uint32_t*)from, word, COEFFICIENT_WORDS * count);
}
