//! The error of a bootstrapped ciphertext, and how often raising fails.

use std::f64::consts::LN_2;

use ringjet_math::evalmod;

use super::budget::{BootstrapSpec, Budget, computed};
use crate::Noise;
use crate::heaan::{Ciphertext, Parameters, Secret, noise};
use crate::noise::Added;

/// The largest weight for which the Irwin-Hall distribution is summed.
const SUMMED: u32 = 512;

/// The estimated error of the result: that of the input, that of computing, the rounding at the end, and what the sine is off.
pub(crate) fn bootstrapped(params: &Parameters, spec: &BootstrapSpec, budget: &Budget, low: &Ciphertext) -> Noise {
    let (log_slots, to) = (spec.log_slots, low.log_scale());
    let computed = computed(params, log_slots, budget.beside, budget.squarings, budget.working_scale);
    // each key switch of the trace, as it is multiplied by those after it: a geometric sum
    let traced = if budget.beside { noise::switching(params, params.log_q(), log_slots).variance / 3.0 } else { 0.0 };
    let traced = traced * (-2.0 * f64::from(budget.raised_scale)).exp2();
    let sine = spec.sine_error(to) * f64::from(to).exp2();
    let inside = (computed + traced) * (2.0 * f64::from(spec.log_q)).exp2();
    let own = noise::rounding(params, log_slots) + Added::fixed(inside.sqrt()) + Added::fixed(sine);
    // what the sine leaves, and roundings within it, have an estimate but no bound that is proved
    low.noise().plus(own).unbounded()
}

impl Budget {
    /// Binary logarithm of a bound on the probability that one of the coefficients in use is raised by `2^log_k` moduli or
    /// more, for a ciphertext whose polynomials are uniform. There Taylor's polynomial is off by `2^-26`, as much as doubles
    /// in the squarings, and from there on the error grows with the eighth power.
    ///
    /// `2n * 2 Pr[S > K]`, S the sum of `h + 1` uniform numbers in `+-1/2`: exact for secrets of up to 512 non-zero
    /// coefficients; above, `Pr[S > K] <= exp(-6 K^2 / (h + 1))`, as such numbers are strictly sub-Gaussian.
    pub fn failure_log2(&self, params: &Parameters) -> f64 {
        let coefficients = self.log_slots + 1;
        match params.spec().secret {
            Secret::Weight(h) if h <= SUMMED => evalmod::failure_log2(h, 1 << self.log_k, coefficients),
            _ => {
                let exponent = 6.0 * (2.0 * f64::from(self.log_k)).exp2() / (1.0 + params.secret_norm());
                f64::from(coefficients) + 1.0 - exponent / LN_2
            }
        }
    }
}
