// Base conversion: a small matrix product for each coefficient, reduced once per output.
#pragma once

#include "device.cuh"
#include "modarith_word.cuh"
#include "ntt.cuh"

namespace ringjet {

constexpr u32 FRACTION_BITS = 50;

// Rounds a sum of fractions (signed, FRACTION_BITS after the point) to the nearest integer.
static __device__ __forceinline__ i64 nearest(u64 sum)
{
    return i64(sum + (u64(1) << (FRACTION_BITS - 1))) >> FRACTION_BITS;
}

// Constants of a source prime d: its modulus, (D/d)^-1, and the two arguments with which `fraction`
// computes r / d.
template <class A> struct Input {
    typename A::Modulus m;
    typename A::Constant inverse;
    u64 ratio, bits;
};

// Number of constant words of an output prime: its modulus; then factors of sums (A::Right): -D
// modulo the prime, and D/d_i modulo the prime for each source prime.
template <class A> __device__ __forceinline__ u32 output_words(u32 inputs)
{
    return sizeof(typename A::Modulus) / sizeof(u64) + 1 + inputs;
}

// The residue times (D/d)^-1, canonical. `part` becomes its fraction of d.
template <class A> __device__ __forceinline__ typename A::Word scaled(const Input<A>& in, u64 residue, u64& part)
{
    const typename A::Word x = A::canonical(A::mul_const(A::encode(residue, in.m), in.inverse, in.m), in.m);
    part = fraction(A::integer(x), in.ratio, int(in.bits));
    return x;
}

// The left factor of a source residue: `scaled`, centred. Adds its fraction of d to `sum`.
template <class A> __device__ __forceinline__ u64 left_factor(const Input<A>& in, u64 residue, u64& sum)
{
    u64 part;
    const typename A::Word x = scaled<A>(in, residue, part), centred = A::centre(x, in.m);
    // Centring may subtract the prime d from the word. That takes one product of all primes off the
    // sum, so one is taken off the fractions.
    sum += part - (centred != x ? u64(1) << FRACTION_BITS : 0);
    return bits_of(A::left(centred));
}

// Outputs of a conversion for COUNT coefficients, of width REDUCED. The left factors of coefficient u
// are in y, the first at `at + u * step`, each `stride` words after the one before; times[u] is how
// often the product D is subtracted, `small` whether that is at most SMALL_START times. The factors of
// output o begin at `factors + o * apart`, its modulus is at `moduli + o * apart_moduli`. Each factor is
// read once for all coefficients, each left factor once for all outputs. There are at most MOST source
// limbs.
template <class A, int COUNT, int OUTPUTS, u32 MOST>
__device__ __forceinline__ void converted(
    typename A::Word (&out)[OUTPUTS][COUNT], const Shared<u64>& y, u32 at, u32 step, u32 stride, u32 inputs,
    const typename A::Left (&times)[COUNT], bool small, const Words& factors, u32 apart,
    const Ptr<const typename A::Modulus>& moduli, u32 apart_moduli)
{
    typename A::Sum sum[OUTPUTS][COUNT];
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        const typename A::Right minus = A::right(factors[o * apart]);
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            if (A::SMALL_START > 0 && small) {
                sum[o][u] = A::start(times[u], minus);
            } else {
                sum[o][u] = A::zero();
                A::mac(sum[o][u], times[u], minus);
            }
        }
    }
    u32 i = 0;
    for (u32 full = A::TERMS - 1; i < inputs; full += A::TERMS) {
        if (MOST >= u32(A::TERMS) && i > 0) {
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++) {
                const typename A::Modulus m = moduli[o * apart_moduli];
#pragma unroll
                for (int u = 0; u < COUNT; u++) {
                    A::fold(sum[o][u], m);
                }
            }
        }
        const u32 end = least(inputs, full);
        // as many terms at once as registers have room for
#pragma unroll (COUNT == 1 ? 4 : A::LEFT_BITS > 50 ? 1 : 2)
        for (; i < end; i++) {
            typename A::Right factor[OUTPUTS];
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++) {
                factor[o] = A::right(factors[o * apart + 1 + i]);
            }
