//! Generation of switching keys.

use std::collections::BTreeSet;

use ringjet_backend::Buf;
use ringjet_math::big::words;
use zeroize::Zeroizing;

use super::context::SMALL_BITS;
use super::secret::plus;
use super::{Context, EvaluationKeys, Parameters, SecretKey, SwitchingKey};
use crate::rlwe::keyswitch::{KeyPlan, KeyUse, RELINEARIZATION};
use crate::rng::{Seed, gaussian};
use crate::{Error, KeyId, Result};

impl SecretKey {
    /// Makes the keys of `plan`. A key depends on secret, seed and what it is for alone. `progress(done, total)` is called after
    /// each key, and with the same `done` several times while a key is made; it stops the work when it returns false.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::Interrupted`], and what the backend refuses.
    pub fn evaluation_keys(
        &self,
        ctx: &Context,
        plan: &KeyPlan,
        seed: &Seed,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EvaluationKeys> {
        let params = ctx.params();
        let elements = elements(params, plan);
        let s = self.residues(ctx, 2 * params.log_q())?;
        let mut keys = EvaluationKeys::empty(params).with_key(self.key_id());
        let seed = self.purpose(b"ringjet evaluation keys").seed(seed);
        let mut step = |done| if progress(done, elements.len()) { Ok(()) } else { Err(Error::Interrupted) };
        for (done, &element) in elements.iter().enumerate() {
            let from = self.source(ctx, &s, element)?;
            let seed = match element {
                RELINEARIZATION => seed.derive(b"ringjet relinearization key", 0),
                g => seed.derive(b"ringjet galois key", u64::from(g)),
            };
            keys.insert(element, switching_key(ctx, self.key_id(), &from, &s, &seed, &mut || step(done))?);
            step(done + 1)?;
        }
        Ok(keys)
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

/// The Galois elements of a plan's keys, [`RELINEARIZATION`] first. A key serves every modulus: levels do not matter.
pub(super) fn elements(params: &Parameters, plan: &KeyPlan) -> BTreeSet<u32> {
    plan.elements(|purpose| params.key_element(purpose), 0).into_keys().collect()
}

impl Parameters {
    /// The Galois element of a key, or [`RELINEARIZATION`].
    pub(super) fn key_element(&self, purpose: KeyUse) -> u32 {
        match purpose {
            KeyUse::Relinearization => RELINEARIZATION,
            KeyUse::Conjugation => self.conjugation_element(),
            KeyUse::Rotation(steps) => self.rotation_element(steps),
        }
    }
}

/// `(-a s + e + 2^log_q from, a)` modulo `2^(2 log_q)`, prepared.
fn switching_key(
    ctx: &Context,
    id: KeyId,
    from: &Buf,
    s: &Buf,
    seed: &Seed,
    check: &mut dyn FnMut() -> Result<()>,
) -> Result<SwitchingKey> {
    let params = ctx.params();
    let (log_q, bits) = (params.log_q(), 2 * params.log_q());
    let public = seed.derive_public(b"a", 0);
    let mut key = ctx.alloc_big(2, bits)?;
    ctx.expand_into(&mut key, words(bits), &public, bits)?;
    check()?;
    let masked = ctx.masked(key.view(2).poly(1), bits, s, Some((log_q, from)))?;
    check()?;
    let mut errors = Zeroizing::new(vec![0i8; params.n()]);
    gaussian(&seed.derive(b"e", 0), &mut errors);
    let e = ctx.small_poly(&errors)?;
    let terms = [plus(e.view(1), SMALL_BITS), plus(masked.view(1), bits)];
    ctx.backend().big_lincomb(key.view_mut(2).poly(0), &terms, bits, false)?;
    check()?;
    SwitchingKey::prepared(ctx, id, public, &key)
}
