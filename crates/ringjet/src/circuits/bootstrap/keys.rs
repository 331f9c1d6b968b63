//! Whether an evaluator has what bootstrapping takes, and bootstrappers that are made when they are needed.

use std::sync::Arc;

use super::Bootstrapper;
use crate::circuits::Bootstrappers;
use crate::circuits::bootstrappers::{Bootstrap, evaluator_methods};
use crate::{Ciphertext, Context, Error, EvaluationKeys, Evaluator, Result};

impl EvaluationKeys {
    /// Whether there are keys to bootstrap with.
    pub fn can_bootstrap(&self) -> bool {
        self.has_ephemeral()
    }

    /// The numbers of slots (binary logarithms) for which all keys of bootstrapping are there.
    pub fn bootstrapping(&self) -> Vec<u32> {
        let complete = |log_slots| {
            Bootstrapper::key_plan(self.params(), log_slots).is_ok_and(|plan| self.missing(&plan).is_empty())
        };
        (0..self.params().log_n()).filter(|&log_slots| self.can_bootstrap() && complete(log_slots)).collect()
    }

    /// Refuses where keys to bootstrap `2^log_slots` slots are missing, and says for which numbers there are some.
    ///
    /// # Errors
    /// [`Error::MissingBootstrappingKeys`], [`Error::BootstrappingSlots`].
    pub fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        let available = self.bootstrapping();
        if available.contains(&log_slots) { Ok(()) } else { Err(Error::missing_bootstrapping(log_slots, &available)) }
    }
}

impl Bootstrap for Bootstrapper {
    type Evaluator = Evaluator;
    type Ciphertext = Ciphertext;

    fn prepare(eval: &Evaluator, log_slots: u32, progress: &mut dyn FnMut(usize, usize) -> bool) -> Result<Self> {
        eval.keys().encapsulation()?;
        eval.keys().expect_bootstrapping(log_slots)?;
        Self::new(eval.context(), log_slots, progress)
    }

    fn log_slots(&self) -> u32 {
        self.log_slots
    }

    fn slots_of(a: &Ciphertext) -> u32 {
        a.log_slots()
    }

    fn run(&self, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap(eval, a)
    }

    fn span(eval: &Evaluator, _: u32, _: Option<&Self>) -> Option<(usize, usize)> {
        let params = eval.context().params();
        let boot = params.bootstrap().filter(|_| eval.keys().can_bootstrap())?;
        Some((boot.input_level(), boot.output_level(params.top_level())))
    }

    fn is_due(a: &Ciphertext, levels: usize, (before, after): (usize, usize)) -> bool {
        a.level() < before + levels && levels <= after - before
    }
}

impl Bootstrapper {
    /// An evaluator that bootstraps by itself, where the keys for it are there.
    ///
    /// # Errors
    /// As [`Evaluator::new`].
    pub fn evaluator(ctx: &Context, keys: Arc<EvaluationKeys>) -> Result<Evaluator> {
        Ok(Evaluator::new(ctx, keys)?.with_refresh(Arc::new(Bootstrappers::<Self>::default())))
    }
}

evaluator_methods!(Evaluator, Bootstrapper, Ciphertext);
