// The kernels' arithmetic on arrays, called by tests/integration/modarith.rs.
#include "modarith_f64.cuh"
#include "modarith_u32.cuh"
#include "modarith_u64.cuh"

#include <cstddef>

using namespace ringjet;

#define EACH for (size_t i = 0; i < n; i++)

// Defines a function on arrays: out[i] = A::NAME(x[i], y[i], m). The macros below do it for other
// signatures.
#define BINARY(A, NAME)                                                                                                        \
    extern "C" void A##_##NAME(const A::Modulus* m, const A::Word* x, const A::Word* y, A::Word* out, size_t n) {              \
        EACH out[i] = A::NAME(x[i], y[i], *m);                                                                                 \
    }
#define UNARY(A, NAME)                                                                                                         \
    extern "C" void A##_##NAME(const A::Modulus* m, const A::Word* x, A::Word* out, size_t n) {                                \
        EACH out[i] = A::NAME(x[i], *m);                                                                                       \
    }
#define BUTTERFLY(A, NAME)                                                                                                     \
    extern "C" void A##_##NAME(const A::Modulus* m, A::Word* x, A::Word* y, const A::Constant* w, size_t n) {                  \
        EACH A::NAME(x[i], y[i], w[i], *m);                                                                                    \
    }

// Whether a sum that `start` begins and `reduce_lazy` ends, as in a base conversion of `terms` limbs, is
// the one that `mac` begins and `reduce` ends.
template <class A>
static bool same_in_a_conversion(const typename A::Modulus& m, const typename A::Word* y, const typename A::Word* w, size_t terms) {
    const i64 small = A::SMALL_START > 3 ? 3 : 0;
    const auto first = A::left(w[0]);
    typename A::Sum s = A::zero(), t = A::start(A::number(small), first);
    A::mac(s, A::number(small), first);
    for (size_t k = 0; k < terms; k++) {
        if ((k + 1) % A::TERMS == 0) {
            A::fold(s, m);
            A::fold(t, m);
        }
        A::mac(s, A::left(y[k]), A::left(w[k]));
        A::mac(t, A::left(y[k]), A::left(w[k]));
    }
    const typename A::Word lazy = A::reduce_lazy(t, m);
    const bool narrow = A::SMALL_START == 0 || m.q < 1024 || (8 * double(lazy) <= A::REDUCED * double(m.q) && 8 * double(lazy) >= -A::REDUCED * double(m.q));
    return narrow && A::decode(lazy, m) == A::integer(A::reduce(s, m));
}

// Sums of `terms` products each, with `fold` as often as necessary. A sum that a conversion would
// compute wrong becomes -1, which is no residue.
template <class A>
static void sums(const typename A::Modulus* m, const typename A::Word* y, const typename A::Word* w, typename A::Word* out, size_t terms,
                 size_t n) {
    EACH {
        typename A::Sum s = A::zero();
        for (size_t k = 0; k < terms; k++) {
            if (k > 0 && k % A::TERMS == 0) A::fold(s, *m);
            A::mac(s, A::left(y[i * terms + k]), A::left(w[i * terms + k]));
        }
        const bool right = same_in_a_conversion<A>(*m, y + i * terms, w + i * terms, terms);
        out[i] = right ? A::reduce(s, *m) : (typename A::Word)-1;
    }
}

#define ARITHMETIC(A)                                                                                                          \
    BINARY(A, mul)                                                                                                             \
    BINARY(A, add)                                                                                                             \
    BINARY(A, sub)                                                                                                             \
    UNARY(A, canonical)                                                                                                        \
    UNARY(A, form)                                                                                                             \
    UNARY(A, centre)                                                                                                           \
    UNARY(A, settle)                                                                                                           \
    BUTTERFLY(A, forward)                                                                                                      \
    BUTTERFLY(A, inverse)                                                                                                      \
    extern "C" void A##_mul_const(const A::Modulus* m, const A::Word* x, const A::Constant* w, A::Word* out, size_t n) {       \
        EACH out[i] = A::mul_const(x[i], w[i], *m);                                                                            \
    }                                                                                                                          \
    extern "C" void A##_encode(const A::Modulus* m, const u64* x, A::Word* out, size_t n) {                                    \
        EACH out[i] = A::encode(x[i], *m);                                                                                     \
    }                                                                                                                          \
    extern "C" void A##_decode(const A::Modulus* m, const A::Word* x, u64* out, size_t n) {                                    \
        EACH out[i] = A::decode(x[i], *m);                                                                                     \
    }                                                                                                                          \
    extern "C" void A##_pack(const A::Modulus* m, const A::Word* x, u64* out, size_t n) {                                      \
        EACH out[i] = A::pack(x[i], *m);                                                                                       \
    }                                                                                                                          \
    extern "C" void A##_unpack(const A::Modulus*, const u64* x, A::Word* out, size_t n) {                                      \
        EACH out[i] = A::unpack(x[i]);                                                                                         \
    }                                                                                                                          \
    extern "C" void A##_sums(const A::Modulus* m, const A::Word* y, const A::Word* w, A::Word* out, size_t terms, size_t n) {  \
        sums<A>(m, y, w, out, terms, n);                                                                                       \
    }                                                                                                                          \
    extern "C" void A##_factor(const A::Modulus* m, const A::Constant* v, const A::Constant* w, A::Word* out, size_t n) {      \
        EACH out[i] = A::factor(v[i], w[i], *m);                                                                               \
    }                                                                                                                          \
    extern "C" void A##_numbers(const A::Modulus* m, const i64* y, const u64* w, A::Word* out, size_t n) {                     \
        EACH {                                                                                                                 \
            A::Sum s = A::zero();                                                                                              \
            A::mac(s, A::number(y[i]), A::right(w[i]));                                                                        \
            out[i] = A::reduce(s, *m);                                                                                         \
        }                                                                                                                      \
    }                                                                                                                          \
    extern "C" void A##_shape(int* out) {                                                                                      \
        const int all[] = {A::TERMS, A::LEFT_BITS, A::CANONICAL, A::SETTLED, A::PRODUCT, A::MUL, A::MUL_IN, A::MOST, A::DECODED, \
                           A::BYTES, A::PACKED, (int)sizeof(A::Modulus), (int)sizeof(A::Constant), (int)alignof(A::Constant)};                      \
        for (int x : all) *out++ = x;                                                                                          \
    }

ARITHMETIC(U32)
ARITHMETIC(U32Unsigned)
ARITHMETIC(F64)
ARITHMETIC(U64Below50)
ARITHMETIC(U64Below61)
ARITHMETIC(F64Below48)
ARITHMETIC(U64Below48)

extern "C" void word_fraction(const u64* y, const u64* ratio, u64* out, int bits, size_t n) {
    EACH out[i] = fraction(y[i], ratio[i], bits);
}
