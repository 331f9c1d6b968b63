// Global memory of the emulator: which allocation an address is in, races, and how much is read and
// written.
//
// Each unit of an allocation (shim.h) has an `Access` with the names of its last writer and its
// last reader. Names of later launches are greater, so nothing has to be cleared between launches.
// Blocks run one after another: one that another block wrote or read earlier in the launch must not
// be written, and one that another block wrote must not be read.

#include "parts.h"

#include <stdlib.h>
#include <string.h>

namespace emulator {

namespace {

constexpr u32 MOST_FOUND = 256;

u64 units_of(const Allocation& a) { return ((a.end - a.begin - 1) >> now.unit) + 1; }

// Memory for the accesses of one allocation. Later launches use it for others.
struct Chunk {
    Access* units;
    u64 count;
    bool used; // by the running launch
};

// The state of one thread of the host.
struct State {
    Allocation found[MOST_FOUND]; // by a hash of the address
    Allocation* known; // all that the launch has used
    u32 known_count, known_room;
    Chunk* chunks;
    u32 chunk_count;
    u64 next; // the name of the first block of the next launch
};

constexpr u64 BLOCK = u64(1) << 32;

__thread State state;

void* grown(void* old, size_t bytes)
{
    void* const memory = realloc(old, bytes);
    if (memory == nullptr) {
        abort();
    }
    return memory;
}

// Entries for `count` units: the smallest unused chunk that has as many, or a new one in place of
// an unused one.
Access* accesses(u64 count)
{
    Chunk* best = nullptr;
    for (u32 i = 0; i < state.chunk_count; i++) {
        Chunk& c = state.chunks[i];
        const bool better = best == nullptr || (c.count >= count && (best->count < count || c.count < best->count));
        best = !c.used && better ? &c : best;
    }
    if (best == nullptr) {
        state.chunks = static_cast<Chunk*>(grown(state.chunks, (state.chunk_count + 1) * sizeof(Chunk)));
        best = state.chunks + state.chunk_count++;
        *best = {nullptr, 0, false};
    }
    if (best->count < count) {
        free(best->units);
        best->units = static_cast<Access*>(calloc(count, sizeof(Access)));
        best->count = count;
        if (best->units == nullptr) {
            abort();
        }
    }
    best->used = true;
    return best->units;
}

// The place of a unit, for messages: the index of its word of 8 bytes, and the words of its
// allocation.
struct Where {
    u64 index, words;
};

Where where(const Access* unit)
{
    for (u32 i = 0; i < state.known_count; i++) {
        const Allocation& a = state.known[i];
        if (unit >= a.units && unit < a.units + units_of(a)) {
            return {(u64(unit - a.units) << now.unit) / 8, (a.end - a.begin) / 8};
        }
    }
    return {0, 0};
}

// Fails with what the running thread did and what was done before.
[[noreturn]] void race(const char* does, const Access* unit, const char* did, u64 who)
{
    const Where at = where(unit);
    const u32 thread = u32(who & ANY);
    if ((who ^ now.me) / BLOCK == 0 && !(who & EARLIER)) {
        if (thread == ANY) {
            fail("%s word %llu of %llu of global memory, which other threads %s since the last barrier", does, at.index,
                 at.words, did);
        }
        fail("%s word %llu of %llu of global memory, which thread %u %s since the last barrier", does, at.index, at.words,
             thread, did);
    }
    if ((who ^ now.me) / BLOCK == 0) { // this block is the last one that did it
        fail("%s word %llu of %llu of global memory, which an earlier block %s", does, at.index, at.words, did);
    }
    const u64 block = (who - now.launch) / BLOCK, x = now.grid.x, y = now.grid.y;
    fail("%s word %llu of %llu of global memory, which block (%llu, %llu, %llu) %s", does, at.index, at.words, block % x,
         block / x % y, block / x / y, did);
}

// Whether the running thread may write what `who` did something with: `who` belongs to an earlier
// launch, or to this block before its last barrier, or is this thread.
bool apart(u64 who)
{
    const u64 other = who ^ now.me;
    return who < now.launch || (other < BLOCK && !(who & EARLIER) && (other >= BARRIER || other == 0));
}

} // namespace

Allocation allocation(u64 address)
{
    Allocation& slot = state.found[address / 64 % MOST_FOUND];
    if (address - slot.base < slot.end - slot.begin) {
        return slot;
    }
    for (u32 i = 0; i < state.known_count; i++) {
        if (address - state.known[i].base < state.known[i].end - state.known[i].begin) {
            return slot = state.known[i];
        }
    }
    Allocation a;
    if (!ringjet_emulator_find(address, &a.base, &a.begin, &a.end)) {
        return {0, 0, nullptr, 0}; // every access through the pointer fails
    }
    a.units = accesses(units_of(a));
    if (state.known_count == state.known_room) {
        state.known_room = 2 * state.known_room + 16;
        state.known = static_cast<Allocation*>(grown(state.known, state.known_room * sizeof(Allocation)));
    }
    return slot = state.known[state.known_count++] = a;
}

void note_read(Access* unit)
{
    if (!apart(unit->written)) {
        race("reads", unit, "wrote", unit->written);
    }
    const u64 read = unit->read, other = read ^ now.me;
    if (read < now.launch) {
        unit->read = now.me;
    } else if (other >= BLOCK) {
        unit->read = now.me | EARLIER;
    } else if (other >= BARRIER) {
        unit->read = now.me | (read & EARLIER);
    } else if (other & ANY) {
        unit->read = read | ANY;
    }
}

void note_write(Access* unit, Kind kind)
{
    if (!apart(unit->written)) {
        race("writes", unit, "wrote", unit->written);
    }
    if (!apart(unit->read)) {
        race("writes", unit, "read", unit->read);
    }
    now.traffic[kind].written += unit->written < now.launch ? u64(1) << now.unit : 0;
    unit->written = now.me;
}

void begin_accesses(u32 bytes)
{
    now.unit = bytes == 8 ? 3 : bytes == 4 ? 2 : 1;
    memset(state.found, 0, sizeof state.found);
    state.known_count = 0;
    for (u32 i = 0; i < state.chunk_count; i++) {
        state.chunks[i].used = false;
    }
    memset(now.traffic, 0, sizeof now.traffic);
}

void name_blocks(u64 blocks)
{
    constexpr u64 MOST = ~u64(0) / BLOCK;
    now.launch = state.next;
    if (now.launch == 0 || blocks > MOST - now.launch / BLOCK) {
        for (u32 i = 0; i < state.chunk_count; i++) {
            memset(state.chunks[i].units, 0, state.chunks[i].count * sizeof(Access));
        }
        now.launch = BLOCK; // greater than 0, which stands for nobody
    }
    state.next = now.launch + blocks * BLOCK;
}

void enter_block(u64 block) { now.all = (now.launch + block * BLOCK) | EARLIER | ANY; }

void pass_barrier()
{
    now.all += BARRIER;
    if (now.all % BLOCK < BARRIER) {
        abort(); // a million barriers
    }
}

void free_accesses()
{
    for (u32 i = 0; i < state.chunk_count; i++) {
        free(state.chunks[i].units);
    }
    free(state.chunks);
    free(state.known);
    memset(&state, 0, sizeof state);
}

} // namespace emulator

// What the last launch on this thread of the host has read and written, for each kind.
extern "C" void ringjet_emulator_traffic(emulator::Traffic* out)
{
    memcpy(out, emulator::now.traffic, sizeof emulator::now.traffic);
}

// The allocations that the last launch on this thread of the host has used: writes their addresses, at
// most `room` of them, and returns their number.
extern "C" size_t ringjet_emulator_used(u64* out, size_t room)
{
    using emulator::state;
    for (size_t i = 0; i < state.known_count && i < room; i++) {
        out[i] = state.known[i].base;
    }
    return state.known_count;
}
