//! What is known of a ciphertext besides its polynomials: how far its values are off, and how large they can be.
//!
//! An error polynomial with independent coefficients of variance V has, in every slot, a complex value with `E|e|^2 = N V`. Slots
//! multiply, so slots are what is tracked. Two figures are kept of every error. The *variance* is an estimate for users: the
//! second moment in the worst slot. The *bound* holds in every slot for the worst values within their stated magnitudes, and over
//! keys and noise but with a probability of `2^-64`: it decides how much noise hides an error when a result is shared. The formulas
//! and their argument are in `docs/proofs/noise.md`; tests hold both figures against measurement.

mod precision;
mod range;
mod scale;

pub use precision::precision_text;
pub use range::Range;
pub use scale::Scale;

use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Error, Result};

/// A polynomial with N independent sub-Gaussian coefficients of variance V is below `TAIL sqrt(N V)` in all slots but with a
/// probability of `2^-90`, for N up to `2^17`: a slot's projection on each of eight directions exceeds
/// `cos(pi/8) TAIL sqrt(N V)` with a probability of `exp(-77)` at most, and there are `2^19` of them.
pub(crate) const TAIL: f64 = 9.5;

/// Relative error of values that are encoded and decoded in double precision: about three units in the last place.
const DOUBLE: f64 = 7e-16;

/// An error that an operation adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added {
    /// `E|e|^2` in a slot, in units of the scaled integers.
    pub variance: f64,
    /// Bound on `|e|` in every slot.
    pub bound: f64,
}

impl Added {
    /// Nothing.
    pub(crate) const NONE: Self = Self { variance: 0.0, bound: 0.0 };

    /// The sum over N coefficients that are independent with this variance, or products of two such polynomials where there are
    /// two factors of `TAIL`.
    pub(crate) fn random(variance: f64, tails: i32) -> Self {
        Self { variance, bound: TAIL.powi(tails) * variance.sqrt() }
    }

    /// An error that no randomness is in, of this size at most.
    pub(crate) fn fixed(size: f64) -> Self {
        Self { variance: size * size, bound: size }
    }

    /// So many independent ones.
    pub(crate) fn times(self, count: f64) -> Self {
        Self { variance: self.variance * count, bound: self.bound * count }
    }

    /// Of a product of two.
    pub(crate) fn product(self, other: Self) -> Self {
        Self { variance: self.variance * other.variance, bound: self.bound * other.bound }
    }
}

impl std::ops::Add for Added {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { variance: self.variance + other.variance, bound: self.bound + other.bound }
    }
}

/// The encryptions that an error stems from: a set with a bit for each, so that different ones can share a bit. Errors without a
/// common bit are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sources(u128);

impl Sources {
    /// No encryption: the error of what is public.
    pub const NONE: Self = Self(0);

    /// One encryption; `number` is any byte that is uniform over encryptions.
    pub(crate) fn one(number: u8) -> Self {
        Self(1 << (number & 127))
    }

    /// An encryption that has no randomness: they take the bits in turns.
    pub(crate) fn next() -> Self {
        static COUNT: AtomicU8 = AtomicU8::new(0);
        Self::one(COUNT.fetch_add(1, Ordering::Relaxed))
    }

    fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Error and range of a ciphertext.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    variance: f64,
    bound: f64,
    range: Range,
    /// log2 of the scale that variance and bound refer to.
    scale_log2: f64,
    sources: Sources,
    /// Whether a rotation or a conjugation is behind it.
    turned: bool,
    /// Whether errors of different slots may depend on each other.
    mixed: bool,
}

impl Noise {
    /// An error of one or more encryptions, of values within `range` at `scale`.
    pub(crate) fn new(error: Added, range: Range, scale: Scale, sources: Sources) -> Self {
        let Added { variance, bound } = error;
        Self { variance, bound, range, scale_log2: scale.log2(), sources, turned: false, mixed: false }
    }

    /// Error as `E|e|^2` in the worst slot, in units of the scaled integers.
    pub fn variance(self) -> f64 {
        self.variance
    }

    /// Bound on the error in every slot, in units of the scaled integers; infinite where none is known.
    pub fn bound(self) -> f64 {
        self.bound
    }

    /// Both.
    pub(crate) fn error(self) -> Added {
        Added { variance: self.variance, bound: self.bound }
    }

    /// Bounds on the values.
    pub fn range(self) -> Range {
        self.range
    }

    /// Bound on the absolute value of every slot.
    pub fn magnitude(self) -> f64 {
        self.range.magnitude()
    }

