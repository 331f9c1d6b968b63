// Numbers of 128 bits: assembly/wide.S and its twins.
#pragma once

#include "products.h"

// 8-aligned, so that one instruction loads a word.
struct wide {
    uint64_t low, high;
};

// *out = *a + *b modulo 2^128.
static inline void add128(struct wide* out, const struct wide* a, const struct wide* b)
{
#ifdef DPU
    uint64_t x, y;
    __asm__ volatile("ld %0, %3, 0\n\tld %1, %4, 0\n\tadd %L0, %L0, %L1\n\taddc %H0, %H0, %H1\n\tsd %2, 0, %0\n\t"
                     "ld %0, %3, 8\n\tld %1, %4, 8\n\taddc %L0, %L0, %L1\n\taddc %H0, %H0, %H1\n\tsd %2, 8, %0"
                     : "=&r"(x), "=&r"(y) : "r"(out), "r"(a), "r"(b) : "memory");
#else
    const uint64_t low = a->low + b->low;
    const struct wide sum = {low, a->high + b->high + (low < b->low)};
    CHARGE(10);
    *out = sum;
#endif
}

// *out = *a - *b modulo 2^128.
static inline void sub128(struct wide* out, const struct wide* a, const struct wide* b)
{
#ifdef DPU
    uint64_t x, y;
    __asm__ volatile("ld %0, %3, 0\n\tld %1, %4, 0\n\tsub %L0, %L0, %L1\n\tsubc %H0, %H0, %H1\n\tsd %2, 0, %0\n\t"
                     "ld %0, %3, 8\n\tld %1, %4, 8\n\tsubc %L0, %L0, %L1\n\tsubc %H0, %H0, %H1\n\tsd %2, 8, %0"
                     : "=&r"(x), "=&r"(y) : "r"(out), "r"(a), "r"(b) : "memory");
#else
    const struct wide difference = {a->low - b->low, a->high - b->high - (a->low < b->low)};
    CHARGE(10);
    *out = difference;
#endif
}
