//! Scales and errors between ModRaise and EvalMod.
//!
//! Where a ciphertext has fewer than N/2 slots, the trace multiplies its values by N / (2 * slots)
//! and adds up that many independent errors. A message that has its full scale *before* the trace
//! is therefore the more exact, the fewer slots there are. The matrices after the trace bring its
//! scale down again. That leaves fewer bits for their entries, so they share the descent, and the
//! message keeps as many bits as give the least error.
//!
//! Where one EvalMod takes both parts of the values, the last matrix has twice the slots and no
//! shorter period, so its entries need more bits. The earlier matrices get fewer bits in exchange.

use super::Parameters;
use super::checked::BootstrapTransform;
use super::spec::BootstrapSpec;
use crate::Result;
use crate::ckks::{Scale, noise};
use crate::diagonals::folded;
use crate::noise::ErrorTerm;
use crate::rng::gaussian::SIGMA;

/// The scales of CoeffsToSlots for one number of slots.
#[derive(Debug)]
pub(crate) struct Rise {
    /// The scale of a raised ciphertext, before the trace. Where keys contain the first matrix, it has
    /// been multiplied by that matrix.
    pub(crate) raised: Scale,
    /// The scale before each matrix that keys do not contain; first that after the trace. Last the
    /// scale at which EvalMod starts. Two scales where the keys contain CoeffsToSlots as a whole.
    pub(crate) scales: Vec<Scale>,
    /// The mean square of the error of a slot, real and imaginary part together, relative to q_0:
    /// of ModRaise, of the trace and of the encoded matrices.
    pub(crate) error: f64,
}

impl BootstrapTransform {
    /// The mean square of the error, relative to the result, of factor `i` with the period
    /// `2^period` encoded at the scale `encoded`: each coefficient is rounded.
    pub(crate) fn encoding_error(&self, (i, period): (usize, u32), encoded: f64) -> f64 {
        // a period of n slots has 2 n coefficients, each off by 1/12 in the mean square
        let coefficients = f64::from(period + 1).exp2();
        // entries of inverses are 2^-stages; half the entries of the stored diagonals are 0, but
        // have errors, too
        let entries = if self.inverse { f64::from(2 * self.groups[i]).exp2() } else { 1.0 };
        2.0 * entries * coefficients / 12.0 / encoded.powi(2)
    }
}

impl Parameters {
    /// log2 of N / (2 * slots), the number of terms of the trace.
    pub(crate) fn trace_bits(&self, log_slots: u32) -> u32 {
        self.log_n() - 1 - log_slots
    }

    /// The scales of CoeffsToSlots for `2^log_slots` slots, such that errors are smallest.
    /// Fails as [`Parameters::bootstrap_transforms`] does.
    pub(crate) fn rise(&self, log_slots: u32) -> Result<Rise> {
        let boot = self.expect_bootstrap()?;
        let [_, up] = self.bootstrap_transforms(log_slots)?;
        let bits = self.trace_bits(log_slots);
        // without a matrix in the keys a raised ciphertext has the scale that it has
        let least = if boot.matrix_keys { 0 } else { bits };
        let all = (least..=bits).map(|kept| self.even_rise(&up, kept));
        let top = self.max_level();
        let whole = boot.is_keyed_whole().then(|| vec![self.scale(top - 1) * self.ratio(top), self.scale(top - 1)]);
        let own = up.periods();
        let error = |scales: &[Scale], periods: &[u32]| self.rise_error(boot, &up, periods, scales, bits);
        let best = whole.or_else(|| all.min_by(|a, b| error(a, &own).total_cmp(&error(b, &own))));
        let mut scales = best.ok_or_else(|| crate::Error::no_bootstrapping(self))?;
        let mut periods = own;
        if boot.joins_parts(self.log_n(), log_slots) {
            if let Some(last) = periods.last_mut() {
                *last = log_slots + 1;
            }
            // the first scale stays, since keys depend on it
            scales = least_error(scales, |scales| error(scales, &periods));
        }
        let traced = self.trace_bits(boot.raised_log_slots(log_slots));
        let raised = scales[0] / Scale::power_of_two(traced as i32);
        Ok(Rise { raised, error: error(&scales, &periods), scales })
    }

