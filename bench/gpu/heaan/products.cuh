// The rest of a multiplication of ciphertexts: products of transforms, and the last sums.
#pragma once

#include "arith.cuh"

namespace heaan004 {

// out = (a + c) (b + d) mod p for each residue; c and d may be null.
struct Hadamard {
    static constexpr const char* NAME = "hadamard";
    static constexpr u32 THREADS = 256;

    Ptr<const u32> a, b, c, d;
    Ptr<const Prime> primes;
    Ptr<u32> out;  // [np][n], as are the others
    u32 n;

    __device__ __forceinline__ void operator()() const {
        const u32 i = coefficient();
        if (i >= n) return;
        const u64 at = u64(blockIdx.y) * n + i;
        const u32 left = a[at] + (c ? c[at] : u32(0)), right = b[at] + (d ? d[at] : u32(0));
        out[at] = barrett(u64(left) * right, primes[blockIdx.y]);
    }
};

// out = floor(switched / 2^shift) + plus - minus[0] - minus[1], in the low bits; `minus` may be
// null.
struct Combine {
    static constexpr const char* NAME = "combine";
    static constexpr u32 THREADS = 128;

    Ptr<const u32> switched;        // [n][switched_limbs]
    Ptr<const u32> plus, minus[2];  // [n][limbs]
    Ptr<u32> out;                   // [n][limbs]
    u32 n, limbs, mask, switched_limbs, shift;

    __device__ __forceinline__ void operator()() const {
        const u32 i = coefficient();
        if (i >= n) return;
        const Ptr<const u32> from = switched + u64(i) * switched_limbs;
        const u64 row = u64(i) * limbs;
        i64 carry = 0;
        for (u32 k = 0; k < limbs; k++) {
            const u32 at = k + shift / 32;
            const u64 low = at < switched_limbs ? from[at] : u32(0), high = at + 1 < switched_limbs ? from[at + 1] : u32(0);
            i64 sum = carry + i64(u64(u32((high << 32 | low) >> shift % 32))) + i64(u64(plus[row + k]));
            if (minus[0]) sum -= i64(u64(minus[0][row + k]));
            if (minus[1]) sum -= i64(u64(minus[1][row + k]));
            out[row + k] = u32(sum) & (k + 1 == limbs ? mask : ~u32(0));
            carry = sum >> 32;
        }
    }
};

}  // namespace heaan004
