//! iCRT with its loops reordered (Algorithm 6): a sum of two words for each word of P/p_j.
//!
//! First a lane is a coefficient, then a word of P/p_j; a thread takes some of the coefficients. In between the
//! residues are in `temp`: a row for each prime in `AVX` and `AVX-M` ([`DivideToRows`], [`SumRows`]), so that the sum
//! reads it column by column; a row for each coefficient in `AVX-MT` ([`DivideTransposed`], [`SumTransposed`]).

use std::marker::PhantomData;

use super::arithmetic::{Factors, Shoup, Sum, correct, mod_mul};
use super::lanes::{Kernel, Lanes};
use crate::lines::{LANES, Line, Matrix, words};
use crate::setup::{Prime, System};

/// The residues of one line of coefficients modulo a prime, divided by P/p_j.
#[inline(always)]
fn divided<S: Shoup, L: Lanes>(l: L, x: &Line, system: &System, prime: &Prime, j: usize) -> L::Vector {
    let (by, p) = (system.inverse[j], prime.modulus.value());
    let by = Factors { value: l.splat(by.value), shoup: l.splat(by.shoup) };
    correct(l, mod_mul::<S, L>(l, l.load(x), by, l.splat(p)), S::MULTIPLES, p)
}

/// Lines 1 to 3, loops nested as printed, `temp` as printed: `temp[j]` has the coefficients from line `first` on.
pub struct DivideToRows<'a, 'b, S> {
    /// Tables.
    pub system: &'a System,
    /// At least as many primes as the system has.
    pub primes: &'a [Prime],
    /// A row for each prime.
    pub residues: &'a Matrix,
    /// The line of each row to begin with.
    pub first: usize,
    /// A row for each prime.
    pub temp: &'a mut [&'b mut [Line]],
    /// How to multiply.
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

/// The same into the transpose. The papers scatter single words; here eight coefficients modulo eight primes are
/// transposed in registers, so that whole lines are written.
pub struct DivideTransposed<'a, 'b, S> {
    /// Tables.
    pub system: &'a System,
    /// At least as many primes as the system has.
    pub primes: &'a [Prime],
    /// A row for each prime.
    pub residues: &'a Matrix,
    /// The line of each row to begin with.
    pub first: usize,
    /// A row for each coefficient.
    pub temp: &'a mut [&'b mut [Line]],
    /// How to multiply.
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

/// Lines 4 to 11: coefficients of `limbs` words modulo 2^`bits`, from `temp` by rows.
pub struct SumRows<'a, 'b> {
    /// Tables.
    pub system: &'a System,
    /// A row for each prime.
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

/// The same from the transpose.
pub struct SumTransposed<'a, 'b> {
    /// Tables.
    pub system: &'a System,
    /// A row for each coefficient.
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

/// One coefficient's sums, word by word of P/p_j, and their aggregate.
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

    /// Line 10, in scalar code: the upper word of each sum goes where the lower word of the next one is. Then line 11.
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
