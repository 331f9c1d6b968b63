//! The integers that can be encrypted.

use crate::error::Number;
use crate::{Error, Result};

/// The integers that stand for residues modulo the plaintext modulus T in messages and operands:
/// from `-(T-1)/2` to `T - 1`, as far as they are `i64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residues {
    modulus: u128,
}

impl Residues {
    /// The integers modulo an odd number below 2^127.
    pub(super) fn new(modulus: u128) -> Self {
        Self { modulus }
    }

    /// The plaintext modulus.
    pub(crate) fn modulus(&self) -> u128 {
        self.modulus
    }

    /// The least integer.
    pub fn low(&self) -> i64 {
        i64::try_from(self.modulus / 2).map_or(i64::MIN, |half| -half)
    }

    /// The greatest integer.
    pub fn high(&self) -> i64 {
        i64::try_from(self.modulus - 1).unwrap_or(i64::MAX)
    }

    /// Refuses a value that is none of these integers. `index` is its slot.
    /// Fails with [`Error::NotResidue`].
    pub fn expect(&self, index: usize, value: i64) -> Result<()> {
        if (self.low()..=self.high()).contains(&value) { Ok(()) } else { Err(self.refusal(index, value)) }
    }

    /// The error for a number that is none of these integers.
    pub fn refusal(&self, index: usize, value: impl Into<Number>) -> Error {
        let (value, low, high, modulus) = (value.into(), self.low(), self.high(), self.modulus);
        Error::NotResidue { index, value, low, high, modulus }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modulus_above_64_bits_takes_every_integer() {
        let (small, large) = (Residues::new(12289), Residues::new((1 << 66) + 1));
        assert_eq!((small.low(), small.high()), (-6144, 12288));
        assert_eq!((large.low(), large.high()), (i64::MIN, i64::MAX));
        assert!(small.expect(0, -6144).is_ok() && small.expect(0, 12288).is_ok());
        assert!(large.expect(0, i64::MIN).is_ok() && large.expect(0, i64::MAX).is_ok());
        for value in [-6145, 12289] {
            let refused = Error::NotResidue { index: 7, value: value.into(), low: -6144, high: 12288, modulus: 12289 };
            assert_eq!(small.expect(7, value), Err(refused));
        }
        let text = large.refusal(3, 1i128 << 63).to_string();
        assert!(text.starts_with("value 9223372036854775808 at index 3 is not an integer from -9223372036854775808"));
        // between 2^63 and 2^64 only the lower end is below that of residues
        let middle = Residues::new((1 << 63) + 29);
        assert_eq!((middle.low(), middle.high()), (-(1 << 62) - 14, i64::MAX));
    }
}
