//! Encoded vectors.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use ringjet_math::embed;
use ringjet_math::fft::Complex64;

use super::{Approximate, Values, expect_finite, expect_message};
use crate::noise::{Added, Sources};
use crate::rlwe::Context;
use crate::{Error, Noise, Range, Result};

/// An encoded vector: one polynomial. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Plaintext<P: Approximate> {
    params: P,
    buf: Arc<Buf>,
    position: P::Position,
    log_slots: u32,
    range: Range,
    stated: f64,
    /// Whether its coefficients were integers before they were rounded.
    exact: bool,
}

impl<P: Approximate> Plaintext<P> {
    /// One polynomial of this modulus and scale.
    pub(crate) fn from_position(
        ctx: &Context<P>,
        buf: Buf,
        position: P::Position,
        log_slots: u32,
        range: Range,
    ) -> Self {
        let params = ctx.params().clone();
        Self { params, buf: Arc::new(buf), position, log_slots, range, stated: 1.0, exact: false }
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
        let error = if self.exact { Added::NONE } else { self.params.encoding_error(self.log_slots) };
        Noise::new(error, self.range, P::scale_of(self.position), Sources::NONE)
    }

    /// What a ciphertext states of the values: real, or complex, up to the stated magnitude.
    ///
    /// # Errors
    /// [`Error::Magnitude`] for larger values.
    pub(crate) fn stated_range(&self) -> Result<Range> {
        Ok(Range::within(self.range.stated(self.stated)?, self.range.is_real()))
    }

    /// The values of all slots.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::Backend`] where nothing was computed;
    /// [`Error::NotFinite`] where a value is beyond a double's range: what was decrypted with the wrong key, or has
    /// outgrown its modulus.
    pub fn decode(&self, ctx: &Context<P>) -> Result<Values> {
        self.decode_checked(ctx, None)
    }

    /// The values of all slots, of coefficients that are below `2^size_log2` in all.
    pub(crate) fn decode_checked(&self, ctx: &Context<P>, size_log2: Option<f64>) -> Result<Values> {
        let ring = ctx.params().ring();
        ring.expect_same("plaintext", self.params.ring())?;
        let (coefficients, scale) = P::coefficients(ctx, self, size_log2.is_some())?;
        if let Some(size_log2) = size_log2 {
            let smaller = P::scale_of(self.position).log2() - scale.log2();
            expect_message(&coefficients, size_log2 - smaller, self.params.modulus_log2(self.position) - smaller)?;
        }
        let mut out = vec![Complex64::default(); self.slots()];
        embed::decode_coefficients(ring.fft(self.log_slots), &coefficients, scale.value(), &mut out)
            .map_err(|e| Error::Parameters(e.to_string()))?;
        expect_finite(&out)?;
        Ok(Values(out))
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The same polynomial with another position.
    pub(crate) fn restated(self, position: P::Position) -> Self {
        Self { position, ..self }
    }

    /// Modulus and scale.
    pub(crate) fn position(&self) -> P::Position {
        self.position
    }

    /// Number of complex slots.
    pub fn slots(&self) -> usize {
        1 << self.log_slots
    }

    /// Binary logarithm of the number of slots.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// The memory of its polynomials.
    pub(crate) fn buf(&self) -> &Buf {
        &self.buf
    }

    /// The polynomial.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(1)
    }
}

impl<P: Approximate> fmt::Debug for Plaintext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Plaintext(", P::PREFIX)?;
        self.params.describe(self.position, f)?;
        write!(f, ", {} slots)", self.slots())
    }
}
