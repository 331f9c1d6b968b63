//! Products of ciphertexts and plaintexts, relinearisation and rescaling.

use ringjet_backend::Buf;

use crate::approximate::{expect_polys, expect_scales};
use crate::ckks::ciphertext::Position;
use crate::ckks::{Ciphertext, Evaluator, Plaintext, noise};
use crate::rlwe::keyswitch::{Finish, apply};
use crate::{Error, Noise, Result};

impl Evaluator {
    /// Product without relinearisation: three polynomials; scales multiply.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Tensor");
        self.check_pair("mul", a, b)?;
        self.check_degree("mul", a)?;
        self.check_degree("mul", b)?;
        let scale = a.scale() * b.scale();
        let noise = if a.is_same(b) { a.noise().square(scale) } else { a.noise().product(b.noise(), scale) };
        a.expect_room("multiplication", noise)?;
        let mut buf = self.ctx.alloc(3 * a.basis().len())?;
        self.ctx.backend().tensor(buf.view_mut(3), a.view(), b.view(), a.basis())?;
        Ok(self.made(a, buf, 3, Position { scale, ..a.position() }, noise).with_key(self.owner(a).or(b.key_id())))
    }

    /// Three polynomials to two.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize", 3, a.polys())?;
        let key = self.keys.relinearization()?;
        let plans = self.ctx.params().level(a.level());
        let finish = Finish { add: a.view().slice(0, 2), division: &plans.mod_down, automorphism: None };
        let buf = apply(&self.ctx, a.view().poly(2), a.level(), key, finish)?;
        let noise = a.noise().plus(noise::switched(self.ctx.params(), a.level()));
        Ok(self.made(a, buf, 2, a.position(), noise))
    }

    /// `a b`, relinearised, not rescaled.
    pub fn mul_relin(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.relinearize(&self.mul(a, b)?)
    }

    /// Divides by the level's own primes: one level down, scale divided by [`crate::Parameters::ratio`].
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        let plan = self.ctx.params().level(a.level()).rescale.as_ref();
        let plan = plan.ok_or(Error::levels_exhausted("rescale", 1, a.level()))?;
        let mut buf = self.ctx.alloc(a.polys() * plan.dst.len())?;
        self.ctx.backend().divide_round(buf.view_mut(a.polys()), a.view(), plan, None)?;
        Ok(self.rescaled(a, buf, a.polys(), a.noise()))
    }

    /// `a` with this error, divided by the level's primes: `buf` has the polynomials.
    fn rescaled(&self, a: &Ciphertext, buf: Buf, polys: usize, noise: Noise) -> Ciphertext {
        let (params, ratio) = (a.params(), a.params().ratio(a.level()));
        let (level, scale) = (a.level() - 1, a.scale() / ratio);
        let noise = noise.divided(ratio.log2(), noise::rounding_of(params, polys), scale);
        self.made(a, buf, polys, Position { level, scale }, noise)
    }

    /// Relinearises and rescales a product at once: P (c0, c1) is added before the one division by P q_l
    /// (merged ModDown+Rescale, Algorithm 7 of de Castro et al.).
    pub fn relinearize_rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize_rescale", 3, a.polys())?;
        let params = self.ctx.params();
        let plan = params.level(a.level()).mod_down_rescale.as_ref();
        let plan = plan.ok_or(Error::levels_exhausted("relinearize_rescale", 1, a.level()))?;
        let key = self.keys.relinearization()?;
        let finish = Finish { add: a.view().slice(0, 2), division: plan, automorphism: None };
        let buf = apply(&self.ctx, a.view().poly(2), a.level(), key, finish)?;
        Ok(self.rescaled(a, buf, 2, a.noise().plus(noise::switching(params, a.level()))))
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

    /// `a p`, slot by slot; levels must agree, scales multiply, no rescaling.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        let scale = a.scale() * p.scale();
        let noise = a.noise().product(p.noise(), scale);
        a.expect_room("mul_plain", noise)?;
        let mut buf = self.ctx.alloc(a.polys() * a.basis().len())?;
        self.ctx.backend().mul(buf.view_mut(a.polys()), a.view(), p.view(), a.basis(), false)?;
        Ok(self.made(a, buf, a.polys(), Position { scale, ..a.position() }, noise))
    }

    /// `sum of a_i p_i` without rescaling: one pass over the data. Levels and packings must agree, and so must the
    /// products of scales.
    pub fn mul_plain_sum(&self, pairs: &[(&Ciphertext, &Plaintext)]) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        let &(first, p) = pairs.first().ok_or_else(|| Error::none("pairs"))?;
        let (op, scale) = ("mul_plain_sum", first.scale() * p.scale());
        let mut owner = self.owner(first);
        for (a, p) in pairs {
            self.check_pair(op, first, a)?;
            owner = owner.join("ciphertext", a.key_id())?;
            self.check_degree(op, a)?;
            self.check_plain(op, a, p)?;
            expect_scales(op, scale, a.scale() * p.scale())?;
        }
        let noise = pairs.iter().map(|(a, p)| a.noise().product(p.noise(), scale)).reduce(Noise::sum);
        let noise = noise.unwrap_or(first.noise());
        first.expect_room(op, noise)?;
        let mut buf = self.ctx.alloc(2 * first.basis().len())?;
        let views: Vec<_> = pairs.iter().map(|(a, p)| (a.view(), p.view())).collect();
        self.ctx.backend().mul_acc(buf.view_mut(2), &views, first.basis(), false)?;
        Ok(self.made(first, buf, 2, Position { scale, ..first.position() }, noise).with_key(owner))
    }
}
