//! Big coefficients: integers modulo a power of two in words of 52 bits, and their conversion to
//! residues and back (HEAAN's CRT and iCRT: Algorithms 1 and 6 of Jung et al., "HEAAN Demystified:
//! Accelerating Fully Homomorphic Encryption Through Architecture-centric Analysis and
//! Optimization").
//!
//! An integer modulo `2^bits` is stored as its representative in `[0, 2^bits)`, lowest word first.
//! A polynomial of such integers has one limb for each word: limb k holds bits `52 * k` to
//! `52 * k + 51` of every coefficient, so a vector register loads neighbouring coefficients
//! directly. A word has 52 bits because a multiply-add of AVX-512 IFMA takes factors of 52 bits.
//!
//! Where the size of such an integer matters, it is read as the *centred* representative in
//! `[-2^(bits-1), 2^(bits-1))`.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};

use crate::rns::{self, FRACTION_BITS};
use crate::{Basis, Modulus};

/// Bits of a word.
pub const WORD_BITS: u32 = 52;

const LOW: u64 = (1 << WORD_BITS) - 1;

/// Number of words of an integer modulo `2^bits`.
pub const fn words(bits: u32) -> usize {
    bits.div_ceil(WORD_BITS) as usize
}

/// Mask of the bits that the highest word of an integer modulo `2^bits` can have. `bits` must not
/// be 0.
pub const fn top_mask(bits: u32) -> u64 {
    LOW >> (words(bits) as u32 * WORD_BITS - bits)
}

/// The words of `x mod 2^bits`, lowest word first.
pub fn to_words(x: &BigInt, bits: u32) -> Vec<u64> {
    let modulus = BigInt::one() << bits;
    let x = ((x % &modulus) + &modulus) % &modulus;
    let digits = x.magnitude().to_u64_digits();
    let digit = |i: usize| digits.get(i).copied().unwrap_or(0);
    (0..words(bits))
        .map(|k| {
            let (at, shift) = (k * WORD_BITS as usize / 64, k as u32 * WORD_BITS % 64);
            ((u128::from(digit(at)) | u128::from(digit(at + 1)) << 64) >> shift) as u64 & LOW
        })
        .collect()
}

/// The centred integer modulo `2^bits` with the words `words`, lowest word first.
pub fn from_words(words: impl IntoIterator<Item = u64>, bits: u32) -> BigInt {
    let (mut bytes, mut spare, mut held) = (vec![], 0u128, 0);
    for word in words {
        spare |= u128::from(word & LOW) << held;
        held += WORD_BITS;
        while held >= 8 {
            bytes.push(spare as u8);
            spare >>= 8;
            held -= 8;
        }
    }
    bytes.push(spare as u8);
    let x = BigInt::from(BigUint::from_bytes_le(&bytes)) % (BigInt::one() << bits);
    if x.bit(u64::from(bits) - 1) { x - (BigInt::one() << bits) } else { x }
}

/// `x * 2^-shift` for the centred integer x modulo `2^bits` with the words `words`, within a
/// relative error of `2^-51`. The result is infinite if it is too large for a double.
pub fn to_f64(words: &[u64], bits: u32, shift: u32) -> f64 {
    let top = words.len() - 1;
    let negative = words[top] >> ((bits - 1) % WORD_BITS) & 1 == 1;
    // For a negative x: the words of -x - 1, that is |x| - 1.
    let magnitude =
        |k: usize| if negative { !words[k] & if k == top { top_mask(bits) } else { LOW } } else { words[k] };
    // The two highest non-zero words decide: words above them are zero, and words below them weigh
    // less than 2^-52.
    let high = (0..=top).rev().find(|&k| magnitude(k) != 0).unwrap_or(0);
    let pair = |k: usize| if k == 0 { magnitude(0) as f64 } else { two(magnitude(k), magnitude(k - 1)) };
    let low = high.saturating_sub(1) as i32;
    let value = pair(high) + if negative && high <= 1 { 1.0 } else { 0.0 };
    let scaled = scale(value, low * WORD_BITS as i32 - shift as i32);
    if negative { -scaled } else { scaled }
}

