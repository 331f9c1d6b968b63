// Products of words and the division of the compiler. See arithmetic.h.
#pragma once

#include "config.h"

#include <stdint.h>

// Charges instructions to the running tasklet. A DPU counts for itself.
#ifdef DPU
#define CHARGE(instructions) ((void)0)
#elif !defined(CHARGE)
#include <defs.h>
#define CHARGE(instructions) dpu_charge(instructions)
#endif

// What products are charged. With DUMMY_PRODUCT (as if the processor multiplied words faster) it is
// 83 % less.
#ifndef DUMMY_PRODUCT
#define DUMMY_PRODUCT 0
#endif
#define CHARGE_PRODUCT(instructions) \
    CHARGE(DUMMY_PRODUCT ? ((instructions) * 17 + 50) / 100 : (instructions))

#ifdef DPU
uint64_t ringjet_mul_wide(uint32_t a, uint32_t b);
uint32_t ringjet_mul_low(uint32_t a, uint32_t b);
uint64_t ringjet_mul_24(uint32_t a, uint32_t b);
#endif

// a b, from 16 products of bytes.
static inline uint64_t mul_wide(uint32_t a, uint32_t b)
{
    CHARGE_PRODUCT(37);
#ifdef DPU
    return ringjet_mul_wide(a, b);
#else
    return (uint64_t)a * b;
#endif
}

// The low word of a b, from 10 products of bytes.
static inline uint32_t mul_low(uint32_t a, uint32_t b)
{
    CHARGE_PRODUCT(23);
#ifdef DPU
    return ringjet_mul_low(a, b);
#else
    return a * b;
#endif
}

// a b for a and b below 2^24, from 9 products of bytes.
static inline uint64_t mul_24(uint32_t a, uint32_t b)
{
    CHARGE_PRODUCT(23);
#ifdef DPU
    return ringjet_mul_24(a, b);
#else
    return (uint64_t)a * b;
#endif
}

static inline uint32_t bit_length(uint32_t x)
{
    return x == 0 ? 0 : 32 - (uint32_t)__builtin_clz(x);
}

static inline uint32_t bit_length_64(uint64_t x)
{
    const uint32_t high = (uint32_t)(x >> 32);
    return high != 0 ? 32 + bit_length(high) : bit_length((uint32_t)x);
}

// The low word of a b, by the compiler: a step for each bit of the smaller factor.
static inline uint32_t compiler_product_32(uint32_t a, uint32_t b)
{
#ifndef DPU
    const uint32_t steps = bit_length(a < b ? a : b);
    CHARGE_PRODUCT(7 + (steps > 0 ? steps : 1));
#endif
    return a * b;
}

// a b, by the compiler, which multiplies 64-bit words. The count is that of the literature.
static inline uint64_t compiler_product_64(uint64_t a, uint64_t b)
{
    CHARGE_PRODUCT(134);
    return a * b;
}

// v mod m, by the compiler, for v below 2^31 m. The count is that of assembly/compiler.S, which
// follows the vendor's library: a step for each bit of the quotient, and more for each that is set.
static inline uint32_t compiler_remainder_64(uint64_t v, uint32_t m)
{
#ifndef DPU
    const uint32_t one_word = v >> 32 == 0, of_v = bit_length_64(v), of_m = bit_length(m);
    const uint32_t steps = of_v - of_m + 1;
    CHARGE(v < m ? 5 : 14 + (one_word ? 2 : 0) + 15 * steps + 3 * (uint32_t)__builtin_popcountll(v / m));
#endif
    return (uint32_t)(v % m);
}

static inline uint64_t product_64(uint32_t a, uint32_t b)
{
    return OWN_PRODUCT ? mul_wide(a, b) : compiler_product_64(a, b);
}

static inline uint32_t product_low(uint32_t a, uint32_t b)
{
    return OWN_PRODUCT ? mul_low(a, b) : compiler_product_32(a, b);
}

// A product of residues: with NINE_PRODUCTS the modulus is below 2^24.
static inline uint64_t product_of_residues(uint32_t a, uint32_t b)
{
    return OWN_PRODUCT && NINE_PRODUCTS ? mul_24(a, b) : product_64(a, b);
}
