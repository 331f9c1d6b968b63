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
    uint32_t x0 = (uint32_t)a->low, x1 = (uint32_t)(a->low >> 32);
    uint32_t x2 = (uint32_t)a->high, x3 = (uint32_t)(a->high >> 32);
    const uint32_t y0 = (uint32_t)b->low, y1 = (uint32_t)(b->low >> 32);
    const uint32_t y2 = (uint32_t)b->high, y3 = (uint32_t)(b->high >> 32);
    __asm__("add %0, %0, %4\n\taddc %1, %1, %5\n\taddc %2, %2, %6\n\taddc %3, %3, %7"
            : "+&r"(x0), "+&r"(x1), "+&r"(x2), "+r"(x3)
            : "r"(y0), "r"(y1), "r"(y2), "r"(y3));
    out->low = (uint64_t)x1 << 32 | x0;
    out->high = (uint64_t)x3 << 32 | x2;
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
    uint32_t x0 = (uint32_t)a->low, x1 = (uint32_t)(a->low >> 32);
    uint32_t x2 = (uint32_t)a->high, x3 = (uint32_t)(a->high >> 32);
    const uint32_t y0 = (uint32_t)b->low, y1 = (uint32_t)(b->low >> 32);
    const uint32_t y2 = (uint32_t)b->high, y3 = (uint32_t)(b->high >> 32);
    __asm__("sub %0, %0, %4\n\tsubc %1, %1, %5\n\tsubc %2, %2, %6\n\tsubc %3, %3, %7"
            : "+&r"(x0), "+&r"(x1), "+&r"(x2), "+r"(x3)
            : "r"(y0), "r"(y1), "r"(y2), "r"(y3));
    out->low = (uint64_t)x1 << 32 | x0;
    out->high = (uint64_t)x3 << 32 | x2;
#else
    const struct wide difference = {a->low - b->low, a->high - b->high - (a->low < b->low)};
    CHARGE(10);
    *out = difference;
#endif
}
