// What tasklets ask for: transfers, barriers, mutexes and counters.

#include "state.h"

#include <string.h>

#include "barrier.h"

namespace pim {

namespace {

constexpr u32 NOBODY = ~0u;

void begin_transfer(Tasklet& t)
{
    Machine& m = *machine;
    const bool read = t.request == READ;
    const double start = m.time > m.engine_free ? m.time : m.engine_free, bytes = t.bytes * CYCLES_A_BYTE;
    m.engine_free = start + ENGINE_OCCUPANCY + bytes;
    m.engine_busy += ENGINE_OCCUPANCY + bytes;
    t.end_of_wait = start + (read ? READ_LATENCY : WRITE_LATENCY) + bytes;
    t.state = TRANSFERRING;
    unsigned char* const mram = m.dpu->mram + t.offset;
    memcpy(read ? t.wram : mram, read ? mram : t.wram, t.bytes);
    (read ? m.since.bytes_read : m.since.bytes_written) += t.bytes;
    m.since.transfers++;
}

// Whether a tasklet waits at a barrier.
bool waits(const Tasklet& t, const void* barrier) { return t.state == AT_BARRIER && t.object == barrier; }

void arrive(Tasklet& t)
{
    Machine& m = *machine;
    const void* const barrier = t.object; // a tasklet that is resumed may name another object
    const u32 wanted = static_cast<const barrier_t*>(barrier)->tasklets();
    t.state = AT_BARRIER;
    if (wanted == 0 || wanted > m.count) {
        record(BARRIER_COUNT, u32(&t - m.all), 0, wanted, m.count);
        return;
    }
    u32 waiting = 0;
    for (u32 i = 0; i < m.count; i++) {
        waiting += waits(m.all[i], barrier);
    }
    if (waiting < wanted) {
        return;
    }
    m.since.barriers++;
    for (u32 i = 0; i < m.count && m.dpu->fault.kind == NO_FAULT; i++) {
        if (waits(m.all[i], barrier)) {
            resume(m.all[i]);
        }
    }
}

// The holder of a mutex, which is made when it is first used; null if there are too many.
u32* holder(const void* mutex)
{
    Machine& m = *machine;
    for (u32 i = 0; i < m.mutex_count; i++) {
        if (m.mutexes[i].mutex == mutex) {
            return &m.mutexes[i].holder;
        }
    }
    if (m.mutex_count == m.dpu->limits.mutexes) {
        return nullptr;
    }
    m.mutexes[m.mutex_count] = {mutex, NOBODY};
    return &m.mutexes[m.mutex_count++].holder;
}

void lock(Tasklet& t)
{
    const u32 own = u32(&t - machine->all);
    u32* const held = holder(t.object);
    if (held == nullptr) {
        record(TOO_MANY_MUTEXES, own, 0, 0, machine->dpu->limits.mutexes);
    } else if (*held == NOBODY) {
        *held = own;
        resume(t);
    } else {
        t.state = AT_MUTEX;
        t.arrival = machine->arrivals++;
    }
}

void unlock(Tasklet& t)
{
    Machine& m = *machine;
    const u32 own = u32(&t - m.all);
    u32* const held = holder(t.object);
    if (held == nullptr || *held != own) {
        record(MUTEX_NOT_HELD, own, 0, 0, 0);
        return;
    }
    Tasklet* next = nullptr;
    for (u32 i = 0; i < m.count; i++) {
        Tasklet& other = m.all[i];
        if (other.state == AT_MUTEX && other.object == t.object && (next == nullptr || other.arrival < next->arrival)) {
            next = &other;
        }
    }
    *held = next == nullptr ? NOBODY : u32(next - m.all);
    resume(t);
    if (next != nullptr && m.dpu->fault.kind == NO_FAULT) {
        resume(*next);
    }
}

void answer_clock(Tasklet& t)
{
    Machine& m = *machine;
    if (t.request == RESET_CLOCK) {
        m.clock_start = m.time;
        m.clock_instructions = m.instructions;
    }
    const u64 cycles = u64(m.time - m.clock_start) / 16 * 16;
    t.clock = m.count_instructions ? m.instructions - m.clock_instructions : cycles;
    resume(t);
}

} // namespace

void serve(Tasklet& t)
{
    switch (t.request) {
    case READ:
    case WRITE: begin_transfer(t); break;
    case BARRIER: arrive(t); break;
    case LOCK: lock(t); break;
    case UNLOCK: unlock(t); break;
    case CLOCK:
    case RESET_CLOCK: answer_clock(t); break;
    case END: t.state = DONE; break;
    case FAILED: break;
    }
}

} // namespace pim
