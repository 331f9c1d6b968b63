// Compares every variant with big integers on the host. The first difference ends the program.
#pragma once

#include "multiply.cuh"

namespace heaan004 {

template <class T>
void expect_same(const char* function, const char* variant, const std::vector<T>& found, const std::vector<T>& expected) {
    if (found.size() == expected.size()) {
        const auto at = std::mismatch(found.begin(), found.end(), expected.begin());
        if (at.first == found.end()) return;
        std::fprintf(stderr, "%s, %s: word %zu of %zu is %u instead of %u\n", function, variant, size_t(at.first - found.begin()),
                     found.size(), at.first[0], at.second[0]);
    } else {
        std::fprintf(stderr, "%s, %s: %zu words instead of %zu\n", function, variant, found.size(), expected.size());
    }
    std::exit(1);
}

class Check {
    const Ring& ring;
    const Parameters& parameters;
    const u32 n;
    Random random;

    void say(const char* what) const {
        std::fprintf(stderr, "log N = %u, log q = %u, log Q = %u, %u and %u primes%s: %s\n", parameters.log_n, parameters.log_q,
                     parameters.log_big_q, ring.region1.np, ring.region2.np,
                     parameters.largest_primes ? " close to 2^30" : "", what);
    }

    std::vector<u32> random_residues(u32 np) {
        std::vector<u32> x(size_t(np) * n);
        for (size_t i = 0; i < x.size(); i++) x[i] = random.below(ring.primes[i / n]);
        for (u32 j = 0; j < np; j++) x[size_t(j) * n + j % n] = ring.primes[j] - 1;
        return x;
    }

    // The words of `numbers`, each of them with `words` words, modulo each prime: [np][n].
    std::vector<u32> residues(const Big& numbers, u32 words, u32 np) const {
        std::vector<u32> result(size_t(np) * n);
        for (u32 i = 0; i < n; i++) {
            for (u32 j = 0; j < np; j++) result[size_t(j) * n + i] = modulo(&numbers[size_t(i) * words], words, ring.primes[j]);
        }
        return result;
    }

public:
    Check(const Ring& ring, u64 seed) : ring(ring), parameters(ring.parameters), n(ring.parameters.n()), random{seed} {}

    // Random numbers of `bits` bits, after the largest one, 0, 1 and a product of primes.
    std::vector<u32> numbers(u32 bits) {
        std::vector<u32> result;
        Big product = {1};
        for (u32 j = 0; j < ring.primes.size() && bits_of(times(product, ring.primes[j])) <= bits; j++) {
            product = times(product, ring.primes[j]);
        }
        for (u32 i = 0; i < n; i++) {
            Big x = random_bits(random, bits);
            if (i == 0) x = low_bits(Big(x.size(), ~u32(0)), bits);
            if (i == 1 || i == 2) x = low_bits({i - 1}, bits);
            if (i == 3) x = low_bits(product, bits);
            result.insert(result.end(), x.begin(), x.end());
        }
        return result;
    }

    void crt(u32 bits, u32 np) {
        const std::vector<u32> input = numbers(bits), expected = residues(input, words_of(bits), np);
        const Buffer<u32> device(input);
        for (const CrtVariant& variant : CRT_VARIANTS) {
            const Buffer<u32> out(expected.size());
            variant.run(ring, device, words_of(bits), out, np);
            expect_same("CRT", variant.name, out.download(), expected);
        }
        say("CRT");
    }

    // The host's transform is itself compared with its definition at `points` positions.
    void transforms(u32 np, u32 points) {
        const std::vector<u32> input = random_residues(np);
        std::vector<u32> expected = input;
        for (u32 j = 0; j < np; j++) {
            const u32 p = ring.primes[j], root = ring.roots[j];
            u32* const row = &expected[size_t(j) * n];
            transform(row, parameters.log_n, root, p);
            for (u32 k = 0; k < points; k++) {
                const u32 i = random.below(n);
                const u32 value = transform_at(&input[size_t(j) * n], parameters.log_n, root, p, i);
                expect_same<u32>("host", "transform", {row[i]}, {value});
            }
        }
        for (u32 log_radix = 1; log_radix <= MOST_LOG_RADIX; log_radix++) {
            Buffer<u32> x(input);
            const std::string name = "radix " + std::to_string(1 << log_radix);
            ntt(ring, x, np, log_radix);
            expect_same("NTT", name.c_str(), x.download(), expected);
            x.upload(expected);
            intt(ring, x, np, log_radix);
            expect_same("iNTT", name.c_str(), x.download(), input);
        }
        say("NTT, iNTT");
    }

