// Residues modulo primes from 5 to 2^50 in double precision. Two fused multiply-adds give a product
// and its rounding error; a product with 1/q or w/q gives the quotient.
//
// Words are integers; lazy words may be negative. Integers below 2^53 in size are exact. Rounding
// is to nearest, the only mode of the device functions used here.
#pragma once

#include "modarith_word.cuh"

namespace ringjet {

struct F64 {
    using Word = double;

    struct Modulus {
        double q;
        double inverse;  // 1/q, rounded
    };

    // w in [-q/2, q/2].
    struct alignas(16) Constant {
        double w;
        double ratio;  // w/q, rounded
    };

    using Left = double;
    using Right = double;

    struct Sum {
        double high;  // SUM plus a multiple of 2^50
        double low;
    };

    static constexpr int BYTES = 8;
    // Bounds of lazy words in eighths of q: see modarith_word.cuh.
    static constexpr int PACKED = AS_THEY_ARE;
    static constexpr int CANONICAL = 8, SETTLED = 5, PRODUCT = 5, MUL = 7, MUL_IN = 8, MOST = 32, DECODED = 64;
    static constexpr int REDUCED = 19;
    static constexpr int TERMS = 8, SMALL_START = 5;
    static constexpr bool MUL_TAKES_SETTLED = true;
    static constexpr int LEFT_BITS = 49;

    static constexpr double TWO52 = 4503599627370496.0;
    // Adding and then subtracting one of these constants rounds.
    static constexpr double ROUND = 1.5 * TWO52;              // numbers up to 2^51 in size to integers
    static constexpr double ROUND2 = 2 * ROUND;               // numbers up to 2^52 in size to even integers
    static constexpr double SUM = 1.5 * TWO52 * (TWO52 / 4);  // 3 2^101: to multiples of 2^50

    static __device__ __forceinline__ u64 pack(Word x, const Modulus&) { return bits_of(x); }

    static __device__ __forceinline__ Word unpack(u64 bits) { return word_of<Word>(bits); }

    // x < 2^52.
    static __device__ __forceinline__ Word encode(u64 x, const Modulus&) {
        return __dadd_rn(__longlong_as_double((i64)(x | 0x4330000000000000ull)), -TWO52);
    }

    // x in [0, q).
    static __device__ __forceinline__ u64 integer(Word x) {
        return (u64)__double_as_longlong(__dadd_rn(x, TWO52)) & 0xfffffffffffffull;
    }

    // |x| <= 2^53.
    static __device__ __forceinline__ u64 decode(Word x, const Modulus& m) { return integer(canonical(x, m)); }

    // |x| <= 2^53. Result at most q/2 + 1 in size.
    static __device__ __forceinline__ Word settle(Word x, const Modulus& m) {
        double c = __dadd_rn(__fma_rn(x, m.inverse, ROUND), -ROUND);
        return __fma_rn(-c, m.q, x);
    }

    // Maps (-q, q) to [0, q).
    static __device__ __forceinline__ Word unsign(Word x, const Modulus& m) { return x < 0 ? __dadd_rn(x, m.q) : x; }

    // |x| <= 2^53. Result in [0, q).
    static __device__ __forceinline__ Word canonical(Word x, const Modulus& m) { return unsign(settle(x, m), m); }

    // a, b and the result in [0, q).
    static __device__ __forceinline__ Word add(Word a, Word b, const Modulus& m) {
        return unsign(__dadd_rn(__dadd_rn(a, -m.q), b), m);
    }

    static __device__ __forceinline__ Word sub(Word a, Word b, const Modulus& m) { return unsign(__dadd_rn(a, -b), m); }

    // |a|, |b| <= q. Result at most 25/32 q in size.
    static __device__ __forceinline__ Word mul(Word a, Word b, const Modulus& m) {
        double h = __dmul_rn(a, b);
        double l = __fma_rn(a, b, -h);
        double c = __dadd_rn(__fma_rn(h, m.inverse, ROUND), -ROUND);
        return __dadd_rn(__fma_rn(-c, m.q, h), l);
    }

    static __device__ __forceinline__ Word form(Word a, const Modulus&) { return a; }

    // Result at most 5/8 q in size.
    static __device__ __forceinline__ Word factor(Constant v, Constant w, const Modulus& m) { return mul_const(v.w, w, m); }

    // |x| < 2^52. Result at most 5/8 q in size.
    static __device__ __forceinline__ Word mul_const(Word x, Constant w, const Modulus& m) {
        double c = __dadd_rn(__fma_rn(x, w.ratio, ROUND), -ROUND);
        double h = __dmul_rn(x, w.w);
        double l = __fma_rn(x, w.w, -h);
        return __dadd_rn(__fma_rn(-c, m.q, h), l);
    }

    // |y| < 2^52. Both grow to |x| + 5/8 q.
    static __device__ __forceinline__ void forward(Word& x, Word& y, Constant w, const Modulus& m) {
        Word t = mul_const(y, w, m);
        y = __dadd_rn(x, -t);
        x = __dadd_rn(x, t);
    }

