//! The plaintext modulus T: a prime, or a product of primes.
//!
//! A ciphertext has one component for each prime t of T, which encrypts the values modulo t. So T
//! can have 64 bits, while noise grows as with one small prime. Components share all keys.

use ringjet_math::{Basis, Modulus, prime};

use crate::{Error, Result};

/// The largest prime of T in bits: products of two residues and a bit fit into 62 bits.
const MAX_PRIME_BITS: u32 = 30;

/// The most primes of T.
pub(super) const MAX_PRIMES: usize = 4;

/// The plaintext modulus T.
pub(super) struct PlaintextModulus {
    /// The primes of T.
    pub(super) basis: Basis,
    /// T.
    pub(super) product: u128,
}

impl PlaintextModulus {
    /// Checks the primes: one to four, different, and with room for N slots.
    /// Fails with [`Error::Parameters`].
    pub(super) fn new(log_n: u32, primes: &[u64]) -> Result<Self> {
        if !(1..=MAX_PRIMES).contains(&primes.len()) {
            let count = primes.len();
            return Err(Error::Parameters(format!(
                "{count} primes of the plaintext modulus: there must be 1 to {MAX_PRIMES}"
            )));
        }
        for (i, &t) in primes.iter().enumerate() {
            check(log_n, t)?;
            if primes[..i].contains(&t) {
                return Err(Error::Parameters(format!("the prime {t} is twice in the plaintext modulus")));
            }
        }
        Ok(Self { basis: Basis::new(log_n, primes)?, product: primes.iter().map(|&t| u128::from(t)).product() })
    }

    /// The number modulo prime `i`.
    pub(super) fn prime(&self, i: usize) -> &Modulus {
        self.basis.modulus(i)
    }

    /// The number between `-(T-1)/2` and `(T-1)/2` with these residues, one for each prime
    /// (Garner's algorithm).
    pub(super) fn compose(&self, residues: impl Iterator<Item = u64>) -> i128 {
        let (mut value, mut product) = (0u128, 1u128);
        for (modulus, residue) in self.basis.primes().iter().map(|t| t.modulus()).zip(residues) {
            let t = modulus.value();
            let reduced = |x: u128| (x % u128::from(t)) as u64;
            let digit = modulus.mul(modulus.sub(residue, reduced(value)), inverse(modulus, reduced(product)));
            value += product * u128::from(digit);
            product *= u128::from(t);
        }
        if value > product / 2 { value as i128 - product as i128 } else { value as i128 }
    }
}

/// `x^-1` modulo the prime t, for x that is not a multiple of t.
pub(super) fn inverse(t: &Modulus, x: u64) -> u64 {
    t.pow(x, t.value() - 2)
}

/// The representative of a residue modulo t between `-t/2` and `t/2`.
pub(super) fn centred(t: &Modulus, residue: u64) -> i64 {
    if residue > t.value() / 2 { residue as i64 - t.value() as i64 } else { residue as i64 }
}

/// The centred residue of an integer modulo t.
pub(super) fn reduced(t: &Modulus, integer: i64) -> i64 {
    centred(t, integer.rem_euclid(t.value() as i64) as u64)
}

fn check(log_n: u32, t: u64) -> Result<()> {
    let n = 1u64 << log_n;
    let refuse = |why: String| Err(Error::Parameters(format!("the plaintext modulus t = {t} {why}")));
    if t >> MAX_PRIME_BITS != 0 {
        return refuse(format!(
            "has more than {MAX_PRIME_BITS} bits: for larger values take several primes, as `t_bits` does"
        ));
    }
    if !prime::is_prime(t) {
        return refuse(format!("is not prime: {} is", near(log_n, t)));
    }
    if t % (2 * n) != 1 {
        let (rest, near) = (t % (2 * n), near(log_n, t));
        return refuse(format!(
            "has no room for {n} slots: it must be 1 modulo {}, and is {rest}; {near} would do",
            2 * n
        ));
    }
    Ok(())
}

