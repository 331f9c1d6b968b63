//! Sums and products with plaintexts.

use ringjet_backend::Coeff;

use super::expect_scales;
use crate::ckks::{Ciphertext, Evaluator, Plaintext, noise};
use crate::noise::Noise;
use crate::{Error, Result};

impl Evaluator {
    fn linear_plain(&self, op: &'static str, a: &Ciphertext, p: &Plaintext, sign: Coeff<'_>) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtAdd");
        self.check_plain(op, a, p)?;
        expect_scales(op, a.scale(), p.scale())?;
        let range = if matches!(sign, Coeff::MinusOne) { p.range().negated() } else { p.range() };
        let noise = a.noise().plus_fixed(noise::encoding(self.ctx.params()));
        let noise = noise.with_range(noise.range().sum(range));
        self.expect_room(op, noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        self.ctx.backend().copy(buf.view_mut(a.polys()), a.view())?;
        self.ctx.backend().lincomb(buf.view_mut(a.polys()).poly(0), &[(sign, p.view())], basis, true)?;
        Ok(self.build(buf, a.polys(), a, a.level(), a.scale(), noise))
    }

    fn check_plain(&self, op: &'static str, a: &Ciphertext, p: &Plaintext) -> Result<()> {
        self.check(a)?;
        self.ctx.params().expect_same("plaintext", p.params())?;
        if a.level() != p.level() {
            return Err(Error::ModulusMismatch { unit: crate::Unit::Levels, op, lhs: a.level(), rhs: p.level() });
        }
        if a.log_slots() != p.log_slots() {
            return Err(Error::SlotMismatch { lhs: a.slots(), rhs: 1 << p.log_slots() });
        }
        Ok(())
    }

    /// `a + p`; levels and scales must agree.
    pub fn add_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        self.linear_plain("add_plain", a, p, Coeff::One)
    }

    /// `a - p`; levels and scales must agree.
    pub fn sub_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        self.linear_plain("sub_plain", a, p, Coeff::MinusOne)
    }

    /// `a p`, slot by slot; levels must agree, scales multiply, no rescaling.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        let scale = a.scale() * p.scale();
        let noise = a.noise().product(p.noise(), scale);
        self.expect_room("mul_plain", noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        self.ctx.backend().mul(buf.view_mut(a.polys()), a.view(), p.view(), basis, false)?;
        Ok(self.build(buf, a.polys(), a, a.level(), scale, noise))
    }

    /// `sum of a_i p_i` without rescaling: one pass over the data. Levels and packings must agree, and so must the
    /// products of scales.
    pub fn mul_plain_sum(&self, pairs: &[(&Ciphertext, &Plaintext)]) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        let Some(&(first, p)) = pairs.first() else {
            return Err(Error::Argument { name: "pairs", value: "[]".into(), expected: "at least one product".into() });
        };
        let scale = first.scale() * p.scale();
        let mut noise: Option<Noise> = None;
        let mut owner = self.owner(first);
        for (a, p) in pairs {
            self.check_pair("mul_plain_sum", first, a)?;
            owner = owner.join("ciphertext", a.key_id())?;
            self.check_degree("mul_plain_sum", a)?;
            self.check_plain("mul_plain_sum", a, p)?;
            expect_scales("mul_plain_sum", scale, a.scale() * p.scale())?;
            let one = a.noise().product(p.noise(), scale);
            noise = Some(noise.map_or(one, |n| n.sum(one)));
        }
        let noise = noise.unwrap_or_else(|| first.noise());
        self.expect_room("mul_plain_sum", noise, first.level())?;
        let basis = &self.ctx.params().level(first.level()).basis;
        let mut buf = self.ctx.alloc(2 * basis.len())?;
        let views: Vec<_> = pairs.iter().map(|(a, p)| (a.view(), p.view())).collect();
        self.ctx.backend().mul_acc(buf.view_mut(2), &views, basis, false)?;
        Ok(self.build(buf, 2, first, first.level(), scale, noise).with_key(owner))
    }
}