fn two(high: u64, low: u64) -> f64 {
    high as f64 * (LOW + 1) as f64 + low as f64
}

/// `x * 2^e`, in steps that stay in the range of a double.
fn scale(x: f64, e: i32) -> f64 {
    let step = e.clamp(-1000, 1000);
    let x = x * 2f64.powi(step);
    if e == step { x } else { scale(x, e - step) }
}

/// `floor((x + 2^(shift-1)) / 2^shift)`: the integer nearest to `x / 2^shift`, halves rounded up.
/// With `shift = 0` the result is x.
pub fn shift_round(x: &BigInt, shift: u32) -> BigInt {
    if shift == 0 { x.clone() } else { (x + (BigInt::one() << (shift - 1))) >> shift }
}

/// Constants that convert centred integers modulo `2^bits` to residues.
///
/// Let `x' = x + 2^(bits-1)`. Its words x'_k are those of x with the highest bit inverted. The
/// residue of x modulo a prime p is `sum x'_k * (2^(52*k) mod p) - (2^(bits-1) mod p)`.
#[derive(Debug)]
pub struct CrtSplit {
    /// The primes of the residues.
    pub basis: Basis,
    /// The number of bits: the integers are centred integers modulo `2^bits`.
    pub bits: u32,
    /// `powers[i][k] = 2^(52*k) mod p_i`.
    pub powers: Vec<Vec<u64>>,
    /// `offset[i] = -2^(bits-1) mod p_i`.
    pub offset: Vec<u64>,
}

impl CrtSplit {
    /// Constants for integers modulo `2^bits`, where `bits` is at least 1.
    pub fn new(basis: &Basis, bits: u32) -> Self {
        assert!(bits > 0, "an integer has at least one bit");
        let power = |m: &Modulus, e: u32| m.pow(2, u64::from(e));
        let moduli = || basis.primes().iter().map(|p| p.modulus());
        Self {
            powers: moduli().map(|m| (0..words(bits) as u32).map(|k| power(m, k * WORD_BITS)).collect()).collect(),
            offset: moduli().map(|m| m.neg(power(m, bits - 1))).collect(),
            basis: basis.clone(),
            bits,
        }
    }

    /// Number of words of each integer.
    pub fn words(&self) -> usize {
        words(self.bits)
    }

    /// Residues of the centred integer with the words `x`: `out[i]` is the residue modulo prime i.
    /// Faster implementations are tested against this function.
    pub fn split(&self, x: &[u64], out: &mut [u64]) {
        let x = from_words(x.iter().copied(), self.bits);
        for (o, p) in out.iter_mut().zip(self.basis.primes()) {
            let r = rns::residue(x.magnitude(), p.modulus());
            *o = if x.sign() == Sign::Minus { p.modulus().neg(r) } else { r };
        }
    }
}

/// Constants that convert residues modulo primes p_i, whose product is P, to integers modulo
/// `2^bits`.
///
/// For the residues x_i of an integer x in `[-P/2, P/2)`:
///
/// ```text
/// y_i = x_i * (P/p_i)^-1 mod p_i
/// v   = (sum floor(norm(y_i) * r_i / 2^52) + 2^49) >> 50     (see [`crate::BaseConversion`])
/// x   = sum y_i * (P/p_i) - v * P
/// ```
///
/// Only the words below `2^bits` are computed. `v` is exact unless x lies within `2^-40 * P` of
/// `P/2` or `-P/2`. So callers choose P twice as large as x requires.
#[derive(Debug)]
pub struct CrtJoin {
    /// The primes of the residues.
    pub basis: Basis,
    /// The number of bits: the results are integers modulo `2^bits`.
    pub bits: u32,
    /// `hat_inverse[i] = (P/p_i)^-1 mod p_i`.
    pub hat_inverse: Vec<u64>,
    /// `fraction[i] = r_i = floor(2^(bits(p_i) + 50) / p_i)`, where bits(p_i) is the number of bits
    /// of p_i.
    pub fraction: Vec<u64>,
    /// `hat[i][k]`: word k of P/p_i.
    pub hat: Vec<Vec<u64>>,
    product: BigInt,
}

