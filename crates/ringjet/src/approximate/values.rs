//! Vectors of slots in the clear, and what is refused of them.

use ringjet_math::embed::{self, Coefficients, EmbedError};
use ringjet_math::fft::Complex64;

use crate::rlwe::Ring;
use crate::{Error, Result};

/// A vector of slots.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(pub Vec<Complex64>);

impl Values {
    /// The real parts.
    pub fn real(&self) -> Vec<f64> {
        self.0.iter().map(|z| z.re).collect()
    }

    pub(crate) fn rounded(self, bits: u32) -> Self {
        let unit = 2f64.powi(bits as i32);
        let round = |x: f64| (x * unit).round() / unit;
        Self(self.0.into_iter().map(|z| Complex64 { re: round(z.re), im: round(z.im) }).collect())
    }
}

/// Refuses coefficients that are no message of less than `2^size_log2` modulo `2^modulus_log2`. Besides that bound, which the
/// sender states, there is one that nobody can state: slots below q/2 have coefficients whose squares add up to less than
/// `(q/2)^2`, where those of garbage, uniform modulo q, add up to about `N q^2/12`.
pub(crate) fn expect_message(coefficients: &[f64], size_log2: f64, modulus_log2: f64) -> Result<()> {
    let half = modulus_log2 - 1.0;
    let unit = (-half).exp2();
    let (mut most, mut squares) = (0.0f64, 0.0);
    for c in coefficients {
        let c = c.abs() * unit;
        most = most.max(c);
        squares += c * c;
    }
    let (most, length) = (most.log2() + half, 0.5 * squares.log2() + half);
    // coefficients of the largest values are rounded
    let (limit_log2, half) = (size_log2.min(half) + 1e-9, half + 1e-9);
    // NaN is refused, too
    if most <= limit_log2 && length <= half || squares == 0.0 {
        return Ok(());
    }
    Err(Error::Garbage { found_log2: if most <= limit_log2 { length } else { most }, limit_log2 })
}

/// Refuses NaN and infinities, naming the first one.
pub(crate) fn expect_finite(values: &[Complex64]) -> Result<()> {
    for (index, z) in values.iter().enumerate() {
        for value in [z.re, z.im] {
            if !value.is_finite() {
                return Err(Error::NotFinite { index, value });
            }
        }
    }
    Ok(())
}

/// Refuses more values than slots, and more slots than half the ring degree `2^log_n`.
pub(crate) fn expect_slots(len: usize, log_slots: u32, log_n: u32) -> Result<()> {
    if log_slots >= log_n || len > 1 << log_slots {
        let slots = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
        return Err(Error::SlotCount { found: len, slots, max: 1 << (log_n - 1) });
    }
    Ok(())
}

pub(crate) fn magnitude(values: &[Complex64]) -> f64 {
    values.iter().fold(0.0f64, |m, z| m.max(z.re.abs()).max(z.im.abs()))
}

/// The integer coefficients of an encoding at `scale`, and the size of the largest. `refuse` is told the
/// binary logarithm of a coefficient that is beyond 128 bits.
pub(crate) fn rounded(
    ring: &Ring,
    values: &[Complex64],
    scale: f64,
    log_slots: u32,
    refuse: impl Fn(f64) -> Error,
) -> Result<(Coefficients, u128)> {
    let all = embed::encode_coefficients(ring.fft(log_slots), values, ring.log_n(), scale).map_err(|e| match e {
        EmbedError::TooLarge { magnitude, .. } => refuse(magnitude.log2()),
        EmbedError::NotFinite { .. } => refuse(scale.log2() + magnitude(values).log2()),
        e => Error::Parameters(e.to_string()),
    })?;
    let largest = match &all {
        Coefficients::I64(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())).into(),
        Coefficients::I128(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())),
    };
    Ok((all, largest))
}

/// Refuses more slots than the ring has.
pub(crate) fn expect_log_slots(ring: &Ring, log_slots: u32) -> Result<()> {
    if log_slots < ring.log_n() {
        return Ok(());
    }
    let found = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
    Err(Error::SlotCount { found, slots: ring.max_slots(), max: ring.max_slots() })
}
