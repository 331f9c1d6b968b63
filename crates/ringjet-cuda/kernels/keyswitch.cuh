// Products and key switching: one launch over all limbs and polynomials for each step. A block is a
// run of neighbouring coefficients of limb blockIdx.y. Words are canonical.
#pragma once

#include "device.cuh"
#include "modarith_word.cuh"
#include "ntt.cuh"

namespace ringjet {

// dst = (a0 b0, a0 b1 + a1 b0, a1 b1).
template <class A> __device__ __forceinline__ void tensor(Limbs dst, Limbs a, Limbs b, Words moduli)
{
    const u32 c = coefficient(), i = blockIdx.y;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    typedef typename A::Word Word;
    const Word a0 = A::form(A::encode(a.limb(0, i)[c], m), m), a1 = A::form(A::encode(a.limb(1, i)[c], m), m);
    const Word b0 = A::encode(b.limb(0, i)[c], m), b1 = A::encode(b.limb(1, i)[c], m);
    const Word crossed = A::add(A::canonical(A::mul(a0, b1, m), m), A::canonical(A::mul(a1, b0, m), m), m);
    dst.limb(0, i)[c] = A::integer(A::canonical(A::mul(a0, b0, m), m));
    dst.limb(1, i)[c] = A::integer(crossed);
    dst.limb(2, i)[c] = A::integer(A::canonical(A::mul(a1, b1, m), m));
}

constexpr u32 NO_LIMB = 0xffffffff;

// A limb of key_product. factor: by which `add` is multiplied. owner: the digit that this limb
// belongs to, or NO_LIMB.
template <class A> struct ProductLimb {
    typename A::Modulus m;
    typename A::Constant factor;
    u64 owner, unused;
};

// For polynomial p = blockIdx.z: dst_(2p) = the sum of d_i b_i over its digits d_i and the key's
// first polynomials b_i, dst_(2p+1) with the second polynomials. A digit's own limbs come from
// polynomial p of `own`, whose limbs are those of dst after the `special` first ones; the others
// come from `digits`. Polynomials of `add`, `adds` for each p, are multiplied and added in the limbs
// after the special ones.
template <class A>
__device__ __forceinline__ void key_product(
    Limbs dst, Limbs digits, Limbs own, Limbs key, Limbs add, Words limbs, u32 beta, u32 special, u32 adds)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const ProductLimb<A> limb = as<ProductLimb<A>>(limbs)[i];
    const typename A::Modulus m = limb.m;
    typename A::Word sum[2] = {A::encode(0, m), A::encode(0, m)};
    for (u32 d = 0; d < beta; d++) {
        const u64 residue = d == u32(limb.owner) ? own.limb(p, i - special)[c] : digits.limb(p * beta + d, i)[c];
        const typename A::Word digit = A::form(A::encode(residue, m), m);
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
            const typename A::Word b = A::encode(key.limb(2 * d + q, i)[c], m);
            sum[q] = A::add(sum[q], A::canonical(A::mul(digit, b, m), m), m);
        }
    }
#pragma unroll
    for (u32 q = 0; q < 2; q++) {
        if (q < adds && i >= special) {
            const typename A::Word x = A::encode(add.limb(p * adds + q, i - special)[c], m);
            sum[q] = A::add(sum[q], A::canonical(A::mul_const(x, limb.factor, m), m), m);
        }
        dst.limb(2 * p + q, i)[c] = A::integer(sum[q]);
    }
}

// key_product of digits that still lack the levels within rows: those are computed here, so that
// transformed digits never go to memory. Threads and rows are those of ntt_rows.
template <class A>
__device__ __forceinline__ void rows_product(
    Limbs dst, Limbs digits, Limbs own, Limbs key, Limbs add, Words transforms, Words limbs, u32 beta, u32 special,
    u32 adds, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 i = blockIdx.y, p = blockIdx.z, row = blockIdx.x * blockDim.y + threadIdx.y, first = row << LOG_ROW;
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
            const Ptr<u64> words = own.limb(p, i - special) + first;
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                v[k] = A::encode(words[place_in_row(k)], m);
            }
        } else {
            load_row<A>(v, digits.limb(p * beta + d, i) + first, log_rows, m);
            __syncthreads();
            forward_row<A>(v, tile, threadIdx.y * ROW_SHARED, roots, log_rows, row, m);
#pragma unroll
            for (u32 k = 0; k < EIGHT; k++) {
                v[k] = A::canonical(v[k], m);
            }
        }
        const Ptr<u64> first_key = key.limb(2 * d, i) + first, second_key = key.limb(2 * d + 1, i) + first;
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            const u32 c = place_in_row(k);
            const typename A::Word x = A::form(v[k], m);
            const typename A::Word b0 = A::encode(first_key[c], m), b1 = A::encode(second_key[c], m);
            sum[0][k] = A::add(sum[0][k], A::canonical(A::mul(x, b0, m), m), m);
            sum[1][k] = A::add(sum[1][k], A::canonical(A::mul(x, b1, m), m), m);
        }
    }
