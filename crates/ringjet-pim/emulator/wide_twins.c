// The functions of dpu/coefficients for the tests, which compare them with the assembly. Each takes
// words, the low one first, and returns what it charges. The file that includes this one defines
// CONFIG, and the switches.

#include "twin.h"

#include "coefficients/remainder.h"
#include "wide_words.h"

static inline struct wider wider_of(const uint32_t* in)
{
    const struct wider x = {wide_of(in), wide_of(in + 4)};
    return x;
}

static inline void put_wider(uint32_t* out, struct wider x)
{
    put_wide(out, x.low);
    put_wide(out + 4, x.high);
}

// Operands: three numbers of 128 bits, the third a modulus; or two of 256 bits.
#define WIDE                                                                            \
    const struct wide a = wide_of(in), b = wide_of(in + 4), m = wide_of(in + 8);        \
    struct wide x
#define WIDER                                                                           \
    struct wider x = wider_of(in);                                                      \
    const struct wider y = wider_of(in + 8)

TWIN(sum128, WIDE; (void)m; sum128(&x, &a, &b); put_wide(out, x))
TWIN(difference128, WIDE; (void)m; difference128(&x, &a, &b); put_wide(out, x))
TWIN(less128, WIDE; (void)m; (void)x; out[0] = less128(&a, &b))
TWIN(mod_add128, WIDE; mod_add128(&x, &a, &b, &m); put_wide(out, x))
TWIN(mod_sub128, WIDE; mod_sub128(&x, &a, &b, &m); put_wide(out, x))
TWIN(mod_mul128, WIDE; mod_mul128(&x, &a, &b, &m); put_wide(out, x))
TWIN(mul128, WIDE; (void)m; (void)x; struct wider y; mul128(&y, &a, &b); put_wider(out, y))
TWIN(sum256, WIDER; sum256(&x, &x, &y); put_wider(out, x))
TWIN(difference256, WIDER; difference256(&x, &x, &y); put_wider(out, x))
TWIN(remainder256, WIDER; remainder256(&x, &y.low); put_wider(out, x))
