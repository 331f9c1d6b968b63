// Runs the tasklets of one DPU as fibers on the calling thread of the host, and counts the cycles
// that a DPU would take.
//
// A fiber runs until its tasklet transfers data, waits, or ends. Its instructions since the last
// such point are then issued in virtual time: the tasklets that compute share the pipeline evenly,
// one instruction per cycle, and no tasklet issues more than one in 11 cycles. What a tasklet asks
// for happens in the order of virtual time, lower tasklets first, so every run is the same.

#include "machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "barrier.h"
#include "mram.h"
#include "mutex.h"
#include "perfcounter.h"
#include "ringjet_fibers.h"

extern "C" {
__thread uint64_t ringjet_pim_issued;
}

namespace pim {

namespace {

// Frames of x86-64 are larger than those of a DPU: pointers have 8 bytes, and more registers are
// saved. So a fiber may use four times the stack of its tasklet, and 2 KiB for the emulator itself.
constexpr u32 STACK_FACTOR = 4, OWN_STACK_BYTES = 2048;

enum State { COMPUTING, TRANSFERRING, AT_BARRIER, AT_MUTEX, DONE };
enum Request { READ, WRITE, BARRIER, LOCK, UNLOCK, CLOCK, RESET_CLOCK, END, FAILED };

struct Tasklet {
    Fiber fiber;
    State state;
    Request request;      // what it asks for once its instructions are issued
    const void* object;   // of a barrier or a mutex
    unsigned char* wram;
    u32 offset, bytes;    // of MRAM
    double end_of_issue;  // value of `progress` at which its instructions are issued
    double end_of_wait;   // time at which its transfer ends
    u64 arrival;          // order at mutexes
    u64 clock;            // answer to CLOCK
};

struct Machine {
    Tasklet all[MOST_TASKLETS];
    FiberContext scheduler;
    Dpu* dpu;
    u32 count, running, made_stack_bytes, made;
    double time, progress; // progress: instructions that a tasklet which always computes has issued
    double engine_free, engine_busy;
    u64 instructions, arrivals;
    Profile since; // counts since the last end of a command
    double profile_time, profile_busy;
    u64 profile_instructions;
    struct {
        const void* mutex;
        u32 holder;
    } mutexes[64];
    u32 mutex_count;
    bool count_instructions;
    double clock_start;
    u64 clock_instructions;
    u32 heap_used, heap_limit;
    alignas(8) unsigned char heap[65536];
};

constexpr u32 NOBODY = ~0u;
__thread Machine* machine;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t at_end; // its destructor frees the machine when its thread of the host ends

void free_machine(void* of_thread)
{
    Machine* const m = static_cast<Machine*>(of_thread);
    for (u32 t = 0; t < m->made; t++) {
        fiber_free(m->all[t].fiber);
    }
    free(m);
    machine = nullptr;
}

void record(FaultKind kind, u32 tasklet, u64 address, u32 bytes, u64 limit)
{
    machine->dpu->fault = {kind, machine->dpu->number, tasklet, bytes, address, limit};
}

Tasklet& current() { return machine->all[machine->running]; }

void leave(Request request)
{
    current().request = request;
    fiber_switch(current().fiber.context, machine->scheduler);
}

// Ends the running tasklet, and with it the program.
void fault(FaultKind kind, u64 address, u32 bytes, u64 limit)
{
    record(kind, machine->running, address, bytes, limit);
    leave(FAILED);
    abort(); // a failed tasklet is never resumed
}

void fiber_main()
{
    for (;;) {
        machine->dpu->program->main();
        leave(END);
    }
}

// Whether the bytes are static variables, in the heap, or on the stack of the running tasklet.
bool in_wram(const unsigned char* at, u32 bytes)
{
    const ringjet_pim_program& p = *machine->dpu->program;
    const Fiber& own = current().fiber;
    const struct {
        const void* begin;
        size_t bytes;
    } blocks[] = {
        {p.wram(), p.wram_bytes},
        {p.host(), p.host_bytes},
        {machine->heap, machine->heap_used},
        {own.stack + FIBER_SPARE_BYTES, own.limit},
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

// Runs a tasklet up to its next request.
void resume(Tasklet& t)
{
    Machine& m = *machine;
    m.running = u32(&t - m.all);
    ringjet_pim_issued = 0;
    fiber_switch(m.scheduler, t.fiber.context);
    if (t.request != FAILED && fiber_exceeded(t.fiber)) {
        record(STACK_OVERFLOW, m.running, 0, 0, m.dpu->stack_bytes);
        t.request = FAILED;
    }
    m.instructions += ringjet_pim_issued;
    t.end_of_issue = m.progress + double(ringjet_pim_issued);
    t.state = COMPUTING;
}

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

// The instructions of the tasklet are issued: does what it asks for.
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

// Goes on to the next event; false if there is none.
bool step()
{
    Machine& m = *machine;
    Tasklet *computing = nullptr, *transferring = nullptr;
    u32 active = 0;
    for (u32 i = 0; i < m.count; i++) {
        Tasklet& t = m.all[i];
        if (t.state == COMPUTING) {
            active++;
            computing = computing == nullptr || t.end_of_issue < computing->end_of_issue ? &t : computing;
        } else if (t.state == TRANSFERRING) {
            transferring = transferring == nullptr || t.end_of_wait < transferring->end_of_wait ? &t : transferring;
        }
    }
    if (computing == nullptr && transferring == nullptr) {
        return false;
    }
    const double cycles = active > ISSUE_INTERVAL ? active : ISSUE_INTERVAL; // for one instruction of each
    const double issued = computing == nullptr ? 0 : m.time + (computing->end_of_issue - m.progress) * cycles;
    if (transferring != nullptr && (computing == nullptr || transferring->end_of_wait <= issued)) {
        if (computing != nullptr) {
            m.progress += (transferring->end_of_wait - m.time) / cycles;
        }
        m.time = transferring->end_of_wait;
        resume(*transferring);
    } else {
        m.time = issued;
        m.progress = computing->end_of_issue;
        serve(*computing);
    }
    return true;
}

// Nothing happens any more: names a tasklet that still waits.
void check_ends()
{
    Machine& m = *machine;
    u32 waiting = 0;
    for (u32 i = 0; i < m.count; i++) {
        waiting += m.all[i].state == AT_BARRIER;
    }
    for (u32 i = 0; i < m.count; i++) {
        if (m.all[i].state == AT_BARRIER) {
            record(BARRIER_NOT_REACHED, i, 0, waiting, m.count);
            return;
        }
        if (m.all[i].state == AT_MUTEX) {
            record(MUTEX_DEADLOCK, i, 0, 0, 0);
        }
    }
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

Machine& prepared(Dpu& dpu)
{
    if (machine == nullptr) {
        pthread_once(&once, [] { pthread_key_create(&at_end, free_machine); });
        machine = static_cast<Machine*>(calloc(1, sizeof(Machine)));
        if (machine == nullptr) {
            abort(); // the host has no memory left
        }
        pthread_setspecific(at_end, machine);
    }
    Machine& m = *machine;
    if (m.made_stack_bytes != dpu.stack_bytes) {
        while (m.made > 0) {
            fiber_free(m.all[--m.made].fiber);
        }
        m.made_stack_bytes = dpu.stack_bytes;
    }
    const size_t limit = (STACK_FACTOR * size_t(dpu.stack_bytes) + OWN_STACK_BYTES + 15) / 16 * 16;
    for (; m.made < dpu.tasklets; m.made++) {
        if (!fiber_create(m.all[m.made].fiber, limit, fiber_main)) {
            abort(); // the host has no memory left
        }
    }
    m.dpu = &dpu;
    m.count = dpu.tasklets;
    m.time = m.progress = m.engine_free = m.engine_busy = m.profile_time = m.profile_busy = m.clock_start = 0;
    m.instructions = m.profile_instructions = m.clock_instructions = m.arrivals = 0;
    m.since = {};
    m.mutex_count = m.heap_used = 0;
    m.count_instructions = false;
    return m;
}

} // namespace

void run(Dpu& dpu)
{
    const ringjet_pim_program& program = *dpu.program;
    dpu.fault = {};
    dpu.profiles = 0;
    if (dpu.tasklets == 0 || dpu.tasklets > dpu.limits.tasklets) {
        dpu.fault = {TOO_MANY_TASKLETS, dpu.number, 0, dpu.tasklets, 0, dpu.limits.tasklets};
        return;
    }
    const u64 fixed = u64(program.wram_bytes) + program.host_bytes + u64(dpu.tasklets) * dpu.stack_bytes;
    if (fixed > dpu.limits.wram_bytes) {
        dpu.fault = {WRAM_FULL, dpu.number, 0, u32(fixed), 0, dpu.limits.wram_bytes};
        return;
    }
    Machine& m = prepared(dpu);
    m.heap_limit = (dpu.limits.wram_bytes - u32(fixed)) / 8 * 8;
    memset(m.heap, 0xa5, sizeof m.heap); // no program may count on what is there
    memset(program.wram(), 0xa5, program.wram_bytes);
    memcpy(program.host(), dpu.host, program.host_bytes);
    for (u32 t = 0; t < m.count; t++) {
        fiber_reset(m.all[t].fiber, fiber_main);
        m.all[t].state = DONE;
    }
    for (u32 t = 0; t < m.count && dpu.fault.kind == NO_FAULT; t++) {
        resume(m.all[t]);
    }
    while (dpu.fault.kind == NO_FAULT && step()) {
    }
    if (dpu.fault.kind == NO_FAULT) {
        check_ends();
    }
    memcpy(dpu.host, program.host(), program.host_bytes);
    dpu.cycles = u64(m.time);
    dpu.instructions = m.instructions;
}

} // namespace pim

// The functions that programs call.
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
