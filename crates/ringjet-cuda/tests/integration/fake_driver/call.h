// What every function of the fake driver begins with.
#pragma once

#include "machine.h"

#define API extern "C" __attribute__((visibility("default")))

namespace fake {

// The stack of contexts of this thread; the top one is current.
extern __thread Device* stack[16];
extern __thread int depth;
#define current (depth == 0 ? nullptr : stack[depth - 1])

// Holds the lock during a call. `started` checks that the driver is initialised, `context` also
// that the thread has a current context that works.
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
        if (current->failed == SUCCESS && m.refused == name && m.refused_after-- == 0) {
            m.refused.clear();
            return INVALID_VALUE;
        }
        return current->failed;
    }
    // The object of a handle, or null if it does not belong to the current context.
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

} // namespace fake
