// Transforms (Algorithms 3 and 4): a thread keeps 2^LOG values in registers for LOG stages, so a
// transform reads and writes memory log N / LOG times. LOG = 1 is the radix-2 transform, one launch
// a stage. The butterflies are Harvey's: values stay lazy until the last stage.
#pragma once

#include "arith.cuh"

namespace heaan004 {

// From a, b below 4p: a + b w and a - b w, below 4p.
__device__ __forceinline__ void forward(u32& a, u32& b, const Constant& w, u32 p) {
    const u32 x = settle(a, 2 * p), y = shoup_lazy(b, w, p);
    a = x + y;
    b = x - y + 2 * p;
}

// From a, b below 2p: a + b and (a - b) w, below 2p.
__device__ __forceinline__ void inverse(u32& a, u32& b, const Constant& w, u32 p) {
    const u32 sum = a + b, difference = a - b + 2 * p;
    a = settle(sum, 2 * p);
    b = shoup_lazy(difference, w, p);
}

// The values of one thread in a pass over the stages `stage` to `stage + LOG - 1`: x[first + i
// distance] for all i. Stage s has 2^s groups, and group g has root number 2^s + g. The values are
// part of group `group` of the first of these stages.
template <u32 LOG>
struct Part {
    u32 group, first, log_distance;

    static __device__ __forceinline__ Part of(u32 number, u32 log_n, u32 stage) {
        const u32 log_distance = log_n - stage - LOG, group = number >> log_distance;
        return {group, (group << (log_n - stage)) + (number & ((1u << log_distance) - 1)), log_distance};
    }
};

template <u32 LOG, bool FORWARD>
struct Transform {
    static constexpr const char* NAME = FORWARD ? "ntt" : "intt";
    static constexpr u32 THREADS = 256, RADIX = 1 << LOG;

    Ptr<u32> x;                 // [np][2^log_n]
    Ptr<const Constant> roots;  // [np][2^log_n], in bit-reversed order
    Ptr<const Prime> primes;
    u32 log_n, stage;

    __device__ __forceinline__ void stages(u32 (&v)[RADIX], u32 group, Ptr<const Constant> w, u32 p) const {
#pragma unroll
        for (u32 step = 0; step < LOG; step++) {
            const u32 u = FORWARD ? step : LOG - 1 - step, half = RADIX >> (u + 1);
#pragma unroll
            for (u32 g = 0; g < 1u << u; g++) {
                const Constant root = w[(1u << (stage + u)) + (group << u) + g];
#pragma unroll
                for (u32 i = 2 * g * half; i < (2 * g + 1) * half; i++) {
                    if (FORWARD) forward(v[i], v[i + half], root, p);
                    else inverse(v[i], v[i + half], root, p);
                }
            }
        }
    }

    __device__ __forceinline__ void operator()() const {
        const u32 number = coefficient();
        if (number >= 1u << (log_n - LOG)) return;
        const Part<LOG> part = Part<LOG>::of(number, log_n, stage);
        const u64 row = u64(blockIdx.y) << log_n;
        const Prime prime = primes[blockIdx.y];
        const Ptr<u32> mine = x + (row + part.first);
        u32 v[RADIX];
#pragma unroll
        for (u32 i = 0; i < RADIX; i++) v[i] = mine[u64(i) << part.log_distance];
        stages(v, part.group, roots + row, prime.p);
        const bool last = FORWARD ? stage + LOG == log_n : stage == 0;
#pragma unroll
        for (u32 i = 0; i < RADIX; i++) {
            if (last && FORWARD) v[i] = settle(settle(v[i], 2 * prime.p), prime.p);
            if (last && !FORWARD) v[i] = settle(shoup_lazy(v[i], prime.inverse_n, prime.p), prime.p);
            mine[u64(i) << part.log_distance] = v[i];
        }
    }
};

}  // namespace heaan004
