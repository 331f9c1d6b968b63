//! Encrypted vectors.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};

use super::Approximate;
use crate::noise::precision_text;
use crate::rng::PublicSeed;
use crate::{Error, KeyId, Noise, Range, Result};

/// An encrypted vector: two polynomials (b, a) that decrypt to `b + a s`, three before relinearisation, with their exact scale.
/// Immutable and cheap to clone.
#[derive(Clone)]
pub struct Ciphertext<P: Approximate> {
    params: P,
    buf: Arc<Buf>,
    polys: usize,
    position: P::Position,
    log_slots: u32,
    noise: Noise,
    /// Of the last polynomial of a fresh symmetric ciphertext: its bytes need not be sent.
    seed: Option<PublicSeed>,
    key: KeyId,
}

impl<P: Approximate> Ciphertext<P> {
    /// So many polynomials of this modulus and scale, of no secret in particular.
    pub(crate) fn from_position(
        params: &P,
        buf: Buf,
        polys: usize,
        position: P::Position,
        log_slots: u32,
        noise: Noise,
    ) -> Self {
        let (params, buf) = (params.clone(), Arc::new(buf));
        Self { params, buf, polys, position, log_slots, noise, seed: None, key: KeyId::ANY }
    }

    pub(crate) fn with_seed(self, seed: PublicSeed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// The same with all polynomials spelt out.
    pub(crate) fn without_seed(self) -> Self {
        Self { seed: None, ..self }
    }

    /// Says which secret it belongs to.
    pub(crate) fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }

    /// Another estimate of the error, with its bound on the values.
    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    /// The same polynomials with another scale, number of slots and estimate of the error.
    pub(crate) fn restated(&self, position: P::Position, log_slots: u32, noise: Noise) -> Self {
        Self { position, log_slots, noise, ..self.clone() }
    }

    /// The identity of the secret it belongs to; [`KeyId::ANY`] where that is none.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed of the second polynomial, for a fresh symmetric ciphertext.
    pub fn seed(&self) -> Option<&PublicSeed> {
        self.seed.as_ref()
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// Modulus and scale.
    pub(crate) fn position(&self) -> P::Position {
        self.position
    }

    /// Number of polynomials: 2, or 3 before relinearisation.
    pub fn polys(&self) -> usize {
        self.polys
    }

    /// Number of complex slots.
    pub fn slots(&self) -> usize {
        1 << self.log_slots
    }

    /// Binary logarithm of the number of slots.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// Estimated error.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// States a bound on the size of real and imaginary parts, where the caller knows a smaller one than what operations make
    /// of the operands' bounds. Everything that is checked and estimated from here on relies on it.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        Self { noise: self.noise.with_magnitude(magnitude), ..self }
    }

    /// States bounds on the values.
    pub fn with_range(self, range: Range) -> Self {
        Self { noise: self.noise.with_range(range), ..self }
    }

    /// Refuses values that could wrap around the modulus.
    pub(crate) fn fits(self, op: &'static str) -> Result<Self> {
        self.noise.expect_room(op, self.params.modulus_log2(self.position))?;
        Ok(self)
    }

    /// The memory of its polynomials.
    #[cfg(test)]
    pub(crate) fn buf(&self) -> &Buf {
        &self.buf
    }

    /// The polynomials.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(self.polys)
    }

    /// Whether both are the same object (clones share it).
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buf, &other.buf)
    }

    /// Refuses one of other parameters, of another secret or of another packing.
    pub(crate) fn expect_packing(&self, other: &Self) -> Result<()> {
        self.params.ring().expect_same("ciphertext", other.params.ring())?;
        self.key.join("ciphertext", other.key)?;
        if self.log_slots != other.log_slots {
            return Err(Error::SlotMismatch { lhs: self.slots(), rhs: other.slots() });
        }
        Ok(())
    }
}

impl<P: Approximate> fmt::Debug for Ciphertext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Ciphertext(", P::PREFIX)?;
        self.params.describe(self.position, f)?;
        write!(f, ", {} slots, {}", self.slots(), precision_text(self.noise.precision_bits()))?;
        if self.polys != 2 {
            write!(f, ", {} polynomials", self.polys)?;
        }
        if self.params.is_insecure() {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}
