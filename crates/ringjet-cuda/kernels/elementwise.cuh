// Operations on single residues. A block has neighbouring coefficients of limb blockIdx.y of
// polynomial blockIdx.z.
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
// The result is canonical. A thread has the four coefficients of load_four.
template <class A>
__device__ __forceinline__ void lincomb(
    Limbs dst, const List& terms, u32 count, u32 constant, Words moduli, u32 accumulate)
{
    const u32 c = 4 * blockIdx.x * blockDim.x + (four_neighbours<A>() ? 4 : 2) * threadIdx.x, apart = 2 * blockDim.x;
    const u32 i = blockIdx.y, p = blockIdx.z;
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Limb<A::BYTES> out = dst.limb<A::BYTES>(p, i);
    typename A::Word sum[4] = {A::encode(0, m), A::encode(0, m), A::encode(0, m), A::encode(0, m)};
    if (accumulate) {
        load_four<A>(sum, out, c, apart, m);
    }
    for (u32 t = 0; t < count; t++) {
        const u64 factor = terms[t * TERM_WORDS + VIEW_WORDS];
        typename A::Word x[4];
        load_four<A>(x, terms.view(t * TERM_WORDS, dst.n).limb<A::BYTES>(p, i), c, apart, m);
        if (t > 0 && is_full<A>(t)) {
#pragma unroll
            for (u32 w = 0; w < 4; w++) {
                sum[w] = make_room<A>(sum[w], m);
            }
        }
        if (factor == 0) {
#pragma unroll
            for (u32 w = 0; w < 4; w++) {
                sum[w] = add_canonical<A>(sum[w], x[w], m);
            }
        } else if (factor == 1) {
#pragma unroll
            for (u32 w = 0; w < 4; w++) {
                sum[w] = add_canonical<A>(sum[w], A::sub(A::encode(0, m), x[w], m), m);
            }
        } else {
            const typename A::Word by = A::form(A::encode(terms[u32(factor) + i], m), m);
#pragma unroll
            for (u32 w = 0; w < 4; w++) {
                sum[w] = add_lazy<A>(sum[w], A::mul(by, x[w], m), m);
            }
        }
    }
    if (constant != NO_CONSTANT && p == 0) {
        if (is_full<A>(count)) {
#pragma unroll
            for (u32 w = 0; w < 4; w++) {
                sum[w] = make_room<A>(sum[w], m);
            }
        }
        const typename A::Word plus = A::encode(terms[constant + i], m);
#pragma unroll
        for (u32 w = 0; w < 4; w++) {
            sum[w] = add_canonical<A>(sum[w], plus, m);
        }
    }
    store_four_totals<A>(out, c, apart, sum, m);
}

} // namespace ringjet
