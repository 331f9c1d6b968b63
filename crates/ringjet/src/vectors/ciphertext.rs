//! Encrypted vectors.

use std::fmt;
use std::ops::Deref;

use ringjet_backend::{Buf, View};

use super::plaintext::encoded_in_doubles;
use super::{Plaintext, Polynomials, Vectors, expect_slots};
use crate::noise::{ErrorTerm, Sources};
use crate::rlwe::Context;
use crate::rlwe::keyswitch::expect_no_values;
use crate::rng::PublicSeed;
use crate::wire::{Head, Held, PolyModulus, Vector, as_bytes};
use crate::{Error, KeyId, Noise, Range, Result};

/// An encrypted vector with its exact scale: polynomials (b, a) that decrypt to `b + a * s` with
/// the secret s, or three before relinearisation. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Ciphertext<P: Vectors> {
    polynomials: Polynomials<P>,
    noise: Noise,
    /// The seed of a fresh symmetric ciphertext's last polynomial, which is then not sent.
    seed: Option<PublicSeed>,
    key: KeyId,
}

impl<P: Vectors> Deref for Ciphertext<P> {
    type Target = Polynomials<P>;

    fn deref(&self) -> &Polynomials<P> {
        &self.polynomials
    }
}

impl<P: Vectors> Ciphertext<P> {
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
        (error, source): (ErrorTerm, u8),
        range: Range,
    ) -> Self {
        let error = error + encoded_in_doubles::<P>(range, position);
        let sources = if P::EXACT { Sources::NONE } else { Sources::one(source) };
        let noise = Noise::new(error, range, P::scale_of(position), sources);
        Self::new(plaintext.params(), buf, 2, position, plaintext.log_slots(), noise).with_held(plaintext.held())
    }

    /// A ciphertext with this error but without computed values. It fits every secret.
    pub(crate) fn shape(ctx: &Context<P>, at: P::Position, log_slots: u32, error: ErrorTerm) -> Result<Self> {
        expect_slots(1 << log_slots.min(ctx.params().ring().log_n()), log_slots, ctx.params().ring().log_n())?;
        let range = Range::within(1.0, true);
        let error = error + encoded_in_doubles::<P>(range, at);
        let sources = if P::EXACT { Sources::NONE } else { Sources::next() };
        let noise = Noise::new(error, range, P::scale_of(at), sources);
        let buf = ctx.params().modulus(&at).alloc(ctx, 2 * ctx.params().components(at))?;
        Ok(Self::new(ctx.params(), buf, 2, at, log_slots, noise))
    }

    /// A ciphertext without computed values, with everything that is known of this one: what is computed on it
    /// costs the same. It fits every secret.
    /// Fails with [`Error::Argument`] where the backend of `ctx` computes.
    pub(crate) fn uncomputed_on(&self, ctx: &Context<P>) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let at = self.position();
        let buf = ctx.params().modulus(&at).alloc(ctx, self.polys() * ctx.params().components(at))?;
        let shape = Self::new(ctx.params(), buf, self.polys(), at, self.log_slots(), self.noise());
        Ok(shape.with_held(self.held()))
    }

    /// The same ciphertext without computed values as it stands for an encryption of values within
    /// `range`.
    pub(crate) fn encrypting(self, range: Range) -> Self {
        let [before, after] =
            [self.noise().range(), range].map(|r| encoded_in_doubles::<P>(r, self.position()).variance);
        let error = self.noise().error();
        let error = ErrorTerm { variance: (error.variance - before + after).max(0.0), ..error };
        let noise = self.noise().with_added(error).with_range(range);
        self.with_noise(noise)
    }

    /// The same ciphertext without computed values as one whose encryption has this error.
    pub(crate) fn encrypted_with(self, error: ErrorTerm) -> Self {
        let doubles = encoded_in_doubles::<P>(self.noise().range(), self.position());
        let noise = self.noise().with_added(error + doubles);
        self.with_noise(noise)
    }

    pub(crate) fn with_seed(self, seed: PublicSeed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// States how many of the first slots hold values, where the caller knows it better than the
    /// rule of operations. Statistics are over so many values by default, and decryption shows them.
    /// Fails with [`Error::Argument`] for a count of 0 or above the number of slots.
    pub fn with_count(self, count: usize) -> Result<Self> {
        let held = self.held().counting(count, self.slots())?;
        Ok(self.with_held(held))
    }

    /// [`Self::with_count`] of a clone.
    pub(crate) fn counted(&self, count: usize) -> Result<Self> {
        self.clone().with_count(count)
    }

    /// What an encryption holds for which the ciphertext stands, on a backend that only counts: `count`
    /// values, and 0 in all other slots or not.
    pub(crate) fn padded(&self, count: usize, zeros: bool) -> Result<Self> {
        Ok(self.clone().with_held(Held::first(count, self.slots(), zeros)?))
    }

    pub(crate) fn with_held(self, held: Held) -> Self {
        Self { polynomials: self.polynomials.with_held(held), ..self }
    }

    /// The same ciphertext, with a value in every slot.
    pub(crate) fn everywhere(self) -> Self {
        self.with_held(Held::ALL)
    }

    pub(crate) fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }

    /// Replaces the estimate of the error and the bounds on the values.
    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    /// The same polynomials, read with another number of slots.
    pub(crate) fn repacked(&self, log_slots: u32, noise: Noise) -> Self {
        Self { polynomials: self.polynomials.restated(self.position(), log_slots), noise, ..self.clone() }
    }

    /// The same polynomials with another scale and estimate of the error.
    pub(crate) fn restated(&self, position: P::Position, noise: Noise) -> Self {
        Self { polynomials: self.polynomials.restated(position, self.log_slots()), noise, ..self.clone() }
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
    /// unverified. Exact schemes do not use it: their values wrap around.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        let noise = self.noise().with_magnitude(magnitude);
        self.with_noise(noise)
    }

    /// States bounds on the values, which are not verified.
    pub fn with_range(self, range: Range) -> Self {
        let noise = self.noise().with_range(range);
        self.with_noise(noise)
    }

    /// States the standard deviation of the errors of real parts, where the caller knows it better
    /// than the estimate. Later estimates rely on it unverified; the bound stays as it was.
    pub(crate) fn with_deviation(self, deviation: f64) -> Self {
        let noise = self.noise().with_deviation(deviation);
        self.with_noise(noise)
    }

    /// Refuses values that could wrap around the modulus.
    pub(crate) fn fits(self, op: &'static str) -> Result<Self> {
        self.expect_room(op, self.noise)?;
        Ok(self)
    }

    /// Refuses if values with the error and range of `noise` could wrap around this modulus.
    pub(crate) fn expect_room(&self, op: &'static str, noise: Noise) -> Result<()> {
        self.params().expect_room(op, self.position(), noise)
    }

    /// Refuses `other` if its parameters, its secret or its number of slots differ, or if its number
    /// of values does not fit.
    pub(crate) fn expect_packing(&self, other: &Self) -> Result<()> {
        self.params().ring().expect_same("ciphertext", other.params().ring())?;
        self.key.join("ciphertext", other.key)?;
        if self.log_slots() != other.log_slots() {
            return Err(Error::SlotMismatch { lhs: self.slots(), rhs: other.slots() });
        }
        self.held().sum(other.held()).map(|_| ())
    }
}

