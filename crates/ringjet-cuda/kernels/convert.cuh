// Base conversion: a small matrix product for each coefficient, reduced once per output.
#pragma once

#include "device.cuh"
#include "modarith_word.cuh"

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
        const Input<A> in = as<Input<A>>(constants)[i];
        u64 part;
        const typename A::Word x = scaled<A>(in, src.limb(p, first_input + i)[c], part), centred = A::centre(x, in.m);
        // Centring may subtract the prime d from the word. That takes one product of all primes off
        // the sum, so one is taken off the fractions.
        sum += part - (centred != x ? u64(1) << FRACTION_BITS : 0);
        y[i * width + t] = bits_of(A::left(centred));
    }
    y[(inputs + g) * width + t] = sum;
    __syncthreads();
    sum = 0;
    for (u32 k = 0; k < blockDim.y; k++) {
        sum += y[(inputs + k) * width + t];
    }
    const typename A::Left times = A::number(nearest(sum));
    const Words all = constants + u32(sizeof(Input<A>) / sizeof(u64)) * inputs;
    for (u32 j = g; j < outputs; j += blockDim.y) {
        const Words at = all + j * output_words<A>(inputs);
        const Words factors = at + u32(sizeof(typename A::Modulus) / sizeof(u64));
        const typename A::Modulus m = as<typename A::Modulus>(at)[0];
        typename A::Sum acc = A::zero();
        A::mac(acc, times, A::right(factors[0]));
        for (u32 i = 0; i < inputs; i++) {
            if ((i + 1) % A::TERMS == 0) {
                A::fold(acc, m);
            }
            A::mac(acc, word_of<typename A::Left>(y[i * width + t]), A::right(factors[1 + i]));
        }
        dst.limb(p, first_output + j)[c] = A::integer(A::reduce(acc, m));
    }
}

} // namespace ringjet
