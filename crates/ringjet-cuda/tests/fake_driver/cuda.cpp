// The functions of libcuda.so.1 that the bindings look up, and some for tests to ask what happened.

#include "machine.h"

#include <cstring>

using namespace fake;

namespace {

// The contexts of this thread, the current one on top.
__thread Device* stack[16];
__thread int depth = 0;
#define current (depth == 0 ? nullptr : stack[depth - 1])

// The lock, and whether the driver is started and, where asked for, the thread has a context that works.
struct Call {
    Machine& m = machine();
    std::lock_guard<std::mutex> lock{m.lock};

    Result started(const char* name) const
    {
        return m.started ? SUCCESS : m.complain(NOT_INITIALIZED, "%s before cuInit", name);
    }
    Result context(const char* name) const
    {
        if (started(name) != SUCCESS) {
            return NOT_INITIALIZED;
        }
        if (current == nullptr || current->retained == 0) {
            return m.complain(INVALID_CONTEXT, "%s without a current context", name);
        }
        return current->failed;
    }
    // The object of a handle, if it belongs to the current context.
    template <class T> T* own(const char* name, const void* handle) const
    {
        T* object = m.get<T>(handle);
        if (object == nullptr || object->device != current) {
            m.complain(INVALID_HANDLE, "%s with a handle that is none, is dead, or is another context's", name);
            return nullptr;
        }
        return object;
    }
};

#define IN_CONTEXT \
    Call call; \
    Machine& m = call.m; \
    if (const Result wrong = call.context(__func__); wrong != SUCCESS) { \
        return wrong; \
    } \
    (void)m
#define OWN(T, object, handle) \
    T* const object = call.own<T>(__func__, handle); \
    if (object == nullptr) { \
        return INVALID_HANDLE; \
    } \
    (void)object

Device* device_of(Machine& m, int ordinal)
{
    return ordinal >= 0 && ordinal < int(m.devices.size()) ? m.devices[ordinal] : nullptr;
}

// Whether `bytes` bytes at `at` are taken memory of the device.
Result inside(Machine& m, const char* name, u64 at, u64 bytes)
{
    if (bytes > 0 && m.room(current, at) >= bytes) {
        return SUCCESS;
    }
    return m.complain(INVALID_VALUE, "%s: %llu bytes at %#llx, where %llu are taken", name, (unsigned long long)bytes,
                      (unsigned long long)at, (unsigned long long)m.room(current, at));
}

// Whether pinned memory is where a copy from it or to it is done.
Result still_pinned(Machine& m, const void* at, u64 bytes)
{
    return m.pinned_room(u64(at)) >= bytes ? SUCCESS : m.complain(ILLEGAL_ADDRESS, "a copy through memory that is not pinned any more");
}

u64 argument_bytes(char kind) { return kind == 'L' ? 32 : kind == 'W' ? 8 : 4; }

// The entry points are listed in what the fake compiler makes, and in PTX; other images have all of them.
bool has_entry(const std::string& image, const std::string& name)
{
    return image.empty() || image.find("entry " + name + "(") != std::string::npos;
}

} // namespace

#define API extern "C" __attribute__((visibility("default")))

API int cuDriverGetVersion(int* version)
{
    *version = Call().m.settings.version;
    return SUCCESS;
}

API int cuInit(unsigned)
{
    Call call;
    if (call.m.settings.init != 0) {
        return call.m.settings.init;
    }
    call.m.started = !call.m.devices.empty();
    return call.m.started ? SUCCESS : NO_DEVICE;
}

