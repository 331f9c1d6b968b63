//! The default way to compute: levels and correction factors are chosen by the bounds on noise.
//!
//! Noise is multiplied in a product, so a product is made at the level that leaves the most budget:
//! a switch to a lower level divides the noise of both operands by as much as the modulus, until
//! the rounding of the switch is as large as the noise itself.

use super::eval::each;
use super::modulus::{MAX_PRIMES, centred, inverse};
use super::params::LEAST_BUDGET;
use super::{Ciphertext, Evaluator, Parameters, Plaintext, integers};
use crate::noise::ErrorTerm;
use crate::{Error, Result};
use ringjet_math::Modulus;
use ringjet_math::fft::Complex64;

/// A lower level, which is faster, is chosen if it costs at most this much budget, in bits.
const WORTH_A_LEVEL: f64 = 0.1;

impl Parameters {
    /// The level at which the product of two ciphertexts, each with a level and the bounds of its
    /// noise, leaves the most room, and the noise of the relinearised product there. `None` if no
    /// level has room. What counts is the largest slot, as products multiply slots; whether there is
    /// room at all, the largest coefficient says.
    pub(super) fn best_product(&self, a: (usize, ErrorTerm), b: (usize, ErrorTerm)) -> Option<(usize, ErrorTerm)> {
        let mut best: Option<(f64, usize, ErrorTerm)> = None;
        for level in 0..=a.0.min(b.0) {
            let [x, y] = [a, b].map(|(from, w)| self.switched_error(w, 2, from, level));
            let product = self.product_error(level, x, y) + self.level_noise(level).relinearized;
            let room = self.level_noise(level).log2_q - product.bound.log2();
            if self.budget_of(level, product) >= LEAST_BUDGET
                && best.is_none_or(|(other, ..)| room > other + WORTH_A_LEVEL)
            {
                best = Some((room, level, product));
            }
        }
        best.map(|(_, level, product)| (level, product))
    }
}

impl Evaluator {
    /// Both ciphertexts at one level and with one correction factor. A ciphertext that is switched
    /// is multiplied before: after the switch its rounding would be multiplied as well.
    pub(super) fn aligned(&self, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        let (params, level) = (self.context().params(), a.level().min(b.level()));
        let [f, g] = [a, b].map(|c| params.switched_factors(c.position().factors, c.level(), level));
        if f == g {
            return Ok((self.switch_to(a, level)?, self.switch_to(b, level)?));
        }
        let [v, w] = [a, b].map(|c| params.switched_error(c.noise().error(), c.polys(), c.level(), level).bound);
        let multiplied = |c: &Ciphertext, side: usize| {
            let by = each(params, |i, t| multipliers(t, (f.of(i), v), (g.of(i), w))[side]);
            self.switch_to(&if by == [1; MAX_PRIMES] { c.clone() } else { self.refactored(c, by)? }, level)
        };
        Ok((multiplied(a, 0)?, multiplied(b, 1)?))
    }

    /// `a * b`, relinearised, at the level that leaves the most budget.
    /// Fails as [`Evaluator::mul_relin`] does; [`Error::NoiseBudget`] says how much is missing.
    pub fn mul_auto(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.keys().relinearization()?;
        let (a, b) = self.for_product(a, b)?;
        self.mul_relin(&a, &b)
    }

    /// Both factors at the level at which their product leaves the most budget.
    fn for_product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        self.check_degree("multiplication", a)?;
        self.check_degree("multiplication", b)?;
        a.expect_packing(b)?;
        let params = self.context().params();
        let found = params.best_product((a.level(), a.noise().error()), (b.level(), b.noise().error()));
        // where no level has room, the error comes from the product at the highest one
        let level = found.map_or(a.level().min(b.level()), |(level, _)| level);
        if a.is_same(b) {
            let a = self.switch_to(a, level)?;
            return Ok((a.clone(), a));
        }
        Ok((self.switch_to(a, level)?, self.switch_to(b, level)?))
    }

    /// The sum of `a * b` over all pairs, with one relinearisation in all.
    /// Fails as [`Evaluator::mul_auto`] does; [`Error::Argument`] without pairs.
    pub fn mul_sum_auto(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        self.keys().relinearization()?;
        let mut sum: Option<Ciphertext> = None;
        for (a, b) in pairs {
            let (a, b) = self.for_product(a, b)?;
            let product = self.mul(&a, &b)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.add_auto(&sum, &product)?,
            });
        }
        self.relinearize(&sum.ok_or_else(|| Error::none("pairs"))?)
    }

    /// `a + constant` in every slot. Fails with [`Error::NotResidue`] unless it is an integer.
    pub fn add_scalar(&self, a: &Ciphertext, constant: f64) -> Result<Ciphertext> {
        self.add_integer(a, self.integer(constant)?)
    }

    /// `constant * a`. Fails with [`Error::NotResidue`] unless it is an integer.
    pub fn mul_scalar_auto(&self, a: &Ciphertext, constant: f64) -> Result<Ciphertext> {
        self.mul_integer(a, self.integer(constant)?)
    }

    pub(crate) fn integer(&self, constant: f64) -> Result<i64> {
        Ok(integers(self.context().params(), &[constant.into()])?[0])
    }

    /// `a + v` for a vector of integers in the clear. Fails with [`Error::NotResidue`].
    pub fn add_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        self.add_plain(a, &self.encoded(a, values)?)
    }

    /// `a * v` for a vector of integers in the clear, see [`Evaluator::mul_integers`]. Fails with
    /// [`Error::NotResidue`].
    pub fn mul_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        self.mul_integers(a, &integers(self.context().params(), values)?)
    }

    pub(crate) fn encoded(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Plaintext> {
        Plaintext::encode(self.context(), &integers(self.context().params(), values)?, a.level())
    }

    /// Swaps the two rows of slots.
    /// Fails with [`Error::MissingConjugationKey`]: the key is that of conjugation, X -> X^-1.
    pub fn swap_rows(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.conjugate(a)
    }
}

/// Integers (x, y) with `x * f = y * g` modulo t that add the least noise to a sum, for correction
/// factors f and g of two ciphertexts with noise up to v and w in a slot: one of the pairs of the
/// extended Euclidean algorithm for `f / g` and t, among which are `(1, f / g)` and pairs of
/// numbers near sqrt(t).
fn multipliers(t: &Modulus, (f, v): (u64, f64), (g, w): (u64, f64)) -> [i64; 2] {
    let quotient = t.mul(f, inverse(t, g)) as i64;
    let cost = |[x, y]: [i64; 2]| (x as f64).abs() * v + (y as f64).abs() * w;
    // y = x * quotient modulo t in both pairs
    let (mut last, mut pair) = ([0, t.value() as i64], [1, quotient]);
    let mut best = [1, centred(t, quotient as u64)];
    while pair[1] != 0 {
        if cost(pair) < cost(best) {
            best = pair;
        }
        let times = last[1] / pair[1];
        (last, pair) = (pair, [last[0] - times * pair[0], last[1] - times * pair[1]]);
    }
    best
}