/// A prime near `t` that allows packing, to propose.
fn near(log_n: u32, t: u64) -> u64 {
    let limit = 1 << MAX_PRIME_BITS;
    let target = t.clamp(4 << log_n, limit - 1);
    prime::ntt_prime_nearest(log_n, target, limit, &[]).unwrap_or(65537)
}

/// As few primes as possible whose product is at least `2^bits`: the smallest that are neighbours,
/// without those in `taken`. Fails with [`Error::Argument`] where up to four primes below 2^30 have
/// no such product.
pub(crate) fn plaintext_primes(log_n: u32, bits: u32, taken: &[u64]) -> Result<Vec<u64>> {
    if !(2..MAX_PRIME_BITS * MAX_PRIMES as u32).contains(&bits) {
        let most = MAX_PRIME_BITS * MAX_PRIMES as u32 - 1;
        let expected = format!("2 to {most}: there are up to {MAX_PRIMES} primes of at most {MAX_PRIME_BITS} bits");
        return Err(Error::argument("t_bits", bits, expected));
    }
    let (step, limit) = (2u64 << log_n, 1u64 << MAX_PRIME_BITS);
    let usable = |t: &u64| *t < limit && prime::is_prime(*t) && !taken.contains(t);
    let fewest = bits.div_ceil(MAX_PRIME_BITS) as usize;
    for count in fewest..=MAX_PRIMES {
        // the primes next to the root of 2^bits: some of the `count` are below it, not all
        let middle = (f64::from(bits) / count as f64).exp2() as u64 / step;
        let below = (1..=middle).rev().map(|m| m * step + 1).filter(usable).take(count - 1);
        let mut near: Vec<u64> = below.collect();
        near.reverse();
        near.extend((middle + 1..limit / step).map(|m| m * step + 1).filter(usable).take(count));
        let enough = |all: &&[u64]| all.iter().map(|&t| u128::from(t)).product::<u128>() >> bits != 0;
        if let Some(found) = near.windows(count).find(enough) {
            return Ok(found.to_vec());
        }
    }
    Err(Error::argument("t_bits", bits, "fewer bits: there are too few primes that allow packing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_few_and_their_product_is_large_enough() {
        for log_n in 4..=15 {
            for bits in [2, 16, 17, 29, 30, 31, 32, 48, 59, 60, 61, 64, 72, 100] {
                let found = plaintext_primes(log_n, bits, &[]).unwrap();
                let product: u128 = found.iter().map(|&t| u128::from(t)).product();
                assert!(product >> bits != 0, "2^{log_n} {bits} {found:?}");
                // one fewer would not do: that many primes below 2^30 have fewer bits, or are too few
                assert!(found.len() == 1 || 30 * (found.len() as u32 - 1) <= bits, "2^{log_n} {bits} {found:?}");
                assert_eq!(PlaintextModulus::new(log_n, &found).unwrap().product, product);
            }
        }
        assert_eq!(plaintext_primes(13, 17, &[]).unwrap(), [147457]);
        assert_eq!(plaintext_primes(13, 16, &[65537]).unwrap(), [114689]);
        assert!(matches!(plaintext_primes(13, 120, &[]), Err(Error::Argument { name: "t_bits", .. })));
        assert!(matches!(plaintext_primes(28, 64, &[]), Err(Error::Argument { name: "t_bits", .. })));
    }

    #[test]
    fn residues_compose_to_centred_numbers() {
        for bits in [16, 40, 64, 118] {
            let primes = plaintext_primes(12, bits, &[]).unwrap();
            let modulus = PlaintextModulus::new(12, &primes).unwrap();
            let half = modulus.product as i128 / 2;
            for x in [0, 1, -1, half, -half, half - 1, i128::from(i64::MAX).min(half), i128::from(i64::MIN).max(-half)]
            {
                let residues = primes.iter().map(|&t| x.rem_euclid(i128::from(t)) as u64);
                assert_eq!(modulus.compose(residues), x, "{primes:?}");
            }
        }
    }
}
