//! Encrypted vectors, and their decryption.

use std::fmt;
use std::ops::Deref;

use ringjet_backend::{Buf, View};
use zeroize::Zeroizing;

use super::{Approximate, Plaintext, Polynomials, Values, expect_slots};
use crate::noise::{Added, Sources, precision_text};
use crate::rlwe::{Context, SecretKey, Sharing};
use crate::rng::{PublicSeed, Seed, flooding_gaussian};
use crate::wire::{Head, PolyModulus, Vector, as_bytes};
use crate::{Error, KeyId, Noise, Range, Result};

/// An encrypted vector with its exact scale: polynomials (b, a) that decrypt to `b + a * s` with
/// the secret s, or three before relinearisation. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Ciphertext<P: Approximate> {
    polynomials: Polynomials<P>,
    noise: Noise,
    /// The seed of a fresh symmetric ciphertext's last polynomial, which is then not sent.
    seed: Option<PublicSeed>,
    key: KeyId,
}

impl<P: Approximate> Deref for Ciphertext<P> {
    type Target = Polynomials<P>;

    fn deref(&self) -> &Polynomials<P> {
        &self.polynomials
    }
}

impl<P: Approximate> Ciphertext<P> {
    /// A ciphertext of `polys` polynomials, with modulus and scale of `position`, of no secret.
    pub(crate) fn new(params: &P, buf: Buf, polys: usize, position: P::Position, log_slots: u32, noise: Noise) -> Self {
        let polynomials = Polynomials::new(params, buf, polys, position, log_slots);
        Self { polynomials, noise, seed: None, key: KeyId::ANY }
    }

    /// A fresh encryption of `plaintext`, whose values are within `range`. `error` is its error.
    /// `source` is a byte that differs between encryptions: it tells their errors apart.
    pub(crate) fn fresh(
        plaintext: &Plaintext<P>,
        buf: Buf,
        position: P::Position,
        (error, source): (Added, u8),
        range: Range,
    ) -> Self {
        let noise = Noise::new(error, range, P::scale_of(position), Sources::one(source));
        Self::new(plaintext.params(), buf, 2, position, plaintext.log_slots(), noise)
    }

    /// A ciphertext with this error but without computed values. It fits every secret.
    pub(crate) fn shape(ctx: &Context<P>, at: P::Position, log_slots: u32, error: Added) -> Result<Self> {
        expect_slots(1 << log_slots.min(ctx.params().ring().log_n()), log_slots, ctx.params().ring().log_n())?;
        let noise = Noise::new(error, Range::within(1.0, true), P::scale_of(at), Sources::next());
        Ok(Self::new(ctx.params(), ctx.params().modulus(&at).alloc(ctx, 2)?, 2, at, log_slots, noise))
    }

    pub(crate) fn with_seed(self, seed: PublicSeed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    pub(crate) fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }

    /// Replaces the estimate of the error and the bounds on the values.
    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    /// The same polynomials with another scale and estimate of the error.
    pub(crate) fn restated(&self, position: P::Position, noise: Noise) -> Self {
        Self { polynomials: self.polynomials.restated(position, self.log_slots()), noise, ..self.clone() }
    }

    /// The same polynomials, read as a vector of `2^log_slots` values. With fewer slots than before
    /// the values are assumed to repeat; the caller must know that they do. With more slots than
    /// before the values repeat. Fails with [`Error::SlotCount`] for more slots than the ring has.
    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        let log_n = self.params().ring().log_n();
        expect_slots(1 << log_slots.min(log_n), log_slots, log_n)?;
        let noise = P::repacked(self.noise, self.log_slots(), log_slots);
        Ok(Self { polynomials: self.polynomials.restated(self.position(), log_slots), noise, ..self.clone() })
    }

    /// The identity of the ciphertext's secret; [`KeyId::ANY`] if it belongs to none.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed of the second polynomial, for a fresh symmetric ciphertext.
    pub fn seed(&self) -> Option<&PublicSeed> {
        self.seed.as_ref()
    }

    /// The estimated error and the bounds on the values.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// States that real and imaginary parts are at most `magnitude` in absolute value, where the
    /// caller knows a smaller bound than operations computed. Later checks and estimates rely on it
    /// unverified.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        Self { noise: self.noise.with_magnitude(magnitude), ..self }
    }

    /// States bounds on the values, which are not verified.
    pub fn with_range(self, range: Range) -> Self {
        Self { noise: self.noise.with_range(range), ..self }
    }

    /// Refuses values that could wrap around the modulus.
    pub(crate) fn fits(self, op: &'static str) -> Result<Self> {
        self.expect_room(op, self.noise)?;
        Ok(self)
    }

    /// Refuses if values with the error and range of `noise` could wrap around this modulus.
    pub(crate) fn expect_room(&self, op: &'static str, noise: Noise) -> Result<()> {
        noise.expect_room(op, self.params().modulus_log2(self.position()))
    }

    /// Refuses `other` if its parameters, its secret or its number of slots differ.
    pub(crate) fn expect_packing(&self, other: &Self) -> Result<()> {
        self.params().ring().expect_same("ciphertext", other.params().ring())?;
        self.key.join("ciphertext", other.key)?;
        if self.log_slots() != other.log_slots() {
            return Err(Error::SlotMismatch { lhs: self.slots(), rhs: other.slots() });
        }
        Ok(())
    }
}

