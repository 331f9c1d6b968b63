// Sets of emulated DPUs: memory, programs, transfers and launches.

#include "host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pim {

constexpr u32 DPUS_A_RANK = 64, MOST_HOST_THREADS = 256;

struct Rank {
    u32 count;
    Dpu dpus[DPUS_A_RANK];
};

namespace {

const char MRAM_SYMBOL[] = "__sys_used_mram_end"; // what DPU_MRAM_HEAP_POINTER is called on a DPU

struct Options {
    Limits limits;
    u32 tasklets, stack_bytes;
};

// Reads a number at the front of `text`.
bool number(const char*& text, u32* value)
{
    char* end = nullptr;
    const unsigned long read = strtoul(text, &end, 10);
    if (end == text || read > 1u << 20) {
        return false;
    }
    text = end;
    *value = u32(read);
    return true;
}

bool skip(const char*& text, const char* word)
{
    const size_t bytes = strlen(word);
    if (strncmp(text, word, bytes) != 0) {
        return false;
    }
    text += bytes;
    return true;
}

// Reads a profile such as "version=v1A,tasklets=24,stack=2048". Each part has a default.
bool options(const char* text, Options* out)
{
    *out = {V1B, 16, 1024};
    while (text != nullptr && *text != 0) {
        if (skip(text, "version=v1A")) {
            out->limits = V1A;
        } else if (skip(text, "version=v1B")) {
            out->limits = V1B;
        } else if (!(skip(text, "tasklets=") && number(text, &out->tasklets)) &&
                   !(skip(text, "stack=") && number(text, &out->stack_bytes))) {
            return false;
        }
        if (*text != 0 && !skip(text, ",")) {
            return false;
        }
    }
    return true;
}

u32 count_of(const Set& set)
{
    u32 count = 0;
    for (u32 r = 0; set.kind == Set::RANKS && r < set.list.count; r++) {
        count += set.list.ranks[r]->count;
    }
    return set.kind == Set::DPU ? 1 : count;
}

Dpu& member(const Set& set, u32 i)
{
    return set.kind == Set::DPU ? *set.dpu : set.list.ranks[i / DPUS_A_RANK]->dpus[i % DPUS_A_RANK];
}

bool valid(const Set& set) { return set.kind == Set::DPU ? set.dpu != nullptr : set.kind == Set::RANKS && set.list.ranks; }

// Where `length` bytes of a symbol are in a DPU; null, with an error, if they are nowhere.
unsigned char* find(Dpu& dpu, const char* symbol, u32 offset, size_t length, int* error)
{
    const bool mram = strcmp(symbol, MRAM_SYMBOL) == 0;
    if (!mram && (dpu.program == nullptr || strcmp(symbol, dpu.program->host_name) != 0)) {
        *error = DPU_ERR_UNKNOWN_SYMBOL;
        return nullptr;
    }
    const u32 bytes = mram ? MRAM_BYTES : dpu.program->host_bytes, unit = mram ? 8 : 4;
    if (offset > bytes || length > bytes - offset || offset % unit != 0 || length % unit != 0) {
        *error = mram ? DPU_ERR_INVALID_MRAM_ACCESS : DPU_ERR_INVALID_WRAM_ACCESS;
        return nullptr;
    }
    return (mram ? dpu.mram : dpu.host) + offset;
}

bool make(Dpu& dpu, u32 at, const Options& o)
{
    void* const mram = mmap(nullptr, MRAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    dpu = {};
    dpu.number = at;
    dpu.limits = o.limits;
    dpu.tasklets = o.tasklets;
    dpu.stack_bytes = o.stack_bytes;
    dpu.mram = mram == MAP_FAILED ? nullptr : static_cast<unsigned char*>(mram);
    return dpu.mram != nullptr;
}

void free_ranks(Rank** ranks, u32 count)
{
    for (u32 r = 0; r < count; r++) {
        for (u32 i = 0; i < ranks[r]->count; i++) {
            Dpu& dpu = ranks[r]->dpus[i];
            munmap(dpu.mram, MRAM_BYTES);
            free(dpu.host);
            free(dpu.profile);
        }
        free(ranks[r]);
    }
    free(ranks);
}

struct Launch {
    const Set* set;
    u32 count, next;
};

void* worker(void* of_launch)
{
    Launch& launch = *static_cast<Launch*>(of_launch);
    for (;;) {
        const u32 i = __atomic_fetch_add(&launch.next, 1, __ATOMIC_RELAXED);
        if (i >= launch.count) {
            return nullptr;
        }
        run(member(*launch.set, i));
    }
}

// Runs all DPUs of a set on the threads of the host. The result does not depend on their number:
// DPUs share nothing.
void run_all(const Set& set)
{
    Launch launch = {&set, count_of(set), 0};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    u32 more = processors > 1 ? u32(processors) - 1 : 0;
    more = more >= launch.count ? launch.count - 1 : more;
    more = more > MOST_HOST_THREADS ? MOST_HOST_THREADS : more;
    pthread_t threads[MOST_HOST_THREADS];
    u32 started = 0;
    while (started < more && pthread_create(&threads[started], nullptr, worker, &launch) == 0) {
        started++;
    }
    worker(&launch);
    for (u32 i = 0; i < started; i++) {
        pthread_join(threads[i], nullptr);
    }
}

void advance(DpuIterator& it)
{
    const Set& set = *it.ranks.set;
    it.has_next = it.next_index < count_of(set);
    it.next.kind = Set::DPU;
    it.next.dpu = it.has_next ? &member(set, it.next_index) : nullptr;
    it.next_index++;
}

} // namespace

} // namespace pim

