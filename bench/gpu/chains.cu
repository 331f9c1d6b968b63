// Measures how many operations of each arithmetic a multiprocessor executes in a cycle: the steps
// of arith_probe.cu in long chains. The words are random bits of the right size, not residues of a
// prime, because the results are not used.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -I ../../crates/ringjet-cuda/kernels chains.cu -o chains && ./chains
#include "timing.cuh"

#define ARITH_PROBE_WITHOUT_KERNELS
#include "arith_probe.cu"

namespace ringjet {

constexpr int THREADS = 512;
constexpr int PAIRS = 4;
constexpr int STEPS = 16;
constexpr int ROUNDS = 256;
// Terms of a sum in one round.
constexpr int TERMS = 8;

template <class A>
static void fill(Probe<A>& p, u64& state) {
    auto bytes = reinterpret_cast<unsigned char*>(&p.m);
    for (size_t i = 0; i < sizeof p.m + sizeof p.w; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned char byte = (unsigned char)(state >> 56) | 1;
        if (i < sizeof p.m) bytes[i] = byte;
        else reinterpret_cast<unsigned char*>(&p.w)[i - sizeof p.m] = byte;
    }
}

// Double precision needs numbers, which random bits are not.
static void fill(Probe<F64>& p, u64&) {
    double q = 1125899906826241.0, w = 271828182845904.0;
    p.m = {q, 1 / q};
    p.w = {w, w / q};
}

template <class A, class Op>
static __global__ void __launch_bounds__(THREADS) chains(long long* cycles, Probe<A> p) {
    typename A::Word x[PAIRS], y[PAIRS], *at = p.words + 2 * PAIRS * threadIdx.x;
    for (int i = 0; i < PAIRS; i++) {
        x[i] = at[2 * i];
        y[i] = at[2 * i + 1];
    }
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
#pragma unroll
            for (int i = 0; i < PAIRS; i++) Op::template step<A>(x[i], y[i], p);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
    for (int i = 0; i < PAIRS; i++) {
        at[2 * i] = x[i];
        at[2 * i + 1] = y[i];
    }
}

// Hides from the compiler that x is unchanged, so that it computes products of x again.
template <class T>
static __device__ __forceinline__ void changed(T& x) {
    u32 words[sizeof x / 4];
    memcpy(words, &x, sizeof x);
#pragma unroll
    for (u32& word : words) asm volatile("" : "+r"(word));
    memcpy(&x, words, sizeof x);
}

// PAIRS sums, folded only when necessary. All have the same products, in different orders.
template <class A>
static __global__ void __launch_bounds__(THREADS) sums(long long* cycles, Probe<A> p) {
    typename A::Left left[TERMS];
    typename A::Right right[TERMS];
    typename A::Sum s[PAIRS];
#pragma unroll
    for (int k = 0; k < TERMS; k++) {
        left[k] = p.left[TERMS * threadIdx.x + k];
        right[k] = p.right[TERMS * threadIdx.x + k];
    }
    for (int i = 0; i < PAIRS; i++) s[i] = A::zero();
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (int round = 1; round <= ROUNDS * STEPS / TERMS; round++) {
#pragma unroll
        for (int k = 0; k < TERMS; k++) {
            changed(left[k]);
#pragma unroll
            for (int i = 0; i < PAIRS; i++) {
                A::mac(s[i], left[(k + i) % TERMS], right[k]);
                if ((k + 1) % A::TERMS == 0) A::fold(s[i], p.m);
            }
        }
        constexpr int LATER = A::TERMS / TERMS;
        if (LATER > 1 && round % LATER == 0) {
#pragma unroll
            for (int i = 0; i < PAIRS; i++) A::fold(s[i], p.m);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
    for (int i = 0; i < PAIRS; i++) p.words[PAIRS * threadIdx.x + i] = A::reduce(s[i], p.m);
}

static const char* arithmetic;

template <class A, class Op>
static void measure(const char* operation, int blocks, Probe<A> p) {
    std::string name = std::string(arithmetic) + " " + operation;
    double operations = (double)THREADS * PAIRS * STEPS * ROUNDS;
    rate(name.c_str(), operations, blocks, [&](long long* cycles) { chains<A, Op><<<blocks, THREADS>>>(cycles, p); });
}

template <class A>
static void all(const char* name, int blocks) {
    arithmetic = name;
    u64 state = 1;
    // all blocks write the same words; the races do not affect the time
    size_t count = 2 * STEPS * THREADS;
    std::vector<typename A::Word> words(count);
    for (auto& word : words) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        word = (typename A::Word)(state >> 16);
    }
    typename A::Word* device;
    typename A::Left* left;
    CHECK(cudaMalloc(&device, count * sizeof *device));
    CHECK(cudaMalloc(&left, count * sizeof *left));
    CHECK(cudaMemcpy(device, words.data(), count * sizeof *device, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(left, 0x11, count * sizeof *left));
    Probe<A> p;
    fill(p, state);
    p.words = device;
    p.left = left;
    p.right = reinterpret_cast<typename A::Right*>(left);
    measure<A, Mul>("mul", blocks, p);
    measure<A, MulConst>("mul_const", blocks, p);
    measure<A, Add>("add", blocks, p);
    measure<A, Sub>("sub", blocks, p);
    measure<A, Canonical>("canonical", blocks, p);
    measure<A, Forward>("forward", blocks, p);
    measure<A, Inverse>("inverse", blocks, p);
    std::string mac = std::string(name) + " mac, folded when due";
    double terms = (double)THREADS * PAIRS * ROUNDS * STEPS;
    rate(mac.c_str(), terms, blocks, [&](long long* cycles) { sums<A><<<blocks, THREADS>>>(cycles, p); });
    CHECK(cudaFree(device));
    CHECK(cudaFree(left));
}

}  // namespace ringjet

int main() {
    std::printf("{");
    int multiprocessors = describe();
    std::printf(",\n\"operations\":[");
    ringjet::all<ringjet::U32>("U32", multiprocessors);
    ringjet::all<ringjet::U32Unsigned>("U32Unsigned", multiprocessors);
    ringjet::all<ringjet::F64>("F64", multiprocessors);
    ringjet::all<ringjet::U64Below50>("U64Below50", multiprocessors);
    ringjet::all<ringjet::U64Below61>("U64Below61", multiprocessors);
    std::printf("]}\n");
}
