//! iCRT (Algorithm 5 of Jung et al., "HEAAN Demystified"): residues to big integers, one
//! coefficient after the other. Lines are those of the algorithm; p_j is prime j and P the product
//! of all primes.

use super::{Tally, shoup};
use crate::multiplication::lines::{LANES, Line, Matrix, words, words_mut};
use crate::multiplication::setup::{Prime, System};

/// Lines 1 to 3 for the coefficients from index `first` on: `temp[j][i]` becomes the residue
/// divided by P/p_j.
///
/// The loops are nested as printed: the residues of a coefficient are one row of the matrix apart.
pub fn divide<T: Tally>(
    system: &System,
    primes: &[Prime],
    residues: &Matrix,
    first: usize,
    temp: &mut [&mut [Line]],
    tally: &mut T,
) {
    let count = temp[0].len() * LANES;
    for i in 0..count {
        for (j, row) in temp.iter_mut().enumerate() {
            let x = words(residues.row(j))[first + i];
            words_mut(row)[i] = shoup(x, system.inverse[j], primes[j].modulus.value());
            tally.modular(1);
        }
    }
}

/// Lines 4 to 9: each coefficient becomes the sum of `temp[j][i] * P/p_j` modulo P, then modulo
/// 2^`bits`. Coefficients have `limbs` words.
pub fn sum<T: Tally>(
    system: &System,
    temp: &[&mut [Line]],
    limbs: usize,
    bits: u32,
    output: &mut [u64],
    tally: &mut T,
) {
    let mut accum = vec![0u64; system.product.sum_words().max(system.product_limbs + 1)];
    for (i, out) in output.chunks_exact_mut(limbs).enumerate() {
        accum.fill(0);
        for (row, quotient) in temp.iter().zip(&system.quotients) {
            let residue = u128::from(words(row)[i]);
            let mut carry = 0;
            for (accum, &word) in accum.iter_mut().zip(quotient) {
                let sum = residue * u128::from(word) + u128::from(*accum) + u128::from(carry);
                (*accum, carry) = (sum as u64, (sum >> 64) as u64);
                tally.product();
            }
            // The sum is below np * P for np primes, so one more word holds the carry.
            accum[system.product_limbs] += carry;
        }
        system.product.reduce(&mut accum, out, bits);
    }
}
