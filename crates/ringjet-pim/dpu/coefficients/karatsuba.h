// The product of 128-bit numbers by Karatsuba's method, from products of 32-bit words:
// assembly/karatsuba.S and its twins. Of a factor a, a0 is the low half and a1 the high one:
// a0 b1 + a1 b0 = a0 b0 + a1 b1 + (a0 - a1) (b1 - b0).
#pragma once

#include "wider.h"

// Instructions besides products, sums, differences and comparisons: moves, loads, stores, branches.
#define MUL64_INSTRUCTIONS (36 + 3 * CALL_INSTRUCTIONS)
#define MUL128_INSTRUCTIONS 62

// *out = a b
static void mul64(struct wide* out, uint64_t a, uint64_t b)
{
    const uint32_t a0 = (uint32_t)a, a1 = (uint32_t)(a >> 32);
    const uint32_t b0 = (uint32_t)b, b1 = (uint32_t)(b >> 32);
    CHARGE(CALL_INSTRUCTIONS + MUL64_INSTRUCTIONS);
    CHARGE((a0 < a1) + (b1 < b0));
    out->low = product_64(a0, b0);
    out->high = product_64(a1, b1);
    struct wide middle = {out->low, 0}, term = {out->high, 0};
    sum128(&middle, &middle, &term);
    term.low = product_64(a0 < a1 ? a1 - a0 : a0 - a1, b1 < b0 ? b0 - b1 : b1 - b0);
    if ((a0 < a1) != (b1 < b0)) {
        difference128(&middle, &middle, &term);
    } else {
        CHARGE(1);
        sum128(&middle, &middle, &term);
    }
    const struct wide shifted = {middle.low << 32, middle.high << 32 | middle.low >> 32};
    sum128(out, out, &shifted);
}

// *out = *a *b
static void mul128(struct wider* out, const struct wide* a, const struct wide* b)
{
    CHARGE(CALL_INSTRUCTIONS + MUL128_INSTRUCTIONS);
    mul64(&out->low, a->low, b->low);
    mul64(&out->high, a->high, b->high);
    struct wider middle = {out->low, {0, 0}}, term = {out->high, {0, 0}};
    sum256(&middle, &middle, &term);
    const bool a_less = less64(a->low, a->high), b_less = less64(b->high, b->low);
    CHARGE(2 * (a_less + b_less));
    mul64(&term.low, a_less ? a->high - a->low : a->low - a->high,
          b_less ? b->low - b->high : b->high - b->low);
    if (a_less != b_less) {
        difference256(&middle, &middle, &term);
    } else {
        CHARGE(1);
        sum256(&middle, &middle, &term);
    }
    const struct wider shifted = {{0, middle.low.low}, {middle.low.high, middle.high.low}};
    sum256(out, out, &shifted);
}
