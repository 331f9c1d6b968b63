//! Vectors of slots in the clear and encoded, and the checks of both.

use std::fmt;
use std::ops::Deref;

use ringjet_backend::{Buf, View};
use ringjet_math::embed::{self, Coefficients, EmbedError};
use ringjet_math::fft::Complex64;

use super::{Approximate, Polynomials};
use crate::noise::{Added, Sources};
use crate::rlwe::{Context, Ring};
use crate::wire::{Head, Vector, as_bytes};
use crate::{Error, KeyId, Noise, Range, Result};

/// A vector of slots.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(pub Vec<Complex64>);

impl Values {
    /// The real parts.
    pub fn real(&self) -> Vec<f64> {
        self.0.iter().map(|z| z.re).collect()
    }

    pub(crate) fn rounded(self, bits: u32) -> Self {
        let unit = 2f64.powi(bits as i32);
        let round = |x: f64| (x * unit).round() / unit;
        Self(self.0.into_iter().map(|z| Complex64 { re: round(z.re), im: round(z.im) }).collect())
    }
}

/// Refuses coefficients that cannot be a message below `2^size_log2` modulo q = `2^modulus_log2`.
/// The sender states `size_log2`. A second check does not depend on the sender: if all slots are
/// below q/2, the squares of the coefficients add up to less than `(q/2)^2`. The coefficients of
/// garbage are uniform modulo q, and their squares add up to about `N * q^2 / 12`.
pub(crate) fn expect_message(coefficients: &[f64], size_log2: f64, modulus_log2: f64) -> Result<()> {
    let half = modulus_log2 - 1.0;
    let unit = (-half).exp2();
    let (mut most, mut squares) = (0.0f64, 0.0);
    for c in coefficients {
        let c = c.abs() * unit;
        most = most.max(c);
        squares += c * c;
    }
    let (most, length) = (most.log2() + half, 0.5 * squares.log2() + half);
    // `1e-9` allows for rounding of the coefficients of the largest values
    let (limit_log2, half) = (size_log2.min(half) + 1e-9, half + 1e-9);
    // NaN is refused, too
    if most <= limit_log2 && length <= half || squares == 0.0 {
        return Ok(());
    }
    Err(Error::Garbage { found_log2: if most <= limit_log2 { length } else { most }, limit_log2 })
}

/// Refuses NaN and infinities, naming the first one.
pub(crate) fn expect_finite(values: &[Complex64]) -> Result<()> {
    for (index, z) in values.iter().enumerate() {
        for value in [z.re, z.im] {
            if !value.is_finite() {
                return Err(Error::NotFinite { index, value });
            }
        }
    }
    Ok(())
}

/// Refuses more values than slots, and more slots than half the ring degree `2^log_n`.
pub(crate) fn expect_slots(len: usize, log_slots: u32, log_n: u32) -> Result<()> {
    if log_slots >= log_n || len > 1 << log_slots {
        let slots = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
        return Err(Error::SlotCount { found: len, slots, max: 1 << (log_n - 1) });
    }
    Ok(())
}

pub(crate) fn magnitude(values: &[Complex64]) -> f64 {
    values.iter().fold(0.0f64, |m, z| m.max(z.re.abs()).max(z.im.abs()))
}

/// The integer coefficients of an encoding at `scale`, and the largest absolute value of a
/// coefficient. If a coefficient exceeds 128 bits, `refuse` makes the error from its binary
/// logarithm.
pub(crate) fn rounded(
    ring: &Ring,
    values: &[Complex64],
    scale: f64,
    log_slots: u32,
    refuse: impl Fn(f64) -> Error,
) -> Result<(Coefficients, u128)> {
    let all = embed::encode_coefficients(ring.fft(log_slots), values, ring.log_n(), scale).map_err(|e| match e {
        EmbedError::TooLarge { magnitude, .. } => refuse(magnitude.log2()),
        EmbedError::NotFinite { .. } => refuse(scale.log2() + magnitude(values).log2()),
        e => Error::Parameters(e.to_string()),
    })?;
    let largest = match &all {
        Coefficients::I64(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())).into(),
        Coefficients::I128(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())),
    };
    Ok((all, largest))
}

/// Refuses more slots than the ring has.
pub(crate) fn expect_log_slots(ring: &Ring, log_slots: u32) -> Result<()> {
    if log_slots < ring.log_n() {
        return Ok(());
    }
    let found = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
    Err(Error::SlotCount { found, slots: ring.max_slots(), max: ring.max_slots() })
}

/// An encoded vector: one polynomial. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Plaintext<P: Approximate> {
    polynomial: Polynomials<P>,
    range: Range,
    stated: f64,
    /// Whether the coefficients were integers before rounding, so that encoding added no error.
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

    /// States the bound on the absolute values of real and imaginary parts that a ciphertext of
    /// this plaintext will carry. It is 1 unless stated; the values' own bound would reveal
    /// something about them. Fails with [`Error::Magnitude`] if a value is larger, and with
    /// [`Error::Argument`] unless the bound is positive and finite.
    pub fn with_magnitude(self, stated: f64) -> Result<Self> {
        Ok(Self { stated: self.range.stated(stated)?, ..self })
    }

    /// Marks a plaintext whose coefficients were not rounded.
    pub(crate) fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// The exact bounds on the values.
    pub fn range(&self) -> Range {
        self.range
    }

    /// The error and range of the plaintext as a factor of a product.
    pub(crate) fn noise(&self) -> Noise {
        let error = if self.exact { Added::NONE } else { self.params().encoding_error(self.log_slots()) };
        Noise::new(error, self.range, P::scale_of(self.position()), Sources::NONE)
    }

    /// The range that a ciphertext states: real or complex, up to the stated magnitude.
    /// Fails with [`Error::Magnitude`] for larger values.
    pub(crate) fn stated_range(&self) -> Result<Range> {
        Ok(Range::within(self.range.stated(self.stated)?, self.range.is_real()))
    }

    /// The values of all slots.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; [`Error::Backend`] if the backend only counts;
    /// [`Error::NotFinite`] if a value exceeds the range of a double. That happens after decryption
    /// with the wrong key, or if the values exceeded the modulus.
    pub fn decode(&self, ctx: &Context<P>) -> Result<Values> {
        self.decode_checked(ctx, None)
    }

    /// The values of all slots. With `size_log2`, refuses a coefficient above `2^size_log2`.
    pub(crate) fn decode_checked(&self, ctx: &Context<P>, size_log2: Option<f64>) -> Result<Values> {
        let ring = ctx.params().ring();
        ring.expect_same("plaintext", self.params().ring())?;
        // the check needs all coefficients; the slots depend on some of them only
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
