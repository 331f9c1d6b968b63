// How a host and the program share MRAM: a header, commands, then polynomials whose coefficients
// are pairs of 64-bit words, the low one first. src/program/coefficients.rs repeats it.
#pragma once

#include "../wide.h"

// At the beginning of MRAM. Offsets are in words of 32 bits from there, and even.
struct header {
    uint32_t length; // of a polynomial: a power of two
    uint32_t commands, data;
    uint32_t command_count, polynomial_count;
    uint32_t unused[3];
    struct wide modulus; // from 2 to 2^127 - 1
};
