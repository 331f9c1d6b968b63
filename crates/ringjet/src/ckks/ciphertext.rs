//! Plaintexts, ciphertexts and the vectors in them.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use ringjet_math::fft::Complex64;

use super::{Scale, noise};
use crate::noise::{Added, Sources};
use crate::rng::PublicSeed;
use crate::{Context, Error, KeyId, Noise, Parameters, Range, Result};

/// A vector of slots.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(pub Vec<Complex64>);

impl Values {
    /// The real parts.
    pub fn real(&self) -> Vec<f64> {
        self.0.iter().map(|z| z.re).collect()
    }

    /// The same rounded to `bits` bits after the point.
    pub(crate) fn rounded(self, bits: u32) -> Self {
        let unit = 2f64.powi(bits as i32);
        let round = |x: f64| (x * unit).round() / unit;
        Self(self.0.into_iter().map(|z| Complex64 { re: round(z.re), im: round(z.im) }).collect())
    }
}

/// An encoded vector: one polynomial over Q_l in the evaluation domain.
#[derive(Clone)]
pub struct Plaintext {
    params: Parameters,
    buf: Arc<Buf>,
    level: usize,
    scale: Scale,
    log_slots: u32,
    range: Range,
    stated: f64,
    /// Whether its coefficients were integers before they were rounded.
    exact: bool,
}

impl Plaintext {
    pub(crate) fn from_buf(ctx: &Context, buf: Buf, level: usize, scale: Scale, log_slots: u32, range: Range) -> Self {
        Self {
            params: ctx.params().clone(),
            buf: Arc::new(buf),
            level,
            scale,
            log_slots,
            range,
            stated: 1.0,
            exact: false,
        }
    }

    /// States the bound on the size of real and imaginary parts that a ciphertext of it will carry (1 unless stated): the
    /// values' true one would tell about them.
    ///
    /// # Errors
    /// [`Error::Magnitude`] for larger values; [`Error::Argument`] for a bound that is no positive number.
    pub fn with_magnitude(self, stated: f64) -> Result<Self> {
        Ok(Self { stated: self.range.stated(stated)?, ..self })
    }

    /// One whose coefficients are the values' own, without rounding.
    pub(crate) fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Bounds on the values, exactly.
    pub fn range(&self) -> Range {
        self.range
    }

    /// As a factor.
    pub(crate) fn noise(&self) -> Noise {
        let error = if self.exact { Added::NONE } else { noise::encoding(&self.params) };
        Noise::new(error, self.range, self.scale, Sources::NONE)
    }

    /// What a ciphertext states of the values: real, or complex, up to the stated magnitude.
    ///
    /// # Errors
    /// [`Error::Magnitude`] for larger values.
    pub(crate) fn stated_range(&self) -> Result<Range> {
        Ok(Range::within(self.range.stated(self.stated)?, self.range.is_real()))
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// Level.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Scale.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Binary logarithm of the number of slots.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(1)
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plaintext(level {}, scale {:?}, {} slots)", self.level, self.scale, 1u64 << self.log_slots)
    }
}

/// An encrypted vector: two polynomials (three before relinearisation) over Q_l in the evaluation domain, with its
/// exact scale. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Ciphertext {
    params: Parameters,
    pub(crate) buf: Arc<Buf>,
    polys: usize,
    level: usize,
    scale: Scale,
    log_slots: u32,
    noise: Noise,
    /// Of the last polynomial of a fresh symmetric ciphertext: its bytes need not be sent.
    seed: Option<PublicSeed>,
    key: KeyId,
}

impl Ciphertext {
    pub(crate) fn new(ctx: &Context, buf: Buf, polys: usize, of: &Plaintext, noise: Noise) -> Self {
        Self::from_parts(ctx.params(), buf, polys, of.level(), of.scale(), of.log_slots(), noise)
    }

    pub(crate) fn from_parts(
        params: &Parameters,
        buf: Buf,
        polys: usize,
        level: usize,
        scale: Scale,
        log_slots: u32,
        noise: Noise,
    ) -> Self {
        debug_assert_eq!(buf.limbs(), polys * params.limbs(level));
        Self {
            params: params.clone(),
            buf: Arc::new(buf),
            polys,
            level,
            scale,
            log_slots,
            noise,
            seed: None,
            key: KeyId::ANY,
        }
    }

