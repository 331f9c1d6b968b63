//! Encoded vectors, and the checks of their numbers of slots.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use ringjet_backend::{Buf, View};

use super::{Polynomials, Vectors};
use crate::noise::{ErrorTerm, Sources};
use crate::rlwe::{Context, Ring};
use crate::wire::{Head, Held, Vector, as_bytes};
use crate::{Error, KeyId, Noise, Range, Result, Stated};

/// Refuses more values than slots, and more slots than half the ring degree `2^log_n`.
pub(crate) fn expect_slots(len: usize, log_slots: u32, log_n: u32) -> Result<()> {
    if log_slots >= log_n || len > 1 << log_slots {
        let slots = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
        return Err(Error::SlotCount { found: len, slots, max: 1 << (log_n - 1) });
    }
    Ok(())
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
pub struct Plaintext<P: Vectors> {
    polynomial: Polynomials<P>,
    range: Range,
    stated: Stated,
    /// Whether the coefficients were integers before rounding, so that encoding added no error.
    exact: bool,
    /// In exact schemes, bounds on the polynomial as a factor of products, once they are known.
    factor: Arc<OnceLock<ErrorTerm>>,
}

impl<P: Vectors> Deref for Plaintext<P> {
    type Target = Polynomials<P>;

    fn deref(&self) -> &Polynomials<P> {
        &self.polynomial
    }
}

impl<P: Vectors> Plaintext<P> {
    pub(crate) fn new(ctx: &Context<P>, buf: Buf, position: P::Position, log_slots: u32, range: Range) -> Self {
        let polynomial = Polynomials::new(ctx.params(), buf, 1, position, log_slots);
        Self { polynomial, range, stated: Stated::Magnitude(1.0), exact: false, factor: Arc::default() }
    }

    /// States the bounds on the values that a ciphertext of this plaintext will carry. Fails as
    /// [`Stated::of`] does.
    pub(crate) fn stating(self, stated: Stated) -> Result<Self> {
        stated.of(self.range)?;
        Ok(Self { stated, ..self })
    }

    /// States how many of the first slots hold values: those that were encoded, unless it is stated.
    /// A ciphertext of the plaintext carries it. Fails with [`Error::Argument`] for a count of 0 or
    /// above the number of slots.
    pub fn with_count(self, count: usize) -> Result<Self> {
        let held = self.held().counting(count, self.slots())?;
        Ok(self.with_held(held))
    }

    /// [`Self::with_count`] of a clone.
    pub(crate) fn counted(&self, count: usize) -> Result<Self> {
        self.clone().with_count(count)
    }

    /// The encoding of `len` values; all other slots are 0.
    pub(crate) fn holding(self, len: usize) -> Self {
        let held = Held::first(len, self.slots(), true).unwrap_or(Held::ALL);
        self.with_held(held)
    }

    pub(crate) fn with_held(self, held: Held) -> Self {
        Self { polynomial: self.polynomial.with_held(held), ..self }
    }

    /// Marks a plaintext whose coefficients were not rounded.
    pub(crate) fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Bounds on the polynomial as a factor of products, which copies of the plaintext share.
    pub(crate) fn factor(&self) -> &OnceLock<ErrorTerm> {
        &self.factor
    }

    /// The exact bounds on the values.
    pub fn range(&self) -> Range {
        self.range
    }

    /// The error and range of the plaintext as a factor of a product.
    pub(crate) fn noise(&self) -> Noise {
        let error = if self.exact { ErrorTerm::NONE } else { self.encoding_error() };
        Noise::new(error, self.range, P::scale_of(self.position()), Sources::NONE)
    }

    /// The error of an encoding that rounds: of its coefficients, and of doubles before.
    pub(crate) fn encoding_error(&self) -> ErrorTerm {
        let doubles = encoded_in_doubles::<P>(self.range, self.position());
        self.params().encoding_error(self.log_slots()) + doubles
    }

    /// The range that a ciphertext states. Fails as [`Stated::of`] does.
    pub(crate) fn stated_range(&self) -> Result<Range> {
        self.stated.of(self.range)
    }

    pub(crate) fn restated(self, position: P::Position) -> Self {
        Self { polynomial: self.polynomial.restated(position, self.log_slots()), ..self }
    }
}

/// The rounding of values within `range` to doubles while they are encoded; exact schemes have none.
pub(crate) fn encoded_in_doubles<P: Vectors>(range: Range, position: P::Position) -> ErrorTerm {
    if P::EXACT { ErrorTerm::NONE } else { ErrorTerm::doubles(range.magnitude() * P::scale_of(position).value()) }
}

as_bytes!({P: Vectors} Plaintext<P>, P, |_: &Self| KeyId::ANY);

impl<P: Vectors> Vector for Plaintext<P> {
    type About = Range;

    fn parts(&self) -> (Head<P, Range>, View<'_>) {
        let (log_slots, position) = (self.log_slots(), self.position());
        (Head { log_slots, held: self.held(), position, about: self.range(), polys: 1, seed: None }, self.view())
    }

    fn from_parts(ctx: &Context<P>, _: KeyId, head: Head<P, Range>, buf: Buf) -> Self {
        // exact values wrap around, so no smaller bound on them is ever stated
        let stated = Stated::Magnitude(if P::EXACT { head.about.magnitude() } else { 1.0 });
        Self { stated, ..Self::new(ctx, buf, head.position, head.log_slots, head.about) }.with_held(head.held)
    }
}

impl<P: Vectors> fmt::Debug for Plaintext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Plaintext(", P::PREFIX)?;
        self.params().describe(self.position(), f)?;
        write!(f, ", {} slots)", self.slots())
    }
}
