//! Operations with what is not encrypted: plaintexts and constants.

use ringjet_backend::big::MAX_FACTOR;
use ringjet_backend::{BigFactor, BigMul};
use ringjet_math::fft::Complex64;

use super::ciphertext::{Position, expect_room};
use super::{Ciphertext, Evaluator, Plaintext, noise};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::approximate::expect_finite;
use crate::noise::Added;

impl Evaluator {
    /// `a p`, slot by slot: scales multiply, the modulus stays. A product modulo as few primes as the plaintext's bits allow.
    /// Fails with [`Error::SlotMismatch`], [`Error::ParameterMismatch`];
    /// [`Error::ModulusExhausted`] where the modulus has no room for the product.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        self.check_plain("mul_plain", a, p)?;
        self.product(a, p)
    }

    fn product(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.context().scope("PtMult");
        let (ctx, log_q) = (self.context(), a.log_q());
        let log_scale = a.log_scale() + p.log_scale();
        expect_room("multiplication by a plaintext", log_q, log_scale)?;
        let noise = a.noise().product(p.noise(), noise::scale(log_scale));
        a.expect_room("multiplication by a plaintext", noise)?;
        let primes = ctx.params().primes_for(log_q, p.bits(), 1)?;
        let (split, other, join) = (ctx.split(primes, log_q), ctx.split(primes, p.bits()), ctx.join(primes, log_q));
        let (left, right) = (a.view(), BigFactor::Integers(p.view(), &other));
        let sums: &[&[(usize, usize)]] = &[&[(0, 0)], &[(1, 0)]];
        let mul = BigMul { left, split: &split, right, sums, join: &join, shift: 0, add: None };
        let mut buf = ctx.alloc_big(2, log_q)?;
        ctx.backend().big_mul(buf.view_mut(2), &mul)?;
        Ok(self.made(a, buf, 2, Position { log_scale, ..a.position() }, noise))
    }

    /// A constant in every slot: one or two coefficients, whatever the packing.
    fn constant(&self, a: &Ciphertext, constant: Complex64, log_scale: u32) -> Result<Plaintext> {
        self.check(a)?;
        Plaintext::encode(self.context(), &[constant], log_scale, 0)
    }

    /// `a + constant` in every slot, the constant rounded at the ciphertext's scale.
    /// Fails with [`Error::NotFinite`], [`Error::TooLarge`], [`Error::ParameterMismatch`].
    pub fn add_scalar(&self, a: &Ciphertext, constant: impl Into<Complex64>) -> Result<Ciphertext> {
        let constant = constant.into();
        let p = self.constant(a, constant, a.log_scale())?;
        self.sum_plain("add_scalar", a, &p, false)
    }

    /// `constant a`, the constant rounded at the scale `2^log_scale`, which multiplies the ciphertext's; the modulus stays. A
    /// real constant of fewer than 51 bits costs no transform.
    /// Fails with [`Error::NotFinite`], [`Error::TooLarge`], [`Error::ParameterMismatch`];
    /// [`Error::ModulusExhausted`] where the modulus has no room for the product.
    pub fn mul_const(&self, a: &Ciphertext, constant: impl Into<Complex64>, log_scale: u32) -> Result<Ciphertext> {
        let constant = constant.into();
        expect_finite(&[constant])?;
        let integer = (constant.re * f64::from(log_scale).exp2()).round_ties_even();
        if constant.im != 0.0 || integer.abs() > MAX_FACTOR as f64 {
            return self.product(a, &self.constant(a, constant, log_scale)?);
        }
        let scale = a.log_scale() + log_scale;
        expect_room("multiplication by a constant", a.log_q(), scale)?;
        let product = self.times(a, integer as i64, scale, constant.re)?;
        // the constant's rounding, as an error of the values
        let off = (constant.re * f64::from(log_scale).exp2() - integer).abs();
        let rounding = Added::fixed(off * f64::from(a.log_scale()).exp2() * a.noise().magnitude());
        let noise = product.noise().plus_fixed(rounding);
        Ok(product.with_noise(noise))
    }

    /// `i a`, exact: modulus and scale stay. X^(N/2) is i in every slot.
    /// Fails with [`Error::ParameterMismatch`].
    pub fn times_i(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let product = self.product(a, &self.constant(a, Complex64::new(0.0, 1.0), 0)?.exact())?;
        Ok(product.with_noise(a.noise().times_i()))
    }
}
