//! CKKS as a scheme that bootstraps.

use super::Bootstrapper;
use crate::circuits::bootstrappers::{Bootstraps, Progress};
use crate::rlwe::keyswitch::KeyPlan;
use crate::{Ciphertext, Context, Evaluator, Parameters, Result};

impl Bootstraps for Parameters {
    type Bootstrapper = Bootstrapper;

    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys(log_slots)
    }

    fn prepare(ctx: &Context, log_slots: u32, progress: Progress<'_>) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, log_slots, progress)
    }

    fn log_slots(made: &Bootstrapper) -> u32 {
        made.log_slots
    }

    fn run(made: &Bootstrapper, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        made.bootstrap(eval, a)
    }

    fn span(eval: &Evaluator, _: u32, _: Option<&Bootstrapper>) -> Option<(usize, usize)> {
        let params = eval.context().params();
        let boot = params.bootstrap().filter(|_| eval.keys().has_ephemeral())?;
        Some((boot.input_level(), boot.output_level(params.top_level())))
    }

    fn is_due(a: &Ciphertext, levels: usize, (before, after): (usize, usize)) -> bool {
        a.level() < before + levels && levels <= after - before
    }
}
