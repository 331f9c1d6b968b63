//! Exact schemes do not bootstrap here: what their users are told instead.

use super::bootstrappers::{Bootstraps, Observer};
use crate::bgv::{Ciphertext, Context, Evaluator, Parameters};
use crate::rlwe::keyswitch::KeyPlan;
use crate::{Error, Result};

/// The bootstrapper of a scheme that has none: there is no value of this type.
#[derive(Debug)]
pub enum NoBootstrapper {}

impl Parameters {
    /// Fails with [`Error::NoBootstrapping`].
    pub(crate) fn bootstrap_keys(&self, _: u32) -> Result<KeyPlan> {
        Err(self.no_bootstrapping())
    }

    fn no_bootstrapping(&self) -> Error {
        let instead = "ringjet bootstraps CKKS and HEAAN only; take parameters with more levels".into();
        Error::NoBootstrapping { params: format!("{self:?}"), instead }
    }
}

impl Bootstraps for Parameters {
    type Bootstrapper = NoBootstrapper;

    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys(log_slots)
    }

    fn prepare(ctx: &Context, _: u32, _: Observer<'_>) -> Result<NoBootstrapper> {
        Err(ctx.params().no_bootstrapping())
    }

    fn log_slots(made: &NoBootstrapper) -> u32 {
        match *made {}
    }

    fn run(made: &NoBootstrapper, _: &Evaluator, _: &Ciphertext) -> Result<Ciphertext> {
        match *made {}
    }

    fn span(_: &Evaluator, _: u32, _: Option<&NoBootstrapper>) -> Option<(usize, usize)> {
        None
    }

    fn is_due(_: &Ciphertext, _: usize, _: (usize, usize)) -> bool {
        false
    }
}
