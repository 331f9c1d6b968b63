// Operations on single residues. A block is a run of neighbouring coefficients of limb blockIdx.y
// of polynomial blockIdx.z.
#pragma once

#include "device.cuh"

namespace ringjet {

static __device__ __forceinline__ void copy(Limbs dst, Limbs src)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c < dst.n) {
        dst.limb(p, i)[c] = src.limb(p, i)[c];
    }
}

// Limbs in which each run of `run` words of src occurs 2^log_times times in a row.
static __device__ __forceinline__ void expand(Limbs dst, Limbs src, u32 run, u32 log_times)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c < dst.n) {
        dst.limb(p, i)[c] = src.limb(p, i)[(c / run >> log_times) * run + c % run];
    }
}

// dst = a b, plus the old dst where `accumulate`. The result is canonical.
template <class A> __device__ __forceinline__ void mul(Limbs dst, Limbs a, Limbs b, Words moduli, u32 accumulate)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Ptr<u64> out = dst.limb(p, i) + c;
    const typename A::Word x = A::encode(a.limb(p, i)[c], m), y = A::encode(b.limb(p, i)[c], m);
    typename A::Word product = A::canonical(A::mul(A::form(x, m), y, m), m);
    if (accumulate) {
        product = A::add(product, A::encode(out[0], m), m);
    }
    out[0] = A::integer(product);
}

// Words of a term of `lincomb`: 0: address of limb 0; 1: address of the list of chosen limbs, or 0;
// 2: stride in the low half and number of polynomials in the high half; 3: the factor: 0 stands for
// the factor 1, 1 for the factor -1; any other value is the index, in `terms`, of the first limb's
// factor.
constexpr u32 TERM_WORDS = 4;

// dst = sum of factor * source, plus the old dst where `accumulate`. The result is canonical.
template <class A> __device__ __forceinline__ void lincomb(Limbs dst, Words terms, u32 count, Words moduli, u32 accumulate)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Ptr<u64> out = dst.limb(p, i) + c;
    typename A::Word sum = A::encode(accumulate ? out[0] : 0, m);
    for (u32 t = 0; t < count; t++) {
        const Words term = terms + t * TERM_WORDS;
        const Limbs src = {pointer<u64>(term[0]), pointer<const u32>(term[1]), u32(term[2]), u32(term[2] >> 32), dst.n, 0};
        const typename A::Word x = A::encode(src.limb(p, i)[c], m);
        if (term[3] == 0) {
            sum = A::add(sum, x, m);
        } else if (term[3] == 1) {
            sum = A::sub(sum, x, m);
        } else {
            const typename A::Constant factor = as<typename A::Constant>(terms + term[3])[i];
            sum = A::add(sum, A::canonical(A::mul_const(x, factor, m), m), m);
        }
    }
    out[0] = A::integer(sum);
}

// dst_c = src_(map_c modulo n), negated where map_c >= n and `negates` is set.
template <class A> __device__ __forceinline__ void automorphism(Limbs dst, Limbs src, Words moduli, Words map, u32 negates)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const u32 from = u32(map[c / 2] >> (c % 2 * 32));
    u64 x = src.limb(p, i)[from & (dst.n - 1)];
    if (negates && from >= dst.n) {
        const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
        x = A::integer(A::sub(A::encode(0, m), A::encode(x, m), m));
    }
    dst.limb(p, i)[c] = x;
}

} // namespace ringjet
