//! Error estimates: the formulas that the tests hold against measurement. What they stand for is said at
//! [`crate::ckks::Noise`]; what follows from parameters is here. The argument is in `docs/design/heaan.md`.
//!
//! An error polynomial with coefficients of variance V has `E|e|^2 = 2n V` in each of n slots: only 2n coefficients are
//! decoded, all N of them where every slot is in use.

use super::Parameters;
use crate::Scale;
use crate::ckks::Noise;
use crate::rng::gaussian::SIGMA;

/// The scale `2^log_scale`.
pub(super) fn scale(log_scale: u32) -> Scale {
    Scale::power_of_two(log_scale as i32)
}

/// Coefficients that are decoded into `2^log_slots` slots.
pub(super) fn decoded(log_slots: u32) -> f64 {
    2.0 * f64::from(log_slots).exp2()
}

/// Only the rounding of an encoding: `2n/12`.
pub(super) fn encoded(log_slots: u32, log_scale: u32) -> Noise {
    Noise::from_parts(decoded(log_slots) / 12.0, 1.0, scale(log_scale))
}

/// Secret-key encryption: `2n sigma^2`, and the encoding's rounding.
pub(super) fn fresh_secret(log_slots: u32, log_scale: u32) -> Noise {
    encoded(log_slots, log_scale).plus(decoded(log_slots) * SIGMA * SIGMA)
}

/// Public-key encryption, `v e + e_0 + e_1 s`: `2n sigma^2 (1 + 2N/3 + |s|^2)`, and the encoding's rounding.
pub(super) fn fresh_public(params: &Parameters, log_slots: u32, log_scale: u32) -> Noise {
    let masks = 1.0 + 2.0 / 3.0 * params.n() as f64 + params.secret_norm();
    encoded(log_slots, log_scale).plus(decoded(log_slots) * SIGMA * SIGMA * masks)
}

/// Rounding of both polynomials after a division: `2n/12 (1 + |s|^2)`.
pub(super) fn rounding(params: &Parameters, log_slots: u32) -> f64 {
    decoded(log_slots) / 12.0 * (1.0 + params.secret_norm())
}

/// A key switch modulo `2^log_q`: `d e / Q` with d centred, so uniform in `+-q/2`: `2n (N q^2/12 sigma^2 / Q^2)`, and the
/// rounding of the division by Q.
pub(super) fn switching(params: &Parameters, log_q: u32, log_slots: u32) -> f64 {
    let ratio = (2.0 * (f64::from(log_q) - f64::from(params.log_q()))).exp2();
    decoded(log_slots) * params.n() as f64 * ratio / 12.0 * SIGMA * SIGMA + rounding(params, log_slots)
}

/// Division by `2^bits` with rounding.
pub(super) fn rescaled(params: &Parameters, noise: Noise, bits: u32, log_slots: u32, log_scale: u32) -> Noise {
    let variance = noise.variance * (-2.0 * f64::from(bits)).exp2() + rounding(params, log_slots);
    Noise::from_parts(variance, noise.magnitude, scale(log_scale))
}
