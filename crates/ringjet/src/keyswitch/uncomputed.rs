//! Keys that are never there: their shapes, for backends that compute nothing.

use std::sync::Arc;

use super::{Encapsulation, EvaluationKeys, KeyRequest, SwitchingKey};
use crate::rng::PublicSeed;
use crate::{Context, Error, Result};

impl EvaluationKeys {
    /// Keys as [`SecretKey::evaluation_keys`](crate::SecretKey::evaluation_keys) makes them for `request`, of which only the
    /// shapes are right: to count what a program does on a backend that [computes
    /// nothing](ringjet_backend::Backend::computes).
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes; [`Error::NoBootstrapping`].
    pub fn uncomputed(ctx: &Context, request: &KeyRequest) -> Result<Self> {
        expect_no_values(ctx)?;
        let (params, polys) = (ctx.params(), ctx.key_memory().polys());
        let (plan, seed) = (request.plan(params)?, PublicSeed::from_bytes([0; 32]));
        let key = |level: usize| -> Result<SwitchingKey> {
            let shape = params.key_plan(level);
            let buf = ctx.alloc(polys * shape.beta() * shape.extended.len())?;
            Ok(SwitchingKey::new(ctx, seed, buf, level))
        };
        let mut keys = Self::empty(params);
        for (g, level) in plan.keys() {
            keys.insert(g, key(level)?);
        }
        if plan.ephemeral_weight.is_some() {
            let shape = &params.raising()?.mod_up;
            let to_sparse = Arc::new(ctx.alloc(2 * shape.beta() * shape.extended.len())?);
            keys.encapsulation = Some(Encapsulation { to_sparse, seed, to_dense: key(params.max_level())? });
        }
        Ok(keys)
    }
}

/// Refuses a backend that computes: what has no values must not be computed with.
pub(crate) fn expect_no_values(ctx: &Context) -> Result<()> {
    if !ctx.backend().computes() {
        return Ok(());
    }
    let (value, expected) = (ctx.backend().id().name().to_string(), "one that computes nothing".to_string());
    Err(Error::Argument { name: "backend", value, expected })
}
