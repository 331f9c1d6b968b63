// The GPU variants of Jung et al. ("HEAAN Demystified: Accelerating Fully Homomorphic Encryption
// Through Architecture-centric Analysis and Optimization", arXiv 2003.04510), checked and
// measured. They multiply ciphertexts whose coefficients are big integers, with words of 32 bits
// and primes between 2^27 and 2^30. The library has none of this.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -I ../../crates/ringjet-cuda/kernels heaan004.cu -o heaan004
//     ./heaan004
//     ./heaan004 check LOG_N LOG_Q LOG_BIG_Q SEED    # only checks, with two choices of primes
//
// Compares each variant with big integers on the host, at small sizes and at the paper's (N = 2^16,
// log Q = 1200); a difference ends the program with status 1. The test heaan004 of ringjet-cuda
// compiles this file for the emulator and runs `check`.
#include <string>

#include "heaan/check.cuh"
#ifndef RINGJET_EMULATOR
#include "heaan/variants.cuh"
#endif

using namespace heaan004;

// Checks one size, with the smallest and with the largest primes.
static void check_size(u32 log_n, u32 log_q, u32 log_big_q, u64 seed) {
    for (bool largest : {false, true}) {
        const Ring ring({log_n, log_q, log_big_q, largest});
        Multiplication multiplication(ring);
        const u32 n = ring.parameters.n();
        check_all(ring, multiplication, seed, std::min(n, 64u), std::min(n, 64u));
    }
}

#ifndef RINGJET_EMULATOR

constexpr u64 SEED = 200304510;

static std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return x == 0 ? "null" : text;
}

// Prints the rows of measured times: of all launches of a function in one multiplication.
static void measure(Multiplication& m) {
    std::string last;
    double base = 0;  // median of the first variant of a family, in ms
    bool first = true;
    each_variant(m, [&](const std::string& family, const std::string& variant, const Source& source, auto run) {
        std::vector<double> ms = seconds(run);
        for (double& t : ms) t *= 1e3;
        std::vector<double> sorted = ms;
        std::sort(sorted.begin(), sorted.end());
        const double median = sorted[sorted.size() / 2];
        if (family != last) base = median;
        last = family;
        std::printf("%s\n{\"name\":\"%s %s\",\"ms\":%s,\"speedup\":%s,\"source_ms\":%s,\"source_speedup\":%s,\"source\":\"%s\"}",
                    first ? "" : ",", family.c_str(), variant.c_str(), summary(ms).c_str(), number(base / median).c_str(),
                    number(source.ms).c_str(), number(source.speedup).c_str(), source.where);
        first = false;
        std::fflush(stdout);
        std::fprintf(stderr, "%s %s: %.3g ms\n", family.c_str(), variant.c_str(), median);
    });
}

static int measured_program() {
    check_size(10, 90, 90, SEED);
    check_size(6, 423, 450, SEED);
    const Ring ring({16, 1200, 1200, false});
    Multiplication multiplication(ring);
    check_all(ring, multiplication, SEED, 2, 1);
    std::printf("{");
    describe();
    std::printf(",\n\"parameters\":{\"log_n\":16,\"log_q\":1200,\"limbs\":%u,\"primes_1\":%u,\"primes_2\":%u,\"words_of_p_1\":%u,"
                "\"words_of_p_2\":%u,\"seed\":%llu},\n\"variants\":[",
                ring.parameters.limbs(), ring.region1.np, ring.region2.np, ring.region1.words, ring.region2.words, SEED);
    measure(multiplication);
    std::printf("]}\n");
    return 0;
}

#else

static int measured_program() {
    std::fprintf(stderr, "the emulator has no times; use check\n");
    return 2;
}

#endif

int main(int count, char** arguments) {
    if (count == 1) return measured_program();
    if (count != 6 || std::string(arguments[1]) != "check") {
        std::fprintf(stderr, "usage: heaan004 [check LOG_N LOG_Q LOG_BIG_Q SEED]\n");
        return 2;
    }
    const auto argument = [&](int i) { return std::strtoull(arguments[i], nullptr, 10); };
    const u32 log_n = u32(argument(2)), log_q = u32(argument(3)), log_big_q = u32(argument(4));
    if (log_n < 6 || log_n > 16 || log_q < 30 || log_q > log_big_q || log_big_q > 1200) {
        std::fprintf(stderr, "log N is 6 to 16, log q 30 to log Q, log Q at most 1200\n");
        return 2;
    }
    check_size(log_n, log_q, log_big_q, argument(5));
    std::printf("{\"checked\":{\"log_n\":%u,\"log_q\":%u,\"log_big_q\":%u,\"seed\":%llu}}\n", log_n, log_q, log_big_q,
                argument(5));
    return 0;
}
