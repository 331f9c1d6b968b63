// Arithmetic modulo the prime of the header.
#pragma once

#include "arithmetic.h"
#include "wram.h"

// A constant factor w, and its Shoup companion floor(w 2^32 / m), which programs with SHOUP use.
struct factor {
    uint32_t value, companion;
};

static inline uint32_t field_mul(uint32_t a, uint32_t b)
{
    const struct header* const h = &wram.header;
    return mod_mul(a, b, h->modulus, h->barrett, h->bits);
}

static inline uint32_t field_add(uint32_t a, uint32_t b) { return mod_add(a, b, wram.header.modulus); }

static inline uint32_t field_sub(uint32_t a, uint32_t b) { return mod_sub(a, b, wram.header.modulus); }

static inline uint32_t field_mul_factor(uint32_t a, struct factor w)
{
    const struct header* const h = &wram.header;
    return mod_mul_factor(a, w.value, w.companion, h->modulus, h->barrett, h->bits);
}

// The butterfly of a transform, with loads, stores and the loop around it.
static inline void butterfly(uint32_t* u, uint32_t* v, struct factor w, uint32_t inverse)
{
    const struct header* const h = &wram.header;
    dpu_charge(BUTTERFLY_LOOP_INSTRUCTIONS);
    if (inverse) {
        butterfly_inverse(u, v, w.value, w.companion, h->modulus, h->barrett, h->bits);
    } else {
        butterfly_forward(u, v, w.value, w.companion, h->modulus, h->barrett, h->bits);
    }
}
