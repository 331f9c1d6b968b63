//! Error estimates: the formulas that the tests hold against measurement.
//!
//! An error polynomial with independent coefficients of variance V has, in every slot, a complex value with
//! `E|e|^2 = N V`. Slots multiply, so slot variances are what is tracked. Messages are taken to have slots of
//! magnitude at most the tracked bound, 1 for fresh ciphertexts: an estimate for values up to 1.

use crate::rng::gaussian::SIGMA;
use crate::{Parameters, Scale};

/// Variance of a uniform ternary coefficient.
const TERNARY: f64 = 2.0 / 3.0;

/// Estimated error of a ciphertext.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// `E|e|^2` in a slot, in units of the scaled integers.
    pub variance: f64,
    /// Bound on the magnitude of a slot's value (unscaled).
    pub magnitude: f64,
    /// log2 of the scale the variance refers to.
    scale_log2: f64,
}

impl Noise {
    fn of(variance: f64, magnitude: f64, scale: Scale) -> Self {
        Self { variance, magnitude, scale_log2: scale.log2() }
    }

    /// An estimate that came from elsewhere, for values at `scale`.
    pub(crate) fn from_parts(variance: f64, magnitude: f64, scale: Scale) -> Self {
        Self::of(variance, magnitude, scale)
    }

    /// Only the rounding of an encoding.
    pub fn encoded(params: &Parameters, scale: Scale) -> Self {
        Self::of(params.n() as f64 / 12.0, 1.0, scale)
    }

    /// Secret-key encryption: `N sigma^2`, and the encoding's rounding.
    pub fn fresh_secret(params: &Parameters, scale: Scale) -> Self {
        let n = params.n() as f64;
        Self::of(n * SIGMA * SIGMA + n / 12.0, 1.0, scale)
    }

    /// Public-key encryption: `(v e + e_0 + e_1 s) / p_last`, rounded.
    pub fn fresh_public(params: &Parameters, scale: Scale) -> Self {
        let n = params.n() as f64;
        let p = params.p().modulus(params.p().len() - 1).value() as f64;
        let masked = n * SIGMA * SIGMA * (1.0 + 2.0 * TERNARY * n) / (p * p);
        Self::of(masked + Self::rounding(params) + n / 12.0, 1.0, scale)
    }

    /// Rounding of both polynomials after a division: `N/12 (1 + 2N/3)`.
    pub fn rounding(params: &Parameters) -> f64 {
        let n = params.n() as f64;
        n / 12.0 * (1.0 + TERNARY * n)
    }

    /// Key switching at `level`, before division by P: each digit, uniform in `+-D_d/2`, times an error.
    pub fn switching(params: &Parameters, level: usize) -> f64 {
        let n = params.n() as f64;
        let p = params.p().log2();
        let digits =
            params.primes_of(level).chunk_by(|&a, &b| params.digit_of(a) == params.digit_of(b)).map(|primes| {
                let digit = params.q().select(primes.iter().copied()).log2() - p;
                (2.0 * digit).exp2() / 12.0 * n * n * SIGMA * SIGMA
            });
        digits.sum()
    }

    /// Of a sum or difference.
    pub fn sum(self, other: Self) -> Self {
        Self { variance: self.variance + other.variance, magnitude: self.magnitude + other.magnitude, ..self }
    }

    /// Product (before any rescaling).
    pub fn product(self, other: Self, scale: Scale) -> Self {
        let (a, b) = ((self.magnitude * self.scale()).powi(2), (other.magnitude * other.scale()).powi(2));
        let variance = a * other.variance + b * self.variance + self.variance * other.variance;
        Self::of(variance, self.magnitude * other.magnitude, scale)
    }

    /// Adds an independent error.
    pub fn plus(self, variance: f64) -> Self {
        Self { variance: self.variance + variance, ..self }
    }

    /// Division by `2^divisor_log2` with rounding.
    pub fn divided(self, params: &Parameters, divisor_log2: f64, scale: Scale) -> Self {
        let variance = self.variance * (-2.0 * divisor_log2).exp2() + Self::rounding(params);
        Self::of(variance, self.magnitude, scale)
    }

    /// Multiplication by an exact constant of magnitude `c` (an integer, or one whose own scale is in `scale`).
    pub fn scaled(self, factor: f64, value: f64, scale: Scale) -> Self {
        Self::of(self.variance * factor * factor, self.magnitude * value.abs(), scale)
    }

    /// The same values under another name of the scale that differs from the true one by `relative`.
    pub fn renamed(self, scale: Scale, relative: f64) -> Self {
        let error = relative * self.magnitude * self.scale();
        Self::of(self.variance + error * error, self.magnitude, scale)
    }

    /// The same relative error at another scale.
    pub(crate) fn moved(self, scale: Scale) -> Self {
        let factor = scale.value() / self.scale();
        Self::of(self.variance * factor * factor, self.magnitude, scale)
    }

    /// Sets the bound on the values.
    pub fn with_magnitude(self, magnitude: f64) -> Self {
        Self { magnitude, ..self }
    }

    fn scale(self) -> f64 {
        self.scale_log2.exp2()
    }

    /// log2 of the standard deviation of the error of a slot's real part.
    pub fn error_log2(self) -> f64 {
        0.5 * (self.variance / 2.0).log2() - self.scale_log2
    }

    /// Estimated precision in bits: `-log2` of the standard deviation of the error of a slot's real part.
    pub fn precision_bits(self) -> f64 {
        -self.error_log2()
    }

    /// log2 of the standard deviation of the error of a coefficient, in integer units, in ring degree `n`.
    pub fn coefficient_log2(self, n: usize) -> f64 {
        0.5 * (self.variance / n as f64).log2()
    }
}