    /// For bytes: variance, bound, range; sources, turned, mixed.
    pub(crate) fn parts(self) -> ([f64; 6], (u128, bool, bool)) {
        let [magnitude, low, high, imaginary] = self.range.parts();
        ([self.variance, self.bound, magnitude, low, high, imaginary], (self.sources.0, self.turned, self.mixed))
    }

    /// From what bytes say; `None` where these are no bounds.
    pub(crate) fn from_parts(
        [variance, bound, magnitude, low, high, imaginary]: [f64; 6],
        (sources, turned, mixed): (u128, bool, bool),
        scale: Scale,
    ) -> Option<Self> {
        let range = Range::from_parts([magnitude, low, high, imaginary])?;
        let (valid, sources) = (variance >= 0.0 && bound >= 0.0, Sources(sources));
        valid.then_some(Self { variance, bound, range, scale_log2: scale.log2(), sources, turned, mixed })
    }

    fn depends(self, other: Self) -> bool {
        self.sources.meets(other.sources)
    }

    /// Standard deviations of dependent errors add up, variances of independent ones.
    fn joined(self, other: Self) -> f64 {
        match self.depends(other) {
            true => (self.variance.sqrt() + other.variance.sqrt()).powi(2),
            false => self.variance + other.variance,
        }
    }

    /// What two errors that meet have in common. Where they depend on each other and one is a rotation, one slot's error is now
    /// in two slots.
    fn with(self, other: Self) -> Self {
        Self {
            sources: self.sources.with(other.sources),
            turned: self.turned || other.turned,
            mixed: self.mixed || other.mixed || (self.depends(other) && (self.turned || other.turned)),
            ..self
        }
    }

    /// Of a sum, at the scale of both.
    pub(crate) fn sum(self, other: Self) -> Self {
        let (variance, bound) = (self.joined(other), self.bound + other.bound);
        Self { variance, bound, range: self.range.sum(other.range), ..self.with(other) }
    }

    /// Of a difference.
    pub(crate) fn difference(self, other: Self) -> Self {
        self.sum(Self { range: other.range.negated(), ..other })
    }

    /// Of a product before any rescaling, which is at `scale`.
    pub(crate) fn product(self, other: Self, scale: Scale) -> Self {
        self.times(other, self.range.product(other.range), scale)
    }

    /// Of a square.
    pub(crate) fn square(self, scale: Scale) -> Self {
        self.times(self, self.range.squared(), scale)
    }

    fn times(self, other: Self, range: Range, scale: Scale) -> Self {
        let (a, b) = (self.magnitude() * self.scale(), other.magnitude() * other.scale());
        let left = Self { variance: a * a * other.variance, ..other };
        let right = Self { variance: b * b * self.variance, ..self };
        // the fourth moment of a Gaussian
        let second = if self.depends(other) { 2.0 } else { 1.0 } * self.variance * other.variance;
        let (variance, bound) =
            (left.joined(right) + second, a * other.bound + b * self.bound + self.bound * other.bound);
        Self { variance, bound, range, scale_log2: scale.log2(), ..self.with(other) }
    }

    /// The sum of `terms` rotations of one ciphertext, of errors that are `switching` more each: slots of an error that was never
    /// mixed are independent.
    pub(crate) fn rotations(self, terms: usize, switching: Added) -> Self {
        let count = terms as f64;
        let square = |variance: f64| if self.mixed { (count * variance.sqrt()).powi(2) } else { count * variance };
        let variance = square(self.variance) + count * switching.variance;
        let bound = count * (self.bound + switching.bound);
        let mixed = self.mixed || terms > 1;
        Self { variance, bound, range: self.range.repeated(terms), mixed, turned: true, ..self }
    }

    /// The sum of `count` of `slots` slots at distance `stride`.
    pub(crate) fn inner_sum(self, stride: i64, count: usize, slots: usize, switching: Added) -> Self {
        if count <= 1 {
            return self;
        }
        let distinct = slots >> stride.unsigned_abs().trailing_zeros().min(slots.trailing_zeros());
        // beyond, the same slots are added again
        Self { mixed: self.mixed || count > distinct, ..self }.rotations(count, switching)
    }

    /// The same ciphertext, `count` times.
    pub(crate) fn repeated(self, count: usize) -> Self {
        let factor = count as f64;
        let range = self.range.repeated(count);
        Self { variance: self.variance * factor * factor, bound: self.bound * factor, range, ..self }
    }

    /// The image under a matrix: of each row, the absolute values of its entries add up to at most `norm`, their squares to at
    /// most `squares`. `other` is added to every slot; scales multiply.
    pub(crate) fn mapped(self, switching: Added, norm: f64, squares: f64, range: Range, scale: Scale) -> Self {
        let own = if self.mixed { norm * norm * self.variance } else { squares * self.variance };
        let (variance, bound) = (own + squares * switching.variance, norm * (self.bound + switching.bound));
        Self { variance, bound, range, scale_log2: scale.log2(), turned: true, mixed: true, ..self }
    }

