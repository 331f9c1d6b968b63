//! Which keys bootstrapping takes, and the levels of its parts: what follows from parameters alone.

use super::{BootstrapSpec, Parameters};
use crate::approximate::expect_log_slots;
use crate::diagonals::{HOISTED_GIANT_COST, even_groups, fourier_factors, rotations_of, trace_rotations};
use crate::rlwe::keyswitch::{KeyPlan, KeyUse};
use crate::{Error, Result};

/// How one of the two transforms of bootstrapping is factored.
pub(crate) struct BootstrapTransform {
    pub(crate) inverse: bool,
    /// Fourier stages of each factor, in the order of application.
    pub(crate) groups: Vec<u32>,
    /// The non-zero diagonals of each factor, of both signs, in the order of application.
    pub(crate) diagonals: Vec<Vec<i64>>,
    /// The level of the first one that is applied; each further one is a level lower.
    pub(crate) level: usize,
}

impl BootstrapTransform {
    fn new(model: &[u32], log_slots: u32, inverse: bool, level: usize) -> Result<Self> {
        let groups = groups(model, log_slots)?;
        let diagonals = if inverse {
            let reversed: Vec<u32> = groups.iter().rev().copied().collect();
            let mut all = fourier_factors(&reversed);
            all.reverse();
            all
        } else {
            fourier_factors(&groups)
        };
        Ok(Self { inverse, groups, diagonals, level })
    }
}

impl Parameters {
    /// How to bootstrap. Fails with [`Error::NoBootstrapping`].
    pub(crate) fn expect_bootstrap(&self) -> Result<&BootstrapSpec> {
        self.bootstrap().ok_or_else(|| Error::no_bootstrapping(self))
    }

    /// SlotsToCoeffs and CoeffsToSlots for `2^log_slots` slots.
    /// Fails with [`Error::NoBootstrapping`], [`Error::SlotCount`]; [`Error::Argument`] for too few slots.
    pub(crate) fn bootstrap_transforms(&self, log_slots: u32) -> Result<[BootstrapTransform; 2]> {
        let boot = self.expect_bootstrap()?;
        expect_log_slots(self, log_slots)?;
        let first = if boot.slots_to_coeffs_first { boot.input_level() } else { self.landing_level(boot) };
        Ok([
            BootstrapTransform::new(&boot.slots_to_coeffs, log_slots, false, first)?,
            BootstrapTransform::new(&boot.coeffs_to_slots, log_slots, true, self.max_level())?,
        ])
    }

    /// The level that EvalMod ends at.
    pub(crate) fn landing_level(&self, boot: &BootstrapSpec) -> usize {
        self.top_level() + boot.last_levels()
    }

    /// The keys that bootstrapping `2^log_slots` slots takes.
    /// Fails as [`Parameters::bootstrap_transforms`] does.
    pub(crate) fn bootstrap_keys(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys_by(log_slots, |diagonals| rotations_of(HOISTED_GIANT_COST, diagonals, 1 << log_slots))
    }

    /// The same, with the rotations that `rotations` gives for a matrix with these diagonals.
    pub(crate) fn bootstrap_keys_by(&self, log_slots: u32, rotations: impl Fn(&[i64]) -> Vec<i64>) -> Result<KeyPlan> {
        let (boot, max) = (self.expect_bootstrap()?, self.max_level());
        let after = max - boot.coeffs_to_slots.len();
        let mut plan = KeyPlan::none()
            .with(KeyUse::Relinearization, Some(after))
            .with(KeyUse::Conjugation, Some(after))
            .ephemeral(boot.secret_weight as usize);
        let trace = trace_rotations(self.log_n(), log_slots).map(|r| (r, max));
        let all = self.bootstrap_transforms(log_slots)?;
        let factors = all.iter().flat_map(|t| t.diagonals.iter().zip((0..=t.level).rev()));
        let steps: Vec<_> = factors.flat_map(|(d, level)| rotations(d).into_iter().map(move |r| (r, level))).collect();
        for (r, level) in trace.chain(steps) {
            plan = plan.with(KeyUse::Rotation(r), Some(level));
        }
        Ok(plan)
    }
}

/// `count` stages in as many groups as `model` has: the model's own, or as even as they get.
fn groups(model: &[u32], count: u32) -> Result<Vec<u32>> {
    let levels = model.len() as u32;
    if model.iter().sum::<u32>() == count {
        return Ok(model.to_vec());
    }
    if count < levels {
        let expected = format!("at least 2^{levels} for these parameters");
        return Err(Error::argument("slots", format!("2^{count}"), expected));
    }
    Ok(even_groups(count, levels))
}
