//! Shape-only keys, for backends that compute nothing.

use std::sync::Arc;

use ringjet_backend::Backend;

use super::{Encapsulation, EvaluationKeys, KeyPlan, RELINEARIZATION, SwitchingKey};
use crate::rlwe::{ChainParameters, Context, KeyId};
use crate::rng::PublicSeed;
use crate::{Error, Result};

impl<P: ChainParameters> EvaluationKeys<SwitchingKey<P>> {
    /// Keys as [`SecretKey::evaluation_keys`](crate::SecretKey::evaluation_keys) makes them by `plan`, of which only the
    /// shapes are right: to count what a program does on a backend that [computes
    /// nothing](ringjet_backend::Meter::counts_only).
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`] and [`Error::NoBootstrapping`] for a plan that
    /// was made for other parameters.
    pub fn uncomputed(ctx: &Context<P>, plan: &KeyPlan) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let mut keys = Self::empty(ctx.params());
        for (g, level) in plan.levels(ctx.params())? {
            keys.insert(g, uncomputed_key(ctx, level)?);
        }
        keys.encapsulation = plan.ephemeral_weight().map(|_| uncomputed_encapsulation(ctx)).transpose()?;
        Ok(keys)
    }

    /// Keys for everything: relinearisation, every rotation, conjugation, and bootstrapping where the parameters have it.
    /// One shape stands for all Galois keys, so its memory says nothing.
    /// Fails with [`Error::Argument`] where the backend computes.
    pub fn uncomputed_for_all(ctx: &Context<P>) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let (params, mut keys) = (ctx.params(), Self::empty(ctx.params()));
        keys.insert(RELINEARIZATION, uncomputed_key(ctx, params.max_level())?);
        keys.any_galois = Some(uncomputed_key(ctx, params.max_level())?);
        keys.encapsulation = params.bootstraps().then(|| uncomputed_encapsulation(ctx)).transpose()?;
        Ok(keys)
    }
}

fn uncomputed_key<P: ChainParameters>(ctx: &Context<P>, level: usize) -> Result<SwitchingKey<P>> {
    let shape = ctx.params().key_plan(level);
    let buf = ctx.alloc(ctx.key_memory().polys() * shape.beta() * shape.extended.len())?;
    Ok(SwitchingKey::new(ctx, KeyId::ANY, PublicSeed::from_bytes([0; 32]), buf, level))
}

fn uncomputed_encapsulation<P: ChainParameters>(ctx: &Context<P>) -> Result<Encapsulation<SwitchingKey<P>>> {
    let params = ctx.params();
    let shape = &params.raising()?.mod_up;
    let to_sparse = Arc::new(ctx.alloc(2 * shape.beta() * shape.extended.len())?);
    let to_dense = uncomputed_key(ctx, params.max_level())?;
    Ok(Encapsulation { to_sparse, seed: PublicSeed::from_bytes([0; 32]), to_dense })
}

/// Refuses a backend that computes: what has no values must not be computed with.
pub(crate) fn expect_no_values(backend: &dyn Backend) -> Result<()> {
    if !backend.computes() {
        return Ok(());
    }
    let (value, expected) = (backend.id().name().to_string(), "one that computes nothing".to_string());
    Err(Error::Argument { name: "backend", value, expected })
}
