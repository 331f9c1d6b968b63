// Declares functions for the tests, of which each returns what it charges.
#pragma once

#include <stdint.h>

static __thread uint32_t charged;
#define CHARGE(instructions) (charged += (instructions))

#define JOIN_(config, name) ringjet_pim_twin_##config##_##name
#define JOIN(config, name) JOIN_(config, name)
#define TWIN(name, body)                                             \
    uint32_t JOIN(CONFIG, name)(const uint32_t* in, uint32_t* out);  \
    uint32_t JOIN(CONFIG, name)(const uint32_t* in, uint32_t* out)   \
    {                                                                \
        charged = 0;                                                 \
        body;                                                        \
        return charged;                                              \
    }
