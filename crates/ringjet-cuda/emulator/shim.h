// The part of the CUDA language that ringjet's kernels use, for the host's C++ compiler, with
// checks that a GPU does not make. The threads of a block are fibers that run one after another
// between barriers; blocks run one after another.
//
// The emulator finds the following mistakes and names the kernel, the block and the thread:
// - accesses outside an allocation of global memory or outside a shared array, and unaligned ones;
// - two blocks of a launch that access the same residue of global memory, one of them writing;
// - two threads of a block that access the same residue of global memory or word of shared memory,
//   one of them writing, with no __syncthreads between;
// - a barrier that not every thread reaches;
// - a shuffle with a lane that has left the kernel;
// - more shared memory than a block has.
// The checks of words ignore __syncwarp. Atomic accesses are never reported.
#pragma once

#define RINGJET_EMULATOR

#include <stddef.h>
#include <stdint.h>

typedef unsigned short u16;
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

struct alignas(16) ulonglong2 {
    u64 x, y;
};
struct alignas(8) uint2 {
    u32 x, y;
};
struct alignas(4) ushort2 {
    u16 x, y;
};
struct alignas(16) uint4 {
    u32 x, y, z, w;
};
struct alignas(8) ushort4 {
    u16 x, y, z, w;
};

namespace emulator {

// The last accesses of a unit of global memory: who wrote it, and who read it. A unit has 8 bytes,
// or 4 in launches on residues of 4 bytes, or 2 in those on residues of 6 bytes, which lie in two
// arrays (`Now::unit`). So a unit never belongs to two residues. Both accesses are names of a
// thread since a barrier (`Now::me`), which grow with time; 0 stands for nobody.
struct Access {
    u64 written, read;
};

// Parts of a name: the number of the block in the high half, the number of barriers that the block
// has passed, whether earlier blocks of the launch did the same (EARLIER), and the thread (ANY for
// several threads).
constexpr u64 BARRIER = 1 << 12, EARLIER = 1 << 11, ANY = EARLIER - 1;

// What pointers to global memory point to: residues, through an argument `Limbs` or as `Ptr<u64>`; or
// constants, through an argument `Words` or as a pointer to const that was itself read from memory.
enum Kind : u32 { LIMBS, CONSTANTS, KINDS };

// Bytes that a launch has read and written in global memory. `read` and `written` count each unit
// once, and do not count reads of units that the launch wrote before; `all_read` and
// `all_written` count all accesses. src/traffic.rs has the same structure.
struct Traffic {
    u64 read, written, all_read, all_written;
};

// The position of the running thread, the names that it leaves in `Access`, and what the launch has
// read and written so far.
struct Now {
    Dim thread, block, block_size, grid;
    u64 me;
    u64 all; // the name of all threads of the block, with EARLIER
    u64 launch; // the least name of the launch
    u32 unit; // binary logarithm of the bytes of a unit
    Traffic traffic[KINDS];
};

extern __thread Now now;

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
// An allocation of global memory. `units` has an entry for each of its units. Kernels know it by the
// addresses from `base` on; its bytes are at `begin` in this process.
struct Allocation {
    u64 begin, end;
    Access* units;
    u64 base;
};
// The allocation that contains `address`, an address as kernels know it; an empty one if there is
// none.
Allocation allocation(u64 address);
// Records that the running thread reads or writes a unit of global memory. Fails if that is a race.
void note_read(Access* unit);
void note_write(Access* unit, Kind kind);

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

#define threadIdx (emulator::now.thread)
#define blockIdx (emulator::now.block)
#define blockDim (emulator::now.block_size)
#define gridDim (emulator::now.grid)

namespace emulator {

template <class T, class U> struct Same {
    static constexpr bool value = false;
};
template <class T> struct Same<T, T> {
    static constexpr bool value = true;
};
template <bool> struct If {};
template <> struct If<true> {
    typedef int type;
};

} // namespace emulator

// One value in memory, whose reads and writes `Memory` records.
template <class T, class Memory> struct Cell {
    T* at;
    Memory memory;

    Cell(T* at, Memory memory) : at(at), memory(memory) {}
    Cell(const Cell&) = default;
    // Without it, `condition ? cell : 0` would convert the cell to int; with it, such code does not
    // compile, and `condition ? cell : T(0)` does.
    template <class U, typename emulator::If<!emulator::Same<T, U>::value && !__is_class(U)>::type = 0>
    Cell(U) = delete;

    operator T() const
    {
        memory.read(at);
        return *at;
    }
    const Cell& operator=(T value) const
    {
        memory.write(at);
        *at = value;
        return *this;
    }
    const Cell& operator=(const Cell& other) const { return *this = T(other); }
    T* operator&() const { return at; } // for atomics
};

namespace emulator {

// Records accesses to global memory. `units` belongs to the unit at `begin`.
struct Global {
    u64 begin;
    Access* units;
    Kind kind;

