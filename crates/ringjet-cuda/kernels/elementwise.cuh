// Operations on single residues. A block is a run of neighbouring coefficients of limb blockIdx.y
// of polynomial blockIdx.z.
#pragma once

#include "device.cuh"
#include "products.cuh"

namespace ringjet {

template <int BYTES> __device__ __forceinline__ void copy(Limbs dst, Limbs src)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c < dst.n) {
        dst.limb<BYTES>(p, i).store(c, src.limb<BYTES>(p, i).load(c));
    }
}

// Limbs in which each run of `run` words of src occurs 2^log_times times in a row.
template <int BYTES> __device__ __forceinline__ void expand(Limbs dst, Limbs src, u32 run, u32 log_times)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c < dst.n) {
        dst.limb<BYTES>(p, i).store(c, src.limb<BYTES>(p, i).load((c / run >> log_times) * run + c % run));
    }
}

// Words of a term of `lincomb`: a view, and its factor: 0 stands for the factor 1, 1 for the factor
// -1; any other value is the index, in `terms`, of the factor's residues, one for each limb.
constexpr u32 TERM_WORDS = VIEW_WORDS + 1;
constexpr u32 NO_CONSTANT = 0xffffffff;

// dst = sum of factor * source, plus the old dst where `accumulate`. If `constant` is not NO_CONSTANT,
// the residues from that index on, one for each limb, are added to each word of the first polynomial.
// The result is canonical.
template <class A>
__device__ __forceinline__ void lincomb(
    Limbs dst, const List& terms, u32 count, u32 constant, Words moduli, u32 accumulate)
{
    const u32 c = coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Limb<A::BYTES> out = dst.limb<A::BYTES>(p, i).from(c);
    typename A::Word sum = A::encode(accumulate ? out.load(0) : 0, m);
    for (u32 t = 0; t < count; t++) {
        const u64 factor = terms[t * TERM_WORDS + VIEW_WORDS];
        const typename A::Word x = A::encode(terms.view(t * TERM_WORDS, dst.n).limb<A::BYTES>(p, i).load(c), m);
        if (t > 0 && is_full<A>(t)) {
            sum = make_room<A>(sum, m);
        }
        if (factor == 0) {
            sum = add_canonical<A>(sum, x, m);
        } else if (factor == 1) {
            sum = add_canonical<A>(sum, A::sub(A::encode(0, m), x, m), m);
        } else {
            sum = add_lazy<A>(sum, A::mul(A::form(A::encode(terms[u32(factor) + i], m), m), x, m), m);
        }
    }
    if (constant != NO_CONSTANT && p == 0) {
        sum = add_canonical<A>(is_full<A>(count) ? make_room<A>(sum, m) : sum, A::encode(terms[constant + i], m), m);
    }
    out.store(0, A::integer(total<A>(sum, m)));
}

} // namespace ringjet
