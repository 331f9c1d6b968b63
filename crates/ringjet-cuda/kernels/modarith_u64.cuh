// Residues modulo primes from 5 to 2^50 or 2^61 in 64-bit integers, which a GPU computes with
// 32-bit ones. Products with constants use Shoup's method, other products Barrett's.
//
// A prime below 2^50 leaves 14 bits of a word unused: quotients may be estimates, and a transform
// needs no corrections between its butterflies. Words are unsigned.
#pragma once

#include "modarith_word.cuh"

namespace ringjet {

// An estimate of x w / 2^64: too small by less than 2. x, w < 2^63, so that the sum of the middle
// products does not overflow.
static __device__ __forceinline__ u64 high_estimate(u64 x, u64 w) {
    return mad_wide(high(x), high(w), high(mad_wide(low(x), high(w), wide(high(x), low(w)))));
}

// Constants of a prime q of n bits.
struct U64Modulus {
    u64 q;
    u64 minus;           // 2^64 - q
    u64 barrett;         // floor(2^(62 + n) / q)
    u64 power;           // 2^50 mod q for primes below 2^50, 2^64 mod q otherwise
    u64 power_quotient;  // `power` and 1 as Constant.quotient
    u64 unit_quotient;
    u32 bits;       // n
    u32 small;      // floor(2^(31 + n) / q)
    u32 small_in;   // max(n - 25, 0)
    u32 small_out;  // n - 1 - small_in
};

// Primes below 2^50.
struct U64Below50 {
    using Word = u64;
    using Modulus = U64Modulus;

    // w in [0, q).
    struct alignas(16) Constant {
        u64 w;
        u64 quotient;  // floor(w 2^63 / q)
    };

    // A word in two pieces of 25 bits, one in each 32-bit half.
    using Left = u64;
    using Right = u64;

    struct Sum {
        u64 low, middle, high;
    };

    static constexpr int BYTES = 8;
    // Bounds of lazy words in multiples of q: see modarith_word.cuh.
    static constexpr int PACKED = AS_THEY_ARE;
    static constexpr int CANONICAL = 1, SETTLED = 2, PRODUCT = 5, MUL = 25, MUL_IN = 128, MOST = 128, DECODED = 128;
    static constexpr int TERMS = 4096, SMALL_START = 0, REDUCED = CANONICAL;
    static constexpr bool MUL_TAKES_SETTLED = false;
    static constexpr int LEFT_BITS = 50;

