//! Programs on the model.

use std::sync::Arc;

use ringjet::{Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, Parameters};
use ringjet_model::{CountingBackend, Trace};

use crate::Result;

/// The level that a program's input is at.
pub fn level(params: &Parameters) -> usize {
    params.bootstrap().map_or(params.top_level(), |b| b.input_level())
}

/// What `run` asks a machine for, its matrices made before.
pub fn trace(
    params: &Parameters,
    request: &KeyPlan,
    run: impl Fn(&Evaluator, &Ciphertext) -> ringjet::Result<()>,
) -> Result<Trace> {
    let model = Arc::new(CountingBackend::default());
    let ctx = Context::new(params, model.clone());
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(EvaluationKeys::uncomputed(&ctx, request)?))?;
    let log_slots = params.log_n() - 1;
    prepare(&eval, log_slots)?;
    let input = Ciphertext::uncomputed(&ctx, level(params), log_slots)?;
    model.take();
    run(&eval, &input)?;
    Ok(model.take())
}

/// Matrices are not part of what is timed.
pub fn prepare(eval: &Evaluator, log_slots: u32) -> Result<()> {
    if eval.can_bootstrap() {
        eval.bootstrapper(log_slots)?;
    }
    Ok(())
}
