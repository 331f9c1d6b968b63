//! Big coefficients: conversions to residues and back, and products by digits as the CPU backend
//! computes them.

use crate::operation::BigMulShape;
use crate::{Cost, Ops, Part};

use super::limbs::{Limbs, part};
use super::policy::Caching;

impl Limbs {
    /// Conversion of integers to residues. A residue is a sum of one product per word, then
    /// reduced. `words` counts the words of all integers together.
    pub fn split(self, words: usize, primes: usize) -> Cost {
        let sums = self.words(primes * words);
        Cost { base_conversion: Ops { mul: sums, add: sums }, ..Cost::default() }
    }

    /// Conversion of residues to integers. A word is a sum of one product per prime and one product
    /// with the quotient; the quotient is a sum over the primes. Constant factors of the residues
    /// are merged into the transform before. `words` counts the words of all integers together.
    pub fn join(self, integers: usize, primes: usize, words: usize) -> Cost {
        let mul = self.words(words * (primes + 1) + integers * primes);
        let add = self.words(words * (primes + 1) + integers * primes.saturating_sub(1));
        Cost { base_conversion: Ops { mul, add }, ..Cost::default() }
    }
}

/// Preparation of a factor: the residues of its digits, and one transform for each.
pub fn prepare(of: Limbs, digits: usize, words: usize, limbs: usize, primes: usize) -> Vec<Part> {
    let residues = digits * primes;
    vec![
        part("crt_split", of.split(words, primes) + of.traffic(limbs, residues)),
        part("ntt", of.forward(residues) + of.traffic(residues, residues)),
    ]
}

/// A product. CRT runs over all digits, by tiles of coefficients. Transforms, sums of products of
/// digits for each weight, and inverse transforms run prime by prime. iCRT runs by tiles again and
/// adds the weights up one by one. Between these three steps the residues go through memory.
pub fn mul(of: Limbs, m: &BigMulShape) -> Vec<Part> {
    let (split, joined) = (m.digits * m.primes, m.sums * m.primes);
    let sums = m.products.saturating_sub(m.sums) * m.primes;
    let mut product = of.products(m.products * m.primes, sums) + of.key(m.prepared * m.primes);
    let (mut forward, mut inverse) =
        (of.forward(split) + of.traffic(split, 0), of.inverse(joined) + of.traffic(0, joined));
    if !of.has(Caching::BetaLimbs) {
        forward += of.traffic(0, split);
        product += of.traffic(split, joined);
        inverse += of.traffic(joined, 0);
    }
    let mut join = of.join(m.sums, m.primes, m.joined) + of.traffic(joined + m.add, m.result);
    join.elementwise.add += of.words(m.add);
    vec![
        part("crt_split", of.split(m.words, m.primes) + of.traffic(m.limbs, split)),
        part("ntt", forward),
        part("mul_acc", product),
        part("intt", inverse),
        part("crt_join", join),
    ]
}