    template <class T> void read(const T* at) const
    {
        Access* const first = units + ((u64(at) - begin) >> now.unit);
        Access* const last = units + ((u64(at) - begin + sizeof(T) - 1) >> now.unit);
        Traffic& t = now.traffic[kind];
        t.all_read += sizeof(T);
        for (Access* unit = first; unit <= last; unit++) {
            Access& a = *unit;
            if ((a.read | EARLIER) == now.all) {
                continue; // nothing new
            }
            if (a.read < now.launch && a.written < now.launch) {
                a.read = now.me;
                t.read += u64(1) << now.unit;
            } else {
                note_read(&a);
            }
        }
    }
    template <class T> void write(const T* at) const
    {
        Access* const first = units + ((u64(at) - begin) >> now.unit);
        Access* const last = units + ((u64(at) - begin + sizeof(T) - 1) >> now.unit);
        Traffic& t = now.traffic[kind];
        t.all_written += sizeof(T);
        for (Access* unit = first; unit <= last; unit++) {
            Access& a = *unit;
            if ((a.read < now.launch || a.read == now.me) && a.written < now.launch) {
                a.written = now.me;
                t.written += u64(1) << now.unit;
            } else {
                note_write(&a, kind);
            }
        }
    }
};

// What Ptr<T>::operator[] returns: a cell, or a reference to a constant, which is read at once.
template <class T> struct Item {
    typedef T Value;
    typedef Cell<T, Global> type;
    static type at(T* at, const Global& memory) { return {at, memory}; }
};
template <class T> struct Item<const T> {
    typedef T Value;
    typedef const T& type;
    static type at(const T* at, const Global& memory)
    {
        memory.read(at);
        return *at;
    }
};

} // namespace emulator

// A pointer to global memory that checks every access against its allocation.
template <class T> struct Ptr {
    T* at;
    emulator::Allocation in;
    emulator::Kind kind;

    typename emulator::Item<T>::type operator[](u64 i) const
    {
        const u64 address = u64(at) + i * sizeof(T);
        if (address < in.begin || address + sizeof(T) > in.end || address % alignof(T) != 0) {
            emulator::fail("%zu bytes at %lld of an allocation of %lld bytes of global memory", sizeof(T),
                           i64(address - in.begin), i64(in.end - in.begin));
        }
        return emulator::Item<T>::at(reinterpret_cast<T*>(address), {in.begin, in.units, kind});
    }
    Ptr operator+(u64 i) const { return {reinterpret_cast<T*>(u64(at) + i * sizeof(T)), in, kind}; }
    explicit operator bool() const { return at != nullptr; }
    operator Ptr<const T>() const { return {at, in, kind}; }
};

template <class T> Ptr<T> pointer(u64 address)
{
    constexpr bool constant = !emulator::Same<T, typename emulator::Item<T>::Value>::value;
    Ptr<T> p = {reinterpret_cast<T*>(address), {0, 0, nullptr, 0}, constant ? emulator::CONSTANTS : emulator::LIMBS};
    if (address != 0) {
        p.in = emulator::allocation(address);
        p.at = reinterpret_cast<T*>(address - p.in.base + p.in.begin);
    }
    return p;
}

template <class T> Ptr<const T> as(Ptr<const u64> words)
{
    return {reinterpret_cast<const T*>(words.at), words.in, words.kind};
}
template <class T> Ptr<T> as(Ptr<u64> words) { return {reinterpret_cast<T*>(words.at), words.in, words.kind}; }
template <class T> Ptr<T> as(Ptr<u32> numbers) { return {reinterpret_cast<T*>(numbers.at), numbers.in, numbers.kind}; }
template <class T> Ptr<T> as(Ptr<u16> numbers) { return {reinterpret_cast<T*>(numbers.at), numbers.in, numbers.kind}; }

template <class T> T read_once(Ptr<T> p, u64 i) { return p[i]; }

namespace emulator {

// Records accesses to shared memory.
struct OfBlock {
    template <class T> void read(const T* at) const { touch(at, sizeof(T), false); }
    template <class T> void write(const T* at) const { touch(at, sizeof(T), true); }
};

} // namespace emulator

// An array in shared memory; it checks indices.
template <class T> struct Shared {
    T* begin;
    size_t count;

    Cell<T, emulator::OfBlock> operator[](u64 i) const
    {
        if (i >= count) {
            emulator::fail("index %lld of a shared array of %zu", i64(i), count);
        }
        return {begin + i, {}};
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
