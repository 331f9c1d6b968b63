// Big coefficients (HEAAN): integers modulo 2^bits in words of 52 bits, one limb for each word
// (ringjet_math::big), so that limbs have words of 8 bytes. Where carries go up through all words, a
// thread handles one coefficient; others handle one word.
#pragma once

#include "automorphism.cuh"
#include "convert.cuh"

namespace ringjet {

// An unsigned integer of 128 bits.
struct Wide {
    u64 hi, lo;
};

// acc + a b, modulo 2^128.
static __device__ __forceinline__ void add_product(Wide& acc, u64 a, u64 b)
{
    const u64 lo = a * b;
    acc.lo += lo;
    acc.hi += __umul64hi(a, b) + (acc.lo < lo);
}

constexpr u32 WORD_BITS = 52;
constexpr u64 LOW_WORD = (u64(1) << WORD_BITS) - 1;

static __device__ __forceinline__ u32 words_of(u32 bits) { return (bits + WORD_BITS - 1) / WORD_BITS; }

// The bits that the highest word of an integer modulo 2^bits can have.
static __device__ __forceinline__ u64 top_mask(u32 bits) { return LOW_WORD >> (words_of(bits) * WORD_BITS - bits); }

// Removes the lowest word (52 bits) from acc and returns it.
static __device__ __forceinline__ u64 take_word(Wide& acc)
{
    const u64 word = acc.lo & LOW_WORD;
    acc = {acc.hi >> WORD_BITS, acc.lo >> WORD_BITS | acc.hi << (64 - WORD_BITS)};
    return word;
}

// take_word for a signed integer of 128 bits.
static __device__ __forceinline__ u64 take_signed_word(Wide& acc)
{
    const u64 word = acc.lo & LOW_WORD;
    acc = {u64(i64(acc.hi) >> WORD_BITS), acc.lo >> WORD_BITS | acc.hi << (64 - WORD_BITS)};
    return word;
}

// Residues of centred integers modulo 2^bits. Flipping the highest bit turns a centred integer x
// into the unsigned integer x + 2^(bits-1); the constants subtract 2^(bits-1) again. blockIdx.y is
// the prime. Constants of each prime: its modulus; then factors of sums (A::Right): -2^(bits-1)
// modulo the prime, and 2^(52 k) modulo the prime for each word k. Where a word of 52 bits is too
// long for a factor of a sum, it is cut into two pieces, and each word k has two factors: 2^(52 k)
// and 2^(52 k + 26).
template <class A> __device__ __forceinline__ void crt_split(Limbs dst, Limbs src, Words constants, u32 bits)
{
    constexpr u32 PIECES = A::LEFT_BITS < WORD_BITS ? 2 : 1, PIECE = WORD_BITS / PIECES;
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const u32 words = words_of(bits), own = sizeof(typename A::Modulus) / sizeof(u64);
    const Words at = constants + i * (own + 1 + PIECES * words), factors = at + own;
    const typename A::Modulus m = as<typename A::Modulus>(at)[0];
    typename A::Sum acc = A::zero();
    A::mac(acc, A::number(1), A::right(factors[0]));
    for (u32 k = 0; k < words; k++) {
        u64 x = src.limb<8>(p, k).load(c);
        if (k == words - 1) {
            x ^= u64(1) << ((bits - 1) % WORD_BITS);
        }
#pragma unroll
        for (u32 piece = 0; piece < PIECES; piece++) {
            const u32 term = 1 + PIECES * k + piece;
            if (term % A::TERMS == 0) {
                A::fold(acc, m);
            }
            A::mac(acc, A::number(i64(x >> (piece * PIECE) & ((u64(1) << PIECE) - 1))), A::right(factors[term]));
        }
    }
    dst.limb<8>(p, i).store(c, A::integer(A::reduce(acc, m)));
}

// The integers modulo 2^bits with the given residues (ringjet_math::big::CrtJoin). Constants: for
// each prime an `Input`, as in base_convert; then the words of -P; then the words of P/p_i for each
// prime. The sum of one word has `primes` products below 2^(61+52), one product with v <= primes,
// and a carry: below 2^128 up to 2^14 primes. Shared memory: `primes` words for each thread.
template <class A> __device__ __forceinline__ void crt_join(Limbs dst, Limbs src, Words constants, u32 primes, u32 bits)
{
    DYNAMIC_SHARED(u64, y);
    const u32 width = blockDim.x, t = threadIdx.x, c = coefficient(), p = blockIdx.z, words = words_of(bits);
    u64 sum = 0;
    for (u32 i = 0; i < primes; i++) {
        u64 part;
        y[i * width + t] = A::integer(scaled<A>(as<Input<A>>(constants)[i], src.limb<8>(p, i).load(c), part));
        sum += part;
    }
    const u64 v = u64(nearest(sum));
    const Words minus_product = constants + u32(sizeof(Input<A>) / sizeof(u64)) * primes;
    Wide acc = {0, 0};
    for (u32 k = 0; k < words; k++) {
        add_product(acc, v, minus_product[k]);
        for (u32 i = 0; i < primes; i++) {
            add_product(acc, y[i * width + t], minus_product[(i + 1) * words + k]);
        }
        const u64 word = take_word(acc);
        dst.limb<8>(p, k).store(c, k == words - 1 ? word & top_mask(bits) : word);
    }
}

// dst = floor((src + 2^(shift-1)) / 2^shift) modulo 2^(bits-shift): adds 2^(shift-1) modulo 2^bits,
// then shifts the words. blockIdx.y is the word. A carry comes from the word below unless that is all
// ones, which is rare; then the thread looks further down. A carry out of the highest bit is dropped,
// as it is a multiple of 2^(bits-shift) after the shift.
static __device__ __forceinline__ void shift_round(Limbs dst, Limbs src, u32 bits, u32 shift)
{
    const u32 c = coefficient(), j = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const u32 words = words_of(bits), left = words_of(bits - shift), k = j + shift / WORD_BITS, by = shift % WORD_BITS;
    const u32 half = shift == 0 ? words : (shift - 1) / WORD_BITS; // the word that holds the rounding bit
    const u64 bit = u64(1) << ((shift - 1) % WORD_BITS);
    u64 sum = src.limb<8>(p, k).load(c) + (k == half ? bit : 0);
    if (k > half) {
        u32 below = k - 1;
        u64 x = src.limb<8>(p, below).load(c);
        while (below > half && x == LOW_WORD) {
            x = src.limb<8>(p, --below).load(c);
        }
        sum += below == half ? (x + bit) >> WORD_BITS : 0;
    }
    const u64 above = by > 0 && k + 1 < words ? src.limb<8>(p, k + 1).load(c) + (sum >> WORD_BITS) : u64(0);
    sum &= k + 1 == words ? top_mask(bits) : LOW_WORD;
    const u64 word = (sum >> by | (above & (k + 2 == words ? top_mask(bits) : LOW_WORD)) << (WORD_BITS - by)) & LOW_WORD;
    dst.limb<8>(p, j).store(c, j + 1 == left ? word & top_mask(bits - shift) : word);
}

// Words of a term of `big_lincomb`: a view; the factor; bits of the source.
constexpr u32 BIG_TERM_WORDS = VIEW_WORDS + 2;

// dst = sum of factor * source modulo 2^bits, plus the old dst where `accumulate`. Each source
// holds centred integers modulo 2 to the power of its own number of bits. Factors are below 2^51 in
// size and words below 2^52: signed sums of fewer than 2^23 terms stay within 127 bits.
static __device__ __forceinline__ void big_lincomb(Limbs dst, const List& terms, u32 count, u32 bits, u32 accumulate)
{
    const u32 c = coefficient(), p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const u32 words = words_of(bits);
    Wide acc = {0, 0};
    for (u32 k = 0; k < words; k++) {
        const Limb<8> out = dst.limb<8>(p, k).from(c);
        if (accumulate) {
            add_product(acc, out.load(0), 1);
        }
        for (u32 t = 0; t < count; t++) {
            const u32 at = t * BIG_TERM_WORDS;
            const Limbs src = terms.view(at, dst.n);
            const u32 from = u32(terms[at + VIEW_WORDS + 1]), top = words_of(from) - 1;
            u64 x = src.limb<8>(p, k < top ? k : top).load(c);
            if (k >= top) { // fills the bits above the highest one with the sign
                const bool negative = x >> ((from - 1) % WORD_BITS) & 1;
                x = k > top ? 0 : x;
                x |= negative ? LOW_WORD & ~(k > top ? 0 : top_mask(from)) : 0;
            }
            const u64 factor = terms[at + VIEW_WORDS];
            add_product(acc, x, factor);
            acc.hi -= i64(factor) < 0 ? x : 0; // a negative factor's word is 2^64 too large
        }
        const u64 word = take_signed_word(acc);
        out.store(0, k == words - 1 ? word & top_mask(bits) : word);
    }
}

// dst = src(X^g) modulo 2^bits; `inverse` is g^-1 modulo 2N. blockIdx.y is the word. In -x = not x +
// 1 the one is carried as far as words are 0, which is rare beyond the first.
static __device__ __forceinline__ void big_automorphism(Limbs dst, Limbs src, u32 inverse, u32 bits)
{
    const u32 c = coefficient(), k = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const u32 from = moved(c, inverse, dst.n), at = from & (dst.n - 1);
    u64 x = src.limb<8>(p, k).load(at);
    if (from >= dst.n) {
        u32 below = k;
        while (below > 0 && src.limb<8>(p, below - 1).load(at) == 0) {
            below--;
        }
        x = ((x ^ LOW_WORD) + (below == 0)) & LOW_WORD;
    }
    dst.limb<8>(p, k).store(c, k + 1 == words_of(bits) ? x & top_mask(bits) : x);
}

} // namespace ringjet
