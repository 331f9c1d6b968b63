//! Products of ciphertexts, relinearisation and rescaling.

use crate::ckks::{Ciphertext, Evaluator, Scale, noise};
use crate::rlwe::keyswitch::{Finish, apply};
use crate::{Error, Result};

impl Evaluator {
    /// Product without relinearisation: three polynomials; scales multiply.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Tensor");
        self.check_pair("mul", a, b)?;
        self.check_degree("mul", a)?;
        self.check_degree("mul", b)?;
        let scale = a.scale() * b.scale();
        let noise = if a.is_same(b) { a.noise().square(scale) } else { a.noise().product(b.noise(), scale) };
        self.expect_room("multiplication", noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(3 * basis.len())?;
        self.ctx.backend().tensor(buf.view_mut(3), a.view(), b.view(), basis)?;
        Ok(self.build(buf, 3, a, a.level(), scale, noise).with_key(self.owner(a).or(b.key_id())))
    }

    /// Three polynomials to two.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        if a.polys() != 3 {
            return Err(Error::Degree { op: "relinearize", expected: 3, found: a.polys() });
        }
        let key = self.keys.relinearization()?;
        let plans = self.ctx.params().level(a.level());
        let finish = Finish { add: a.view().slice(0, 2), division: &plans.mod_down, automorphism: None };
        let buf = apply(&self.ctx, a.view().poly(2), a.level(), key, finish)?;
        let noise = a.noise().plus(noise::switched(self.ctx.params(), a.level()));
        Ok(self.build(buf, 2, a, a.level(), a.scale(), noise))
    }

    /// `a b`, relinearised, not rescaled.
    pub fn mul_relin(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.relinearize(&self.mul(a, b)?)
    }

    /// Divides by the level's own primes: one level down, scale divided by [`crate::Parameters::ratio`].
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        let params = self.ctx.params();
        let Some(plan) = &params.level(a.level()).rescale else {
            return Err(Error::levels_exhausted("rescale", 1, a.level()));
        };
        let mut buf = self.ctx.alloc(a.polys() * plan.dst.len())?;
        self.ctx.backend().divide_round(buf.view_mut(a.polys()), a.view(), plan, None)?;
        let (scale, divisor) = self.rescaled(a);
        let noise = a.noise().divided(divisor, noise::rounding_of(params, a.polys()), scale);
        Ok(self.build(buf, a.polys(), a, a.level() - 1, scale, noise))
    }

    fn rescaled(&self, a: &Ciphertext) -> (Scale, f64) {
        let ratio = self.ctx.params().ratio(a.level());
        (a.scale() / ratio, ratio.log2())
    }

    /// Relinearises and rescales a product at once: P (c0, c1) is added before the one division by P q_l
    /// (merged ModDown+Rescale, Algorithm 7 of de Castro et al.).
    pub fn relinearize_rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        if a.polys() != 3 {
            return Err(Error::Degree { op: "relinearize_rescale", expected: 3, found: a.polys() });
        }
        let params = self.ctx.params();
        let Some(plan) = &params.level(a.level()).mod_down_rescale else {
            return Err(Error::levels_exhausted("relinearize_rescale", 1, a.level()));
        };
        let key = self.keys.relinearization()?;
        let finish = Finish { add: a.view().slice(0, 2), division: plan, automorphism: None };
        let buf = apply(&self.ctx, a.view().poly(2), a.level(), key, finish)?;
        let (scale, divisor) = self.rescaled(a);
        let noise = a.noise().plus(noise::switching(params, a.level()));
        let noise = noise.divided(divisor, noise::rounding(params), scale);
        Ok(self.build(buf, 2, a, a.level() - 1, scale, noise))
    }

    /// `a b`, relinearised and rescaled.
    pub fn mul_relin_rescale(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Mult");
        if a.level() == 0 {
            return Err(Error::levels_exhausted("multiplication", 1, 0));
        }
        self.keys.relinearization()?;
        self.relinearize_rescale(&self.mul(a, b)?)
    }
}
