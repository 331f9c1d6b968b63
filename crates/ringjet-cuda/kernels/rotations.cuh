// Sums of rotations, the main operation of a linear transform. Memory limits them: each key and each
// factor is read once.
#pragma once

#include "automorphism.cuh"
#include "device.cuh"
#include "modarith_word.cuh"
#include "products.cuh"

namespace ringjet {

// Sums that one launch computes, and words of each polynomial that a thread holds of each.
constexpr u32 SUMS_AT_ONCE = 4;
constexpr u32 SUM_WORDS = 4;

// Words of a term of `rotate_sum`: the view of its key, whose address is 0 if the term has none; the
// Galois element; then for each sum the address of the factor's first limb, the address of its list
// of chosen limbs, and the binary logarithm of how often each run of its words is repeated. In place of an address 0 stands
// for no factor, which leaves the term out, and 1 for the factor 1.
constexpr u32 ROTATION_WORDS = VIEW_WORDS + 1;
constexpr u32 FACTOR_WORDS = 3;
// Binary logarithm of the words of a run of a compact factor (ringjet_backend::repeat).
constexpr u32 LOG_RUN = 3;

// Words of shared memory for a tile in the order of its leaves: two words of padding after every 64, so
// that a warp's accesses need few banks twice.
constexpr u32 LEAVES_SHARED = 512 + 16;
static __device__ __forceinline__ u32 padded_leaf(u32 leaf) { return leaf + 2 * (leaf >> 6); }

// For each sum g: dst_(2g) and dst_(2g+1) = the sum over the terms of factor * sigma(pair), where pair
// = (sum of digits_d key_(2d) + add_0, sum of digits_d key_(2d+1)), or (add_0, add_1) for a term
// without a key, and sigma is the term's automorphism. The old dst is added where `accumulate`.
//
// A block computes a tile of the sums of one limb. For each term it takes the products with the key
// in the tile that sigma maps to this one, and exchanges words in shared memory, where they are in the
// order of their leaves.
template <class A>
__device__ __forceinline__ void rotate_sum(
    Limbs dst, Limbs digits, Limbs add, const List& terms, Words moduli, u32 count, u32 sums, u32 beta, u32 accumulate)
{
    SHARED(typename A::Word, tile, 4 * LEAVES_SHARED);
    const u32 e = (four_neighbours<A>() ? 4 : 2) * threadIdx.x, apart = four_neighbours<A>() ? 2 : 2 * blockDim.x;
    const u32 inside = SUM_WORDS * blockDim.x - 1, i = blockIdx.y;
    const u32 first = blockIdx.x * SUM_WORDS * blockDim.x, c = first + e, n = dst.n, log_n = log2_of(n);
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    typename A::Word sum[SUMS_AT_ONCE][2][SUM_WORDS];
#pragma unroll
    for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
            sum[g][q][0] = sum[g][q][1] = sum[g][q][2] = sum[g][q][3] = A::encode(0, m);
            if (accumulate && g < sums) {
                load_four<A>(sum[g][q], dst.limb<A::BYTES>(2 * g + q, i), c, apart, m);
            }
        }
    }
    // Words c + 1 and c + apart have one more bit in the leaf than word c, which has neither bit.
    const u32 leaf = leaf_of(c, log_n), exponent = exponent_of(leaf, log_n);
    const u32 one = log2_of(leaf_of(1, log_n)), two = log2_of(leaf_of(apart, log_n));
    for (u32 k = 0; k < count; k++) {
        const u32 term = k * (ROTATION_WORDS + FACTOR_WORDS * sums), galois = u32(terms[term + VIEW_WORDS]);
        const u32 buffer = (k & 1) * 2 * LEAVES_SHARED;
        const u32 source = (turned(first, galois, log_n) & ~inside) + e;
        const bool has_key = terms[term] != 0;
        const Limbs key = terms.view(term, n);
        typename A::Word pair[2][SUM_WORDS];
        load_four<A>(pair[0], add.limb<A::BYTES>(0, i), source, apart, m);
        pair[1][0] = pair[1][1] = pair[1][2] = pair[1][3] = A::encode(0, m);
        if (!has_key) {
            load_four<A>(pair[1], add.limb<A::BYTES>(1, i), source, apart, m);
        }
        for (u32 d = 0; has_key && d < beta; d++) {
            typename A::Word x[SUM_WORDS];
            load_four<A>(x, digits.limb<A::BYTES>(d, i), source, apart, m);
#pragma unroll
            for (u32 q = 0; q < 2; q++) {
                typename A::Word y[SUM_WORDS];
                load_four<A, true>(y, key.limb<A::BYTES>(2 * d + q, i), source, apart, m);
#pragma unroll
                for (u32 w = 0; w < SUM_WORDS; w++) {
                    if (d > 0 && is_full<A>(d)) {
                        pair[q][w] = make_room<A>(pair[q][w], m);
                    }
                    pair[q][w] = add_lazy<A>(pair[q][w], A::mul(A::form(x[w], m), y[w], m), m);
                }
            }
        }
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
#pragma unroll
            for (u32 w = 0; w < SUM_WORDS; w++) {
                tile[buffer + q * LEAVES_SHARED + padded_leaf((leaf + ((w & 1) << one) + ((w >> 1) << two)) & inside)] = total<A>(pair[q][w], m);
            }
        }
        __syncthreads();
        if (k > 0 && is_full<A>(k)) { // whether or not all of these terms were parts of each sum
#pragma unroll
            for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
#pragma unroll
                for (u32 w = 0; w < SUM_WORDS; w++) {
                    sum[g][0][w] = make_room<A>(sum[g][0][w], m);
                    sum[g][1][w] = make_room<A>(sum[g][1][w], m);
                }
            }
        }
        const u32 to = exponent * galois + (galois >> 1), by[2] = {galois << (log_n - 1 - one), galois << (log_n - 1 - two)};