#pragma unroll
            for (int u = 0; u < COUNT; u++) {
                const typename A::Left left = word_of<typename A::Left>(y[at + u * step + i * stride]);
#pragma unroll
                for (int o = 0; o < OUTPUTS; o++) {
                    A::mac(sum[o][u], left, factor[o]);
                }
            }
        }
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        const typename A::Modulus m = moduli[o * apart_moduli];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            out[o][u] = A::reduce_lazy(sum[o][u], m);
        }
    }
}

// Whether the fractions of this number of source residues (at most MOST), each at most 1/2 in size,
// round to at most SMALL_START.
template <class A, u32 MOST> __device__ __forceinline__ bool starts_small(u32 inputs)
{
    constexpr u32 INPUTS = 2 * u32(A::SMALL_START) + 1;
    return MOST <= INPUTS || inputs <= INPUTS;
}

// More source limbs than base_convert can have, and as many as can be in shared memory.
constexpr u32 ANY_INPUTS = 0xffffffff, TILED_INPUTS = 28;

// Words of a conversion, or of a part of one that has some of the outputs, at the beginning of the
// constants: 0: the index of the constants of its source primes in the low half, of its outputs in the
// high half; 1: number of source limbs in the low half, of outputs in the high half; 2: its first limb
// of `src` in the low half, of `dst` in the high half; 3: unused, as constants begin at even words.
constexpr u32 CONVERSION_WORDS = 4;

// A block converts blockDim.x coefficients (the first is blockIdx.x * blockDim.x) of polynomial
// blockIdx.z by conversion blockIdx.y. blockDim.y threads share the source limbs and the outputs of
// one coefficient. Shared memory for each coefficient: a word for each source limb, and one for each
// of its threads.
template <class A> __device__ __forceinline__ void base_convert(Limbs dst, Limbs src, Words constants)
{
    DYNAMIC_SHARED(u64, y);
    const Words conversion = constants + CONVERSION_WORDS * blockIdx.y;
    const u32 inputs = u32(conversion[1]), outputs = u32(conversion[1] >> 32);
    const u32 first_input = u32(conversion[2]), first_output = u32(conversion[2] >> 32);
    const Words all = constants + u32(conversion[0] >> 32);
    constants = constants + u32(conversion[0]);
    const u32 width = blockDim.x, t = threadIdx.x, g = threadIdx.y, c = coefficient(), p = blockIdx.z;
    u64 sum = 0;
    for (u32 i = g; i < inputs; i += blockDim.y) {
        y[i * width + t] = left_factor<A>(as<Input<A>>(constants)[i], src.limb<A::BYTES>(p, first_input + i).load(c), sum);
    }
    y[(inputs + g) * width + t] = sum;
    __syncthreads();
    sum = 0;
    for (u32 k = 0; k < blockDim.y; k++) {
        sum += y[(inputs + k) * width + t];
    }
    const typename A::Left times[1] = {A::number(nearest(sum))};
    for (u32 j = g; j < outputs; j += blockDim.y) {
        const Words at = all + j * output_words<A>(inputs);
        const Words factors = at + u32(sizeof(typename A::Modulus) / sizeof(u64));
        const typename A::Modulus m = as<typename A::Modulus>(at)[0];
        typename A::Word out[1][1];
        converted<A, 1, 1, ANY_INPUTS>(out, y, t, 0, width, inputs, times, starts_small<A, ANY_INPUTS>(inputs), factors, 0, as<typename A::Modulus>(at), 0);
        dst.limb<A::BYTES>(p, first_output + j).store(c, A::decode(out[0][0], m));
    }
}

// Binary logarithm of the words of a block of convert_columns, the groups of its threads, and the
// outputs that a group of threads computes at once. Each output has a tile of its own.
constexpr u32 LOG_CONVERT_TILE = 10;
constexpr u32 CONVERT_GROUPS = 2;
constexpr u32 OUTPUTS_AT_ONCE = 2;