impl CrtJoin {
    /// Constants for integers modulo `2^bits`, where `bits` is at least 1.
    pub fn new(basis: &Basis, bits: u32) -> Self {
        assert!(bits > 0, "an integer has at least one bit");
        let product = basis.product();
        let hats: Vec<BigUint> = basis.values().map(|p| &product / p).collect();
        let invert = |(hat, m): (&BigUint, &Modulus)| m.pow(rns::residue(hat, m), m.value() - 2);
        let moduli = || basis.primes().iter().map(|p| p.modulus());
        let product = BigInt::from(product);
        Self {
            hat_inverse: hats.iter().zip(moduli()).map(invert).collect(),
            fraction: moduli()
                .map(|m| ((1u128 << (m.bits() + FRACTION_BITS)) / u128::from(m.value())) as u64)
                .collect(),
            hat: hats.into_iter().map(|hat| to_words(&BigInt::from(hat), bits)).collect(),
            basis: basis.clone(),
            bits,
            product,
        }
    }

    /// Number of words of each integer.
    pub fn words(&self) -> usize {
        words(self.bits)
    }

    /// The words of `P mod 2^bits`.
    pub fn product(&self) -> Vec<u64> {
        to_words(&self.product, self.bits)
    }

    /// The words of `-times * P * sum 2^shift` modulo `2^bits`, where the sum runs over `shifts`.
    pub fn minus_multiples(&self, times: u64, shifts: impl Iterator<Item = u32>, bits: u32) -> Vec<u64> {
        let sum: BigInt = shifts.map(|shift| &self.product << shift).sum();
        to_words(&(-sum * times), bits)
    }

