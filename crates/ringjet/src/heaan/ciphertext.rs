//! Ciphertexts.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use ringjet_math::big;

use super::{Context, Parameters, noise};
use crate::ckks::expect_slots;
use crate::noise::Sources;
use crate::rlwe::keyswitch::expect_no_values;
use crate::rng::PublicSeed;
use crate::{Error, KeyId, Noise, Range, Result};

/// Bits that a modulus needs besides the scale: values of magnitude 1 and their sign.
pub(crate) const SPARE_BITS: u32 = 2;

/// The largest scale is two to this: variances stay within a double's range.
pub(crate) const MAX_LOG_SCALE: u32 = 400;

/// An encrypted vector: two polynomials (b, a) of integers modulo `2^log_q` that decrypt to `b + a s`, with the exact scale
/// `2^log_scale`. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Ciphertext {
    params: Parameters,
    buf: Arc<Buf>,
    log_q: u32,
    log_scale: u32,
    log_slots: u32,
    noise: Noise,
    /// Of the second polynomial of a fresh symmetric ciphertext: its bytes need not be sent.
    seed: Option<PublicSeed>,
    key: KeyId,
}

impl Ciphertext {
    /// Two polynomials modulo `2^log_q`.
    pub(crate) fn new(ctx: &Context, buf: Buf, log_q: u32, log_scale: u32, log_slots: u32, noise: Noise) -> Self {
        debug_assert_eq!(buf.limbs(), 2 * big::words(log_q));
        let params = ctx.params().clone();
        Self { params, buf: Arc::new(buf), log_q, log_scale, log_slots, noise, seed: None, key: KeyId::ANY }
    }

    /// A fresh ciphertext of `2^log_slots` slots modulo `2^log_q`, of which only the shape is right: to count what a program
    /// does on a backend that [computes nothing](ringjet_backend::Backend::computes).
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes, and for a modulus above the parameters'; [`Error::SlotCount`];
    /// [`Error::ModulusExhausted`].
    pub fn uncomputed(ctx: &Context, log_q: u32, log_scale: u32, log_slots: u32) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let params = ctx.params();
        expect_slots(1 << log_slots.min(params.log_n()), log_slots, params.log_n())?;
        if log_q > params.log_q() {
            let expected = format!("at most {}", params.log_q());
            return Err(Error::Argument { name: "log_q", value: log_q.to_string(), expected });
        }
        expect_room("uncomputed", log_q, log_scale)?;
        // a bound for either key
        let error = noise::fresh(params, log_slots);
        let noise = Noise::new(error, Range::within(1.0, true), noise::scale(log_scale), Sources::next());
        Ok(Self::new(ctx, ctx.alloc_big(2, log_q)?, log_q, log_scale, log_slots, noise))
    }

    pub(crate) fn with_seed(self, seed: PublicSeed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Says which secret it belongs to.
    pub(crate) fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
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
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// Bits of the modulus.
    pub fn log_q(&self) -> u32 {
        self.log_q
    }

    /// Binary logarithm of the scale.
    pub fn log_scale(&self) -> u32 {
        self.log_scale
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

    /// States a bound on the size of real and imaginary parts, where the caller knows a smaller one than what operations make of the operands'
    /// bounds. Everything that is checked and estimated from here on relies on it.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        Self { noise: self.noise.with_magnitude(magnitude), ..self }
    }

    /// States bounds on the values.
    pub fn with_range(self, range: Range) -> Self {
        Self { noise: self.noise.with_range(range), ..self }
    }

    /// Refuses values that could wrap around the modulus.
    pub(super) fn fits(self, op: &'static str) -> Result<Self> {
        self.noise.expect_room(op, f64::from(self.log_q))?;
        Ok(self)
    }

    /// Declares another scale; the values change accordingly. For circuits that know what they do.
    ///
    /// # Errors
    /// [`Error::Argument`] for a scale above `2^400`.
    pub fn with_log_scale(&self, log_scale: u32) -> Result<Self> {
        expect_scale(log_scale)?;
        let value = (f64::from(self.log_scale) - f64::from(log_scale)).exp2();
        let noise = self.noise.scaled(1.0, value, noise::scale(log_scale));
        Ok(Self { log_scale, noise, ..self.clone() })
    }

    /// The same polynomials as a vector of `2^log_slots` values: a longer one repeats the values, a shorter one takes it
    /// that they repeat, which only the caller can know.
    ///
    /// # Errors
    /// [`Error::SlotCount`] for more slots than the ring has.
    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        expect_slots(1 << log_slots.min(self.params.log_n()), log_slots, self.params.log_n())?;
        // an error has something in every coefficient, of which a longer vector sees more
        let noise = self.noise.repacked(noise::decoded(log_slots) / noise::decoded(self.log_slots));
        Ok(Self { log_slots, noise, ..self.clone() })
    }

    /// Another estimate of the error, with its bound on the values.
    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    /// The integers modulo `2^log_q`: the polynomials b and a.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(2)
    }

    /// Whether both are the same object (clones share it).
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buf, &other.buf)
    }

    /// Refuses one of other parameters or of another packing.
    pub(super) fn expect_packing(&self, other: &Self) -> Result<()> {
        self.params.expect_same("ciphertext", &other.params)?;
        self.key.join("ciphertext", other.key)?;
        if self.log_slots != other.log_slots {
            return Err(Error::SlotMismatch { lhs: self.slots(), rhs: other.slots() });
        }
        Ok(())
    }
}

/// Refuses a scale that variances have no room for.
pub(super) fn expect_scale(log_scale: u32) -> Result<()> {
    if log_scale <= MAX_LOG_SCALE {
        return Ok(());
    }
    let (value, expected) = (log_scale.to_string(), format!("at most {MAX_LOG_SCALE}: rescale before"));
    Err(Error::Argument { name: "log_scale", value, expected })
}

/// Refuses a modulus without room for values of magnitude 1 at a scale.
pub(crate) fn expect_room(op: &'static str, log_q: u32, log_scale: u32) -> Result<()> {
    expect_scale(log_scale)?;
    let needed = log_scale + SPARE_BITS;
    if needed <= log_q { Ok(()) } else { Err(Error::bits_exhausted(op, needed, log_q)) }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "heaan::Ciphertext({} of {} bits, scale 2^{}, {} slots, {}",
            self.log_q,
            self.params.log_q(),
            self.log_scale,
            self.slots(),
            crate::ckks::precision_text(self.noise.precision_bits()),
        )?;
        if self.params.spec().allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}