// Outputs of conversions whose columns are transformed: `count` limbs of polynomial p of dst, from
// limb `first_limb` on; columns from `first` on, in tiles of 2^log_tile words. y has the scaled words of
// each source limb, 2^log_tile each, and then the left factors of the product, which are at most
// SMALL_START where `small`. The factors of output j begin at `factors + j * stride`; `transforms` and
// `moduli` have an entry for each limb of dst.
struct Outputs {
    const Limbs& dst;
    u32 p, first_limb, count, first, log_rows, log_tile;
    Words factors;
    u32 stride;
    const Shared<u64>& y;
    u32 inputs;
    bool small;
    Words transforms, moduli;

    // The columns of output j, in tile number `tile` of `tiles`.
    template <class A>
    __device__ __forceinline__ Columns<A> columns(u32 j, const Shared<typename A::Word>& tiles, u32 tile) const
    {
        const u32 limb = first_limb + j;
        const typename A::Modulus m = as<typename A::Modulus>(moduli)[limb];
        return {dst.limb<A::BYTES>(p, limb).from(first), tiles, roots_of<A>(transforms, limb, false), m,
                log_rows, log_tile - log_rows, tile << log_tile};
    }
};

// The first round of R levels, which is not the last one if COUNT > 1, of the COUNT outputs j, j + blockDim.y, ..., in tiles `tile`, `tile` +
// blockDim.y, ...
template <class A, int R, int COUNT>
__device__ __forceinline__ void first_round(const Outputs& o, u32 j, const Shared<typename A::Word>& tiles, u32 tile)
{
    const u32 log_columns = o.log_tile - o.log_rows, step = 1u << (o.log_tile - R);
    const Words factors = o.factors + j * o.stride;
    const Ptr<const typename A::Modulus> m = as<typename A::Modulus>(o.moduli) + (o.first_limb + j);
#pragma unroll 1
    for (u32 run = 0; run < EIGHT >> R; run++) { // a thread has eight words
        const u32 g = threadIdx.x + run * blockDim.x;
        const Group group = {g & ((1u << log_columns) - 1), 0, g >> log_columns, o.log_rows - R};
        typename A::Word x[COUNT][1 << R];
        constexpr u32 PARTS = COUNT > 1 ? 2 : 1, PART = (1 << R) / PARTS; // registers have no room for all sums
#pragma unroll
        for (u32 part = 0; part < PARTS; part++) {
            const u32 e = g + part * PART * step;
            typename A::Left times[PART];
#pragma unroll
            for (u32 u = 0; u < PART; u++) {
                times[u] = word_of<typename A::Left>(o.y[(o.inputs << o.log_tile) + e + u * step]);
            }
            typename A::Word some[COUNT][PART];
            converted<A, PART, COUNT, TILED_INPUTS>(some, o.y, e, step, 1u << o.log_tile, o.inputs, times, o.small, factors,
                blockDim.y * o.stride, m, blockDim.y);
#pragma unroll
            for (u32 k = 0; k < u32(COUNT); k++) {
#pragma unroll
                for (u32 u = 0; u < PART; u++) {
                    x[k][part * PART + u] = some[k][u];
                }
            }
        }
#pragma unroll
        for (u32 k = 0; k < u32(COUNT); k++) {
            const Columns<A> c = o.columns<A>(j + k * blockDim.y, tiles, tile + k * blockDim.y);
            forward_groups<A, R, 0, 1, (COUNT > 1)>(c, x[k], group, A::REDUCED);
        }
    }
}

// The levels from LEVEL on, of `count` outputs.
template <class A, int LEVEL>
__device__ __forceinline__ void later_levels(const Outputs& o, u32 j, u32 count, const Shared<typename A::Word>& tiles)
{
    __syncthreads();
#pragma unroll 1
    for (u32 k = 0; k < count; k++) {
        const Columns<A> c = o.columns<A>(j + k * blockDim.y, tiles, threadIdx.y + k * blockDim.y);
        forward_levels<A, LEVEL>(c, NoInput<A>{}, A::REDUCED);
    }
}

