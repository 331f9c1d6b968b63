// A program with the mistakes that the emulator finds, for its tests. The first two words of MRAM
// say which mistake, and which tasklet makes it.

#include <alloc.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <perfcounter.h>

enum mistake {
    NONE = 0,
    BEYOND_MRAM = 1,
    BEFORE_MRAM = 2,
    ODD_MRAM = 3,
    ODD_WRAM = 4,
    ODD_SIZE = 5,
    LARGE_SIZE = 6,
    NO_SIZE = 7,
    BEYOND_VARIABLE = 8,
    BEYOND_HEAP = 9,
    FOREIGN_STACK = 10,
    LARGE_ALLOCATION = 11,
    DEEP_CALLS = 12,
    MISSED_BARRIER = 13,
    LOCKED_TWICE = 14,
    NOT_LOCKED = 15,
    MANY_MUTEXES = 16,
    LARGE_BARRIER = 17,
    // No mistakes: results are compared with what they must be.
    COUNT_UNDER_MUTEX = 18,
    LARGEST_ALLOCATION = 19,
    CLOCKS = 20,
    LAST_BYTES = 21,
};

struct result {
    uint32_t status, value;
    uint64_t cycles;
};
__host struct result result __dma_aligned;

struct variables {
    uint32_t request[2] __dma_aligned;
    uint64_t words[4] __dma_aligned;
    void* stack;
};
static WRAM struct variables wram __dma_aligned;

BARRIER_INIT(all_tasklets, NR_TASKLETS)
BARRIER_INIT(large, NR_TASKLETS + 1)
MUTEX_INIT(one)
static const mutex_t many[65];

static uint32_t deep(uint32_t calls)
{
    volatile uint32_t frame[64];
    frame[calls % 64] = calls;
    return calls == 0 ? 0 : deep(calls - 1) + frame[calls % 64];
}

static void bad_transfer(uint32_t mistake)
{
    uint8_t __mram_ptr* const mram = DPU_MRAM_HEAP_POINTER;
    uint8_t* const words = (uint8_t*)wram.words;
    switch (mistake) {
    case BEYOND_MRAM: mram_read(mram + (64 << 20) - 8, words, 16); break;
    case BEFORE_MRAM: mram_write(words, mram - 8, 8); break;
    case ODD_MRAM: mram_read(mram + 12, words, 8); break;
    case ODD_WRAM: mram_read(mram, words + 4, 8); break;
    case ODD_SIZE: mram_read(mram, words, 12); break;
    case LARGE_SIZE: mram_read(mram, words, 2056); break;
    case NO_SIZE: mram_read(mram, words, 0); break;
    case BEYOND_VARIABLE: mram_read(mram, (uint8_t*)(&wram + 1) - 8, 16); break;
    case BEYOND_HEAP: mram_read(mram, (uint8_t*)mem_alloc(8), 16); break;
    case FOREIGN_STACK: mram_read(mram, wram.stack, 8); break;
    }
}

static void bad_waiting(uint32_t mistake)
{
    switch (mistake) {
    case LARGE_ALLOCATION: mem_alloc(60000); break;
    case DEEP_CALLS: result.value = deep(24); break;
    case LOCKED_TWICE:
        mutex_lock(&one);
        mutex_lock(&one);
        break;
    case NOT_LOCKED: mutex_unlock(&one); break;
    case MANY_MUTEXES:
        for (uint32_t i = 0; i < 65; i++) {
            mutex_lock(&many[i]);
            mutex_unlock(&many[i]);
        }
        break;
    case LARGE_BARRIER: barrier_wait(&large); break;
    }
}

// The tasklets add to a sum, each with transfers between reading and writing it.
static void count_under_mutex(void)
{
    for (uint32_t i = 0; i < 10; i++) {
        mutex_lock(&one);
        uint32_t sum = result.value;
        mram_write(wram.words, DPU_MRAM_HEAP_POINTER + 64, 8);
        result.value = sum + me();
        mutex_unlock(&one);
    }
}

static void no_mistake(uint32_t what)
{
    if (what == LARGEST_ALLOCATION) {
        result.value = 0;
        while (result.value < 100) {
            mem_alloc(512);
            result.value++;
        }
    } else if (what == CLOCKS) {
        dpu_charge(100);
        perfcounter_config(COUNT_CYCLES, true);
        dpu_charge(1000);
        result.cycles = perfcounter_get();
        perfcounter_config(COUNT_INSTRUCTIONS, true);
        dpu_charge(1000);
        result.value = perfcounter_get();
    } else if (what == LAST_BYTES) {
        uint64_t value[2] __dma_aligned = {7, 0x1122334455667788};
        mram_write(value, DPU_MRAM_HEAP_POINTER + (64 << 20) - 16, 16);
        mram_read(DPU_MRAM_HEAP_POINTER + (64 << 20) - 8, value, 8);
        result.value = (uint32_t)value[0];
    }
}

int main(void)
{
    uint64_t own __dma_aligned = 0;
    if (me() == 0) {
        mram_read(DPU_MRAM_HEAP_POINTER, wram.request, 8);
        wram.stack = &own;
        result.status = 0;
        result.value = 0;
    }
    barrier_wait(&all_tasklets);
    const uint32_t what = wram.request[0];
    if (what == COUNT_UNDER_MUTEX) {
        count_under_mutex();
    } else if (me() == wram.request[1]) {
        if (what == MISSED_BARRIER) {
            return 0;
        }
        bad_transfer(what);
        bad_waiting(what);
        no_mistake(what);
    }
    barrier_wait(&all_tasklets);
    return (int)own;
}

static void* host_variable(void) { return &result; }
static void* wram_variable(void) { return &wram; }

const struct ringjet_pim_program PROGRAM_SYMBOL = {
    PROGRAM_NAME, main, "result", host_variable, sizeof result, wram_variable, sizeof wram,
};
