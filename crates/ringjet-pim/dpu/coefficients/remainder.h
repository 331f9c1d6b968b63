// The remainder by shifts and subtractions, and products modulo m: assembly/remainder.S and its
// twins.
#pragma once

#include "karatsuba.h"

// The bits of a number of `words` words of 32 bits, the lowest first, at most 8; 0 for zero.
static inline uint32_t bit_length_of(const void* number, uint32_t words)
{
    uint32_t x[8], above = words;
    __builtin_memcpy(x, number, words * sizeof(uint32_t));
    CHARGE(2);
    while (above > 0 && x[above - 1] == 0) {
        above--;
        CHARGE(4);
    }
    CHARGE(above > 0 ? 4 : 1);
    return above > 0 ? 32 * above - 32 + bit_length(x[above - 1]) : 0;
}

// *out = *x 2^shift modulo 2^256. The words are read from between zeros.
static inline void shift_up256(struct wider* out, const struct wide* x, uint32_t shift)
{
    CHARGE(20 + 8 * 10);
    const union {
        uint64_t pairs[8];
        uint32_t words[16];
    } padded = {{0, 0, 0, 0, x->low, x->high, 0, 0}};
    const uint32_t* const from = padded.words + 8 - shift / 32;
    const uint32_t bits = shift % 32;
    uint64_t word[8];
    for (int i = 0; i < 8; i++) {
        word[i] = (uint32_t)(from[i] << bits | from[i - 1] >> 1 >> (31 - bits));
    }
    out->low.low = word[1] << 32 | word[0];
    out->low.high = word[3] << 32 | word[2];
    out->high.low = word[5] << 32 | word[4];
    out->high.high = word[7] << 32 | word[6];
}

// *v mod *m, in place; *m is not 0. The divisor starts as long as *v, and ends as *m: in each step
// it is compared, perhaps subtracted, and shifted down by one.
static void remainder256(struct wider* v, const struct wide* m)
{
    CHARGE(CALL_INSTRUCTIONS + 2);
    const uint32_t of_v = bit_length_of(v, 8);
    if (of_v == 0) {
        return;
    }
    const uint32_t of_m = bit_length_of(m, 4);
    CHARGE(1);
    if (of_v < of_m) {
        return;
    }
    struct wider divisor;
    shift_up256(&divisor, m, of_v - of_m);
    for (uint32_t shift = of_v - of_m;; shift--) {
        CHARGE(2);
        if (!less256(v, &divisor)) {
            CHARGE(3);
            difference256(v, v, &divisor);
        }
        if (shift == 0) {
            return;
        }
        CHARGE(1);
        shift_down256(&divisor);
    }
}

// *out = *a *b mod *m
static void mod_mul128(struct wide* out, const struct wide* a, const struct wide* b,
                       const struct wide* m)
{
    struct wider product;
    CHARGE(CALL_INSTRUCTIONS + 13);
    mul128(&product, a, b);
    remainder256(&product, m);
    *out = product.low;
}
