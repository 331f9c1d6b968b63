// Transforms of one polynomial by all tasklets. The polynomial stays in WRAM from the first stage to
// the last; factors are read from MRAM.
#pragma once

#include "order.h"
#include "transform.h"

#if RESIDENT

// Factors that are read at a time.
#define STAGE_FACTORS (64 / FACTOR_WORDS)

// Reads or writes the calling tasklet's share of the polynomial.
static void move_share(uint32_t at, uint32_t write)
{
    const uint32_t pairs = wram.header.length / 2, end = 2 * share(pairs, me() + 1);
    for (uint32_t done = 2 * share(pairs, me()); done < end; done += TILE_WORDS) {
        const uint32_t part = least(TILE_WORDS, end - done);
        dpu_charge(CHUNK_INSTRUCTIONS);
        if (write) {
            write_words(wram.shared + done, at + done, part);
        } else {
            read_words(at + done, wram.shared + done, part);
        }
    }
}

// The butterflies from `k` to `end` - 1 of a stage. Butterfly k is in group k / half.
static void resident_stage(uint32_t log_half, uint32_t k, uint32_t end, uint32_t inverse)
{
    const uint32_t half = 1u << log_half, groups = wram.header.length >> (log_half + 1);
    const uint32_t first = first_twiddle(groups, inverse), last_group = (end - 1) >> log_half;
    const uint32_t* factors = buffer();
    uint32_t known = 0; // factors left in the buffer
    while (k < end) {
        const uint32_t g = k >> log_half, i = k & (half - 1), part = least(half - i, end - k);
        if (known == 0) {
            known = least(STAGE_FACTORS, last_group + 1 - g);
            dpu_charge(CHUNK_INSTRUCTIONS);
            factors = read_factors(first + g, known, inverse, buffer());
        }
        uint32_t* const u = wram.shared + (g << (log_half + 1)) + i;
        dpu_charge(GROUP_INSTRUCTIONS);
        butterflies(u, u + half, part, factor_at(factors), inverse);
        factors += FACTOR_WORDS;
        known--;
        k += part;
    }
}

static void scale_share(void)
{
    const struct factor scale = {wram.header.n_inverse, wram.header.n_inverse_companion};
    const uint32_t pairs = wram.header.length / 2;
    for (uint32_t i = 2 * share(pairs, me()); i < 2 * share(pairs, me() + 1); i++) {
        wram.shared[i] = field_mul_factor(wram.shared[i], scale);
        dpu_charge(SCALAR_LOOP_INSTRUCTIONS);
    }
}

// Instructions to copy a word to or from its position: its leaf, addresses, load, store, loop.
#define POSITION_INSTRUCTIONS 9

// Reads the calling tasklet's share of the positions from MRAM to their leaves in WRAM, or writes
// them from there. order.h has the order.
static void move_positions(uint32_t at, uint32_t write)
{
    const uint32_t pairs = wram.header.length / 2, end = 2 * share(pairs, me() + 1);
    uint32_t* const words = buffer();
    for (uint32_t first = 2 * share(pairs, me()); first < end; first += 192) {
        const uint32_t part = least(192, end - first);
        dpu_charge(CHUNK_INSTRUCTIONS);
        if (!write) {
            read_words(at + first, words, part);
        }
        for (uint32_t i = 0; i < part; i++) {
            const uint32_t p = first + i, leaf = p - p % TILE_WORDS + leaf_of_position(p % TILE_WORDS);
            dpu_charge(POSITION_INSTRUCTIONS);
            if (write) {
                words[i] = wram.shared[leaf];
            } else {
                wram.shared[leaf] = words[i];
            }
        }
        if (write) {
            write_words(words, at + first, part);
        }
    }
}

// With `positions`, evaluations are in the order of positions, and not of leaves.
static void resident_transform(uint32_t at, uint32_t inverse, uint32_t positions)
{
    const uint32_t stages = wram.header.log_length, butterflies_of_all = wram.header.length / 2;
    const uint32_t begin = share(butterflies_of_all, me()), end = share(butterflies_of_all, me() + 1);
    if (positions && inverse) {
        barrier_wait(&all_tasklets); // all have written their shares of the polynomial before
        move_positions(at, 0);
    } else {
        move_share(at, 0);
    }
    barrier_wait(&all_tasklets);
    for (uint32_t s = 0; s < stages; s++) {
        resident_stage(inverse ? s : stages - 1 - s, begin, end, inverse);
        barrier_wait(&all_tasklets);
    }
    if (inverse) {
        scale_share();
    }
    if (positions && !inverse) {
        move_positions(at, 1);
        barrier_wait(&all_tasklets); // before the words of the next polynomial come
    } else {
        // The next polynomial is read into the same share, so no tasklet has to wait.
        move_share(at, 1);
    }
}

#endif

// The polynomials from `begin` to `end` - 1, in place.
static void transforms(uint32_t begin, uint32_t end, uint32_t inverse)
{
#if RESIDENT
    if (wram.header.length <= SHARED_WORDS) {
        for (uint32_t p = begin; p < end; p++) {
            resident_transform(polynomial(p), inverse, 0);
        }
        return;
    }
#endif
    transform_batch(begin, end, inverse);
}

// The same with evaluations in the order of positions. Where the polynomial is in WRAM, they are moved
// as they are written or read.
static void transforms_of_positions(uint32_t begin, uint32_t end, uint32_t inverse)
{
#if RESIDENT
    if (wram.header.length <= SHARED_WORDS) {
        for (uint32_t p = begin; p < end; p++) {
            resident_transform(polynomial(p), inverse, wram.header.length >= TILE_WORDS);
        }
        return;
    }
#endif
    if (inverse) {
        order(begin, end, 0);
        barrier_wait(&all_tasklets);
    }
    transform_batch(begin, end, inverse);
    if (!inverse) {
        barrier_wait(&all_tasklets);
        order(begin, end, 1);
    }
}
