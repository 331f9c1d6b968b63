// What crosses primes: sums of polynomials times constants, whose words may be residues modulo
// another prime, and the multiples of a product of primes that a change of primes subtracts
// (`ringjet_math::BaseConversion` has the formulas).
#pragma once

#include "sums.h"

// Instructions of the loops for each word, with loads and stores.
#define COMBINE_LOOP_INSTRUCTIONS 5
#define FRACTION_LOOP_INSTRUCTIONS 8
#define ROUND_LOOP_INSTRUCTIONS 8

// A term of a combination: polynomial * factor. Of a fraction: the bits of the prime, and 2^50 / prime
// as a number of 64 bits in units of 2^-bits.
struct factor_term {
    uint32_t polynomial, bits;
    uint32_t low, high; // a factor and its Shoup companion, or the words of the fraction
};

static struct factor_term read_factor_term(uint32_t scalar)
{
    __dma_aligned struct factor_term term;
    dpu_charge(TERM_INSTRUCTIONS);
    read_words(wram.header.scalars + 2 * scalar, (uint32_t*)&term, 4);
    return term;
}

// Whether the terms of a command exist. Each takes two scalars.
static uint32_t check_factor_terms(struct command c)
{
    if ((uint32_t)c.a + 2u * c.b > wram.header.scalar_count) {
        return STATUS_NO_SUCH_SCALAR;
    }
    for (uint32_t k = 0; k < c.b; k++) {
        const struct factor_term term = read_factor_term(c.a + 2u * k);
        if (term.polynomial >= wram.header.polynomial_count) {
            return STATUS_NO_SUCH_POLYNOMIAL;
        }
        const uint32_t fits = c.type == FRACTION ? term.bits >= 3 && term.bits <= 30 : term.low < wram.header.modulus;
        if (!fits) {
            return STATUS_WEIGHT;
        }
    }
    return STATUS_OK;
}

// out = sum of polynomial * factor. Words of the polynomials may be any below 2^32.
static void combination_part(struct command c, uint32_t at, uint32_t words)
{
    uint32_t *const sums = buffer(), *const x = wram.shared + TILE_WORDS * me();
    const uint32_t m = wram.header.modulus;
    for (uint32_t k = 0; k < c.b; k++) {
        const struct factor_term term = read_factor_term(c.a + 2u * k);
        read_words(polynomial(term.polynomial) + at, x, words);
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t product = shoup_mul(x[i], term.low, term.high, m);
            sums[i] = k == 0 ? product : field_add(sums[i], product);
            dpu_charge(COMBINE_LOOP_INSTRUCTIONS);
        }
    }
    write_words(sums, polynomial(c.out) + at, words);
}

// floor(y fraction / 2^bits), for y below 2^bits and a fraction of at most 51 bits.
static inline uint64_t fraction_product(uint32_t y, struct factor_term term)
{
    const uint64_t low = mul_wide(y, term.low), high = mul_wide(y, term.high) + (low >> 32);
    CHARGE(10); // two additions, and shifts of three words
    return (high << (32 - term.bits)) | ((uint32_t)low >> term.bits);
}

// out = the integer nearest to the sum of y / prime, over the polynomials y.
static void fraction_part(struct command c, uint32_t at, uint32_t words)
{
    uint64_t* const sums = (uint64_t*)buffer();
    uint32_t* const x = wram.shared + TILE_WORDS * me();
    for (uint32_t i = 0; i < words; i++) {
        sums[i] = (uint64_t)1 << 49;
        dpu_charge(CLEAR_INSTRUCTIONS);
    }
    for (uint32_t k = 0; k < c.b; k++) {
        const struct factor_term term = read_factor_term(c.a + 2u * k);
        read_words(polynomial(term.polynomial) + at, x, words);
        for (uint32_t i = 0; i < words; i++) {
            sums[i] += fraction_product(x[i], term);
            dpu_charge(FRACTION_LOOP_INSTRUCTIONS);
        }
    }
    for (uint32_t i = 0; i < words; i++) {
        x[i] = (uint32_t)(sums[i] >> 50);
        dpu_charge(ROUND_LOOP_INSTRUCTIONS);
    }
    write_words(x, polynomial(c.out) + at, words);
}

// The calling tasklet's share of a combination or a fraction.
static void combine_primes(struct command c)
{
    const uint32_t pairs = wram.header.length / 2, end = 2 * share(pairs, me() + 1);
    for (uint32_t at = 2 * share(pairs, me()); at < end; at += PART_WORDS) {
        const uint32_t words = least(PART_WORDS, end - at);
        dpu_charge(CHUNK_INSTRUCTIONS);
        if (c.type == FRACTION) {
            fraction_part(c, at, words);
        } else {
            combination_part(c, at, words);
        }
    }
}
