// Sums of rotations, the main operation of a linear transform. Memory limits them: each key and each
// factor is read once.
#pragma once

#include "automorphism.cuh"
#include "device.cuh"
#include "modarith_word.cuh"
#include "products.cuh"

namespace ringjet {

// Sums that one launch computes, and words of each polynomial that a thread holds of each. The
// words are neighbours.
constexpr u32 SUMS_AT_ONCE = 4;
constexpr u32 SUM_WORDS = 2;

// Words of a term of `rotate_sum`: the view of its key, whose address is 0 if the term has none; the
// Galois element; then for each sum the address of the factor's first limb, the address of its list
// of chosen limbs, and the binary logarithm of how often each run of its words is repeated. In place of an address 0 stands
// for no factor, which leaves the term out, and 1 for the factor 1.
constexpr u32 ROTATION_WORDS = VIEW_WORDS + 1;
constexpr u32 FACTOR_WORDS = 3;
// Binary logarithm of the words of a run of a compact factor (ringjet_backend::repeat).
constexpr u32 LOG_RUN = 3;

// For each sum g: dst_(2g) and dst_(2g+1) = the sum over the terms of factor * sigma(pair), where pair
// = (sum of digits_d key_(2d) + add_0, sum of digits_d key_(2d+1)), or (add_0, add_1) for a term
// without a key, and sigma is the term's automorphism. The old dst is added where `accumulate`.
//
// A block computes a tile of the sums of one limb. For each term it takes the products with the key
// in the tile that sigma maps to this one, and exchanges words in shared memory.
template <class A>
__device__ __forceinline__ void rotate_sum(
    Limbs dst, Limbs digits, Limbs add, const List& terms, Words moduli, u32 count, u32 sums, u32 beta, u32 accumulate)
{
    SHARED(typename A::Word, tile, 4 << LOG_TILE);
    const u32 e = SUM_WORDS * threadIdx.x, inside = SUM_WORDS * blockDim.x - 1, i = blockIdx.y;
    const u32 first = blockIdx.x * SUM_WORDS * blockDim.x, c = first + e, n = dst.n, log_n = log2_of(n);
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    typename A::Word sum[SUMS_AT_ONCE][2][SUM_WORDS];
#pragma unroll
    for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
            sum[g][q][0] = sum[g][q][1] = A::encode(0, m);
            if (accumulate && g < sums) {
                load_pair<A>(sum[g][q], dst.limb<A::BYTES>(2 * g + q, i), c, m);
            }
        }
    }
    for (u32 k = 0; k < count; k++) {
        const u32 term = k * (ROTATION_WORDS + FACTOR_WORDS * sums), galois = u32(terms[term + VIEW_WORDS]);
        const u32 buffer = (k & 1) << (LOG_TILE + 1);
        const u32 source = (turned(first, galois, log_n) & ~inside) + e;
        const bool has_key = terms[term] != 0;
        const Limbs key = terms.view(term, n);
        typename A::Word pair[2][SUM_WORDS];
        load_pair<A>(pair[0], add.limb<A::BYTES>(0, i), source, m);
        pair[1][0] = pair[1][1] = A::encode(0, m);
        if (!has_key) {
            load_pair<A>(pair[1], add.limb<A::BYTES>(1, i), source, m);
        }
        for (u32 d = 0; has_key && d < beta; d++) {
            typename A::Word x[SUM_WORDS];
            load_pair<A>(x, digits.limb<A::BYTES>(d, i), source, m);
#pragma unroll
            for (u32 q = 0; q < 2; q++) {
                typename A::Word y[SUM_WORDS];
                load_pair<A>(y, key.limb<A::BYTES>(2 * d + q, i), source, m);
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
                tile[buffer + (q << LOG_TILE) + e + w] = total<A>(pair[q][w], m);
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
#pragma unroll
        for (u32 w = 0; w < SUM_WORDS; w++) {
            const u32 from = buffer + (turned(c + w, galois, log_n) & inside);
            pair[0][w] = tile[from];
            pair[1][w] = tile[from + (1 << LOG_TILE)];
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
            const u32 at = c >> (log_run + log_times) << log_run | (c & ((1u << log_run) - 1));
            typename A::Word by[SUM_WORDS];
            load_pair<A>(by, view.limb<A::BYTES>(0, i), at, m);
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
            store_totals<A>(dst.limb<A::BYTES>(2 * g + q, i), c, sum[g][q], m);
        }
    }
}

} // namespace ringjet
