// How a host and the program of a DPU share MRAM: a header, then 32-bit words. The sections of the
// words begin where the header says. The numbers here are repeated in src/program/layout.rs.
#pragma once

#include "commands.h"

// At the beginning of MRAM.
struct header {
    uint32_t length, log_length; // of a polynomial
    uint32_t modulus;            // of `bits` bits, at most 30
    uint32_t bits;
    uint32_t barrett;            // floor(2^(bits + 31) / modulus)
    uint32_t n_inverse, n_inverse_companion; // 1/length and its Shoup companion
    // Offsets in words from the beginning of MRAM, all even. Scalars are pairs of a factor and its
    // Shoup companion; so are twiddle factors, in programs with SHOUP.
    uint32_t commands, forward, inverse, scalars, data;
    uint32_t command_count, scalar_count, polynomial_count;
    uint32_t residue; // of the tuples, the one that the DPU works on, in programs with TUPLE
};
