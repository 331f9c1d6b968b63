// Automorphisms X -> X^g: g is odd, and given modulo 2N.
#pragma once

#include "device.cuh"

namespace ringjet {

// Binary logarithm of the words of a tile of the evaluation domain. An automorphism maps the words of
// a tile to those of one tile.
constexpr u32 LOG_TILE = 9;

static __device__ __forceinline__ u32 log2_of(u32 n) { return 31 - __clz(n); }

// The leaf of word p of the evaluation domain in the tree of the transform
// (ringjet_math::ntt::tree_index), and the word of a leaf. Rings below one tile have the leaves in
// order.
static __device__ __forceinline__ u32 leaf_of(u32 p, u32 log_n)
{
    return log_n >= LOG_TILE ? (p & ~511u) | (p & 7) << 6 | (p >> 3 & 63) : p;
}

static __device__ __forceinline__ u32 word_of_leaf(u32 leaf, u32 log_n)
{
    return log_n >= LOG_TILE ? (leaf & ~511u) | (leaf & 63) << 3 | (leaf >> 6 & 7) : leaf;
}

// The e for which a leaf is the value at psi^(2 e + 1), and the leaf of e modulo N.
static __device__ __forceinline__ u32 exponent_of(u32 leaf, u32 log_n) { return __brev(leaf) >> (32 - log_n); }
static __device__ __forceinline__ u32 leaf_of_exponent(u32 e, u32 log_n) { return __brev(e) >> (32 - log_n); }

// The word from which an automorphism takes word p of the evaluation domain. With g^-1 modulo 2N it is
// the word to which it goes.
static __device__ __forceinline__ u32 turned(u32 p, u32 g, u32 log_n)
{
    const u32 e = exponent_of(leaf_of(p, log_n), log_n);
    return word_of_leaf(leaf_of_exponent(e * g + (g >> 1), log_n), log_n);
}

// The coefficient that an automorphism moves to c; a result of n or more stands for the coefficient
// n less, negated. `inverse` is g^-1 modulo 2N.
static __device__ __forceinline__ u32 moved(u32 c, u32 inverse, u32 n) { return c * inverse & (2 * n - 1); }

// dst = src(X^g). In the evaluation domain `by` is g, in the coefficient domain g^-1 modulo 2N.
template <class A>
__device__ __forceinline__ void automorphism(Limbs dst, Limbs src, Words moduli, u32 by, u32 evaluations)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z, n = dst.n;
    if (c >= n) {
        return;
    }
    const u32 from = evaluations ? turned(c, by, log2_of(n)) : moved(c, by, n);
    u64 x = src.limb<A::BYTES>(p, i).load(from & (n - 1));
    if (from >= n) {
        const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
        x = A::integer(A::sub(A::encode(0, m), A::encode(x, m), m));
    }
    dst.limb<A::BYTES>(p, i).store(c, x);
}

} // namespace ringjet
