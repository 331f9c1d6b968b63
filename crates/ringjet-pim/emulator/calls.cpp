// The functions that programs call. They check what the hardware does not.

#include "state.h"

#include <stdlib.h>

#include "alloc.h"
#include "barrier.h"
#include "mram.h"
#include "mutex.h"
#include "perfcounter.h"

namespace pim {

namespace {

// Ends the running tasklet, and with it the program.
void fault(FaultKind kind, u64 address, u32 bytes, u64 limit)
{
    record(kind, machine->running, address, bytes, limit);
    leave(FAILED);
    abort(); // a failed tasklet is never resumed
}

// Whether the bytes are static variables, in the heap, or on the stack of the running tasklet.
bool in_wram(const unsigned char* at, u32 bytes)
{
    const ringjet_pim_program& p = *machine->dpu->program;
    const Stack own = stack_of_running();
    const struct {
        const void* begin;
        size_t bytes;
    } blocks[] = {
        {p.wram(), p.wram_bytes},
        {p.host(), p.host_bytes},
        {machine->heap, machine->heap_used},
        {own.begin, own.bytes},
    };
    for (const auto& block : blocks) {
        const u64 from = u64(at) - u64(block.begin);
        if (from < block.bytes && bytes <= block.bytes - from) {
            return true;
        }
    }
    return false;
}

void transfer(Request what, u64 mram, void* wram, u32 bytes)
{
    unsigned char* const at = static_cast<unsigned char*>(wram);
    const u64 offset = mram - MRAM_BASE;
    if (bytes < 8 || bytes > 2048 || bytes % 8 != 0) {
        fault(TRANSFER_SIZE, mram, bytes, 2048);
    }
    if (mram < MRAM_BASE || offset > MRAM_BYTES || bytes > MRAM_BYTES - offset) {
        fault(MRAM_RANGE, mram, bytes, MRAM_BYTES);
    }
    if (mram % 8 != 0) {
        fault(MRAM_ALIGNMENT, mram, bytes, 8);
    }
    if (!in_wram(at, bytes)) {
        fault(WRAM_RANGE, mram, bytes, machine->dpu->limits.wram_bytes);
    }
    if (u64(at) % 8 != 0) {
        fault(WRAM_ALIGNMENT, mram, bytes, 8);
    }
    Tasklet& t = current();
    t.wram = at;
    t.offset = u32(offset);
    t.bytes = bytes;
    dpu_charge(TRANSFER_INSTRUCTIONS);
    leave(what);
}

void end_command(u32 command)
{
    Machine& m = *machine;
    Dpu& dpu = *m.dpu;
    if (dpu.profiles == dpu.profile_room) {
        const u32 room = dpu.profile_room == 0 ? 16 : 2 * dpu.profile_room;
        void* const more = realloc(dpu.profile, room * sizeof(Profile));
        if (more == nullptr) {
            abort(); // the host has no memory left
        }
        dpu.profile = static_cast<Profile*>(more);
        dpu.profile_room = room;
    }
    Profile& p = m.since;
    p.command = command;
    p.instructions = m.instructions - m.profile_instructions;
    p.cycles = u64(m.time) - u64(m.profile_time);
    p.stalls = p.cycles > p.instructions ? p.cycles - p.instructions : 0;
    p.engine_busy = u64(m.engine_busy - m.profile_busy);
    dpu.profile[dpu.profiles++] = p;
    p = {};
    m.profile_instructions = m.instructions;
    m.profile_time = m.time;
    m.profile_busy = m.engine_busy;
}

} // namespace

} // namespace pim

using namespace pim;

extern "C" {

uint32_t ringjet_pim_tasklets(void) { return machine->count; }

sysname_t ringjet_pim_me(void) { return machine->running; }

void ringjet_pim_profile(uint32_t command) { end_command(command); }

void mram_read(const void* from, void* to, unsigned bytes) { transfer(READ, u64(from), to, bytes); }

void mram_write(const void* from, void* to, unsigned bytes)
{
    transfer(WRITE, u64(to), const_cast<void*>(from), bytes);
}

void barrier_wait(const barrier_t* barrier)
{
    dpu_charge(BARRIER_INSTRUCTIONS);
    current().object = barrier;
    leave(BARRIER);
}

void mutex_lock(const mutex_t* mutex)
{
    dpu_charge(MUTEX_INSTRUCTIONS);
    current().object = mutex;
    leave(LOCK);
}

void mutex_unlock(const mutex_t* mutex)
{
    dpu_charge(MUTEX_INSTRUCTIONS);
    current().object = mutex;
    leave(UNLOCK);
}

void* mem_alloc(size_t bytes)
{
    dpu_charge(HEAP_INSTRUCTIONS);
    Machine& m = *machine;
    if (bytes > m.heap_limit - m.heap_used) {
        fault(HEAP_FULL, 0, bytes > ~0u ? ~0u : u32(bytes), m.heap_limit - m.heap_used);
    }
    unsigned char* const at = m.heap + m.heap_used;
    m.heap_used += u32(bytes + 7) / 8 * 8;
    return at;
}

void mem_reset(void) { machine->heap_used = 0; }

perfcounter_t perfcounter_config(perfcounter_config_t config, bool reset)
{
    dpu_charge(COUNTER_INSTRUCTIONS);
    if (config != COUNT_SAME) {
        machine->count_instructions = config == COUNT_INSTRUCTIONS;
    }
    leave(reset ? RESET_CLOCK : CLOCK);
    return current().clock;
}

perfcounter_t perfcounter_get(void)
{
    dpu_charge(COUNTER_INSTRUCTIONS);
    leave(CLOCK);
    return current().clock;
}

} // extern "C"
