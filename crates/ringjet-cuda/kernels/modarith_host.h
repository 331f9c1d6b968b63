// CUDA's intrinsic functions that the arithmetics call, written for the host's C++ compiler.
// Compile with -ffp-contract=off: the compiler must not fuse a product and a sum by itself, because
// every fused multiply-add is written out.
#pragma once

// The emulator (emulator/shim.h) defines these names itself.
#ifndef RINGJET_EMULATOR
#define __device__
#define __forceinline__ inline

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
#endif

static inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }

static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

static inline double __dmul_rn(double a, double b) { return a * b; }

static inline double __dadd_rn(double a, double b) { return a + b; }

static inline double __longlong_as_double(long long x) {
    double d;
    __builtin_memcpy(&d, &x, sizeof d);
    return d;
}

static inline long long __double_as_longlong(double x) {
    long long i;
    __builtin_memcpy(&i, &x, sizeof i);
    return i;
}