#pragma unroll
        for (u32 w = 0; w < SUM_WORDS; w++) {
            const u32 from = buffer + padded_leaf(leaf_of_exponent(to + (w & 1) * by[0] + (w >> 1) * by[1], log_n) & inside);
            pair[0][w] = tile[from];
            pair[1][w] = tile[from + LEAVES_SHARED];
        }
#pragma unroll
        for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
            const u32 factor = term + ROTATION_WORDS + FACTOR_WORDS * g;
            if (g >= sums || terms[factor] == 0) {
                continue;
            }
            if (terms[factor] == 1) {
#pragma unroll
                for (u32 w = 0; w < SUM_WORDS; w++) {
                    sum[g][0][w] = add_canonical<A>(sum[g][0][w], pair[0][w], m);
                    sum[g][1][w] = add_canonical<A>(sum[g][1][w], pair[1][w], m);
                }
                continue;
            }
            const u32 log_times = u32(terms[factor + 2]);
            const Limbs view = {pointer<u64>(terms[factor]), pointer<const u32>(terms[factor + 1]), 0, 1, n >> log_times, 0};
            const u32 log_run = view.n < 1u << LOG_RUN ? log2_of(view.n) : LOG_RUN;
            const Limb<A::BYTES> words = view.limb<A::BYTES>(0, i);
            const auto at = [&](u32 p) { return p >> (log_run + log_times) << log_run | (p & ((1u << log_run) - 1)); };
            typename A::Word by[SUM_WORDS];
            if (four_neighbours<A>() && log_run == LOG_RUN) { // limbs of fewer words are aligned to pairs only
                load_four<A, true>(by, words, at(c), 0, m);
            } else {
                load_pairs<A, true>(by, words, at(c), at(c + apart), m);
            }
#pragma unroll
            for (u32 w = 0; w < SUM_WORDS; w++) {
                by[w] = A::form(by[w], m);
                sum[g][0][w] = add_lazy<A>(sum[g][0][w], A::mul(by[w], pair[0][w], m), m);
                sum[g][1][w] = add_lazy<A>(sum[g][1][w], A::mul(by[w], pair[1][w], m), m);
            }
        }
    }
#pragma unroll
    for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
#pragma unroll
        for (u32 q = 0; q < 2 && g < sums; q++) {
            store_four_totals<A>(dst.limb<A::BYTES>(2 * g + q, i), c, apart, sum[g][q], m);
        }
    }
}

} // namespace ringjet
