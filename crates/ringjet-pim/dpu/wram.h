// The variables of a DPU program, and transfers of words.
#pragma once

#include "config.h"
#include "layout.h"

#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

#ifdef DPU
#define WRAM
#define END_COMMAND(type)
#else
#define END_COMMAND(type) ringjet_pim_profile(type)
#endif

#define MOST_PROGRAM_TASKLETS 16
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
__host struct result result __dma_aligned;

BARRIER_INIT(all_tasklets, NR_TASKLETS)

// The address of word `index` of MRAM, which is even where a transfer begins.
#define WORD_ADDRESS(index) (DPU_MRAM_HEAP_POINTER + 4 * (index))

// Instructions of get_word and set_word besides the transfers: call, return, address, selection.
#define GET_WORD_INSTRUCTIONS 7
#define SET_WORD_INSTRUCTIONS 8

static inline void read_words(uint32_t index, uint32_t* to, uint32_t words)
{
    mram_read(WORD_ADDRESS(index), to, 4 * words);
}

static inline void write_words(const uint32_t* from, uint32_t index, uint32_t words)
{
    mram_write(from, WORD_ADDRESS(index), 4 * words);
}

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

static inline uint32_t polynomial(uint32_t index) { return wram.header.data + index * wram.header.length; }

static inline uint32_t* buffer(void) { return wram.buffers[me()]; }

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// The first of the `count` things that tasklet `t` works on; those of t end where those of t + 1
// begin. A division by a constant, which the compiler turns into shifts where it is 16.
static inline uint32_t share(uint32_t count, uint32_t t) { return count * t / NR_TASKLETS; }
