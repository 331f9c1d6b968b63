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
// The result is canonical. A thread has two neighbouring coefficients.
template <class A>
__device__ __forceinline__ void lincomb(
    Limbs dst, const List& terms, u32 count, u32 constant, Words moduli, u32 accumulate)
{
    const u32 c = first_coefficient(), i = blockIdx.y, p = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    const Limb<A::BYTES> out = dst.limb<A::BYTES>(p, i);
    typename A::Word sum[2] = {A::encode(0, m), A::encode(0, m)};
    if (accumulate) {
        load_pair<A>(sum, out, c, m);
    }
    for (u32 t = 0; t < count; t++) {
        const u64 factor = terms[t * TERM_WORDS + VIEW_WORDS];
        typename A::Word x[2];
        load_pair<A>(x, terms.view(t * TERM_WORDS, dst.n).limb<A::BYTES>(p, i), c, m);
        if (t > 0 && is_full<A>(t)) {
            sum[0] = make_room<A>(sum[0], m);
            sum[1] = make_room<A>(sum[1], m);
        }
        if (factor == 0) {
            sum[0] = add_canonical<A>(sum[0], x[0], m);
            sum[1] = add_canonical<A>(sum[1], x[1], m);
        } else if (factor == 1) {
            sum[0] = add_canonical<A>(sum[0], A::sub(A::encode(0, m), x[0], m), m);
            sum[1] = add_canonical<A>(sum[1], A::sub(A::encode(0, m), x[1], m), m);
        } else {
            const typename A::Word by = A::form(A::encode(terms[u32(factor) + i], m), m);
            sum[0] = add_lazy<A>(sum[0], A::mul(by, x[0], m), m);
            sum[1] = add_lazy<A>(sum[1], A::mul(by, x[1], m), m);
        }
    }
    if (constant != NO_CONSTANT && p == 0) {
        if (is_full<A>(count)) {
            sum[0] = make_room<A>(sum[0], m);
            sum[1] = make_room<A>(sum[1], m);
        }
        const typename A::Word plus = A::encode(terms[constant + i], m);
        sum[0] = add_canonical<A>(sum[0], plus, m);
        sum[1] = add_canonical<A>(sum[1], plus, m);
    }
    store_totals<A>(out, c, sum, m);
}

} // namespace ringjet
