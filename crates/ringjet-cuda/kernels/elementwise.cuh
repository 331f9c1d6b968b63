// Operations limb by limb, word by word: a block is a run of coefficients of limb blockIdx.y of polynomial blockIdx.z.
#pragma once

#include "modarith.cuh"

template <class A> __device__ void copy(Limbs dst, Limbs src)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c < dst.n) {
        dst.limb(p, i)[c] = src.limb(p, i)[c];
    }
}

// dst = a b, plus the old dst where `accumulate`. Canonical.
template <class A> __device__ void mul(Limbs dst, Limbs a, Limbs b, Words moduli, u32 accumulate)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = A::modulus(moduli + i * A::MODULUS_WORDS);
    const Ptr<u64> out = dst.limb(p, i) + c;
    typename A::Word x = A::mul(A::load(a.limb(p, i)[c]), A::load(b.limb(p, i)[c]), m);
    if (accumulate) {
        x = A::add(x, A::load(out[0]), m);
    }
    out[0] = A::store(x);
}

// Words of a term of `lincomb`: address of limb 0, address of the chosen limbs or 0, stride and polynomials in the low and
// the high half, and its factor: 0 for 1, 1 for -1, else at which word of the terms the factors of the limbs begin.
constexpr u32 TERM_WORDS = 4;

// dst = sum of factor * source, plus the old dst where `accumulate`. Canonical.
template <class A> __device__ void lincomb(Limbs dst, Words terms, u32 count, Words moduli, u32 accumulate)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = A::modulus(moduli + i * A::MODULUS_WORDS);
    const Ptr<u64> out = dst.limb(p, i) + c;
    typename A::Word sum = A::load(accumulate ? out[0] : 0);
    for (u32 t = 0; t < count; t++) {
        const Words term = terms + t * TERM_WORDS;
        const Limbs src = {pointer<u64>(term[0]), pointer<const u32>(term[1]), u32(term[2]), u32(term[2] >> 32), dst.n, 0};
        const typename A::Word x = A::load(src.limb(p, i)[c]);
        if (term[3] == 0) {
            sum = A::add(sum, x, m);
        } else if (term[3] == 1) {
            sum = A::sub(sum, x, m);
        } else {
            sum = A::add(sum, A::mul_const(x, A::factor(terms + term[3] + 2 * i), m), m);
        }
    }
    out[0] = A::store(sum);
}

// dst_c = src_(map_c modulo n), negated where map_c >= n and `negates`.
template <class A> __device__ void automorphism(Limbs dst, Limbs src, Words moduli, Words map, u32 negates)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const u32 from = u32(map[c / 2] >> (c % 2 * 32));
    const typename A::Word x = A::load(src.limb(p, i)[from & (dst.n - 1)]);
    const bool negate = negates && from >= dst.n;
    dst.limb(p, i)[c] = A::store(negate ? A::neg(x, A::modulus(moduli + i * A::MODULUS_WORDS)) : x);
}
