// The functions of libcuda.so.1 for streams, events, modules and launches, and functions with which
// tests ask what happened.

#include "call.h"

#include <cstring>

using namespace fake;

namespace {

// Whether an image has the entry point `name`. PTX and the fake compiler's code list their entry
// points; other images are taken to have all of them.
bool has_entry(const std::string& image, const std::string& name)
{
    return image.empty() || image.find("entry " + name + "(") != std::string::npos;
}

} // namespace

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
    for (Pool* pool : m.pools(current)) {
        m.trim(pool, pool->dead ? 0 : pool->threshold);
    }
    return result;
}

API int cuStreamDestroy_v2(void* stream)
{
    IN_CONTEXT;
    OWN(Stream, s, stream);
    s->dead = true;
    return m.advance(s, s->queued);
}

API int cuEventCreate(void** event, unsigned flags)
{
    IN_CONTEXT;
    Event* const made = m.add<Event>(current);
    made->timed = flags == 0; // CU_EVENT_DEFAULT; without CU_EVENT_DISABLE_TIMING
    *event = made;
    return SUCCESS;
}

API int cuEventRecord(void* event, void* stream)
{
    IN_CONTEXT;
    OWN(Event, e, event);
    OWN(Stream, s, stream);
    if (e->timed) {
        m.enqueue(s, [e, device = current] {
            e->kernels = device->kernels;
            return SUCCESS;
        });
    }
    e->stream = s;
    e->at = s->queued;
    return SUCCESS;
}

// A kernel takes 10 microseconds, and nothing else takes time.
API int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end)
{
    IN_CONTEXT;
    OWN(Event, first, start);
    OWN(Event, last, end);
    if (!first->timed || !last->timed || first->stream == nullptr || last->stream == nullptr) {
        return m.complain(INVALID_HANDLE, "the time between events that are not timed or not recorded");
    }
    if (first->stream->done < first->at || last->stream->done < last->at) {
        return NOT_READY;
    }
    *milliseconds = 0.01f * (float(last->kernels) - float(first->kernels));
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

// The fake compiler's code states its length; PTX ends with a zero byte; the length of any other
// image is unknown.
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

API int cuFuncGetAttribute(int* value, int attribute, void* function)
{
    IN_CONTEXT;
    OWN(Function, f, function);
    if (attribute != 1) { // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
        return m.complain(INVALID_VALUE, "attribute %d of a function is not known here", attribute);
    }
    *value = int(DECLARED_SHARED);
    return SUCCESS;
}

API int cuFuncSetAttribute(void* function, int attribute, int value)
{
    IN_CONTEXT;
    OWN(Function, f, function);
    // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    if (attribute != 8 || value < 0 || u64(value) + DECLARED_SHARED > m.settings.shared) {
        return m.complain(INVALID_VALUE, "attribute %d of a function set to %d", attribute, value);
    }
    f->most_dynamic = value;
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
    auto launch = std::make_shared<Launch>();
    const Dim grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    if (const Result wrong = m.prepare(f, grid, block, shared, parameters, launch.get()); wrong != SUCCESS) {
        return wrong;
    }
    m.launches++;
    m.enqueue(s, [&m, launch] { return m.run(*launch); });
    return SUCCESS;
}

// For tests: the number of contexts of this thread, and counts of objects and events (mod.rs has
// the same structure).
struct Counts {
    u64 taken, taken_bytes, reserved_bytes, pinned, owned, contexts, complaints, launches, graph_builds, graph_launches, graph_updates, images, queued, freed_watched,
        device_watched, pinned_watched, driver_watched;
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
    out->graph_builds = m.graph_builds;
    out->graph_launches = m.graph_launches;
    out->graph_updates = m.graph_updates;
    out->images = m.images;
    out->freed_watched = m.freed_watched;
    out->driver_watched = m.driver_watched;
}

// Complaint number `i`; the string is valid until the next call.
API const char* ringjet_fake_complaint(u64 i) { return machine().complaints.at(i).c_str(); }

// Counts this word from now on, wherever it is found.
API void ringjet_fake_watch(u64 word) { machine().watched.insert(word); }

// Makes the next piece of work of any stream fail with `result`.
API void ringjet_fake_fail(int result) { machine().fail_next = Result(result); }

// Makes function `name` fail once, after `after` calls.
API void ringjet_fake_refuse(const char* name, u64 after)
{
    Machine& m = machine();
    const std::lock_guard<std::mutex> lock(m.lock);
    m.refused = name;
    m.refused_after = after;
}