API int cuGetErrorString(int error, const char** text)
{
    static const std::map<int, const char*> texts = {
        {INVALID_VALUE, "invalid argument"},
        {OUT_OF_MEMORY, "out of memory"},
        {NOT_INITIALIZED, "initialization error"},
        {NO_DEVICE, "no CUDA-capable device is detected"},
        {INVALID_DEVICE, "invalid device ordinal"},
        {INVALID_IMAGE, "device kernel image is invalid"},
        {INVALID_CONTEXT, "invalid device context"},
        {NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"},
        {INVALID_HANDLE, "invalid resource handle"},
        {NOT_FOUND, "named symbol not found"},
        {ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
        {LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"},
        {LAUNCH_FAILED, "unspecified launch failure"},
    };
    const auto found = texts.find(error);
    *text = found == texts.end() ? nullptr : found->second;
    return found == texts.end() ? INVALID_VALUE : SUCCESS;
}

API int cuDeviceGetCount(int* count)
{
    Call call;
    *count = int(call.m.devices.size());
    return call.started(__func__);
}

API int cuDeviceGet(int* device, int ordinal)
{
    Call call;
    *device = ordinal;
    return device_of(call.m, ordinal) == nullptr ? INVALID_DEVICE : call.started(__func__);
}

API int cuDeviceGetName(char* name, int bytes, int device)
{
    snprintf(name, bytes, "Fake GPU %d", device);
    return Call().started(__func__);
}

API int cuDeviceGetAttribute(int* value, int attribute, int)
{
    Call call;
    const Settings& s = call.m.settings;
    // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
    const std::map<int, int> known = {{75, s.major}, {76, s.minor}, {115, s.pools}};
    const auto found = known.find(attribute);
    if (found == known.end()) {
        return call.m.complain(INVALID_VALUE, "attribute %d is not known here", attribute);
    }
    *value = found->second;
    return call.started(__func__);
}

API int cuDeviceTotalMem_v2(size_t* bytes, int)
{
    Call call;
    *bytes = call.m.settings.bytes;
    return call.started(__func__);
}

API int cuDevicePrimaryCtxRetain(void** context, int ordinal)
{
    Call call;
    Device* const device = device_of(call.m, ordinal);
    if (device == nullptr) {
        return INVALID_DEVICE;
    }
    device->retained++;
    *context = device;
    return call.started(__func__);
}

API int cuDevicePrimaryCtxRelease_v2(int ordinal)
{
    Call call;
    Device* const device = device_of(call.m, ordinal);
    if (device == nullptr || device->retained == 0) {
        return call.m.complain(INVALID_CONTEXT, "a context is released too often");
    }
    if (--device->retained == 0) {
        call.m.release(device);
    }
    return SUCCESS;
}

API int cuCtxPushCurrent_v2(void* context)
{
    Call call;
    Device* const device = call.m.get<Device>(context);
    if (device == nullptr || device->retained == 0 || depth == 16) {
        return call.m.complain(INVALID_CONTEXT, "a context that is not retained is made current, or too many are");
    }
    stack[depth++] = device;
    return call.started(__func__);
}

API int cuCtxPopCurrent_v2(void** context)
{
    Call call;
    if (depth == 0) {
        return call.m.complain(INVALID_CONTEXT, "no context to take off");
    }
    *context = stack[--depth];
    return call.started(__func__);
}

API int cuDeviceGetDefaultMemPool(void** pool, int ordinal)
{
    Call call;
    Device* const device = device_of(call.m, ordinal);
    if (device == nullptr) {
        return INVALID_DEVICE;
    }
    *pool = device->pool;
    return call.started(__func__);
}

API int cuMemPoolSetAttribute(void* handle, int attribute, void* value)
{
    Call call;
    Pool* const pool = call.m.get<Pool>(handle);
    if (pool == nullptr || attribute != 4) { // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        return call.m.complain(INVALID_VALUE, "attribute %d of a pool", attribute);
    }
    memcpy(&pool->threshold, value, 8);
    return SUCCESS;
}

API int cuMemPoolTrimTo(void* handle, size_t keep)
{
    Call call;
    Pool* const pool = call.m.get<Pool>(handle);
    if (pool == nullptr) {
        return call.m.complain(INVALID_VALUE, "no pool to trim");
    }
    call.m.trim(pool->device, keep);
    return SUCCESS;
}

API int cuMemGetInfo_v2(size_t* available, size_t* total)
{
    IN_CONTEXT;
    *available = m.settings.bytes - current->reserved;
    *total = m.settings.bytes;
    return SUCCESS;
}

API int cuMemAllocAsync(u64* at, size_t bytes, void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    return bytes == 0 ? m.complain(INVALID_VALUE, "no bytes are taken") : m.take(current, s, bytes, at);
}

API int cuMemFreeAsync(u64 at, void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    return m.give(current, s, at);
}

API int cuMemHostAlloc(void** at, size_t bytes, unsigned)
{
    IN_CONTEXT;
    *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(*at, 0xa5, bytes);
    m.pinned[u64(*at)] = {bytes, current};
    return SUCCESS;
}

API int cuMemFreeHost(void* at)
{
    IN_CONTEXT;
    const auto found = m.pinned.find(u64(at));
    if (found == m.pinned.end()) {
        return m.complain(INVALID_VALUE, "%p is given back, but is not pinned", at);
    }
    m.freed_watched += m.count_watched(found->first, found->second.bytes);
    memset(at, 0xdb, found->second.bytes);
    m.pinned.erase(found); // and is never used for anything else
    return SUCCESS;
}

API int cuMemcpyHtoDAsync_v2(u64 to, const void* from, size_t bytes, void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    if (const Result wrong = inside(m, __func__, to, bytes); wrong != SUCCESS) {
        return wrong;
    }
    if (m.pinned_room(u64(from)) == 0) { // the driver reads it at once
        auto data = std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
        m.enqueue(s, [to, data] {
            memcpy(reinterpret_cast<void*>(to), data->data(), data->size());
            return SUCCESS;
        });
        return SUCCESS;
    }
    m.enqueue(s, [&m, to, from, bytes] {
        if (still_pinned(m, from, bytes) != SUCCESS) {
            return ILLEGAL_ADDRESS;
        }
        memcpy(reinterpret_cast<void*>(to), from, bytes);
        return SUCCESS;
    });
    return SUCCESS;
}

API int cuMemcpyDtoHAsync_v2(void* to, u64 from, size_t bytes, void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    if (const Result wrong = inside(m, __func__, from, bytes); wrong != SUCCESS) {
        return wrong;
    }
    const bool pinned = m.pinned_room(u64(to)) > 0; // into other memory the driver copies before the call is back
    m.enqueue(s, [&m, to, from, bytes, pinned] {
        if (pinned && still_pinned(m, to, bytes) != SUCCESS) {
            return ILLEGAL_ADDRESS;
        }
        memcpy(to, reinterpret_cast<const void*>(from), bytes);
        return SUCCESS;
    });
    return pinned ? SUCCESS : m.advance(s, s->queued);
}

// Of the device's memory, and of pinned memory, which has the same address there.
API int cuMemsetD8Async(u64 at, unsigned char value, size_t bytes, void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    if (bytes == 0 || m.pinned_room(at) < bytes) {
        if (const Result wrong = inside(m, __func__, at, bytes); wrong != SUCCESS) {
            return wrong;
        }
    }
    m.enqueue(s, [at, value, bytes] {
        memset(reinterpret_cast<void*>(at), value, bytes);
        return SUCCESS;
    });
    return SUCCESS;
}

API int cuStreamCreate(void** stream, unsigned)
{
    IN_CONTEXT;
    *stream = m.add<Stream>(current);
    return SUCCESS;
}

API int cuStreamSynchronize(void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    const Result result = m.advance(s, s->queued);
    m.trim(current, current->pool->threshold);
    return result;
}

API int cuStreamDestroy_v2(void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    s->dead = true;
    return m.advance(s, s->queued);
}

API int cuEventCreate(void** event, unsigned)
{
    IN_CONTEXT;
    *event = m.add<Event>(current);
    return SUCCESS;
}

API int cuEventRecord(void* event, void* stream)
{
    IN_CONTEXT;
    OWN(Event, e, event);
    OWN(Stream, s, stream);
    e->stream = s;
    e->at = s->queued;
    return SUCCESS;
}

API int cuEventSynchronize(void* event)
{
    IN_CONTEXT;
    OWN(Event, e, event);
    return e->stream == nullptr ? SUCCESS : m.advance(e->stream, e->at);
}

API int cuEventDestroy_v2(void* event)
{
    IN_CONTEXT;
    OWN(Event, e, event);
    e->dead = true;
    return SUCCESS;
}

// What the fake compiler makes has a length; PTX ends with a zero; of anything else the length is not known.
API int cuModuleLoadData(void** module, const void* image)
{
    IN_CONTEXT;
    const char* const bytes = static_cast<const char*>(image);
    std::string text;
    if (memcmp(bytes, "\x7f" "ELFfake", 8) == 0) {
        u64 length;
        memcpy(&length, bytes + 8, 8);
        text.assign(bytes + 16, length);
        const std::string architecture = "sm_" + std::to_string(m.settings.major) + std::to_string(m.settings.minor);
        if (text.find(architecture + "\n") == std::string::npos) {
            return NO_BINARY_FOR_GPU;
        }
    } else if (memcmp(bytes, "\x7f" "ELF", 4) != 0) {
        text = bytes;
        if (text.find(".entry") == std::string::npos) {
            return INVALID_IMAGE;
        }
    }
    if (!m.settings.refuse.empty() && text.find(m.settings.refuse) != std::string::npos) {
        return INVALID_IMAGE;
    }
    Module* const made = m.add<Module>(current);
    made->image = text;
    m.images++;
    *module = made;
    return SUCCESS;
}

API int cuModuleGetFunction(void** function, void* module, const char* name)
{
    IN_CONTEXT;
    OWN(Module, owner, module);
    const Kernel* const kernel = find_kernel(name);
    if (kernel == nullptr || !has_entry(owner->image, name)) {
        return m.complain(NOT_FOUND, "no kernel %s", name);
    }
    Function* const made = m.add<Function>(current);
    made->module = owner;
    made->kernel = kernel;
    *function = made;
    return SUCCESS;
}

API int cuModuleUnload(void* module)
{
    IN_CONTEXT;
    OWN(Module, unloaded, module);
    unloaded->dead = true;
    return SUCCESS;
}

API int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                       unsigned block_z, unsigned shared, void* stream, void** parameters, void**)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    OWN(Function, f, function);
    const Kernel& k = *f->kernel;
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || block_x == 0 || block_y == 0 || block_z == 0 || grid_x > 0x7fffffff ||
        grid_y > 65535 || grid_z > 65535 || shared > 48 << 10) {
        return m.complain(INVALID_VALUE, "%s with %u x %u x %u blocks of %u x %u x %u threads and %u bytes", k.name, grid_x,
                          grid_y, grid_z, block_x, block_y, block_z, shared);
    }
    if (u64(block_x) * block_y * block_z > k.threads) {
        return m.complain(LAUNCH_OUT_OF_RESOURCES, "%s has %u threads at most", k.name, k.threads);
    }
    auto arguments = std::make_shared<std::vector<std::vector<char>>>();
    for (const char* kind = k.arguments; *kind != 0; kind++) {
        const char* const from = static_cast<const char*>(parameters[kind - k.arguments]);
        arguments->emplace_back(from, from + argument_bytes(*kind));
    }
    const Dim grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    m.launches++;
    m.enqueue(s, [&m, f, grid, block, shared, arguments] {
        if (f->module->dead) {
            return m.complain(LAUNCH_FAILED, "%s runs after its module was unloaded", f->kernel->name);
        }
        const std::string& skip = m.settings.skip;
        if (!skip.empty() && std::string(f->kernel->name).compare(0, skip.size(), skip) == 0) {
            return SUCCESS;
        }
        std::vector<const void*> pointers;
        for (const auto& a : *arguments) {
            pointers.push_back(a.data());
        }
        const char* const wrong = f->kernel->entry(&grid, &block, shared, pointers.data());
        return wrong == nullptr ? SUCCESS : m.complain(ILLEGAL_ADDRESS, "%s", wrong);
    });
    return SUCCESS;
}

