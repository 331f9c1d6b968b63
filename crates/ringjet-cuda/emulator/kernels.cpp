// Compiles the kernels' source and their entry points for the host.

#include "shim.h"

namespace emulator {

void begin(u32 bytes);

// Reads an argument as Rust passes it.
template <class T> T argument(const void* at);

} // namespace emulator

#include "../kernels/kernels.cuh"
#include "probe.cuh"

namespace emulator {

template <> Limbs argument<Limbs>(const void* at)
{
    struct Raw {
        u64 words, chosen;
        u32 stride, polys, n, unused;
    };
    const Raw& raw = *static_cast<const Raw*>(at);
    return {pointer<u64>(raw.words), pointer<const u32>(raw.chosen), raw.stride, raw.polys, raw.n, 0};
}
template <> Words argument<Words>(const void* at) { return pointer<const u64>(*static_cast<const u64*>(at)); }
template <> List argument<List>(const void* at) { return *static_cast<const List*>(at); }
template <> u32 argument<u32>(const void* at) { return *static_cast<const u32*>(at); }

} // namespace emulator

#include "entries.cpp" // made by build.rs from the tables
