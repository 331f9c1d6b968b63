// Residues modulo primes below 2^31 in 32-bit integers: Montgomery's method with R = 2^32 and
// signed remainders.
//
// mul divides each product by R, so one factor has to be a residue times R (its "Montgomery form").
// Constants are in this form; `form` and `factor` produce it. Lazy words are in [-q, q), which fits
// 32 bits because q < 2^31.
#pragma once

#include "modarith_word.cuh"

namespace ringjet {

struct U32 {
    using Word = i32;

    struct Modulus {
        u32 q;
        u32 inverse;  // q^-1 mod 2^32
        u32 square;   // 2^64 mod q: mul by it gives the Montgomery form
        u32 pad;
    };

    // w in [0, q), in Montgomery form.
    struct alignas(8) Constant {
        i32 w;
        u32 quotient;  // w q^-1 mod 2^32
    };

    using Left = u32;
    using Right = u32;

    struct Sum {
        u64 v;
    };

    static constexpr int BYTES = 4, PACKED = AS_THEY_ARE;
    static constexpr int CANONICAL = 0, SETTLED = 0, PRODUCT = 0, MUL = 0, MUL_IN = 0, MOST = 0, DECODED = 0;
    static constexpr int TERMS = 2, SMALL_START = 0, REDUCED = CANONICAL;
    static constexpr bool MUL_TAKES_SETTLED = false;
    static constexpr int LEFT_BITS = 31;

    static __device__ __forceinline__ u64 pack(Word x, const Modulus&) { return bits_of(x); }

    static __device__ __forceinline__ Word unpack(u64 bits) { return word_of<Word>(bits); }

    static __device__ __forceinline__ Word encode(u64 x, const Modulus&) { return (i32)x; }

    static __device__ __forceinline__ u64 integer(Word x) { return (u32)x; }

    // x in [-q, q).
    static __device__ __forceinline__ u64 decode(Word x, const Modulus& m) { return integer(canonical(x, m)); }

    // Maps [-q, q) to [0, q).
    static __device__ __forceinline__ Word canonical(Word x, const Modulus& m) { return (i32)least((u32)x, (u32)x + m.q); }

    static __device__ __forceinline__ Word settle(Word x, const Modulus&) { return x; }

    // a, b in [0, q). Result in [-q, q - 1).
    static __device__ __forceinline__ Word add_lazy(Word a, Word b, const Modulus& m) {
        return (i32)((u32)a + (u32)b - m.q);
    }

    // a, b in [0, q). Result in (-q, q).
    static __device__ __forceinline__ Word sub_lazy(Word a, Word b, const Modulus&) { return a - b; }

    static __device__ __forceinline__ Word add(Word a, Word b, const Modulus& m) { return canonical(add_lazy(a, b, m), m); }

    static __device__ __forceinline__ Word sub(Word a, Word b, const Modulus& m) { return canonical(sub_lazy(a, b, m), m); }

    // Returns a b / R modulo q in (-q, q). Needs |a b| < 2^31 q, which holds for a, b in [-q, q).
    static __device__ __forceinline__ Word mul(Word a, Word b, const Modulus& m) {
        i64 p = wide(a, b);
        return divide(p, (u32)p * m.inverse, m);
    }

    // a in [0, q). Result in (-q, q).
    static __device__ __forceinline__ Word form(Word a, const Modulus& m) { return mul(a, (i32)m.square, m); }

    // Result in (-q, q).
    static __device__ __forceinline__ Word factor(Constant v, Constant w, const Modulus& m) { return mul_const(v.w, w, m); }

    // Returns x w / R modulo q in (-q, q), for any x.
    static __device__ __forceinline__ Word mul_const(Word x, Constant w, const Modulus& m) {
        return divide(wide(x, w.w), (u32)x * w.quotient, m);
    }

    // x, y and the results in [-q, q).
    static __device__ __forceinline__ void forward(Word& x, Word& y, Constant w, const Modulus& m) {
        Word t = canonical(mul_const(y, w, m), m);
        Word u = canonical(x, m);
        x = add_lazy(u, t, m);
        y = sub_lazy(u, t, m);
    }

    // x, y and the results in [-q, q).
    static __device__ __forceinline__ void inverse(Word& x, Word& y, Constant w, const Modulus& m) {
        Word u = canonical(x, m);
        Word v = canonical(y, m);
        x = add_lazy(u, v, m);
        y = mul_const(sub_lazy(u, v, m), w, m);
    }

    static __device__ __forceinline__ Word centre(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Left left(Word y) { return (u32)y; }

    static __device__ __forceinline__ Left number(i64 y) { return (u32)y; }

    static __device__ __forceinline__ Right right(u64 bits) { return (u32)bits; }

    static __device__ __forceinline__ Sum zero() { return Sum{0}; }

    // An arithmetic without room for such a term: y is 0.
    static __device__ __forceinline__ Sum start(Left, Right) { return zero(); }

    // Adds y w. y < 2^31, w < q. At most TERMS calls after zero() or fold().
    static __device__ __forceinline__ void mac(Sum& s, Left y, Right w) { s.v = mad_wide(y, w, s.v); }

    // Maps a sum below 2^33 q to one below 2^32 q.
    static __device__ __forceinline__ void fold(Sum& s, const Modulus& m) {
        s.v = (u64)correct(high(s.v), m.q) << 32 | low(s.v);
    }

    // Returns s / R modulo q in [0, q), for a sum s below 2^33 q.
    static __device__ __forceinline__ Word reduce(Sum s, const Modulus& m) {
        fold(s, m);
        return canonical((i32)(high(s.v) - __umulhi(low(s.v) * m.inverse, m.q)), m);
    }

    static __device__ __forceinline__ Word reduce_lazy(Sum s, const Modulus& m) { return reduce(s, m); }

  private:
    // (p - k q) / 2^32, with k read as a signed number. Exact where p = k q modulo 2^32.
    static __device__ __forceinline__ Word divide(i64 p, u32 k, const Modulus& m) {
        return (i32)((p + wide((i32)k, -(i32)m.q)) >> 32);
    }
};

// Residues modulo primes below 2^31 in unsigned 32-bit integers. Lazy words are in [0, 2q).
// Constants use Shoup's method; other products use Montgomery's, as in U32.
struct U32Unsigned {
    using Word = u32;
    using Modulus = U32::Modulus;