    /// Writes the words modulo `2^bits` of the centred integer with these residues to `out`. Faster
    /// implementations are tested against this function.
    pub fn join(&self, residues: &[u64], out: &mut [u64]) {
        let mut x = BigInt::zero();
        for (i, (&r, p)) in residues.iter().zip(self.basis.primes()).enumerate() {
            x += &self.product / p.value() * p.modulus().mul(r, self.hat_inverse[i]);
        }
        x %= &self.product;
        if &x + &x > self.product {
            x -= &self.product;
        }
        out.copy_from_slice(&to_words(&x, self.bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prime::ntt_primes;
    use num_traits::ToPrimitive;

    #[test]
    fn words_hold_every_bit() {
        for bits in [1, 7, 51, 52, 53, 63, 64, 65, 104, 1200, 2400] {
            let top = BigInt::one() << (bits - 1);
            for x in [BigInt::zero(), BigInt::one(), -BigInt::one(), -&top, &top - 1, &top / 3, -&top / 5] {
                if bits == 1 && x.is_one() {
                    continue; // 1 = -1 modulo 2
                }
                let w = to_words(&x, bits);
                assert_eq!(w.len(), words(bits));
                assert!(w.iter().all(|&w| w <= LOW) && w[w.len() - 1] <= top_mask(bits), "{x} {bits}");
                assert_eq!(from_words(w, bits), x, "{bits}");
            }
        }
    }

    #[test]
    fn doubles_are_near() {
        for bits in [1, 7, 51, 52, 53, 64, 104, 105, 157, 1000, 1200] {
            let top = BigInt::one() << (bits - 1);
            let small = [0, 1, -1, 3, -3].map(BigInt::from);
            for x in small.into_iter().chain([-&top, &top - 1, &top / 3, -&top / 5, 1 - &top]) {
                if x < -&top || x >= top {
                    continue;
                }
                for shift in [0, 1, 30, 300] {
                    let found = to_f64(&to_words(&x, bits), bits, shift);
                    // exact division by 2^shift of the nearest double, as long as it is in range
                    let exact = (&x >> 200u32).to_f64().unwrap_or(0.0) * 2f64.powi(200) / 2f64.powi(shift as i32);
                    let exact = if bits < 300 { x.to_f64().unwrap_or(0.0) / 2f64.powi(shift as i32) } else { exact };
                    if bits < 300 || (bits - shift < 1020 && x.bits() > 260) {
                        assert!(
                            (found - exact).abs() <= exact.abs() * 2f64.powi(-51),
                            "{x} {bits} {shift}: {found} {exact}"
                        );
                    }
                }
            }
        }
        assert_eq!(to_f64(&to_words(&(-BigInt::one() << 1100u32), 1200), 1200, 0), f64::NEG_INFINITY);
        assert_eq!(to_f64(&to_words(&(BigInt::one() << 1100u32), 1200), 1200, 1090), 1024.0);
    }

    #[test]
    fn rounding_goes_to_the_nearest_and_halves_up() {
        for (x, shift, expected) in [(5, 1, 3), (-5, 1, -2), (-6, 2, -1), (6, 2, 2), (-7, 2, -2), (7, 0, 7)] {
            assert_eq!(shift_round(&BigInt::from(x), shift), BigInt::from(expected), "{x} >> {shift}");
        }
    }

    /// Compares the formulas of the documentation, which the kernels implement, with the
    /// definitions.
    #[test]
    fn formulas_are_the_definitions() {
        for bits in [30, 52, 53, 120, 350] {
            let basis = Basis::new(10, &ntt_primes(10, 50, 9, &[]).unwrap()).unwrap();
            let (split, join) = (CrtSplit::new(&basis, bits), CrtJoin::new(&basis, bits));
            let mut state = BigInt::from(bits);
            for round in 0..200u64 {
                state = (state * 6364136223846793005u64 + round) % (BigInt::one() << (bits + 64));
                let x = match round {
                    0 => -(BigInt::one() << (bits - 1)),
                    1 => (BigInt::one() << (bits - 1)) - 1,
                    2 => -BigInt::one(),
                    _ => from_words(to_words(&state, bits), bits),
                };
                let mut w = to_words(&x, bits);
                let mut residues = vec![0; basis.len()];
                split.split(&w, &mut residues);
                let top = w.len() - 1;
                w[top] ^= 1 << ((bits - 1) % WORD_BITS);
                for (i, p) in basis.primes().iter().enumerate() {
                    let m = p.modulus();
                    let sum = w.iter().zip(&split.powers[i]).map(|(&x, &c)| u128::from(x) * u128::from(c));
                    let sum = sum.fold(split.offset[i], |acc, t| m.add(acc, m.reduce_u128(t)));
                    assert_eq!(sum, residues[i], "{x} mod {}", m.value());
                }
                let mut back = vec![0; words(bits)];
                join.join(&residues, &mut back);
                assert_eq!(from_words(back, bits), x);

                let y = |i: usize| basis.modulus(i).mul(residues[i], join.hat_inverse[i]);
                let fraction = |i: usize| {
                    let norm = crate::BaseConversion::norm(y(i), basis.modulus(i).bits());
                    ((u128::from(norm) * u128::from(join.fraction[i])) >> 52) as u64
                };
                let v = ((0..basis.len()).map(fraction).sum::<u64>() + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
                let mut sum = -from_words(join.product(), bits) * v;
                for i in 0..basis.len() {
                    sum += from_words(join.hat[i].iter().copied(), bits) * y(i);
                }
                assert_eq!(from_words(to_words(&sum, bits), bits), x);
            }
        }
    }
}
