// Measures the limits of a GPU: the bandwidth of its memory and of its cache, and how many
// instructions of each kind that the arithmetics use a multiprocessor executes in a cycle, alone
// and in pairs.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 ceilings.cu -o ceilings && ./ceilings
#include "timing.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;

// Each operation is written as its instruction, so that the compiler cannot simplify it. A lane
// runs CHAINS chains of it; each instruction waits only for the one before in its chain. The
// compiler of CUDA 13.5 makes loops of these instructions and a few others; the pairs of IMAD.WIDE
// with another integer instruction have up to 30 moves beside 128 instructions.
constexpr int CHAINS = 8;
constexpr int UNROLLED = 8;
constexpr int ROUNDS = 2048;
constexpr int THREADS = 512;

// An operation whose result is its own next operand. All chains use the same factor, and the
// compiler can simplify nothing.
template <class W>
struct Chain {
    using Word = W;
    using Factor = W;
    static __device__ Word factor(const u32* factors, int i) { return (Word)factors[i / CHAINS * THREADS + threadIdx.x]; }
    static __device__ void changed(Word&) {}
};

struct Imad : Chain<u32> {
    static constexpr const char* NAME = "IMAD";
    static __device__ void step(Word& x, Word a, Word b) { asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); }
};

struct ImadWide {
    static constexpr const char* NAME = "IMAD.WIDE";
    using Word = u64;
    using Factor = u32;
    // A sum of products, as in base conversion. (For the product of a result and a factor the
    // compiler would make a product and a sum.)
    static __device__ void step(Word& x, u32 a, u32 b) {
        u64 product;
        asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
        x += product;
    }
    static __device__ u32 factor(const u32* factors, int i) { return factors[i * THREADS + threadIdx.x]; }
    // Hides from the compiler that the products of a round equal those of the round before.
    static __device__ void changed(u32& a) { asm volatile("" : "+r"(a)); }
};

struct ImadHigh : Chain<u32> {
    static constexpr const char* NAME = "IMAD.HI";
    static __device__ void step(Word& x, Word a, Word b) { asm volatile("mad.hi.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)); }
};

// The compiler combines two additions of PTX to one instruction.
struct Iadd3 : Chain<u32> {
    static constexpr const char* NAME = "IADD3";
    static __device__ void step(Word& x, Word a, Word b) {
        asm volatile("{.reg .u32 t; add.u32 t, %0, %1; sub.u32 %0, %2, t;}" : "+r"(x) : "r"(a), "r"(b));
    }
};

struct Dfma : Chain<double> {
    static constexpr const char* NAME = "DFMA";
    static __device__ void step(Word& x, Word a, Word b) { asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b)); }
};

struct Dadd : Chain<double> {
    static constexpr const char* NAME = "DADD";
    static __device__ void step(Word& x, Word a, Word) { asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(a)); }
};

struct Nothing : Chain<u32> {
    static constexpr const char* NAME = "";
    static __device__ void step(Word&, Word, Word) {}
};

// Runs one block on each multiprocessor. `factors` has CHAINS + UNROLLED words for each thread. The
// results are never equal to `never`, which the compiler cannot know.
template <class A, class B>
static __global__ void __launch_bounds__(THREADS) both(long long* cycles, u32* factors, u32 never) {
    typename A::Word x[CHAINS];
    typename B::Word y[CHAINS];
    typename A::Factor a[CHAINS], c[UNROLLED];
    typename B::Factor b[CHAINS], d[UNROLLED];
#pragma unroll
    for (int i = 0; i < CHAINS; i++) {
        x[i] = (typename A::Word)(threadIdx.x + i);
        y[i] = (typename B::Word)(threadIdx.x - i);
        a[i] = A::factor(factors, i);
        b[i] = B::factor(factors, i);
    }
#pragma unroll
    for (int k = 0; k < UNROLLED; k++) {
        c[k] = A::factor(factors, CHAINS + k);
        d[k] = B::factor(factors, CHAINS + k);
    }
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int k = 0; k < UNROLLED; k++) {
            A::changed(c[k]);
            B::changed(d[k]);
#pragma unroll
            for (int i = 0; i < CHAINS; i++) {
                A::step(x[i], a[i], c[k]);
                B::step(y[i], b[i], d[k]);
            }
        }
    }
    __syncthreads();
    long long stop = clock64();
    u32 all = 0;
    for (int i = 0; i < CHAINS; i++) all += (u32)((u64)x[i] % 1000003) + (u32)((u64)y[i] % 1000003);
    if (all == never) factors[threadIdx.x] = all;
    if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

