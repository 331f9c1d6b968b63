//! The default way to compute: levels and scales are aligned automatically.
//!
//! Every result is at the scale that belongs to its level ([`crate::Parameters::scale`]), so operands of different
//! levels always have a common scale to go to. Going down multiplies by an integer of about as many bits as a scale
//! and rescales; the integer's rounding (relative error about `2^-scale_bits`) is part of the result's error estimate.

use super::{Ciphertext, Evaluator, Plaintext, Scale};
use crate::{Error, Result};
use ringjet_math::fft::Complex64;

/// Alignment needs an integer of at least so many bits, or its rounding would show.
const MIN_FACTOR_BITS: f64 = 20.0;

impl Evaluator {
    /// Brings `a` to `level` at that level's own scale.
    pub fn align(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        let params = self.context().params();
        let target = params.scale(level.min(params.top_level()));
        if level > a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level() });
        }
        if level == a.level() {
            if a.scale() == target {
                return Ok(a.clone());
            }
            return Err(Error::ScaleMismatch { op: "align", lhs_log2: a.scale().log2(), rhs_log2: target.log2() });
        }
        self.weighted(&[(a, 1.0)], level)
    }

    /// `sum of weight * ciphertext` at `level` and its scale, all operands above `level`: one integer multiplication
    /// each, one rescaling in all.
    pub fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: usize) -> Result<Ciphertext> {
        if terms.is_empty() {
            return Err(Error::Argument { name: "terms", value: "[]".into(), expected: "at least one term".into() });
        }
        for (a, w) in terms {
            terms[0].0.expect_packing(a)?;
            if !w.is_finite() {
                return Err(Error::NotFinite { index: 0, value: *w });
            }
            if a.level() <= level {
                return Err(Error::LevelExhausted { op: "weighted_sum", needed: level + 1, left: a.level() });
            }
        }
        self.weighted(terms, level)
    }

    fn weighted(&self, terms: &[(&Ciphertext, f64)], level: usize) -> Result<Ciphertext> {
        let params = self.context().params();
        let before = params.scale(level) * Scale::from_u64(params.q().modulus(level + 1).value());
        let mut sum: Option<Ciphertext> = None;
        for (a, weight) in terms {
            let factor = before / a.scale();
            if factor.log2() < MIN_FACTOR_BITS {
                return Err(Error::ScaleMismatch { op: "align", lhs_log2: a.scale().log2(), rhs_log2: before.log2() });
            }
            let integer = self.scaled_integer(*weight, factor, level + 1)?;
            let term = self.scale_by(&a.at_level(level + 1), integer, before, *weight)?;
            // the rounding of `integer` counts as an error of the values
            let rounding = 0.5 / factor.value() * a.noise().magnitude * before.value();
            let term = self.with_extra_noise(term, rounding * rounding);
            sum = Some(match sum {
                None => term,
                Some(s) => self.add(&s, &term)?,
            });
        }
        let Some(sum) = sum else {
            return Err(Error::Argument { name: "terms", value: "[]".into(), expected: "at least one term".into() });
        };
        Ok(self.rescale(&sum)?.renamed(params.scale(level)))
    }

    fn with_extra_noise(&self, a: Ciphertext, variance: f64) -> Ciphertext {
        let noise = a.noise().plus(variance);
        a.with_noise(noise)
    }

    fn aligned(&self, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        a.expect_packing(b)?;
        if a.level() == b.level() && a.scale() == b.scale() {
            return Ok((a.clone(), b.clone()));
        }
        let level = a.level().min(b.level());
        Ok((self.align(a, level)?, self.align(b, level)?))
    }

    /// `a + b`.
    pub fn add_auto(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let (a, b) = self.aligned(a, b)?;
        self.add(&a, &b)
    }

    /// `a - b`.
    pub fn sub_auto(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let (a, b) = self.aligned(a, b)?;
        self.sub(&a, &b)
    }

    /// `a b`, one level below the lower operand.
    pub fn mul_auto(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.keys().relinearization()?;
        let (a, b) = self.aligned(a, b)?;
        self.mul_relin_rescale(&a, &b)
    }

    /// `constant * a`: free for integers up to 2^16 in magnitude, one level otherwise.
    pub fn mul_scalar_auto(&self, a: &Ciphertext, constant: f64) -> Result<Ciphertext> {
        if !constant.is_finite() {
            return Err(Error::NotFinite { index: 0, value: constant });
        }
        if constant.fract() == 0.0 && constant.abs() <= 65536.0 {
            return self.mul_integer(a, constant as i64);
        }
        if a.level() == 0 {
            return Err(Error::LevelExhausted { op: "multiplication by a constant", needed: 1, left: 0 });
        }
        self.weighted(&[(a, constant)], a.level() - 1)
    }

    /// The scale at which a plaintext factor for `a` is encoded, so that the rescaled product is at the scale of the
    /// level below.
    pub fn factor_scale(&self, a: &Ciphertext) -> Result<Scale> {
        if a.level() == 0 {
            return Err(Error::LevelExhausted { op: "multiplication by a plaintext", needed: 1, left: 0 });
        }
        let params = self.context().params();
        let q = Scale::from_u64(params.q().modulus(a.level()).value());
        Ok(params.scale(a.level() - 1) * q / a.scale())
    }

    /// `a p` for a plaintext encoded at [`Evaluator::factor_scale`], rescaled.
    pub fn mul_plain_auto(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let product = self.mul_plain(a, p)?;
        self.settle(&product)
    }

    /// Rescales a product that was made at [`Evaluator::factor_scale`] and gives it the exact scale of its level.
    pub fn settle(&self, product: &Ciphertext) -> Result<Ciphertext> {
        let rescaled = self.rescale(product)?;
        let target = self.context().params().scale(rescaled.level());
        let relative = (rescaled.scale().value() / target.value() - 1.0).abs();
        if relative > 2f64.powi(-30) {
            let (lhs_log2, rhs_log2) = (rescaled.scale().log2(), target.log2());
            return Err(Error::ScaleMismatch { op: "settle", lhs_log2, rhs_log2 });
        }
        Ok(rescaled.renamed(target))
    }

    /// `a v` for a vector in the clear.
    pub fn mul_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let scale = self.factor_scale(a)?;
        let p = Plaintext::encode(self.context(), values, a.level(), scale, a.log_slots())?;
        self.mul_plain_auto(a, &p)
    }

    /// `a + v` for a vector in the clear.
    pub fn add_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let p = Plaintext::encode(self.context(), values, a.level(), a.scale(), a.log_slots())?;
        self.add_plain(a, &p)
    }
}
