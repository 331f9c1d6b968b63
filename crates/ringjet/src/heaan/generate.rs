//! Generation of switching keys.

use ringjet_backend::Buf;

use super::context::SMALL_BITS;
use super::secret::{Parts, encrypt_zero};
use super::{Context, EvaluationKeys, SecretKey, SwitchingKey};
use crate::rlwe::keyswitch::{Check, KeyPlan, Progress, RELINEARIZATION};
use crate::rng::Seed;
use crate::{KeyId, Result};

impl SecretKey {
    /// Makes the keys of `plan`. A key depends on secret, seed and what it is for alone. `progress(done, total)` is called after
    /// each key, and with the same `done` several times while a key is made; it stops the work when it returns false.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`], [`crate::Error::Interrupted`], and what the backend refuses.
    pub fn evaluation_keys(
        &self,
        ctx: &Context,
        plan: &KeyPlan,
        seed: &Seed,
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EvaluationKeys> {
        let params = ctx.params();
        let elements = plan.elements(params);
        let s = self.residues(ctx, 2 * params.log_q())?;
        let seed = self.purpose(b"ringjet evaluation keys").seed(seed);
        let mut progress = Progress::new(elements.len(), progress);
        EvaluationKeys::generate(params, self.key_id(), elements, &mut progress, |element, _, progress| {
            let from = self.source(ctx, &s, element)?;
            let seed = match element {
                RELINEARIZATION => seed.derive(b"ringjet relinearization key", 0),
                g => seed.derive(b"ringjet galois key", u64::from(g)),
            };
            switching_key(ctx, self.key_id(), &from, &s, &seed, &mut || progress.check())
        })
    }

    /// What a key leads from, as residues: `s^2`, or `s(X^g)`.
    fn source(&self, ctx: &Context, s: &Buf, element: u32) -> Result<Buf> {
        let (b, primes) = (ctx.backend(), s.limbs());
        if element == RELINEARIZATION {
            let mut square = ctx.alloc(primes)?.into_secret();
            b.mul(square.view_mut(1), s.view(1), s.view(1), &ctx.params().basis().prefix(primes), false)?;
            return Ok(square);
        }
        let mut moved = ctx.alloc(1)?.into_secret();
        let plan = ctx.params().automorphism(element);
        b.big_automorphism(moved.view_mut(1), self.poly(ctx)?.view(1), SMALL_BITS, &plan)?;
        ctx.secret_residues(moved.view(1), SMALL_BITS, primes)
    }
}

/// `(-a s + e + 2^log_q from, a)` modulo `2^(2 log_q)`, prepared.
fn switching_key(ctx: &Context, id: KeyId, from: &Buf, s: &Buf, seed: &Seed, check: Check<'_>) -> Result<SwitchingKey> {
    let log_q = ctx.params().log_q();
    let parts = Parts { bits: 2 * log_q, labels: [b"a", b"e"], plus: Some((log_q, from)), message: None };
    let (public, key) = encrypt_zero(ctx, parts, s, seed, check)?;
    SwitchingKey::prepared(ctx, id, public, &key)
}
