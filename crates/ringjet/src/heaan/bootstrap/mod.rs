//! Parameters of bootstrapping: the wanted properties, the modulus it spends, and its keys. The
//! circuit is in [`crate::circuits::heaan`].

mod budget;

use std::f64::consts::LN_2;

use budget::computed;
use ringjet_math::evalmod;

use crate::diagonals::{Split, fourier_factors, rotations_of, trace_rotations};
use crate::heaan::{Ciphertext, Parameters, Secret, noise};
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::KeyPlan;
use crate::vectors::expect_log_slots;
use crate::{Error, Noise, Result};
pub use budget::{BootstrapSpec, Budget, Step};
pub(crate) use budget::{FLAT_GIANT_COST, GUARD_BITS, expect_margin, groups};

/// The largest secret weight for which the Irwin-Hall distribution is summed.
const SUMMED: u32 = 512;

/// The estimated error of the result: that of the input, computing, the last rounding, the sine.
pub(crate) fn bootstrapped(params: &Parameters, spec: &BootstrapSpec, budget: &Budget, low: &Ciphertext) -> Noise {
    let (log_slots, to) = (spec.log_slots, low.log_scale());
    let computed = computed(params, log_slots, budget.beside, budget.squarings, budget.working_scale);
    // later steps of the trace double the error of each key switch before them: a geometric sum
    let traced = if budget.beside { noise::switching(params, params.log_q(), log_slots).variance / 3.0 } else { 0.0 };
    let traced = traced * (-2.0 * f64::from(budget.raised_scale)).exp2();
    let sine = spec.sine_error(to) * f64::from(to).exp2();
    let inside = (computed + traced) * (2.0 * f64::from(spec.log_q)).exp2();
    let own = noise::rounding(params, log_slots) + ErrorTerm::fixed(inside.sqrt()) + ErrorTerm::fixed(sine);
    // the errors of the sine and of roundings within it are estimated, but have no proved bound
    low.noise().plus(own).unbounded()
}

impl Budget {
    /// Binary logarithm of a bound on the failure probability: that raising the modulus adds at
    /// least `2^log_k` moduli to one of the coefficients in use, in a ciphertext whose polynomials
    /// are uniform. There the error of Taylor's polynomial is `2^-26`, and it grows with the eighth
    /// power.
    ///
    /// The bound is `2 * n * 2 * Pr[S > K - 1/2]`, with K = `2^log_k` and S the sum of h uniform numbers
    /// in `+-1/2`, h the secret's weight. It is exact for h up to 512. Above, it uses `Pr[S > x] <=
    /// exp(-6 * x^2 / h)`, as such numbers are strictly sub-Gaussian.
    pub fn failure_log2(&self, params: &Parameters) -> f64 {
        let coefficients = self.log_slots + 1;
        match params.spec().secret {
            Secret::Weight(h) if h <= SUMMED => evalmod::failure_log2(h, 1 << self.log_k, coefficients),
            _ => {
                let exponent = 6.0 * (f64::from(self.log_k).exp2() - 0.5).powi(2) / params.secret_norm();
                f64::from(coefficients) + 1.0 - exponent / LN_2
            }
        }
    }
}

impl Parameters {
    /// The default bootstrap for `2^log_slots` slots: [`BootstrapSpec::new`], and its budget.
    /// Fails with [`Error::SlotCount`]; [`Error::NoBootstrapping`] where bootstrapping would win
    /// less than `log_p` bits, those of one product.
    pub fn bootstrapping(&self, log_slots: u32) -> Result<(BootstrapSpec, Budget)> {
        expect_log_slots(self, log_slots)?;
        let spec = BootstrapSpec::new(self, log_slots);
        let enough = match Budget::new(self, &spec) {
            Ok(budget) if budget.log_q >= spec.log_q + self.log_p() => return Ok((spec, budget)),
            Ok(budget) => Some(self.log_q() - budget.log_q + spec.log_q + self.log_p()),
            Err(Error::ModulusExhausted { needed, .. }) => Some(needed as u32 + self.log_p()),
            // the precision is out of reach in this ring
            Err(_) => None,
        };
        let slots = 1u64 << log_slots;
        let other = "or a preset of HEAAN whose name has \"boot\" in it";
        let instead = match enough {
            Some(bits) => {
                format!("{slots} slots take log_q = {bits} in such a ring; choose that, fewer slots, {other}")
            }
            None => format!("{slots} slots would keep too few bits; choose fewer, {other}"),
        };
        Err(Error::NoBootstrapping { params: format!("{self:?}"), instead })
    }

    /// The keys that bootstrapping `2^log_slots` slots takes. Fails with [`Error::SlotCount`].
    pub(crate) fn bootstrap_keys(&self, log_slots: u32) -> Result<KeyPlan> {
        expect_log_slots(self, log_slots)?;
        let matrices = fourier_factors(&groups(log_slots));
        let flat = |diagonals: &[i64], slots| Split::cheapest(FLAT_GIANT_COST, diagonals, slots);
        let rotations = matrices.iter().flat_map(|d| rotations_of(flat, d, 1 << log_slots));
        Ok(KeyPlan::rotations(rotations.chain(trace_rotations(self.log_n(), log_slots))).conjugation())
    }
}
