// What the arithmetics (modarith_u32.cuh, modarith_f64.cuh, modarith_u64.cuh) share: words, the
// device's functions, and the interface that kernels expect of an arithmetic X, their template
// parameter:
//
//     struct X {
//         using Word;                      a residue in a register
//         struct Modulus { ... };          constants of a prime, filled on the host
//         struct Constant { ... };         a factor known beforehand, filled on the host
//         Word encode(u64, m)              converts a canonical residue from memory
//         u64 integer(Word)                converts a canonical word to its residue
//         u64 decode(Word, m)              converts any word to its residue
//         Word add(a, b, m), sub(a, b, m)  canonical arguments, canonical result
//         Word mul(a, b, m)                lazy product; `a` must come from `form` or `factor`
//         Word form(a, m)                  prepares a canonical word as first factor of mul
//         Word factor(v, w, m)             the product of two Constants, as first factor of mul
//         Word mul_const(x, w, m)          lazy product with a Constant
//         Word canonical(x, m)             reduces a lazy word to [0, q)
//         Word settle(x, m)                reduces a lazy word partly, to the width SETTLED
//         u64 pack(x, m)                   the bits of a word that `canonical` accepts, for BYTES bytes of memory
//         Word unpack(u64)                 the word again, or one congruent to it
//         void forward(x, y, w, m)         (x, y) = (x + w y, x - w y)
//         void inverse(x, y, w, m)         (x, y) = (x + y, w (x - y))
//         struct Sum, Left, Right          base conversion: mac(sum, left, right) at most TERMS times before fold(sum, m);
//         Word reduce(sum, m)              the canonical residue of a sum
//         Word centre(x, m)                turns a canonical word into one for left(x); may subtract q
//         Left number(i64)                 an integer below 2^LEFT_BITS as a factor
//     };
//
// BYTES is the number of bytes that a residue takes in memory: 8, 6 or 4.
//
// An arithmetic states how wide its lazy words are, in a unit of its own:
// - CANONICAL: canonical words;
// - SETTLED, PRODUCT, MUL: results of `settle`, `mul_const` and `mul`;
// - MUL_IN: the widest second argument of `mul`;
// - MUL_TAKES_SETTLED: whether results of `settle` are first factors of `mul`, without `form`;
// - MOST: the bound on the second word of `forward`, and on x + y in `inverse`;
// - DECODED: the widest argument of `canonical` and `settle`;
// - PACKED: results of `unpack`, or AS_THEY_ARE where packing keeps words as they are.
// `forward` adds PRODUCT to a width. All of these are zero in arithmetics whose butterflies return
// words as wide as their arguments. `ntt.cuh` decides from them at compile time where to settle
// words.
//
// Each function states its range; docs/proofs/gpu-arithmetic.md proves it and
// tests/integration/modarith.rs checks it. The functions read no memory and have no branches that
// depend on data. They compile with NVRTC and, through modarith_host.h, with the host's C++
// compiler.
#pragma once

#ifndef __CUDACC__
#include "modarith_host.h"
#endif

namespace ringjet {

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ u32 low(u64 x) { return (u32)x; }

static __device__ __forceinline__ u32 high(u64 x) { return (u32)(x >> 32); }

static __device__ __forceinline__ u64 join(u32 h, u32 l) { return (u64)h << 32 | l; }

// The value of PACKED for arithmetics whose words fit their bytes of memory.
constexpr int AS_THEY_ARE = -1;

// bits_of: the bits of a word, in 64 bits. word_of: the word with these bits.
static __device__ __forceinline__ u64 bits_of(u64 x) { return x; }

static __device__ __forceinline__ u64 bits_of(u32 x) { return x; }

static __device__ __forceinline__ u64 bits_of(i32 x) { return (u32)x; }

static __device__ __forceinline__ u64 bits_of(double x) { return (u64)__double_as_longlong(x); }

template <class W>
static __device__ __forceinline__ W word_of(u64 bits) {
    return (W)bits;
}

template <>
__device__ __forceinline__ double word_of<double>(u64 bits) {
    return __longlong_as_double((i64)bits);
}

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

// a b. Uses the instruction by name: left to choose, the compiler sometimes extends a and b to 64
// bits first.
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

// a b + c modulo 2^64, with 32-bit a and b.
static __device__ __forceinline__ u64 mad_wide(u32 a, u32 b, u64 c) { return wide(a, b) + c; }

// a b + c modulo 2^64.
static __device__ __forceinline__ u64 mad(u64 a, u64 b, u64 c) {
    u64 d = mad_wide(low(a), low(b), c);
    return join(mad(high(a), low(b), mad(low(a), high(b), high(d))), low(d));
}

static __device__ __forceinline__ u32 least(u32 a, u32 b) { return a < b ? a : b; }

// x or x - k, whichever is smaller as an unsigned number: x mod k for x < 2k.
static __device__ __forceinline__ u32 correct(u32 x, u32 k) { return least(x, x - k); }

// As above, for k at most 2^63.
static __device__ __forceinline__ u64 correct(u64 x, u64 k) {
    i64 d = (i64)(x - k);
    return d < 0 ? x : (u64)d;
}

// floor(norm(y) ratio / 2^52), the fraction F_i of ringjet_math::BaseConversion. y is below 2^bits,
// ratio at most 2^51.
static __device__ __forceinline__ u64 fraction(u64 y, u64 ratio, int bits) {
    return __umul64hi(y << (64 - bits) & ~0xfffull, ratio);
}

}  // namespace ringjet
