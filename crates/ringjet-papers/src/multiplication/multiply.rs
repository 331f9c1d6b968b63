//! A whole multiplication, with the time of each of its functions: Figure 2 of Jung et al., "HEAAN
//! Demystified" (paper B), Figure 1 of Jung et al., "Accelerating Fully Homomorphic Encryption
//! Through Microarchitecture-Aware Analysis and Optimization" (paper A).

use std::time::Instant;

use crate::multiplication::integers::{Integers, add, cut, shift_right, subtract};
use crate::multiplication::lines::{Matrix, words, words_mut};
use crate::multiplication::setup::{Prime, Setup, System};
use crate::multiplication::threads::each;
use crate::multiplication::variants::Variant;

/// A ciphertext: two polynomials modulo q.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ciphertext {
    /// The polynomial that decryption multiplies by the secret.
    pub ax: Integers,
    /// The other polynomial.
    pub bx: Integers,
}

/// The evaluation key: two polynomials modulo Q^2, stored after the NTT. Any polynomials serve for
/// timing.
#[derive(Debug, Clone)]
pub struct Key {
    ax: Matrix,
    bx: Matrix,
}

impl Key {
    /// Transforms the polynomials of a key.
    pub fn new(setup: &Setup, variant: &dyn Variant, ax: &Integers, bx: &Integers) -> Self {
        let system = &setup.systems[1];
        let [ax, bx] = [ax, bx].map(|input| {
            let mut rows = Matrix::new(system.count, setup.n());
            variant.crt(system, input, &mut rows, 1);
            variant.ntt(&setup.primes, &mut rows, 1);
            rows
        });
        Self { ax, bx }
    }
}

/// Seconds in each function, summed over its calls, as in Table I of paper A and Table VII of paper
/// B.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Seconds in CRT: big integers to residues.
    pub crt: f64,
    /// Seconds in forward transforms.
    pub ntt: f64,
    /// Seconds in inverse transforms.
    pub intt: f64,
    /// Seconds in iCRT: residues to big integers.
    pub icrt: f64,
    /// Seconds in products of values, the shift, and sums, which the papers call Extra.
    pub rest: f64,
}

impl Times {
    /// The sum of all times.
    pub fn total(&self) -> f64 {
        self.crt + self.ntt + self.intt + self.icrt + self.rest
    }
}

/// Memory of a multiplication, allocated once, because the papers' times exclude allocation.
pub struct Workspace {
    /// For each half: the matrices of residues, and `temp` of iCRT.
    halves: [(Vec<Matrix>, Matrix); 2],
    aa: Integers,
    bb: Integers,
    mixed: Integers,
    switched: [Integers; 2],
}

impl Workspace {
    /// The memory that `variant` needs.
    pub fn new(setup: &Setup, variant: &dyn Variant) -> Self {
        let n = setup.n();
        let half = |count: usize, system: &System| {
            ((0..count).map(|_| Matrix::new(system.count, n)).collect(), variant.temp(system, n))
        };
        let modulo_q = || Integers::new(n, setup.log_q);
        let modulo_product = || Integers::new(n, setup.log_q + setup.log_big_q);
        Self {
            halves: [half(5, &setup.systems[0]), half(2, &setup.systems[1])],
            aa: modulo_q(),
            bb: modulo_q(),
            mixed: modulo_q(),
            switched: [modulo_product(), modulo_product()],
        }
    }
}

/// A clock; `lap` adds the time since the last lap to an entry.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self, to: &mut f64) {
        let now = Instant::now();
        *to += (now - self.0).as_secs_f64();
        self.0 = now;
    }
}

/// A multiplication: its tables, functions and threads.
pub struct Multiplication<'a> {
    /// The tables of the multiplication.
    pub setup: &'a Setup,
    /// The functions of a variant.
    pub variant: &'a dyn Variant,
    /// Number of threads of each function.
    pub threads: usize,
}

