// Commands and results, which the programs share. The numbers are repeated in src/program and
// src/error.rs. A program refuses the commands of others.
#pragma once

#include <stdint.h>

// Commands are four 16-bit words: the type and three arguments, mostly indices of polynomials.
// Batch forms work on the polynomials A to B - 1 in place.
enum command_type {
    STOP = 0,
    ADD = 1,           // out = A + B
    SUB = 2,           // out = A - B
    MUL_POINTWISE = 3, // out = A * B
    MUL_ACC = 4,       // out = out + A * B
    MUL_SCALAR = 5,    // out = A * scalar B
    FWD_NTT = 6,       // out
    INV_NTT = 7,       // out
    FWD_NTT_BATCH = 8,
    INV_NTT_BATCH = 9,
    TO_POSITIONS_BATCH = 10, // from the order of leaves to the order of positions
    TO_LEAVES_BATCH = 11,
    // (out, out + 1, out + 2) = (x0 y0, x0 y1 + x1 y0, x1 y1) with x = (A, A + 1), y = (B, B + 1)
    TENSOR = 12,
    // The next command, which is no batch, is done `out` times, each time on the next polynomials.
    REPEAT = 13,
    COPY = 14,       // out = A
    USE_HEADER = 15, // goes on with the header at word 16 * out, which differs in length and modulus
    SUM = 16, // out = sum of b terms from scalar A on, each an index and a weight from -255 to 255
    // out = sum of b terms, two scalars each from scalar A on: an index and 0; a factor and its Shoup
    // companion. Words of the polynomials may be residues modulo another prime.
    COMBINE = 17,
    // out = the integer nearest to the sum of y / prime over b terms, two scalars each from scalar A
    // on: the index of y and the bits of the prime; floor(2^(bits + 50) / prime), low word first.
    FRACTION = 18,
    GATHER = 19, // out[i] = A[B[i]], or its negative where B[i] has the bit of the length
    MUL_POLYNOMIAL = 20, // out = A * B as polynomials, out being neither; coefficients/program.c
    FWD_POSITIONS = 21, // out: FWD_NTT, and evaluations go to the order of positions
    INV_POSITIONS = 22, // out: INV_NTT of evaluations in the order of positions
};

struct command {
    uint16_t type, out, a, b;
};

enum status {
    STATUS_OK = 0,
    STATUS_UNKNOWN_COMMAND = 1,
    STATUS_NO_SUCH_POLYNOMIAL = 2,
    STATUS_NO_SUCH_SCALAR = 3,
    STATUS_HEADER = 4,
    STATUS_TOO_MANY_TASKLETS = 5,
    STATUS_REPEAT = 6,
    STATUS_WEIGHT = 7,
    STATUS_OVERLAP = 8, // tasklets would read polynomials that others write
};

// What the host reads after a launch, as the symbol `result`.
struct result {
    uint32_t status, command; // the command that was refused
    uint64_t cycles;
};