    /// A fresh ciphertext of `2^log_slots` slots at `level` and that level's scale, of which only the shape is right: to
    /// count what a program does on a backend that [computes nothing](ringjet_backend::Meter::counts_only). It stands for one of
    /// either key: the bound on its error holds for both.
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`], [`Error::SlotCount`].
    pub fn uncomputed(ctx: &Context, level: usize, log_slots: u32) -> Result<Self> {
        crate::rlwe::keyswitch::expect_no_values(ctx.backend())?;
        let params = ctx.params();
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        if log_slots >= params.log_n() {
            let slots = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
            return Err(Error::SlotCount { found: slots, slots, max: params.max_slots() });
        }
        let (buf, scale) = (ctx.alloc(2 * params.limbs(level))?, params.scale(level));
        let noise = Noise::new(noise::fresh(params), Range::within(1.0, true), scale, Sources::next());
        Ok(Self::from_parts(params, buf, 2, level, scale, log_slots, noise))
    }

    pub(crate) fn with_seed(mut self, seed: PublicSeed) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Says which secret it belongs to.
    pub(crate) fn with_key(mut self, key: KeyId) -> Self {
        self.key = key;
        self
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

    /// Level: how many rescalings are left.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Scale.
    pub fn scale(&self) -> Scale {
        self.scale
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

    /// States a bound on the size of real and imaginary parts, where the caller knows a smaller one than what operations make of the operands'
    /// bounds. Everything that is checked and estimated from here on relies on it.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        Self { noise: self.noise.with_magnitude(magnitude), ..self }
    }

    /// States bounds on the values.
    pub fn with_range(self, range: Range) -> Self {
        Self { noise: self.noise.with_range(range), ..self }
    }

    /// Refuses values that could wrap around the modulus of the level.
    pub(crate) fn fits(self, op: &'static str) -> Result<Self> {
        self.noise.expect_room(op, self.params.level(self.level).basis.log2())?;
        Ok(self)
    }

    /// The residues: `polys` polynomials of `limbs(level)` limbs.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(self.polys)
    }

    /// Whether both are the same object (clones share it).
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buf, &other.buf)
    }

    /// The same polynomials as a vector of `2^log_slots` values: a longer one repeats the values, a shorter one takes it
    /// that they repeat, which only the caller can know.
    ///
    /// # Errors
    /// [`Error::SlotCount`] for more slots than the ring has.
    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        if log_slots >= self.params.log_n() {
            let found = 1 << log_slots.min(40);
            return Err(Error::SlotCount { found, slots: found, max: self.params.max_slots() });
        }
        Ok(Self { log_slots, ..self.clone() })
    }

    /// Declares another scale; the values change accordingly. For circuits that know what they do.
    pub fn with_scale(&self, scale: Scale) -> Self {
        let noise = self.noise.scaled(1.0, self.scale.value() / scale.value(), scale);
        Self { scale, noise, ..self.clone() }
    }

    pub(crate) fn renamed(&self, scale: Scale) -> Self {
        let relative = (scale.value() / self.scale.value() - 1.0).abs();
        Self { scale, noise: self.noise.renamed(scale, relative), seed: None, ..self.clone() }
    }

    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    pub(crate) fn expect_packing(&self, other: &Self) -> Result<()> {
        self.params.expect_same("ciphertext", &other.params)?;
        self.key.join("ciphertext", other.key)?;
        if self.log_slots != other.log_slots {
            return Err(Error::SlotMismatch { lhs: self.slots(), rhs: other.slots() });
        }
        Ok(())
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Ciphertext(level {}/{}, scale {:?}, {} slots, {}",
            self.level,
            self.params.top_level(),
            self.scale,
            self.slots(),
            super::precision_text(self.noise.precision_bits()),
        )?;
        if self.polys != 2 {
            write!(f, ", {} polynomials", self.polys)?;
        }
        if self.params.spec().allow_insecure {
            f.write_str(", allow_insecure")?;
        }
        f.write_str(")")
    }
}
