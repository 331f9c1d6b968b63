//! `Ref`: the algorithms of paper B as they stand, in scalar code on words of 64 bits.
//!
//! Every function is generic over a [`Tally`], so that the very loops that are timed can be counted.

pub mod crt;
pub mod icrt;
pub mod ntt;

use ringjet_model::heaan::Operations;

use crate::setup::Factor;

/// What a loop says that it does. The default is to count nothing.
pub trait Tally {
    /// A product of two words, two words long, added to a sum of several words with carry.
    #[inline(always)]
    fn product(&mut self) {}
    /// A modular multiplication of Table IV, which took this many of Algorithm 2.
    #[inline(always)]
    fn modular(&mut self, _shoup: u64) {}
    /// An addition or a subtraction of residues.
    #[inline(always)]
    fn addition(&mut self) {}
}

/// Nothing is counted.
impl Tally for () {}

/// Operations as Table IV of paper B tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    /// The table's.
    pub operations: Operations,
    /// Runs of Algorithm 2. The table counts the reduction of a sum of three words in CRT as one; it is three of these.
    pub shoup: u64,
}

impl Tally for Counter {
    fn product(&mut self) {
        self.operations.multiplications += 1;
        self.operations.carries += 1;
    }

    fn modular(&mut self, shoup: u64) {
        self.operations.modular += 1;
        self.shoup += shoup;
    }

    fn addition(&mut self) {
        self.operations.additions += 1;
    }
}

/// `x y mod p` for any word `x` (Algorithm 2; line 3 prints `r > p`, which leaves p itself standing: it must be `r >=
/// p`).
///
/// This and the next two take the lesser of two words and not a branch, which random values would mispredict half of
/// the time: that alone makes transforms four to five times slower.
#[inline(always)]
pub fn shoup(x: u64, y: Factor, p: u64) -> u64 {
    let quotient = ((u128::from(x) * u128::from(y.shoup)) >> 64) as u64;
    let r = x.wrapping_mul(y.value).wrapping_sub(quotient.wrapping_mul(p));
    r.min(r.wrapping_sub(p))
}

/// `a + b mod p` for `a, b < p < 2^63`.
#[inline(always)]
pub fn add(a: u64, b: u64, p: u64) -> u64 {
    let sum = a + b;
    sum.min(sum.wrapping_sub(p))
}

/// `a - b mod p` for `a, b < p < 2^63`.
#[inline(always)]
pub fn subtract(a: u64, b: u64, p: u64) -> u64 {
    let difference = a.wrapping_sub(b);
    difference.min(difference.wrapping_add(p))
}
