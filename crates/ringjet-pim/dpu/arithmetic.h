// Arithmetic modulo primes of 3 to 30 bits, for a DPU and for the emulator. On the host each
// function charges the instructions that the assembly in assembly/ takes with the same operands;
// the tests compare both. docs/design/pim-arithmetic.md has the counts.
//
// With NINE_PRODUCTS primes have at most 24 bits: the program refuses others.
#pragma once

#include "config.h"
#include "products.h"

// Instructions of a loop besides the arithmetic (assembly/loops.S). Butterflies load and store two
// words; the other loop loads two and stores one.
#define BUTTERFLY_LOOP_INSTRUCTIONS 7
#define POINTWISE_LOOP_INSTRUCTIONS 6

// x mod m for x below 2 m, after one subtraction: `x < m ? x : x - m`.
static inline uint32_t mod_subtract_once_plain(uint32_t x, uint32_t m)
{
    CHARGE(x < m ? 2 : 3);
    return x < m ? x : x - m;
}

// The same; the subtraction is the comparison.
static inline uint32_t mod_subtract_once_coalesced(uint32_t x, uint32_t m)
{
    CHARGE(x < m ? 1 : 2);
#ifdef DPU
    uint32_t difference;
    __asm__("sub %1, %0, %2, ltu, .Lonce%=\n\tmove %0, %1\n.Lonce%=:"
            : "+r"(x), "=&r"(difference)
            : "r"(m));
    return x;
#else
    return x < m ? x : x - m;
#endif
}

static inline uint32_t mod_subtract_once(uint32_t x, uint32_t m)
{
    return COALESCED ? mod_subtract_once_coalesced(x, m) : mod_subtract_once_plain(x, m);
}

// a + b mod m for a and b below m.
static inline uint32_t mod_add(uint32_t a, uint32_t b, uint32_t m)
{
    CHARGE(1);
    return mod_subtract_once(a + b, m);
}

static inline uint32_t mod_sub_plain(uint32_t a, uint32_t b, uint32_t m)
{
    CHARGE(a < b ? 4 : 3);
    return a < b ? a - b + m : a - b;
}

static inline uint32_t mod_sub_coalesced(uint32_t a, uint32_t b, uint32_t m)
{
    CHARGE(a < b ? 2 : 1);
#ifdef DPU
    uint32_t difference;
    __asm__("sub %0, %1, %2, geu, .Lsub%=\n\tadd %0, %0, %3\n.Lsub%=:"
            : "=&r"(difference)
            : "r"(a), "r"(b), "r"(m));
    return difference;
#else
    return a < b ? a - b + m : a - b;
#endif
}

// a - b mod m for a and b below m.
static inline uint32_t mod_sub(uint32_t a, uint32_t b, uint32_t m)
{
    return COALESCED ? mod_sub_coalesced(a, b, m) : mod_sub_plain(a, b, m);
}

// v mod m for v below m^2, where m has `bits` bits and factor = floor(2^(bits + 31) / m). The
// quotient is at most one too small.
static inline uint32_t barrett_reduce(uint64_t v, uint32_t m, uint32_t factor, uint32_t bits)
{
    CHARGE(8);
    const uint32_t shifted = (uint32_t)(v >> (bits - 2));
    const uint32_t q = (uint32_t)(product_64(shifted, factor) >> 32) >> 1;
    return mod_subtract_once((uint32_t)v - product_low(q, m), m);
}

// v mod m for v below m^2.
static inline uint32_t mod_reduce(uint64_t v, uint32_t m, uint32_t factor, uint32_t bits)
{
    return BARRETT ? barrett_reduce(v, m, factor, bits) : compiler_remainder_64(v, m);
}

// a b mod m for a and b below m.
static inline uint32_t mod_mul(uint32_t a, uint32_t b, uint32_t m, uint32_t factor, uint32_t bits)
{
    return mod_reduce(product_of_residues(a, b), m, factor, bits);
}

// a w mod m for any a, a constant factor w below m, and companion = floor(2^32 w / m).
static inline uint32_t shoup_mul(uint32_t a, uint32_t w, uint32_t companion, uint32_t m)
{
    CHARGE(7);
    const uint32_t q = (uint32_t)(product_64(a, companion) >> 32);
    return mod_subtract_once(product_low(a, w) - product_low(q, m), m);
}

// a w mod m with a factor w that stays in a register. `companion` is used with SHOUP, the Barrett
// factor without.
static inline uint32_t mod_mul_factor(uint32_t a, uint32_t w, uint32_t companion, uint32_t m,
                                      uint32_t factor, uint32_t bits)
{
    if (SHOUP) {
        return shoup_mul(a, w, companion, m);
    }
    CHARGE(1);
    return mod_mul(a, w, m, factor, bits);
}

// u + v w and u - v w: a butterfly of the forward transform.
static inline void butterfly_forward(uint32_t* u, uint32_t* v, uint32_t w, uint32_t companion,
                                     uint32_t m, uint32_t factor, uint32_t bits)
{
    const uint32_t x = *u, y = mod_mul_factor(*v, w, companion, m, factor, bits);
    *u = mod_add(x, y, m);
    *v = mod_sub(x, y, m);
}

// u + v and (u - v) w: a butterfly of the inverse transform.
static inline void butterfly_inverse(uint32_t* u, uint32_t* v, uint32_t w, uint32_t companion,
                                     uint32_t m, uint32_t factor, uint32_t bits)
{
    const uint32_t x = *u, y = *v;
    *u = mod_add(x, y, m);
    *v = mod_mul_factor(mod_sub(x, y, m), w, companion, m, factor, bits);
}
