// iCRT: big integers from residues (Algorithms 5 and 6), with the variants of Figure 5(c). The
// result is the integer closest to 0, modulo a power of two.
//
// With t_j = x_j (P/p_j)^-1 mod p_j the integer is the sum of t_j P/p_j, modulo P. Algorithm 5 adds
// the terms one after the other to a big integer; Algorithm 6 first adds up the products of each
// limb.
#pragma once

#include "arith.cuh"

namespace heaan004 {

constexpr u32 MOST_WORDS = 128;  // of a sum: P has 116 words at log Q = 1200

// What all variants need. P has `words` words and `bits` bits; sums have one word more.
struct IcrtTables {
    Ptr<const Prime> primes;
    Ptr<const Constant> inverses;  // [np]: (P/p_j)^-1 mod p_j
    Ptr<const u32> cofactors;      // [np][stride]: P/p_j
    Ptr<const u32> product, half;  // [words]: P and floor(P/2)
    Ptr<u32> out;                  // [n][out_limbs]
    u32 n, np, words, stride, bits, out_limbs, out_mask;

    __device__ __forceinline__ u32 scaled(u32 j, u32 residue) const {
        const u32 p = primes[j].p;
        return settle(shoup_lazy(residue, inverses[j], p), p);
    }

    // floor(x / P) or one less, for x < 2^8 P: a quotient of the leading 32 bits of P plus one and
    // of the bits of x at the same place. It is never too large, and less than 2^-22 below x / P.
    template <class Words>
    __device__ __forceinline__ u32 quotient(const Words& x) const {
        const u32 at = (bits - 32) / 32, shift = (bits - 32) % 32;
        const u64 low = u64(x[at + 1]) << 32 | x[at], high = at + 2 <= words ? u32(x[at + 2]) : 0;
        const u64 divisor = u64(product[at]) | (at + 1 < words ? u64(product[at + 1]) << 32 : 0);
        const u64 leading = shift == 0 ? low : low >> shift | high << (64 - shift);
        return u32(leading / (u64(u32(divisor >> shift)) + 1));
    }

    // Writes coefficient i: the residue of the sum x modulo P that is closest to 0, in its low
    // bits.
    template <class Words>
    __device__ __forceinline__ void finish(u32 i, const Words& x) const {
        u64 carry = 0;
        for (u32 k = 0; k <= words; k++) {
            const u64 sum = u64(x[k]) + (k < words ? half[k] : u32(0)) + carry;
            x[k] = u32(sum);
            carry = sum >> 32;
        }
        const u32 q = quotient(x);
        i64 borrow = 0;
        carry = 0;
        for (u32 k = 0; k <= words; k++) {
            const u64 taken = u64(q) * (k < words ? product[k] : u32(0)) + carry;
            const i64 rest = i64(u64(x[k])) - i64(u64(u32(taken))) + borrow;
            x[k] = u32(rest);
            carry = taken >> 32;
            borrow = rest >> 32;
        }
        bool again = x[words] != 0;  // whether x >= P still
        if (!again) {
            u32 k = words - 1;
            while (k > 0 && x[k] == product[k]) k--;
            again = x[k] >= product[k];
        }
        borrow = 0;
        for (u32 k = 0; k < out_limbs; k++) {
            const i64 rest = i64(u64(x[k])) - i64(u64(again ? product[k] : u32(0))) - i64(u64(half[k])) + borrow;
            out[u64(i) * out_limbs + k] = u32(rest) & (k + 1 == out_limbs ? out_mask : ~u32(0));
            borrow = rest >> 32;
        }
    }

    // Algorithm 5 for coefficient i, with the sum in x.
    template <class Words>
    __device__ __forceinline__ void coefficient(u32 i, Ptr<const u32> residues, const Words& x) const {
        for (u32 k = 0; k <= words; k++) x[k] = 0;
        for (u32 j = 0; j < np; j++) {
            const u32 t = scaled(j, residues[u64(j) * n + i]);
            const Ptr<const u32> cofactor = cofactors + u64(j) * stride;
            u64 carry = 0;
            for (u32 k = 0; k < words; k++) {
                const u64 sum = u64(t) * cofactor[k] + x[k] + carry;
                x[k] = u32(sum);
                carry = sum >> 32;
            }
            x[words] = x[words] + u32(carry);
        }
        finish(i, x);
    }
};

// Words of a sum in the thread's own memory, in shared memory, and in a column of global memory.
struct OwnWords {
    u32* words;
    __device__ __forceinline__ u32& operator[](u32 k) const { return words[k]; }
};
struct SharedWords {
    Shared<u32> words;
    __device__ __forceinline__ auto operator[](u32 k) const -> decltype(words[0]) {
        return words[k * blockDim.x + threadIdx.x];
    }
};
struct ColumnWords {
    Ptr<u32> words;
    u32 n;
    __device__ __forceinline__ auto operator[](u32 k) const -> decltype(words[0]) { return words[u64(k) * n]; }
};

// `GPU`, and with fewer threads than coefficients `GPU-CT`: sums in the threads' own memory, which
// is global memory behind the caches.
struct IcrtOwn {
    static constexpr const char* NAME = "icrt_own";
    static constexpr u32 THREADS = 256;

