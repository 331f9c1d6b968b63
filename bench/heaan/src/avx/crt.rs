//! CRT (Algorithm 1): a lane is a prime, a thread takes some of the coefficients.

use std::marker::PhantomData;

use super::arithmetic::{Factors, Shoup, Sum, mod_mul};
use super::lanes::{Kernel, Lanes};
use crate::lines::{LANES, Line};
use crate::setup::{CrtLanes, System};

/// Residues of `input`, `limbs` words a coefficient, into the columns `output`, which has a row for each prime.
pub struct Crt<'a, 'b, S> {
    system: &'a System,
    input: &'a [u64],
    limbs: usize,
    output: &'a mut [&'b mut [Line]],
    shoup: PhantomData<S>,
}

impl<'a, 'b, S> Crt<'a, 'b, S> {
    /// See the type.
    pub fn new(system: &'a System, input: &'a [u64], limbs: usize, output: &'a mut [&'b mut [Line]]) -> Self {
        Self { system, input, limbs, output, shoup: PhantomData }
    }
}

impl<S: Shoup> Kernel for Crt<'_, '_, S> {
    /// The papers do not say how residues get from a lane a prime to a row a prime. Here eight coefficients are taken
    /// together and transposed in registers, so that whole lines are written.
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

/// The residues of one coefficient modulo eight primes. Two words hold the sum, as all primes are below 2^58.
#[inline(always)]
fn residues_of<S: Shoup, L: Lanes>(l: L, x: &[u64], table: &CrtLanes) -> L::Vector {
    let mut sum = Sum::zero(l);
    for (&word, powers) in x.iter().zip(&table.powers) {
        sum = sum.add_product(l, l.load(powers), l.splat(word));
    }
    let p = l.load(&table.primes);
    let [one, beta] = table.places.each_ref().map(|(v, s)| Factors { value: l.load(v), shoup: l.load(s) });
    let mut r = l.add(mod_mul::<S, L>(l, sum.low, one, p), mod_mul::<S, L>(l, sum.high, beta, p));
    // below 2 MULTIPLES p; the primes differ from lane to lane
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
