// Fibers, barriers and shared memory of the emulator. One launch runs on one thread of the host;
// each host thread has its own fibers.

#include "parts.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ringjet_fibers.h"

namespace emulator {

__thread Now now;

namespace {

constexpr u32 MOST_THREADS = 1024, MOST_SITES = 16;
constexpr size_t STACK_BYTES = 48 << 10, DECLARED_BYTES = 48 << 10, MOST_SHARED_BYTES = 227 << 10;
constexpr u32 MANY = ~0u;

enum State { NEW, READY, AT_BARRIER, AT_WARP, DONE };

// A thread of the running block. A thread that waits keeps its fiber; the fiber of a thread that
// ends goes on with the next thread.
struct Thread {
    Dim place;
    State state;
    u32 fiber;
    u32 mask;
    u64 slot;
};

// The last writer and the last reader of four bytes of shared memory, and the value of `phase` at
// the time.
struct Touch {
    u64 written, read;
    u32 writer, reader;
};

struct Machine {
    Thread all[MOST_THREADS];
    u32 threads, running;
    bool up; // whether new threads begin in ascending order
    Fiber fibers[MOST_THREADS];
    u32 made, free[MOST_THREADS], free_count; // `free`: fibers that no thread uses
    FiberContext scheduler;
    void (*body)(void*);
    void* data;
    const char* kernel;
    u64 phase; // number of barriers passed, over all launches
    alignas(16) unsigned char memory[MOST_SHARED_BYTES];
    Touch touched[MOST_SHARED_BYTES / 4];
    size_t used, dynamic_bytes;
    const void* sites[MOST_SITES];
    unsigned char* site_memory[MOST_SITES];
    u32 site_count;
    bool failed;
    char message[512];
};

__thread Machine* machine;
__thread size_t shared_limit = MOST_SHARED_BYTES; // of a block

void to_scheduler(Fiber& f) { fiber_switch(f.context, machine->scheduler); }
void to_fiber(Fiber& f) { fiber_switch(machine->scheduler, f.context); }

void become(u32 t)
{
    machine->running = t;
    enter_thread(t, machine->all[t].place);
}

// A fiber runs threads to their end, one after the other, until one has to wait. It is used for
// later blocks as well.
void fiber_main()
{
    for (;;) {
        Machine& m = *machine;
        m.body(m.data);
        const u32 t = m.running, next = m.up ? t + 1 : t - 1;
        m.all[t].state = DONE;
        if (next < m.threads && m.all[next].state == NEW) {
            m.all[next].fiber = m.all[t].fiber;
            become(next);
            continue;
        }
        m.free[m.free_count++] = m.all[t].fiber;
        to_scheduler(m.fibers[m.all[t].fiber]);
    }
}

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t at_end; // its destructor frees the machine when its thread of the host ends

void free_machine(void* of_thread)
{
    Machine* const m = static_cast<Machine*>(of_thread);
    for (u32 f = 0; f < m->made; f++) {
        fiber_free(m->fibers[f]);
    }
    free(m);
    machine = nullptr;
    free_accesses();
}

Machine& prepared(u32 threads)
{
    if (machine == nullptr) {
        pthread_once(&once, [] { pthread_key_create(&at_end, free_machine); });
        machine = static_cast<Machine*>(calloc(1, sizeof(Machine)));
        machine->phase = 1;
        pthread_setspecific(at_end, machine);
    }
    machine->threads = threads;
    machine->failed = false;
    return *machine;
}

u32 free_fiber()
{
    Machine& m = *machine;
    if (m.free_count == 0) {
        if (!fiber_create(m.fibers[m.made], STACK_BYTES, fiber_main)) {
            abort(); // the host has no memory left
        }
        m.free[m.free_count++] = m.made++;
    }
    return m.free[--m.free_count];
}

void vfail(const char* format, va_list arguments)
{
    machine->failed = true;
    char* at = machine->message;
    char* const end = at + sizeof machine->message;
    const Dim b = now.block, t = now.thread;
    at += snprintf(at, end - at, "%s, block (%u, %u, %u), thread (%u, %u, %u): ", machine->kernel, b.x, b.y, b.z, t.x, t.y, t.z);
    vsnprintf(at, end - at, format, arguments);
}

// Records a failure that the scheduler finds, outside of any thread.
void blame(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfail(format, arguments);
    va_end(arguments);
}

void resume(u32 t)
{
    Thread& thread = machine->all[t];
    if (thread.state == NEW) {
        thread.fiber = free_fiber();
    }
    become(t);
    Fiber& fiber = machine->fibers[thread.fiber];
    to_fiber(fiber);
    if (!machine->failed && fiber_exceeded(fiber)) {
        blame("uses more than %zu bytes of stack", STACK_BYTES);
    }
}

// Wakes the lanes of a mask once all of them wait. Returns whether any woke.
bool release_warps()
{
    Machine& m = *machine;
    bool any = false;
    for (u32 first = 0; first < m.threads; first += 32) {
        for (u32 t = first; t < first + 32 && t < m.threads; t++) {
            if (m.all[t].state != AT_WARP) {
                continue;
            }
            const u32 mask = m.all[t].mask;
            bool all = true;
            for (u32 lane = 0; lane < 32; lane++) {
                const u32 other = first + lane;
                if (!(mask >> lane & 1) || other >= m.threads) {
                    continue;
                }
                if (m.all[other].state == DONE) {
                    now.thread = m.all[t].place;
                    blame("waits for lane %u, which has left the kernel", lane);
                    return false;
                }
                all &= m.all[other].state == AT_WARP && m.all[other].mask == mask;
            }
            for (u32 lane = 0; all && lane < 32; lane++) {
                if (mask >> lane & 1 && first + lane < m.threads) {
                    m.all[first + lane].state = READY;
                    any = true;
                }
            }
        }
    }
    return any;
}

// Wakes all threads of the block once all of them wait at a barrier. Returns whether they woke.
bool release_block()
{
    Machine& m = *machine;
    u32 waiting = 0, done = 0, last = 0;
    for (u32 t = 0; t < m.threads; t++) {
        waiting += m.all[t].state == AT_BARRIER;
        done += m.all[t].state == DONE;
        last = m.all[t].state == AT_BARRIER ? t : last;
    }
    if (waiting == m.threads) {
        for (u32 t = 0; t < m.threads; t++) {
            m.all[t].state = READY;
        }
        m.phase++;
        pass_barrier();
        return true;
    }
    if (done < m.threads) {
        now.thread = m.all[last].place;
        blame("waits at a barrier that only %u of %u threads reach (%u have left the kernel)", waiting, m.threads, done);
    }
    return false;
}

// Runs all threads of one block. The scheduler goes through the threads in ascending and descending
// order in turn, so that a kernel which depends on their order gives different results.
void run_block()
{
    Machine& m = *machine;
    for (u32 t = 0; t < m.threads; t++) {
        m.all[t].state = NEW;
    }
    m.phase++;
    m.used = (m.dynamic_bytes + 15) / 16 * 16;
    m.site_count = 0;
    memset(m.memory, 0xa5, m.used);
    m.up = !m.up;
    for (bool up = m.up;; up = !up) {
        bool progress = false;
        for (u32 k = 0; k < m.threads; k++) {
            const u32 t = up ? k : m.threads - 1 - k;
            if (m.all[t].state > READY) {
                continue;
            }
            progress = true;
            resume(t);
            if (m.failed) {
                return;
            }
        }
        if (!progress && !release_warps() && (m.failed || !release_block())) {
            return;
        }
    }
}

} // namespace

void fail(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfail(format, arguments);
    va_end(arguments);
    if (machine->running != MANY) {
        to_scheduler(machine->fibers[machine->all[machine->running].fiber]);
    }
    abort(); // a failed thread is never resumed
}

static void wait(State what)
{
    Thread& t = machine->all[machine->running];
    t.state = what;
    to_scheduler(machine->fibers[t.fiber]);
}

void sync_threads() { wait(AT_BARRIER); }

void sync_warp(u32 mask)
{
    if (!(mask >> lane() & 1)) {
        fail("the mask %#x does not contain the calling lane %u", mask, lane());
    }
    machine->all[machine->running].mask = mask;
    wait(AT_WARP);
}

u32 lane() { return machine->running % 32; }

u64 shuffle(u32 mask, u64 value, u32 from)
{
    const u32 own = machine->running, other = own / 32 * 32 + from;
    machine->all[own].slot = value;
    sync_warp(mask);
    if (!(mask >> from & 1) || other >= machine->threads) {
        fail("a shuffle reads lane %u, which takes no part (mask %#x)", from, mask);
    }
    const u64 found = machine->all[other].slot;
    sync_warp(mask); // no lane may write its slot again before all lanes have read
    return found;
}

unsigned char* shared(const void* site, size_t bytes)
{
    Machine& m = *machine;
    for (u32 i = 0; i < m.site_count; i++) {
        if (m.sites[i] == site) {
            return m.site_memory[i];
        }
    }
    const size_t declared = m.used - (m.dynamic_bytes + 15) / 16 * 16 + bytes;
    if (declared > DECLARED_BYTES || m.site_count == MOST_SITES) {
        fail("%zu bytes of shared memory declared, a kernel has %zu", declared, DECLARED_BYTES);
    }
    if (m.used + bytes > shared_limit) {
        fail("%zu bytes of shared memory, a block has %zu", m.used + bytes, shared_limit);
    }
    unsigned char* const at = m.memory + m.used;
    memset(at, 0xa5, bytes);
    m.used += (bytes + 15) / 16 * 16;
    m.sites[m.site_count] = site;
    m.site_memory[m.site_count++] = at;
    return at;
}

unsigned char* dynamic_shared(size_t* bytes)
{
    *bytes = machine->dynamic_bytes;
    return machine->memory;
}

void touch(const void* at, size_t bytes, bool write)
{
    Machine& m = *machine;
    const size_t first = (static_cast<const unsigned char*>(at) - m.memory) / 4;
    const u32 me = m.running;
    for (size_t i = first; i < first + bytes / 4; i++) {
        Touch& t = m.touched[i];
        if (t.written == m.phase && t.writer != me) {
            fail("%s shared byte %zu, which thread %u wrote since the last barrier", write ? "writes" : "reads", 4 * i, t.writer);
        }
        if (write) {
            if (t.read == m.phase && t.reader != me) {
                fail("writes shared byte %zu, which another thread read since the last barrier", 4 * i);
            }
            t.written = m.phase;
            t.writer = me;
        } else {
            t.reader = t.read == m.phase && t.reader != me ? MANY : me;
            t.read = m.phase;
        }
    }
}

const char* run(const char* kernel, const Dim* grid, const Dim* block, u32 shared_bytes, void (*body)(void*), void* data)
{
    const u64 threads = u64(block->x) * block->y * block->z;
    Machine& m = prepared(threads <= MOST_THREADS ? u32(threads) : 0);
    m.kernel = kernel;
    m.body = body;
    m.data = data;
    m.dynamic_bytes = shared_bytes;
    m.up = false; // the first block goes up
    now.grid = *grid;
    now.block_size = *block;
    if (threads == 0 || threads > MOST_THREADS || shared_bytes > shared_limit) {
        now.block = now.thread = {0, 0, 0};
        blame("a block of %llu threads with %u bytes of shared memory", threads, shared_bytes);
        return m.message;
    }
    for (u32 t = 0; t < threads; t++) {
        m.all[t].place = {t % block->x, t / block->x % block->y, t / block->x / block->y};
    }
    const u64 blocks = u64(grid->x) * grid->y * grid->z;
    name_blocks(blocks);
    for (u64 b = 0; b < blocks && !m.failed; b++) {
        enter_block(b);
        now.block = {u32(b % grid->x), u32(b / grid->x % grid->y), u32(b / grid->x / grid->y)};
        run_block();
    }
    if (!m.failed) {
        return nullptr;
    }
    m.free_count = 0;
    for (u32 f = 0; f < m.made; f++) {
        fiber_reset(m.fibers[f], fiber_main); // some fibers are still inside the failed kernel
        m.free[m.free_count++] = f;
    }
    return m.message;
}

// Called before the arguments of a launch are read: pointers look up their allocations. `bytes`: of
// a residue.
void begin(u32 bytes)
{
    prepared(0);
    begin_accesses(bytes);
    machine->running = MANY;
}

} // namespace emulator

// Blocks of later launches on this thread of the host have this much shared memory.
extern "C" void ringjet_emulator_limit_shared(size_t bytes)
{
    using namespace emulator;
    shared_limit = bytes < MOST_SHARED_BYTES ? bytes : MOST_SHARED_BYTES;
}
