// Runs the tasklets of one DPU as fibers on the calling thread of the host, and counts the cycles
// that a DPU would take.
//
// A fiber runs until its tasklet transfers data, waits, or ends. Its instructions since the last
// such point are then issued in virtual time: the tasklets that compute share the pipeline evenly,
// one instruction per cycle, and no tasklet issues more than one in 11 cycles. What a tasklet asks
// for happens in the order of virtual time, lower tasklets first, so every run is the same.

#include "state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ringjet_fibers.h"

extern "C" {
__thread uint64_t ringjet_pim_issued;
}

namespace pim {

__thread Machine* machine;

namespace {

// Frames of x86-64 are larger than those of a DPU: pointers have 8 bytes, and more registers are
// saved. So a fiber may use four times the stack of its tasklet, and 2 KiB for the emulator itself.
constexpr u32 STACK_FACTOR = 4, OWN_STACK_BYTES = 2048;

// The fibers of this thread of the host, which later launches use again.
struct Fibers {
    Fiber all[MOST_TASKLETS];
    FiberContext scheduler;
    u32 made, stack_bytes;
};
__thread Fibers fibers;

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t at_end; // its destructor frees the machine when its thread of the host ends

void free_fibers()
{
    while (fibers.made > 0) {
        fiber_free(fibers.all[--fibers.made]);
    }
}

void free_machine(void* of_thread)
{
    free_fibers();
    free(of_thread);
    machine = nullptr;
}

void fiber_main()
{
    for (;;) {
        machine->dpu->program->main();
        leave(END);
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
    if (fibers.stack_bytes != dpu.stack_bytes) {
        free_fibers();
        fibers.stack_bytes = dpu.stack_bytes;
    }
    const size_t limit = (STACK_FACTOR * size_t(dpu.stack_bytes) + OWN_STACK_BYTES + 15) / 16 * 16;
    for (; fibers.made < dpu.tasklets; fibers.made++) {
        if (!fiber_create(fibers.all[fibers.made], limit, fiber_main)) {
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

void record(FaultKind kind, u32 tasklet, u64 address, u32 bytes, u64 limit)
{
    machine->dpu->fault = {kind, machine->dpu->number, tasklet, bytes, address, limit};
}

void leave(Request request)
{
    current().request = request;
    fiber_switch(fibers.all[machine->running].context, fibers.scheduler);
}

Stack stack_of_running()
{
    const Fiber& own = fibers.all[machine->running];
    return {own.stack + FIBER_SPARE_BYTES, own.limit};
}

void resume(Tasklet& t)
{
    Machine& m = *machine;
    m.running = u32(&t - m.all);
    ringjet_pim_issued = 0;
    Fiber& fiber = fibers.all[m.running];
    fiber_switch(fibers.scheduler, fiber.context);
    if (t.request != FAILED && fiber_exceeded(fiber)) {
        record(STACK_OVERFLOW, m.running, 0, 0, m.dpu->stack_bytes);
        t.request = FAILED;
    }
    m.instructions += ringjet_pim_issued;
    t.end_of_issue = m.progress + double(ringjet_pim_issued);
    t.state = COMPUTING;
}

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
        fiber_reset(fibers.all[t], fiber_main);
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
