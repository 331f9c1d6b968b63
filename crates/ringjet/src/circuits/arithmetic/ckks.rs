//! [`Arithmetic`] of CKKS's evaluator.

use ringjet_math::fft::Complex64;

use super::{Arithmetic, Polynomial};
use crate::circuits::polyeval::{all_levelled, levelled};
use crate::ckks::{Ciphertext, Evaluator, Plaintext, Scale, noise, params::Parameters};
use crate::{Error, Result};

impl Arithmetic for Evaluator {
    type Params = Parameters;
    type Scale = Scale;

    fn evaluator(&self) -> &Self {
        self
    }

    forward! {
        fn with_levels = with_left(a: &Ciphertext, levels: usize) -> Result<Ciphertext>;
        fn align = align(a: &Ciphertext, level: usize) -> Result<Ciphertext>;
        fn combine = combine(terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext>;
        fn weighted_sum = weighted_to(terms: &[(&Ciphertext, f64)], level: usize, scale: Scale) -> Result<Ciphertext>;
        fn finish = relinearize_rescale(product: &Ciphertext) -> Result<Ciphertext>;
        fn finish_plain = rescale_to_level(product: &Ciphertext) -> Result<Ciphertext>;
    }

    fn polynomial(&self, x: &Ciphertext, p: &Polynomial) -> Result<Ciphertext> {
        levelled(self, x, p)
    }

    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.expect_product(a.level())?;
        Evaluator::mul(self, a, b)
    }

    fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.expect_product(a.level())?;
        self.mul_relin_rescale(a, b)
    }

    fn level(&self, a: &Ciphertext) -> usize {
        a.level()
    }

    fn scale(&self, level: usize) -> Scale {
        self.context().params().scale(level)
    }

    fn expect_levels(&self, op: &'static str, a: &Ciphertext, levels: usize) -> Result<()> {
        if a.level() >= levels { Ok(()) } else { Err(Error::levels_exhausted(op, levels, a.level())) }
    }

    fn expect_depth(&self, a: &Ciphertext, p: &Polynomial) -> Result<()> {
        let (degree, needed, left) = (p.degree(), p.depth(), a.level());
        if left >= needed {
            return Ok(());
        }
        let fresh = self.refresh().filter(|_| self.keys().can_bootstrap()).map(|_| self.context().params().top_level());
        Err(Error::PolynomialTooDeep { degree, needed, left, fresh })
    }

    fn product_error(&self, level: usize) -> Option<f64> {
        let params = self.context().params();
        let above = level + 1;
        let switched = noise::relinearizing(params, above).scaled(1.0 / params.ratio(above).value());
        Some((switched + noise::rounding(params)).variance.sqrt() / params.scale(level).value())
    }

    fn doubles(&self, level: usize) -> bool {
        self.context().params().doubles(level)
    }

    /// In EvalMod the scale is halved instead of doubling the values and their errors.
    fn doubled(&self, product: &Ciphertext, term: Option<(&Ciphertext, i32)>, constant: f64) -> Result<Ciphertext> {
        if !self.doubles(product.level()) {
            let terms: Vec<_> = [(product, 2)].into_iter().chain(term).collect();
            return self.combine(&terms, constant);
        }
        let halved = product.with_scale(product.scale() / Scale::from_u64(2));
        if term.is_none() && constant == 0.0 {
            return Ok(halved);
        }
        let terms: Vec<_> = [(&halved, 1)].into_iter().chain(term).collect();
        self.combine(&terms, constant)
    }

    fn shares_division(&self, from: usize, to: usize) -> bool {
        self.context().params().is_nested(from, to + 1)
    }

    fn product_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let scale = self.factor_scale(a)?;
        self.mul_plain(a, &Plaintext::encode(self.context(), values, a.level(), scale, a.log_slots())?)
    }
}

impl Evaluator {
    /// Each of `ps` in every slot, which share powers of `x`. Each takes its own number of levels. Where `x`
    /// has fewer than the deepest one, it is bootstrapped first if the evaluator can. Fails as
    /// [`Evaluator::polynomial`] does.
    pub fn polynomials(&self, x: &Ciphertext, ps: &[&Polynomial]) -> Result<Vec<Ciphertext>> {
        all_levelled(self, x, ps)
    }
}
