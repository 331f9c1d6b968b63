// The variants in the order of the paper's tables, with its figures.
#pragma once

#include <string>
#include <tuple>

#include "multiply.cuh"

namespace heaan004 {

// The paper's time of a variant in ms, its gain over the first variant of the family, and where the
// paper has them. 0: the paper has none.
struct Source {
    double ms, speedup;
    const char* where;
};

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

// Calls `row(family, variant, source, run)` for each variant; `run` launches all kernels of a
// function in one multiplication of ciphertexts.
template <class Row>
void each_variant(Multiplication& m, Row row) {
    const Choice best = BUILDS[4].choice;
    size_t i = 0;
    for (const CrtVariant& v : CRT_VARIANTS) {
        row("CRT", v.name, CRT_SOURCES[i++], [&] { m.run(CRT, {&v, best.icrt, best.log_radix}); });
    }
    for (auto& [family, function, sources] : {std::tuple("NTT", NTT, NTT_SOURCES), std::tuple("iNTT", INTT, INTT_SOURCES)}) {
        for (u32 log_radix = 1; log_radix <= MOST_LOG_RADIX; log_radix++) {
            row(family, "radix " + std::to_string(1 << log_radix), sources[log_radix - 1],
                [&, f = function] { m.run(f, {best.crt, best.icrt, log_radix}); });
        }
    }
    i = 0;
    for (const IcrtVariant& v : ICRT_VARIANTS) {
        row("iCRT", v.name, ICRT_SOURCES[i++], [&] { m.run(ICRT, {best.crt, &v, best.log_radix}); });
    }
    row("Extra", "products of transforms, shifts and sums", Source{6.2, 0, "Table VII"}, [&] { m.run(EXTRA, best); });
    i = 0;
    for (const Build& b : BUILDS) row("HE Mul", b.name, BUILD_SOURCES[i++], [&] { m.run(b.choice); });
}

}  // namespace heaan004
