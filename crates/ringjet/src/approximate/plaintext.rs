//! Encoded vectors.

use std::fmt;
use std::ops::Deref;

use ringjet_backend::{Buf, View};
use ringjet_math::embed;
use ringjet_math::fft::Complex64;

use super::values::expect_message;
use super::{Approximate, Polynomials, Values, expect_finite};
use crate::noise::{Added, Sources};
use crate::rlwe::Context;
use crate::wire::{Head, Vector, as_bytes};
use crate::{Error, KeyId, Noise, Range, Result};

/// An encoded vector: one polynomial. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Plaintext<P: Approximate> {
    polynomial: Polynomials<P>,
    range: Range,
    stated: f64,
    /// Whether its coefficients were integers before they were rounded.
    exact: bool,
}

impl<P: Approximate> Deref for Plaintext<P> {
    type Target = Polynomials<P>;

    fn deref(&self) -> &Polynomials<P> {
        &self.polynomial
    }
}

impl<P: Approximate> Plaintext<P> {
    pub(crate) fn new(ctx: &Context<P>, buf: Buf, position: P::Position, log_slots: u32, range: Range) -> Self {
        let polynomial = Polynomials::new(ctx.params(), buf, 1, position, log_slots);
        Self { polynomial, range, stated: 1.0, exact: false }
    }

    /// States the bound on the size of real and imaginary parts that a ciphertext of it will carry (1 unless stated): the
    /// values' true one would tell about them.
    /// Fails with [`Error::Magnitude`] for larger values; [`Error::Argument`] for a bound that is
    /// no positive number.
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
        let error = if self.exact { Added::NONE } else { self.params().encoding_error(self.log_slots()) };
        Noise::new(error, self.range, P::scale_of(self.position()), Sources::NONE)
    }

    /// What a ciphertext states of the values: real, or complex, up to the stated magnitude.
    /// Fails with [`Error::Magnitude`] for larger values.
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
        ring.expect_same("plaintext", self.params().ring())?;
        // a message is judged by all coefficients, of which the slots depend on some
        let step = if size_log2.is_some() { 1 } else { ring.n() >> (self.log_slots() + 1) };
        let (coefficients, scale) = P::coefficients(ctx, self.position(), self.buf(), step)?;
        if let Some(size_log2) = size_log2 {
            let smaller = P::scale_of(self.position()).log2() - scale.log2();
            expect_message(&coefficients, size_log2 - smaller, self.params().modulus_log2(self.position()) - smaller)?;
        }
        let mut out = vec![Complex64::default(); self.slots()];
        embed::decode_coefficients(ring.fft(self.log_slots()), &coefficients, scale.value(), &mut out)
            .map_err(|e| Error::Parameters(e.to_string()))?;
        expect_finite(&out)?;
        Ok(Values(out))
    }

    pub(crate) fn restated(self, position: P::Position) -> Self {
        Self { polynomial: self.polynomial.restated(position, self.log_slots()), ..self }
    }
}

as_bytes!({P: Approximate} Plaintext<P>, P, |_: &Self| KeyId::ANY);

impl<P: Approximate> Vector for Plaintext<P> {
    type About = Range;

    fn parts(&self) -> (Head<P, Range>, View<'_>) {
        let (log_slots, position) = (self.log_slots(), self.position());
        (Head { log_slots, position, about: self.range(), polys: 1, seed: None }, self.view())
    }

    fn from_parts(ctx: &Context<P>, _: KeyId, head: Head<P, Range>, buf: Buf) -> Self {
        Self::new(ctx, buf, head.position, head.log_slots, head.about)
    }
}

impl<P: Approximate> fmt::Debug for Plaintext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Plaintext(", P::PREFIX)?;
        self.params().describe(self.position(), f)?;
        write!(f, ", {} slots)", self.slots())
    }
}
