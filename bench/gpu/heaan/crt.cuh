// CRT: residues of big integers (Algorithm 1), with the variants of Table VIII.
#pragma once

#include "arith.cuh"

namespace heaan004 {

// How a thread reduces its big integer.
struct Horner {  // `GPU`: no powers of 2^32, a modulo for each limb
    static constexpr const char* NAME = "crt_horner";
    static __device__ __forceinline__ u32 residue(const Shared<u32>& tile, u32 at, Ptr<const u32>, u32 limbs,
                                                  const Prime& prime) {
        u32 r = 0;
        for (u32 k = limbs; k-- > 0;) r = u32((u64(r) << 32 | tile[at + k]) % prime.p);
        return r;
    }
};

// `GPU-Modx`: a modulo after every EVERY products. EVERY <= 4, so that the sum fits two words: four
// products are less than 4 * 2^32 * (2^30 - 1) = 2^64 - 2^34.
template <u32 EVERY>
struct Mod {
    static constexpr const char* NAME = "crt_mod";
    static __device__ __forceinline__ u32 residue(const Shared<u32>& tile, u32 at, Ptr<const u32> powers, u32 limbs,
                                                  const Prime& prime) {
        static_assert(EVERY <= 4, "the sum needs three words");
        u64 sum = 0;
        for (u32 k = 0; k < limbs; k++) {
            sum += u64(tile[at + k]) * powers[k];
            if ((k + 1) % EVERY == 0) sum %= prime.p;
        }
        return u32(sum % prime.p);
    }
};

// `GPU-C`: a sum of three words with add-with-carry, and one modulo of each word at the end.
struct Carry {
    static constexpr const char* NAME = "crt_carry";
    static __device__ __forceinline__ u32 residue(const Shared<u32>& tile, u32 at, Ptr<const u32> powers, u32 limbs,
                                                  const Prime& prime) {
        Sum3 sum = {};
        for (u32 k = 0; k < limbs; k++) mac(sum, tile[at + k], powers[k]);
        u32 r = 0;
        for (u32 k = 0; k < 3; k++) r = settle(r + settle(shoup_lazy(sum.w[k], prime.powers[k], prime.p), prime.p), prime.p);
        return r;
    }
};

// A block has CRT_COEFFICIENTS coefficients and CRT_PRIMES primes; a thread computes one residue. A
// warp has one prime, so it writes a whole line, and its powers are the same for all lanes.
constexpr u32 CRT_COEFFICIENTS = 32, CRT_PRIMES = 8;

// Odd, so that the lanes of a warp read different banks of shared memory.
__device__ __forceinline__ u32 crt_stride(u32 limbs) { return limbs | 1; }

template <class Method>
struct Crt {
    static constexpr const char* NAME = Method::NAME;
    static constexpr u32 THREADS = CRT_COEFFICIENTS * CRT_PRIMES;

    Ptr<const u32> numbers;  // [n][limbs]
    Ptr<const u32> powers;   // [np][powers_stride]: 2^(32k) mod p_j
    Ptr<const Prime> primes;
    Ptr<u32> residues;  // [np][n]
    u32 n, np, limbs, powers_stride;

    __device__ __forceinline__ void operator()() const {
        DYNAMIC_SHARED(u32, tile);
        const u32 first = blockIdx.x * CRT_COEFFICIENTS, stride = crt_stride(limbs);
        for (u32 t = threadIdx.x; t < CRT_COEFFICIENTS * limbs; t += blockDim.x) {
            tile[t / limbs * stride + t % limbs] = numbers[u64(first) * limbs + t];
        }
        __syncthreads();
        const u32 lane = threadIdx.x % CRT_COEFFICIENTS, j = blockIdx.y * CRT_PRIMES + threadIdx.x / CRT_COEFFICIENTS;
        if (j >= np) return;
        const Prime prime = primes[j];
        const u32 r = Method::residue(tile, lane * stride, powers + u64(j) * powers_stride, limbs, prime);
        residues[u64(j) * n + first + lane] = r;
    }
};

}  // namespace heaan004
