// Transfers of words, and what else the programs share.
#pragma once

#include "commands.h"
#include "config.h"

#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <perfcounter.h>

#ifdef DPU
#define WRAM
#define END_COMMAND(type)
#define dpu_charge(instructions) ((void)0)
#else
#define END_COMMAND(type) ringjet_pim_profile(type)
#endif

#define MOST_PROGRAM_TASKLETS 16

__host struct result result __dma_aligned;

BARRIER_INIT(all_tasklets, NR_TASKLETS)

// The address of word `index` of MRAM, which is even where a transfer begins.
#define WORD_ADDRESS(index) (DPU_MRAM_HEAP_POINTER + 4 * (index))

// Instructions for each filling of the buffers: addresses, and the length of the last part.
#define CHUNK_INSTRUCTIONS 12

static inline void read_words(uint32_t index, uint32_t* to, uint32_t words)
{
    mram_read(WORD_ADDRESS(index), to, 4 * words);
}

static inline void write_words(const uint32_t* from, uint32_t index, uint32_t words)
{
    mram_write(from, WORD_ADDRESS(index), 4 * words);
}

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
