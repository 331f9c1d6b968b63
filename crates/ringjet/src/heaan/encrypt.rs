//! Making public keys, switching keys and ciphertexts, with a secret or a public key.

use ringjet_backend::{BigTerm, Buf};
use ringjet_math::big::words;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::ciphertext::Position;
use super::context::{SMALL_BITS, plus};
use super::{Ciphertext, Context, EvaluationKeys, Plaintext, PublicKey, SecretKey, SwitchingKey, noise};
#[cfg(doc)]
use crate::Error;
use crate::rlwe::keyswitch::{Check, KeyPlan, Progress, RELINEARIZATION};
use crate::rng::{PublicSeed, Seed, gaussian, ternary};
use crate::{KeyId, Result};

impl SecretKey {
    /// The coefficients of the secret modulo `2^SMALL_BITS`, in a buffer that is wiped.
    pub(super) fn poly(&self, ctx: &Context) -> Result<Buf> {
        ctx.params().expect_same("secret key", self.params())?;
        ctx.small_poly(&self.coefficients)
    }

    /// The secret as residues, for products with integers of `bits` bits and one more summand.
    pub(super) fn residues(&self, ctx: &Context, bits: u32) -> Result<Buf> {
        let primes = ctx.params().primes_for(bits, SMALL_BITS, 2)?;
        ctx.residues(self.poly(ctx)?.view(1), SMALL_BITS, primes)
    }

    /// Encrypts modulo `2^log_q` of [the plaintext](Plaintext::at), as `(m + e - a * s, a)`. The
    /// polynomial a is expanded from a public seed. The ciphertext keeps the seed, so its bytes
    /// hold one polynomial only. Seeds are bound to plaintexts as for
    /// [`crate::SecretKey::encrypt`].
    ///
    /// # Errors
    /// [`Error::Argument`] for a modulus above the parameters'; [`Error::ModulusExhausted`] where
    /// the scale leaves no room; [`Error::TooLarge`]; [`Error::ParameterMismatch`].
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        let _scope = ctx.scope("Encrypt");
        let log_q = plaintext.log_q();
        plaintext.expect_fit(ctx)?;
        let range = plaintext.stated_range()?;
        let s = self.residues(ctx, log_q)?;
        let purpose = self.purpose(b"ringjet ciphertext");
        let seed = &purpose.seed_of(seed, &log_q.to_le_bytes(), |out| plaintext.write_to(ctx, out))?;
        let labels = [&b"ringjet ciphertext a"[..], b"ringjet ciphertext e"];
        let message = Some(plaintext.term());
        let parts = Parts { bits: log_q, labels, plus: None, message };
        let (public, buf) = encrypt_zero(ctx, parts, &s, seed, &mut || Ok(()))?;
        let error = (noise::fresh_secret(ctx.params(), plaintext.log_slots()), public.as_bytes()[0]);
        let made = Ciphertext::fresh(plaintext, buf, Position::new(log_q, plaintext.log_scale()), error, range);
        Ok(made.with_key(self.key_id()).fits("encrypt")?.with_seed(public))
    }
}

impl PublicKey {
    /// Makes the public key of `secret`, `(-a * s + e, a)` modulo `2^log_q` of the parameters. The
    /// same secret and seed give the same key.
    /// Fails with [`crate::Error::ParameterMismatch`], and what the backend refuses.
    pub fn generate(ctx: &Context, secret: &SecretKey, seed: &Seed) -> Result<Self> {
        let bits = ctx.params().log_q();
        let s = secret.residues(ctx, bits)?;
        let seed = secret.purpose(b"ringjet public key").seed(seed);
        let labels = [&b"ringjet public key a"[..], b"ringjet public key e"];
        let parts = Parts { bits, labels, plus: None, message: None };
        let (public, buf) = encrypt_zero(ctx, parts, &s, &seed, &mut || Ok(()))?;
        Ok(Self::from_buf(ctx, secret.key_id(), public, buf))
    }

