//! The variant `Ref`: the algorithms of Jung et al., "HEAAN Demystified" (paper B), as printed, in
//! scalar code on words of 64 bits.
//!
//! Every function is generic over a [`Tally`], so that the loops that are timed can also be
//! counted.

pub mod crt;
pub mod icrt;
pub mod ntt;

use crate::heaan::Operations;
use crate::multiplication::setup::Factor;

/// A counter that loops report their operations to. By default it counts nothing.
pub trait Tally {
    /// Reports a product of two words, two words long, added to a sum of several words with carry.
    #[inline(always)]
    fn product(&mut self) {}
    /// Reports a modular multiplication of Table IV that took `shoup` runs of Algorithm 2.
    #[inline(always)]
    fn modular(&mut self, _shoup: u64) {}
    /// Reports an addition or a subtraction of residues.
    #[inline(always)]
    fn addition(&mut self) {}
}

/// A tally that counts nothing.
impl Tally for () {}

/// Operations in the classes of Table IV of paper B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    /// Operations as the table counts them.
    pub operations: Operations,
    /// Runs of Algorithm 2. The table counts the reduction of a sum of three words in CRT as one
    /// operation; it takes three runs.
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

/// `x * y mod p` for any word `x` (Algorithm 2). Line 3 of the algorithm prints `r > p`, which
/// would not reduce p itself; it must be `r >= p`.
///
/// This function and the next two take the lesser of two words instead of branching. Random values
/// would mispredict a branch half of the time, which alone makes transforms four to five times
/// slower.
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
