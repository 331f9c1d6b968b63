// Numbers of 128 bits as four words, the low one first.
#pragma once

#include "wide.h"

static inline struct wide wide_of(const uint32_t* in)
{
    const struct wide x = {(uint64_t)in[1] << 32 | in[0], (uint64_t)in[3] << 32 | in[2]};
    return x;
}

static inline void put_wide(uint32_t* out, struct wide x)
{
    out[0] = (uint32_t)x.low;
    out[1] = (uint32_t)(x.low >> 32);
    out[2] = (uint32_t)x.high;
    out[3] = (uint32_t)(x.high >> 32);
}
