// Base conversion: a small matrix product for each coefficient, reduced once per output.
#pragma once

#include "modarith.cuh"

constexpr u32 FRACTION_BITS = 50;

// floor(norm(y) r / 2^52) of ringjet_math::BaseConversion, for y < 2^bits, bits <= 61, r <= 2^51.
__device__ __forceinline__ u64 fraction(u64 y, u32 bits, u64 r)
{
    const u64 norm = bits <= 52 ? y << (52 - bits) : y >> (bits - 52);
    return __umul64hi(norm, r) << 12 | (norm * r) >> 52;
}

// The nearest integer to a sum of fractions.
__device__ __forceinline__ u64 nearest(u64 sum) { return (sum + (u64(1) << (FRACTION_BITS - 1))) >> FRACTION_BITS; }

// Words of a source prime: its modulus, (D/d)^-1 (a factor), r, bits. Of an output prime: its modulus, D modulo it, D/d_i
// modulo it for each source prime.
template <class A> __device__ constexpr u32 input_words() { return A::MODULUS_WORDS + 4; }
template <class A> __device__ constexpr u32 output_words(u32 inputs) { return A::MODULUS_WORDS + 1 + inputs; }

// A block has blockDim.x coefficients (from blockIdx.x on) of polynomial blockIdx.z, and blockDim.y threads for each, which
// share its source limbs and its outputs. Shared memory: `inputs` words and one for each thread of a coefficient.
template <class A> __device__ void base_convert(Limbs dst, Limbs src, Words constants, u32 inputs, u32 outputs)
{
    DYNAMIC_SHARED(typename A::Word, y);
    const u32 width = blockDim.x, t = threadIdx.x, g = threadIdx.y, c = coefficient(), p = blockIdx.z;
    u64 sum = 0;
    for (u32 i = g; i < inputs; i += blockDim.y) {
        const Words at = constants + i * input_words<A>();
        const Words rest = at + A::MODULUS_WORDS;
        const typename A::Word x = A::mul_const(A::load(src.limb(p, i)[c]), A::factor(rest), A::modulus(at));
        sum += fraction(A::store(x), u32(rest[3]), rest[2]);
        y[i * width + t] = x;
    }
    y[(inputs + g) * width + t] = sum;
    __syncthreads();
    sum = 0;
    for (u32 k = 0; k < blockDim.y; k++) {
        sum += y[(inputs + k) * width + t];
    }
    const typename A::Word v = nearest(sum);
    for (u32 j = g; j < outputs; j += blockDim.y) {
        const Words at = constants + inputs * input_words<A>() + j * output_words<A>(inputs);
        const Words hat = at + (A::MODULUS_WORDS + 1);
        const typename A::Modulus m = A::modulus(at);
        typename A::Sum acc = {};
        for (u32 i = 0; i < inputs; i++) {
            add_product(acc, y[i * width + t], hat[i]);
            if (i % A::SUM_TERMS == A::SUM_TERMS - 1) {
                acc = {0, A::reduce(acc, m)};
            }
        }
        const typename A::Word product = A::mul(v, at[A::MODULUS_WORDS], m);
        dst.limb(p, j)[c] = A::store(A::sub(A::reduce(acc, m), product, m));
    }
}
