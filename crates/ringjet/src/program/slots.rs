//! The values of the slots of a vector in the clear.

use ringjet_math::fft::Complex64;

use super::residues::Reduced;

/// The relative amount by which rounding may carry a value beyond a limit.
pub(super) const ROUNDING: f64 = 1e-9;

/// The values of all slots.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Slots {
    /// Numbers; with `real` all imaginary parts are 0, whatever is computed with them.
    Numbers { values: Vec<Complex64>, real: bool },
    /// Residues between `-t/2` and `t/2`, in two rows. `wraps`: the largest size before the last
    /// reduction, if it changed a value.
    Residues { values: Vec<i128>, t: u128, wraps: Option<f64> },
}

/// Numbers; with `real` their imaginary parts are dropped.
pub(super) fn numbers(values: impl IntoIterator<Item = Complex64>, real: bool) -> Slots {
    let values = values.into_iter().map(|z| if real { z.re.into() } else { z }).collect();
    Slots::Numbers { values, real }
}

/// Residues with their sizes before the reduction.
pub(super) fn integers(reduced: impl Iterator<Item = Reduced>, t: u128) -> Slots {
    let mut most = 0.0f64;
    let values = reduced.map(|(x, size)| {
        most = most.max(size);
        x
    });
    let values = values.collect();
    // doubles stand for integers that are too large to be computed, and are rounded
    let limit = (t / 2) as f64;
    let limit = if most < 2f64.powi(53) { limit } else { limit * (1.0 + ROUNDING) };
    Slots::Residues { values, t, wraps: (most > limit).then_some(most) }
}
