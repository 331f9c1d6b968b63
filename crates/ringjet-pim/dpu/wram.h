// The variables of the program, and transfers of single words.
#pragma once

#include "layout.h"
#include "words.h"

#define TILE_WORDS 512
#define SHARED_WORDS (MOST_PROGRAM_TASKLETS * TILE_WORDS)

// Words of a tasklet's buffers. 192 of them, 768 bytes, hold coefficients; with better buffers
// fewer do, and twiddle factors take the others.
#define BUFFER_WORDS 194

struct wram {
    struct header header;
    uint32_t buffers[MOST_PROGRAM_TASKLETS][BUFFER_WORDS] __dma_aligned;
    // A tile of each tasklet, or a polynomial of all tasklets.
    uint32_t shared[SHARED_WORDS] __dma_aligned;
};

static WRAM struct wram wram __dma_aligned;

// Instructions of get_word and set_word besides the transfers: call, return, address, selection.
#define GET_WORD_INSTRUCTIONS 7
#define SET_WORD_INSTRUCTIONS 8

// One word of MRAM. A transfer has at least 8 bytes, so the word beside it is read as well.
static uint32_t get_word(uint32_t index)
{
    __dma_aligned uint32_t pair[2];
    dpu_charge(GET_WORD_INSTRUCTIONS);
    read_words(index & ~1u, pair, 2);
    return pair[index & 1];
}

// Writes one word of MRAM, and the word beside it unchanged.
static void set_word(uint32_t index, uint32_t value)
{
    __dma_aligned uint32_t pair[2];
    dpu_charge(SET_WORD_INSTRUCTIONS);
    read_words(index & ~1u, pair, 2);
    pair[index & 1] = value;
    write_words(pair, index & ~1u, 2);
}

static inline uint32_t polynomial(uint32_t index) { return wram.header.data + index * TUPLE * wram.header.length; }

static inline uint32_t* buffer(void) { return wram.buffers[me()]; }

// The first of the `count` things that tasklet `t` works on; those of t end where those of t + 1
// begin. A division by a constant, which the compiler turns into shifts where it is 16.
static inline uint32_t share(uint32_t count, uint32_t t) { return count * t / NR_TASKLETS; }
