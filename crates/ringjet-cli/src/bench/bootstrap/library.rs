//! The library's own order of computation, from which only the feature `papers` can leave something
//! out.

use std::sync::Arc;

pub use ringjet::Evaluator;
use ringjet::{Bootstrapper, Context, KeyPlan, Parameters, Result};
use ringjet_backend::Backend;

pub struct Left;

impl Left {
    pub fn key_plan(&self, params: &Parameters, log_slots: u32) -> Result<KeyPlan> {
        Bootstrapper::key_plan(params, log_slots)
    }

    pub fn evaluator(&self, eval: Evaluator) -> Evaluator {
        eval
    }

    pub fn bootstrapper(&self, ctx: &Context, log_slots: u32) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, log_slots, |_, _| true)
    }

    pub fn backend(&self, backend: Arc<dyn Backend>) -> Arc<dyn Backend> {
        backend
    }
}