    /// The scales where a message has `2^kept` times its nominal scale after the trace, and loses these
    /// bits evenly.
    fn even_rise(&self, up: &BootstrapTransform, kept: u32) -> Vec<Scale> {
        let (top, steps) = (self.max_level(), up.groups.len() - up.keyed);
        let larger = |i: usize| Scale::power_of_two((kept as usize * (steps - i)).div_ceil(steps) as i32);
        (0..=steps).map(|i| self.scale(top - i) * larger(i)).collect()
    }

    /// [`Rise::error`] with these scales and periods of the matrices, after a trace of `2^bits` terms.
    fn rise_error(
        &self,
        boot: &BootstrapSpec,
        up: &BootstrapTransform,
        periods: &[u32],
        scales: &[Scale],
        bits: u32,
    ) -> f64 {
        let encoded: f64 = (up.levels().zip(scales.windows(2)))
            .map(|((i, level), pair)| {
                // the first of all matrices is multiplied by 1/2
                let half = if i == 0 { 4.0 } else { 1.0 };
                half * up.encoding_error((i, periods[i]), (pair[1] * self.ratio(level) / pair[0]).value())
            })
            .sum();
        // the values are multiples of q_0, sums of numbers uniform in (-1/2, 1/2)
        let multiples = f64::from(boot.secret_weight + 1) / 6.0;
        let raised = self.traced_error(boot, up, bits) / scales[0].value().powi(2) * f64::from(boot.k * boot.k);
        multiples * encoded + raised
    }

    /// The mean square of the error of ModRaise and of a trace of `2^bits` terms, after
    /// CoeffsToSlots, relative to a scale of 1.
    fn traced_error(&self, boot: &BootstrapSpec, up: &BootstrapTransform, bits: u32) -> f64 {
        let log_slots = self.log_n() - 1 - bits;
        let terms = f64::from(self.trace_bits(boot.raised_log_slots(log_slots))).exp2();
        let (switched, slots) = (noise::switched(self, self.max_level()).variance, f64::from(log_slots).exp2());
        // each of the log2(terms) rotations adds an error, which later ones add up
        let traced = terms * self.raised_error(up).variance + (terms - 1.0) * switched;
        // a stage halves errors. What comes before the matrix that keys contain, which is multiplied
        // by 1/2, is halved by its stages and by that factor
        let after = if up.keyed > 0 { 4.0 * f64::from(up.groups[0]).exp2() } else { 1.0 };
        after * traced / slots
    }

    /// The error of a raised ciphertext: that of a key switch, or of a matrix in keys. There it is for
    /// each diagonal a polynomial modulo q_0 times the error of its key and the rounding of the
    /// diagonal, divided by p_0 and rounded.
    fn raised_error(&self, up: &BootstrapTransform) -> ErrorTerm {
        if up.keyed == 0 {
            return noise::switched(self, self.max_level());
        }
        let n = self.n() as f64;
        let whole = self.bootstrap().is_some_and(BootstrapSpec::is_keyed_whole);
        let diagonals = folded(&up.diagonals[0], 1 << up.groups.iter().sum::<u32>()).len() << u32::from(whole);
        let ratio = (self.level(0).basis.log2() - self.p().prefix(1).log2()).exp2();
        let each = n * n * (SIGMA * SIGMA + 1.0 / 12.0) * ratio * ratio / 12.0;
        ErrorTerm::random(each * diagonals as f64, 2) + noise::rounding(self)
    }

    /// [`Parameters::raised_error`] of ciphertexts of `2^log_slots` slots.
    pub(crate) fn error_of_raising(&self, log_slots: u32) -> Result<ErrorTerm> {
        let [_, up] = self.bootstrap_transforms(log_slots)?;
        Ok(self.raised_error(&up))
    }
}

/// `scales` with those between the first and the last one changed by whole bits, such that `error` is
/// smallest. It is a convex function of these bits.
fn least_error(mut scales: Vec<Scale>, error: impl Fn(&[Scale]) -> f64) -> Vec<Scale> {
    let changes: Vec<(usize, i32)> = (1..scales.len().saturating_sub(1)).flat_map(|i| [(i, -1), (i, 1)]).collect();
    while let Some(better) = changes.iter().find_map(|&(i, bits)| {
        let mut other = scales.clone();
        other[i] = other[i] * Scale::power_of_two(bits);
        (error(&other) < error(&scales)).then_some(other)
    }) {
        scales = better;
    }
    scales
}
