//! Products of big integers, computed from products of their digits.
//!
//! A product of an integer of a bits and one of b bits needs primes for a + b bits. The cost of the
//! matrix products that convert to residues and back grows with the square of a + b. But only half
//! of the product is kept: its value modulo `2^bits`, or its upper part. So integers are cut into
//! digits of [`WORDS`] words of [`WORD_BITS`] bits; the highest digit is centred. Products of
//! digits need few primes, always the same ones, and only those pairs of digits are multiplied on
//! which the result depends. The number of transforms stays about the same: the products of all
//! pairs (i, j) of digits with the same *weight* i + j are summed before they are transformed back.
//!
//! This module only plans. The CPU backend computes by the plan, and the cost model counts its
//! operations. The proof for [`Digits::rounded`] is in `docs/proofs/big.md`.

use std::ops::Range;

use ringjet_math::{Basis, big};

use super::{BigFactor, BigMul};
use crate::{Result, View, check};

/// Bits of a word in the kernels that convert between integers and residues. Stored integers have
/// words of one bit more ([`ringjet_math::big::WORD_BITS`]). With one bit less, the sum of a word
/// and a residue below 2^50 is still below 2^52, as a factor of a 52-bit multiplication must be.
pub const WORD_BITS: u32 = 51;

/// Number of words of a digit.
pub const WORDS: usize = 6;

/// Number of bits of a digit.
pub const BITS: u32 = WORDS as u32 * WORD_BITS;

/// Binary logarithm of the largest number of products in a sum for which a prepared factor has
/// enough primes.
const PREPARED_TERMS: u32 = 7;

/// The least number of bits that are tested to find out whether the omitted sums can change the
/// result.
const GUARD_BITS: u32 = 30;

/// Number of words of [`WORD_BITS`] bits of an integer modulo `2^bits`.
pub const fn words(bits: u32) -> usize {
    bits.div_ceil(WORD_BITS) as usize
}

/// Number of digits of an integer modulo `2^bits`.
pub fn count(bits: u32) -> usize {
    bits.div_ceil(BITS) as usize
}

/// The bits of an integer modulo `2^bits` that form digit `i`.
pub fn digit(bits: u32, i: usize) -> Range<u32> {
    let from = i as u32 * BITS;
    from..bits.min(from + BITS)
}

/// The limbs of an integer modulo `2^bits` that hold bits of digit `i`. One limb may hold bits of
/// two neighbouring digits.
pub fn limbs(bits: u32, i: usize) -> Range<usize> {
    let digit = digit(bits, i);
    (digit.start / big::WORD_BITS) as usize..digit.end.div_ceil(big::WORD_BITS) as usize
}

/// Number of bits of the largest digit of an integer modulo `2^bits`, without its sign.
fn size(bits: u32) -> u32 {
    if count(bits) == 1 { bits - 1 } else { BITS }
}

/// How many of the first primes of the basis are needed so that their product is above
/// `2^(bits + 1)`, by enough for the quotient to be exact. `None` if the basis has too few primes.
fn primes_for(basis: &Basis, bits: u32) -> Option<usize> {
    let mut log = 0.0;
    let enough = |q: u64| {
        log += (q as f64).log2();
        log > f64::from(bits + 1) + 0.01
    };
    basis.values().position(enough).map(|i| i + 1)
}

/// The shape of a prepared factor of integers modulo `2^bits`: the number of digits of all its
/// polynomials, and the number of primes for which it has residues. These primes are enough for
/// products with any other factor, or they are all primes of the basis.
pub fn prepared_shape(polys: usize, basis: &Basis, bits: u32) -> (usize, usize) {
    let primes = primes_for(basis, size(bits) + BITS + basis.log_n() + PREPARED_TERMS);
    (polys * count(bits), primes.unwrap_or(basis.len()))
}

/// The number of primes of a prepared factor. Refuses a view that has no whole digits or not all
/// limbs.
pub fn prepared_primes(op: &'static str, view: View<'_>, bits: u32) -> Result<usize> {
    let (limbs, rows) = (view.buf().limbs(), (view.polys() * count(bits)).max(1));
    check::equal(op, "limbs of a prepared factor beyond whole digits, or left out", 0, limbs % rows)?;
    check::equal(op, "limbs of a prepared factor", limbs, view.polys() * view.limbs())?;
    Ok(limbs / rows)
}

/// Number of bits of the integers that are computed from residues: `x + (L + 1) * P` for a sum x of
/// products modulo L primes, whose product is P.
pub fn joined_bits(basis: &Basis) -> u32 {
    basis.log2().ceil() as u32 + (basis.len() + 2).next_power_of_two().ilog2() + 1
}

/// The binary logarithms of two bounds: of the number of products of digits in a sum, and of the
/// size of such a sum.
fn sizes(m: &BigMul<'_>, bits: [u32; 2]) -> (u32, u32) {
    let pairs = bits.map(count).into_iter().min().unwrap_or(1);
    let terms = pairs * m.sums.iter().map(|s| s.len()).max().unwrap_or(0).max(1);
    let terms = terms.next_power_of_two().ilog2();
    (terms, size(bits[0]) + size(bits[1]) + m.join.crt.basis.log_n() + terms)
}

