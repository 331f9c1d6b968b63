// Parameters of a multiplication of ciphertexts, and the tables on the device.
#pragma once

#include "exact.h"
#include "icrt.cuh"
#include "machine.cuh"

namespace heaan004 {

// q = 2^log_q is the modulus of the ciphertexts, Q = 2^log_big_q that of a new ciphertext.
struct Parameters {
    u32 log_n, log_q, log_big_q;
    // Whether the primes are the largest below 2^30 (tests the ranges), not the smallest above
    // 2^27.
    bool largest_primes;

    u32 n() const { return 1u << log_n; }
    u32 limbs() const { return words_of(log_q); }
    u32 switched_bits() const { return log_q + log_big_q; }
    u32 key_bits() const { return 2 * log_big_q; }
    // Number of primes for products of ciphertexts (region 1 of the paper) and for products with
    // the evaluation key (region 2): with 27 bits each, P exceeds twice every coefficient. This
    // gives the paper's 90 and 134.
    u32 np1() const { return (2 * log_q + log_n + 4 + 26) / 27; }
    u32 np2() const { return (log_q + 2 * log_big_q + log_n + 2 + 26) / 27; }
};

inline Constant constant(u32 w, u32 p) { return {w, u32((u64(w) << 32) / p)}; }

inline std::vector<u32> chosen_primes(const Parameters& parameters) {
    const u32 step = 2 * parameters.n(), count = std::max(parameters.np1(), parameters.np2());
    std::vector<u32> found;
    u32 p = parameters.largest_primes ? (1u << 30) - step + 1 : (1u << 27) + 1;
    for (; found.size() < count; p += parameters.largest_primes ? 0 - step : step) {
        if (p <= 1u << 27 || p >= 1u << 30) {
            std::fprintf(stderr, "too few primes\n");
            std::exit(1);
        }
        if (is_prime(p)) found.push_back(p);
    }
    return found;
}

// A number whose power n is -1 modulo p.
inline u32 root_of(u32 n, u32 p) {
    for (u32 g = 2;; g++) {
        const u32 root = power(g, (p - 1) / (2 * n), p);
        if (power(root, n, p) == p - 1) return root;
    }
}

// The first `np` primes and their product P, for iCRT.
struct Region {
    u32 np;
    Big product, half;  // P and floor(P/2)
    u32 bits, words, stride;

    Buffer<Constant> inverses;
    Buffer<u32> cofactors, product_words, half_words;

    Region(const std::vector<u32>& primes, u32 np) : Region(tables(primes, np)) {}

private:
    struct Tables {
        u32 np;
        Big product, half, cofactors;
        u32 stride;
        std::vector<Constant> inverses;
    };

    explicit Region(const Tables& t)
        : np(t.np),
          product(t.product),
          half(t.half),
          bits(bits_of(t.product)),
          words(u32(t.product.size())),
          stride(t.stride),
          inverses(t.inverses),
          cofactors(t.cofactors),
          product_words(t.product),
          half_words(t.half) {}

    static Tables tables(const std::vector<u32>& primes, u32 np) {
        // P without the prime number `without`
        const auto product_of = [&](u32 without) {
            Big product = {1};
            for (u32 j = 0; j < np; j++) {
                if (j != without) product = times(product, primes[j]);
            }
            return low_bits(product, bits_of(product));
        };
        Tables t;
        t.np = np;
        t.product = product_of(np);
        t.half = shifted_right(t.product, 1);
        t.stride = (u32(t.product.size()) + IcrtProduct::LIMBS - 1) / IcrtProduct::LIMBS * IcrtProduct::LIMBS;
        if (t.product.size() >= MOST_WORDS) {
            std::fprintf(stderr, "P has %zu words, at most %u are possible\n", t.product.size(), MOST_WORDS - 1);
            std::exit(1);
        }
        for (u32 j = 0; j < np; j++) {
            Big cofactor = product_of(j);
            t.inverses.push_back(constant(inverted(modulo(cofactor.data(), cofactor.size(), primes[j]), primes[j]), primes[j]));
            cofactor.resize(t.stride);
            t.cofactors.insert(t.cofactors.end(), cofactor.begin(), cofactor.end());
        }
        return t;
    }
};

// All tables, and memory that the variants of iCRT share.
struct Ring {
    Parameters parameters;
    std::vector<u32> primes, roots;
    u32 powers_stride;
    Region region1, region2;

    Buffer<Prime> device_primes;
    Buffer<u32> powers;
    Buffer<Constant> forward_roots, inverse_roots;

    Buffer<u32> scaled, high, columns;
    Buffer<u64> low;

    explicit Ring(const Parameters& p)
        : parameters(p),
          primes(chosen_primes(p)),
          powers_stride(words_of(p.key_bits())),
          region1(primes, p.np1()),
          region2(primes, p.np2()),
          device_primes(primes.size()),
          powers(primes.size() * powers_stride),
          forward_roots(primes.size() * p.n()),
          inverse_roots(primes.size() * p.n()),
          scaled(primes.size() * p.n()),
          high(size_t(widest().stride) * p.n()),
          columns(size_t(widest().words + 1) * p.n()),
          low(size_t(widest().stride) * p.n()) {
        for (u32 q : primes) roots.push_back(root_of(p.n(), q));
        fill_primes();
        fill_roots();
    }

private:
    const Region& widest() const { return region1.words > region2.words ? region1 : region2; }

    void fill_primes() {
        std::vector<Prime> each;
        std::vector<u32> all_powers;
        for (u32 p : primes) {
            const u64 beta = (u64(1) << 32) % p;
            each.push_back({p, 0, ~u64(0) / p,
                            {constant(1, p), constant(u32(beta), p), constant(u32(beta * beta % p), p)},
                            constant(inverted(parameters.n(), p), p)});
            for (u32 k = 0; k < powers_stride; k++) all_powers.push_back(power(beta, k, p));
        }
        device_primes.upload(each);
        powers.upload(all_powers);
    }

    void fill_roots() {
        const u32 n = parameters.n();
        std::vector<Constant> forward(primes.size() * n), inverse(forward.size());
        for (size_t j = 0; j < primes.size(); j++) {
            const u32 p = primes[j], back = inverted(roots[j], p);
            u64 w = 1, v = 1;
            for (u32 i = 0; i < n; i++) {
                const u32 at = reversed(i, parameters.log_n);
                forward[j * n + at] = constant(u32(w), p);
                inverse[j * n + at] = constant(u32(v), p);
                w = w * roots[j] % p;
                v = v * back % p;
            }
        }
        forward_roots.upload(forward);
        inverse_roots.upload(inverse);
    }
};

}  // namespace heaan004
