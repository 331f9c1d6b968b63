// Automorphisms X -> X^g: g is odd, and given modulo 2N.
#pragma once

#include "device.cuh"

namespace ringjet {

// Binary logarithm of the words of a tile of the evaluation domain. An automorphism maps the words of
// a tile to those of one tile.
constexpr u32 LOG_TILE = 9;

static __device__ __forceinline__ u32 log2_of(u32 n) { return 31 - __clz(n); }

// The position from which an automorphism takes word p in the evaluation domain, whose order
// ringjet_math::ntt::tree_index defines. With g^-1 modulo 2N it is the position to which word p goes.
static __device__ __forceinline__ u32 turned(u32 p, u32 g, u32 log_n)
{
    const bool tiles = log_n >= LOG_TILE;
    const u32 leaf = tiles ? (p & ~511u) | (p & 7) << 6 | (p >> 3 & 63) : p;
    const u32 e = __brev(leaf) >> (32 - log_n); // the word is the value at psi^(2 e + 1)
    const u32 to = __brev(e * g + (g >> 1)) >> (32 - log_n);
    return tiles ? (to & ~511u) | (to & 63) << 3 | (to >> 6 & 7) : to;
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
