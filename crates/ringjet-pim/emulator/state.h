// The state of the DPU that this thread of the host runs, for the emulator's own files.
#pragma once

#include "machine.h"

namespace pim {

enum State { COMPUTING, TRANSFERRING, AT_BARRIER, AT_MUTEX, DONE };
enum Request { READ, WRITE, BARRIER, LOCK, UNLOCK, CLOCK, RESET_CLOCK, END, FAILED };

struct Tasklet {
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
    Dpu* dpu;
    u32 count, running;
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

extern __thread Machine* machine;

inline Tasklet& current() { return machine->all[machine->running]; }

// Notes the first mistake of the program, which ends it.
void record(FaultKind kind, u32 tasklet, u64 address, u32 bytes, u64 limit);

// The running tasklet asks for something; returns when it has it.
void leave(Request request);

// The stack of the running tasklet.
struct Stack {
    const unsigned char* begin;
    size_t bytes;
};
Stack stack_of_running();

// Does what a tasklet asks for whose instructions are issued (requests.cpp).
void serve(Tasklet& t);
// Runs a tasklet up to its next request (machine.cpp).
void resume(Tasklet& t);

} // namespace pim
