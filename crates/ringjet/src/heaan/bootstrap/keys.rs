//! Which parameters bootstrap, and the keys it takes.

use super::budget::{BootstrapSpec, Budget, FLAT_GIANT_COST, groups};
use crate::approximate::expect_log_slots;
use crate::diagonals::{fourier_factors, rotations_of, trace_rotations};
use crate::heaan::Parameters;
use crate::rlwe::keyswitch::KeyPlan;
use crate::{Error, Result};

impl Parameters {
    /// How ciphertexts of `2^log_slots` slots are bootstrapped where nothing else is said: [`BootstrapSpec::new`], and what it
    /// takes.
    /// Fails with [`Error::SlotCount`]; [`Error::NoBootstrapping`] where less than `log_p` bits, a
    /// product's, would be won.
    pub fn bootstrapping(&self, log_slots: u32) -> Result<(BootstrapSpec, Budget)> {
        expect_log_slots(self, log_slots)?;
        let spec = BootstrapSpec::new(self, log_slots);
        let enough = match Budget::new(self, &spec) {
            Ok(budget) if budget.log_q >= spec.log_q + self.log_p() => return Ok((spec, budget)),
            Ok(budget) => Some(self.log_q() - budget.log_q + spec.log_q + self.log_p()),
            Err(Error::ModulusExhausted { needed, .. }) => Some(needed as u32 + self.log_p()),
            // a precision that is out of reach in this ring
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
        let rotations = matrices.iter().flat_map(|d| rotations_of(FLAT_GIANT_COST, d, 1 << log_slots));
        Ok(KeyPlan::rotations(rotations.chain(trace_rotations(self.log_n(), log_slots))).conjugation())
    }
}
