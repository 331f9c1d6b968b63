// What the three arithmetics (modarith_u32.cuh, modarith_f64.cuh, modarith_u64.cuh) share: words, the device's functions,
// and the shape that kernels take as a template parameter.
//
//     struct X {
//         using Word;                      a residue in a register and in the device's memory
//         struct Modulus { ... };          constants of a prime, filled on the host
//         struct Constant { ... };         a factor known beforehand, filled on the host
//         Word encode(u64, m), u64 decode(Word, m)         from and to the host's canonical residues
//         Word add(a, b, m), sub(a, b, m)  canonical in, canonical out
//         Word mul(a, b, m)                a product, lazy
//         Word mul_const(x, w, m)          a product with a Constant, lazy
//         Word canonical(x, m)             what any of the others leaves, in [0, q)
//         void forward(x, y, w, m)         (x, y) = (x + w y, x - w y), FORWARD_LEVELS of them before settle()
//         void inverse(x, y, w, m)         (x, y) = (x + y, w (x - y)), INVERSE_LEVELS of them before settle()
//         Word settle(x, m)
//         struct Sum, Left, Right          base conversion: mac(sum, left, right) at most TERMS times before fold(sum, m);
//         Word reduce(sum, m)              canonical
//     };
//
// Every range is stated at the function and proved in docs/proofs/gpu-arithmetic.md; tests/modarith.rs checks it. The
// functions read no memory, have no branches that depend on data, and compile with NVRTC and, through modarith_host.h,
// with the host's C++ compiler.
#pragma once

#ifndef __CUDACC__
#include "modarith_host.h"
#endif

namespace ringjet {

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

// Levels that never need settle(): more than any transform has.
constexpr int ALL_LEVELS = 64;

static __device__ __forceinline__ u32 low(u64 x) { return (u32)x; }

static __device__ __forceinline__ u32 high(u64 x) { return (u32)(x >> 32); }

static __device__ __forceinline__ u64 join(u32 h, u32 l) { return (u64)h << 32 | l; }

// a b + c modulo 2^32.
static __device__ __forceinline__ u32 mad(u32 a, u32 b, u32 c) {
#ifdef __CUDACC__
    u32 d;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
#else
    return a * b + c;
#endif
}

// a b. The instruction is named because the compiler, left alone, sometimes widens a and b first.
static __device__ __forceinline__ u64 wide(u32 a, u32 b) {
#ifdef __CUDACC__
    u64 d;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b));
    return d;
#else
    return (u64)a * b;
#endif
}

static __device__ __forceinline__ i64 wide(i32 a, i32 b) {
#ifdef __CUDACC__
    i64 d;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b));
    return d;
#else
    return (i64)a * b;
#endif
}

// a b + c, of 32-bit factors and modulo 2^64.
static __device__ __forceinline__ u64 mad_wide(u32 a, u32 b, u64 c) { return wide(a, b) + c; }

// a b + c modulo 2^64.
static __device__ __forceinline__ u64 mad(u64 a, u64 b, u64 c) {
    u64 d = mad_wide(low(a), low(b), c);
    return join(mad(high(a), low(b), mad(low(a), high(b), high(d))), low(d));
}

static __device__ __forceinline__ u32 least(u32 a, u32 b) { return a < b ? a : b; }

// x or x - k, whichever is smaller as an unsigned number: x mod k for x < 2k.
static __device__ __forceinline__ u32 correct(u32 x, u32 k) { return least(x, x - k); }

// The same for k at most 2^63.
static __device__ __forceinline__ u64 correct(u64 x, u64 k) {
    i64 d = (i64)(x - k);
    return d < 0 ? x : (u64)d;
}

// floor(norm(y) ratio / 2^52), the fraction F_i of ringjet_math::BaseConversion: y below 2^bits, ratio at most 2^51.
static __device__ __forceinline__ u64 fraction(u64 y, u64 ratio, int bits) {
    return __umul64hi(y << (64 - bits) & ~0xfffull, ratio);
}

}  // namespace ringjet
