//! The conditions that the parts of a chain must satisfy.

use ringjet_math::Basis;

use crate::rlwe::security::{self, SecurityLevel};
use crate::{Error, Result};

const MAX_LEVELS: usize = 256;

/// The fewest bits by which the modulus of a level exceeds the modulus of the level below.
const MIN_RATIO_BITS: f64 = 10.0;

/// The parts of a chain: ciphertext primes q, special primes p, and how both are used.
pub(crate) struct ChainParts {
    pub(crate) q: Basis,
    pub(crate) p: Basis,
    /// Numbers of primes of `q` in each digit of key switching.
    pub(crate) digits: Vec<usize>,
    /// Indices of each level's primes in `q`, increasing; the lowest level first.
    pub(crate) levels: Vec<Vec<usize>>,
    /// The level of fresh ciphertexts. The scheme alone uses the levels above.
    pub(crate) top: usize,
    /// The security that the product of all primes must have; `None` if it is not checked.
    pub(crate) security: Option<SecurityLevel>,
    /// The factor of `s^2` in the secret that relinearisation keys lead from.
    pub(crate) product_factor: u64,
    /// How many independent ternary secrets the secret is the sum of.
    pub(crate) pieces: u32,
    pub(crate) fingerprint: [u8; 16],
}

/// Refuses parts that are no valid chain. Returns the digit of each prime of q.
pub(super) fn check(parts: &ChainParts) -> Result<Vec<usize>> {
    let ChainParts { q, p, .. } = parts;
    if let Some(shared) = q.values().find(|v| p.values().any(|w| w == *v)) {
        return Err(Error::Parameters(format!("prime {shared} is both a ciphertext and a special prime")));
    }
    let digit_of = digits(&parts.digits, q.len())?;
    check_special(q, p, &digit_of)?;
    check_security(parts)?;
    expect_pieces(parts.pieces)?;
    check_levels(&parts.levels, q.len(), &digit_of)?;
    check_ratios(&parts.levels, q)?;
    Ok(digit_of)
}

/// The most pieces of a secret: sums of their coefficients fit 8 bits.
const MAX_PIECES: u32 = 127;

fn expect_pieces(pieces: u32) -> Result<()> {
    if pieces == 0 {
        return Err(Error::argument("pieces", 0, "1 for a single client, or the pieces of several parties"));
    }
    if pieces > MAX_PIECES { Err(Error::TooManyPieces { pieces: pieces.into(), most: MAX_PIECES }) } else { Ok(()) }
}

fn digits(sizes: &[usize], count: usize) -> Result<Vec<usize>> {
    if sizes.contains(&0) || sizes.iter().try_fold(0usize, |sum, &s| sum.checked_add(s)) != Some(count) {
        return Err(Error::Parameters(format!(
            "digits of {sizes:?} primes: positive numbers that sum to {count} are needed"
        )));
    }
    Ok(sizes.iter().enumerate().flat_map(|(d, &size)| std::iter::repeat_n(d, size)).collect())
}

/// The product of the special primes must reach every digit, or noise drowns the message.
fn check_special(q: &Basis, p: &Basis, digit_of: &[usize]) -> Result<()> {
    let mut start = 0;
    for count in digit_of.chunk_by(|a, b| a == b).map(<[usize]>::len) {
        let (digit, special) = (q.select(start..start + count).log2(), p.log2());
        start += count;
        if special + 1.0 < digit {
            return Err(Error::Parameters(format!(
                "a digit of {count} primes has {digit:.1} bits but the special primes only {special:.1}: add special primes or \
                 lower alpha"
            )));
        }
    }
    Ok(())
}

/// The product of all primes must be at most what the ring degree allows at this security.
fn check_security(parts: &ChainParts) -> Result<()> {
    let Some(level) = parts.security else { return Ok(()) };
    let (log_n, log_qp) = (parts.q.log_n(), parts.q.log2() + parts.p.log2());
    let allowed = security::max_log_qp(log_n, level).unwrap_or(0);
    let refusal = Error::Insecure { log_n, log_qp, allowed, security: level.bits(), log_q: None };
    if log_qp <= f64::from(allowed) { Ok(()) } else { Err(refusal) }
}

/// Each level is a set of the `count` primes of q. Neighbouring levels must differ.
fn check_levels(levels: &[Vec<usize>], count: usize, digit_of: &[usize]) -> Result<()> {
    let refuse = |l: usize, why: &str| Err(Error::Parameters(format!("level {l}: {why}")));
    if levels.is_empty() || levels.len() > MAX_LEVELS {
        return Err(Error::Parameters(format!("{} levels: 1 to {MAX_LEVELS} are supported", levels.len())));
    }
    for (l, set) in levels.iter().enumerate() {
        if set.is_empty() || !set.is_sorted_by(|a, b| a < b) || set.last().is_some_and(|&i| i >= count) {
            return refuse(l, "primes are indices of q in increasing order, at least one");
        }
        if l > 0 && levels[l - 1] == *set {
            return refuse(l, "its primes are those of the level below");
        }
        // key switching at a lower level uses a key's first digits, each perhaps with fewer primes
        let mut groups: Vec<usize> = set.iter().map(|&i| digit_of[i]).collect();
        groups.dedup();
        if groups.iter().enumerate().any(|(g, &group)| g != group) {
            return refuse(l, "a digit without primes lies below one with: use a larger alpha");
        }
    }
    Ok(())
}

/// The modulus of each level exceeds that of the level below by at least [`MIN_RATIO_BITS`].
fn check_ratios(levels: &[Vec<usize>], q: &Basis) -> Result<()> {
    let log2 = |set: &[usize], other: &[usize]| -> f64 {
        set.iter().filter(|i| !other.contains(i)).map(|&i| (q.modulus(i).value() as f64).log2()).sum()
    };
    for (l, pair) in levels.windows(2).enumerate() {
        let bits = log2(&pair[1], &pair[0]) - log2(&pair[0], &pair[1]);
        if bits < MIN_RATIO_BITS {
            let refusal = format!("level {} adds {bits:.1} bits to the one below: at least {MIN_RATIO_BITS}", l + 1);
            return Err(Error::Parameters(refusal));
        }
    }
    Ok(())
}
