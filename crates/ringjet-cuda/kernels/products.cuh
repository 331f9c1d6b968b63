// Sums of products that are reduced together: words have room for several lazy products.
#pragma once

#include "device.cuh"
#include "modarith_word.cuh"

namespace ringjet {

// How many lazy products or canonical words may be added to a word that `make_room` returned, or to a
// canonical one. 1 for arithmetics whose words have no such room: they reduce each product.
template <class A> static constexpr __device__ u32 lazy_terms()
{
    const int term = A::MUL > A::CANONICAL ? A::MUL : A::CANONICAL;
    const int sum = A::SETTLED > A::CANONICAL ? A::SETTLED : A::CANONICAL;
    return A::DECODED == 0 ? 1 : u32(A::DECODED - sum) / u32(term == 0 ? 1 : term);
}

// sum + x, where x is the result of A::mul or A::mul_const, or canonical.
template <class A>
__device__ __forceinline__ typename A::Word add_lazy(typename A::Word sum, typename A::Word x, const typename A::Modulus& m)
{
    return lazy_terms<A>() > 1 ? typename A::Word(sum + x) : A::add(sum, A::canonical(x, m), m);
}

// add_lazy for canonical x.
template <class A>
__device__ __forceinline__ typename A::Word add_canonical(
    typename A::Word sum, typename A::Word x, const typename A::Modulus& m)
{
    return lazy_terms<A>() > 1 ? typename A::Word(sum + x) : A::add(sum, x, m);
}

// Whether a sum has no room after `terms` terms.
template <class A> __device__ __forceinline__ bool is_full(u32 terms)
{
    return lazy_terms<A>() > 1 && terms % lazy_terms<A>() == 0;
}

template <class A> __device__ __forceinline__ typename A::Word make_room(typename A::Word sum, const typename A::Modulus& m)
{
    return A::settle(sum, m);
}

// Turns a word that `canonical` accepts into the beginning of a sum.
template <class A>
__device__ __forceinline__ typename A::Word sum_from(typename A::Word x, const typename A::Modulus& m)
{
    return lazy_terms<A>() > 1 ? make_room<A>(x, m) : A::canonical(x, m);
}

// The canonical word of a sum.
template <class A> __device__ __forceinline__ typename A::Word total(typename A::Word sum, const typename A::Modulus& m)
{
    return lazy_terms<A>() > 1 ? A::canonical(sum, m) : sum;
}

// A word that `canonical` accepts, as first factor of A::mul.
template <class A>
__device__ __forceinline__ typename A::Word lazy_factor(typename A::Word x, const typename A::Modulus& m)
{
    return A::MUL_TAKES_SETTLED ? A::settle(x, m) : A::form(A::canonical(x, m), m);
}

// Words c and c + 1 of a limb, for even c.
template <class A>
__device__ __forceinline__ void load_pair(
    typename A::Word (&x)[2], const Limb<A::BYTES>& limb, u32 c, const typename A::Modulus& m)
{
    const Pair pair = limb.pair(c);
    x[0] = A::encode(pair.x, m);
    x[1] = A::encode(pair.y, m);
}

// Words c, c + 1, d and d + 1 of a limb, for even c and d. Here and below, ONCE says that nothing reads
// them again soon.
template <class A, bool ONCE = false>
__device__ __forceinline__ void load_pairs(
    typename A::Word (&x)[4], const Limb<A::BYTES>& limb, u32 c, u32 d, const typename A::Modulus& m)
{
    const Pair first = limb.template pair<ONCE>(c), second = limb.template pair<ONCE>(d);
    x[0] = A::encode(first.x, m);
    x[1] = A::encode(first.y, m);
    x[2] = A::encode(second.x, m);
    x[3] = A::encode(second.y, m);
}

// Whether the four words of a thread are neighbours. Otherwise they are two pairs in the two halves of a
// block's words, so that the threads of a warp read neighbouring pairs.
template <class A> static constexpr __device__ bool four_neighbours() { return A::BYTES < 8; }

// The four words of a thread: words c to c + 3 of a limb, for a multiple c of four; or words c, c + 1, c +
// apart and c + apart + 1.
template <class A, bool ONCE = false>
__device__ __forceinline__ void load_four(
    typename A::Word (&x)[4], const Limb<A::BYTES>& limb, u32 c, u32 apart, const typename A::Modulus& m)
{
    if constexpr (four_neighbours<A>()) {
        u64 words[4];
        limb.template four<ONCE>(words, c);
#pragma unroll
        for (u32 w = 0; w < 4; w++) {
            x[w] = A::encode(words[w], m);
        }
    } else {
        load_pairs<A, ONCE>(x, limb, c, c + apart, m);
    }
}

// The totals of four sums become the words that load_four reads.
template <class A>
__device__ __forceinline__ void store_four_totals(
    const Limb<A::BYTES>& limb, u32 c, u32 apart, const typename A::Word (&sum)[4], const typename A::Modulus& m)
{
    u64 words[4];
#pragma unroll
    for (u32 w = 0; w < 4; w++) {
        words[w] = A::integer(total<A>(sum[w], m));
    }
    if constexpr (four_neighbours<A>()) {
        limb.store_four(c, words);
    } else {
        limb.store_pair(c, Pair{words[0], words[1]});
        limb.store_pair(c + apart, Pair{words[2], words[3]});
    }
}

// The totals of two sums become words c and c + 1 of a limb.
template <class A>
__device__ __forceinline__ void store_totals(
    const Limb<A::BYTES>& limb, u32 c, const typename A::Word (&sum)[2], const typename A::Modulus& m)
{
    limb.store_pair(c, Pair{A::integer(total<A>(sum[0], m)), A::integer(total<A>(sum[1], m))});
}

// dst = sum of a b over `count` pairs of views, plus the old dst where `accumulate`. A pair is two
// views in `pairs`. The result is canonical. Here and below a thread has two neighbouring
// coefficients.
template <class A>
__device__ __forceinline__ void products(Limbs dst, const List& pairs, u32 count, Words moduli, u32 accumulate)
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
        const Limbs a = pairs.view(2 * VIEW_WORDS * t, dst.n), b = pairs.view(2 * VIEW_WORDS * t + VIEW_WORDS, dst.n);
        typename A::Word x[2], y[2];
        load_pair<A>(x, a.limb<A::BYTES>(p, i), c, m);
        load_pair<A>(y, b.limb<A::BYTES>(p, i), c, m);
        const bool full = t > 0 && is_full<A>(t);
#pragma unroll
        for (u32 w = 0; w < 2; w++) {
            sum[w] = full ? make_room<A>(sum[w], m) : sum[w];
            sum[w] = add_lazy<A>(sum[w], A::mul(A::form(x[w], m), y[w], m), m);
        }
    }
    store_totals<A>(out, c, sum, m);
}

