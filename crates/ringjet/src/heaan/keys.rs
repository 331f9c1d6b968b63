//! Keys that a server holds.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::Buf;

use super::params::{Context, Parameters};
use crate::rlwe::keyswitch::{self, Key};
use crate::rng::PublicSeed;
use crate::{KeyId, Result};

/// A switching key, `(b, a)` with `b = -a s + e + 2^log_q s'` modulo `2^(2 log_q)`, log_q that of the parameters (section
/// II of Jung et al.): it serves every modulus.
///
/// It is kept *prepared*, in the form in which the backend multiplies by it, for every modulus; and b as it is, since at rest a
/// key is b and the seed of a.
#[derive(Clone)]
pub struct SwitchingKey {
    params: Parameters,
    key: KeyId,
    seed: PublicSeed,
    pub(super) half: Arc<Buf>,
    /// Two polynomials: b, a.
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

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The identity of its secret.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed of its uniform half.
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

    fn uncomputed(ctx: &Context, _: Option<usize>) -> Result<Self> {
        // prepared by the backend, whose form has a size of its own
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
