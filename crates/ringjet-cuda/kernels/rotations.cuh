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
    const u32 t = threadIdx.x, half = blockDim.x, first = blockIdx.x * SUM_WORDS * half, i = blockIdx.y;
    const u32 n = dst.n, log_n = log2_of(n), inside = SUM_WORDS * half - 1;
    const typename A::Modulus m = as<typename A::Modulus>(moduli)[i];
    typename A::Word sum[SUMS_AT_ONCE][2][SUM_WORDS];
#pragma unroll
    for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
#pragma unroll
            for (u32 w = 0; w < SUM_WORDS; w++) {
                const bool old = accumulate && g < sums;
                sum[g][q][w] = A::encode(old ? dst.limb<A::BYTES>(2 * g + q, i).load(first + t + w * half) : 0, m);
            }
        }
    }
    for (u32 k = 0; k < count; k++) {
        const u32 term = k * (ROTATION_WORDS + FACTOR_WORDS * sums), galois = u32(terms[term + VIEW_WORDS]);
        const u32 buffer = (k & 1) << (LOG_TILE + 1);
        const u32 source = turned(first, galois, log_n) & ~inside;
        const bool has_key = terms[term] != 0;
        const Limbs key = terms.view(term, n);
#pragma unroll
        for (u32 w = 0; w < SUM_WORDS; w++) {
            const u32 e = t + w * half, c = source + e;
            typename A::Word pair[2] = {A::encode(add.limb<A::BYTES>(0, i).load(c), m),
                                        A::encode(has_key ? 0 : add.limb<A::BYTES>(1, i).load(c), m)};
            for (u32 d = 0; has_key && d < beta; d++) {
                const typename A::Word x = A::form(A::encode(digits.limb<A::BYTES>(d, i).load(c), m), m);
#pragma unroll
                for (u32 q = 0; q < 2; q++) {
                    if (d > 0 && is_full<A>(d)) {
                        pair[q] = make_room<A>(pair[q], m);
                    }
                    pair[q] = add_lazy<A>(pair[q], A::mul(x, A::encode(key.limb<A::BYTES>(2 * d + q, i).load(c), m), m), m);
                }
            }
#pragma unroll
            for (u32 q = 0; q < 2; q++) {
                tile[buffer + (q << LOG_TILE) + e] = total<A>(pair[q], m);
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
            const u32 c = first + t + w * half, from = buffer + (turned(c, galois, log_n) & inside);
            const typename A::Word x[2] = {tile[from], tile[from + (1 << LOG_TILE)]};
#pragma unroll
            for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
                const u32 factor = term + ROTATION_WORDS + FACTOR_WORDS * g;
                if (g >= sums || terms[factor] == 0) {
                    continue;
                }
                const bool one = terms[factor] == 1;
                typename A::Word by = x[0];
                if (!one) {
                    const u32 log_times = u32(terms[factor + 2]);
                    const Limbs view = {pointer<u64>(terms[factor]), pointer<const u32>(terms[factor + 1]), 0, 1, n >> log_times, 0};
                    const u32 log_run = view.n < 1u << LOG_RUN ? log2_of(view.n) : LOG_RUN;
                    const u32 at = c >> (log_run + log_times) << log_run | (c & ((1u << log_run) - 1));
                    by = A::form(A::encode(view.limb<A::BYTES>(0, i).load(at), m), m);
                }
#pragma unroll
                for (u32 q = 0; q < 2; q++) {
                    typename A::Word& s = sum[g][q][w];
                    s = one ? add_canonical<A>(s, x[q], m) : add_lazy<A>(s, A::mul(by, x[q], m), m);
                }
            }
        }
    }
#pragma unroll
    for (u32 g = 0; g < SUMS_AT_ONCE; g++) {
        if (g >= sums) {
            continue;
        }
#pragma unroll
        for (u32 q = 0; q < 2; q++) {
#pragma unroll
            for (u32 w = 0; w < SUM_WORDS; w++) {
                dst.limb<A::BYTES>(2 * g + q, i).store(first + t + w * half, A::integer(total<A>(sum[g][q][w], m)));
            }
        }
    }
}

} // namespace ringjet
