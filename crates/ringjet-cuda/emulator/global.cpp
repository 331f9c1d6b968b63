// Global memory of the emulator: which allocation an address is in, races, and how much is read and
// written.
//
// Each word of an allocation has an `Access` with the names of its last writer and its last reader.
// Names of later launches are greater, so nothing has to be cleared between launches. Blocks run one
// after another: a word that another block wrote or read earlier in the launch must not be
// written, and one that another block wrote must not be read.

#include "parts.h"

#include <stdlib.h>
#include <string.h>

namespace emulator {

namespace {

constexpr u32 MOST_FOUND = 256;

// Memory for the accesses of one allocation. Later launches use it for others.
struct Chunk {
    Access* words;
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

// Entries for `count` words: the smallest unused chunk that has as many, or a new one in place of an
// unused one.
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
        free(best->words);
        best->words = static_cast<Access*>(calloc(count, sizeof(Access)));
        best->count = count;
        if (best->words == nullptr) {
            abort();
        }
    }
    best->used = true;
    return best->words;
}

// The place of a word, for messages: its index, and the words of its allocation.
struct Where {
    u64 index, words;
};

Where where(const Access* word)
{
    for (u32 i = 0; i < state.known_count; i++) {
        const Allocation& a = state.known[i];
        const u64 words = (a.end - a.begin) / 8;
        if (word >= a.words && word < a.words + words) {
            return {u64(word - a.words), words};
        }
    }
    return {0, 0};
}

// Fails with what the running thread did and what was done before.
[[noreturn]] void race(const char* does, const Access* word, const char* did, u64 who)
{
    const Where at = where(word);
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
    if (address >= slot.begin && address < slot.end) {
        return slot;
    }
    for (u32 i = 0; i < state.known_count; i++) {
        if (address >= state.known[i].begin && address < state.known[i].end) {
            return slot = state.known[i];
        }
    }
    Allocation a;
    if (!ringjet_emulator_find(address, &a.begin, &a.end)) {
        return {0, 0, nullptr}; // every access through the pointer fails
    }
    a.words = accesses((a.end - a.begin + 7) / 8);
    if (state.known_count == state.known_room) {
        state.known_room = 2 * state.known_room + 16;
        state.known = static_cast<Allocation*>(grown(state.known, state.known_room * sizeof(Allocation)));
    }
    return slot = state.known[state.known_count++] = a;
}

void note_read(Access* word)
{
    if (!apart(word->written)) {
        race("reads", word, "wrote", word->written);
    }
    const u64 read = word->read, other = read ^ now.me;
    if (read < now.launch) {
        word->read = now.me;
    } else if (other >= BLOCK) {
        word->read = now.me | EARLIER;
    } else if (other >= BARRIER) {
        word->read = now.me | (read & EARLIER);
    } else if (other & ANY) {
        word->read = read | ANY;
    }
}

void note_write(Access* word, Kind kind)
{
    if (!apart(word->written)) {
        race("writes", word, "wrote", word->written);
    }
    if (!apart(word->read)) {
        race("writes", word, "read", word->read);
    }
    now.traffic[kind].written += word->written < now.launch ? 8 : 0;
    word->written = now.me;
}

void begin_accesses()
{
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
            memset(state.chunks[i].words, 0, state.chunks[i].count * sizeof(Access));
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
        free(state.chunks[i].words);
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