as_bytes!({P: Approximate} Ciphertext<P>, P);

impl<P: Approximate> Vector for Ciphertext<P> {
    type About = Noise;

    fn parts(&self) -> (Head<P, Noise>, View<'_>) {
        let (log_slots, position) = (self.log_slots(), self.position());
        let (polys, seed) = (self.polys() as u8, self.seed().copied());
        (Head { log_slots, position, about: self.noise(), polys, seed }, self.view())
    }

    fn from_parts(ctx: &Context<P>, key: KeyId, head: Head<P, Noise>, buf: Buf) -> Self {
        let Head { log_slots, position, about, polys, seed } = head;
        let made = Self::new(ctx.params(), buf, polys.into(), position, log_slots, about);
        Self { key, seed, ..made }
    }

    fn expect_readable(&self) -> Result<()> {
        P::expect_writable(self.position())
    }
}

impl<P: Approximate> fmt::Debug for Ciphertext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Ciphertext(", P::PREFIX)?;
        self.params().describe(self.position(), f)?;
        write!(f, ", {} slots, {}", self.slots(), precision_text(self.noise.precision_bits()))?;
        if self.polys() != 2 {
            write!(f, ", {} polynomials", self.polys())?;
        }
        if self.params().is_insecure() {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}

impl<P: Approximate> SecretKey<P> {
    /// Decrypts to a plaintext, error included. The exact value can leak the key to whoever chose
    /// the ciphertext (Li and Micciancio, ePrint 2020/1533): only the key's owner may see it. Fails
    /// with [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn decrypt(&self, ctx: &Context<P>, ciphertext: &Ciphertext<P>) -> Result<Plaintext<P>> {
        let ring = ctx.params().ring();
        ring.expect_same("secret key", self.params().ring())?;
        ring.expect_same("ciphertext", ciphertext.params().ring())?;
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let buf = P::phase(self, ctx, ciphertext.position(), ciphertext.view())?;
        let range = ciphertext.noise().range();
        Ok(Plaintext::new(ctx, buf, ciphertext.position(), ciphertext.log_slots(), range))
    }

    /// Decrypts and decodes. Only the key's owner may see the values: see [`SecretKey::decrypt`].
    ///
    /// # Errors
    /// Those of [`SecretKey::decrypt`] and [`Plaintext::decode`]; [`Error::Garbage`] if the
    /// ciphertext cannot be an encryption, under this key, of values within their stated
    /// magnitudes.
    pub fn decrypt_values(&self, ctx: &Context<P>, ciphertext: &Ciphertext<P>) -> Result<Values> {
        self.decrypt(ctx, ciphertext)?.decode_checked(ctx, Some(ciphertext.noise().size_log2()))
    }

    /// Decrypts a result that others than the key's owner will see. Noise that hides the
    /// ciphertext's own error is added ([`Sharing`]), and the values are rounded to `bits` bits
    /// after the point. `plan` is the result of the same computation on a backend that only counts;
    /// the bound on the error is taken from it. The ciphertext's own bound is not used, as its
    /// sender can state any.
    ///
    /// # Errors
    /// [`Error::NotSharable`] if modulus, scale or number of slots are not those of `plan`, or if
    /// scale or modulus have no room for the noise; [`Error::Argument`] for an invalid `sharing`;
    /// [`Error::AnswersExhausted`], [`Error::Garbage`], [`Error::ParameterMismatch`],
    /// [`Error::KeyMismatch`].
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context<P>,
        ciphertext: &Ciphertext<P>,
        plan: &Ciphertext<P>,
        bits: u32,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values> {
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let params = ctx.params();
        params.ring().expect_same("plan", plan.params().ring())?;
        let (position, log_slots) = (plan.position(), plan.log_slots());
        if (ciphertext.position(), ciphertext.log_slots()) != (position, log_slots) {
            let reason =
                format!("the plan is for {plan:?}, and this is {ciphertext:?}; make a plan of what was computed");
            return Err(Error::NotSharable { reason });
        }
        let scale = P::scale_of(position).log2();
        let log_sigma = sharing.flood(plan.noise(), scale, params.modulus_log2(position), log_slots, bits)?;
        let exact = self.decrypt(ctx, ciphertext)?;
        exact.decode_checked(ctx, Some(plan.noise().size_log2()))?;
        self.answers.give(sharing.answers)?;
        let mut flood = Zeroizing::new(vec![0i128; params.ring().n()]);
        // The seed is bound to the ciphertext and to the width: two answers with the same noise
        // would reveal the difference of what the noise hides.
        let purpose = self.purpose(b"ringjet flooding");
        let seed = purpose.seed_of(seed, &log_sigma.to_le_bytes(), |out| ciphertext.write_to(ctx, out))?;
        flooding_gaussian(&seed, log_sigma, &mut flood)?;
        // no sample exceeds the standard deviation by six bits
        let noisy = P::add_integers(ctx, position, exact.view(), &flood, log_sigma + 7)?;
        Ok(Plaintext::new(ctx, noisy, position, log_slots, exact.range()).decode(ctx)?.rounded(bits))
    }
}