/// The plan of a product.
#[derive(Debug, Clone)]
pub struct Digits {
    /// Numbers of digits of the first and the second factors.
    pub counts: [usize; 2],
    /// Number of primes; they are the first ones of the basis.
    pub primes: usize,
    /// The weights whose sums of products of digits are computed.
    pub weights: Range<usize>,
    /// Number of lowest words of the product that are not computed.
    pub skip: usize,
    /// A mask of bits of word `skip + 1`. If these bits are all ones or all zeros, the omitted
    /// words may change the result.
    pub unsure: u64,
}

impl Digits {
    /// The plan of the whole product of integers modulo `2^bits[0]` and `2^bits[1]`. `None` if the
    /// basis has too few primes.
    pub fn new(m: &BigMul<'_>, bits: [u32; 2]) -> Option<Self> {
        let (counts, (terms, product)) = (bits.map(count), sizes(m, bits));
        let primes = primes_for(&m.join.crt.basis, product)?;
        if matches!(m.right, BigFactor::Prepared(..)) && terms > PREPARED_TERMS {
            return None;
        }
        let weights = 0..(counts[0] + counts[1] - 1).min(count(m.join.crt.bits));
        Some(Self { counts, primes, weights, skip: 0, unsure: 0 })
    }

    /// The same product without those low words and low weights that hardly ever change the shifted
    /// result. `None` if there are no such words.
    ///
    /// With L primes below `2^b` and W weights, the words of the sums below word `skip` add up to
    /// less than `(L + 2) * W * 2^(b+1)` units of word `skip`, which is less than `2^loss` units.
    /// Sums of low weights are omitted as long as all omitted sums together stay below `2^loss`
    /// units, too. So the result is exact unless the bits from `loss + 1` up to the bit that
    /// decides the rounding are all ones or all zeros.
    pub fn rounded(&self, m: &BigMul<'_>, bits: [u32; 2]) -> Option<Self> {
        let decides = m.shift.checked_sub(1)?;
        let widest = m.join.crt.basis.primes()[..self.primes].iter().map(|p| p.modulus().bits()).max()?;
        let loss = widest + 1 + ((self.primes + 2) * self.weights.len()).next_power_of_two().ilog2();
        let loss = loss.max(WORD_BITS - 1); // the mask has bits of the next word
        let skip = decides.checked_sub(loss + 1 + GUARD_BITS)? / WORD_BITS;
        if skip == 0 {
            return None;
        }
        let (_, product) = sizes(m, bits);
        // the sums of weights below w together are below 2^(BITS * (w - 1) + product + 1)
        let small = |w: &usize| *w as u32 * BITS + product < skip * WORD_BITS + loss;
        let least = self.weights.clone().take_while(small).count();
        if least == self.weights.len() {
            return None; // every sum is too small to matter
        }
        let (low, high) = (loss + 1 - WORD_BITS, (decides - (skip + 1) * WORD_BITS).min(WORD_BITS));
        let unsure = ((1u64 << high) - 1) ^ ((1 << low) - 1);
        Some(Self { weights: least..self.weights.end, skip: skip as usize, unsure, ..self.clone() })
    }

    /// The number of products of two digits, for all weights together, in each product of two
    /// polynomials.
    pub fn products(&self) -> usize {
        let [left, right] = self.counts;
        self.weights.clone().map(|w| (0..left).filter(|&i| (i..i + right).contains(&w)).count()).sum()
    }

    /// The digits of the second factors that occur in [`Digits::products`].
    pub fn named(&self) -> Range<usize> {
        let [left, right] = self.counts;
        (self.weights.start + 1).saturating_sub(left)..right.min(self.weights.end)
    }

    /// For each weight, how many words of its sum are computed, for a product modulo `2^bits` over
    /// `basis`.
    pub fn joined_words(&self, basis: &Basis, bits: u32) -> Vec<usize> {
        let most = words(joined_bits(&basis.prefix(self.primes)));
        let of = |w: usize| {
            let start = w * WORDS;
            most.min(words(bits) - start).saturating_sub(self.skip.saturating_sub(start))
        };
        self.weights.clone().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_pairs_with_the_weights() {
        for (left, right) in (1..6).flat_map(|left| (1..9).map(move |right| (left, right))) {
            let most = left + right - 1;
            for (start, end) in (0..most).flat_map(|start| (start + 1..=most).map(move |end| (start, end))) {
                let d = Digits { counts: [left, right], primes: 1, weights: start..end, skip: 0, unsure: 0 };
                let pairs = (0..left).flat_map(|i| (0..right).map(move |j| (i, j)));
                let pairs: Vec<_> = pairs.filter(|(i, j)| (start..end).contains(&(i + j))).collect();
                let mut named: Vec<usize> = pairs.iter().map(|&(_, j)| j).collect();
                named.sort_unstable();
                named.dedup();
                assert_eq!(d.products(), pairs.len(), "{d:?}");
                assert_eq!(d.named().collect::<Vec<_>>(), named, "{d:?}");
            }
        }
    }
}
