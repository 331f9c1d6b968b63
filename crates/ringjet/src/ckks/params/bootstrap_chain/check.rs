//! What bootstrapping circuits are refused.

use ringjet_math::evalmod;

use crate::ckks::params::{BootstrapSpec, ParamSpec};
use crate::{Error, Result};

/// Most non-zero coefficients of an ephemeral secret: more would make the raised multiples of q_0 too many.
const MAX_WEIGHT: u32 = 256;

impl BootstrapSpec {
    /// Refuses what makes no sense or fails too often.
    pub(in crate::ckks::params) fn check(&self, spec: &ParamSpec) -> Result<()> {
        let refuse = |why: String| Err(Error::Parameters(format!("bootstrapping: {why}")));
        for (name, groups) in [("coeffs_to_slots", &self.coeffs_to_slots), ("slots_to_coeffs", &self.slots_to_coeffs)] {
            if groups.contains(&0) || groups.iter().map(|&g| u64::from(g)).sum::<u64>() != u64::from(spec.log_n - 1) {
                return refuse(format!(
                    "the stages {groups:?} of {name} must be positive and sum to {}",
                    spec.log_n - 1
                ));
            }
        }
        if !(4..=64).contains(&self.k) || !(3..=255).contains(&self.degree) || self.double_angles > 6 {
            let (k, degree, double) = (self.k, self.degree, self.double_angles);
            return refuse(format!(
                "k = {k}, degree = {degree}, {double} double angles: 4..=64, 3..=255, 0..=6 are known"
            ));
        }
        if self.arcsine.is_multiple_of(2) || self.arcsine > 15 {
            return refuse(format!("an arcsine of degree {}: odd degrees to 15 are known, 1 for none", self.arcsine));
        }
        if !(1..=3).contains(&self.passes) {
            return refuse(format!("{} passes: 1 to 3 are known", self.passes));
        }
        let most = (1u32 << (spec.log_n - 1)).min(MAX_WEIGHT);
        if !(1..=most).contains(&self.secret_weight) {
            let weight = self.secret_weight;
            return refuse(format!("{weight} non-zero coefficients of an ephemeral secret: 1 to {most} are possible"));
        }
        let failure = evalmod::failure_log2(self.secret_weight, self.k, spec.log_n);
        if failure > -128.0 && !spec.allow_insecure {
            return refuse(format!(
                "it fails with probability 2^{failure:.1}, more than 2^-128: use a larger k or a sparser secret"
            ));
        }
        Ok(())
    }
}