    // |x| + |y| < 2^52. x grows to |x| + |y|, y is at most 5/8 q in size.
    static __device__ __forceinline__ void inverse(Word& x, Word& y, Constant w, const Modulus& m) {
        Word d = __dadd_rn(x, -y);
        x = __dadd_rn(x, y);
        y = mul_const(d, w, m);
    }

    // Maps [0, q) to [-q/2, q/2].
    static __device__ __forceinline__ Word centre(Word x, const Modulus& m) {
        return __dadd_rn(x, x) > m.q ? __dadd_rn(x, -m.q) : x;
    }

    // y: a residue of the source prime, as `centre` returns it.
    static __device__ __forceinline__ Left left(Word y) { return y; }

    // |y| <= 2^49. Converts the integer to a double; exact as long as |y| < 2^51.
    static __device__ __forceinline__ Left number(i64 y) {
        return __dadd_rn(__longlong_as_double(0x4338000000000000ll + y), -ROUND);
    }

    static __device__ __forceinline__ Right right(u64 bits) { return word_of<double>(bits); }

    static __device__ __forceinline__ Sum zero() { return Sum{SUM, 0}; }

    // The sum y w, for an integer y of at most SMALL_START in size and w in [-q/2, q/2]. Fewer than TERMS
    // calls of mac may follow before fold().
    static __device__ __forceinline__ Sum start(Left y, Right w) { return Sum{SUM, __dmul_rn(y, w)}; }

    // Adds y w. |y| <= 2^49, w in [-q/2, q/2]. At most TERMS calls after zero() or fold().
    static __device__ __forceinline__ void mac(Sum& s, Left y, Right w) {
        double h = __fma_rn(y, w, s.high);
        s.low = __dadd_rn(s.low, __fma_rn(y, w, __dadd_rn(s.high, -h)));
        s.high = h;
    }

    static __device__ __forceinline__ void fold(Sum& s, const Modulus& m) { s = Sum{SUM, settle_sum(s, SUM, m)}; }

    // Result in [0, q).
    static __device__ __forceinline__ Word reduce(Sum s, const Modulus& m) { return unsign(settle_sum(s, SUM, m), m); }

    // Result at most 19/8 q in size.
    static __device__ __forceinline__ Word reduce_lazy(Sum s, const Modulus& m) { return lazy_sum(s, SUM, m); }

  protected:
    // Here and below `zero` is the high part of an empty sum. Result at most q/2 + 1 in size.
    static __device__ __forceinline__ Word settle_sum(Sum s, double zero, const Modulus& m) {
        double h = __dadd_rn(s.high, -zero);
        double c = __dadd_rn(__fma_rn(h, m.inverse, ROUND2), -ROUND2);
        return settle(__dadd_rn(__fma_rn(-c, m.q, h), s.low), m);
    }

    // Result at most 19/8 q in size.
    static __device__ __forceinline__ Word lazy_sum(Sum s, double zero, const Modulus& m) {
        double h = __dadd_rn(s.high, -zero);
        double c = __dadd_rn(__fma_rn(h, m.inverse, __fma_rn(s.low, m.inverse, ROUND2)), -ROUND2);
        return __dadd_rn(__fma_rn(-c, m.q, h), s.low);
    }
};

// F64 for primes below 2^48, with words of 6 bytes in memory. A word can be wider than with primes
// of 50 bits before it has to be settled.
struct F64Below48 : F64 {
    static constexpr int BYTES = 6, PACKED = SETTLED, MUL_IN = 32, MOST = 128, DECODED = 256;
    static constexpr int TERMS = 32, SMALL_START = 16, LEFT_BITS = 47;
    static constexpr double SUM = 1.5 * TWO52 * (TWO52 / 16);  // 3 2^99: to multiples of 2^48

    // Adding it to an integer of size up to 2^47 puts the integer, plus 2^47, into the lowest 48
    // bits of the double.
    static constexpr double PACK = TWO52 + TWO52 / 32;

    // The functions of F64 for sums of more terms: products are 16 times as small. |y| <= 2^47.
    static __device__ __forceinline__ Sum zero() { return Sum{SUM, 0}; }

    static __device__ __forceinline__ Sum start(Left y, Right w) { return Sum{SUM, __dmul_rn(y, w)}; }

    static __device__ __forceinline__ void fold(Sum& s, const Modulus& m) { s = Sum{SUM, settle_sum(s, SUM, m)}; }

    static __device__ __forceinline__ Word reduce(Sum s, const Modulus& m) { return unsign(settle_sum(s, SUM, m), m); }

    static __device__ __forceinline__ Word reduce_lazy(Sum s, const Modulus& m) { return lazy_sum(s, SUM, m); }

    // |x| <= 2^53. 48 bits.
    static __device__ __forceinline__ u64 pack(Word x, const Modulus& m) {
        return bits_of(__dadd_rn(settle(x, m), PACK)) & 0xffffffffffffull;
    }

    // Result at most q/2 + 1 in size, if `pack` made the bits.
    static __device__ __forceinline__ Word unpack(u64 bits) {
        return __dadd_rn(word_of<double>(bits | 0x4330000000000000ull), -PACK);
    }
};

}  // namespace ringjet
