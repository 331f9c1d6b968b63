// The program of a DPU: runs the commands that the host has written into MRAM.

#include "combine.h"
#include "gather.h"
#include "order.h"
#include "resident.h"

#define MOST_BITS (NINE_PRODUCTS ? 24u : 30u) // of a modulus

// Whether the polynomials from `first` to `first + count - 1` exist.
static inline uint32_t exist(uint32_t first, uint32_t count)
{
    return TUPLE * (first + count) <= wram.header.polynomial_count;
}

static uint32_t check_header(void)
{
    const struct header* const h = &wram.header;
    const uint32_t offsets = h->commands | h->forward | h->inverse | h->scalars | h->data;
    if (NR_TASKLETS > MOST_PROGRAM_TASKLETS) {
        return STATUS_TOO_MANY_TASKLETS;
    }
    if (h->residue >= TUPLE) {
        return STATUS_HEADER;
    }
    const uint32_t fits = h->log_length >= 3 && h->log_length <= 15 && h->length == 1u << h->log_length;
    return fits && h->bits >= 3 && h->bits <= MOST_BITS && !(offsets & 1) ? STATUS_OK : STATUS_HEADER;
}

// Whether command `c`, done `times` times, can be done.
static uint32_t check(struct command c, uint32_t times)
{
    uint32_t found = 1;
    if (TUPLE > 1 && c.type != ADD && c.type != SUB && c.type != MUL_POINTWISE) {
        return STATUS_UNKNOWN_COMMAND;
    }
    switch (c.type) {
    case ADD:
    case SUB:
    case MUL_POINTWISE:
    case MUL_ACC:
        found = exist(c.out, times) && exist(c.a, times) && exist(c.b, times);
        break;
    case MUL_SCALAR:
        if (c.b >= wram.header.scalar_count) {
            return STATUS_NO_SUCH_SCALAR;
        }
        found = exist(c.out, times) && exist(c.a, times);
        break;
    case COPY: found = exist(c.out, times) && exist(c.a, times); break;
    case TENSOR: found = exist(c.out, 3 * times) && exist(c.a, 2 * times) && exist(c.b, 2 * times); break;
    case FWD_NTT:
    case INV_NTT:
    case FWD_POSITIONS:
    case INV_POSITIONS: found = exist(c.out, times); break;
    case FWD_NTT_BATCH:
    case INV_NTT_BATCH:
    case TO_POSITIONS_BATCH:
    case TO_LEAVES_BATCH:
        found = c.a <= c.b && exist(c.b, 0);
        return !found ? STATUS_NO_SUCH_POLYNOMIAL : times == 1 ? STATUS_OK : STATUS_REPEAT;
    case GATHER:
        found = exist(c.out, 1) && exist(c.a, 1) && exist(c.b, 1);
        if (found && (c.out == c.a || c.out == c.b)) {
            return STATUS_OVERLAP;
        }
        return !found ? STATUS_NO_SUCH_POLYNOMIAL : times == 1 ? STATUS_OK : STATUS_REPEAT;
    case SUM:
    case COMBINE:
    case FRACTION:
        if (!exist(c.out, 1)) {
            return STATUS_NO_SUCH_POLYNOMIAL;
        }
        return times != 1 ? STATUS_REPEAT : c.type == SUM ? check_sum(c) : check_factor_terms(c);
    default: return STATUS_UNKNOWN_COMMAND;
    }
    return found ? STATUS_OK : STATUS_NO_SUCH_POLYNOMIAL;
}

static void execute(struct command c, uint32_t times)
{
    switch (c.type) {
    case FWD_NTT:
    case INV_NTT: transforms(c.out, c.out + times, c.type == INV_NTT); return;
    case FWD_POSITIONS:
    case INV_POSITIONS: transforms_of_positions(c.out, c.out + times, c.type == INV_POSITIONS); return;
    case FWD_NTT_BATCH:
    case INV_NTT_BATCH: transforms(c.a, c.b, c.type == INV_NTT_BATCH); return;
    case TO_POSITIONS_BATCH:
    case TO_LEAVES_BATCH: order(c.a, c.b, c.type == TO_POSITIONS_BATCH); return;
    case SUM: weighted_sum(c); return;
    case COMBINE:
    case FRACTION: combine_primes(c); return;
    case GATHER: gather(c); return;
    }
    const uint32_t outs = c.type == TENSOR ? 3 : 1, ins = c.type == TENSOR ? 2 : 1;
    for (uint32_t i = 0; i < times; i++) {
        elementwise(c);
        c.out += outs;
        c.a += ins;
        c.b += c.type == MUL_SCALAR ? 0 : ins;
    }
}

// Goes on with another header, which has the same commands. Nobody may use the old one any more.
static uint32_t use_header(uint32_t index)
{
    barrier_wait(&all_tasklets);
    if (sizeof(struct header) / 4 * (index + 1) > wram.header.commands) {
        return STATUS_HEADER;
    }
    barrier_wait(&all_tasklets);
    if (me() == 0) {
        read_words(sizeof(struct header) / 4 * index, (uint32_t*)&wram.header, sizeof wram.header / 4);
    }
    barrier_wait(&all_tasklets);
    return check_header();
}

#include "main.h"
