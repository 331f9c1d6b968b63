// Kernels for counting instructions, which no program runs: chains of 8 and of 16 of each
// operation. The difference of their instruction counts, divided by 8, is the cost of one
// operation. tools/compile.py counts the instructions for docs/design/gpu-kernels.md;
// bench/gpu/chains.cu times the same steps.
#include "modarith_f64.cuh"
#include "modarith_u32.cuh"
#include "modarith_u64.cuh"

namespace ringjet {

template <class A>
struct Probe {
    typename A::Modulus m;
    typename A::Constant w;
    typename A::Word* words;
    const typename A::Left* left;
    const typename A::Right* right;
};

struct Mul {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word& y, const Probe<A>& p) { x = A::mul(x, y, p.m); }
};

struct MulConst {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word&, const Probe<A>& p) { x = A::mul_const(x, p.w, p.m); }
};

struct Add {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word& y, const Probe<A>& p) { x = A::add(x, y, p.m); }
};

struct Sub {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word& y, const Probe<A>& p) { x = A::sub(x, y, p.m); }
};

struct Canonical {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word&, const Probe<A>& p) { x = A::canonical(x, p.m); }
};

struct Settle {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word&, const Probe<A>& p) { x = A::settle(x, p.m); }
};

struct Forward {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word& y, const Probe<A>& p) { A::forward(x, y, p.w, p.m); }
};

struct Inverse {
    template <class A>
    static __device__ void step(typename A::Word& x, typename A::Word& y, const Probe<A>& p) { A::inverse(x, y, p.w, p.m); }
};

// K operations, each on the result of the one before.
template <class A, class Op, int K>
static __device__ __forceinline__ void chain(const Probe<A>& p) {
    typename A::Word* at = p.words + 2 * threadIdx.x;
    typename A::Word x = at[0], y = at[1];
#pragma unroll
    for (int k = 0; k < K; k++) Op::step(x, y, p);
    at[0] = x;
    at[1] = y;
}

enum Step { MAC, FOLD, REDUCE };

// A sum of K products. MAC: nothing else is done; there may be more than TERMS products, because
// the result is never used. FOLD: `fold` after each product. REDUCE: `reduce` after each product.
template <class A, Step STEP, int K>
static __device__ __forceinline__ void sum(const Probe<A>& p) {
    const typename A::Left* left = p.left + K * threadIdx.x;
    typename A::Sum s = A::zero();
#pragma unroll
    for (int k = 0; k < K; k++) {
        A::mac(s, left[k], p.right[k]);
        if (STEP == FOLD) A::fold(s, p.m);
        if (STEP == REDUCE) {
            p.words[K * threadIdx.x + k] = A::reduce(s, p.m);
            s = A::zero();
        }
    }
    if (STEP != REDUCE) p.words[threadIdx.x] = A::reduce(s, p.m);
}

}  // namespace ringjet

#define KERNEL(NAME, A, K, CALL)                                                                                     \
    extern "C" __global__ void __launch_bounds__(256) arith_probe_##A##_##NAME##_##K(ringjet::Probe<ringjet::A> p) { \
        using namespace ringjet;                                                                                     \
        CALL(p);                                                                                                     \
    }
#define CHAIN(NAME, A, OP)                         \
    KERNEL(NAME, A, 8, (chain<ringjet::A, OP, 8>)) \
    KERNEL(NAME, A, 16, (chain<ringjet::A, OP, 16>))
#define SUM(NAME, A, STEP)                         \
    KERNEL(NAME, A, 8, (sum<ringjet::A, STEP, 8>)) \
    KERNEL(NAME, A, 16, (sum<ringjet::A, STEP, 16>))
#define ARITHMETIC(A)              \
    CHAIN(mul, A, Mul)             \
    CHAIN(mul_const, A, MulConst)  \
    CHAIN(add, A, Add)             \
    CHAIN(sub, A, Sub)             \
    CHAIN(canonical, A, Canonical) \
    CHAIN(settle, A, Settle)       \
    CHAIN(forward, A, Forward)     \
    CHAIN(inverse, A, Inverse)     \
    SUM(mac, A, MAC)               \
    SUM(fold, A, FOLD)             \
    SUM(reduce, A, REDUCE)

#ifndef ARITH_PROBE_WITHOUT_KERNELS  // bench/gpu/chains.cu defines its own kernels
ARITHMETIC(U32)
ARITHMETIC(U32Unsigned)
ARITHMETIC(F64)
ARITHMETIC(U64Below50)
ARITHMETIC(U64Below61)
#endif
