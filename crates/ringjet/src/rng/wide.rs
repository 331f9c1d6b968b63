//! Integers of 256 bits with sign, as wide noise takes them.

use num_bigint::{BigInt, Sign};
use ringjet_math::Modulus;
use zeroize::Zeroize;

/// An integer of 256 bits in two's complement, the lowest word first. Samples are below `2^180` in size.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wide([u64; 4]);

impl Zeroize for Wide {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Wide {
    /// `high * 2^shift + low` for `shift` up to 100 and `low` below `2^shift`.
    pub(super) fn new(high: i128, low: u128, shift: u32) -> Self {
        let sign = (high >> 127) as u128;
        let (words, bits) = ((shift / 64) as usize, shift % 64);
        // the words of `high`, with its sign above them
        let word = |i: usize| if i < 2 { (high as u128 >> (64 * i)) as u64 } else { sign as u64 };
        let mut out = [0; 4];
        for (i, out) in out.iter_mut().enumerate().skip(words) {
            let at = i - words;
            let below = if at == 0 { 0 } else { word(at - 1) };
            *out = if bits == 0 { word(at) } else { word(at) << bits | below >> (64 - bits) };
        }
        // the bits below are free
        out[0] |= low as u64;
        out[1] |= (low >> 64) as u64;
        Self(out)
    }

    /// The same integer; `None` for one that has 255 bits or more.
    pub(crate) fn of(x: &BigInt) -> Option<Self> {
        let (sign, digits) = x.to_u64_digits();
        let mut words = [0; 4];
        words.get_mut(..digits.len())?.copy_from_slice(&digits);
        let made = Self(words);
        (words[3] >> 62 == 0).then_some(if sign == Sign::Minus { made.negated() } else { made })
    }

    fn negated(self) -> Self {
        let mut carry = true;
        Self(self.0.map(|word| {
            let (word, next) = (!word).overflowing_add(carry.into());
            carry = next;
            word
        }))
    }

    fn is_negative(self) -> bool {
        self.0[3] >> 63 == 1
    }

    /// The size of the integer, as an integer without sign.
    fn size(self) -> [u64; 4] {
        if self.is_negative() { self.negated().0 } else { self.0 }
    }

    /// The integer nearest to `self * factor / 2^shift`, halves away from zero, for `shift` from 1 to 63.
    pub(crate) fn scaled(self, factor: u64, shift: u32) -> Self {
        let (mut product, mut carry) = ([0u64; 5], 1u128 << (shift - 1));
        for (out, word) in product.iter_mut().zip(self.size().into_iter().chain([0])) {
            let sum = u128::from(word) * u128::from(factor) + carry;
            *out = sum as u64;
            carry = sum >> 64;
        }
        let made = Self(std::array::from_fn(|i| product[i] >> shift | product[i + 1] << (64 - shift)));
        if self.is_negative() { made.negated() } else { made }
    }

    /// The residue modulo `q`.
    pub(crate) fn residue(self, q: &Modulus) -> u64 {
        let q = q.value();
        let words = self.size().into_iter().rev();
        let rest =
            words.fold(0, |rest: u64, word| ((u128::from(rest) << 64 | u128::from(word)) % u128::from(q)) as u64);
        if self.is_negative() && rest != 0 { q - rest } else { rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::ToPrimitive;

    fn big(x: Wide) -> BigInt {
        let bytes: Vec<u8> = x.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        BigInt::from_signed_bytes_le(&bytes)
    }

    #[test]
    fn words_are_the_integers_that_they_stand_for() {
        let q = Modulus::new(1125899904679937).unwrap();
        for high in [0, 1, -1, 12345, -98765, i128::MAX >> 20, i128::MIN >> 20] {
            for shift in [0u32, 1, 7, 52, 63, 64, 65, 80] {
                for low in [0u128, 1, 5, (1 << shift) - 1] {
                    let low = low & ((1 << shift) - 1);
                    let x = Wide::new(high, low, shift);
                    let expected = (BigInt::from(high) << shift) + BigInt::from(low);
                    assert_eq!(big(x), expected, "{high} {shift} {low}");
                    assert!(Wide::of(&expected) == Some(x));
                    let rest = ((&expected % q.value()) + q.value()) % q.value();
                    assert_eq!(Some(x.residue(&q)), rest.to_u64());
                    for (factor, shift) in [(1u64 << 56, 56u32), ((1 << 56) + 12345, 56), ((1 << 57) - 1, 56), (3, 1)] {
                        let product = big(x) * factor;
                        let half: BigInt = BigInt::from(1) << (shift - 1);
                        let size = (product.magnitude() + half.magnitude()) >> shift;
                        let nearest = BigInt::from_biguint(product.sign(), size);
                        assert_eq!(big(x.scaled(factor, shift)), nearest, "{expected} {factor} {shift}");
                    }
                }
            }
        }
        assert!(Wide::of(&(BigInt::from(1) << 254)).is_none() && Wide::of(&(BigInt::from(1) << 300)).is_none());
    }
}
