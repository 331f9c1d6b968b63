#include "machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" const fake::Kernel ringjet_kernel_list[]; // made by build.rs; the last entry has no name

namespace fake {

namespace {

constexpr u64 GRAIN = 512; // the pool's memory comes in multiples of it
constexpr unsigned char TAKEN = 0xa5, FREED = 0xdb;

u64 number(const char* name, u64 otherwise)
{
    const char* text = getenv(name);
    return text == nullptr ? otherwise : strtoull(text, nullptr, 10);
}
std::string word(const char* name)
{
    const char* text = getenv(name);
    return text == nullptr ? "" : text;
}

} // namespace

Settings::Settings()
    : devices(int(number("RINGJET_FAKE_DEVICES", 1))), major(int(number("RINGJET_FAKE_CAPABILITY", 90)) / 10),
      minor(int(number("RINGJET_FAKE_CAPABILITY", 90)) % 10), version(int(number("RINGJET_FAKE_DRIVER", 13000))),
      pools(int(number("RINGJET_FAKE_POOLS", 1))), ratio(int(number("RINGJET_FAKE_RATIO", 2))), init(int(number("RINGJET_FAKE_INIT", 0))),
      graphs(int(number("RINGJET_FAKE_GRAPHS", 0))), uploads(int(number("RINGJET_FAKE_UPLOADS", 0))),
      bytes(number("RINGJET_FAKE_BYTES", 1 << 30)), shared(number("RINGJET_FAKE_SHARED", 227 << 10)),
      seed(number("RINGJET_FAKE_SEED", 0)), refuse(word("RINGJET_FAKE_REFUSE")),
      skip(word("RINGJET_FAKE_SKIP"))
{
}

Machine& machine()
{
    static Machine* const the = new Machine; // never destroyed, as threads may still call it at exit
    return *the;
}

Machine::Machine() : random(settings.seed)
{
    for (int i = 0; i < settings.devices; i++) {
        Device* device = add<Device>(nullptr);
        device->ordinal = i;
        devices.push_back(device);
    }
}

const Kernel* find_kernel(const std::string& name)
{
    for (const Kernel* k = ringjet_kernel_list; k->name != nullptr; k++) {
        if (name == k->name) {
            return k;
        }
    }
    return nullptr;
}

Result Machine::complain(Result result, const char* format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "fake driver: %s\n", text);
    complaints.emplace_back(text);
    return result;
}

u64 Machine::chance()
{
    random = random * 6364136223846793005u + 1442695040888963407u;
    return random >> 33;
}

void Machine::enqueue(Stream* stream, std::function<Result()> work)
{
    stream->queue.push_back(std::move(work));
    stream->queued++;
    drift(stream->device);
}

Result Machine::advance(Stream* stream, u64 until)
{
    while (stream->done < until) {
        const auto work = std::move(stream->queue.front());
        stream->queue.pop_front();
        stream->done++;
        if (fail_next != SUCCESS) {
            stream->device->failed = fail_next;
            fail_next = SUCCESS;
        }
        if (stream->device->failed == SUCCESS) {
            executing = stream->device;
            stream->device->failed = work();
            executing = nullptr;
        }
    }
    return stream->device->failed;
}

void Machine::drift(Device* device)
{
    if (settings.seed == 0) {
        return;
    }
    for (const auto& o : objects) {
        Stream* stream = dynamic_cast<Stream*>(o.get());
        if (stream != nullptr && !stream->dead && stream->device == device && chance() % 4 == 0) {
            const u64 some = chance() % 8;
            advance(stream, stream->done + some < stream->queued ? stream->done + some : stream->queued);
        }
    }
}

u64 Machine::owned() const
{
    u64 count = 0;
    for (const auto& o : objects) {
        count += !o->dead && o->owned() != nullptr;
    }
    return count;
}

Result Machine::take(Pool* pool, Stream* stream, u64 bytes, u64* at)
{
    Device* const device = pool->device;
    if (bytes > settings.bytes) {
        return OUT_OF_MEMORY;
    }
    const u64 size = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    auto found = device->chunks.end();
    for (auto i = device->kept.lower_bound({size, 0}); i != device->kept.end() && i->first <= 2 * size; ++i) {
        const auto chunk = device->chunks.find(i->second);
        if (chunk->second.pool == pool && (chunk->second.pending == 0 || chunk->second.freed_by == stream)) {
            found = chunk;
            device->kept.erase(i);
            break;
        }
    }
    if (found == device->chunks.end()) {
        if (size > settings.bytes - device->reserved) {
            return OUT_OF_MEMORY;
        }
        void* memory = aligned_alloc(GRAIN, size);
        if (memory == nullptr) {
            return OUT_OF_MEMORY;
        }
        device->reserved += size;
        pool->reserved += size;
        found = device->chunks.emplace(u64(memory), Chunk{}).first;
        found->second.size = size;
        found->second.pool = pool;
    }
    found->second.taken = true;
    found->second.bytes = bytes;
    found->second.pending++;
    *at = found->first;
    enqueue(stream, [device, bytes, at = *at] {
        Chunk& chunk = device->chunks.at(at);
        chunk.pending--;
        chunk.live = true;
        chunk.live_bytes = bytes;
        memset(reinterpret_cast<void*>(at), TAKEN, chunk.size);
        return SUCCESS;
    });
    return SUCCESS;
}

