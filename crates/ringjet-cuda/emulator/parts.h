// What the emulator's own files use of each other.
#pragma once

#include "shim.h"

// Finds the allocation that contains `address`: the address that kernels know its begin by, and where
// its bytes are in this process. False where there is none. Defined by the owner of the memory,
// src/emulator.rs.
extern "C" bool ringjet_emulator_find(u64 address, u64* base, u64* begin, u64* end);

namespace emulator {

// Before the arguments of a launch are read, whose residues take `bytes` bytes each: forgets the
// allocations and counts of the launch before.
void begin_accesses(u32 bytes);
// Gives names to the blocks of the launch.
void name_blocks(u64 blocks);
// From now on block number `block` of the launch runs.
void enter_block(u64 block);
// The block has passed a barrier.
void pass_barrier();
// Thread number `thread` of the block runs.
inline void enter_thread(u32 thread, const Dim& place)
{
    now.thread = place;
    now.me = (now.all & ~(EARLIER | ANY)) | thread;
}
// Frees what this thread of the host has for global memory.
void free_accesses();

} // namespace emulator
