// Operations on polynomials, each by one tasklet.
#pragma once

#include "memory.h"
#include "remainder.h"

// Instructions of a loop for each coefficient: arguments, pointers, the branch.
#define COEFFICIENT_LOOP_INSTRUCTIONS 7
// Instructions for reading or writing one coefficient besides the transfer, as of get_word in the
// other program: call, return, arguments, address.
#define ONE_COEFFICIENT_INSTRUCTIONS 6
// Of the product of polynomials, for each term: arguments, the sign, the branch.
#define TERM_INSTRUCTIONS 16

static inline void combine(uint32_t type, struct wide* x, const struct wide* y)
{
    const struct wide* const m = &wram.header.modulus;
    if (type == ADD) {
        mod_add128(x, x, y, m);
    } else if (type == SUB) {
        mod_sub128(x, x, y, m);
    } else {
        mod_mul128(x, x, y, m);
    }
}

// Coefficient by coefficient: out = a + b, a - b or a b. The arguments are words of MRAM.
static void element_wise(uint32_t type, uint32_t out, uint32_t a, uint32_t b)
{
    struct wide *const x = wram.buffers[me()], *const y = x + BUFFER_COEFFICIENTS;
    const uint32_t n = wram.header.length;
    for (uint32_t done = 0; done < n; done += BUFFER_COEFFICIENTS) {
        const uint32_t part = least(BUFFER_COEFFICIENTS, n - done), at = COEFFICIENT_WORDS * done;
        dpu_charge(BUFFERED ? CHUNK_INSTRUCTIONS : 3 * ONE_COEFFICIENT_INSTRUCTIONS);
        read_coefficients(a + at, x, part);
        read_coefficients(b + at, y, part);
        for (uint32_t i = 0; i < part; i++) {
            combine(type, x + i, y + i);
            dpu_charge(COEFFICIENT_LOOP_INSTRUCTIONS);
        }
        write_coefficients(x, out + at, part);
    }
}

// out = a b modulo X^n + 1, a coefficient of `out` after the other, each the sum of n terms.
static void schoolbook(uint32_t out, uint32_t a, uint32_t b)
{
    struct wide *const x = wram.buffers[me()], *const y = x + 1, *const sum = x + 2;
    const struct wide* const m = &wram.header.modulus;
    const uint32_t n = wram.header.length;
    for (uint32_t k = 0; k < n; k++) {
        sum->low = sum->high = 0;
        for (uint32_t i = 0; i < n; i++) {
            dpu_charge(TERM_INSTRUCTIONS + 2 * ONE_COEFFICIENT_INSTRUCTIONS);
            read_coefficients(a + COEFFICIENT_WORDS * i, x, 1);
            read_coefficients(b + COEFFICIENT_WORDS * ((k - i) & (n - 1)), y, 1);
            mod_mul128(x, x, y, m);
            if (i > k) { // X^n = -1
                mod_sub128(sum, sum, x, m);
            } else {
                mod_add128(sum, sum, x, m);
            }
        }
        write_coefficients(sum, out + COEFFICIENT_WORDS * k, 1);
    }
}
