// The part of the CUDA language that ringjet's kernels use, for the host's C++ compiler, with
// checks that a GPU does not make. The threads of a block are fibers that run one after another
// between barriers; blocks run one after another.
//
// The emulator finds the following mistakes and names the kernel, the block and the thread:
// - accesses outside an allocation of global memory or outside a shared array, and unaligned ones;
// - two threads that access the same shared word, one of them writing, with no __syncthreads between;
// - a barrier that not every thread reaches;
// - a shuffle with a lane that has left the kernel;
// - more shared memory than a block has.
// It does not find races in global memory. The check of shared words ignores __syncwarp.
#pragma once

#define RINGJET_EMULATOR

#include <stddef.h>
#include <stdint.h>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads)

struct Dim {
    u32 x, y, z;
};

namespace emulator {

// What a thread knows about its position: grid, block and thread.
struct Place {
    Dim thread, block, block_size, grid;
};

extern __thread Place place;

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
void bounds(u64 address, u64* begin, u64* end);
void sync_threads();
void sync_warp(u32 mask);
u64 shuffle(u32 mask, u64 value, u32 lane);
u32 lane();

// Shared memory of the running block: `bytes` bytes for the declaration `site`, the same for all
// threads of the block.
unsigned char* shared(const void* site, size_t bytes);
unsigned char* dynamic_shared(size_t* bytes);
// Records that the running thread reads or writes shared memory at `at`. Fails if another thread
// did so since the last barrier and one of the two accesses is a write.
void touch(const void* at, size_t bytes, bool write);

typedef const char* (*Entry)(const Dim* grid, const Dim* block, u32 shared_bytes, const void* const* arguments);
const char* run(const char* kernel, const Dim* grid, const Dim* block, u32 shared_bytes, void (*body)(void*), void* data);

template <class F>
const char* launch(const char* kernel, const Dim* grid, const Dim* block, u32 shared_bytes, F body)
{
    return run(kernel, grid, block, shared_bytes, [](void* f) { (*static_cast<F*>(f))(); }, &body);
}

} // namespace emulator

#define threadIdx (emulator::place.thread)
#define blockIdx (emulator::place.block)
#define blockDim (emulator::place.block_size)
#define gridDim (emulator::place.grid)

// A pointer to global memory that checks every access against its allocation.
template <class T> struct Ptr {
    T* at;
    u64 begin, end;

    T& operator[](u64 i) const
    {
        const u64 address = u64(at) + i * sizeof(T);
        if (address < begin || address + sizeof(T) > end || address % alignof(T) != 0) {
            emulator::fail("%zu bytes at %lld of an allocation of %lld bytes of global memory", sizeof(T),
                           i64(address - begin), i64(end - begin));
        }
        return *reinterpret_cast<T*>(address);
    }
    Ptr operator+(u64 i) const { return {reinterpret_cast<T*>(u64(at) + i * sizeof(T)), begin, end}; }
    explicit operator bool() const { return at != nullptr; }
    operator Ptr<const T>() const { return {at, begin, end}; }
};

template <class T> Ptr<T> pointer(u64 address)
{
    Ptr<T> p = {reinterpret_cast<T*>(address), 0, 0};
    if (address != 0) {
        emulator::bounds(address, &p.begin, &p.end);
    }
    return p;
}

template <class T> Ptr<const T> as(Ptr<const u64> words)
{
    return {reinterpret_cast<const T*>(words.at), words.begin, words.end};
}

// One word of shared memory; it records reads and writes.
template <class T> struct Cell {
    T* at;

    operator T() const
    {
        emulator::touch(at, sizeof(T), false);
        return *at;
    }
    const Cell& operator=(T value) const
    {
        emulator::touch(at, sizeof(T), true);
        *at = value;
        return *this;
    }
    const Cell& operator=(const Cell& other) const { return *this = T(other); }
    T* operator&() const { return at; } // for atomics
};

// An array in shared memory; it checks indices.
template <class T> struct Shared {
    T* begin;
    size_t count;

    Cell<T> operator[](u64 i) const
    {
        if (i >= count) {
            emulator::fail("index %lld of a shared array of %zu", i64(i), count);
        }
        return {begin + i};
    }
};

#define SHARED(T, name, count) \
    static const char name##_site = 0; \
    const Shared<T> name = {reinterpret_cast<T*>(emulator::shared(&name##_site, (count) * sizeof(T))), count}
#define DYNAMIC_SHARED(T, name) \
    size_t name##_bytes; \
    T* const name##_begin = reinterpret_cast<T*>(emulator::dynamic_shared(&name##_bytes)); \
    const Shared<T> name = {name##_begin, name##_bytes / sizeof(T)}

inline void __syncthreads() { emulator::sync_threads(); }
inline void __syncwarp(u32 mask = 0xffffffff) { emulator::sync_warp(mask); }

template <class T> T __shfl_sync(u32 mask, T value, int lane)
{
    return T(emulator::shuffle(mask, u64(value), u32(lane) % 32));
}
template <class T> T __shfl_xor_sync(u32 mask, T value, int bits)
{
    return T(emulator::shuffle(mask, u64(value), (emulator::lane() ^ u32(bits)) % 32));
}
template <class T> T __shfl_down_sync(u32 mask, T value, u32 by)
{
    const u32 from = emulator::lane() + by;
    return T(emulator::shuffle(mask, u64(value), from < 32 ? from : emulator::lane()));
}

template <class T> T atomicAdd(T* at, T value)
{
    const T old = *at;
    *at = old + value;
    return old;
}
template <class T> T atomicCAS(T* at, T expected, T value)
{
    const T old = *at;
    *at = old == expected ? value : old;
    return old;
}

inline int __clz(u32 x) { return x == 0 ? 32 : __builtin_clz(x); }
inline u32 __brev(u32 x)
{
    u32 reversed = 0;
    for (u32 i = 0; i < 32; i++) {
        reversed |= (x >> i & 1) << (31 - i);
    }
    return reversed;
}
inline u64 __umul64hi(u64 a, u64 b) { return u64((static_cast<unsigned __int128>(a) * b) >> 64); }
inline i64 __mul64hi(i64 a, i64 b) { return i64((static_cast<__int128>(a) * b) >> 64); }
