//! iCRT with its loops reordered (Algorithm 6 of Jung et al., "HEAAN Demystified"): a sum of two
//! words for each word of P/p_j. Here p_j is prime j and P the product of all primes; lines are
//! those of the algorithm.
//!
//! Each thread has some of the coefficients. In the first part each lane has a coefficient, in the
//! second part a word of P/p_j. Between the parts the residues are in `temp`. In `AVX` and `AVX-M`
//! it has a row for each prime ([`DivideToRows`], [`SumRows`]), and the sum reads it column by
//! column. In `AVX-MT` it has a row for each coefficient ([`DivideTransposed`], [`SumTransposed`]).

use std::marker::PhantomData;

use super::arithmetic::{Factors, Shoup, Sum, correct, mod_mul};
use super::lanes::{Kernel, Lanes};
use crate::multiplication::lines::{LANES, Line, Matrix, words};
use crate::multiplication::setup::{Prime, System};

/// The residues of one line of coefficients modulo a prime, divided by P/p_j.
#[inline(always)]
fn divided<S: Shoup, L: Lanes>(l: L, x: &Line, system: &System, prime: &Prime, j: usize) -> L::Vector {
    let (by, p) = (system.inverse[j], prime.modulus.value());
    let by = Factors { value: l.splat(by.value), shoup: l.splat(by.shoup) };
    correct(l, mod_mul::<S, L>(l, l.load(x), by, l.splat(p)), S::MULTIPLES, p)
}

/// Lines 1 to 3 with loops and `temp` as printed: `temp[j]` has the coefficients from line `first`
/// on.
pub struct DivideToRows<'a, 'b, S> {
    /// Tables.
    pub system: &'a System,
    /// The primes; at least as many as the system has.
    pub primes: &'a [Prime],
    /// The residues, with a row for each prime.
    pub residues: &'a Matrix,
    /// The line of each row to begin with.
    pub first: usize,
    /// The result, with a row for each prime.
    pub temp: &'a mut [&'b mut [Line]],
    /// The modular multiplication.
    pub shoup: PhantomData<S>,
}

impl<S: Shoup> Kernel for DivideToRows<'_, '_, S> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for i in 0..self.temp[0].len() {
            for (j, (row, prime)) in self.temp.iter_mut().zip(self.primes).enumerate() {
                let x = &self.residues.row(j)[self.first + i];
                l.store(&mut row[i], divided::<S, L>(l, x, self.system, prime, j));
            }
        }
    }
}

/// Lines 1 to 3 with `temp` transposed. The papers store single words; this code transposes eight
/// coefficients modulo eight primes in registers, so that it writes whole lines.
pub struct DivideTransposed<'a, 'b, S> {
    /// Tables.
    pub system: &'a System,
    /// The primes; at least as many as the system has.
    pub primes: &'a [Prime],
    /// The residues, with a row for each prime.
    pub residues: &'a Matrix,
    /// The line of each row to begin with.
    pub first: usize,
    /// The result, with a row for each coefficient.
    pub temp: &'a mut [&'b mut [Line]],
    /// The modular multiplication.
    pub shoup: PhantomData<S>,
}

impl<S: Shoup> Kernel for DivideTransposed<'_, '_, S> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let count = self.system.count;
        for (i, rows) in self.temp.chunks_exact_mut(LANES).enumerate() {
            for first in (0..count).step_by(LANES) {
                let mut tile = [l.splat(0); LANES];
                for ((j, prime), v) in self.primes[..count].iter().enumerate().skip(first).zip(&mut tile) {
                    *v = divided::<S, L>(l, &self.residues.row(j)[self.first + i], self.system, prime, j);
                }
                for (row, v) in rows.iter_mut().zip(l.transpose(tile)) {
                    l.store(&mut row[first / LANES], v);
                }
            }
        }
    }
}

/// Lines 4 to 11 with a row of `temp` for each prime: coefficients of `limbs` words modulo
/// 2^`bits`.
pub struct SumRows<'a, 'b> {
    /// Tables.
    pub system: &'a System,
    /// The divided residues, with a row for each prime.
    pub temp: &'a [&'b mut [Line]],
    /// Words of a coefficient.
    pub limbs: usize,
    /// Bits of a coefficient.
    pub bits: u32,
    /// The coefficients.
    pub output: &'a mut [u64],
}

impl Kernel for SumRows<'_, '_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let mut sums = Sums::new(self.system);
        for (i, out) in self.output.chunks_exact_mut(self.limbs).enumerate() {
            for (column, at) in self.system.quotient_lanes.iter().zip(0..) {
                let mut sum = Sum::zero(l);
                for (quotients, row) in column.iter().zip(self.temp) {
                    sum = sum.add_product(l, l.load(quotients), l.splat(row[i / LANES].0[i % LANES]));
                }
                l.store(&mut sums.low[at], sum.low);
                l.store(&mut sums.high[at], sum.high);
            }
            sums.reduce(self.system, out, self.bits);
        }
    }
}

/// Lines 4 to 11 with a row of `temp` for each coefficient.
pub struct SumTransposed<'a, 'b> {
    /// Tables.
    pub system: &'a System,
    /// The divided residues, with a row for each coefficient.
    pub temp: &'a [&'b mut [Line]],
    /// Words of a coefficient.
    pub limbs: usize,
    /// Bits of a coefficient.
    pub bits: u32,
    /// The coefficients.
    pub output: &'a mut [u64],
}

impl Kernel for SumTransposed<'_, '_> {
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let mut sums = Sums::new(self.system);
        for (row, out) in self.temp.iter().zip(self.output.chunks_exact_mut(self.limbs)) {
            for (column, at) in self.system.quotient_lanes.iter().zip(0..) {
                let mut sum = Sum::zero(l);
                for (quotients, &residue) in column.iter().zip(words(row)) {
                    sum = sum.add_product(l, l.load(quotients), l.splat(residue));
                }
                l.store(&mut sums.low[at], sum.low);
                l.store(&mut sums.high[at], sum.high);
            }
            sums.reduce(self.system, out, self.bits);
        }
    }
}

/// The sums of one coefficient, one for each word of P/p_j, and their total.
struct Sums {
    low: Vec<Line>,
    high: Vec<Line>,
    total: Vec<u64>,
}

impl Sums {
    fn new(system: &System) -> Self {
        let vectors = system.quotient_lanes.len();
        let words = (LANES * vectors + 1).max(system.product.sum_words());
        Self { low: vec![Line::ZERO; vectors], high: vec![Line::ZERO; vectors], total: vec![0; words] }
    }

    /// Line 10, in scalar code: adds the upper word of each sum to the lower word of the next one.
    /// Then line 11.
    fn reduce(&mut self, system: &System, out: &mut [u64], bits: u32) {
        let (mut above, mut carry) = (0u64, false);
        for ((total, &low), &high) in self.total.iter_mut().zip(words(&self.low)).zip(words(&self.high)) {
            let (sum, a) = low.overflowing_add(above);
            let (sum, b) = sum.overflowing_add(u64::from(carry));
            (*total, above, carry) = (sum, high, a | b);
        }
        let (last, rest) = self.total[LANES * self.low.len()..].split_at_mut(1);
        last[0] = above + u64::from(carry);
        rest.fill(0);
        system.product.reduce(&mut self.total, out, bits);
    }
}
