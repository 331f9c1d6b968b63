// Key switching: one launch over all limbs and polynomials for each step. A block is a
// run of neighbouring coefficients of limb blockIdx.y. Words are canonical.
#pragma once

#include "automorphism.cuh"
#include "device.cuh"
#include "modarith_word.cuh"
#include "ntt.cuh"
#include "products.cuh"

namespace ringjet {

constexpr u32 NO_LIMB = 0xffffffff;

// What all polynomials of key_product have in common: bits of its argument `shared`.
constexpr u32 KEYS_SHARED = 1, DIGITS_SHARED = 2, ADDENDS_SHARED = 4;

// A limb of key_product. factor: by which `add` is multiplied. owner: the digit that this limb
// belongs to, or NO_LIMB.
template <class A> struct ProductLimb {
    typename A::Modulus m;
    typename A::Constant factor;
    u64 owner, unused;
};

// For polynomial p: dst_(2p) = the sum of d_i b_i over its digits d_i and its key's first polynomials
// b_i, dst_(2p+1) with the second polynomials. `digits` has `beta` polynomials for each p, or only
// for all together. `keys` has a view for each p, or one for all. A digit's own limbs come from
// polynomial p of `own`, whose limbs are those of dst after the `special` first ones; the others come
// from `digits`. Polynomials of `add`, `adds` for each p, are multiplied by factors and added in the
// limbs from `add_from` on. Word c of the result is the word of the sum from which the automorphism
// of `galois` takes it; 1 stands for none. The old dst is added where `accumulate`.
template <class A>
__device__ __forceinline__ void key_product(
    Limbs dst, Limbs digits, Limbs own, const List& keys, Limbs add, Words limbs, u32 beta, u32 special, u32 count,
    u32 shared, u32 adds, u32 add_from, u32 galois, u32 accumulate)
{
    const u32 c = coefficient(), i = blockIdx.y, n = dst.n;
    if (c >= n) {
        return;
    }
    const u32 from = galois == 1 ? c : turned(c, galois, log2_of(n));
    const ProductLimb<A> limb = as<ProductLimb<A>>(limbs)[i];
    const typename A::Modulus m = limb.m;
    for (u32 p = 0; p < count; p++) {
        const Limbs key = keys.view(shared & KEYS_SHARED ? 0 : VIEW_WORDS * p, n);
        typename A::Word sum[2] = {A::encode(0, m), A::encode(0, m)};
        for (u32 d = 0; d < beta; d++) {
            const u32 at = shared & DIGITS_SHARED ? d : p * beta + d;
            const bool owned = d == u32(limb.owner);
            const Limb<A::BYTES> words = owned ? own.limb<A::BYTES>(p, i - special) : digits.limb<A::BYTES>(at, i);
            const typename A::Word digit = A::form(A::encode(words.load(from), m), m);
#pragma unroll
            for (u32 q = 0; q < 2; q++) {
                const typename A::Word b = A::encode(key.limb<A::BYTES>(2 * d + q, i).load(from), m);
                sum[q] = add_lazy<A>(sum[q], A::mul(digit, b, m), m);
                sum[q] = is_full<A>(d + 1) ? make_room<A>(sum[q], m) : sum[q];
            }
        }
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
            if (q < adds && i >= add_from) {
                const u32 at = shared & ADDENDS_SHARED ? q : p * adds + q;
                const typename A::Word x = A::encode(add.limb<A::BYTES>(at, i - add_from).load(from), m);
                sum[q] = add_lazy<A>(sum[q], A::mul_const(x, limb.factor, m), m);
            }
            const Limb<A::BYTES> out = dst.limb<A::BYTES>(2 * p + q, i).from(c);
            const typename A::Word word = total<A>(sum[q], m);
            out.store(0, A::integer(accumulate ? A::add(word, A::encode(out.load(0), m), m) : word));
        }
    }
}

