// Arithmetic modulo the prime of the header. Provisional bodies with the instruction counts of
// docs/design/pim.md.
#pragma once

#include "wram.h"

// A constant factor w, and floor(w 2^32 / m).
struct factor {
    uint32_t value, companion;
};

static inline uint32_t field_reduce(uint64_t v)
{
#if BARRETT
    const uint32_t m = wram.header.modulus;
    const uint32_t shifted = (uint32_t)(v >> (wram.header.bits - 2));
    const uint32_t q = (uint32_t)((uint64_t)shifted * wram.header.barrett >> 32) >> 1;
    const uint32_t x = (uint32_t)v - q * m;
    dpu_charge((OWN_PRODUCT ? 37 + 23 : 134 + 34) + 9);
    return x >= m ? x - m : x;
#else
    dpu_charge(560);
    return (uint32_t)(v % wram.header.modulus);
#endif
}

static inline uint32_t field_mul(uint32_t a, uint32_t b)
{
    dpu_charge(OWN_PRODUCT ? 37 : 134);
    return field_reduce((uint64_t)a * b);
}

static inline uint32_t field_add(uint32_t a, uint32_t b)
{
    const uint32_t m = wram.header.modulus, sum = a + b;
    dpu_charge(COALESCED ? 3 : 4);
    return sum >= m ? sum - m : sum;
}

static inline uint32_t field_sub(uint32_t a, uint32_t b)
{
    const uint32_t m = wram.header.modulus;
    dpu_charge(COALESCED ? 3 : 5);
    return a >= b ? a - b : a - b + m;
}

static inline uint32_t field_mul_factor(uint32_t a, struct factor w)
{
#if SHOUP
    const uint32_t m = wram.header.modulus;
    const uint32_t q = (uint32_t)((uint64_t)a * w.companion >> 32), x = a * w.value - q * m;
    dpu_charge(37 + 23 + 23 + 4);
    return x >= m ? x - m : x;
#else
    return field_mul(a, w.value);
#endif
}

// u + v w and u - v w
static inline void field_forward(uint32_t* u, uint32_t* v, struct factor w)
{
    const uint32_t x = *u, y = field_mul_factor(*v, w);
    *u = field_add(x, y);
    *v = field_sub(x, y);
}

// u + v and (u - v) w
static inline void field_inverse(uint32_t* u, uint32_t* v, struct factor w)
{
    const uint32_t x = *u, y = *v;
    *u = field_add(x, y);
    *v = field_mul_factor(field_sub(x, y), w);
}
