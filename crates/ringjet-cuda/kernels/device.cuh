// What the kernels stand on: words, pointers, shared memory, views. The emulator has its own pointers and shared memory,
// which know their bounds (emulator/shim.h); everything else is the same text.
#pragma once

#ifndef RINGJET_EMULATOR

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

template <class T> using Ptr = T*;
template <class T> using Shared = T*;

// A pointer from an address that was read from memory.
template <class T> __device__ __forceinline__ Ptr<T> pointer(u64 address) { return reinterpret_cast<T*>(address); }

// What words of constants are.
template <class T> __device__ __forceinline__ Ptr<const T> as(Ptr<const u64> words)
{
    return reinterpret_cast<const T*>(words);
}

// Shared memory of a block: `count` values, or as many as the launch asked for.
#define SHARED(T, name, count) \
    __shared__ T name##_memory[count]; \
    const Shared<T> name = name##_memory
#define DYNAMIC_SHARED(T, name) \
    extern __shared__ u64 dynamic_shared[]; \
    const Shared<T> name = reinterpret_cast<T*>(dynamic_shared)

#endif

typedef Ptr<const u64> Words;

// Polynomials of residues: limb i of polynomial p is the n words from `stride p + chosen_i` limbs on, `chosen_i` being i
// where nothing is chosen. Where there is one polynomial, it stands for each.
struct Limbs {
    Ptr<u64> words;
    Ptr<const u32> chosen;
    u32 stride, polys, n, unused;

    __device__ __forceinline__ Ptr<u64> limb(u32 p, u32 i) const
    {
        const u64 index = u64(polys == 1 ? 0 : p) * stride + (chosen ? chosen[i] : i);
        return words + index * n;
    }
};

// The coefficient of this thread, where a block is a run of coefficients.
__device__ __forceinline__ u32 coefficient() { return blockIdx.x * blockDim.x + threadIdx.x; }
