// Arithmetic of heaan004.cu's kernels: residues of primes below 2^30 in words of 32 bits.
#pragma once

#include "device.cuh"

namespace heaan004 {

// A factor w below p, with floor(2^32 w / p) for Shoup's product.
struct alignas(8) Constant {
    u32 w, shoup;
};

// A prime and what depends on it.
struct alignas(8) Prime {
    u32 p, unused;
    u64 ratio;             // floor((2^64 - 1) / p)
    Constant powers[3];    // 1, 2^32 and 2^64
    Constant inverse_n;    // 1 / N
};

// x w mod p plus 0 or p, for any x.
__device__ __forceinline__ u32 shoup_lazy(u32 x, const Constant& c, u32 p) {
    const u32 quotient = u32(u64(x) * c.shoup >> 32);
    return x * c.w - quotient * p;
}

// x mod p for x below 2p.
__device__ __forceinline__ u32 settle(u32 x, u32 p) { return x >= p ? x - p : x; }

// x mod p for x below 2^62: the estimated quotient is right or one too small.
__device__ __forceinline__ u32 barrett(u64 x, const Prime& prime) {
    const u64 quotient = __umul64hi(x, prime.ratio);
    return settle(u32(x) - u32(quotient) * prime.p, prime.p);
}

// A sum of three words, w[0] the lowest.
struct Sum3 {
    u32 w[3];
};

// sum += a b, with the carries in three instructions.
__device__ __forceinline__ void mac(Sum3& sum, u32 a, u32 b) {
#ifdef RINGJET_EMULATOR
    const u64 low = u64(sum.w[1]) << 32 | sum.w[0], added = low + u64(a) * b;
    sum.w[0] = u32(added);
    sum.w[1] = u32(added >> 32);
    sum.w[2] += added < low;
#else
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
        "addc.u32 %2, %2, 0;"
        : "+r"(sum.w[0]), "+r"(sum.w[1]), "+r"(sum.w[2])
        : "r"(a), "r"(b));
#endif
}

}  // namespace heaan004
