//! Keys of which only the shapes are right, for backends that compute nothing.

use ringjet_backend::Backend;

use super::{EvaluationKeys, Key, KeyPlan, RELINEARIZATION};
use crate::rlwe::Context;
use crate::{Error, Result};

impl<K: Key> EvaluationKeys<K> {
    /// Keys as `SecretKey::evaluation_keys` makes them by `plan`, of which only the shapes are right: to count what a program
    /// does on a backend that [computes nothing](ringjet_backend::Meter::counts_only).
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`] and [`Error::NoBootstrapping`] for a plan that
    /// was made for other parameters.
    pub fn uncomputed(ctx: &Context<K::Params>, plan: &KeyPlan) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let mut keys = Self::empty(ctx.params());
        for (element, level) in plan.elements(ctx.params()) {
            keys.insert(element, K::uncomputed(ctx, Some(level))?);
        }
        if plan.ephemeral_weight().is_some() {
            let made = K::uncomputed_encapsulation(ctx)?;
            keys.encapsulation = Some(made.ok_or_else(|| Error::no_bootstrapping(ctx.params()))?);
        }
        Ok(keys)
    }

    /// Keys for everything: relinearisation, every rotation, conjugation, and bootstrapping where the parameters have it.
    /// One shape stands for all Galois keys, so its memory says nothing. Fails with [`Error::Argument`] where the backend
    /// computes.
    pub fn uncomputed_for_all(ctx: &Context<K::Params>) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let mut keys = Self::empty(ctx.params());
        keys.insert(RELINEARIZATION, K::uncomputed(ctx, None)?);
        keys.any_galois = Some(K::uncomputed(ctx, None)?);
        keys.encapsulation = K::uncomputed_encapsulation(ctx)?;
        Ok(keys)
    }
}

/// Refuses a backend that computes: what has no values must not be computed with.
pub(crate) fn expect_no_values(backend: &dyn Backend) -> Result<()> {
    if !backend.computes() {
        return Ok(());
    }
    let (value, expected) = (backend.id().name().to_string(), "one that computes nothing".to_string());
    Err(Error::Argument { name: "backend", value, expected })
}
