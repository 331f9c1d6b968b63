//! Whether an evaluator has what bootstrapping takes, and bootstrappers that are made when they are needed.

use std::sync::Arc;

use super::Bootstrapper;
use crate::circuits::Bootstrappers;
use crate::circuits::bootstrappers::{Bootstrap, evaluator_methods};
use crate::heaan::{Ciphertext, Context, EvaluationKeys, Evaluator};
use crate::{Error, Result};

impl EvaluationKeys {
    /// The numbers of slots (binary logarithms) that the parameters can bootstrap
    /// ([`Parameters::bootstrapping`](crate::heaan::Parameters::bootstrapping)) and for which all keys are there. Keys for one
    /// number of slots may do for others.
    pub fn bootstrapping(&self) -> Vec<u32> {
        self.bootstrappable().collect()
    }

    /// Whether there are any.
    pub fn can_bootstrap(&self) -> bool {
        self.bootstrappable().next().is_some()
    }

    fn bootstrappable(&self) -> impl Iterator<Item = u32> {
        let params = self.params();
        let ready = |&l: &u32| self.is_complete(l) && params.bootstrapping(l).is_ok();
        (0..params.log_n()).filter(ready)
    }

    /// Whether no key for bootstrapping `2^log_slots` slots is missing.
    fn is_complete(&self, log_slots: u32) -> bool {
        self.params().bootstrap_keys(log_slots).is_ok_and(|plan| self.missing(&plan).is_empty())
    }
}

impl Bootstrap for Bootstrapper {
    type Evaluator = Evaluator;
    type Ciphertext = Ciphertext;

    fn prepare(eval: &Evaluator, log_slots: u32, progress: &mut dyn FnMut(usize, usize) -> bool) -> Result<Self> {
        let (spec, _) = eval.context().params().bootstrapping(log_slots)?;
        if !eval.keys().is_complete(log_slots) {
            return Err(Error::missing_bootstrapping(log_slots, &eval.keys().bootstrapping()));
        }
        Self::new(eval.context(), &spec, progress)
    }

    fn log_slots(&self) -> u32 {
        self.spec.log_slots
    }

    fn slots_of(a: &Ciphertext) -> u32 {
        a.log_slots()
    }

    /// At the scale `2^log_p` where the scale of `a` is larger.
    fn run(&self, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap(eval, &eval.settle(a)?)
    }

    fn span(eval: &Evaluator, log_slots: u32, made: Option<&Self>) -> Option<(usize, usize)> {
        let own = || eval.context().params().bootstrapping(log_slots).ok();
        let (spec, budget) = match made {
            _ if !eval.keys().is_complete(log_slots) => return None,
            Some(made) => (made.spec.clone(), made.budget.clone()),
            None => own()?,
        };
        Some((spec.log_q as usize, budget.log_q as usize))
    }

    fn is_due(a: &Ciphertext, bits: usize, (before, after): (usize, usize)) -> bool {
        (before..before + bits).contains(&(a.log_q() as usize)) && before + bits <= after
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