    // w in [0, q), not in Montgomery form.
    struct alignas(8) Constant {
        u32 w;
        u32 quotient;  // floor(w 2^32 / q)
    };

    using Left = u32;
    using Right = u32;
    using Sum = U32::Sum;

    static constexpr int BYTES = 4, PACKED = AS_THEY_ARE;
    static constexpr int CANONICAL = 0, SETTLED = 0, PRODUCT = 0, MUL = 0, MUL_IN = 0, MOST = 0, DECODED = 0;
    static constexpr int TERMS = U32::TERMS, SMALL_START = 0, REDUCED = CANONICAL;
    static constexpr bool MUL_TAKES_SETTLED = false;
    static constexpr int LEFT_BITS = U32::LEFT_BITS;

    static __device__ __forceinline__ u64 pack(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Word unpack(u64 bits) { return word_of<Word>(bits); }

    static __device__ __forceinline__ Word encode(u64 x, const Modulus&) { return (u32)x; }

    static __device__ __forceinline__ u64 integer(Word x) { return x; }

    // x in [0, 2q).
    static __device__ __forceinline__ u64 decode(Word x, const Modulus& m) { return integer(canonical(x, m)); }

    // Maps [0, 2q) to [0, q).
    static __device__ __forceinline__ Word canonical(Word x, const Modulus& m) { return correct(x, m.q); }

    static __device__ __forceinline__ Word settle(Word x, const Modulus&) { return x; }

    // a, b in [0, q). Result in [0, 2q).
    static __device__ __forceinline__ Word add_lazy(Word a, Word b, const Modulus&) { return a + b; }

    // a, b in [0, q). Result in (0, 2q).
    static __device__ __forceinline__ Word sub_lazy(Word a, Word b, const Modulus& m) { return a - b + m.q; }

    static __device__ __forceinline__ Word add(Word a, Word b, const Modulus& m) { return canonical(add_lazy(a, b, m), m); }

    static __device__ __forceinline__ Word sub(Word a, Word b, const Modulus& m) { return canonical(sub_lazy(a, b, m), m); }

    // Returns a b / R modulo q in (0, 2q). Needs a b < 2^32 q, which holds for a < 2q and b < q.
    static __device__ __forceinline__ Word mul(Word a, Word b, const Modulus& m) {
        u64 p = wide(a, b);
        return high(p) - __umulhi(low(p) * m.inverse, m.q) + m.q;
    }

    // a and the result in [0, 2q).
    static __device__ __forceinline__ Word form(Word a, const Modulus& m) { return mul(a, m.square, m); }

    // Result in [0, q).
    static __device__ __forceinline__ Word factor(Constant v, Constant w, const Modulus& m) {
        return canonical(form(mul_const(v.w, w, m), m), m);
    }

    // Returns x w modulo q in [0, 2q), for any x.
    static __device__ __forceinline__ Word mul_const(Word x, Constant w, const Modulus& m) {
        return x * w.w - __umulhi(x, w.quotient) * m.q;
    }

    // x, y and the results in [0, 2q).
    static __device__ __forceinline__ void forward(Word& x, Word& y, Constant w, const Modulus& m) {
        Word t = canonical(mul_const(y, w, m), m);
        Word u = canonical(x, m);
        x = add_lazy(u, t, m);
        y = sub_lazy(u, t, m);
    }

    // x, y and the results in [0, 2q).
    static __device__ __forceinline__ void inverse(Word& x, Word& y, Constant w, const Modulus& m) {
        Word u = canonical(x, m);
        Word v = canonical(y, m);
        x = add_lazy(u, v, m);
        y = mul_const(sub_lazy(u, v, m), w, m);
    }

    static __device__ __forceinline__ Word centre(Word x, const Modulus&) { return x; }

    static __device__ __forceinline__ Left left(Word y) { return y; }

    static __device__ __forceinline__ Left number(i64 y) { return U32::number(y); }

    static __device__ __forceinline__ Right right(u64 bits) { return U32::right(bits); }

    static __device__ __forceinline__ Sum zero() { return U32::zero(); }

    // An arithmetic without room for such a term: y is 0.
    static __device__ __forceinline__ Sum start(Left, Right) { return zero(); }

    static __device__ __forceinline__ void mac(Sum& s, Left y, Right w) { U32::mac(s, y, w); }

    static __device__ __forceinline__ void fold(Sum& s, const Modulus& m) { U32::fold(s, m); }

    static __device__ __forceinline__ Word reduce(Sum s, const Modulus& m) { return (Word)U32::reduce(s, m); }

    static __device__ __forceinline__ Word reduce_lazy(Sum s, const Modulus& m) { return reduce(s, m); }
};

}  // namespace ringjet