impl Multiplication<'_> {
    /// Computes the product of two ciphertexts into `out`.
    ///
    /// Region 1: transforms the four polynomials, forms three products (the mixed one by
    /// Karatsuba's method), and goes back to integers modulo q. Region 2: transforms the product of
    /// both `ax`, forms two products with the key, goes back to integers modulo q * Q, and shifts
    /// them down by log Q bits.
    pub fn run(
        &self,
        key: &Key,
        x: &Ciphertext,
        y: &Ciphertext,
        memory: &mut Workspace,
        out: &mut Ciphertext,
    ) -> Times {
        let mut times = Times::default();
        let mut clock = Clock(Instant::now());
        let Workspace { halves: [tensor, key_switch], aa, bb, mixed, switched } = memory;

        let system = &self.setup.systems[0];
        let (rows, temp) = tensor;
        for (rows, polynomial) in rows.iter_mut().zip([&x.ax, &x.bx, &y.ax, &y.bx]) {
            self.forward(system, polynomial, rows, &mut times, &mut clock);
        }
        if let [xa, xb, ya, yb, product] = &mut rows[..] {
            self.values(product, [&*xa, &*ya], |p, a, b| p.mul(a, b));
            clock.lap(&mut times.rest);
            self.back(system, product, temp, aa, &mut times, &mut clock);
            self.values(product, [&*xb, &*yb], |p, a, b| p.mul(a, b));
            clock.lap(&mut times.rest);
            self.back(system, product, temp, bb, &mut times, &mut clock);
            self.sum_values(xa, xb);
            self.sum_values(ya, yb);
            self.values(product, [&*xa, &*ya], |p, a, b| p.mul(a, b));
            clock.lap(&mut times.rest);
            self.back(system, product, temp, mixed, &mut times, &mut clock);
        }

        let system = &self.setup.systems[1];
        let (rows, temp) = key_switch;
        if let [values, product] = &mut rows[..] {
            self.forward(system, aa, values, &mut times, &mut clock);
            for (key, switched) in [&key.ax, &key.bx].into_iter().zip(switched.iter_mut()) {
                self.values(product, [&*values, key], |p, a, b| p.mul(a, b));
                clock.lap(&mut times.rest);
                self.back(system, product, temp, switched, &mut times, &mut clock);
            }
        }

        let [switched_a, switched_b] = switched;
        let shift = self.setup.log_big_q;
        self.coefficients(&mut out.ax, |i, sum| {
            shift_right(sum, switched_a.get(i), shift);
            add(sum, mixed.get(i));
            subtract(sum, aa.get(i));
            subtract(sum, bb.get(i));
        });
        self.coefficients(&mut out.bx, |i, sum| {
            shift_right(sum, switched_b.get(i), shift);
            add(sum, bb.get(i));
        });
        clock.lap(&mut times.rest);
        times
    }

    fn forward(&self, system: &System, input: &Integers, rows: &mut Matrix, times: &mut Times, clock: &mut Clock) {
        self.variant.crt(system, input, rows, self.threads);
        clock.lap(&mut times.crt);
        self.variant.ntt(&self.setup.primes, rows, self.threads);
        clock.lap(&mut times.ntt);
    }

    fn back(
        &self,
        system: &System,
        rows: &mut Matrix,
        temp: &mut Matrix,
        output: &mut Integers,
        times: &mut Times,
        clock: &mut Clock,
    ) {
        self.variant.intt(&self.setup.primes, rows, self.threads);
        clock.lap(&mut times.intt);
        self.variant.icrt(system, &self.setup.primes, rows, temp, output, self.threads);
        clock.lap(&mut times.icrt);
    }

    /// Computes a function of two matrices, value by value. All variants do it in scalar code, as
    /// in the papers: their times of Extra are the same with and without AVX-512 (paper A, Table
    /// I).
    fn values(&self, to: &mut Matrix, from: [&Matrix; 2], of: impl Fn(&ringjet_math::Modulus, u64, u64) -> u64 + Sync) {
        each(to.split_rows(self.threads), |(first, rows)| {
            for (j, row) in rows.into_iter().enumerate().map(|(j, row)| (first + j, row)) {
                let (p, [a, b]) = (self.prime(j).modulus, from.map(|m| words(m.row(j))));
                for ((out, &a), &b) in words_mut(row).iter_mut().zip(a).zip(b) {
                    *out = of(&p, a, b);
                }
            }
        });
    }

    fn sum_values(&self, to: &mut Matrix, other: &Matrix) {
        each(to.split_rows(self.threads), |(first, rows)| {
            for (j, row) in rows.into_iter().enumerate().map(|(j, row)| (first + j, row)) {
                let p = self.prime(j).modulus;
                words_mut(row).iter_mut().zip(words(other.row(j))).for_each(|(a, &b)| *a = p.add(*a, b));
            }
        });
    }

    fn prime(&self, j: usize) -> &Prime {
        &self.setup.primes[j]
    }

    /// Computes each coefficient of `out` by `of`, then reduces it modulo q.
    fn coefficients(&self, out: &mut Integers, of: impl Fn(usize, &mut [u64]) + Sync) {
        let (limbs, bits) = (out.limbs(), out.bits());
        each(out.split(self.threads), |(first, part)| {
            for (i, sum) in part.chunks_exact_mut(limbs).enumerate() {
                of(first + i, sum);
                cut(sum, bits);
            }
        });
    }
}