    IcrtTables tables;
    Ptr<const u32> residues;  // [np][n]

    __device__ __forceinline__ void operator()() const {
        u32 words[MOST_WORDS];
        for (u32 i = ::coefficient(); i < tables.n; i += gridDim.x * blockDim.x) {
            tables.coefficient(i, residues, OwnWords{words});
        }
    }
};

// `GPU-CP`: sums in shared memory.
struct IcrtPinned {
    static constexpr const char* NAME = "icrt_pinned";
    static constexpr u32 THREADS = 64;

    IcrtTables tables;
    Ptr<const u32> residues;  // [np][n]

    __device__ __forceinline__ void operator()() const {
        DYNAMIC_SHARED(u32, words);
        tables.coefficient(::coefficient(), residues, SharedWords{words});
    }
};

// `GPU-CL` in three kernels; the first: t_j for each residue.
struct IcrtScale {
    static constexpr const char* NAME = "icrt_scale";
    static constexpr u32 THREADS = 256;

    IcrtTables tables;
    Ptr<const u32> residues;  // [np][n]
    Ptr<u32> scaled;          // [np][n]

    __device__ __forceinline__ void operator()() const {
        const u32 i = ::coefficient(), j = blockIdx.y;
        if (i < tables.n) scaled[u64(j) * tables.n + i] = tables.scaled(j, residues[u64(j) * tables.n + i]);
    }
};

// The second: the product of the matrices of t_j and of P/p_j, each entry a sum of three words. A
// block has ICRT_COEFFICIENTS coefficients and ICRT_LIMBS limbs. A warp has LIMBS limbs, the same
// for all lanes; a thread has LIMBS times COEFFICIENTS entries.
constexpr u32 ICRT_COEFFICIENTS = 64, ICRT_LIMBS = 32;

struct IcrtProduct {
    static constexpr const char* NAME = "icrt_product";
    static constexpr u32 LIMBS = 4, COEFFICIENTS = ICRT_COEFFICIENTS / 32, THREADS = 32 * ICRT_LIMBS / LIMBS;

    Ptr<const u32> scaled;     // [np][n]
    Ptr<const u32> cofactors;  // [np][stride]
    Ptr<u64> low;              // [stride][n]: the lower two words of an entry
    Ptr<u32> high;             // [stride][n]
    u32 n, np, stride;

    __device__ __forceinline__ void operator()() const {
        DYNAMIC_SHARED(u32, tile);  // [np][ICRT_COEFFICIENTS]
        const u32 first = blockIdx.x * ICRT_COEFFICIENTS, lane = threadIdx.x % 32;
        for (u32 t = threadIdx.x; t < np * ICRT_COEFFICIENTS; t += blockDim.x) {
            tile[t] = scaled[u64(t / ICRT_COEFFICIENTS) * n + first + t % ICRT_COEFFICIENTS];
        }
        __syncthreads();
        const u32 k = blockIdx.y * ICRT_LIMBS + threadIdx.x / 32 * LIMBS;
        if (k >= stride) return;
        Sum3 sums[COEFFICIENTS][LIMBS] = {};
        for (u32 j = 0; j < np; j++) {
            u32 t[COEFFICIENTS], c[LIMBS];
#pragma unroll
            for (u32 a = 0; a < COEFFICIENTS; a++) t[a] = tile[j * ICRT_COEFFICIENTS + 32 * a + lane];
#pragma unroll
            for (u32 b = 0; b < LIMBS; b++) c[b] = cofactors[u64(j) * stride + k + b];
#pragma unroll
            for (u32 a = 0; a < COEFFICIENTS; a++) {
#pragma unroll
                for (u32 b = 0; b < LIMBS; b++) mac(sums[a][b], t[a], c[b]);
            }
        }
#pragma unroll
        for (u32 a = 0; a < COEFFICIENTS; a++) {
#pragma unroll
            for (u32 b = 0; b < LIMBS; b++) {
                const u64 at = u64(k + b) * n + first + 32 * a + lane;
                low[at] = u64(sums[a][b].w[1]) << 32 | sums[a][b].w[0];
                high[at] = sums[a][b].w[2];
            }
        }
    }
};

// The third: carries from limb to limb, then the reductions, with the words of all sums in memory
// so that the threads of a warp access neighbours.
struct IcrtCarry {
    static constexpr const char* NAME = "icrt_carry";
    static constexpr u32 THREADS = 128;

    IcrtTables tables;
    Ptr<const u64> low;   // [stride][n]
    Ptr<const u32> high;  // [stride][n]
    Ptr<u32> columns;     // [words + 1][n]

    __device__ __forceinline__ void operator()() const {
        const u32 i = ::coefficient(), n = tables.n;
        if (i >= n) return;
        const ColumnWords x = {columns + i, n};
        u64 carry = 0;  // below 2^40
        for (u32 k = 0; k < tables.words; k++) {
            const u64 entry = low[u64(k) * n + i], sum = entry + carry;
            x[k] = u32(sum);
            carry = sum >> 32 | (u64(high[u64(k) * n + i]) + (sum < entry)) << 32;
        }
        x[tables.words] = u32(carry);
        tables.finish(i, x);
    }
};

}  // namespace heaan004
