//! Bootstrapping in both schemes.

use std::sync::Arc;

use crate::{Bootstrapper, Error, Result};

use super::Either::{Ckks, Heaan};
use super::{Ciphertext, Evaluator, Parameters};

impl Parameters {
    /// Whether ciphertexts of as many slots as there are by default can be bootstrapped.
    pub fn can_bootstrap(&self) -> bool {
        self.expect_bootstrapping(self.slots().ilog2()).is_ok()
    }

    /// Refuses parameters that cannot bootstrap `2^log_slots` slots. What CKKS's cannot for this number alone is refused later.
    pub fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        match self {
            Ckks(p) if p.bootstrap().is_none() => Err(Error::no_bootstrapping(p)),
            Ckks(_) => Ok(()),
            Heaan(p) => p.bootstrapping(log_slots).map(|_| ()),
        }
    }

    /// Bits of the modulus before and after, of HEAAN's, with as many slots as there are by default.
    pub fn bootstrapping_bits(&self) -> Option<(u32, u32)> {
        let Heaan(p) = self else { return None };
        p.bootstrapping(p.log_slots()).ok().map(|(spec, budget)| (spec.log_q, budget.log_q))
    }
}

impl Evaluator {
    /// Refuses where no ciphertext can be bootstrapped, for want of parameters or of keys.
    pub fn expect_bootstrapping(&self) -> Result<()> {
        let able = match self {
            Ckks(e) => e.can_bootstrap(),
            Heaan(e) => e.keys().can_bootstrap(),
        };
        if able {
            return Ok(());
        }
        let params = self.params();
        params.expect_bootstrapping(params.slots().ilog2())?;
        Err(Error::MissingBootstrappingKeys)
    }

    /// Makes what bootstraps `2^log_slots` slots. `step(done, total)` is told of each matrix.
    pub fn prepare(&self, log_slots: u32, step: impl FnMut(usize, usize) -> bool) -> Result<()> {
        match self {
            Ckks(e) => {
                e.keys().expect_bootstrapping(log_slots)?;
                e.set_bootstrapper(Arc::new(Bootstrapper::new(e.context(), log_slots, step)?));
            }
            Heaan(e) => drop(e.bootstrapper_observed(log_slots, step)?),
        }
        Ok(())
    }

    /// The same values with more to spend. `step(done, total)` is told of each phase. HEAAN gains nothing where values are real.
    pub fn bootstrap(
        &self,
        x: &Ciphertext,
        real: bool,
        mut step: impl FnMut(usize, usize) -> bool,
    ) -> Result<Ciphertext> {
        let mut done = 0;
        let mut after = |total| {
            done += 1;
            step(done, total)
        };
        match (self, x) {
            (Ckks(e), Ckks(x)) => {
                let first = e.context().params().bootstrap().is_some_and(|b| b.slots_to_coeffs_first);
                let total = if real && first { 4 } else { 5 };
                e.bootstrapper(x.log_slots())?.bootstrap_observed(e, x, real, |_| after(total)).map(Ckks)
            }
            (Heaan(e), Heaan(x)) => {
                let boot = e.bootstrapper(x.log_slots())?;
                boot.bootstrap_observed(e, &e.settle(x)?, |_| after(boot.phases())).map(Heaan)
            }
            _ => Err(self.stranger(&[x])),
        }
    }

    /// The same of each, of which all have as many slots as the first; `step` is told how many are done.
    pub fn bootstrap_many(
        &self,
        all: &[Ciphertext],
        real: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        let Some(log_slots) = all.first().map(Ciphertext::log_slots) else { return Ok(vec![]) };
        match self {
            Ckks(e) => {
                let own = all.iter().map(|x| if let Ckks(x) = x { Ok(x) } else { Err(self.stranger(&[x])) });
                let own = own.collect::<Result<Vec<_>>>()?;
                let made = e.bootstrapper(log_slots)?.bootstrap_many(e, &own, real, step)?;
                Ok(made.into_iter().map(Ckks).collect())
            }
            Heaan(e) => {
                let own = all.iter().map(|x| if let Heaan(x) = x { e.settle(x) } else { Err(self.stranger(&[x])) });
                let own = own.collect::<Result<Vec<_>>>()?;
                let made = e.bootstrapper(log_slots)?.bootstrap_many(e, &own.iter().collect::<Vec<_>>(), step)?;
                Ok(made.into_iter().map(Heaan).collect())
            }
        }
    }
}
