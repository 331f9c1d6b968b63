//! HEAAN as a scheme that bootstraps.

use super::Bootstrapper;
use crate::Result;
use crate::circuits::bootstrappers::{Bootstraps, Progress};
use crate::heaan::{BootstrapSpec, Budget, Ciphertext, Context, Evaluator, Parameters};
use crate::rlwe::keyswitch::KeyPlan;

impl Bootstraps for Parameters {
    type Bootstrapper = Bootstrapper;

    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys(log_slots)
    }

    /// Whether [`Parameters::bootstrapping`] wins anything.
    fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        self.bootstrapping(log_slots).map(|_| ())
    }

    fn prepare(ctx: &Context, log_slots: u32, progress: Progress<'_>) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, &ctx.params().bootstrapping(log_slots)?.0, progress)
    }

    fn log_slots(made: &Bootstrapper) -> u32 {
        made.spec.log_slots
    }

    /// At the scale `2^log_p` where the scale of `a` is larger.
    fn run(made: &Bootstrapper, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        made.bootstrap(eval, &eval.settle(a)?)
    }

    fn span(eval: &Evaluator, log_slots: u32, made: Option<&Bootstrapper>) -> Option<(usize, usize)> {
        if !eval.keys().is_complete(log_slots) {
            return None;
        }
        let span = |spec: &BootstrapSpec, budget: &Budget| (spec.log_q as usize, budget.log_q as usize);
        match made {
            Some(made) => Some(span(&made.spec, &made.budget)),
            None => eval.context().params().bootstrapping(log_slots).ok().map(|(spec, budget)| span(&spec, &budget)),
        }
    }

    fn is_due(a: &Ciphertext, bits: usize, (before, after): (usize, usize)) -> bool {
        (before..before + bits).contains(&(a.log_q() as usize)) && before + bits <= after
    }
}
