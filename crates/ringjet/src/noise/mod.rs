//! The error of a ciphertext and the range of its values.
//!
//! Errors are tracked in slots, because products are taken slot by slot. If the N coefficients of
//! an error polynomial are independent with variance V, its value e in every slot is complex with
//! `E|e|^2 = N * V`. [`Noise`] keeps two figures of an error:
//!
//! * the *variance*: an estimate of `E|e|^2` in the worst slot, for users;
//! * the *bound*: `|e|` is below it in every slot, for all values within their stated ranges,
//!   except with a probability of at most `2^-64` over keys and encryption noise. The noise that is
//!   added before a result is shared depends on it.
//!
//! Exact schemes (BGV, BFV) have no estimate, as nothing may depend on one there. They have three
//! bounds: on every slot, on the Euclidean length of the coefficients, and on every coefficient.
//!
//! `docs/proofs/noise.md` has the formulas and the argument. Tests compare both figures with
//! measured errors.

mod range;
mod scale;
mod stated;
mod sum;

pub use range::Range;
pub use scale::Scale;
pub use stated::Stated;
pub(crate) use sum::Groups;

use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Error, Result};

/// A polynomial with N independent sub-Gaussian coefficients of variance V stays below
/// `TAIL * sqrt(N * V)` in all slots with a probability of at least `1 - 2^-90`, for N up to
/// `2^17`. Proof: the projection of a slot on one of eight directions exceeds
/// `cos(pi/8) * TAIL * sqrt(N * V)` with a probability of at most `exp(-77)`. There are at most
/// `2^19` pairs of a slot and a direction.
pub(crate) const TAIL: f64 = 9.5;

/// Relative error of encoding in double precision, and of decoding: the root of the mean of `|e|^2`
/// is about one and a third units in the last place each.
const DOUBLE: f64 = 3e-16;

/// An error that an operation adds, in units of the scaled integers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorTerm {
    /// `E|e|^2` in a slot. 0 in exact schemes.
    pub variance: f64,
    /// Bound on `|e|` in every slot.
    pub bound: f64,
    /// Bound on the Euclidean length of the coefficients, the root mean square of all slots. In
    /// approximate schemes the same as `bound`, which is never smaller.
    pub length: f64,
    /// Bound on every coefficient. In approximate schemes the same as `bound`.
    pub largest: f64,
}

impl ErrorTerm {
    pub(crate) const NONE: Self = Self::new(0.0, 0.0);

    /// An error with this estimate and this bound.
    pub(crate) const fn new(variance: f64, bound: f64) -> Self {
        Self { variance, bound, length: bound, largest: bound }
    }

    /// An error of an exact scheme with these bounds on slots, length and coefficients. No length is
    /// above the largest slot, and no coefficient above the length.
    pub(crate) fn bounded(bound: f64, length: f64, largest: f64) -> Self {
        let length = length.min(bound);
        Self { variance: 0.0, bound, length, largest: largest.min(length) }
    }

    /// The error of a random polynomial, or of a product of `tails` random polynomials. `variance`
    /// is `E|e|^2` in a slot. The bound has one factor [`TAIL`] for each polynomial.
    pub(crate) fn random(variance: f64, tails: i32) -> Self {
        Self::new(variance, TAIL.powi(tails) * variance.sqrt())
    }

    /// An error without randomness, of at most this size in every slot.
    pub(crate) fn fixed(size: f64) -> Self {
        Self::new(size * size, size)
    }

    /// The rounding to doubles while values of at most `size` are encoded. It depends on the values alone
    /// and hides nothing, so it is no part of the bound.
    pub(crate) fn doubles(size: f64) -> Self {
        Self::new((DOUBLE * size).powi(2), 0.0)
    }

    /// The error times a factor that is not negative.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self { variance: self.variance * factor * factor, ..self.bounds_times(factor) }
    }

    /// The sum of `count` independent errors of this kind.
    pub(crate) fn times(self, count: f64) -> Self {
        Self { variance: self.variance * count, ..self.bounds_times(count) }
    }

    /// The same variance, and the bounds times a factor that is not negative.
    fn bounds_times(self, factor: f64) -> Self {
        // an unbounded error times 0 is 0
        let times = |bound: f64| if factor == 0.0 { 0.0 } else { bound * factor };
        let [bound, length, largest] = [self.bound, self.length, self.largest].map(times);
        Self { bound, length, largest, ..self }
    }

    /// The product of two errors: independent ones for the variance, any for the bounds. A
    /// coefficient of a product is at most the product of both lengths (Cauchy and Schwarz).
    pub(crate) fn product(self, other: Self) -> Self {
        Self {
            variance: self.variance * other.variance,
            bound: self.bound * other.bound,
            length: (self.length * other.bound).min(self.bound * other.length),
            largest: self.length * other.length,
        }
    }

    /// The same variance, and for each bound the larger one.
    pub(crate) fn or_bounds_of(self, other: Self) -> Self {
        Self {
            variance: self.variance,
            bound: self.bound.max(other.bound),
            length: self.length.max(other.length),
            largest: self.largest.max(other.largest),
        }
    }
}

