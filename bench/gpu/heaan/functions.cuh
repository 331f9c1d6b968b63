// The functions of a multiplication of ciphertexts, each with its variants, as launches of kernels.
#pragma once

#include "crt.cuh"
#include "ntt.cuh"
#include "products.cuh"
#include "ring.cuh"

namespace heaan004 {

inline u32 blocks_of(u32 count, u32 threads) { return (count + threads - 1) / threads; }

// Residues of big integers of `limbs` limbs modulo the first np primes.
template <class Method>
void crt(const Ring& ring, const Buffer<u32>& numbers, u32 limbs, const Buffer<u32>& residues, u32 np) {
    const u32 n = ring.parameters.n();
    const u32 shared = CRT_COEFFICIENTS * (limbs | 1) * u32(sizeof(u32));
    launch(n / CRT_COEFFICIENTS, blocks_of(np, CRT_PRIMES), Crt<Method>::THREADS, shared, [&] {
        return Crt<Method>{numbers.read(), ring.powers.read(),      ring.device_primes.read(), residues.write(), n, np,
                           limbs,          ring.powers_stride};
    });
}

struct CrtVariant {
    const char* name;
    void (*run)(const Ring&, const Buffer<u32>& numbers, u32 limbs, const Buffer<u32>& residues, u32 np);
};
inline const CrtVariant CRT_VARIANTS[] = {{"GPU", crt<Horner>},
                                          {"GPU-Mod1", crt<Mod<1>>},
                                          {"GPU-Mod2", crt<Mod<2>>},
                                          {"GPU-Mod4", crt<Mod<4>>},
                                          {"GPU-C", crt<Carry>}};

template <bool FORWARD, u32 LOG>
void pass(const Ring& ring, const Buffer<u32>& x, u32 np, u32 stage) {
    typedef Transform<LOG, FORWARD> Kernel;
    const u32 log_n = ring.parameters.log_n, threads = std::min(Kernel::THREADS + 0, 1u << (log_n - LOG));
    launch(blocks_of(1u << (log_n - LOG), threads), np, threads, 0, [&] {
        const auto& roots = FORWARD ? ring.forward_roots : ring.inverse_roots;
        return Kernel{x.write(), roots.read(), ring.device_primes.read(), log_n, stage};
    });
}

template <bool FORWARD>
void pass(const Ring& ring, const Buffer<u32>& x, u32 np, u32 stage, u32 log_radix) {
    switch (log_radix) {
    case 1: return pass<FORWARD, 1>(ring, x, np, stage);
    case 2: return pass<FORWARD, 2>(ring, x, np, stage);
    case 3: return pass<FORWARD, 3>(ring, x, np, stage);
    case 4: return pass<FORWARD, 4>(ring, x, np, stage);
    case 5: return pass<FORWARD, 5>(ring, x, np, stage);
    }
    std::abort();
}

constexpr u32 MOST_LOG_RADIX = 5;

// Transforms in place. If the radix does not divide the stages evenly, the stages with the largest
// distances between values have a smaller radix.
inline void ntt(const Ring& ring, const Buffer<u32>& x, u32 np, u32 log_radix) {
    const u32 log_n = ring.parameters.log_n, rest = log_n % log_radix;
    if (rest != 0) pass<true>(ring, x, np, 0, rest);
    for (u32 stage = rest; stage < log_n; stage += log_radix) pass<true>(ring, x, np, stage, log_radix);
}
inline void intt(const Ring& ring, const Buffer<u32>& x, u32 np, u32 log_radix) {
    const u32 log_n = ring.parameters.log_n, rest = log_n % log_radix;
    for (u32 stage = log_n; stage > rest; stage -= log_radix) pass<false>(ring, x, np, stage - log_radix, log_radix);
    if (rest != 0) pass<false>(ring, x, np, 0, rest);
}

inline IcrtTables icrt_tables(const Ring& ring, const Region& r, const Buffer<u32>& out, u32 bits) {
    return {ring.device_primes.read(), r.inverses.read(), r.cofactors.read(), r.product_words.read(), r.half_words.read(),
            out.write(), ring.parameters.n(), r.np, r.words, r.stride, r.bits, words_of(bits), mask_of(bits)};
}

// Big integers, modulo 2^bits, of residues modulo the region's primes. Launches THREADS threads for
// each multiprocessor; THREADS = 0: one thread for each coefficient.
template <u32 THREADS>
void icrt_own(const Ring& ring, const Region& region, const Buffer<u32>& residues, const Buffer<u32>& out, u32 bits) {
    constexpr u32 FEW = 64;
    const u32 n = ring.parameters.n(), threads = THREADS == 0 ? std::min(IcrtOwn::THREADS + 0, n) : FEW;
    const u32 all = blocks_of(n, threads), blocks = THREADS == 0 ? all : std::min(all, multiprocessors() * THREADS / FEW);
    launch(blocks, 1, threads, 0, [&] { return IcrtOwn{icrt_tables(ring, region, out, bits), residues.read()}; });
}

inline void icrt_pinned(const Ring& ring, const Region& region, const Buffer<u32>& residues, const Buffer<u32>& out, u32 bits) {
    const u32 threads = IcrtPinned::THREADS, shared = threads * (region.words + 1) * u32(sizeof(u32));
    launch(ring.parameters.n() / threads, 1, threads, shared,
           [&] { return IcrtPinned{icrt_tables(ring, region, out, bits), residues.read()}; });
}

inline void icrt_reordered(const Ring& ring, const Region& r, const Buffer<u32>& residues, const Buffer<u32>& out, u32 bits) {
    const u32 n = ring.parameters.n(), shared = r.np * ICRT_COEFFICIENTS * u32(sizeof(u32));
    const auto tables = [&] { return icrt_tables(ring, r, out, bits); };
    launch(blocks_of(n, IcrtScale::THREADS), r.np, IcrtScale::THREADS, 0,
           [&] { return IcrtScale{tables(), residues.read(), ring.scaled.write()}; });
    launch(n / ICRT_COEFFICIENTS, blocks_of(r.stride, ICRT_LIMBS), IcrtProduct::THREADS, shared, [&] {
        return IcrtProduct{ring.scaled.read(), r.cofactors.read(), ring.low.write(), ring.high.write(), n, r.np, r.stride};
    });
    launch(blocks_of(n, IcrtCarry::THREADS), 1, IcrtCarry::THREADS, 0,
           [&] { return IcrtCarry{tables(), ring.low.read(), ring.high.read(), ring.columns.write()}; });
}

struct IcrtVariant {
    const char* name;
    void (*run)(const Ring&, const Region&, const Buffer<u32>& residues, const Buffer<u32>& out, u32 bits);
};
inline const IcrtVariant ICRT_VARIANTS[] = {{"GPU", icrt_own<0>},
                                            {"GPU-CT, 64 threads a multiprocessor", icrt_own<64>},
                                            {"GPU-CT, 128 threads a multiprocessor", icrt_own<128>},
                                            {"GPU-CT, 256 threads a multiprocessor", icrt_own<256>},
                                            {"GPU-CP", icrt_pinned},
                                            {"GPU-CL", icrt_reordered}};

// out = (a + c) (b + d) for residues modulo the first np primes.
inline void hadamard(const Ring& ring, const Buffer<u32>& a, const Buffer<u32>& b, const Buffer<u32>* c, const Buffer<u32>* d,
                     const Buffer<u32>& out, u32 np) {
    const u32 n = ring.parameters.n();
    launch(blocks_of(n, Hadamard::THREADS), np, Hadamard::THREADS, 0, [&] {
        const Ptr<const u32> none = {};
        const auto optional = [&](const Buffer<u32>* x) { return x ? x->read() : none; };
        return Hadamard{a.read(), b.read(), optional(c), optional(d), ring.device_primes.read(), out.write(), n};
    });
}

}  // namespace heaan004