// For tests: how many contexts this thread has, and what there is or has been (mod.rs has the same structure).
struct Counts {
    u64 taken, taken_bytes, reserved_bytes, pinned, owned, contexts, complaints, launches, images, queued, freed_watched,
        device_watched, pinned_watched;
};

API u64 ringjet_fake_depth() { return u64(depth); }

API void ringjet_fake_counts(Counts* out)
{
    Machine& m = machine();
    const std::lock_guard<std::mutex> lock(m.lock);
    *out = {};
    for (const Device* d : m.devices) {
        out->reserved_bytes += d->reserved;
        out->contexts += d->retained;
        for (const auto& [at, chunk] : d->chunks) {
            out->taken += chunk.taken;
            out->taken_bytes += chunk.taken ? chunk.bytes : 0;
            out->device_watched += m.count_watched(at, chunk.size);
        }
    }
    for (const auto& [at, pinned] : m.pinned) {
        out->pinned_watched += m.count_watched(at, pinned.bytes);
    }
    for (const auto& o : m.objects) {
        const Stream* s = dynamic_cast<const Stream*>(o.get());
        out->queued += s == nullptr ? 0 : s->queue.size();
    }
    out->pinned = m.pinned.size();
    out->owned = m.owned();
    out->complaints = m.complaints.size();
    out->launches = m.launches;
    out->images = m.images;
    out->freed_watched = m.freed_watched;
}

// Complaint number `i` until the next call.
API const char* ringjet_fake_complaint(u64 i) { return machine().complaints.at(i).c_str(); }

// Where this word is found is counted from now on.
API void ringjet_fake_watch(u64 word) { machine().watched.insert(word); }

// The next piece of work of any stream fails so.
API void ringjet_fake_fail(int result) { machine().fail_next = Result(result); }
