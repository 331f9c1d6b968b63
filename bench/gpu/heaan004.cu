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
#include <tuple>

#include "heaan/check.cuh"

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

// The paper's time of a variant in ms, its gain over the first variant of the family, and where the
// paper has them. 0: the paper has none.
struct Source {
    double ms, speedup;
    const char* where;
};

// A family of variants, such as those of CRT.
struct Family {
    const char* name;
    double base = 0;  // median of the first variant, in ms
};

static bool first_row = true;

static std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return x == 0 ? "null" : text;
}

template <class Launch>
static void row(Family& family, const std::string& variant, const Source& source, Launch run) {
    std::vector<double> ms = seconds(run);
    for (double& t : ms) t *= 1e3;
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted[sorted.size() / 2];
    if (family.base == 0) family.base = median;
    std::printf("%s\n{\"name\":\"%s %s\",\"ms\":%s,\"speedup\":%s,\"source_ms\":%s,\"source_speedup\":%s,\"source\":\"%s\"}",
                first_row ? "" : ",", family.name, variant.c_str(), summary(ms).c_str(), number(family.base / median).c_str(),
                number(source.ms).c_str(), number(source.speedup).c_str(), source.where);
    first_row = false;
    std::fflush(stdout);
    std::fprintf(stderr, "%s %s: %.3g ms\n", family.name, variant.c_str(), median);
}

// The paper's figures, on a Titan RTX. Figure 5(c) has gains only: its times follow from the 19.4
// ms of GPU-CL in Table VII. The time of `GPU` follows from the 345.3 ms of Ref-24 in Table VII,
// than which it is 1.52 times as fast (Section VII).
static const Source CRT_SOURCES[] = {{14.95, 1, "Table VIII"},
                                     {16.80, 0.89, "Table VIII"},
                                     {10.47, 1.43, "Table VIII"},
                                     {7.56, 1.98, "Table VIII"},
                                     {4.11, 3.64, "Table VIII"}};
static const Source NTT_SOURCES[] = {{8.73, 1, "Table IX"},
                                     {4.74, 1.84, "Table IX"},
                                     {0, 0, ""},
                                     {3.65, 2.39, "Table IX"},
                                     {3.72, 2.35, "Table IX"}};
static const Source INTT_SOURCES[] = {{9.76, 1, "Table IX"},
                                      {5.47, 1.78, "Table IX"},
                                      {0, 0, ""},
                                      {4.88, 2.00, "Table IX"},
                                      {4.67, 2.09, "Table IX"}};
static const Source FEWER = {19.4 * 9.58 / 4.22, 4.22, "from Figure 5(c)"};
static const Source ICRT_SOURCES[] = {{19.4 * 9.58, 1, "from Figure 5(c)"}, FEWER, FEWER, FEWER,
                                      {19.4 * 9.58 / 6.79, 6.79, "from Figure 5(c)"},
                                      {19.4, 9.58, "Table VII and Figure 5(c)"}};
static const Source BUILD_SOURCES[] = {{345.3 / 1.52, 1, "from Table VII and Section VII"}, {0, 0, ""}, {0, 0, ""}, {0, 0, ""},
                                       {38.1, 345.3 / 1.52 / 38.1, "Table VII"}};

// Each time is of all launches of a function in one multiplication of ciphertexts.
static void measure(Multiplication& m) {
    const Choice best = BUILDS[4].choice;
    Family crt = {"CRT"}, ntt = {"NTT"}, intt = {"iNTT"}, icrt = {"iCRT"}, extra = {"Extra"}, all = {"HE Mul"};
    size_t i = 0;
    for (const CrtVariant& v : CRT_VARIANTS) {
        row(crt, v.name, CRT_SOURCES[i++], [&] { m.run(CRT, {&v, best.icrt, best.log_radix}); });
    }
    for (auto& [family, function, sources] : {std::tuple(&ntt, NTT, NTT_SOURCES), std::tuple(&intt, INTT, INTT_SOURCES)}) {
        for (u32 log_radix = 1; log_radix <= MOST_LOG_RADIX; log_radix++) {
            row(*family, "radix " + std::to_string(1 << log_radix), sources[log_radix - 1],
                [&, f = function] { m.run(f, {best.crt, best.icrt, log_radix}); });
        }
    }
    i = 0;
    for (const IcrtVariant& v : ICRT_VARIANTS) {
        row(icrt, v.name, ICRT_SOURCES[i++], [&] { m.run(ICRT, {best.crt, &v, best.log_radix}); });
    }
    row(extra, "products of transforms, shifts and sums", {6.2, 0, "Table VII"}, [&] { m.run(EXTRA, best); });
    i = 0;
    for (const Build& b : BUILDS) row(all, b.name, BUILD_SOURCES[i++], [&] { m.run(b.choice); });
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