template <class A, class B = Nothing>
static void measure(int blocks) {
    std::vector<u32> words((CHAINS + UNROLLED) * THREADS);
    u32 state = 1;
    for (u32& word : words) word = state = state * 1664525 + 1013904223;
    u32* factors;
    CHECK(cudaMalloc(&factors, words.size() * sizeof words[0]));
    CHECK(cudaMemcpy(factors, words.data(), words.size() * sizeof words[0], cudaMemcpyHostToDevice));
    bool one = B::NAME[0] == 0;
    std::string name = one ? A::NAME : std::string(A::NAME) + " + " + B::NAME;
    double operations = (double)THREADS * CHAINS * UNROLLED * ROUNDS * (one ? 1 : 2);
    rate(name.c_str(), operations, blocks, [&](long long* cycles) { both<A, B><<<blocks, THREADS>>>(cycles, factors, ~0u); });
    CHECK(cudaFree(factors));
}

static __global__ void __launch_bounds__(512) copy(ulonglong2* to, const ulonglong2* from, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) to[i] = from[i];
}

// Reads n words `rounds` times, past the first-level cache. In each round a block starts elsewhere,
// so that it does not read its own words again.
static __global__ void __launch_bounds__(512) read(ulonglong2* out, const ulonglong2* from, size_t n, int rounds) {
    u64 all = 0;
    for (int round = 0; round < rounds; round++) {
        size_t shift = (size_t)((blockIdx.x + 7 * round) % gridDim.x) * blockDim.x + threadIdx.x;
        for (size_t i = shift; i < n; i += (size_t)gridDim.x * blockDim.x) {
            ulonglong2 x = __ldcg(from + i);
            all += x.x ^ x.y;
        }
    }
    if (all == 12345) out[threadIdx.x].x = all;
}

static void print(const char* name, size_t bytes, std::vector<double> rates, bool last = false) {
    for (double& r : rates) r /= 1e9;
    std::printf("\n{\"name\":\"%s\",\"bytes\":%zu,\"gb_per_s\":%s}%s", name, bytes, summary(rates).c_str(), last ? "" : ",");
    std::fprintf(stderr, "%s, %zu MiB\n", name, bytes >> 20);
}

static void bandwidth(int multiprocessors) {
    size_t most = (size_t)2 << 30;
    ulonglong2 *a, *b;
    CHECK(cudaMalloc(&a, most));
    CHECK(cudaMalloc(&b, most));
    CHECK(cudaMemset(a, 1, most));
    CHECK(cudaMemset(b, 2, most));
    std::printf(",\n\"bandwidth\":[");
    int blocks = 4 * multiprocessors;
    // bytes read plus bytes written
    print("copy by a kernel", most, per(2.0 * most, seconds([&] { copy<<<blocks, 512>>>(b, a, most / 16); })));
    auto driver = [&] { CHECK(cudaMemcpyAsync(b, a, most, cudaMemcpyDeviceToDevice)); };
    print("copy by the driver", most, per(2.0 * most, seconds(driver)));
    print("read", most, per(most, seconds([&] { read<<<blocks, 512>>>(b, a, most / 16, 1); })));
    const int rounds = 64;
    for (size_t mib : {4, 8, 16, 24, 32, 48, 64, 96}) {
        size_t bytes = mib << 20;
        auto launch = [&] { read<<<blocks, 512>>>(b, a, bytes / 16, rounds); };
        print("read again and again", bytes, per((double)rounds * bytes, seconds(launch)), mib == 96);
    }
    std::printf("]");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

template <class A, class... Rest>
static void alone_and_with(int blocks) {
    measure<A>(blocks);
    (measure<A, Rest>(blocks), ...);
    if constexpr (sizeof...(Rest) > 0) alone_and_with<Rest...>(blocks);
}

int main() {
    std::printf("{");
    int multiprocessors = describe();
    bandwidth(multiprocessors);
    std::printf(",\n\"instructions\":[");
    alone_and_with<Imad, ImadWide, ImadHigh, Iadd3, Dfma, Dadd>(multiprocessors);
    std::printf("]}\n");
}
