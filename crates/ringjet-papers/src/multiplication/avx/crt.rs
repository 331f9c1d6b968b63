//! CRT (Algorithm 1 of Jung et al., "HEAAN Demystified"). Each lane has one prime; each thread has
//! some of the coefficients.

use std::marker::PhantomData;

use super::arithmetic::{Factors, Shoup, Sum, mod_mul};
use super::lanes::{Kernel, Lanes};
use crate::multiplication::lines::{LANES, Line};
use crate::multiplication::setup::{CrtLanes, System};

/// Computes the residues of `input` (coefficients of `limbs` words) into the columns `output`,
/// which have a row for each prime.
pub struct Crt<'a, 'b, S> {
    system: &'a System,
    input: &'a [u64],
    limbs: usize,
    output: &'a mut [&'b mut [Line]],
    shoup: PhantomData<S>,
}

impl<'a, 'b, S> Crt<'a, 'b, S> {
    /// A kernel with these operands.
    pub fn new(system: &'a System, input: &'a [u64], limbs: usize, output: &'a mut [&'b mut [Line]]) -> Self {
        Self { system, input, limbs, output, shoup: PhantomData }
    }
}

impl<S: Shoup> Kernel for Crt<'_, '_, S> {
    /// The papers do not say how residues get from one prime in each lane to one prime in each row.
    /// This code takes eight coefficients together and transposes them in registers, so that it
    /// writes whole lines.
    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for (block, input) in self.input.chunks_exact(LANES * self.limbs).enumerate() {
            for (rows, table) in self.output.chunks_mut(LANES).zip(&self.system.crt_lanes) {
                let mut tile = [l.splat(0); LANES];
                for (residues, x) in tile.iter_mut().zip(input.chunks_exact(self.limbs)) {
                    *residues = residues_of::<S, L>(l, x, table);
                }
                for (row, v) in rows.iter_mut().zip(l.transpose(tile)) {
                    l.store(&mut row[block], v);
                }
            }
        }
    }
}

/// The residues of one coefficient modulo eight primes. Two words hold the sum, because all primes
/// are below 2^58.
#[inline(always)]
fn residues_of<S: Shoup, L: Lanes>(l: L, x: &[u64], table: &CrtLanes) -> L::Vector {
    let mut sum = Sum::zero(l);
    for (&word, powers) in x.iter().zip(&table.powers) {
        sum = sum.add_product(l, l.load(powers), l.splat(word));
    }
    let p = l.load(&table.primes);
    let [one, beta, _] = table.places.each_ref().map(|(v, s)| Factors { value: l.load(v), shoup: l.load(s) });
    let mut r = l.add(mod_mul::<S, L>(l, sum.low, one, p), mod_mul::<S, L>(l, sum.high, beta, p));
    // The sum is below 2 * MULTIPLES * p. The primes differ from lane to lane.
    let mut multiples = p;
    let mut steps = [p; 4];
    let count = S::MULTIPLES.trailing_zeros() as usize + 1;
    for step in &mut steps[..count] {
        *step = multiples;
        multiples = l.add(multiples, multiples);
    }
    for &step in steps[..count].iter().rev() {
        r = l.subtract_where_fits(r, step);
    }
    r
}