    /// Adds an independent error.
    pub(crate) fn plus(self, error: Added) -> Self {
        Self { variance: self.variance + error.variance, bound: self.bound + error.bound, ..self }
    }

    /// Adds an error that may be the same each time.
    pub(crate) fn plus_fixed(self, error: Added) -> Self {
        let variance = (self.variance.sqrt() + error.variance.sqrt()).powi(2);
        Self { variance, bound: self.bound + error.bound, ..self }
    }

    /// Division by `2^divisor_log2`, with the error of rounding.
    pub(crate) fn divided(self, divisor_log2: f64, rounding: Added, scale: Scale) -> Self {
        let by = (-divisor_log2).exp2();
        let shrunk = Self { variance: self.variance * by * by, bound: self.bound * by, ..self };
        Self { scale_log2: scale.log2(), ..shrunk }.plus(rounding)
    }

    /// The polynomials times `factor`, the values times `value`; the result is at `scale`.
    pub(crate) fn scaled(self, factor: f64, value: f64, scale: Scale) -> Self {
        let bound = if factor == 0.0 { 0.0 } else { self.bound * factor.abs() };
        let (variance, range) = (self.variance * factor * factor, self.range.scaled(value));
        Self { variance, bound, range, scale_log2: scale.log2(), ..self }
    }

    /// The same values under another name of the scale that differs from the true one by `relative`.
    pub(crate) fn renamed(self, scale: Scale, relative: f64) -> Self {
        let error = Added::fixed(relative * self.magnitude() * self.scale());
        Self { scale_log2: scale.log2(), ..self }.plus_fixed(error)
    }

    /// The same relative error at another scale.
    pub(crate) fn moved(self, scale: Scale) -> Self {
        let factor = scale.value() / self.scale();
        let (variance, bound) = (self.variance * factor * factor, self.bound * factor);
        Self { variance, bound, scale_log2: scale.log2(), ..self }
    }

    /// Times i, exactly.
    pub(crate) fn times_i(self) -> Self {
        self.with_range(self.range.times_i())
    }

    /// The same under a rotation or conjugation.
    pub(crate) fn turned(self, switching: Added) -> Self {
        Self { turned: true, ..self }.plus(switching)
    }

    /// The same error of slots that are fewer or more: `factor` times the variance.
    pub(crate) fn repacked(self, factor: f64) -> Self {
        Self { variance: self.variance * factor, mixed: true, ..self }
    }

    /// Values within other bounds, which the caller knows.
    pub(crate) fn with_range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    /// Values whose parts are up to `magnitude`, real where they were.
    pub(crate) fn with_magnitude(self, magnitude: f64) -> Self {
        self.with_range(Range::within(magnitude, self.range.is_real()))
    }

    /// An error without a bound that is proved.
    pub(crate) fn unbounded(self) -> Self {
        Self { bound: f64::INFINITY, mixed: true, ..self }
    }

    fn scale(self) -> f64 {
        self.scale_log2.exp2()
    }

    /// log2 of the standard deviation of the error of a slot's real part. Values are encoded and decoded in double precision,
    /// which no error is below.
    pub fn error_log2(self) -> f64 {
        let double = DOUBLE * self.magnitude();
        (0.5 * (self.variance / 2.0).log2() - self.scale_log2).exp2().hypot(double).log2()
    }

    /// Estimated precision in bits: `-log2` of the standard deviation of the error of a slot's real part.
    pub fn precision_bits(self) -> f64 {
        -self.error_log2()
    }

    /// log2 of what every coefficient of the decrypted polynomial is below, error included: no coefficient is larger than the
    /// largest slot.
    pub fn size_log2(self) -> f64 {
        let error = if self.bound.is_finite() { self.bound } else { 8.0 * TAIL * self.variance.sqrt() };
        (self.magnitude() * self.scale() + error).log2()
    }

    /// Refuses values that could wrap around a modulus of `modulus_log2` bits. An error that is estimated larger than the values
    /// counts as large as they are: of such a result no bit is promised, and of a long iteration that corrects its own errors the
    /// estimate grows beyond all bounds.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub(crate) fn expect_room(self, op: &'static str, modulus_log2: f64) -> Result<()> {
        let values = self.magnitude().log2() + self.scale_log2;
        let (needed, available) = (self.size_log2().min(values + 1.0), modulus_log2 - 1.0);
        // NaN is refused, too
        if needed < available {
            return Ok(());
        }
        Err(Error::Overflow { op, magnitude: self.magnitude(), scale_log2: self.scale_log2, needed, available })
    }
}
