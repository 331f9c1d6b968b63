//! The errors that operations of HEAAN add, as functions of the parameters. See [`crate::noise`];
//! `docs/design/heaan.md` derives them.
//!
//! An error polynomial with coefficients of variance V has `E|e|^2 = 2 * n * V` in each of n slots,
//! because 2 * n coefficients are decoded. Bounds count all N coefficients: a slot of a sparse
//! packing is a mean of slots of the full one.

use super::Parameters;
use crate::Scale;
use crate::noise::{ErrorTerm, TAIL};
use crate::rlwe::SchemeParameters;
use crate::rng::gaussian::SIGMA;

pub(crate) fn scale(log_scale: u32) -> Scale {
    Scale::power_of_two(log_scale as i32)
}

/// The number of coefficients that are decoded into `2^log_slots` slots.
pub(super) fn decoded(log_slots: u32) -> f64 {
    2.0 * f64::from(log_slots).exp2()
}

/// The error of coefficients of variance V: the variance counts the decoded ones, the bound all N.
/// `tails` as in [`ErrorTerm::random`].
fn random(params: &Parameters, log_slots: u32, variance: f64, tails: i32) -> ErrorTerm {
    // a sparse secret has few coefficients, which may all point in one direction
    let spread = if tails > 1 && params.secret_weight().is_some() { 2.0 } else { 1.0 };
    let bound = TAIL.powi(tails) * (params.n() as f64 * variance * spread).sqrt();
    ErrorTerm::new(decoded(log_slots) * variance, bound)
}

/// An encoding's rounding: up to 1/2 in each of 2 * n coefficients, at worst all of one sign.
pub(super) fn encoding(log_slots: u32) -> ErrorTerm {
    let n = decoded(log_slots);
    ErrorTerm::new(n / 12.0, n / 2.0)
}

/// Secret-key encryption: variance `2 * n * sigma^2`, and the encoding's rounding.
pub(super) fn fresh_secret(params: &Parameters, log_slots: u32) -> ErrorTerm {
    random(params, log_slots, SIGMA * SIGMA, 1) + encoding(log_slots)
}

/// Public-key encryption, `v * e + e_0 + e_1 * s`: variance `2 * n * sigma^2 * (1 + 2 * N/3 +
/// |s|^2)`, and the encoding's rounding.
pub(super) fn fresh_public(params: &Parameters, log_slots: u32) -> ErrorTerm {
    let masks = 2.0 / 3.0 * params.n() as f64 + params.secret_norm();
    let masked = random(params, log_slots, SIGMA * SIGMA * masks, 2);
    // the bound adds the bounds of v * e and e_1 * s
    let masked = ErrorTerm::new(masked.variance, masked.bound * std::f64::consts::SQRT_2);
    fresh_secret(params, log_slots) + masked
}

/// Encryption with an unknown kind of key: the estimate of secret-key encryption, which is the
/// smaller one, and a bound that holds for secret and public keys.
pub(super) fn fresh(params: &Parameters, log_slots: u32) -> ErrorTerm {
    let (secret, public) = (fresh_secret(params, log_slots), fresh_public(params, log_slots));
    secret.or_bounds_of(public)
}

/// Rounding of two polynomials after a division: variance `2 * n/12 * (1 + |s|^2)`.
pub(super) fn rounding(params: &Parameters, log_slots: u32) -> ErrorTerm {
    random(params, log_slots, 1.0 / 12.0, 1) + random(params, log_slots, params.secret_norm() / 12.0, 2)
}

/// A key switch modulo q = `2^log_q`: `d * e / Q`, with d uniform in `+-q/2` and Q the largest
/// modulus. Its variance is `2 * n * N * q^2/12 * sigma^2 / Q^2`, plus the rounding of the division
/// by Q.
pub(crate) fn switching(params: &Parameters, log_q: u32, log_slots: u32) -> ErrorTerm {
    let ratio = (2.0 * (f64::from(log_q) - f64::from(params.log_q()))).exp2();
    random(params, log_slots, params.n() as f64 * ratio / 12.0 * SIGMA * SIGMA, 2) + rounding(params, log_slots)
}
