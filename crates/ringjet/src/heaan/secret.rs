//! The secret key, what it encrypts and what it reads.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{BigTerm, Buf, View};
use zeroize::Zeroizing;

use super::context::SMALL_BITS;
use super::{Ciphertext, Context, Parameters, Plaintext, Secret, noise};
use crate::ckks::Values;
use crate::noise::Sources;
use crate::rlwe::{Answers, Sharing};
use crate::rng::purpose::Purpose;
use crate::rng::{Seed, flooding_gaussian, gaussian, sparse_ternary, ternary};
use crate::{Error, KeyId, Noise, Result};

/// A secret with coefficients in {-1, 0, 1}. It is wiped when dropped, prints nothing, and lives in the client's memory only.
pub struct SecretKey {
    params: Parameters,
    key: KeyId,
    coefficients: Zeroizing<Vec<i8>>,
    answers: Answers,
}

impl SecretKey {
    /// A fresh secret from the operating system's randomness.
    ///
    /// # Errors
    /// [`Error::Rng`].
    pub fn generate(params: &Parameters) -> Result<Self> {
        Self::from_seed(params, &Seed::from_os()?)
    }

    /// The secret of a seed: the same seed and parameters give the same key, other parameters give one that has nothing to
    /// do with it. For reproducible tests; keep such seeds secret.
    ///
    /// # Errors
    /// [`Error::Rng`].
    pub fn from_seed(params: &Parameters, seed: &Seed) -> Result<Self> {
        let purpose = Purpose { kind: b"ringjet secret key", fingerprint: params.fingerprint(), key: KeyId::ANY };
        let seed = purpose.seed(seed);
        let key = KeyId::of_secret(&seed);
        let mut coefficients = Zeroizing::new(vec![0; params.n()]);
        let seed = seed.derive(b"ringjet secret coefficients", 0);
        match params.spec().secret {
            Secret::Ternary => ternary(&seed, &mut coefficients),
            Secret::Weight(weight) => sparse_ternary(&seed, weight as usize, &mut coefficients)?,
        }
        Ok(Self::from_coefficients(params, key, coefficients, 0))
    }

    /// From N coefficients in {-1, 0, 1}, after so many shared decryptions.
    pub(crate) fn from_coefficients(
        params: &Parameters,
        key: KeyId,
        coefficients: Zeroizing<Vec<i8>>,
        answers: u64,
    ) -> Self {
        Self { params: params.clone(), key, coefficients, answers: Answers::after(answers) }
    }

    /// How many decryptions were shared under this key: by this object, and before it was written and read.
    pub fn answers_given(&self) -> u64 {
        self.answers.given()
    }

    pub(crate) fn coefficients(&self) -> &[i8] {
        &self.coefficients
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// Its identity, which everything that belongs to it carries.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// What a seed is used for, of objects that belong to this secret.
    pub(super) fn purpose(&self, kind: &'static [u8]) -> Purpose<'_> {
        Purpose { kind, fingerprint: self.params.fingerprint(), key: self.key }
    }

    /// The coefficients, modulo `2^SMALL_BITS`, in a buffer that is wiped.
    pub(super) fn poly(&self, ctx: &Context) -> Result<Buf> {
        ctx.params().expect_same("secret key", &self.params)?;
        ctx.small_poly(&self.coefficients)
    }

    /// The secret as residues, for products with integers of `bits` bits and one more summand.
    pub(super) fn residues(&self, ctx: &Context, bits: u32) -> Result<Buf> {
        let primes = ctx.params().primes_for(bits, SMALL_BITS, 2)?;
        ctx.secret_residues(self.poly(ctx)?.view(1), SMALL_BITS, primes)
    }

    /// Encrypts modulo `2^log_q` of [the plaintext](Plaintext::at): `(m + e - a s, a)`. The second half comes from a public seed that the ciphertext
    /// remembers, so that its bytes take half the room. Seeds are bound to plaintexts as for
    /// [`crate::SecretKey::encrypt`].
    ///
    /// # Errors
    /// [`Error::Argument`] for a modulus above the parameters'; [`Error::ModulusExhausted`] where the scale leaves no room;
    /// [`Error::TooLarge`]; [`Error::ParameterMismatch`].
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        let _scope = ctx.scope("Encrypt");
        let (params, log_q) = (ctx.params(), plaintext.log_q());
        plaintext.expect_fit(ctx)?;
        let range = plaintext.stated_range()?;
        let s = self.residues(ctx, log_q)?;
        let purpose = self.purpose(b"ringjet ciphertext");
        let seed = &purpose.seed_of(seed, &log_q.to_le_bytes(), |out| crate::wire::hash_to(plaintext, ctx, out))?;
        let public = seed.derive_public(b"ringjet ciphertext a", 0);
        let mut buf = ctx.alloc_big(2, log_q)?;
        ctx.expand_into(&mut buf, ringjet_math::big::words(log_q), &public, log_q)?;
        let masked = ctx.masked(buf.view(2).poly(1), log_q, &s, None)?;
        let mut errors = Zeroizing::new(vec![0i8; params.n()]);
        gaussian(&seed.derive(b"ringjet ciphertext e", 0), &mut errors);
        let e = ctx.small_poly(&errors)?;
        let terms =
            [plus(plaintext.view(), plaintext.bits()), plus(e.view(1), SMALL_BITS), plus(masked.view(1), log_q)];
        ctx.backend().big_lincomb(buf.view_mut(2).poly(0), &terms, log_q, false)?;
        let (error, sources) = (noise::fresh_secret(params, plaintext.log_slots()), Sources::one(public.as_bytes()[0]));
        let noise = Noise::new(error, range, noise::scale(plaintext.log_scale()), sources);
        let made = Ciphertext::new(ctx, buf, log_q, plaintext.log_scale(), plaintext.log_slots(), noise);
        Ok(made.with_key(self.key).fits("encrypt")?.with_seed(public))
    }

    /// The plaintext `b + a s`, noise included, of as many bits as the ciphertext's modulus has. Its exact value can leak the
    /// key to whoever chose the ciphertext (Li and Micciancio, 2020/1533): for the key's owner only.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn decrypt(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Plaintext> {
        let buf = self.inner(ctx, ciphertext, None)?;
        let (bits, log_scale) = (ciphertext.log_q(), ciphertext.log_scale());
        let range = ciphertext.noise().range();
        Ok(Plaintext::from_buf(ctx, Arc::new(buf), bits, log_scale, ciphertext.log_slots(), range))
    }

