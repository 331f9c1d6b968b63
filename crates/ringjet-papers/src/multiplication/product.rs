//! The product P of the primes. It reduces sums of iCRT modulo P, then modulo q (the last line of
//! Algorithms 5 and 6 of Jung et al., "HEAAN Demystified").
//!
//! The papers only say `mod(mod(accum, P), q)`. This code computes one digit of a long division by
//! P, takes the representative nearest to 0 (a negacyclic product has negative coefficients), and
//! keeps its low bits, as q is a power of two. All variants share this scalar code.

use num_bigint::BigUint;

use crate::multiplication::integers::{cut, subtract};

/// P with the constants of the division by it.
#[derive(Debug, Clone)]
pub struct Product {
    words: Vec<u64>,
    half: Vec<u64>,
    /// The highest 55 bits of P (P without its lowest `shift` bits), plus 1.
    top: u64,
    shift: u32,
}

/// Number of bits of P from which a quotient is estimated. A sum has at most eight bits more.
const TOP_BITS: u64 = 55;

impl Product {
    /// Constants for the division by `p`, at least 2^55.
    pub fn new(p: &BigUint) -> Self {
        let shift = p.bits().saturating_sub(TOP_BITS);
        let top = (p >> shift).iter_u64_digits().next().unwrap_or(0) + 1;
        Self { words: p.to_u64_digits(), half: (p >> 1u32).to_u64_digits(), top, shift: shift as u32 }
    }

    /// Number of words of a sum for [`Self::reduce`]: P's words, and one more for its multiples.
    pub fn sum_words(&self) -> usize {
        self.words.len() + 1
    }

    /// Computes `out = (sum mod P, nearest to 0) mod 2^bits` for a sum below 256 * P. It overwrites
    /// `sum`.
    pub fn reduce(&self, sum: &mut [u64], out: &mut [u64], bits: u32) {
        let sum = &mut sum[..self.words.len() + 1];
        // The estimate is never too large, because the divisor is rounded up. It is too small by at
        // most one, because of the bits that are cut off: sum / P < 2^8, and the divisor has 55
        // bits.
        let quotient = top(sum, self.shift) / self.top;
        self.subtract_multiple(sum, quotient);
        if !less(sum, &self.words) {
            subtract(sum, &self.words);
        }
        if less(&self.half, sum) {
            subtract(sum, &self.words);
        }
        let negative = sum[self.words.len()] >> 63 != 0;
        let sign = if negative { u64::MAX } else { 0 };
        for (k, word) in out.iter_mut().enumerate() {
            *word = sum.get(k).copied().unwrap_or(sign);
        }
        cut(out, bits);
    }

    fn subtract_multiple(&self, sum: &mut [u64], factor: u64) {
        let mut borrow = 0u64;
        for (word, &p) in sum.iter_mut().zip(&self.words) {
            let product = u128::from(p) * u128::from(factor) + u128::from(borrow);
            let (difference, less) = word.overflowing_sub(product as u64);
            *word = difference;
            borrow = (product >> 64) as u64 + u64::from(less);
        }
        sum[self.words.len()] = sum[self.words.len()].wrapping_sub(borrow);
    }
}

/// The bits of `x` from bit `shift` on; there must be at most 64.
fn top(x: &[u64], shift: u32) -> u64 {
    let mut out = [0];
    crate::multiplication::integers::shift_right(&mut out, x, shift);
    out[0]
}

/// Whether `a < b`. The shorter one is extended with zeros.
fn less(a: &[u64], b: &[u64]) -> bool {
    let word = |x: &[u64], k: usize| x.get(k).copied().unwrap_or(0);
    let differing = (0..a.len().max(b.len())).rev().find(|&k| word(a, k) != word(b, k));
    differing.is_some_and(|k| word(a, k) < word(b, k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn representatives_nearest_to_zero() {
        let prime = BigUint::from((1u64 << 57) + 29);
        for primes in 1..=9 {
            let p = prime.pow(primes);
            let product = Product::new(&p);
            let one = BigUint::from(1u32);
            for factor in [0u32, 1, 2, 63, 126, 127] {
                let at = &p * factor;
                let near = [&at + 0u32, &at + 1u32, &at + (&p >> 1u32), &at + (&p >> 1u32) + 1u32, &at + &p - &one];
                for x in near {
                    for bits in [1u32, 63, 64, 65, 500] {
                        let modulus = BigUint::from(1u32) << bits;
                        let least = &x % &p;
                        let expected = if least > &p >> 1u32 {
                            (&modulus - (&p - &least) % &modulus) % &modulus
                        } else {
                            least % &modulus
                        };
                        let mut sum = x.to_u64_digits();
                        sum.resize(product.sum_words(), 0);
                        let mut out = vec![0; bits.div_ceil(64) as usize];
                        product.reduce(&mut sum, &mut out, bits);
                        let out: BigUint = out.iter().rev().fold(BigUint::ZERO, |all, &w| (all << 64u32) + w);
                        assert_eq!(out, expected, "{primes} primes, {factor} P, {bits} bits");
                    }
                }
            }
        }
    }
}
