// Fibers: functions with stacks of their own, which one thread of the host runs in turn. On x86-64
// a switch saves the registers that calls preserve; elsewhere ucontext does the switching.
//
// All names are local to the file that includes this header, so that several emulators can be
// linked into one program.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace {

// Where a fiber, or the code that runs fibers, goes on.
struct FiberContext {
#ifdef __x86_64__
    void* stack_pointer;
#else
    ucontext_t context;
#endif
};

// `limit`: how many bytes of its stack the fiber may use. The stack is longer, so that a fiber that
// exceeds the limit can be named before it damages other memory.
struct Fiber {
    FiberContext context;
    unsigned char* stack;
    size_t limit;
};

// Bytes of a stack below its limit. The upper ones are painted: fiber_exceeded looks for changes.
constexpr size_t FIBER_SPARE_BYTES = 16 << 10, FIBER_PAINTED_BYTES = 512;
constexpr unsigned char FIBER_PAINT = 0x5a;

#ifdef __x86_64__
extern "C" void ringjet_fiber_switch(void** save, void* to);
asm(R"(
.text
.type ringjet_fiber_switch, @function
ringjet_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size ringjet_fiber_switch, .-ringjet_fiber_switch
)");
#endif

// Goes on at `to`; the caller goes on when another switch names `save`.
inline void fiber_switch(FiberContext& save, FiberContext& to)
{
#ifdef __x86_64__
    ringjet_fiber_switch(&save.stack_pointer, to.stack_pointer);
#else
    swapcontext(&save.context, &to.context);
#endif
}

// Sets a fiber to the beginning of `main`, which must not return.
inline void fiber_reset(Fiber& f, void (*main)())
{
    const size_t bytes = f.limit + FIBER_SPARE_BYTES;
    memset(f.stack + FIBER_SPARE_BYTES - FIBER_PAINTED_BYTES, FIBER_PAINT, FIBER_PAINTED_BYTES);
#ifdef __x86_64__
    void** top = reinterpret_cast<void**>(f.stack + bytes) - 2;
    *top = reinterpret_cast<void*>(main); // `ret` jumps there; the stack then looks as after a call
    f.context.stack_pointer = top - 6;
#else
    getcontext(&f.context.context);
    f.context.context.uc_stack.ss_sp = f.stack;
    f.context.context.uc_stack.ss_size = bytes;
    makecontext(&f.context.context, main, 0);
#endif
}

// Makes a fiber that may use `limit` bytes of stack, a multiple of 16. False without memory.
inline bool fiber_create(Fiber& f, size_t limit, void (*main)())
{
    f.limit = limit;
    f.stack = static_cast<unsigned char*>(malloc(limit + FIBER_SPARE_BYTES));
    if (f.stack == nullptr) {
        return false;
    }
    fiber_reset(f, main);
    return true;
}

inline void fiber_free(Fiber& f)
{
    free(f.stack);
    f.stack = nullptr;
}

// Whether the fiber has used more than its limit since it was reset. A frame that reaches over the
// painted bytes without writing any is not noticed.
inline bool fiber_exceeded(const Fiber& f)
{
    uint64_t paint, changed = 0;
    memset(&paint, FIBER_PAINT, sizeof paint);
    const unsigned char* const painted = f.stack + FIBER_SPARE_BYTES - FIBER_PAINTED_BYTES;
    for (size_t i = 0; i < FIBER_PAINTED_BYTES; i += sizeof paint) {
        uint64_t word;
        memcpy(&word, painted + i, sizeof word);
        changed |= word ^ paint;
    }
    return changed != 0;
}

} // namespace
