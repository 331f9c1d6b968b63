// One emulated DPU, and the machine that runs it.
#pragma once

#include <stdint.h>

#include "defs.h"

namespace pim {

using u32 = uint32_t;
using u64 = uint64_t;

constexpr u32 MRAM_BYTES = 64 << 20, MRAM_BASE = 0x08000000, MOST_TASKLETS = 24;

// What a version of the hardware has.
struct Limits {
    u32 tasklets, wram_bytes, mutexes;
};
constexpr Limits V1A = {24, 65536, 56}, V1B = {16, 63488, 64};

// Costs in cycles. Only the occupancy is fitted to published run times (docs/design/pim.md).
constexpr double ISSUE_INTERVAL = 11; // cycles between two instructions of a tasklet
constexpr double READ_LATENCY = 77, WRITE_LATENCY = 61, CYCLES_A_BYTE = 0.5;
constexpr double ENGINE_OCCUPANCY = 40; // of the DMA engine, for each transfer
// Instructions of the library's functions, estimates: a DMA instruction with its address and size;
// the entry of a barrier with the wait and the wake; a mutex; a counter.
constexpr u32 TRANSFER_INSTRUCTIONS = 2, BARRIER_INSTRUCTIONS = 20, MUTEX_INSTRUCTIONS = 2;
constexpr u32 COUNTER_INSTRUCTIONS = 2, HEAP_INSTRUCTIONS = 10;

// The numbers are those of `FaultKind` in src/host/fault.rs.
enum FaultKind : u32 {
    NO_FAULT,
    MRAM_RANGE,     // address, bytes
    MRAM_ALIGNMENT, // address
    WRAM_ALIGNMENT, // address within its block
    TRANSFER_SIZE,  // bytes
    WRAM_RANGE,     // bytes
    WRAM_FULL,      // bytes wanted of `limit`, when the program begins
    HEAP_FULL,      // bytes wanted of `limit`
    STACK_OVERFLOW, // limit
    TOO_MANY_TASKLETS,
    BARRIER_NOT_REACHED, // `bytes` tasklets of `limit` wait
    MUTEX_DEADLOCK,
    MUTEX_NOT_HELD,
    TOO_MANY_MUTEXES,
    BARRIER_COUNT, // `bytes` tasklets wanted of `limit`
};

struct Fault {
    u32 kind, dpu, tasklet, bytes;
    u64 address, limit;
};

// What the tasklets did between two ends of commands.
struct Profile {
    u32 command, barriers;
    u64 instructions, transfers, bytes_read, bytes_written, cycles;
    u64 stalls;      // cycles in which no instruction was issued
    u64 engine_busy; // cycles of the DMA engine
};

struct Dpu {
    u32 number;
    unsigned char* mram; // the system gives memory to the pages that are used
    const ringjet_pim_program* program;
    unsigned char* host; // the values of the `__host` variable between launches
    void* prepared;      // memory of the next transfer
    Limits limits;
    u32 tasklets, stack_bytes;
    Profile* profile;
    u32 profiles, profile_room;
    u64 cycles, instructions; // of the last launch
    Fault fault;
};

// Runs the program of a DPU to its end, or to its first fault.
void run(Dpu& dpu);

} // namespace pim
