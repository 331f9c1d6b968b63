// Big integers on the host, word by word: the slow, obvious computations that heaan004.cu's results
// are compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace heaan004 {

typedef std::vector<u32> Big;  // the lowest word first

// Sebastiano Vigna's splitmix64.
struct Random {
    u64 state;

    u64 next() {
        u64 z = state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    u32 below(u32 n) { return u32((next() >> 32) * n >> 32); }
};

inline u32 words_of(u32 bits) { return (bits + 31) / 32; }
// The bits of the last of these words.
inline u32 mask_of(u32 bits) { return bits % 32 == 0 ? ~u32(0) : (1u << bits % 32) - 1; }

inline u32 modulo(const u32* x, size_t words, u32 p) {
    u64 r = 0;
    while (words-- > 0) r = (r << 32 | x[words]) % p;
    return u32(r);
}

inline u32 power(u64 base, u64 exponent, u32 p) {
    u64 result = 1;
    for (base %= p; exponent > 0; exponent /= 2) {
        if (exponent & 1) result = result * base % p;
        base = base * base % p;
    }
    return u32(result);
}

inline u32 inverted(u32 x, u32 p) { return power(x, p - 2, p); }

inline bool is_prime(u32 n) {
    if (n < 2 || n % 2 == 0) return n == 2;
    for (u64 d = 3; d * d <= n; d += 2) {
        if (n % d == 0) return false;
    }
    return true;
}

inline u32 bits_of(const Big& x) {
    for (size_t bits = 32 * x.size(); bits-- > 0;) {
        if (x[bits / 32] >> bits % 32 & 1) return u32(bits + 1);
    }
    return 0;
}

inline Big times(const Big& x, u32 y) {
    Big product;
    u64 carry = 0;
    for (u32 word : x) {
        carry += u64(word) * y;
        product.push_back(u32(carry));
        carry >>= 32;
    }
    product.push_back(u32(carry));
    return product;
}

// sum += x y, modulo 2^(32 sum.size()).
inline void add_product(Big& sum, const u32* x, size_t x_words, const u32* y, size_t y_words) {
    for (size_t i = 0; i < x_words; i++) {
        u64 carry = 0;
        for (size_t k = 0; i + k < sum.size() && (k < y_words || carry != 0); k++) {
            carry += sum[i + k];
            if (k < y_words) carry += u64(x[i]) * y[k];
            sum[i + k] = u32(carry);
            carry >>= 32;
        }
    }
}

// x - y, modulo 2^(32 x.size()).
inline Big minus(Big x, const Big& y) {
    i64 borrow = 0;
    for (size_t k = 0; k < x.size(); k++) {
        borrow += i64(u64(x[k])) - (k < y.size() ? i64(u64(y[k])) : 0);
        x[k] = u32(borrow);
        borrow >>= 32;
    }
    return x;
}

inline Big plus(Big x, const Big& y) {
    const u32 one = 1;
    add_product(x, y.data(), y.size(), &one, 1);
    return x;
}

inline bool less(const Big& x, const Big& y) {
    for (size_t k = std::max(x.size(), y.size()); k-- > 0;) {
        const u32 a = k < x.size() ? x[k] : 0, b = k < y.size() ? y[k] : 0;
        if (a != b) return a < b;
    }
    return false;
}

// floor(x / 2^bits).
inline Big shifted_right(const Big& x, u32 bits) {
    Big result;
    for (size_t k = bits / 32; k < x.size(); k++) {
        const u64 high = k + 1 < x.size() ? x[k + 1] : 0;
        result.push_back(u32((high << 32 | x[k]) >> bits % 32));
    }
    return result;
}

// x mod 2^bits, with as many words as that needs.
inline Big low_bits(Big x, u32 bits) {
    x.resize(words_of(bits));
    x.back() &= mask_of(bits);
    return x;
}

inline Big random_bits(Random& random, u32 bits) {
    Big x(words_of(bits));
    for (u32& word : x) word = u32(random.next() >> 32);
    return low_bits(x, bits);
}

// Coefficient c of the product of two polynomials modulo X^n + 1, modulo 2^bits. Coefficients have
// x_words and y_words words.
inline Big coefficient_of_product(const Big& x, const Big& y, u32 n, u32 c, u32 bits) {
    const size_t x_words = x.size() / n, y_words = y.size() / n;
    Big added(words_of(bits)), subtracted(words_of(bits));
    for (u32 i = 0; i < n; i++) {
        const u32 k = (c - i) & (n - 1);
        add_product(i <= c ? added : subtracted, &x[i * x_words], x_words, &y[k * y_words], y_words);
    }
    return low_bits(minus(added, subtracted), bits);
}

inline u32 reversed(u32 x, u32 bits) {
    u32 result = 0;
    for (u32 i = 0; i < bits; i++) result |= (x >> i & 1) << (bits - 1 - i);
    return result;
}

// Transform of x modulo X^n + 1 by Algorithm 3, with a division for each product. `root` is a root
// of -1 of order n.
inline void transform(u32* x, u32 log_n, u32 root, u32 p) {
    const u32 n = 1u << log_n;
    for (u32 m = 1, t = n / 2; m < n; m *= 2, t /= 2) {
        for (u32 j = 0; j < m; j++) {
            const u64 w = power(root, reversed(m + j, log_n), p);
            for (u32 k = 2 * j * t; k < (2 * j + 1) * t; k++) {
                const u32 u = u32(x[k + t] * w % p), a = x[k];
                x[k] = u32((u64(a) + u) % p);
                x[k + t] = u32((u64(a) + p - u) % p);
            }
        }
    }
}

// What `transform` puts at position i: the value of x at an odd power of the root.
inline u32 transform_at(const u32* x, u32 log_n, u32 root, u32 p, u32 i) {
    const u64 point = power(root, 2 * reversed(i, log_n) + 1, p);
    u64 value = 0;
    for (u32 k = 1u << log_n; k-- > 0;) value = (value * point + x[k]) % p;
    return u32(value);
}

}  // namespace heaan004