using namespace pim;

extern "C" {

int ringjet_pim_dpu_alloc(uint32_t count, const char* profile, Set* set)
{
    Options o;
    if (!options(profile, &o)) {
        return DPU_ERR_INVALID_PROFILE;
    }
    const u32 ranks = count / DPUS_A_RANK + (count % DPUS_A_RANK != 0);
    Rank** const list = static_cast<Rank**>(calloc(ranks + 1, sizeof(Rank*)));
    if (count == 0 || list == nullptr) {
        free(list);
        return DPU_ERR_ALLOCATION;
    }
    for (u32 i = 0; i < count; i++) {
        Rank*& rank = list[i / DPUS_A_RANK];
        rank = rank != nullptr ? rank : static_cast<Rank*>(calloc(1, sizeof(Rank)));
        if (rank == nullptr || !make(rank->dpus[rank->count], i, o)) {
            free_ranks(list, rank == nullptr ? i / DPUS_A_RANK : i / DPUS_A_RANK + 1);
            return DPU_ERR_ALLOCATION;
        }
        rank->count++;
    }
    set->kind = Set::RANKS;
    set->list.count = ranks;
    set->list.ranks = list;
    return DPU_OK;
}

int ringjet_pim_dpu_free(Set set)
{
    if (set.kind != Set::RANKS || set.list.ranks == nullptr) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    free_ranks(set.list.ranks, set.list.count);
    return DPU_OK;
}

int ringjet_pim_dpu_get_nr_dpus(Set set, uint32_t* count)
{
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    *count = count_of(set);
    return DPU_OK;
}

// The name of the program is that of the file, without folders and without what follows a dot.
int ringjet_pim_dpu_load(Set set, const char* path, void** program)
{
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    const char* const slash = strrchr(path, '/');
    const char* const name = slash == nullptr ? path : slash + 1;
    const size_t bytes = strcspn(name, ".");
    for (u32 p = 0; ringjet_pim_programs[p] != nullptr; p++) {
        const ringjet_pim_program* const found = ringjet_pim_programs[p];
        if (strlen(found->name) != bytes || strncmp(found->name, name, bytes) != 0) {
            continue;
        }
        for (u32 i = 0; i < count_of(set); i++) {
            Dpu& dpu = member(set, i);
            free(dpu.host);
            dpu.program = found;
            dpu.host = static_cast<unsigned char*>(calloc(1, found->host_bytes));
            if (dpu.host == nullptr) {
                dpu.program = nullptr;
                return DPU_ERR_SYSTEM;
            }
        }
        if (program != nullptr) {
            *program = nullptr; // no function of the emulator takes a program
        }
        return DPU_OK;
    }
    return DPU_ERR_ELF_NO_SUCH_FILE;
}

int ringjet_pim_dpu_prepare_xfer(Set set, void* buffer)
{
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    for (u32 i = 0; i < count_of(set); i++) {
        if (member(set, i).prepared != nullptr) {
            return DPU_ERR_TRANSFER_ALREADY_SET;
        }
    }
    for (u32 i = 0; i < count_of(set); i++) {
        member(set, i).prepared = buffer;
    }
    return DPU_OK;
}

int ringjet_pim_dpu_push_xfer(Set set, int direction, const char* symbol, uint32_t offset, size_t length, int flags)
{
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    if (direction != 0 && direction != 1) {
        return DPU_ERR_INVALID_MEMORY_TRANSFER;
    }
    int error = DPU_OK;
    for (u32 i = 0; i < count_of(set); i++) {
        Dpu& dpu = member(set, i);
        unsigned char* const at = dpu.prepared == nullptr || error != DPU_OK ? nullptr : find(dpu, symbol, offset, length, &error);
        if (at != nullptr) {
            memcpy(direction == 0 ? at : dpu.prepared, direction == 0 ? dpu.prepared : at, length);
        }
        dpu.prepared = flags == 0 ? nullptr : dpu.prepared;
    }
    return error;
}

int ringjet_pim_dpu_broadcast_to(Set set, const char* symbol, uint32_t offset, const void* from, size_t length, int)
{
    return ringjet_pim_dpu_copy_to(set, symbol, offset, from, length);
}

int ringjet_pim_dpu_copy_to(Set set, const char* symbol, uint32_t offset, const void* from, size_t length)
{
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    for (u32 i = 0; i < count_of(set); i++) {
        int error = DPU_OK;
        unsigned char* const at = find(member(set, i), symbol, offset, length, &error);
        if (at == nullptr) {
            return error;
        }
        memcpy(at, from, length);
    }
    return DPU_OK;
}

int ringjet_pim_dpu_copy_from(Set set, const char* symbol, uint32_t offset, void* to, size_t length)
{
    if (!valid(set) || count_of(set) != 1) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    int error = DPU_OK;
    const unsigned char* const at = find(member(set, 0), symbol, offset, length, &error);
    if (at != nullptr) {
        memcpy(to, at, length);
    }
    return error;
}

// Both policies return after the program has ended. Faults are reported where the vendor's library
// reports them: here, or by dpu_sync.
int ringjet_pim_dpu_launch(Set set, int policy)
{
    if (policy != 0 && policy != 1) {
        return DPU_ERR_INVALID_LAUNCH_POLICY;
    }
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    for (u32 i = 0; i < count_of(set); i++) {
        if (member(set, i).program == nullptr) {
            return DPU_ERR_INVALID_DPU_SET;
        }
    }
    run_all(set);
    return policy == 0 ? DPU_OK : ringjet_pim_dpu_sync(set);
}

int ringjet_pim_dpu_sync(Set set)
{
    if (!valid(set)) {
        return DPU_ERR_INVALID_DPU_SET;
    }
    for (u32 i = 0; i < count_of(set); i++) {
        if (member(set, i).fault.kind != NO_FAULT) {
            return DPU_ERR_DPU_FAULT;
        }
    }
    return DPU_OK;
}

DpuIterator ringjet_pim_dpu_set_dpu_iterator_from(Set* set)
{
    DpuIterator it = {};
    it.ranks.set = set;
    advance(it);
    return it;
}

void ringjet_pim_dpu_set_dpu_iterator_next(DpuIterator* iterator)
{
    iterator->count++;
    advance(*iterator);
}

bool ringjet_pim_fault(Set dpu, Fault* fault)
{
    if (dpu.kind != Set::DPU || dpu.dpu->fault.kind == NO_FAULT) {
        return false;
    }
    *fault = dpu.dpu->fault;
    return true;
}

const Profile* ringjet_pim_profiles(Set dpu, uint32_t* count, uint64_t* cycles, uint64_t* instructions)
{
    *count = dpu.dpu->profiles;
    *cycles = dpu.dpu->cycles;
    *instructions = dpu.dpu->instructions;
    return dpu.dpu->profile;
}

} // extern "C"