// Writes the canonical words v of a row, word k of which is at place_in_row() + k STEP, to a limb
// at the places where the automorphism of g^-1 = `inverse` puts them: they are one row again. With
// `accumulate` the old words are added. `tile` is the row's shared memory.
template <class A>
__device__ __forceinline__ void store_turned(
    const typename A::Word (&v)[EIGHT], const Limb<A::BYTES>& limb, const Shared<typename A::Word>& tile, u32 base, u32 row,
    u32 inverse, u32 n, bool accumulate, const typename A::Modulus& m)
{
    const u32 first = (row << LOG_ROW) + place_in_row();
    if (inverse == 1) {
        const Limb<A::BYTES> out = limb.from(first);
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            out.store(k * STEP, A::integer(accumulate ? A::add(v[k], A::encode(out.load(k * STEP), m), m) : v[k]));
        }
        return;
    }
    const u32 log_n = log2_of(n), to = turned(first, inverse, log_n) & ~((1u << LOG_ROW) - 1);
    __syncthreads();
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        tile[base + in_row<A>(turned(first + k * STEP, inverse, log_n) - to)] = v[k];
    }
    __syncthreads();
    const Limb<A::BYTES> out = limb.from(to + threadIdx.x);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        const typename A::Word word = tile[base + in_row<A>(threadIdx.x + 64 * k)];
        out.store(64 * k, A::integer(accumulate ? A::add(word, A::encode(out.load(64 * k), m), m) : word));
    }
}

// key_product of digits that still lack the levels within rows: those are computed here, so that
// transformed digits never go to memory. Polynomial p = blockIdx.z has digits of its own, and there is
// one key. `inverse` is g^-1 of the automorphism. Threads and rows are those of ntt_rows.
template <class A>
__device__ __forceinline__ void rows_product(
    Limbs dst, Limbs digits, Limbs own, Limbs key, Limbs add, Words transforms, Words limbs, u32 beta, u32 special,
    u32 adds, u32 add_from, u32 inverse, u32 accumulate, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 i = limb_from_last(), p = polynomial_from_last(), row = blockIdx.x * blockDim.y + threadIdx.y, first = row << LOG_ROW;
    const u32 base = threadIdx.y * ROW_SHARED, place = first + place_in_row();
    const ProductLimb<A> limb = as<ProductLimb<A>>(limbs)[i];
    const typename A::Modulus m = limb.m;
    const Roots<A> roots = roots_of<A>(transforms, i, false);
    typename A::Word sum[2][EIGHT];
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        sum[0][k] = sum[1][k] = A::encode(0, m);
    }
    for (u32 d = 0; d < beta; d++) {
        typename A::Word v[EIGHT];
        if (d == u32(limb.owner)) {
            const Limb<A::BYTES> words = own.limb<A::BYTES>(p, i - special).from(place);
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                v[k] = A::form(A::encode(words.load(k * STEP), m), m);
            }
        } else {
            load_row<A>(v, digits.limb<A::BYTES>(p * beta + d, i), first, log_rows, m);
            __syncthreads();
            forward_row<A>(v, tile, base, roots, log_rows, row, m);
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                v[k] = lazy_factor<A>(v[k], m);
            }
        }
        const Limb<A::BYTES> key0 = key.limb<A::BYTES>(2 * d, i).from(place), key1 = key.limb<A::BYTES>(2 * d + 1, i).from(place);
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            // no hint for integers, whose kernel has no registers left
            const typename A::Word b0 = A::encode(key0.template load<(A::SMALL_START > 0)>(k * STEP), m);
            const typename A::Word b1 = A::encode(key1.template load<(A::SMALL_START > 0)>(k * STEP), m);
            sum[0][k] = add_lazy<A>(sum[0][k], A::mul(v[k], b0, m), m);
            sum[1][k] = add_lazy<A>(sum[1][k], A::mul(v[k], b1, m), m);
        }
        if (is_full<A>(d + 1)) {
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                sum[0][k] = make_room<A>(sum[0][k], m);
                sum[1][k] = make_room<A>(sum[1][k], m);
            }
        }
    }
#pragma unroll
    for (u32 q = 0; q < 2; q++) {
        if (q < adds && i >= add_from) {
            const Limb<A::BYTES> words = add.limb<A::BYTES>(p * adds + q, i - add_from).from(place);
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                const typename A::Word x = A::encode(words.load(k * STEP), m);
                sum[q][k] = add_lazy<A>(sum[q][k], A::mul_const(x, limb.factor, m), m);
            }
        }
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            sum[q][k] = total<A>(sum[q][k], m);
        }
        store_turned<A>(sum[q], dst.limb<A::BYTES>(2 * p + q, i), tile, base, row, inverse, dst.n, accumulate != 0, m);
    }
}