// The forward columns of outputs, at most AT_ONCE of them at once for each threadIdx.y; `tiles` has
// AT_ONCE * blockDim.y tiles.
template <class A, u32 AT_ONCE>
__device__ __forceinline__ void converted_columns(const Outputs& o, const Shared<typename A::Word>& tiles)
{
    for (u32 before = 0; before < o.count; before += AT_ONCE * blockDim.y) {
        const u32 j = before + threadIdx.y;
        const u32 count = j >= o.count ? 0 : AT_ONCE > 1 && j + blockDim.y < o.count ? 2 : 1;
        if (AT_ONCE > 1 && count == 2 && o.log_rows > 3) {
            first_round<A, 3, 2>(o, j, tiles, threadIdx.y);
        } else {
#pragma unroll 1
            for (u32 k = 0; k < count; k++) {
                const u32 own = j + k * blockDim.y, tile = threadIdx.y + k * blockDim.y;
                if (o.log_rows >= 3) {
                    first_round<A, 3, 1>(o, own, tiles, tile);
                } else if (o.log_rows == 2) {
                    first_round<A, 2, 1>(o, own, tiles, tile);
                } else {
                    first_round<A, 1, 1>(o, own, tiles, tile);
                }
            }
        }
        if (o.log_rows > 3) {
            later_levels<A, 3>(o, j, count, tiles);
        }
        if (o.log_rows > 6) {
            later_levels<A, 6>(o, j, count, tiles);
        }
        __syncthreads();
    }
}

// base_convert, followed by ntt_columns on its outputs, which never go to memory before. Conversion
// blockIdx.y, columns blockIdx.x, polynomial blockIdx.z; threadIdx.y shares the outputs. `transforms`
// and `moduli` have an entry for each limb of dst. Shared memory: a tile for each source limb, and
// one more.
template <class A>
__device__ __forceinline__ void convert_columns(
    Limbs dst, Limbs src, Words constants, Words transforms, Words moduli, u32 log_rows)
{
    DYNAMIC_SHARED(u64, y);
    SHARED(typename A::Word, tiles, CONVERT_GROUPS * OUTPUTS_AT_ONCE << LOG_CONVERT_TILE);
    const u32 log_columns = LOG_CONVERT_TILE - log_rows, log_tile = LOG_CONVERT_TILE;
    const u32 first = blockIdx.x << log_columns, p = blockIdx.z;
    const Words conversion = constants + CONVERSION_WORDS * blockIdx.y;
    const u32 inputs = u32(conversion[1]), outputs = u32(conversion[1] >> 32);
    const u32 first_input = u32(conversion[2]), first_output = u32(conversion[2] >> 32);
    const Words all = constants + (u32(conversion[0] >> 32) + u32(sizeof(typename A::Modulus) / sizeof(u64)));
    constants = constants + u32(conversion[0]);
    for (u32 e = threadIdx.y * blockDim.x + threadIdx.x; e < 1u << log_tile; e += blockDim.x * blockDim.y) {
        const u32 c = ((e >> log_columns) << LOG_ROW) + first + (e & ((1u << log_columns) - 1));
        u64 sum = 0;
        for (u32 i = 0; i < inputs; i++) {
            y[(i << log_tile) + e] = left_factor<A>(as<Input<A>>(constants)[i], src.limb<A::BYTES>(p, first_input + i).load(c), sum);
        }
        y[(inputs << log_tile) + e] = bits_of(A::number(nearest(sum)));
    }
    __syncthreads();
    const Outputs converted = {dst, p, first_output, outputs, first, log_rows, log_tile, all, output_words<A>(inputs),
                               y, inputs, starts_small<A, TILED_INPUTS>(inputs), transforms, moduli};
    // sums of integers take more registers
    converted_columns<A, A::SMALL_START == 0 ? 1 : OUTPUTS_AT_ONCE>(converted, tiles);
}

} // namespace ringjet