    static __device__ __forceinline__ u64 pack(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Word unpack(u64 bits) { return bits; }

    static __device__ __forceinline__ Word encode(u64 x, const Modulus&) { return x; }

    static __device__ __forceinline__ u64 integer(Word x) { return x; }

    // x < 128q.
    static __device__ __forceinline__ u64 decode(Word x, const Modulus& m) { return canonical(x, m); }

    // x < 128q. Result in [0, 2q).
    static __device__ __forceinline__ Word settle(Word x, const Modulus& m) {
        u32 c = __umulhi((u32)(x >> m.small_in), m.small) >> m.small_out;
        u64 r = mad_wide(c, low(m.minus), x);
        return join(mad(c, high(m.minus), high(r)), low(r));
    }

    // x < 128q. Result in [0, q).
    static __device__ __forceinline__ Word canonical(Word x, const Modulus& m) { return correct(settle(x, m), m.q); }

    // a, b and the result in [0, q).
    static __device__ __forceinline__ Word add(Word a, Word b, const Modulus& m) { return correct(a + b, m.q); }

    static __device__ __forceinline__ Word sub(Word a, Word b, const Modulus& m) { return correct(a - b + m.q, m.q); }

    // a < q, b < 128q. Result in [0, 25q).
    static __device__ __forceinline__ Word mul(Word a, Word b, const Modulus& m) {
        u64 z = high_estimate(a << (63 - m.bits), b);
        return mad(high_estimate(z, m.barrett), 8 * m.minus, mad(a, b, 0));
    }

    static __device__ __forceinline__ Word form(Word a, const Modulus&) { return a; }

    // Result in [0, q).
    static __device__ __forceinline__ Word factor(Constant v, Constant w, const Modulus& m) {
        return canonical(mul_const(v.w, w, m), m);
    }

    // x < 2^63. Result in [0, 5q).
    static __device__ __forceinline__ Word mul_const(Word x, Constant w, const Modulus& m) {
        return mad(high_estimate(x, w.quotient), 2 * m.minus, mad(x, w.w, 0));
    }

    // y < 2^63. Both results are below x + 5q.
    static __device__ __forceinline__ void forward(Word& x, Word& y, Constant w, const Modulus& m) {
        Word t = mul_const(y, w, m);
        y = x - t + 5 * m.q;
        x = x + t;
    }

    // y <= 128q. x becomes the sum, at most x + y; y becomes the product, below 5q.
    static __device__ __forceinline__ void inverse(Word& x, Word& y, Constant w, const Modulus& m) {
        Word d = x - y + 128 * m.q;
        x = x + y;
        y = mul_const(d, w, m);
    }

    // y < 2^50.
    static __device__ __forceinline__ Left left(Word y) { return join((u32)(y >> 25), (u32)y & 0x1ffffff); }

    static __device__ __forceinline__ Word centre(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Left number(i64 y) { return left((u64)y); }

    static __device__ __forceinline__ Right right(u64 bits) { return bits; }

    static __device__ __forceinline__ Sum zero() { return Sum{0, 0, 0}; }

    // An arithmetic without room for such a term: y is 0.
    static __device__ __forceinline__ Sum start(Left, Right) { return zero(); }

    // Adds y w. y < 2^50, w < q. At most TERMS calls after zero() or fold().
    static __device__ __forceinline__ void mac(Sum& s, Left y, Right w) {
        s.low = mad_wide(low(y), low(w), s.low);
        s.middle = mad_wide(low(y), high(w), mad_wide(high(y), low(w), s.middle));
        s.high = mad_wide(high(y), high(w), s.high);
    }

    static __device__ __forceinline__ void fold(Sum& s, const Modulus& m) { s = Sum{reduce(s, m), 0, 0}; }

    // Result in [0, q).
    static __device__ __forceinline__ Word reduce(Sum s, const Modulus& m) {
        u64 l = s.low + ((s.middle & 0x1ffffff) << 25);
        u64 h = s.high + (s.middle >> 25) + (l >> 50);
        Word r = mul_const(h, Constant{m.power, m.power_quotient}, m) + (l & 0x3ffffffffffffull);
        return canonical(mul_const(r, Constant{1, m.unit_quotient}, m), m);
    }

    static __device__ __forceinline__ Word reduce_lazy(Sum s, const Modulus& m) { return reduce(s, m); }
};

// U64Below50 for primes below 2^48, with words of 6 bytes in memory.
struct U64Below48 : U64Below50 {
    static constexpr int BYTES = 6, PACKED = CANONICAL;

    // x < 128q. 48 bits.
    static __device__ __forceinline__ u64 pack(Word x, const Modulus& m) { return canonical(x, m); }
};

// Primes below 2^61.
struct U64Below61 {
    using Word = u64;
    using Modulus = U64Modulus;

    // w in [0, q).
    struct alignas(16) Constant {
        u64 w;
        u64 quotient;  // floor(w 2^64 / q)
    };

    using Left = u64;
    using Right = u64;

    struct Sum {
        u64 low, high;
    };

    static constexpr int BYTES = 8, PACKED = AS_THEY_ARE;
    // MUL and MUL_IN make the kernels settle products, and words before products. A product (up to
    // 3q) is wider than the inverse butterfly's words (2q); a forward butterfly's word (up to 4q)
    // is wider than a factor of a product may be (2q).
    static constexpr int CANONICAL = 0, SETTLED = 0, PRODUCT = 0, MUL = 1, MUL_IN = -1, MOST = 0, DECODED = 0;
    static constexpr int TERMS = 63, SMALL_START = 0, REDUCED = CANONICAL;
    static constexpr bool MUL_TAKES_SETTLED = false;
    static constexpr int LEFT_BITS = 61;

    static __device__ __forceinline__ u64 pack(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Word unpack(u64 bits) { return bits; }

    static __device__ __forceinline__ Word encode(u64 x, const Modulus&) { return x; }

    static __device__ __forceinline__ u64 integer(Word x) { return x; }

    // x < 4q.
    static __device__ __forceinline__ u64 decode(Word x, const Modulus& m) { return canonical(x, m); }

    // x < 4q. Result in [0, 2q).
    static __device__ __forceinline__ Word settle(Word x, const Modulus& m) { return correct(x, 2 * m.q); }

    // x < 4q. Result in [0, q).
    static __device__ __forceinline__ Word canonical(Word x, const Modulus& m) {
        return correct(correct(x, 2 * m.q), m.q);
    }

    // a, b and the result in [0, q).
    static __device__ __forceinline__ Word add(Word a, Word b, const Modulus& m) { return correct(a + b, m.q); }

    static __device__ __forceinline__ Word sub(Word a, Word b, const Modulus& m) { return correct(a - b + m.q, m.q); }

    // Needs a b < 2^(62 + n) for q of n bits, which holds up to 2 q^2. Result in [0, 3q).
    static __device__ __forceinline__ Word mul(Word a, Word b, const Modulus& m) {
        u64 l = a * b;
        u64 z = __umul64hi(a, b) << (66 - m.bits) | l >> (m.bits - 2);
        return mad(__umul64hi(z, m.barrett), m.minus, l);
    }

    static __device__ __forceinline__ Word form(Word a, const Modulus&) { return a; }

    // Result in [0, q).
    static __device__ __forceinline__ Word factor(Constant v, Constant w, const Modulus& m) {
        return canonical(mul_const(v.w, w, m), m);
    }

    // x may be any word. Result in [0, 2q).
    static __device__ __forceinline__ Word mul_const(Word x, Constant w, const Modulus& m) {
        return mad(__umul64hi(x, w.quotient), m.minus, mad(x, w.w, 0));
    }

    // x, y and the results in [0, 4q) (Harvey, "Faster arithmetic for number-theoretic
    // transforms").
    static __device__ __forceinline__ void forward(Word& x, Word& y, Constant w, const Modulus& m) {
        Word t = mul_const(y, w, m);
        Word u = correct(x, 2 * m.q);
        x = u + t;
        y = u - t + 2 * m.q;
    }

    // x, y and the results in [0, 2q).
    static __device__ __forceinline__ void inverse(Word& x, Word& y, Constant w, const Modulus& m) {
        Word d = x - y + 2 * m.q;
        x = correct(x + y, 2 * m.q);
        y = mul_const(d, w, m);
    }

    static __device__ __forceinline__ Word centre(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Left left(Word y) { return y; }

    static __device__ __forceinline__ Left number(i64 y) { return (u64)y; }

    static __device__ __forceinline__ Right right(u64 bits) { return bits; }

    static __device__ __forceinline__ Sum zero() { return Sum{0, 0}; }

    // An arithmetic without room for such a term: y is 0.
    static __device__ __forceinline__ Sum start(Left, Right) { return zero(); }

    // Adds y w. y < 2^61, w < q. At most TERMS calls after zero() or fold().
    static __device__ __forceinline__ void mac(Sum& s, Left y, Right w) {
        u64 l = y * w;
        s.low += l;
        s.high += __umul64hi(y, w) + (s.low < l);
    }

    static __device__ __forceinline__ void fold(Sum& s, const Modulus& m) { s = Sum{reduce(s, m), 0}; }

    // Result in [0, q).
    static __device__ __forceinline__ Word reduce(Sum s, const Modulus& m) {
        return canonical(mul_const(s.high, Constant{m.power, m.power_quotient}, m) +
                             mul_const(s.low, Constant{1, m.unit_quotient}, m),
                         m);
    }

    static __device__ __forceinline__ Word reduce_lazy(Sum s, const Modulus& m) { return reduce(s, m); }
};

}  // namespace ringjet