as_bytes!({P: Vectors} Ciphertext<P>, P);

impl<P: Vectors> Vector for Ciphertext<P> {
    type About = Noise;

    fn parts(&self) -> (Head<P, Noise>, View<'_>) {
        let (log_slots, position) = (self.log_slots(), self.position());
        let (polys, seed) = (self.polys() as u8, self.seed().copied());
        (Head { log_slots, held: self.held(), position, about: self.noise(), polys, seed }, self.view())
    }

    fn from_parts(ctx: &Context<P>, key: KeyId, head: Head<P, Noise>, buf: Buf) -> Self {
        let Head { log_slots, held, position, about, polys, seed } = head;
        let made = Self::new(ctx.params(), buf, polys.into(), position, log_slots, about).with_held(held);
        Self { key, seed, ..made }
    }

    fn expect_readable(&self) -> Result<()> {
        P::expect_writable(self.position())
    }
}

impl<P: Vectors> fmt::Debug for Ciphertext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Ciphertext(", P::PREFIX)?;
        self.params().describe(self.position(), f)?;
        if self.count() < self.slots() {
            write!(f, ", {} values", self.count())?;
        }
        write!(f, ", {} slots, {}", self.slots(), self.params().quality(self.position(), self.noise))?;
        if self.polys() != 2 {
            write!(f, ", {} polynomials", self.polys())?;
        }
        if self.params().is_insecure() {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}
