//! Keys that a server holds.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::Buf;

use super::params::{Context, Parameters};
use crate::rlwe::keyswitch::{self, Key};
use crate::rng::PublicSeed;
use crate::{KeyId, Result};

/// A switching key from s', `(b, a)` with `b = -a * s + e + 2^log_q * s'` modulo `2^(2 * log_q)`.
/// Here `log_q` is that of the parameters, so one key serves every modulus (section II of Jung et
/// al., "HEAAN Demystified").
///
/// The key is kept *prepared*, in the form in which the backend multiplies by it. The plain b is
/// kept, too, because the bytes of a key are b and the seed of a.
#[derive(Clone)]
pub struct SwitchingKey {
    params: Parameters,
    key: KeyId,
    seed: PublicSeed,
    pub(super) half: Arc<Buf>,
    /// The prepared polynomials b and a.
    pub(super) prepared: Arc<Buf>,
}

impl SwitchingKey {
    pub(super) fn prepared(ctx: &Context, id: KeyId, seed: PublicSeed, key: &Buf) -> Result<Self> {
        let (params, bits) = (ctx.params().clone(), 2 * ctx.params().log_q());
        let prepared = ctx.backend().big_prepare(key.view(2), &ctx.split(params.basis().len(), bits))?;
        let mut half = ctx.alloc_big(1, bits)?;
        ctx.backend().copy(half.view_mut(1), key.view(2).poly(0))?;
        Ok(Self { params, key: id, seed, half: Arc::new(half), prepared: Arc::new(prepared) })
    }

    /// The parameters of the key.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The identity of the key's secret.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed from which the uniform polynomial a is expanded.
    pub fn seed(&self) -> &PublicSeed {
        &self.seed
    }
}

impl Key for SwitchingKey {
    type Params = Parameters;

    fn level(&self) -> usize {
        0
    }

    fn memory_bytes(&self) -> usize {
        (self.half.limbs() + self.prepared.limbs()) * self.params.n() * 8
    }

    fn up_to(&self, _: usize) -> Result<Self> {
        Ok(self.clone())
    }

    fn uncomputed(ctx: &Context, _: Option<usize>) -> Result<Self> {
        // the backend prepares it, so that the size is right
        let key = ctx.alloc_big(2, 2 * ctx.params().log_q())?;
        Self::prepared(ctx, KeyId::ANY, PublicSeed::from_bytes([0; 32]), &key)
    }
}

impl fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heaan::SwitchingKey({} bits, {} primes)", 2 * self.params.log_q(), self.params.basis().len())
    }
}

/// The keys that a server computes with on HEAAN's ciphertexts.
pub type EvaluationKeys = keyswitch::EvaluationKeys<SwitchingKey>;
