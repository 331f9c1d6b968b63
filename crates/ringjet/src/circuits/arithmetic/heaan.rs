//! [`Arithmetic`] of HEAAN's evaluator: a level is `log_p` bits, at the scale `2^log_p`.

use ringjet_math::fft::Complex64;

use super::{Arithmetic, Polynomial};
use crate::circuits::polyeval::levelled;
use crate::heaan::{Ciphertext, Evaluator, MAX_RAISE, Parameters, Plaintext, SPARE_BITS};
use crate::vectors::Operations;
use crate::{Error, Result};

impl Evaluator {
    /// `a` at the scale `2^log_p`: rescaled, or multiplied by a power of two.
    fn at_own_scale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let mut a = self.rescale_to_default(a)?;
        while a.log_scale() < self.log_p() {
            a = self.scale_up(&a, (self.log_p() - a.log_scale()).min(MAX_RAISE))?;
        }
        Ok(a)
    }

    /// Bits of the modulus that `a` has left at the scale `2^log_p`.
    fn own_bits(&self, a: &Ciphertext) -> u32 {
        a.log_q().saturating_sub(a.log_scale().saturating_sub(self.log_p()))
    }
}

impl Arithmetic for Evaluator {
    type Params = Parameters;
    type Scale = u32;

    fn evaluator(&self) -> &Self {
        self
    }

    fn polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        levelled(self, x, p)
    }

    fn level(&self, a: &Ciphertext) -> usize {
        let left = self.own_bits(a).saturating_sub(self.log_p() + SPARE_BITS);
        (left / self.log_p()) as usize
    }

    fn scale(&self, _: usize) -> u32 {
        self.log_p()
    }

    fn with_levels(&self, a: &Ciphertext, levels: usize) -> Result<Ciphertext> {
        self.with_left(&self.rescale_to_default(a)?, levels.saturating_mul(self.log_p() as usize))
    }

    fn expect_levels(&self, op: &'static str, a: &Ciphertext, levels: usize) -> Result<()> {
        if Arithmetic::level(self, a) >= levels {
            return Ok(());
        }
        let needed = (levels as u32 + 1).saturating_mul(self.log_p()) + SPARE_BITS;
        Err(Error::bits_exhausted(op, needed, self.own_bits(a)))
    }

    fn align(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        let own = Arithmetic::level(self, a);
        let down = own.checked_sub(level).ok_or(Error::NoSuchLevel { level, top: own })?;
        let a = self.at_own_scale(a)?;
        self.mod_down_to(&a, a.log_q() - down as u32 * self.log_p())
    }

    fn combine(&self, terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext> {
        let scaled = terms.iter().map(|&(a, factor)| self.mul_integer(a, i64::from(factor)));
        let sum = scaled.reduce(|a, b| self.add_auto(&a?, &b?)).ok_or_else(|| Error::none("terms"))??;
        if constant == 0.0 { Ok(sum) } else { self.add_scalar(&sum, constant) }
    }

    fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: usize, scale: u32) -> Result<Ciphertext> {
        let weighted = terms.iter().map(|&(a, weight)| {
            let a = Arithmetic::align(self, a, level + 1)?;
            self.mul_const(&a, weight, scale)
        });
        let sum = weighted.reduce(|a, b| self.add(&a?, &b?)).ok_or_else(|| Error::none("terms"))??;
        self.rescale(&sum, self.log_p())
    }

    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        if a.is_same(b) {
            return self.square(&self.at_own_scale(a)?);
        }
        let (a, b) = Operations::align(self, &self.at_own_scale(a)?, &self.at_own_scale(b)?)?;
        self.mul(&a, &b)
    }

    fn finish(&self, product: &Ciphertext) -> Result<Ciphertext> {
        self.rescale(product, self.log_p())
    }

    fn product_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let p = Plaintext::encode(self.context(), values, self.log_p(), a.log_slots())?;
        self.mul_plain(&self.at_own_scale(a)?, &p)
    }

    fn finish_plain(&self, product: &Ciphertext) -> Result<Ciphertext> {
        self.rescale(product, self.log_p())
    }
}
