// The functions of libcuda.so.1 that the bindings look up, for devices, contexts and memory.
// work.cpp and graphs.cpp have the others.

#include "call.h"

#include <cstring>

using namespace fake;

namespace fake {

__thread Device* stack[16];
__thread int depth = 0;

} // namespace fake

namespace {

Device* device_of(Machine& m, int ordinal)
{
    return ordinal >= 0 && ordinal < int(m.devices.size()) ? m.devices[ordinal] : nullptr;
}

// Checks that `bytes` bytes at `at` are taken memory of the current device.
Result inside(Machine& m, const char* name, u64 at, u64 bytes)
{
    if (bytes > 0 && m.room(current, at) >= bytes) {
        return SUCCESS;
    }
    return m.complain(INVALID_VALUE, "%s: %llu bytes at %#llx, where %llu are taken", name, (unsigned long long)bytes,
                      (unsigned long long)at, (unsigned long long)m.room(current, at));
}

// Checks, when a copy is done, that its host memory is still pinned.
Result still_pinned(Machine& m, const void* at, u64 bytes)
{
    return m.pinned_room(u64(at)) >= bytes ? SUCCESS : m.complain(ILLEGAL_ADDRESS, "a copy through memory that is not pinned any more");
}

} // namespace

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
        {NOT_READY, "device not ready"},
        {ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
        {LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"},
        {LAUNCH_FAILED, "unspecified launch failure"},
        {NOT_SUPPORTED, "operation not supported"},
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
    // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR, _SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
    // _MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, _MEMORY_POOLS_SUPPORTED, _MULTIPROCESSOR_COUNT
    const std::map<int, int> known = {{16, 132}, {75, s.major}, {76, s.minor}, {87, s.ratio}, {97, int(s.shared)}, {115, s.pools}};
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

namespace {

// CUmemPoolProps
struct PoolProperties {
    int allocation, handles, location, id;
    void* security;
    size_t most;
    unsigned short usage;
    unsigned char reserved[54];
};

} // namespace

// The default pool of a device has no function here: it belongs to all libraries of a process.
API int cuMemPoolCreate(void** pool, const PoolProperties* properties)
{
    IN_CONTEXT;
    const PoolProperties& p = *properties;
    // CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE
    const bool known = p.allocation == 1 && p.handles == 0 && p.location == 1 && p.security == nullptr && p.most == 0 && p.usage == 0;
    if (!known || p.id != current->ordinal) {
        return m.complain(INVALID_VALUE, "a pool with properties that are not known here");
    }
    *pool = m.add<Pool>(current);
    return SUCCESS;
}

API int cuMemPoolDestroy(void* handle)
{
    IN_CONTEXT;
    OWN(Pool, pool, handle);
    for (const auto& [at, chunk] : current->chunks) {
        if (chunk.pool == pool && chunk.taken) {
            return m.complain(INVALID_VALUE, "a pool is destroyed while %llu bytes are taken", (unsigned long long)chunk.bytes);
        }
    }
    pool->dead = true;
    m.trim(pool, 0);
    return SUCCESS;
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
    call.m.trim(pool, keep);
    return SUCCESS;
}

API int cuMemGetInfo_v2(size_t* available, size_t* total)
{
    IN_CONTEXT;
    *available = m.settings.bytes - current->reserved;
    *total = m.settings.bytes;
    return SUCCESS;
}

API int cuMemAllocFromPoolAsync(u64* at, size_t bytes, void* handle, void* stream)
{
    IN_CONTEXT;
    OWN(Pool, pool, handle);
    OWN(Stream, s, stream);
    return bytes == 0 ? m.complain(INVALID_VALUE, "no bytes are taken") : m.take(pool, s, bytes, at);
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
    m.pinned.erase(found); // the address is never used again
    return SUCCESS;
}

API int cuMemcpyHtoDAsync_v2(u64 to, const void* from, size_t bytes, void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    if (const Result wrong = inside(m, __func__, to, bytes); wrong != SUCCESS) {
        return wrong;
    }
    if (m.pinned_room(u64(from)) == 0) { // pageable memory: the driver copies it at once to its own memory
        m.driver_watched += m.count_watched(u64(from), bytes);
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
    const bool pinned = m.pinned_room(u64(to)) > 0; // a copy to pageable memory is done before the call returns
    m.enqueue(s, [&m, to, from, bytes, pinned] {
        if (pinned && still_pinned(m, to, bytes) != SUCCESS) {
            return ILLEGAL_ADDRESS;
        }
        memcpy(to, reinterpret_cast<const void*>(from), bytes);
        return SUCCESS;
    });
    return pinned ? SUCCESS : m.advance(s, s->queued);
}

// Works on device memory and on pinned memory, which has the same address on the device.
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
