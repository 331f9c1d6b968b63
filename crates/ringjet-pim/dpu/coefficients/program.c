// A program on polynomials with coefficients of up to 127 bits, as one writes it before residue
// number systems and transforms: the first published experiments. Each tasklet has polynomials of
// its own: REPEAT says how many there are, and tasklet t takes every NR_TASKLETS-th of them.

#include "polynomials.h"

#define MOST_LENGTH (1u << 15)

static inline uint32_t exist(uint32_t first, uint32_t count)
{
    return first + count <= wram.header.polynomial_count;
}

static uint32_t check_header(void)
{
    const struct header* const h = &wram.header;
    const uint32_t n = h->length, offsets = h->commands | h->data;
    if (NR_TASKLETS > MOST_PROGRAM_TASKLETS) {
        return STATUS_TOO_MANY_TASKLETS;
    }
    const struct wide m = h->modulus;
    const bool modulus_fits = m.high >> 63 == 0 && (m.high > 0 || m.low > 1);
    const bool length_fits = n >= 8 && n <= MOST_LENGTH && (n & (n - 1)) == 0;
    return modulus_fits && length_fits && !(offsets & 1) ? STATUS_OK : STATUS_HEADER;
}

static uint32_t use_header(uint32_t index)
{
    (void)index;
    return STATUS_UNKNOWN_COMMAND;
}

// Whether two ranges of `count` polynomials share some, without being the same.
static inline uint32_t overlap(uint32_t first, uint32_t second, uint32_t count)
{
    return first != second && first < second + count && second < first + count;
}

// Whether command `c`, done `times` times, can be done.
static uint32_t check(struct command c, uint32_t times)
{
    if (c.type != ADD && c.type != SUB && c.type != MUL_POINTWISE && c.type != MUL_POLYNOMIAL) {
        return STATUS_UNKNOWN_COMMAND;
    }
    if (!exist(c.out, times) || !exist(c.a, times) || !exist(c.b, times)) {
        return STATUS_NO_SUCH_POLYNOMIAL;
    }
    if (c.type == MUL_POLYNOMIAL && (c.out == c.a || c.out == c.b)) {
        return STATUS_OVERLAP;
    }
    const uint32_t found = overlap(c.out, c.a, times) || overlap(c.out, c.b, times);
    return found ? STATUS_OVERLAP : STATUS_OK;
}

static void execute(struct command c, uint32_t times)
{
    for (uint32_t i = me(); i < times; i += NR_TASKLETS) {
        const uint32_t out = polynomial(c.out + i);
        const uint32_t a = polynomial(c.a + i), b = polynomial(c.b + i);
        if (c.type == MUL_POLYNOMIAL) {
            schoolbook(out, a, b);
        } else {
            element_wise(c.type, out, a, b);
        }
    }
}

#include "../main.h"
