// Numbers of 128 bits, and their arithmetic modulo m: assembly/wide128.S and its twins. The
// functions modulo m are calls, the others are inlined.
#pragma once

#include "../wide.h"

#include <stdbool.h>

// Instructions of a call and a return.
#define CALL_INSTRUCTIONS 2

// a < b for 64-bit words: both halves are compared, and one result is chosen.
static inline bool less64(uint64_t a, uint64_t b)
{
    CHARGE((a ^ b) >> 32 ? 4 : 3);
    return a < b;
}

// *out = *a + *b modulo 2^128, by the compiler: two sums, and an increment if the low one
// overflows.
static inline void add128_plain(struct wide* out, const struct wide* a, const struct wide* b)
{
    CHARGE(13);
    const uint64_t low = a->low + b->low;
    const struct wide sum = {low, a->high + b->high + less64(low, b->low)};
    *out = sum;
}

// *out = *a - *b modulo 2^128, by the compiler.
static inline void sub128_plain(struct wide* out, const struct wide* a, const struct wide* b)
{
    CHARGE(12);
    const struct wide difference = {a->low - b->low, a->high - b->high - less64(a->low, b->low)};
    *out = difference;
}

static inline void sum128(struct wide* out, const struct wide* a, const struct wide* b)
{
    (ADD_WITH_CARRY ? add128 : add128_plain)(out, a, b);
}

static inline void difference128(struct wide* out, const struct wide* a, const struct wide* b)
{
    (ADD_WITH_CARRY ? sub128 : sub128_plain)(out, a, b);
}

// *a < *b. The low words are compared if the high ones are equal.
static inline bool less128(const struct wide* a, const struct wide* b)
{
    CHARGE(a->high == b->high ? 7 : 5);
    return a->high == b->high ? less64(a->low, b->low) : less64(a->high, b->high);
}

// *out = *a + *b mod *m for a and b below m.
static void mod_add128(struct wide* out, const struct wide* a, const struct wide* b,
                       const struct wide* m)
{
    CHARGE(CALL_INSTRUCTIONS + 1);
    sum128(out, a, b);
    if (!less128(out, m)) {
        difference128(out, out, m);
    }
}

// *a < *b where the processor has it as a flag.
static inline bool below(const struct wide* a, const struct wide* b)
{
    return a->high < b->high || (a->high == b->high && a->low < b->low);
}

// sub128, which returns whether *a < *b.
static inline bool sub128_borrow(struct wide* out, const struct wide* a, const struct wide* b)
{
#ifdef DPU
    uint32_t x0 = (uint32_t)a->low, x1 = (uint32_t)(a->low >> 32), borrow;
    uint32_t x2 = (uint32_t)a->high, x3 = (uint32_t)(a->high >> 32);
    const uint32_t y0 = (uint32_t)b->low, y1 = (uint32_t)(b->low >> 32);
    const uint32_t y2 = (uint32_t)b->high, y3 = (uint32_t)(b->high >> 32);
    __asm__("sub %0, %0, %5\n\tsubc %1, %1, %6\n\tsubc %2, %2, %7\n\tsubc %3, %3, %8\n\t"
            "subc %4, zero, zero"
            : "+&r"(x0), "+&r"(x1), "+&r"(x2), "+&r"(x3), "=r"(borrow)
            : "r"(y0), "r"(y1), "r"(y2), "r"(y3));
    out->low = (uint64_t)x1 << 32 | x0;
    out->high = (uint64_t)x3 << 32 | x2;
    return borrow;
#else
    const bool less = below(a, b);
    CHARGE(1);
    sub128(out, a, b);
    return less;
#endif
}

// *out = *a - *b mod *m for a and b below m.
static void mod_sub128(struct wide* out, const struct wide* a, const struct wide* b,
                       const struct wide* m)
{
    CHARGE(CALL_INSTRUCTIONS + 1);
    bool less;
    if (COALESCED) {
        less = sub128_borrow(out, a, b);
    } else {
        less = less128(a, b);
        difference128(out, a, b);
    }
    if (less) {
        sum128(out, out, m);
    }
}
