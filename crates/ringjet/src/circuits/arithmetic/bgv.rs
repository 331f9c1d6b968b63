//! [`Arithmetic`] of the evaluator of BGV and BFV. Constants are integers modulo t.

use ringjet_math::fft::Complex64;

use super::Arithmetic;
use crate::bgv::{Ciphertext, Evaluator, Parameters, Product};
use crate::circuits::exact;
use crate::circuits::polynomial::Polynomial;
use crate::vectors::Operations;
use crate::{Error, Result};

/// In BGV a level of circuits is a level of the chain, and every product ends one level lower. In
/// BFV, which has no levels, it is a product that the bounds on noise still allow. No circuit is
/// refused for its number of levels: an operation that the noise has no room for refuses itself.
impl Arithmetic for Evaluator {
    type Params = Parameters;
    type Scale = ();

    fn evaluator(&self) -> &Self {
        self
    }

    fn level(&self, a: &Ciphertext) -> usize {
        match a.params().product() {
            Product::Bgv => a.level(),
            Product::Bfv => a.params().products_left(a.level(), a.noise().error()),
        }
    }

    fn scale(&self, _: usize) {}

    fn with_levels(&self, a: &Ciphertext, _: usize) -> Result<Ciphertext> {
        Ok(a.clone())
    }

    fn expect_levels(&self, _: &'static str, _: &Ciphertext, _: usize) -> Result<()> {
        Ok(())
    }

    fn polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        exact::polynomial(self, x, p)
    }

    fn align(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        match a.params().product() {
            Product::Bgv => self.switch_to(a, level),
            Product::Bfv => Ok(a.clone()),
        }
    }

    fn combine(&self, terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext> {
        let scaled = terms.iter().map(|&(a, factor)| self.mul_integer(a, i64::from(factor)));
        let sum = scaled.reduce(|a, b| self.add_auto(&a?, &b?)).ok_or_else(|| Error::none("terms"))??;
        if constant == 0.0 { Ok(sum) } else { self.add_scalar(&sum, constant) }
    }

    fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: usize, (): ()) -> Result<Ciphertext> {
        Arithmetic::align(self, &Self::weighted_sum(self, terms)?, level)
    }

    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        if a.is_same(b) {
            return self.mul(a, a);
        }
        let (a, b) = Operations::align(self, a, b)?;
        self.mul(&a, &b)
    }

    fn finish(&self, product: &Ciphertext) -> Result<Ciphertext> {
        match product.params().product() {
            Product::Bgv => self.relinearize_switch(product),
            Product::Bfv => self.relinearize(product),
        }
    }

    fn product_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        // both rows are multiplied by the same values
        self.mul_values(a, &[values, values].concat())
    }

    fn finish_plain(&self, product: &Ciphertext) -> Result<Ciphertext> {
        match product.params().product() {
            Product::Bgv => match self.switch_to(product, product.level().saturating_sub(1)) {
                // little noise, and a lower level has no room for what a switch adds
                Err(Error::NoiseBudget { .. }) => Ok(product.clone()),
                switched => switched,
            },
            Product::Bfv => Ok(product.clone()),
        }
    }
}
