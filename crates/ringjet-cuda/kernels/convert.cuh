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

// The output of a conversion for COUNT coefficients, canonical. The left factors of coefficient u are
// in y, the first at `at + u * step`, each `stride` words after the one before; times[u] is how often
// the product D is subtracted. A factor serves all coefficients.
template <class A, int COUNT>
__device__ __forceinline__ void converted(
    typename A::Word (&out)[COUNT], const Shared<u64>& y, u32 at, u32 step, u32 stride, u32 inputs,
    const typename A::Left (&times)[COUNT], Words factors, const typename A::Modulus& m)
{
    typename A::Sum acc[COUNT];
    const typename A::Right minus = A::right(factors[0]);
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        acc[u] = A::zero();
        A::mac(acc[u], times[u], minus);
    }
    // as many terms at once as registers have room for
#pragma unroll (COUNT == 1 ? 4 : A::LEFT_BITS > 50 ? 1 : 2)
    for (u32 i = 0; i < inputs; i++) {
        const typename A::Right factor = A::right(factors[1 + i]);
        const bool full = (i + 1) % A::TERMS == 0;
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            if (full) {
                A::fold(acc[u], m);
            }
            A::mac(acc[u], word_of<typename A::Left>(y[at + u * step + i * stride]), factor);
        }
    }
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        out[u] = A::reduce(acc[u], m);
    }
}

// Words of a conversion at the beginning of the constants: 0: the index of its own constants; 1:
// number of source limbs in the low half, of outputs in the high half; 2: its first limb of `src` in
// the low half, of `dst` in the high half; 3: unused, as constants begin at even words.
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
    constants = constants + conversion[0];
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
    const Words all = constants + u32(sizeof(Input<A>) / sizeof(u64)) * inputs;
    for (u32 j = g; j < outputs; j += blockDim.y) {
        const Words at = all + j * output_words<A>(inputs);
        const Words factors = at + u32(sizeof(typename A::Modulus) / sizeof(u64));
        const typename A::Modulus m = as<typename A::Modulus>(at)[0];
        typename A::Word out[1];
        converted<A, 1>(out, y, t, 0, width, inputs, times, factors, m);
        dst.limb<A::BYTES>(p, first_output + j).store(c, A::integer(out[0]));
    }
}

// One output of a conversion, as input of the columns: y holds the scaled words of each source limb,
// 2^log_tile each, and then the left factors of the product.
template <class A> struct Converted {
    const Shared<u64>& y;
    Words factors;
    typename A::Modulus m;
    u32 log_columns, log_tile, inputs;

    template <int COUNT> __device__ __forceinline__ void load(typename A::Word (&x)[COUNT], const Group& g) const
    {
        const u32 e = (g.row << log_columns) + g.column, step = 1u << (g.below + log_columns);
        typename A::Left times[COUNT];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            times[u] = word_of<typename A::Left>(y[(inputs << log_tile) + e + u * step]);
        }
        converted<A, COUNT>(x, y, e, step, 1u << log_tile, inputs, times, factors, m);
    }
};

// Binary logarithm of the words of a block of convert_columns, and outputs that it computes at once.
constexpr u32 LOG_CONVERT_TILE = 10;
constexpr u32 OUTPUTS_AT_ONCE = 2;

// Outputs of conversions whose columns are transformed: `count` limbs of polynomial p of dst, from
// limb `first_limb` on; columns from `first` on, in tiles of 2^log_tile words. The factors of output j
// begin at `factors + j * stride`.
struct Outputs {
    const Limbs& dst;
    u32 p, first_limb, count, first, log_rows, log_tile;
    Words factors;
    u32 stride;
};

// The forward columns of outputs. y is as in `Converted`; `tiles` has a tile for each threadIdx.y,
// which share the outputs. `transforms` and `moduli` have an entry for each limb of dst.
template <class A>
__device__ __forceinline__ void converted_columns(
    const Outputs& o, const Shared<u64>& y, u32 inputs, Words transforms, Words moduli,
    const Shared<typename A::Word>& tiles)
{
    const u32 log_columns = o.log_tile - o.log_rows;
    for (u32 before = 0; before < o.count; before += blockDim.y) {
        const u32 j = before + threadIdx.y, own = j < o.count ? j : 0, limb = o.first_limb + own;
        const typename A::Modulus m = as<typename A::Modulus>(moduli)[limb];
        const Columns<A> c = {o.dst.limb<A::BYTES>(o.p, limb).from(o.first), tiles, roots_of<A>(transforms, limb, false), m,
                              o.log_rows, log_columns, threadIdx.y << o.log_tile};
        const Converted<A> in = {y, o.factors + own * o.stride, m, log_columns, o.log_tile, inputs};
        if (j < o.count) {
            forward_levels<A, 0>(c, in);
        }
        if (o.log_rows > 3) {
            __syncthreads();
            if (j < o.count) {
                forward_levels<A, 3>(c, in);
            }
        }
        if (o.log_rows > 6) {
            __syncthreads();
            if (j < o.count) {
                forward_levels<A, 6>(c, in);
            }
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
    SHARED(typename A::Word, tiles, OUTPUTS_AT_ONCE << LOG_CONVERT_TILE);
    const u32 log_columns = LOG_CONVERT_TILE - log_rows, log_tile = LOG_CONVERT_TILE;
    const u32 first = blockIdx.x << log_columns, p = blockIdx.z;
    const Words conversion = constants + CONVERSION_WORDS * blockIdx.y;
    const u32 inputs = u32(conversion[1]), outputs = u32(conversion[1] >> 32);
    const u32 first_input = u32(conversion[2]), first_output = u32(conversion[2] >> 32);
    constants = constants + conversion[0];
    for (u32 e = threadIdx.y * blockDim.x + threadIdx.x; e < 1u << log_tile; e += blockDim.x * blockDim.y) {
        const u32 c = ((e >> log_columns) << LOG_ROW) + first + (e & ((1u << log_columns) - 1));
        u64 sum = 0;
        for (u32 i = 0; i < inputs; i++) {
            y[(i << log_tile) + e] = left_factor<A>(as<Input<A>>(constants)[i], src.limb<A::BYTES>(p, first_input + i).load(c), sum);
        }
        y[(inputs << log_tile) + e] = bits_of(A::number(nearest(sum)));
    }
    __syncthreads();
    const Words all = constants + u32(sizeof(Input<A>) / sizeof(u64)) * inputs + u32(sizeof(typename A::Modulus) / sizeof(u64));
    const Outputs outputs_of = {dst, p, first_output, outputs, first, log_rows, log_tile, all, output_words<A>(inputs)};
    converted_columns<A>(outputs_of, y, inputs, transforms, moduli, tiles);
}

} // namespace ringjet