    /// Decrypts and decodes: for the key's owner.
    ///
    /// # Errors
    /// As [`SecretKey::decrypt`] and [`Plaintext::decode`]; [`Error::Garbage`] where the ciphertext cannot be an encryption,
    /// under this key, of values within their stated magnitudes.
    pub fn decrypt_values(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Values> {
        self.decrypt(ctx, ciphertext)?.decode_checked(ctx, Some(ciphertext.noise().size_log2()))
    }

    /// Decrypts for a result that leaves its owner's hands, as [`crate::SecretKey::decrypt_for_sharing`] does.
    ///
    /// # Errors
    /// As there.
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context,
        ciphertext: &Ciphertext,
        plan: &Ciphertext,
        bits: u32,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values> {
        self.key.join("ciphertext", ciphertext.key_id())?;
        let params = ctx.params();
        params.expect_same("plan", plan.params())?;
        let shape = |ct: &Ciphertext| (ct.log_q(), ct.log_scale(), ct.log_slots());
        if shape(ciphertext) != shape(plan) {
            let reason =
                format!("the plan is for {plan:?}, and this is {ciphertext:?}; make a plan of what was computed");
            return Err(Error::NotSharable { reason });
        }
        let (log_q, log_scale, log_slots) = shape(plan);
        let log_sigma = sharing.flood(plan.noise(), log_scale.into(), log_q.into(), log_slots, bits)?;
        self.decrypt(ctx, ciphertext)?.decode_checked(ctx, Some(plan.noise().size_log2()))?;
        self.answers.give(sharing.answers)?;
        let mut flood = Zeroizing::new(vec![0i128; params.n()]);
        flooding_gaussian(&self.flooding_seed(ctx, ciphertext, seed, log_sigma)?, log_sigma, &mut flood)?;
        // no sample has six bits more than the deviation
        let buf = self.inner(ctx, ciphertext, Some((&flood, log_sigma + 7)))?;
        let range = plan.noise().range();
        let noisy = Plaintext::from_buf(ctx, Arc::new(buf), log_q, log_scale, log_slots, range);
        Ok(noisy.decode(ctx)?.rounded(bits))
    }

    /// As CKKS's: bound to the ciphertext and to the width.
    fn flooding_seed(&self, ctx: &Context, ct: &Ciphertext, seed: &Seed, width: u32) -> Result<Seed> {
        let purpose = self.purpose(b"ringjet flooding");
        purpose.seed_of(seed, &width.to_le_bytes(), |out| crate::wire::hash_to(ct, ctx, out))
    }

    /// `b + a s`, and integers of so many bits.
    fn inner(&self, ctx: &Context, ct: &Ciphertext, more: Option<(&[i128], u32)>) -> Result<Buf> {
        let _scope = ctx.scope("Decrypt");
        ctx.params().expect_same("ciphertext", ct.params())?;
        self.key.join("ciphertext", ct.key_id())?;
        let log_q = ct.log_q();
        let s = self.residues(ctx, log_q)?;
        let masked = ctx.masked(ct.view().poly(1), log_q, &s, None)?;
        let more = more.map(|(x, bits)| Ok::<_, Error>((ctx.words_poly(x, bits)?, bits))).transpose()?;
        let mut terms = vec![plus(ct.view().poly(0), log_q), BigTerm { factor: -1, ..plus(masked.view(1), log_q) }];
        terms.extend(more.as_ref().map(|(buf, bits)| plus(buf.view(1), *bits)));
        let mut out = ctx.alloc_big(1, log_q)?.into_secret();
        ctx.backend().big_lincomb(out.view_mut(1), &terms, log_q, false)?;
        Ok(out)
    }
}

/// `src` once.
pub(super) fn plus(src: View<'_>, bits: u32) -> BigTerm<'_> {
    BigTerm { factor: 1, src, bits }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heaan::SecretKey({:?}, not shown)", self.params)
    }
}
