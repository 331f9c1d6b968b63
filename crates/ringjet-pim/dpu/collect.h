// Sums of residues with small weights, in 64 bits. As in arithmetic.h, what the host charges is what
// the assembly takes (assembly/collect.S), with the loop around it.
#pragma once

#include "arithmetic.h"

// How many polynomials are added at a time, and how far apart their words are in WRAM.
#define TERMS 8u
#define PART_WORDS 64u

// Weights are below this.
#define WEIGHT_LIMIT 256u

// sum + x, for one word after the other.
static inline uint64_t collect_one(uint64_t sum, uint32_t x)
{
    CHARGE(8);
    return sum + x;
}

// sum + x[0] + x[stride] + ..., eight words.
static inline uint64_t collect_eight(uint64_t sum, const uint32_t* x, uint32_t stride)
{
    CHARGE(29);
    for (uint32_t k = 0; k < TERMS; k++) {
        sum += x[k * stride];
    }
    return sum;
}

// sum + weights[0] x[0] + weights[1] x[stride] + ..., eight words. A product has four products of
// bytes; those of lower and of upper halves of words are added up separately, each below 2^27.
static inline uint64_t collect_weighted(uint64_t sum, const uint32_t* x, uint32_t stride,
                                        const uint32_t* weights)
{
    CHARGE(89);
    uint32_t lower = 0, upper = 0;
    for (uint32_t k = 0; k < TERMS; k++) {
        const uint32_t word = x[k * stride], w = weights[k];
        lower += (word & 0xff) * w + ((((word >> 8) & 0xff) * w) << 8);
        upper += ((word >> 16) & 0xff) * w + (((word >> 24) * w) << 8);
    }
    return sum + lower + ((uint64_t)upper << 16);
}

// m - x, which is m for zero.
static inline uint32_t collect_negated(uint32_t x, uint32_t m)
{
    CHARGE(5);
    return m - x;
}
