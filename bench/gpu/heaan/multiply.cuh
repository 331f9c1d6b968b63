// A multiplication of ciphertexts (HE Mul), function by function, in the order of HEAAN 2.1, which
// the paper accelerates: products of the ciphertexts (region 1: four CRT and NTT, three iNTT and
// iCRT), then products of a_1 a_2 with the evaluation key (region 2: one CRT and NTT, two iNTT and
// iCRT).
#pragma once

#include "functions.cuh"

namespace heaan004 {

// Which variant of each function.
struct Choice {
    const CrtVariant* crt;
    const IcrtVariant* icrt;
    u32 log_radix;
};

enum Function { CRT, NTT, INTT, ICRT, EXTRA, FUNCTIONS };

class Multiplication {
    static constexpr u32 INPUTS = 4, PRODUCTS = 3, OUTPUTS = 2;

    const Ring& ring;
    Buffer<u32> residues[INPUTS], products[PRODUCTS], switched[OUTPUTS], tensor;

public:
    // a_1, b_1, a_2, b_2; then a_1 a_2, b_1 b_2 and (a_1 + b_1) (a_2 + b_2) modulo q; the products
    // of the first with both halves of the key, modulo q Q; a and b of the result. Coefficients are
    // rows.
    Buffer<u32> inputs[INPUTS], big_products[PRODUCTS], big_switched[OUTPUTS], outputs[OUTPUTS];
    // Both halves of the evaluation key, transformed.
    Buffer<u32> key[OUTPUTS];

    explicit Multiplication(const Ring& ring)
        : ring(ring),
          residues{of1(), of1(), of1(), of1()},
          products{of1(), of1(), of1()},
          switched{of2(), of2()},
          tensor(of2()),
          inputs{of_q(), of_q(), of_q(), of_q()},
          big_products{of_q(), of_q(), of_q()},
          big_switched{of_switched(), of_switched()},
          outputs{of_q(), of_q()},
          key{of2(), of2()} {}

    // Sets a half of the key, from coefficients below Q^2.
    void set_key(u32 half, const std::vector<u32>& coefficients) {
        crt<Carry>(ring, Buffer<u32>(coefficients), words_of(ring.parameters.key_bits()), key[half], ring.region2.np);
        ntt(ring, key[half], ring.region2.np, 1);
    }

    void run(const Choice& choice) {
        for (Function f : {CRT, NTT}) run1(f, choice);
        multiply1();
        for (Function f : {INTT, ICRT}) run1(f, choice);
        for (Function f : {CRT, NTT}) run2(f, choice);
        multiply2();
        for (Function f : {INTT, ICRT}) run2(f, choice);
        combine();
    }

    // All launches of one function in `run`.
    void run(Function f, const Choice& choice) {
        if (f == EXTRA) {
            multiply1();
            multiply2();
            combine();
            return;
        }
        run1(f, choice);
        run2(f, choice);
    }

private:
    size_t n() const { return ring.parameters.n(); }
    size_t of1() const { return n() * ring.region1.np; }
    size_t of2() const { return n() * ring.region2.np; }
    size_t of_q() const { return n() * ring.parameters.limbs(); }
    size_t of_switched() const { return n() * words_of(ring.parameters.switched_bits()); }

    void run1(Function f, const Choice& c) {
        const u32 np = ring.region1.np;
        if (f == CRT) {
            for (u32 i = 0; i < INPUTS; i++) c.crt->run(ring, inputs[i], ring.parameters.limbs(), residues[i], np);
        }
        for (auto& r : residues) {
            if (f == NTT) ntt(ring, r, np, c.log_radix);
        }
        for (u32 i = 0; i < PRODUCTS; i++) {
            if (f == INTT) intt(ring, products[i], np, c.log_radix);
            if (f == ICRT) c.icrt->run(ring, ring.region1, products[i], big_products[i], ring.parameters.log_q);
        }
    }

    void run2(Function f, const Choice& c) {
        const u32 np = ring.region2.np;
        if (f == CRT) c.crt->run(ring, big_products[0], ring.parameters.limbs(), tensor, np);
        if (f == NTT) ntt(ring, tensor, np, c.log_radix);
        for (u32 i = 0; i < OUTPUTS; i++) {
            if (f == INTT) intt(ring, switched[i], np, c.log_radix);
            if (f == ICRT) c.icrt->run(ring, ring.region2, switched[i], big_switched[i], ring.parameters.switched_bits());
        }
    }

    void multiply1() {
        const u32 np = ring.region1.np;
        hadamard(ring, residues[0], residues[2], nullptr, nullptr, products[0], np);
        hadamard(ring, residues[1], residues[3], nullptr, nullptr, products[1], np);
        hadamard(ring, residues[0], residues[2], &residues[1], &residues[3], products[2], np);
    }

    void multiply2() {
        for (u32 i = 0; i < OUTPUTS; i++) hadamard(ring, tensor, key[i], nullptr, nullptr, switched[i], ring.region2.np);
    }

    // a = switched_a / Q + (a_1 + b_1) (a_2 + b_2) - a_1 a_2 - b_1 b_2; b = switched_b / Q + b_1
    // b_2.
    void combine() {
        const Parameters& p = ring.parameters;
        for (u32 i = 0; i < OUTPUTS; i++) {
            launch(blocks_of(p.n(), Combine::THREADS), 1, Combine::THREADS, 0, [&] {
                const Ptr<const u32> none = {};
                const auto minus = [&](u32 k) { return i == 0 ? big_products[k].read() : none; };
                return Combine{big_switched[i].read(),
                               big_products[i == 0 ? 2 : 1].read(),
                               {minus(0), minus(1)},
                               outputs[i].write(),
                               p.n(),
                               p.limbs(),
                               mask_of(p.log_q),
                               words_of(p.switched_bits()),
                               p.log_big_q};
            });
        }
    }
};

// The variants of Figure 5(a), each with those before it. Positions are those of the tables of
// variants.
struct Build {
    const char* name;
    Choice choice;
};
inline const Build BUILDS[] = {{"GPU", {&CRT_VARIANTS[0], &ICRT_VARIANTS[0], 1}},
                               {"GPU-C", {&CRT_VARIANTS[4], &ICRT_VARIANTS[0], 1}},
                               {"GPU-CL", {&CRT_VARIANTS[4], &ICRT_VARIANTS[5], 1}},
                               {"GPU-CLH, radix 16", {&CRT_VARIANTS[4], &ICRT_VARIANTS[5], 4}},
                               {"GPU-CLH", {&CRT_VARIANTS[4], &ICRT_VARIANTS[5], 5}}};

}  // namespace heaan004