    /// Encrypts modulo `2^log_q` of [the plaintext](Plaintext::at), as `v * (b, a) + (m + e_0,
    /// e_1)`. The coefficients of v are uniform in {-1, 0, 1}. Seeds are bound to plaintexts as for
    /// [`crate::SecretKey::encrypt`]. Fails as [`SecretKey::encrypt`] does.
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        let _scope = ctx.scope("Encrypt");
        let (params, log_q) = (ctx.params(), plaintext.log_q());
        params.expect_same("public key", self.params())?;
        plaintext.expect_fit(ctx)?;
        let range = plaintext.stated_range()?;
        // bound to this key's uniform half: two keys of one secret must not meet the same errors
        let bound = [&self.seed().as_bytes()[..], &log_q.to_le_bytes()].concat();
        let seed = &self.purpose().seed_of(seed, &bound, |out| plaintext.write_to(ctx, out))?;
        let key = ctx.combine(2, &[plus(self.view(), params.log_q())], log_q)?;
        let mut small = Zeroizing::new(zeros::<i8>(params.n())?);
        ternary(&seed.derive(b"ringjet encryption v", 0), &mut small);
        let v = ctx.small_poly(&small)?;
        let primes = params.primes_for(log_q, SMALL_BITS, 2)?;
        let v = ctx.residues(v.view(1), SMALL_BITS, primes)?;
        let masked = ctx.masked(key.view(2), log_q, &v, None)?;
        let mut buf = ctx.alloc_big(2, log_q)?;
        for part in 0..2 {
            gaussian(&seed.derive(b"ringjet encryption e", part as u64), &mut small);
            let e = ctx.small_poly(&small)?;
            let product = BigTerm { factor: -1, ..plus(masked.view(2).poly(part), log_q) };
            let terms = [product, plus(e.view(1), SMALL_BITS), plaintext.term()];
            ctx.backend().big_lincomb(buf.view_mut(2).poly(part), &terms[..3 - part], log_q, false)?;
        }
        let source = seed.derive_public(b"ringjet encryption source", 0).as_bytes()[0];
        let error = (noise::fresh_public(params, plaintext.log_slots()), source);
        let made = Ciphertext::fresh(plaintext, buf, Position::new(log_q, plaintext.log_scale()), error, range);
        made.with_key(self.key_id()).fits("encrypt")
    }
}

/// What [`encrypt_zero`] adds to an encryption of zero, and how.
pub(super) struct Parts<'a> {
    pub(super) bits: u32,
    pub(super) labels: [&'static [u8]; 2],
    /// A shift and residues: `2^shift` times the residues is added to the first polynomial.
    pub(super) plus: Option<(u32, &'a Buf)>,
    pub(super) message: Option<BigTerm<'a>>,
}

/// `(e - a * s, a)` modulo `2^bits`, plus `plus` and `message` in the first polynomial, and the
/// seed from which a is expanded. `s` is the secret as residues. `check` is called between the
/// steps and stops the work by an error.
pub(super) fn encrypt_zero(
    ctx: &Context,
    parts: Parts<'_>,
    s: &Buf,
    seed: &Seed,
    check: Check<'_>,
) -> Result<(PublicSeed, Buf)> {
    let Parts { bits, labels, plus: more, message } = parts;
    let public = seed.derive_public(labels[0], 0);
    let mut buf = ctx.alloc_big(2, bits)?;
    ctx.expand_into(&mut buf, words(bits), &public, bits)?;
    check()?;
    let masked = ctx.masked(buf.view(2).poly(1), bits, s, more)?;
    check()?;
    let mut errors = Zeroizing::new(zeros::<i8>(ctx.params().n())?);
    gaussian(&seed.derive(labels[1], 0), &mut errors);
    let e = ctx.small_poly(&errors)?;
    let mut terms: Vec<BigTerm<'_>> = message.into_iter().collect();
    terms.extend([plus(e.view(1), SMALL_BITS), plus(masked.view(1), bits)]);
    ctx.backend().big_lincomb(buf.view_mut(2).poly(0), &terms, bits, false)?;
    check()?;
    Ok((public, buf))
}

impl SecretKey {
    /// Makes the keys of `plan`. A key depends only on the secret, the seed and the key's purpose.
    /// `progress(done, total)` is called after each key, and several times with the same `done`
    /// while a key is made. The work stops when `progress` returns false.
    /// Fails with [`crate::Error::ParameterMismatch`], [`crate::Error::Interrupted`], and what the
    /// backend refuses.
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

    /// The polynomial that a key switches from, as residues: `s^2`, or `s(X^g)` for Galois element
    /// g.
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
        ctx.residues(moved.view(1), SMALL_BITS, primes)
    }
}

/// `(-a * s + e + 2^log_q * from, a)` modulo `2^(2 * log_q)`, prepared for products.
fn switching_key(ctx: &Context, id: KeyId, from: &Buf, s: &Buf, seed: &Seed, check: Check<'_>) -> Result<SwitchingKey> {
    let log_q = ctx.params().log_q();
    let parts = Parts { bits: 2 * log_q, labels: [b"a", b"e"], plus: Some((log_q, from)), message: None };
    let (public, key) = encrypt_zero(ctx, parts, s, seed, check)?;
    SwitchingKey::prepared(ctx, id, public, &key)
}