    // Numbers below P, among them the ends of both halves: their residues must give the numbers
    // closest to 0, modulo 2^bits.
    void icrt(const Region& region, u32 bits) {
        const Big edges[] = {{0}, {1}, minus(region.product, {1}), region.half, plus(region.half, {1}), minus(region.half, {1})};
        std::vector<u32> input, expected;
        for (u32 i = 0; i < n; i++) {
            Big x = random_bits(random, region.bits);
            while (!less(x, region.product)) x = random_bits(random, region.bits);
            if (i < sizeof edges / sizeof *edges) x = edges[i];
            x.resize(region.words);
            const Big closest = low_bits(less(region.half, x) ? minus(x, region.product) : x, bits);
            input.insert(input.end(), x.begin(), x.end());
            expected.insert(expected.end(), closest.begin(), closest.end());
        }
        const Buffer<u32> device(residues(input, region.words, region.np));
        for (const IcrtVariant& variant : ICRT_VARIANTS) {
            const Buffer<u32> out(expected.size());
            variant.run(ring, region, device, out, bits);
            expect_same("iCRT", variant.name, out.download(), expected);
        }
        say("iCRT");
    }

    // A multiplication, at `samples` of the coefficients. Leaves random inputs in it.
    void multiplication(Multiplication& m, const Choice& choice, const char* name, u32 samples) {
        const u32 log_q = parameters.log_q, log_big_q = parameters.log_big_q, limbs = parameters.limbs();
        std::vector<u32> in[4], key[2];
        for (u32 i = 0; i < 4; i++) m.inputs[i].upload(in[i] = numbers(log_q));
        for (u32 i = 0; i < 2; i++) m.set_key(i, key[i] = numbers(parameters.key_bits()));
        m.run(choice);
        const std::vector<u32> tensor = m.big_products[0].download();
        const std::vector<u32> out[2] = {m.outputs[0].download(), m.outputs[1].download()};
        const auto& [a1, b1, a2, b2] = in;
        for (u32 s = 0; s < samples; s++) {
            const u32 c = samples == n ? s : random.below(n);
            const auto product = [&](const Big& x, const Big& y, u32 bits) { return coefficient_of_product(x, y, n, c, bits); };
            const auto at_c = [&](const std::vector<u32>& x) { return Big(&x[size_t(c) * limbs], &x[size_t(c) * limbs] + limbs); };
            expect_same("product of a_1 and a_2", name, at_c(tensor), product(a1, a2, log_q));
            const Big added[2] = {plus(product(a1, b2, log_q), product(b1, a2, log_q)), product(b1, b2, log_q)};
            for (u32 i = 0; i < 2; i++) {
                const Big switched = shifted_right(product(tensor, key[i], parameters.switched_bits()), log_big_q);
                expect_same("multiplication", name, at_c(out[i]), low_bits(plus(low_bits(switched, log_q), added[i]), log_q));
            }
        }
        say(name);
    }
};

// Checks everything for one set of parameters; products of polynomials at `samples` coefficients.
inline void check_all(const Ring& ring, Multiplication& m, u64 seed, u32 samples, u32 points) {
    Check check(ring, seed);
    const Parameters& p = ring.parameters;
    check.crt(p.log_q, ring.region1.np);
    check.crt(p.key_bits(), ring.region2.np);
    check.transforms(ring.region2.np, points);
    check.icrt(ring.region1, p.log_q);
    check.icrt(ring.region2, p.switched_bits());
    for (const Build& b : BUILDS) check.multiplication(m, b.choice, b.name, samples);
}

}  // namespace heaan004