impl std::ops::Add for ErrorTerm {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            variance: self.variance + other.variance,
            bound: self.bound + other.bound,
            length: self.length + other.length,
            largest: self.largest + other.largest,
        }
    }
}

/// The encryptions whose randomness an error depends on, as a set of 128 bits. Each encryption has
/// one bit, and several can share a bit. Two errors without a common bit are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sources(u128);

impl Sources {
    /// No encryption: a public value has no random error.
    pub const NONE: Self = Self(0);

    /// One encryption. `number` is a byte that is uniform over encryptions, such as a seed's first.
    pub(crate) fn one(number: u8) -> Self {
        Self(1 << (number & 127))
    }

    /// The source of an encryption on a backend that only counts: takes the 128 bits in turn.
    pub(crate) fn next() -> Self {
        static COUNT: AtomicU8 = AtomicU8::new(0);
        Self::one(COUNT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The error of a ciphertext and the range of its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    error: ErrorTerm,
    range: Range,
    /// log2 of the scale.
    scale_log2: f64,
    sources: Sources,
    /// Whether the ciphertext was rotated or conjugated.
    turned: bool,
    /// Whether the errors of different slots can be correlated.
    mixed: bool,
}

impl Noise {
    /// An error that depends on `sources`, of values within `range` at `scale`.
    pub(crate) fn new(error: ErrorTerm, range: Range, scale: Scale, sources: Sources) -> Self {
        Self { error, range, scale_log2: scale.log2(), sources, turned: false, mixed: false }
    }

    /// Error as `E|e|^2` in the worst slot, in units of the scaled integers.
    pub fn variance(self) -> f64 {
        self.error.variance
    }

    /// Bound on the error in every slot, in units of the scaled integers; infinite where none is
    /// known.
    pub fn bound(self) -> f64 {
        self.error.bound
    }

    /// Bound on the Euclidean length of the error's coefficients. In approximate schemes the same as
    /// the bound.
    pub fn length(self) -> f64 {
        self.error.length
    }

    /// Bound on every coefficient of the error. In approximate schemes the same as the bound.
    pub fn largest(self) -> f64 {
        self.error.largest
    }

    pub(crate) fn error(self) -> ErrorTerm {
        self.error
    }

    /// Bounds on the values.
    pub fn range(self) -> Range {
        self.range
    }

    /// Bound on the absolute value of every slot.
    pub fn magnitude(self) -> f64 {
        self.range.magnitude()
    }

    /// The fields that the wire format keeps: variance, bound, range; sources, turned, mixed.
    pub(crate) fn parts(self) -> ([f64; 6], (u128, bool, bool)) {
        let [magnitude, low, high, imaginary] = self.range.parts();
        let ErrorTerm { variance, bound, .. } = self.error;
        ([variance, bound, magnitude, low, high, imaginary], (self.sources.0, self.turned, self.mixed))
    }

    /// From the fields of [`Noise::parts`]; `None` where variance, bound or range are invalid.
    pub(crate) fn from_parts(
        [variance, bound, magnitude, low, high, imaginary]: [f64; 6],
        (sources, turned, mixed): (u128, bool, bool),
        scale: Scale,
    ) -> Option<Self> {
        let range = Range::from_parts([magnitude, low, high, imaginary])?;
        let made = Self::new(ErrorTerm::new(variance, bound), range, scale, Sources(sources));
        (variance >= 0.0 && bound >= 0.0).then_some(Self { turned, mixed, ..made })
    }

    /// The fields that the wire format keeps in exact schemes: the three bounds, and the range.
    pub(crate) fn exact_parts(self) -> [f64; 7] {
        let ErrorTerm { bound, length, largest, .. } = self.error;
        let [magnitude, low, high, imaginary] = self.range.parts();
        [bound, length, largest, magnitude, low, high, imaginary]
    }

    /// From the fields of [`Noise::exact_parts`]; `None` where they are invalid.
    pub(crate) fn from_exact_parts([bound, length, largest, range @ ..]: [f64; 7], scale: Scale) -> Option<Self> {
        let ordered = 0.0 <= largest && largest <= length && length <= bound;
        let error = ErrorTerm::bounded(bound, length, largest);
        ordered.then_some(Self::new(error, Range::from_parts(range)?, scale, Sources::NONE))
    }

    /// Whether the two errors can depend on the same encryption.
    pub(crate) fn depends(self, other: Self) -> bool {
        self.sources.0 & other.sources.0 != 0
    }

    /// Variance of a sum: dependent errors add standard deviations, independent ones variances.
    fn joined(self, other: Self) -> f64 {
        let (own, others) = (self.error.variance, other.error.variance);
        if self.depends(other) { (own.sqrt() + others.sqrt()).powi(2) } else { own + others }
    }

    /// Merges the sources and flags of two errors that are combined. If both depend on the same
    /// encryption and one was rotated, the error of one slot also occurs in another slot, so slots
    /// are correlated.
    fn with(self, other: Self) -> Self {
        Self {
            sources: Sources(self.sources.0 | other.sources.0),
            turned: self.turned || other.turned,
            mixed: self.mixed || other.mixed || (self.depends(other) && (self.turned || other.turned)),
            ..self
        }
    }

    /// The noise of a sum of two ciphertexts of one scale.
    pub(crate) fn sum(self, other: Self) -> Self {
        let error = ErrorTerm { variance: self.joined(other), ..self.error + other.error };
        Self { error, range: self.range.sum(other.range), ..self.with(other) }
    }

    pub(crate) fn difference(self, other: Self) -> Self {
        self.sum(Self { range: other.range.negated(), ..other })
    }

    /// The noise of a product before rescaling; `scale` is the product's.
    pub(crate) fn product(self, other: Self, scale: Scale) -> Self {
        self.times(other, self.range.product(other.range), scale)
    }

    pub(crate) fn square(self, scale: Scale) -> Self {
        self.times(self, self.range.squared(), scale)
    }

    fn times(self, other: Self, range: Range, scale: Scale) -> Self {
        let (a, b) = (self.magnitude() * self.scale(), other.magnitude() * other.scale());
        let (own, others) = (self.error, other.error);
        let left = other.with_error(a * a * others.variance, a * others.bound);
        let right = self.with_error(b * b * own.variance, b * own.bound);
        // E|e|^4 of a complex Gaussian is 2 (E|e|^2)^2
        let second = if self.depends(other) { 2.0 } else { 1.0 } * own.variance * others.variance;
        let bound = left.bound() + right.bound() + own.bound * others.bound;
        Self { range, scale_log2: scale.log2(), ..self.with(other).with_error(left.joined(right) + second, bound) }
    }

    /// The noise of a sum of `terms` rotations of one ciphertext. Each rotation adds the error
    /// `switching`. Where the errors of slots are not correlated yet, their variances add up.
    pub(crate) fn rotations(self, terms: usize, switching: ErrorTerm) -> Self {
        let count = terms as f64;
        let square = |variance: f64| if self.mixed { (count * variance.sqrt()).powi(2) } else { count * variance };
        let variance = square(self.error.variance) + count * switching.variance;
        let error = ErrorTerm { variance, ..(self.error + switching).times(count) };
        Self { error, range: self.range.scaled(count), mixed: self.mixed || terms > 1, turned: true, ..self }
    }

    /// The noise after every slot is replaced by the sum of `count` different slots. Each rotation
    /// adds the error `switching`.
    pub(crate) fn inner_sum(self, count: usize, switching: ErrorTerm) -> Self {
        if count <= 1 {
            return self;
        }
        self.rotations(count, switching)
    }

    /// The noise of a ciphertext added to itself, `count` terms in all.
    pub(crate) fn repeated(self, count: usize) -> Self {
        let count = count as f64;
        Self { error: self.error.scaled(count), range: self.range.scaled(count), ..self }
    }

    /// The noise of a matrix times the slots. In each row the absolute values of the entries add up
    /// to at most `norm` and their squares to at most `squares`. `switching` is the error that each
    /// rotation adds. The result has values within `range` and is at `scale`.
    pub(crate) fn mapped(self, switching: ErrorTerm, norm: f64, squares: f64, range: Range, scale: Scale) -> Self {
        let own = if self.mixed { norm * norm } else { squares } * self.error.variance;
        let (variance, bound) = (own + squares * switching.variance, norm * (self.error.bound + switching.bound));
        Self {
            error: ErrorTerm::new(variance, bound),
            range,
            scale_log2: scale.log2(),
            turned: true,
            mixed: true,
            ..self
        }
    }

    /// Adds an independent error.
    pub(crate) fn plus(self, error: ErrorTerm) -> Self {
        Self { error: self.error + error, ..self }
    }

    /// Adds an error that can depend on the present error, such as the rounding of a constant.
    pub(crate) fn plus_fixed(self, error: ErrorTerm) -> Self {
        let variance = (self.error.variance.sqrt() + error.variance.sqrt()).powi(2);
        Self { error: ErrorTerm { variance, ..self.error + error }, ..self }
    }

    /// The noise after a division by `2^divisor_log2`, at `scale`. `rounding` is the added error.
    pub(crate) fn divided(self, divisor_log2: f64, rounding: ErrorTerm, scale: Scale) -> Self {
        self.scaled((-divisor_log2).exp2(), 1.0, scale).plus(rounding)
    }

    /// The noise after the polynomials are multiplied by `factor` and declared to be at `scale`.
    /// The values are then multiplied by `value`.
    pub(crate) fn scaled(self, factor: f64, value: f64, scale: Scale) -> Self {
        let (error, range) = (self.error.scaled(factor.abs()), self.range.scaled(value));
        Self { error, range, scale_log2: scale.log2(), ..self }
    }

    /// The noise after `scale` is declared without a change of the polynomials. `relative` is the
    /// relative difference of the scales; it is entered as an error of the values.
    pub(crate) fn renamed(self, scale: Scale, relative: f64) -> Self {
        let error = ErrorTerm::fixed(relative * self.magnitude() * self.scale());
        Self { scale_log2: scale.log2(), ..self }.plus_fixed(error)
    }

    /// The same values and the same relative error at another scale.
    pub(crate) fn moved(self, scale: Scale) -> Self {
        self.scaled(scale.value() / self.scale(), 1.0, scale)
    }

    /// The noise of a function of the values with derivatives of at most `slope`, and with values within
    /// `range`.
    pub(crate) fn through(self, slope: f64, range: Range) -> Self {
        Self { error: self.error.scaled(slope), range, ..self }
    }

    pub(crate) fn times_i(self) -> Self {
        self.with_range(self.range.times_i())
    }

    /// The noise after a rotation or conjugation, which adds the error `switching`.
    pub(crate) fn noise_after_rotation(self, switching: ErrorTerm) -> Self {
        Self { turned: true, ..self }.plus(switching)
    }

    /// The noise after the number of slots is changed, which multiplies the variance by `factor`.
    pub(crate) fn repacked(self, factor: f64) -> Self {
        Self { mixed: true, ..self.with_error(self.error.variance * factor, self.error.bound) }
    }

    /// The same error with another range, which the caller knows.
    pub(crate) fn with_range(self, range: Range) -> Self {
        Self { range, ..self }
    }

    /// The same error; real and imaginary parts are at most `magnitude`. Real values stay real.
    pub(crate) fn with_magnitude(self, magnitude: f64) -> Self {
        self.with_range(Range::within(magnitude, self.range.is_real()))
    }

    /// The same bound with another estimate, which the caller knows: `deviation` is the standard
    /// deviation of the error of a slot's real part.
    pub(crate) fn with_deviation(self, deviation: f64) -> Self {
        self.with_error(2.0 * (deviation * self.scale()).powi(2), self.error.bound)
    }

    /// The same variance without a bound, for operations without a proved bound.
    pub(crate) fn unbounded(self) -> Self {
        Self { mixed: true, ..self.with_error(self.error.variance, f64::INFINITY) }
    }

    pub(crate) fn with_error(self, variance: f64, bound: f64) -> Self {
        self.with_added(ErrorTerm::new(variance, bound))
    }

    pub(crate) fn with_added(self, error: ErrorTerm) -> Self {
        Self { error, ..self }
    }

    pub(crate) fn scale(self) -> f64 {
        self.scale_log2.exp2()
    }

    /// log2 of the standard deviation of the error of a slot's real part. At least the rounding
    /// error of double precision, in which values are decoded.
    pub fn error_log2(self) -> f64 {
        let double = DOUBLE * FRAC_1_SQRT_2 * self.magnitude();
        (0.5 * (self.error.variance / 2.0).log2() - self.scale_log2).exp2().hypot(double).log2()
    }

    /// Estimated precision in bits: `-log2` of the standard deviation of the error of a slot's real
    /// part.
    pub fn precision_bits(self) -> f64 {
        -self.error_log2()
    }

    /// The precision as text.
    pub fn precision_text(self) -> String {
        precision_text(self.precision_bits(), self.range.largest_part())
    }

    /// Whether the estimated errors drown the values: no digit of a value is right.
    pub fn is_drowned(self) -> bool {
        drowned(self.precision_bits(), self.range.largest_part())
    }

    /// log2 of an upper bound on the coefficients of the decrypted polynomial, error included. No
    /// coefficient is larger than the largest slot.
    pub(crate) fn size_log2(self) -> f64 {
        let ErrorTerm { variance, bound, .. } = self.error;
        let error = if bound.is_finite() { bound } else { 8.0 * TAIL * variance.sqrt() };
        (self.magnitude() * self.scale() + error).log2()
    }

    /// Refuses values that could wrap around a modulus of `modulus_log2` bits.
    ///
    /// An error estimated to be larger than the values counts as being as large as they are. Such a
    /// result has no correct bit in any case. In a long iteration that corrects its own errors the
    /// estimate grows without limit while the true error does not. Fails with [`Error::Overflow`].
    pub(crate) fn expect_room(self, op: &'static str, modulus_log2: f64) -> Result<()> {
        let values = self.magnitude().log2() + self.scale_log2;
        let (needed, available) = (self.size_log2().min(values + 1.0), modulus_log2 - 1.0);
        // this form refuses NaN as well
        if needed < available {
            return Ok(());
        }
        Err(Error::Overflow { op, magnitude: self.magnitude(), scale_log2: self.scale_log2, needed, available })
    }
}

/// Whether errors of the standard deviation `2^-bits` drown values of at most `magnitude`: no digit
/// of a value is right. Values that are known to be 0 have no digits to lose.
pub fn drowned(bits: f64, magnitude: f64) -> bool {
    magnitude > 0.0 && bits + magnitude.log2() < 0.0
}

/// As text, the precision of values of at most `magnitude` whose errors have the standard deviation
/// `2^-bits`: bits after the point, or where there are none the size of the errors.
pub fn precision_text(bits: f64, magnitude: f64) -> String {
    let short = crate::error::short;
    match bits {
        _ if bits.is_nan() => "precision unknown".into(),
        f64::INFINITY => "exact".into(),
        _ if drowned(bits, magnitude) => {
            format!(
                "noise: errors of about {} exceed the values of at most {}",
                short((-bits).exp2()),
                short(magnitude)
            )
        }
        // bits that would print as 0.0, and fewer
        _ if bits < 0.05 => {
            format!("errors of about {} in values of at most {}", short((-bits).exp2()), short(magnitude))
        }
        _ => format!("about {bits:.1} bits"),
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorTerm, Noise, Range, Scale, Sources};

    #[test]
    fn a_stated_deviation_changes_the_estimate_alone() {
        let scale = Scale::power_of_two(40);
        let noise = Noise::new(ErrorTerm::random(1e6, 1), Range::real(-1.0, 1.0), scale, Sources::one(3));
        let stated = noise.with_deviation((-20f64).exp2());
        assert!((stated.precision_bits() - 20.0).abs() < 1e-9);
        assert_eq!((stated.bound(), stated.range()), (noise.bound(), noise.range()));
    }

    #[test]
    fn the_text_of_a_precision_says_where_errors_drown_values() {
        let rows = [
            (23.64, 1.0, "about 23.6 bits"),
            (0.06, 1.0, "about 0.1 bits"),
            (0.04, 1.0, "errors of about 0.97265 in values of at most 1"),
            (-2.0, 1000.0, "errors of about 4 in values of at most 1000"),
            (-2.0, 3.0, "noise: errors of about 4 exceed the values of at most 3"),
            (10.0, 2f64.powi(-11), "noise: errors of about 9.766e-4 exceed the values of at most 4.883e-4"),
            (-429.4, 1.0, "noise: errors of about 1.829e129 exceed the values of at most 1"),
            (f64::NEG_INFINITY, 1.0, "noise: errors of about inf exceed the values of at most 1"),
            (30.0, 0.0, "about 30.0 bits"),
            (f64::INFINITY, 1.0, "exact"),
            (f64::NAN, 1.0, "precision unknown"),
        ];
        for (bits, magnitude, text) in rows {
            assert_eq!(super::precision_text(bits, magnitude), text);
            assert_eq!(super::drowned(bits, magnitude), text.starts_with("noise"), "{text}");
        }
    }
}
