// Sums of many polynomials with small weights: out = w1 p1 + w2 p2 + ... The products are collected
// in 64 bits and reduced once, so the sum of the sizes of the weights is below the modulus.
#pragma once

#include "collect.h"
#include "elementwise.h"

// Instructions besides the arithmetic: for each term of a part, for each word of the sums (their
// clearing; the loop of the reduction), and for each term that is checked.
#define TERM_INSTRUCTIONS 14
#define CLEAR_INSTRUCTIONS 3
#define REDUCE_LOOP_INSTRUCTIONS 5
#define CHECK_TERM_INSTRUCTIONS 8

// A term, as it is in MRAM.
struct term {
    uint32_t polynomial;
    int32_t weight;
};

// Reads up to eight terms from number `first` of the scalars.
static void read_terms(uint32_t first, uint32_t count, struct term* to)
{
    dpu_charge(CHUNK_INSTRUCTIONS);
    read_words(wram.header.scalars + 2 * first, (uint32_t*)to, 2 * count);
}

// Whether the terms of a command exist, and whether their sum can be reduced.
static uint32_t check_sum(struct command c)
{
    uint64_t total = 0;
    if ((uint32_t)c.a + c.b > wram.header.scalar_count) {
        return STATUS_NO_SUCH_SCALAR;
    }
    for (uint32_t done = 0; done < c.b; done += TERMS) {
        __dma_aligned struct term terms[TERMS];
        const uint32_t count = least(TERMS, c.b - done);
        read_terms(c.a + done, count, terms);
        for (uint32_t k = 0; k < count; k++) {
            const int32_t weight = terms[k].weight;
            dpu_charge(CHECK_TERM_INSTRUCTIONS);
            if (terms[k].polynomial >= wram.header.polynomial_count) {
                return STATUS_NO_SUCH_POLYNOMIAL;
            }
            if (weight <= -(int32_t)WEIGHT_LIMIT || weight >= (int32_t)WEIGHT_LIMIT) {
                return STATUS_WEIGHT;
            }
            total += weight < 0 ? -weight : weight;
        }
    }
    return total < wram.header.modulus ? STATUS_OK : STATUS_WEIGHT;
}

// Adds up to eight terms to `sums`. `at` is the first word of the part in each polynomial.
static void add_terms(const struct term* terms, uint32_t count, uint32_t at, uint32_t words, uint64_t* sums)
{
    uint32_t* const tile = wram.shared + TILE_WORDS * me();
    uint32_t weights[TERMS] = {0}, plain = 1;
    for (uint32_t k = 0; k < count; k++) {
        const int32_t weight = terms[k].weight;
        uint32_t* const x = tile + PART_WORDS * k;
        dpu_charge(TERM_INSTRUCTIONS);
        read_words(polynomial(terms[k].polynomial) + at, x, words);
        for (uint32_t i = 0; weight < 0 && i < words; i++) {
            x[i] = collect_negated(x[i], wram.header.modulus);
        }
        weights[k] = weight < 0 ? -weight : weight;
        plain &= weights[k] == 1;
    }
    for (uint32_t i = 0; plain && count == TERMS && i < words; i++) {
        sums[i] = collect_eight(sums[i], tile + i, PART_WORDS);
    }
    for (uint32_t k = 0; plain && count < TERMS && k < count; k++) {
        for (uint32_t i = 0; i < words; i++) {
            sums[i] = collect_one(sums[i], tile[PART_WORDS * k + i]);
        }
    }
    // terms that are not there have the weight 0
    for (uint32_t i = 0; !plain && i < words; i++) {
        sums[i] = collect_weighted(sums[i], tile + i, PART_WORDS, weights);
    }
}

// The calling tasklet's share of a sum.
static void weighted_sum(struct command c)
{
    const struct header* const h = &wram.header;
    const uint32_t pairs = h->length / 2, end = 2 * share(pairs, me() + 1);
    uint64_t* const sums = (uint64_t*)buffer();
    uint32_t* const results = wram.shared + TILE_WORDS * me();
    for (uint32_t at = 2 * share(pairs, me()); at < end; at += PART_WORDS) {
        const uint32_t words = least(PART_WORDS, end - at);
        dpu_charge(CHUNK_INSTRUCTIONS);
        for (uint32_t i = 0; i < words; i++) {
            sums[i] = 0;
            dpu_charge(CLEAR_INSTRUCTIONS);
        }
        for (uint32_t done = 0; done < c.b; done += TERMS) {
            __dma_aligned struct term terms[TERMS];
            const uint32_t count = least(TERMS, c.b - done);
            read_terms(c.a + done, count, terms);
            add_terms(terms, count, at, words, sums);
        }
        for (uint32_t i = 0; i < words; i++) {
            results[i] = mod_reduce(sums[i], h->modulus, h->barrett, h->bits);
            dpu_charge(REDUCE_LOOP_INSTRUCTIONS);
        }
        write_words(results, polynomial(c.out) + at, words);
    }
}
