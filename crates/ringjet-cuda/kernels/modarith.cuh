// Arithmetic modulo one prime, behind a struct that the kernels take as a parameter. One form so far: 64-bit integers.
//
// An arithmetic has a type Word, its Modulus and its Factor (a constant with what multiplying by it needs), and says in which
// range its functions take and leave words. "Canonical" is [0, q). Residues in memory are canonical integers in words of 64
// bits; `load` and `store` are the way from and to them.
#pragma once

#include "device.cuh"

// An unsigned integer of 128 bits.
struct Wide {
    u64 hi, lo;
};

// acc + a b, modulo 2^128.
__device__ __forceinline__ void add_product(Wide& acc, u64 a, u64 b)
{
    const u64 lo = a * b;
    acc.lo += lo;
    acc.hi += __umul64hi(a, b) + (acc.lo < lo);
}

// Primes q < 2^61 in integers of 64 bits: Barrett's product for two variables, Shoup's for a constant and a variable.
struct U64Arith {
    typedef u64 Word;

    struct Modulus {
        u64 q;
        u64 ratio1, ratio0; // floor(2^128 / q), high and low word
    };

    struct Factor {
        u64 w;     // canonical
        u64 shoup; // floor(w 2^64 / q)
    };

    typedef Wide Sum;

    static constexpr u32 MODULUS_WORDS = 3;
    // Sums of as many products of words below 2^61, and one such word, are below 2^128.
    static constexpr u32 SUM_TERMS = 32;

    static __device__ __forceinline__ Word load(u64 x) { return x; }
    static __device__ __forceinline__ u64 store(Word x) { return x; }

    static __device__ __forceinline__ Modulus modulus(Words at) { return {at[0], at[1], at[2]}; }
    static __device__ __forceinline__ Factor factor(Words at) { return {at[0], at[1]}; }

    // Canonical in, canonical out: sums are below 2^62.
    static __device__ __forceinline__ Word add(Word a, Word b, const Modulus& m) { return once(a + b, m.q); }
    static __device__ __forceinline__ Word sub(Word a, Word b, const Modulus& m) { return a >= b ? a - b : a + m.q - b; }
    static __device__ __forceinline__ Word neg(Word a, const Modulus& m) { return a == 0 ? 0 : m.q - a; }

    // Any 128-bit value in, canonical out. The quotient's estimate drops the fraction of three partial products and of the
    // ratio: it is too small by at most 2, as in ringjet_math::Modulus::reduce_u128, so the remainder is below 3 q < 2^63.
    static __device__ __forceinline__ Word reduce(Wide x, const Modulus& m)
    {
        const u64 low = __umul64hi(x.lo, m.ratio0);
        const u64 a = x.lo * m.ratio1, b = x.hi * m.ratio0;
        const u64 sum = low + a, total = sum + b;
        const u64 carry = u64(sum < low) + u64(total < sum);
        const u64 quotient = x.hi * m.ratio1 + __umul64hi(x.lo, m.ratio1) + __umul64hi(x.hi, m.ratio0) + carry;
        return once(once(x.lo - quotient * m.q, m.q), m.q);
    }

    // Any words in, canonical out.
    static __device__ __forceinline__ Word mul(Word a, Word b, const Modulus& m)
    {
        return reduce({__umul64hi(a, b), a * b}, m);
    }

    // Any x in, [0, 2q) out: the quotient's estimate is too small by at most 1.
    static __device__ __forceinline__ Word mul_const_lazy(Word x, Factor f, const Modulus& m)
    {
        return x * f.w - __umul64hi(x, f.shoup) * m.q;
    }

    // Any x in, canonical out.
    static __device__ __forceinline__ Word mul_const(Word x, Factor f, const Modulus& m)
    {
        return once(mul_const_lazy(x, f, m), m.q);
    }

    // (u, v) -> (u + w v, u - w v). In and out below 4q < 2^63 (Harvey 2014).
    static __device__ __forceinline__ void forward_butterfly(Word& u, Word& v, Factor w, const Modulus& m)
    {
        const Word x = once(u, 2 * m.q), t = mul_const_lazy(v, w, m);
        u = x + t;
        v = x - t + 2 * m.q;
    }

    // (u, v) -> (u + v, w (u - v)). In and out below 2q.
    static __device__ __forceinline__ void inverse_butterfly(Word& u, Word& v, Factor w, const Modulus& m)
    {
        const Word sum = u + v, difference = u - v + 2 * m.q;
        u = once(sum, 2 * m.q);
        v = mul_const_lazy(difference, w, m);
    }

    // What forward butterflies left, canonical.
    static __device__ __forceinline__ Word finish(Word x, const Modulus& m) { return once(once(x, 2 * m.q), m.q); }

private:
    // x < 2 limit in, x modulo limit out.
    static __device__ __forceinline__ u64 once(u64 x, u64 limit) { return x >= limit ? x - limit : x; }
};
