//! CKKS's evaluator as circuits see it.

use ringjet_math::fft::Complex64;

use super::Arithmetic;
use crate::circuits::{Polynomial, inner_sum, polynomial};
use crate::ckks::{Ciphertext, Evaluator, Plaintext, Scale, noise};
use crate::noise::Added;
use crate::rlwe::Scope;
use crate::{Error, Noise, Result};

impl Arithmetic for Evaluator {
    type Ciphertext = Ciphertext;
    type Scale = Scale;

    fn scope(&self, name: &'static str) -> Scope<'_> {
        self.context().scope(name)
    }

    fn slots(&self, a: &Ciphertext) -> usize {
        a.slots()
    }

    fn noise(&self, a: &Ciphertext) -> Noise {
        a.noise()
    }

    fn with_noise(&self, a: Ciphertext, noise: Noise) -> Ciphertext {
        a.with_noise(noise)
    }

    fn rotation_error(&self, a: &Ciphertext) -> Added {
        noise::switched(self.context().params(), a.level())
    }

    fn expect_room(&self, op: &'static str, a: &Ciphertext, noise: Noise) -> Result<()> {
        noise.expect_room(op, self.context().params().level(a.level()).basis.log2())
    }

    fn level(&self, a: &Ciphertext) -> usize {
        a.level()
    }

    fn scale(&self, level: usize) -> Scale {
        self.context().params().scale(level)
    }

    fn with_levels(&self, a: &Ciphertext, levels: usize) -> Result<Ciphertext> {
        self.with_levels(a, levels)
    }

    fn expect_levels(&self, op: &'static str, a: &Ciphertext, levels: usize) -> Result<()> {
        if a.level() >= levels {
            return Ok(());
        }
        Err(Error::levels_exhausted(op, levels, a.level()))
    }

    fn align(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        self.align(a, level)
    }

    fn shares_division(&self, from: usize, to: usize) -> bool {
        self.context().params().is_nested(from, to + 1)
    }

    fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.add_auto(a, b)
    }

    fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.sub_auto(a, b)
    }

    fn combine(&self, terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext> {
        self.combine(terms, constant)
    }

    fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: usize, scale: Scale) -> Result<Ciphertext> {
        self.weighted_to(terms, level, scale)
    }

    fn expect_products(&self) -> Result<()> {
        self.keys().relinearization().map(|_| ())
    }

    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.mul(a, b)
    }

    fn finish(&self, product: &Ciphertext) -> Result<Ciphertext> {
        self.relinearize_rescale(product)
    }

    fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.mul_relin_rescale(a, b)
    }

    fn product_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let scale = self.factor_scale(a)?;
        self.mul_plain(a, &Plaintext::encode(self.context(), values, a.level(), scale, a.log_slots())?)
    }

    fn finish_plain(&self, product: &Ciphertext) -> Result<Ciphertext> {
        self.settle(product)
    }

    fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        self.rotate(a, steps)
    }

    fn expect_rotations(&self, a: &Ciphertext, steps: &[i64]) -> Result<()> {
        self.expect_rotations(a, steps)
    }
}

impl Evaluator {
    /// `p(x)` in every slot. Uses `p.depth()` levels; `x` is bootstrapped first where it has too few and the evaluator can.
    ///
    /// # Errors
    /// As [`polynomial`].
    pub fn polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        polynomial(self, x, p)
    }

    /// Sum of `count` slots at distance `stride`: slot j gets `sum over i < count of slot j + i stride`. Uses the rotations of
    /// [`inner_sum_rotations`](crate::circuits::inner_sum_rotations).
    ///
    /// # Errors
    /// As [`inner_sum`].
    pub fn inner_sum(&self, a: &Ciphertext, stride: i64, count: usize) -> Result<Ciphertext> {
        inner_sum(self, a, stride, count)
    }
}
