// A fake machine with GPUs. Work that a real driver may delay is delayed as long as possible: a
// stream does its work when somebody waits for it, or, with a seed, at points that the seed
// chooses. Device memory is memory of the host; it is overwritten with a pattern when it is taken
// and when it is given back. A mistake of the caller returns an error and is recorded as a
// complaint, which tests read.
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

// The values of CUresult that are used here, with the driver's numbers.
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
    NOT_READY = 600,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801,
};

// A kernel as build.rs describes it. `arguments` has one letter for each parameter: L, W or u.
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

// Bytes of shared memory that a launch may ask for unless its kernel is allowed more, and bytes that
// each kernel here says it declares. The emulator knows how many it really does.
constexpr u64 LEAST_SHARED = 48 << 10, DECLARED_SHARED = 8 << 10;

struct Device;

// An object that the driver returns a handle of. Handles are never reused, so that a dead handle is
// recognised.
struct Object {
    Device* device = nullptr;
    bool dead = false;
    virtual ~Object() = default;
    // The name of the object's kind, if it must be destroyed before its context is released.
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
    u64 at = 0; // the event has happened once the stream has done this many pieces of work
    bool timed = false;
    u64 kernels = 0; // the device's time when it happened, if it is timed
};
struct Module : Object {
    const char* owned() const override { return "module"; }
    std::string image;
};
struct Function : Object {
    Module* module = nullptr;
    const Kernel* kernel = nullptr;
    u64 most_dynamic = LEAST_SHARED; // bytes of shared memory that a launch may ask for
};

// A launch with copies of its arguments.
struct Launch {
    Function* function = nullptr;
    Dim grid = {}, block = {};
    u32 shared = 0;
    std::vector<std::vector<char>> arguments;
};

// A graph that is being made. Its nodes are objects of their own, because they have handles.
struct Graph : Object {
    const char* owned() const override { return "graph"; }
    std::vector<struct Node*> nodes;
};
struct Node : Object {
    Graph* graph = nullptr;
    std::vector<Node*> after; // nodes that run before this one
    Launch launch;
};
// A graph that can run: the launches that its nodes do at the next run.
struct Exec : Object {
    const char* owned() const override { return "executable graph"; }
    std::vector<std::pair<Node*, Launch>> launches; // in the order in which they run
};

// A piece of a pool's memory. `taken` and `bytes` are its state as calls see it, `live` and
// `live_bytes` its state in the order of the streams' work.
struct Chunk {
    u64 size = 0, bytes = 0, live_bytes = 0;
    bool taken = false, live = false;
    struct Pool* pool = nullptr;
    u32 pending = 0; // queued operations that take it or give it back
    Stream* freed_by = nullptr;
};
struct Pool : Object {
    const char* owned() const override { return "pool"; }
    u64 reserved = 0;
    u64 threshold = 0; // bytes that the pool keeps when a stream is waited for
};

// A device. It is also the handle of its only context.
struct Device : Object {
    int ordinal = 0, retained = 0;
    u64 reserved = 0;
    u64 kernels = 0; // number of kernels that have run, which is the device's clock
    std::map<u64, Chunk> chunks; // by address
    std::set<std::pair<u64, u64>> kept; // size and address of the chunks that are not taken
    Result failed = SUCCESS; // the failure of a kernel, after which all calls in the context fail
};

struct Pinned {
    u64 bytes;
    Device* device;
};

// Settings, read from the environment.
struct Settings {
    int devices, major, minor, version, pools, ratio, init;
    int graphs, uploads; // what cuGraphInstantiateWithFlags and cuGraphUpload return
    u64 bytes, shared, seed; // shared: bytes of shared memory of a block
    std::string refuse; // images that contain this text are invalid
    std::string skip; // kernels whose name begins with this do nothing
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
    u64 launches = 0, graph_builds = 0, graph_launches = 0, graph_updates = 0, images = 0, freed_watched = 0, driver_watched = 0, random = 0;
    Result fail_next = SUCCESS;
    std::string refused; // this function fails once, after `refused_after` calls
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
    // The object of a handle, or null if there is none or it is dead.
    template <class T> T* get(const void* handle)
    {
        if (handle == nullptr || known.count(handle) == 0) {
            return nullptr;
        }
        T* object = dynamic_cast<T*>(static_cast<Object*>(const_cast<void*>(handle)));
        return object != nullptr && !object->dead ? object : nullptr;
    }
    // Number of objects that must be destroyed and have not been.
    u64 owned() const;

    Result complain(Result result, const char* format, ...) __attribute__((format(printf, 3, 4)));
    u64 chance();

    void enqueue(Stream* stream, std::function<Result()> work);
    // Does queued work until `until` pieces of work of the stream are done.
    Result advance(Stream* stream, u64 until);
    // Does some of the queued work, if there is a seed.
    void drift(Device* device);

    // Checks a launch, and copies its arguments to `out`.
    Result prepare(Function* function, Dim grid, Dim block, u32 shared, void** arguments, Launch* out);
    // Runs a kernel.
    Result run(const Launch& launch);

    Result take(Pool* pool, Stream* stream, u64 bytes, u64* at);
    Result give(Device* device, Stream* stream, u64 at);
    // Returns unused memory of the pool to the device until `keep` bytes are left.
    void trim(Pool* pool, u64 keep);
    // The pools of a device, also destroyed ones, which may still have memory.
    std::vector<Pool*> pools(const Device* device) const;
    // Bytes from `address` to the end of the taken memory that contains it.
    u64 room(const Device* device, u64 address) const;
    u64 pinned_room(u64 address) const;
    u64 count_watched(u64 at, u64 bytes) const;
    // Releases the context and all memory left in it. Memory that is left is a leak, unless the
    // context had failed, so that nothing could be given back.
    void release(Device* device);
};

Machine& machine();

} // namespace fake
