// Numbers of 256 bits: assembly/wide256.S and its twins. Sums and differences are calls. Those of
// the published program consist of two of 128 bits. With WIDE_CARRY one chain of carries runs
// through all words.
#pragma once

#include "numbers.h"

struct wider {
    struct wide low, high;
};

#ifdef DPU
void ringjet_add256(struct wider* out, const struct wider* a, const struct wider* b);
void ringjet_sub256(struct wider* out, const struct wider* a, const struct wider* b);
#else
// The carry between the halves costs nothing.
static inline void ringjet_add256(struct wider* out, const struct wider* a, const struct wider* b)
{
    add128(&out->low, &a->low, &b->low);
    const struct wide carry = {below(&out->low, &b->low), 0};
    add128(&out->high, &a->high, &b->high);
    out->high.low += carry.low;
    out->high.high += out->high.low < carry.low;
}

static inline void ringjet_sub256(struct wider* out, const struct wider* a, const struct wider* b)
{
    const uint64_t borrow = below(&a->low, &b->low);
    sub128(&out->low, &a->low, &b->low);
    sub128(&out->high, &a->high, &b->high);
    out->high.high -= out->high.low < borrow;
    out->high.low -= borrow;
}
#endif

// *x + 1 and *x - 1 modulo 2^128. The high word is touched where it changes.
static inline void increment128(struct wide* x)
{
    x->low++;
    CHARGE(5);
    if (x->low == 0) {
        x->high++;
        CHARGE(4);
    }
}

static inline void decrement128(struct wide* x)
{
    if (x->low == 0) {
        x->high--;
        CHARGE(4);
    }
    x->low--;
    CHARGE(5);
}

// *out = *a + *b modulo 2^256. `out` may be `a`, not `b`.
static void sum256(struct wider* out, const struct wider* a, const struct wider* b)
{
    CHARGE(CALL_INSTRUCTIONS);
    if (WIDE_CARRY) {
        ringjet_add256(out, a, b);
        return;
    }
    CHARGE(1);
    sum128(&out->low, &a->low, &b->low);
    sum128(&out->high, &a->high, &b->high);
    if (less128(&out->low, &b->low)) {
        increment128(&out->high);
    }
}

// *out = *a - *b modulo 2^256. `out` may be `a`, not `b`.
static void difference256(struct wider* out, const struct wider* a, const struct wider* b)
{
    CHARGE(CALL_INSTRUCTIONS);
    if (WIDE_CARRY) {
        ringjet_sub256(out, a, b);
        return;
    }
    CHARGE(1);
    const bool less = less128(&a->low, &b->low);
    difference128(&out->low, &a->low, &b->low);
    difference128(&out->high, &a->high, &b->high);
    if (less) {
        decrement128(&out->high);
    }
}

// *a < *b. Words are compared from the highest to the first that differs.
static inline bool less256(const struct wider* a, const struct wider* b)
{
    const uint64_t x[4] = {a->high.high, a->high.low, a->low.high, a->low.low};
    const uint64_t y[4] = {b->high.high, b->high.low, b->low.high, b->low.low};
    uint32_t i = 0;
    while (i < 3 && x[i] == y[i]) {
        i++;
    }
    CHARGE(i < 3 ? 5 * i + 5 : 17);
    return less64(x[i], y[i]);
}

// *x / 2
static inline void shift_down256(struct wider* x)
{
    CHARGE(23);
    x->low.low = x->low.low >> 1 | x->low.high << 63;
    x->low.high = x->low.high >> 1 | x->high.low << 63;
    x->high.low = x->high.low >> 1 | x->high.high << 63;
    x->high.high >>= 1;
}
