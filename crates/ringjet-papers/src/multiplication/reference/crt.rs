//! CRT (Algorithm 1 of Jung et al., "HEAAN Demystified"): big integers to residues.

use super::{Tally, add, shoup};
use crate::multiplication::integers::Integers;
use crate::multiplication::lines::{LANES, Line, words_mut};
use crate::multiplication::setup::{CrtPrime, System};

/// Computes the residues of `input` modulo the primes from index `first` on, one row of `rows` for
/// each.
///
/// The primes are the outer loop, because a thread of the reference has some of the primes (Section
/// VII of the paper).
pub fn crt<T: Tally>(system: &System, first: usize, input: &Integers, rows: &mut [&mut [Line]], tally: &mut T) {
    for (j, row) in rows.iter_mut().enumerate() {
        let p = prime(system, first + j);
        for (i, out) in words_mut(row).iter_mut().enumerate() {
            *out = residue(input.get(i), &system.crt[first + j], p, tally);
        }
    }
}

/// The prime p_j, from the lanes of the table.
fn prime(system: &System, j: usize) -> u64 {
    system.crt_lanes[j / LANES].primes.0[j % LANES]
}

/// A sum of products, three words long, reduced modulo p.
#[inline(always)]
fn residue<T: Tally>(x: &[u64], table: &CrtPrime, p: u64, tally: &mut T) -> u64 {
    let (mut low, mut high) = (0u128, 0u64);
    for (&word, &power) in x.iter().zip(&table.powers) {
        let (sum, carry) = low.overflowing_add(u128::from(word) * u128::from(power));
        low = sum;
        high += u64::from(carry);
        tally.product();
    }
    let [one, beta, beta_squared] = table.places;
    tally.modular(3);
    let low = add(shoup(low as u64, one, p), shoup((low >> 64) as u64, beta, p), p);
    add(low, shoup(high, beta_squared, p), p)
}
