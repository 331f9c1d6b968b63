// A machine with GPUs that are not there. What a real driver does at its leisure is done as late as it may be: the work of a
// stream when somebody waits for it, or, with a seed, at points that the seed chooses. Memory of the device is the host's,
// poisoned when it is taken and when it is given back. A caller's mistake is an error and a complaint, which tests ask for.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

using u32 = uint32_t;
using u64 = uint64_t;

namespace fake {

// Those of CUresult that are used, with the driver's numbers.
enum Result : int {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_FAILED = 719,
};

// A kernel as build.rs describes it; `arguments` has a letter for each: L, W or u.
struct Dim {
    u32 x, y, z;
};
typedef const char* (*Entry)(const Dim* grid, const Dim* block, u32 shared_bytes, const void* const* arguments);
struct Kernel {
    const char* name;
    u32 threads;
    const char* arguments;
    Entry entry;
};
const Kernel* find_kernel(const std::string& name);

struct Device;

// Whatever the driver gives out a handle of. Handles are never used again, so that a dead one is recognised.
struct Object {
    Device* device = nullptr;
    bool dead = false;
    virtual ~Object() = default;
    // What must be given back before the context is.
    virtual const char* owned() const { return nullptr; }
};

struct Stream : Object {
    const char* owned() const override { return "stream"; }
    std::deque<std::function<Result()>> queue;
    u64 queued = 0, done = 0;
};
struct Event : Object {
    const char* owned() const override { return "event"; }
    Stream* stream = nullptr;
    u64 at = 0; // done once the stream has done so much
};
struct Module : Object {
    const char* owned() const override { return "module"; }
    std::string image;
};
struct Function : Object {
    Module* module = nullptr;
    const Kernel* kernel = nullptr;
};

// Memory of a pool: taken, and with so many bytes, as calls see it, and alive as the streams do.
struct Chunk {
    u64 size = 0, bytes = 0, live_bytes = 0;
    bool taken = false, live = false;
    u32 pending = 0; // takings and givings back that are queued
    Stream* freed_by = nullptr;
};
struct Pool : Object {
    u64 threshold = 0; // kept where somebody waits for a stream
};

// Also the handle of its only context.
struct Device : Object {
    int ordinal = 0, retained = 0;
    u64 reserved = 0;
    Pool* pool = nullptr;
    std::map<u64, Chunk> chunks; // by address
    std::set<std::pair<u64, u64>> kept; // size and address of those that are not taken
    Result failed = SUCCESS; // of a kernel: nothing works in the context any more
};

struct Pinned {
    u64 bytes;
    Device* device;
};

// From the environment.
struct Settings {
    int devices, major, minor, version, pools, ratio, init;
    u64 bytes, seed;
    std::string refuse; // images with this text are invalid
    std::string skip; // kernels whose name begins so do nothing
    Settings();
};

struct Machine {
    std::mutex lock;
    Settings settings;
    bool started = false;
    std::vector<std::unique_ptr<Object>> objects;
    std::set<const void*> known;
    std::vector<Device*> devices;
    std::map<u64, Pinned> pinned; // by address
    std::vector<std::string> complaints;
    std::set<u64> watched;
    u64 launches = 0, images = 0, freed_watched = 0, driver_watched = 0, random = 0;
    Result fail_next = SUCCESS;
    std::string refused; // a function, which fails once, after so many calls
    u64 refused_after = 0;
    Device* executing = nullptr;

    Machine();
    template <class T> T* add(Device* device)
    {
        T* object = new T;
        objects.emplace_back(object);
        object->device = device;
        known.insert(object);
        return object;
    }
    // The object of a handle, or null where it is none or a dead one.
    template <class T> T* get(const void* handle)
    {
        if (handle == nullptr || known.count(handle) == 0) {
            return nullptr;
        }
        T* object = dynamic_cast<T*>(static_cast<Object*>(const_cast<void*>(handle)));
        return object != nullptr && !object->dead ? object : nullptr;
    }
    // Those that must be given back, and have not been.
    u64 owned() const;

    Result complain(Result result, const char* format, ...) __attribute__((format(printf, 3, 4)));
    u64 chance();

    void enqueue(Stream* stream, std::function<Result()> work);
    // Does what is queued until `until` pieces of work are done.
    Result advance(Stream* stream, u64 until);
    // Some of what is queued, where there is a seed.
    void drift(Device* device);

    Result take(Device* device, Stream* stream, u64 bytes, u64* at);
    Result give(Device* device, Stream* stream, u64 at);
    // Pool memory that nothing uses goes back to the device until `keep` bytes are left.
    void trim(Device* device, u64 keep);
    // Bytes from `address` on to the end of the taken memory that it is in.
    u64 room(const Device* device, u64 address) const;
    u64 pinned_room(u64 address) const;
    u64 count_watched(u64 at, u64 bytes) const;
    // The context goes, with whatever is left in it: leaks, unless it had failed so that nothing could be given back.
    void release(Device* device);
};

Machine& machine();

} // namespace fake
