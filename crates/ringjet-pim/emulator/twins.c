// The functions of arithmetic.h for the tests, which compare them with the assembly. Each takes
// words and returns what it charges. The file that includes this one defines CONFIG, and the
// switches.

#include "twin.h"

#include "arithmetic.h"
#include "collect.h"
#include "wide_words.h"

static inline void put(uint32_t* out, uint64_t value)
{
    out[0] = (uint32_t)(value >> 32);
    out[1] = (uint32_t)value;
}

// Pairs have the high word first. Constants: modulus, Barrett factor, bits, factor, companion.
#define PAIR(i) ((uint64_t)in[i] << 32 | in[(i) + 1])
#define CONSTANTS(i) in[i], in[(i) + 1], in[(i) + 2]

TWIN(mul_wide, put(out, mul_wide(in[0], in[1])))
TWIN(mul_low, out[0] = mul_low(in[0], in[1]))
TWIN(mul_24, put(out, mul_24(in[0], in[1])))
TWIN(product32, out[0] = compiler_product_32(in[0], in[1]))
TWIN(product64, put(out, compiler_product_64(in[0], in[1])))
TWIN(remainder64, out[0] = compiler_remainder_64(PAIR(0), in[2]))
TWIN(mod_add, out[0] = mod_add(in[0], in[1], in[2]))
TWIN(mod_sub, out[0] = mod_sub(in[0], in[1], in[2]))
TWIN(reduce, out[0] = mod_reduce(PAIR(0), CONSTANTS(2)))
TWIN(mod_mul, out[0] = mod_mul(in[0], in[1], CONSTANTS(2)))
TWIN(mul_factor, out[0] = mod_mul_factor(in[0], in[5], in[6], CONSTANTS(2)))
TWIN(shoup_mul, out[0] = shoup_mul(in[0], in[5], in[6], in[2]))
TWIN(pointwise, out[0] = mod_mul(in[0], in[1], CONSTANTS(2)); CHARGE(POINTWISE_LOOP_INSTRUCTIONS))
TWIN(forward, out[0] = in[0]; out[1] = in[1];
     butterfly_forward(out, out + 1, in[5], in[6], CONSTANTS(2));
     CHARGE(BUTTERFLY_LOOP_INSTRUCTIONS))
TWIN(inverse, out[0] = in[0]; out[1] = in[1];
     butterfly_inverse(out, out + 1, in[5], in[6], CONSTANTS(2));
     CHARGE(BUTTERFLY_LOOP_INSTRUCTIONS))

TWIN(add128, struct wide x = wide_of(in); const struct wide y = wide_of(in + 4);
     add128(&x, &x, &y); put_wide(out, x))
TWIN(sub128, struct wide x = wide_of(in); const struct wide y = wide_of(in + 4);
     sub128(&x, &x, &y); put_wide(out, x))

// A sum, and after it eight words, and eight weights.
TWIN(collect_one, put(out, collect_one(PAIR(0), in[2])))
TWIN(collect_eight, put(out, collect_eight(PAIR(0), in + 2, 1)))
TWIN(collect_weighted, put(out, collect_weighted(PAIR(0), in + 2, 1, in + 10)))
TWIN(collect_negated, out[0] = collect_negated(in[0], in[1]))
