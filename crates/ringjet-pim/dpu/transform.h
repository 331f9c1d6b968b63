// Transforms of one polynomial in MRAM by one tasklet, in place. The coefficients pass through the
// tasklet's buffer once for each stage.
//
// A stage has groups of 2 * half words that share a factor. The forward transform begins with one
// group, the inverse ends with one.
#pragma once

#include "elementwise.h"
#include "twiddles.h"

// Instructions of the loop over groups for each group.
#define GROUP_INSTRUCTIONS 12

// The butterflies of `words` neighbours in WRAM.
static void butterflies(uint32_t* u, uint32_t* v, uint32_t words, struct factor w, uint32_t inverse)
{
    for (uint32_t i = 0; i < words; i++) {
        butterfly(u + i, v + i, w, inverse);
    }
}

#if !BUFFERED

// A group of butterflies at word `at` of MRAM.
static void group(uint32_t at, uint32_t half, struct factor w, uint32_t inverse)
{
    for (uint32_t i = at; i < at + half; i++) {
        uint32_t u = get_word(i), v = get_word(i + half);
        butterfly(&u, &v, w, inverse);
        set_word(i, u);
        set_word(i + half, v);
    }
}

#else

// Half of the words that hold coefficients.
#define HALF_BUFFER_WORDS (!SCRAMBLED ? 96u : SHOUP ? 32u : 64u)

static void group(uint32_t at, uint32_t half, struct factor w, uint32_t inverse)
{
    uint32_t *const u = buffer(), *const v = u + HALF_BUFFER_WORDS;
    if (half == 1) { // both words are in one transfer
        read_words(at, u, 2);
        butterfly(u, u + 1, w, inverse);
        write_words(u, at, 2);
        return;
    }
    for (uint32_t done = 0; done < half; done += HALF_BUFFER_WORDS) {
        const uint32_t part = least(HALF_BUFFER_WORDS, half - done);
        dpu_charge(CHUNK_INSTRUCTIONS);
        read_words(at + done, u, part);
        read_words(at + half + done, v, part);
        butterflies(u, v, part, w, inverse);
        write_words(u, at + done, part);
        write_words(v, at + half + done, part);
    }
}

#endif

static void stage_by_groups(uint32_t at, uint32_t half, uint32_t inverse)
{
    const uint32_t groups = wram.header.length / (2 * half), first = first_twiddle(groups, inverse);
    for (uint32_t i = 0; i < groups; i++) {
        // Without scrambled factors the inverse goes backwards, as it reads the table backwards.
        const uint32_t g = inverse && !SCRAMBLED ? groups - 1 - i : i;
        dpu_charge(GROUP_INSTRUCTIONS);
        group(at + 2 * half * g, half, get_factor(first + g, inverse), inverse);
    }
}

#if BUFFERED && SCRAMBLED

// A stage whose groups are no larger than the buffer: the buffer is filled with neighbouring groups,
// and their factors are read together.
static void stage_by_buffers(uint32_t at, uint32_t half, uint32_t inverse)
{
    const uint32_t n = wram.header.length, first = first_twiddle(n / (2 * half), inverse);
    const uint32_t size = least(2 * HALF_BUFFER_WORDS, n), groups = size / (2 * half);
    uint32_t *const words = buffer(), *const factors = words + 2 * HALF_BUFFER_WORDS;
    for (uint32_t done = 0; done < n; done += size) {
        dpu_charge(CHUNK_INSTRUCTIONS);
        const uint32_t* w = read_factors(first + done / (2 * half), groups, inverse, factors);
        read_words(at + done, words, size);
        for (uint32_t g = 0; g < groups; g++, w += FACTOR_WORDS) {
            uint32_t* const u = words + 2 * half * g;
            dpu_charge(GROUP_INSTRUCTIONS);
            butterflies(u, u + half, half, factor_at(w), inverse);
        }
        write_words(words, at + done, size);
    }
}

#endif

static void stage(uint32_t at, uint32_t half, uint32_t inverse)
{
#if BUFFERED && SCRAMBLED
    if (half <= HALF_BUFFER_WORDS) {
        stage_by_buffers(at, half, inverse);
        return;
    }
#endif
    stage_by_groups(at, half, inverse);
}

static void forward_transform(uint32_t at)
{
    for (uint32_t half = wram.header.length / 2; half > 0; half /= 2) {
        stage(at, half, 0);
    }
}

static void inverse_transform(uint32_t at)
{
    for (uint32_t half = 1; half < wram.header.length; half *= 2) {
        stage(at, half, 1);
    }
    const struct factor scale = {wram.header.n_inverse, wram.header.n_inverse_companion};
    scalar_words(at, at, scale, wram.header.length);
}

// Each tasklet transforms polynomials of its own.
static void transform_batch(uint32_t begin, uint32_t end, uint32_t inverse)
{
    for (uint32_t p = begin + me(); p < end; p += NR_TASKLETS) {
        if (inverse) {
            inverse_transform(polynomial(p));
        } else {
            forward_transform(polynomial(p));
        }
    }
}
