// Products of rows with a matrix of short integers, in double precision. docs/proofs/gemm.md has the ranges.
//
// A residue is centred and cut in two, x = 2^b h + l, once for all rows of a block. Sums of products of l, and
// of h, with weights are exact for `Cut::terms` products. Then both become one number below 2^51 in size, with
// which the next sum of products of l begins.
#pragma once

#include "device.cuh"
#include "modarith_f64.cuh"
#include "products.cuh"

namespace ringjet {

// Rows and words of the result that a thread computes.
constexpr u32 GEMM_ROWS = 8;
constexpr u32 GEMM_WORDS = 4;

// Two neighbouring numbers, which a GPU reads in one access.
struct alignas(16) Doubles {
    double x, y;
};

// Residues of any number of bytes, as numbers in double precision.
template <int B> struct F64In : F64 {
    static constexpr int BYTES = B;
};

// Constants of a prime. src/gemm.rs makes them of ringjet_math::Cut.
struct Cut {
    F64::Modulus modulus;
    F64::Constant unit; // 2^b
    double inverse;     // 2^-b
    u64 terms;
};

// What a row's sum is multiplied by, and what is added to its first polynomial.
struct RowFactor {
    F64::Constant by;
    double plus;
    double unused;
};

// l and h of two residues.
struct Halves {
    Doubles low, high;
};

static __device__ __forceinline__ void halve(double x, double& low, double& high, const Cut& cut)
{
    const double centred = F64::centre(x, cut.modulus);
    high = __dadd_rn(__fma_rn(centred, cut.inverse, F64::ROUND), -F64::ROUND);
    low = __fma_rn(-high, cut.unit.w, centred);
}

static __device__ __forceinline__ Halves halves(double x, double y, const Cut& cut)
{
    Halves found;
    halve(x, found.low.x, found.high.x, cut);
    halve(y, found.low.y, found.high.y, cut);
    return found;
}

// The sum low + 2^b high, at most q + 2^25 + 1 in size. |low|, |high| <= 2^53.
static __device__ __forceinline__ double joined(double low, double high, const Cut& cut)
{
    const double quotient = __dadd_rn(__fma_rn(high, cut.unit.ratio, F64::ROUND), -F64::ROUND);
    const double rest = __fma_rn(-quotient, cut.modulus.q, __dmul_rn(high, cut.unit.w));
    return __dadd_rn(F64::settle(low, cut.modulus), rest);
}

// For each of `rows` rows m: dst_m = factor_m * sum of weight_(m,k) src_k over `columns` columns, with `plus`
// also the row's constant in the first polynomial, and the old dst where `accumulate`. The result is canonical.
//
// `places` has the addresses of all dst_m, then of all src_k, which are views like dst and like src. Weights
// are numbers: for each tile of rows, column after column, one for each row of the tile; rows beyond the last
// have zeros. `step` columns of a tile are in shared memory at a time. A block computes a tile: blockDim.y
// times GEMM_ROWS rows of blockDim.x times GEMM_WORDS words of one limb.
template <int BYTES>
__device__ __forceinline__ void gemm(
    Limbs dst, Limbs src, const List& places, Words cuts, Words factors, Words weights, u32 rows, u32 columns,
    u32 step, u32 plus, u32 accumulate)
{
    typedef F64In<BYTES> A;
    DYNAMIC_SHARED(Doubles, shared);
    const u32 x = threadIdx.x, y = threadIdx.y, width = blockDim.x, threads = width * blockDim.y;
    const u32 c = GEMM_WORDS * blockIdx.x * width + (four_neighbours<A>() ? 4 : 2) * x, apart = 2 * width;
    const u32 i = blockIdx.y, p = blockIdx.z % dst.polys, tile = blockIdx.z / dst.polys, n = dst.n;
    const Cut cut = as<Cut>(cuts)[i];
    const F64::Modulus m = cut.modulus;
    const u32 pairs = GEMM_ROWS / 2 * blockDim.y; // of weights of a column
    const Ptr<const Doubles> tile_weights = as<Doubles>(weights) + u64(tile) * columns * pairs;
    // shared memory: for each column the low and the high halves of the first two words of each thread, then
    // those of its other two words; after all columns their weights
    const u32 weights_at = GEMM_WORDS * width * step;
    double low[GEMM_ROWS][GEMM_WORDS], high[GEMM_ROWS][GEMM_WORDS];
#pragma unroll
    for (u32 r = 0; r < GEMM_ROWS; r++) {
#pragma unroll
        for (u32 w = 0; w < GEMM_WORDS; w++) {
            low[r][w] = high[r][w] = 0;
        }
    }
    u32 left = u32(cut.terms);
    for (u32 first = 0; first < columns; first += step) {
        const u32 count = least(step, columns - first);
        if (first > 0) {
            __syncthreads();
        }
        for (u32 k = y; k < count; k += blockDim.y) {
            const Limbs view = {pointer<u64>(places[rows + first + k]), src.chosen, src.stride, src.polys, n, 0};
            double words[GEMM_WORDS];
            load_four<A>(words, view.limb<BYTES>(p, i), c, apart, m);
#pragma unroll
            for (u32 w = 0; w < GEMM_WORDS; w += 2) {
                const Halves two = halves(words[w], words[w + 1], cut);
                const u32 at = (GEMM_WORDS * k + w) * width + x;
                shared[at] = two.low;
                shared[at + width] = two.high;
            }
        }
        for (u32 t = y * width + x; t < pairs * count; t += threads) {
            shared[weights_at + t] = tile_weights[u64(pairs) * first + t];
        }
        __syncthreads();
        for (u32 k = 0; k < count; k++) {
            const u32 at = GEMM_WORDS * k * width + x, row = weights_at + pairs * k + GEMM_ROWS / 2 * y;
            const Doubles l0 = shared[at], h0 = shared[at + width];
            const Doubles l2 = shared[at + 2 * width], h2 = shared[at + 3 * width];
            const double l[GEMM_WORDS] = {l0.x, l0.y, l2.x, l2.y}, h[GEMM_WORDS] = {h0.x, h0.y, h2.x, h2.y};
#pragma unroll
            for (u32 r = 0; r < GEMM_ROWS; r += 2) {
                const Doubles weight = shared[row + r / 2];
#pragma unroll
                for (u32 w = 0; w < GEMM_WORDS; w++) {
                    low[r][w] = __fma_rn(weight.x, l[w], low[r][w]);
                    high[r][w] = __fma_rn(weight.x, h[w], high[r][w]);
                    low[r + 1][w] = __fma_rn(weight.y, l[w], low[r + 1][w]);
                    high[r + 1][w] = __fma_rn(weight.y, h[w], high[r + 1][w]);
                }
            }
            left--;
            if (left == 0) {
                left = u32(cut.terms);
#pragma unroll
                for (u32 r = 0; r < GEMM_ROWS; r++) {
#pragma unroll
                    for (u32 w = 0; w < GEMM_WORDS; w++) {
                        low[r][w] = joined(low[r][w], high[r][w], cut);
                        high[r][w] = 0;
                    }
                }
            }
        }
    }
#pragma unroll
    for (u32 r = 0; r < GEMM_ROWS; r++) {
        const u32 row = GEMM_ROWS * (tile * blockDim.y + y) + r;
        if (row < rows) {
            const RowFactor factor = as<RowFactor>(factors)[u64(row) * gridDim.y + i];
            const Limbs view = {pointer<u64>(places[row]), dst.chosen, dst.stride, dst.polys, n, 0};
            const Limb<BYTES> out = view.limb<BYTES>(p, i);
            double sum[GEMM_WORDS] = {0, 0, 0, 0};
            if (accumulate) {
                load_four<A>(sum, out, c, apart, m);
            }
#pragma unroll
            for (u32 w = 0; w < GEMM_WORDS; w++) {
                const double product = F64::mul_const(joined(low[r][w], high[r][w], cut), factor.by, m);
                sum[w] = __dadd_rn(sum[w], __dadd_rn(product, plus && p == 0 ? factor.plus : 0.0));
            }
            store_four_totals<A>(out, c, apart, sum, m);
        }
    }
}

} // namespace ringjet
