// Lists the launches of each variant at the paper's size, for tools/predict_heaan004.py. It is linked with
// recorder.cpp in place of the CUDA runtime, so nothing runs.
#include "variants.cuh"

using namespace heaan004;

int main() {
    const Ring ring({16, 1200, 1200, false});
    Multiplication multiplication(ring);
    each_variant(multiplication, [](const std::string& family, const std::string& variant, const Source& source, auto run) {
        std::printf("program %s|%s|%g|%g|%s\n", family.c_str(), variant.c_str(), source.ms, source.speedup, source.where);
        run();
    });
}