// A limb of finish_division. inverse: by which `src` is multiplied. keep: the limb of `src` with the
// same prime, or NO_LIMB.
template <class A> struct DivisionLimb {
    typename A::Modulus m;
    typename A::Constant inverse;
    u64 keep, unused;
};

// Words of a target of finish_division: a view, and the Galois element of its automorphism, or that
// element's inverse.
constexpr u32 TARGET_WORDS = VIEW_WORDS + 1;

// dst = remainder + inverse src + add, where the first `adds` polynomials have an `add`. Each target
// takes `group` polynomials: word c of its result is the word of the sum from which its automorphism
// takes it.
template <class A>
__device__ __forceinline__ void finish_division(
    const List& targets, Limbs remainder, Limbs src, Limbs add, Words limbs, u32 adds, u32 group)
{
    const u32 c = coefficient(), j = blockIdx.y, p = blockIdx.z, n = remainder.n;
    if (c >= n) {
        return;
    }
    const u32 target = p / group * TARGET_WORDS, galois = u32(targets[target + VIEW_WORDS]);
    const DivisionLimb<A> limb = as<DivisionLimb<A>>(limbs)[j];
    const typename A::Modulus m = limb.m;
    const u32 from = galois == 1 ? c : turned(c, galois, log2_of(n));
    typename A::Word sum = A::encode(remainder.limb<A::BYTES>(p, j).load(from), m);
    if (u32(limb.keep) != NO_LIMB) {
        const typename A::Word x = A::encode(src.limb<A::BYTES>(p, u32(limb.keep)).load(from), m);
        sum = add_lazy<A>(sum, A::mul_const(x, limb.inverse, m), m);
    }
    if (p < adds) {
        sum = add_canonical<A>(sum, A::encode(add.limb<A::BYTES>(p, j).load(from), m), m);
    }
    targets.view(target, n).limb<A::BYTES>(p % group, j).store(c, A::integer(total<A>(sum, m)));
}

// finish_division of a remainder that still lacks the levels within rows. Here a target has g^-1 of
// its automorphism. Threads and rows are those of ntt_rows.
template <class A>
__device__ __forceinline__ void rows_finish(
    const List& targets, Limbs remainder, Limbs src, Limbs add, Words transforms, Words limbs, u32 adds, u32 group,
    u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 j = limb_from_last(), p = polynomial_from_last(), row = blockIdx.x * blockDim.y + threadIdx.y, first = row << LOG_ROW;
    const u32 base = threadIdx.y * ROW_SHARED, target = p / group * TARGET_WORDS, n = remainder.n;
    const DivisionLimb<A> limb = as<DivisionLimb<A>>(limbs)[j];
    const typename A::Modulus m = limb.m;
    typename A::Word v[EIGHT];
    load_row<A>(v, remainder.limb<A::BYTES>(p, j), first, log_rows, m);
    forward_row<A>(v, tile, base, roots_of<A>(transforms, j, false), log_rows, row, m);
    const u32 place = first + place_in_row();
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = sum_from<A>(v[k], m);
    }
    if (u32(limb.keep) != NO_LIMB) {
        const Limb<A::BYTES> words = src.limb<A::BYTES>(p, u32(limb.keep)).from(place);
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            v[k] = add_lazy<A>(v[k], A::mul_const(A::encode(words.load(k * STEP), m), limb.inverse, m), m);
        }
    }
    if (p < adds) {
        const Limb<A::BYTES> words = add.limb<A::BYTES>(p, j).from(place);
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            v[k] = add_canonical<A>(v[k], A::encode(words.load(k * STEP), m), m);
        }
    }
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        v[k] = total<A>(v[k], m);
    }
    const Limb<A::BYTES> words = targets.view(target, n).limb<A::BYTES>(p % group, j);
    store_turned<A>(v, words, tile, base, row, u32(targets[target + VIEW_WORDS]), n, false, m);
}

} // namespace ringjet
