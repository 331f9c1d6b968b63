//! The errors that operations over a chain add, as functions of the chain. See [`crate::noise`].

use super::Chain;
use crate::noise::{ErrorTerm, TAIL};
use crate::rng::gaussian::SIGMA;

/// The variance of a coefficient that is uniform in {-1, 0, 1}.
const TERNARY: f64 = 2.0 / 3.0;

/// The variance of a coefficient of the secret, which is a sum of ternary secrets.
pub(crate) fn secret(chain: &Chain) -> f64 {
    f64::from(chain.pieces()) * TERNARY
}

/// The variance of a coefficient of an error that each piece of the secret adds: of the public key and of
/// keys for rotations.
fn summed(chain: &Chain) -> f64 {
    f64::from(chain.pieces()) * SIGMA * SIGMA
}

/// Secret-key encryption: `N sigma^2`.
pub(crate) fn fresh_secret(chain: &Chain) -> ErrorTerm {
    ErrorTerm::random(chain.n() as f64 * SIGMA * SIGMA, 1)
}

/// Public-key encryption: `(v * e + e_0 + e_1 * s) / p_last` for the last special prime, rounded. The key's
/// error e and the secret s have a summand for each piece.
pub(crate) fn fresh_public(chain: &Chain) -> ErrorTerm {
    let n = chain.n() as f64;
    let p = chain.p().modulus(chain.p().len() - 1).value() as f64;
    let own = ErrorTerm::random(n * SIGMA * SIGMA / (p * p), 1);
    let masked = ErrorTerm::random(TERNARY * n * n * summed(chain) / (p * p), 2);
    own + masked + masked + rounding(chain)
}

/// Rounding of two polynomials after a division: variance `N/12 * (1 + 2 * N/3)` for one piece.
pub(crate) fn rounding(chain: &Chain) -> ErrorTerm {
    let n = chain.n() as f64;
    ErrorTerm::random(n / 12.0, 1) + ErrorTerm::random(n / 12.0 * secret(chain) * n, 2)
}

/// Rounding of two or three polynomials. The third one is multiplied by s^2 in decryption and adds
/// `N/12 * 2 * (2 * N/3)^2`: the fourth moment of s is twice the square of its second one.
pub(crate) fn rounding_of(chain: &Chain, polys: usize) -> ErrorTerm {
    let n = chain.n() as f64;
    let s = secret(chain) * n;
    let third = ErrorTerm::new(n / 6.0 * s.powi(2), TAIL.powi(3) * (n / 12.0).sqrt() * s);
    rounding(chain) + if polys > 2 { third } else { ErrorTerm::NONE }
}

/// Key switching for a rotation at `level`, divided by P but not rounded: each digit, uniform in `+-D_d/2`
/// for a digit modulus D_d, times an error of the key.
pub(crate) fn switching(chain: &Chain, level: usize) -> ErrorTerm {
    of_digits(chain, level, summed(chain), 2)
}

/// Relinearisation at `level`, divided by P but not rounded. A key that several pieces made in two rounds has
/// the error `e_0 * s + e_1 * u + e_2`, where u is a sum of ternary polynomials as s is.
pub(crate) fn relinearizing(chain: &Chain, level: usize) -> ErrorTerm {
    if chain.pieces() == 1 {
        return switching(chain, level);
    }
    let products = 2.0 * chain.n() as f64 * secret(chain) * summed(chain);
    of_digits(chain, level, products + summed(chain), 3)
}

/// Each digit times an error whose coefficients have this variance.
fn of_digits(chain: &Chain, level: usize, variance: f64, tails: i32) -> ErrorTerm {
    let n = chain.n() as f64;
    let digits = digits(chain, level).map(|digit| ErrorTerm::random(digit * digit / 12.0 * n * n * variance, tails));
    digits.fold(ErrorTerm::NONE, |sum, one| sum + one)
}

/// The moduli of the digits at `level`, each divided by P.
pub(crate) fn digits(chain: &Chain, level: usize) -> impl Iterator<Item = f64> {
    let p = chain.p().log2();
    let digits = chain.primes_of(level).chunk_by(|&a, &b| chain.digit_of[a] == chain.digit_of[b]);
    digits.map(move |primes| (chain.q().select(primes.iter().copied()).log2() - p).exp2())
}

/// [`switching`], rounded.
pub(crate) fn switched(chain: &Chain, level: usize) -> ErrorTerm {
    switching(chain, level) + rounding(chain)
}

/// [`relinearizing`], rounded.
pub(crate) fn relinearized(chain: &Chain, level: usize) -> ErrorTerm {
    relinearizing(chain, level) + rounding(chain)
}
