//! The default way to compute: moduli and scales are aligned automatically, and rescaling is
//! delayed until it is needed.
//!
//! A product keeps the scale `2^(2 * log_p)` until it is multiplied again, so a sum of products is
//! rescaled once. Where two operands have different scales, the smaller scale is raised if that
//! costs no modulus, which is exact; otherwise the operand with the larger scale is rescaled. With
//! the keys for it, a factor is bootstrapped if its product would have too little modulus left to
//! be bootstrapped.

use ringjet_math::fft::Complex64;

use super::{Ciphertext, Evaluator, Plaintext};
use crate::{Error, Result};

impl Evaluator {
    pub(crate) fn log_p(&self) -> u32 {
        self.context().params().log_p()
    }

    /// Rescales `a` to the scale `2^log_p` where its scale is larger, as multiplications do first.
    /// Fails with [`crate::Error::ModulusExhausted`], [`crate::Error::ParameterMismatch`].
    pub fn rescale_to_default(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.rescale(a, a.log_scale().saturating_sub(self.log_p()))
    }

    /// Prepares a factor of a product whose other factor has the scale `2^log_scale`: rescales it,
    /// and bootstraps it where the product would have too little modulus left to be bootstrapped.
    fn factor(&self, a: &Ciphertext, log_scale: u32) -> Result<Ciphertext> {
        let a = self.rescale_to_default(a)?;
        self.with_left(&a, (a.log_scale() + log_scale).saturating_sub(self.log_p()) as usize)
    }

    /// `a * b`. Both operands are first rescaled to `2^log_p` and brought to the smaller modulus,
    /// and bootstrapped if they have too little and the keys exist. The product is not rescaled.
    /// Fails as [`Evaluator::mul`] and [`Evaluator::bootstrap`] do.
    pub fn mul_auto(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        a.expect_packing(b)?;
        self.keys().relinearization()?;
        let rescaled = |x: &Ciphertext| x.log_scale().min(self.log_p());
        let left = self.factor(a, rescaled(b))?;
        if a.is_same(b) {
            return self.square(&left);
        }
        let right = self.factor(b, rescaled(a))?;
        let log_q = left.log_q().min(right.log_q());
        self.mul(&self.mod_down_to(&left, log_q)?, &self.mod_down_to(&right, log_q)?)
    }

    /// `constant * a`: exact for integers up to 2^16 in magnitude. Another constant is rounded at
    /// `2^log_p`; the product is not rescaled. Bootstraps as [`Evaluator::mul_auto`] does.
    /// Fails as [`Evaluator::mul_const`] and [`Evaluator::bootstrap`] do.
    pub fn mul_scalar_auto(&self, a: &Ciphertext, constant: impl Into<Complex64>) -> Result<Ciphertext> {
        let constant = constant.into();
        if constant.im == 0.0 && constant.re.fract() == 0.0 && constant.re.abs() <= 65536.0 {
            return self.mul_integer(a, constant.re as i64);
        }
        self.mul_const(&self.factor(a, self.log_p())?, constant, self.log_p())
    }

    /// `a * v` for a vector of plain values, encoded at `2^log_p`; the product is not rescaled.
    /// Bootstraps as [`Evaluator::mul_auto`] does.
    /// Fails as [`Plaintext::encode`], [`Evaluator::mul_plain`] and [`Evaluator::bootstrap`] do.
    pub fn mul_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let p = Plaintext::encode(self.context(), values, self.log_p(), a.log_slots())?;
        self.mul_plain(&self.factor(a, self.log_p())?, &p)
    }

    /// `a + v` for a vector of plain values, encoded at the ciphertext's scale.
    /// Fails as [`Plaintext::encode`] and [`Evaluator::add_plain`] do.
    pub fn add_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let p = Plaintext::encode(self.context(), values, a.log_scale(), a.log_slots())?;
        self.add_plain(a, &p)
    }

    /// Several rotations of one ciphertext, one after the other.
    pub fn rotate_hoisted(&self, a: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>> {
        self.expect_rotations(a, steps)?;
        steps.iter().map(|&k| self.rotate(a, k)).collect()
    }

    /// The sum of `x * y` over all pairs, of which there is at least one.
    pub fn mul_sum_auto(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        let products = pairs.iter().map(|(x, y)| self.mul_auto(x, y));
        products.reduce(|sum, x| self.add_auto(&sum?, &x?)).ok_or_else(|| Error::none("pairs"))?
    }
}
