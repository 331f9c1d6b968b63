// Operations on the words of polynomials one by one. The tasklets share the words.
#pragma once

#include "field.h"
#include "wram.h"

// Instructions of a loop for each word: loads, stores, pointers and the branch. That of two operands
// is POINTWISE_LOOP_INSTRUCTIONS.
#define ACCUMULATE_LOOP_INSTRUCTIONS 8
#define SCALAR_LOOP_INSTRUCTIONS 4
#define TENSOR_LOOP_INSTRUCTIONS 11

static inline uint32_t combine(uint32_t type, uint32_t x, uint32_t y)
{
    return type == ADD ? field_add(x, y) : type == SUB ? field_sub(x, y) : field_mul(x, y);
}

#if BUFFERED

// With TUPLE, one residue of each tuple; a part has whole tuples, and the other words of `out` become
// those of `a`.
static void binary_words(uint32_t type, uint32_t out, uint32_t a, uint32_t b, uint32_t words)
{
    uint32_t *const x = buffer(), *const y = x + 96;
    const uint32_t first = TUPLE > 1 ? wram.header.residue : 0;
    for (uint32_t done = 0; done < words; done += 96) {
        const uint32_t part = least(96, words - done);
        dpu_charge(CHUNK_INSTRUCTIONS);
        read_words(a + done, x, part);
        read_words(b + done, y, part);
        for (uint32_t i = first; i < part; i += TUPLE) {
            x[i] = combine(type, x[i], y[i]);
            dpu_charge(POINTWISE_LOOP_INSTRUCTIONS);
        }
        write_words(x, out + done, part);
    }
}

static void accumulate_words(uint32_t out, uint32_t a, uint32_t b, uint32_t words)
{
    uint32_t *const x = buffer(), *const y = x + 64, *const z = y + 64;
    for (uint32_t done = 0; done < words; done += 64) {
        const uint32_t part = least(64, words - done);
        dpu_charge(CHUNK_INSTRUCTIONS);
        read_words(a + done, x, part);
        read_words(b + done, y, part);
        read_words(out + done, z, part);
        for (uint32_t i = 0; i < part; i++) {
            z[i] = field_add(z[i], field_mul(x[i], y[i]));
            dpu_charge(ACCUMULATE_LOOP_INSTRUCTIONS);
        }
        write_words(z, out + done, part);
    }
}

static void scalar_words(uint32_t out, uint32_t a, struct factor scalar, uint32_t words)
{
    uint32_t* const x = buffer();
    for (uint32_t done = 0; done < words; done += 192) {
        const uint32_t part = least(192, words - done);
        dpu_charge(CHUNK_INSTRUCTIONS);
        read_words(a + done, x, part);
        for (uint32_t i = 0; i < part; i++) {
            x[i] = field_mul_factor(x[i], scalar);
            dpu_charge(SCALAR_LOOP_INSTRUCTIONS);
        }
        write_words(x, out + done, part);
    }
}

#define TENSOR_WORDS 48

static void tensor_words(uint32_t out, uint32_t a, uint32_t b, uint32_t words)
{
    const uint32_t n = wram.header.length;
    uint32_t *const x0 = buffer(), *const x1 = x0 + TENSOR_WORDS;
    uint32_t *const y0 = x1 + TENSOR_WORDS, *const y1 = y0 + TENSOR_WORDS;
    for (uint32_t done = 0; done < words; done += TENSOR_WORDS) {
        const uint32_t part = least(TENSOR_WORDS, words - done);
        dpu_charge(2 * CHUNK_INSTRUCTIONS);
        read_words(a + done, x0, part);
        read_words(a + n + done, x1, part);
        read_words(b + done, y0, part);
        read_words(b + n + done, y1, part);
        for (uint32_t i = 0; i < part; i++) {
            const uint32_t first = field_mul(x0[i], y0[i]), last = field_mul(x1[i], y1[i]);
            x1[i] = field_add(field_mul(x0[i], y1[i]), field_mul(x1[i], y0[i]));
            x0[i] = first;
            y0[i] = last;
            dpu_charge(TENSOR_LOOP_INSTRUCTIONS);
        }
        write_words(x0, out + done, part);
        write_words(x1, out + n + done, part);
        write_words(y0, out + 2 * n + done, part);
    }
}

#else // each word is read and written by itself

static void binary_words(uint32_t type, uint32_t out, uint32_t a, uint32_t b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        set_word(out + i, combine(type, get_word(a + i), get_word(b + i)));
        dpu_charge(POINTWISE_LOOP_INSTRUCTIONS);
    }
}

static void accumulate_words(uint32_t out, uint32_t a, uint32_t b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t product = field_mul(get_word(a + i), get_word(b + i));
        set_word(out + i, field_add(get_word(out + i), product));
        dpu_charge(ACCUMULATE_LOOP_INSTRUCTIONS);
    }
}

static void scalar_words(uint32_t out, uint32_t a, struct factor scalar, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        set_word(out + i, field_mul_factor(get_word(a + i), scalar));
        dpu_charge(SCALAR_LOOP_INSTRUCTIONS);
    }
}

static void tensor_words(uint32_t out, uint32_t a, uint32_t b, uint32_t words)
{
    const uint32_t n = wram.header.length;
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t x0 = get_word(a + i), x1 = get_word(a + n + i);
        const uint32_t y0 = get_word(b + i), y1 = get_word(b + n + i);
        set_word(out + i, field_mul(x0, y0));
        set_word(out + n + i, field_add(field_mul(x0, y1), field_mul(x1, y0)));
        set_word(out + 2 * n + i, field_mul(x1, y1));
        dpu_charge(TENSOR_LOOP_INSTRUCTIONS);
    }
}

#endif

static void copy_words(uint32_t out, uint32_t a, uint32_t words)
{
    uint32_t* const x = buffer();
    for (uint32_t done = 0; done < words; done += 192) {
        const uint32_t part = least(192, words - done);
        dpu_charge(CHUNK_INSTRUCTIONS);
        read_words(a + done, x, part);
        write_words(x, out + done, part);
    }
}

// One element-wise command; the calling tasklet does its share of the words, in pairs, because
// transfers have 8 bytes.
static void elementwise(struct command c)
{
    const uint32_t pairs = wram.header.length / 2;
    const uint32_t first = 2 * TUPLE * share(pairs, me());
    const uint32_t words = 2 * TUPLE * share(pairs, me() + 1) - first;
    const uint32_t out = polynomial(c.out) + first, a = polynomial(c.a) + first;
    if (c.type == MUL_SCALAR) {
        __dma_aligned uint32_t pair[2];
        read_words(wram.header.scalars + 2 * c.b, pair, 2);
        const struct factor scalar = {pair[0], pair[1]};
        scalar_words(out, a, scalar, words);
    } else if (c.type == COPY) {
        copy_words(out, a, words);
    } else if (c.type == MUL_ACC) {
        accumulate_words(out, a, polynomial(c.b) + first, words);
    } else if (c.type == TENSOR) {
        tensor_words(out, a, polynomial(c.b) + first, words);
    } else {
        binary_words(c.type, out, a, polynomial(c.b) + first, words);
    }
}