// Sums of products of pairs, before relinearisation: the sums of a0 b0 and of a0 b1 + a1 b0 over
// the pairs of sum s = blockIdx.z become polynomials 2 s and 2 s + 1 of dst, the sum of a1 b1
// becomes polynomial s of `high`. The first `sums` words of `pairs` have the first pair of a sum in
// the low half, and the one after its last in the high half; the pairs, two views each, follow.
// Polynomials of `add`, `adds` for each sum, are added to its first ones.
template <class A>
__device__ __forceinline__ void tensors(
    Limbs dst, Limbs high, const List& pairs, Limbs add, Words moduli, u32 sums, u32 adds)
{
    const u32 c = first_coefficient(), i = blockIdx.y, s = blockIdx.z;
    if (c >= dst.n) {
        return;
    }
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    typename A::Word sum[3][2];
#pragma unroll
    for (u32 q = 0; q < 3; q++) {
        sum[q][0] = sum[q][1] = A::encode(0, m);
        if (q < adds) {
            load_pair<A>(sum[q], add.limb<A::BYTES>(s * adds + q, i), c, m);
        }
    }
    constexpr u32 AT_ONCE = lazy_terms<A>() < 2 ? 1 : lazy_terms<A>() / 2; // the middle sum has two terms for each pair
    const u32 first = u32(pairs[s]), end = u32(pairs[s] >> 32);
    for (u32 t = first; t < end; t++) {
        const u32 at = sums + 2 * VIEW_WORDS * t;
        const Limbs a = pairs.view(at, dst.n), b = pairs.view(at + VIEW_WORDS, dst.n);
        typename A::Word a0[2], a1[2], b0[2], b1[2];
        load_pair<A>(a0, a.limb<A::BYTES>(0, i), c, m);
        load_pair<A>(a1, a.limb<A::BYTES>(1, i), c, m);
        load_pair<A>(b0, b.limb<A::BYTES>(0, i), c, m);
        load_pair<A>(b1, b.limb<A::BYTES>(1, i), c, m);
        const bool full = lazy_terms<A>() > 1 && t > first && (t - first) % AT_ONCE == 0;
#pragma unroll
        for (u32 w = 0; w < 2; w++) {
            const typename A::Word x0 = A::form(a0[w], m), x1 = A::form(a1[w], m);
#pragma unroll
            for (u32 q = 0; q < 3; q++) {
                sum[q][w] = full ? make_room<A>(sum[q][w], m) : sum[q][w];
            }
            sum[0][w] = add_lazy<A>(sum[0][w], A::mul(x0, b0[w], m), m);
            sum[1][w] = add_lazy<A>(add_lazy<A>(sum[1][w], A::mul(x0, b1[w], m), m), A::mul(x1, b0[w], m), m);
            sum[2][w] = add_lazy<A>(sum[2][w], A::mul(x1, b1[w], m), m);
        }
    }
#pragma unroll
    for (u32 q = 0; q < 3; q++) {
        store_totals<A>(q == 2 ? high.limb<A::BYTES>(s, i) : dst.limb<A::BYTES>(2 * s + q, i), c, sum[q], m);
    }
}

} // namespace ringjet