#pragma unroll
    for (u32 q = 0; q < 2; q++) {
        const Ptr<u64> out = dst.limb(2 * p + q, i) + first;
#pragma unroll
        for (u32 k = 0; k < EIGHT; k++) {
            const u32 c = place_in_row(k);
            if (q < adds && i >= special) {
                const typename A::Word x = A::encode(add.limb(p * adds + q, i - special)[first + c], m);
                sum[q][k] = A::add(sum[q][k], A::canonical(A::mul_const(x, limb.factor, m), m), m);
            }
            out[c] = A::integer(sum[q][k]);
        }
    }
}

// A limb of finish_division. inverse: by which `src` is multiplied. keep: the limb of `src` with the
// same prime, or NO_LIMB.
template <class A> struct DivisionLimb {
    typename A::Modulus m;
    typename A::Constant inverse;
    u64 keep, unused;
};

// dst = remainder + inverse src + add, where the first `adds` polynomials have an `add`. If there is
// a map, word c of the result is word map_c of that sum: an automorphism of the evaluation domain.
template <class A>
__device__ __forceinline__ void finish_division(
    Limbs dst, Limbs remainder, Limbs src, Limbs add, Words limbs, Words map, u32 adds)
{
    const u32 c = coefficient(), j = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const DivisionLimb<A> limb = as<DivisionLimb<A>>(limbs)[j];
    const typename A::Modulus m = limb.m;
    const u32 from = map ? u32(map[c / 2] >> (c % 2 * 32)) & (dst.n - 1) : c;
    typename A::Word sum = A::encode(remainder.limb(p, j)[from], m);
    if (u32(limb.keep) != NO_LIMB) {
        const typename A::Word x = A::encode(src.limb(p, u32(limb.keep))[from], m);
        sum = A::add(sum, A::canonical(A::mul_const(x, limb.inverse, m), m), m);
    }
    if (p < adds) {
        sum = A::add(sum, A::encode(add.limb(p, j)[from], m), m);
    }
    dst.limb(p, j)[c] = A::integer(sum);
}

// finish_division of a remainder that still lacks the levels within rows. Here word c of the sum is
// word map_c of the result. Threads and rows are those of ntt_rows.
template <class A>
__device__ __forceinline__ void rows_finish(
    Limbs dst, Limbs remainder, Limbs src, Limbs add, Words transforms, Words limbs, Words map, u32 adds, u32 log_rows)
{
    SHARED(typename A::Word, tile, MOST_ROWS * ROW_SHARED);
    const u32 j = blockIdx.y, p = blockIdx.z, row = blockIdx.x * blockDim.y + threadIdx.y, first = row << LOG_ROW;
    const DivisionLimb<A> limb = as<DivisionLimb<A>>(limbs)[j];
    const typename A::Modulus m = limb.m;
    typename A::Word v[EIGHT];
    load_row<A>(v, remainder.limb(p, j) + first, log_rows, m);
    forward_row<A>(v, tile, threadIdx.y * ROW_SHARED, roots_of<A>(transforms, j, false), log_rows, row, m);
#pragma unroll
    for (u32 k = 0; k < EIGHT; k++) {
        const u32 c = first + place_in_row(k);
        typename A::Word sum = A::canonical(v[k], m);
        if (u32(limb.keep) != NO_LIMB) {
            const typename A::Word x = A::encode(src.limb(p, u32(limb.keep))[c], m);
            sum = A::add(sum, A::canonical(A::mul_const(x, limb.inverse, m), m), m);
        }
        if (p < adds) {
            sum = A::add(sum, A::encode(add.limb(p, j)[c], m), m);
        }
        const u32 to = map ? u32(map[c / 2] >> (c % 2 * 32)) & (dst.n - 1) : c;
        dst.limb(p, j)[to] = A::integer(sum);
    }
}

} // namespace ringjet