Result Machine::give(Device* device, Stream* stream, u64 at)
{
    const auto found = device->chunks.find(at);
    if (found == device->chunks.end() || !found->second.taken) {
        return complain(INVALID_VALUE, "%#llx is given back, but is not taken", (unsigned long long)at);
    }
    found->second.taken = false;
    device->kept.insert({found->second.size, at});
    found->second.pending++;
    found->second.freed_by = stream;
    enqueue(stream, [this, device, at] {
        Chunk& chunk = device->chunks.at(at);
        chunk.pending--;
        freed_watched += count_watched(at, chunk.size);
        chunk.live = false;
        memset(reinterpret_cast<void*>(at), FREED, chunk.size);
        return SUCCESS;
    });
    return SUCCESS;
}

std::vector<Pool*> Machine::pools(const Device* device) const
{
    std::vector<Pool*> found;
    for (const auto& o : objects) {
        Pool* const pool = dynamic_cast<Pool*>(o.get());
        if (pool != nullptr && pool->device == device) {
            found.push_back(pool);
        }
    }
    return found;
}

void Machine::trim(Pool* pool, u64 keep)
{
    Device* const device = pool->device;
    for (auto i = device->kept.begin(); i != device->kept.end() && pool->reserved > keep;) {
        const auto [size, at] = *i;
        if (device->chunks.at(at).pool != pool || device->chunks.at(at).pending > 0) {
            ++i;
            continue;
        }
        device->reserved -= size;
        pool->reserved -= size;
        free(reinterpret_cast<void*>(at));
        device->chunks.erase(at);
        i = device->kept.erase(i);
    }
}

u64 Machine::room(const Device* device, u64 address) const
{
    auto i = device->chunks.upper_bound(address);
    if (i == device->chunks.begin() || !(--i)->second.taken) {
        return 0;
    }
    const u64 end = i->first + i->second.bytes;
    return address < end ? end - address : 0;
}

u64 Machine::pinned_room(u64 address) const
{
    auto i = pinned.upper_bound(address);
    if (i == pinned.begin()) {
        return 0;
    }
    --i;
    const u64 end = i->first + i->second.bytes;
    return address < end ? end - address : 0;
}

u64 Machine::count_watched(u64 at, u64 bytes) const
{
    u64 count = 0;
    for (u64 i = 0; !watched.empty() && i + 8 <= bytes; i += 8) {
        u64 word;
        memcpy(&word, reinterpret_cast<const void*>(at + i), 8);
        count += watched.count(word);
    }
    return count;
}

void Machine::release(Device* device)
{
    const bool whole = device->failed == SUCCESS;
    for (const auto& o : objects) {
        if (o->device == device && !o->dead && o->owned() != nullptr) {
            if (whole) {
                complain(SUCCESS, "a %s outlives its context", o->owned());
            }
            o->dead = true;
        }
    }
    for (auto i = pinned.begin(); i != pinned.end();) {
        if (i->second.device != device) {
            ++i;
            continue;
        }
        if (whole) {
            complain(SUCCESS, "%llu pinned bytes outlive their context", (unsigned long long)i->second.bytes);
        }
        i = pinned.erase(i);
    }
    for (auto& [at, chunk] : device->chunks) {
        if (chunk.taken && whole) {
            complain(SUCCESS, "%llu bytes outlive their context", (unsigned long long)chunk.bytes);
        }
        chunk.taken = chunk.live = false;
        chunk.pending = 0;
        device->kept.insert({chunk.size, at});
    }
    for (Pool* pool : pools(device)) {
        trim(pool, 0);
    }
    device->failed = SUCCESS;
}

} // namespace fake

// Kernels call it to find the bounds of the memory that `address` is in: memory that is live when
// they run.
extern "C" bool ringjet_emulator_find(u64 address, u64* base, u64* begin, u64* end)
{
    const fake::Device* device = fake::machine().executing;
    auto i = device->chunks.upper_bound(address);
    if (i == device->chunks.begin() || !(--i)->second.live || address >= i->first + i->second.live_bytes) {
        return false;
    }
    *base = *begin = i->first;
    *end = i->first + i->second.live_bytes;
    return true;
}
