//! The explicit evaluator: exact scales and levels, one operation a call (Tables II and III of de
//! Castro et al., ePrint 2021/1636).
//!
//! No method aligns its operands; the methods of [`super::auto`] align them and call these.

use ringjet_backend::{Buf, Coeff};

use super::ciphertext::Position;
use super::params::Parameters;
use super::{Ciphertext, Context, Evaluator, Plaintext, Scale, SwitchingKey, noise};
use crate::approximate::expect_finite;
use crate::noise::{ErrorTerm, Noise};
use crate::rlwe::keyswitch::{SwitchTail, apply};
use crate::vectors::{self, Operations, expect_polys, expect_scales, signed_sum};
use crate::{Error, Result};

impl Operations for Parameters {
    fn align(eval: &Evaluator, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        a.expect_packing(b)?;
        if a.position() == b.position() {
            return Ok((a.clone(), b.clone()));
        }
        let level = a.level().min(b.level());
        Ok((eval.align(a, level)?, eval.align(b, level)?))
    }

    fn sum(ctx: &Context, a: &Ciphertext, b: &Ciphertext, minus: bool) -> Result<Buf> {
        let (basis, sign) = (a.basis(), if minus { Coeff::MinusOne } else { Coeff::One });
        let (polys, common) = (a.polys().max(b.polys()), a.polys().min(b.polys()));
        let mut buf = ctx.alloc(polys * basis.len())?;
        let terms = [(Coeff::One, a.view().slice(0, common)), (sign, b.view().slice(0, common))];
        ctx.backend().lincomb(buf.view_mut(polys).slice(0, common), &terms, basis, false)?;
        if polys > common {
            let (sign, longer) = if a.polys() > common { (Coeff::One, a) } else { (sign, b) };
            let rest = longer.view().slice(common, polys - common);
            let dst = buf.view_mut(polys).slice(common, polys - common);
            ctx.backend().lincomb(dst, &[(sign, rest)], basis, false)?;
        }
        Ok(buf)
    }

    fn sum_plain(ctx: &Context, a: &Ciphertext, p: &Plaintext, minus: bool) -> Result<Buf> {
        signed_sum(ctx, a, p.view(), minus)
    }

    fn galois(ctx: &Context, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Buf> {
        vectors::galois(ctx, a, galois, key)
    }

    fn switching_error(a: &Ciphertext) -> ErrorTerm {
        noise::switched(a.params(), a.level())
    }
}

impl Evaluator {
    /// `-a`.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.combine(&[(a, -1)], 0.0)
    }

    /// Drops the primes that `level` lacks: exact, the scale stays. Refused where `level` has
    /// primes that the ciphertext lacks.
    pub fn drop_level(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        self.check(a)?;
        let params = self.ctx.params();
        if level > a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level() });
        }
        if !params.is_nested(a.level(), level) {
            return Err(Error::NotNested { upper: a.level(), lower: level });
        }
        a.noise().expect_room("drop_level", params.level(level).basis.log2())?;
        let limbs = params.limbs(level);
        let chosen = params.chosen_limbs(params.primes_of(a.level()), level);
        let view = chosen.as_ref().map_or(a.view().prefix(limbs), |c| a.view().choose(c));
        let mut buf = self.ctx.alloc(a.polys() * limbs)?;
        self.ctx.backend().copy(buf.view_mut(a.polys()), view)?;
        Ok(self.mapped(a, buf, a.polys(), Position { level, ..a.position() }, a.noise()))
    }

    /// `integer * a`, exact: no level, no change of scale.
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        self.scale_by(a, i128::from(integer), a.scale(), integer as f64)
    }

    /// Multiplies polynomials by `integer` and declares `scale`, so values are multiplied by
    /// `value`.
    pub(crate) fn scale_by(&self, a: &Ciphertext, integer: i128, scale: Scale, value: f64) -> Result<Ciphertext> {
        self.check(a)?;
        let noise = a.noise().scaled(integer as f64, value, scale);
        a.expect_room("multiplication by a constant", noise)?;
        let basis = a.basis();
        let residues: Vec<u64> = basis.values().map(|q| integer.rem_euclid(i128::from(q)) as u64).collect();
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        let terms = [(Coeff::PerLimb(&residues), a.view())];
        self.ctx.backend().lincomb(buf.view_mut(a.polys()), &terms, basis, false)?;
        Ok(self.mapped(a, buf, a.polys(), Position { scale, ..a.position() }, noise))
    }

    /// `a + constant` with the constant rounded at the ciphertext's scale.
    pub fn add_scalar(&self, a: &Ciphertext, constant: f64) -> Result<Ciphertext> {
        self.combine(&[(a, 1)], constant)
    }

    /// `sum of integer * ciphertext + constant` in one pass; levels and scales must agree.
    pub(crate) fn combine(&self, terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Combine");
        let &(a, _) = terms.first().ok_or_else(|| Error::none("terms"))?;
        let basis = a.basis();
        let mut factors: Vec<Vec<u64>> = Vec::with_capacity(terms.len());
        let (mut owner, mut held) = (self.owner(a), a.held());
        for &(x, factor) in terms {
            self.check_pair("combine", a, x)?;
            held = held.sum(x.held())?;
            owner = owner.join("ciphertext", x.key_id())?;
            expect_scales("combine", a.scale(), x.scale())?;
            expect_polys("combine", a.polys(), x.polys())?;
            factors.push(basis.values().map(|q| i64::from(factor).rem_euclid(q as i64) as u64).collect());
        }
        let one = |&(x, factor): &(&Ciphertext, i32)| x.noise().scaled(factor.into(), factor.into(), x.scale());
        let noise = terms.iter().map(one).reduce(Noise::sum).unwrap_or(a.noise());
        let integer = self.scaled_integer(constant, a.scale(), a.level())?;
        // a constant is rounded once, whatever the slot
        let rounding = ErrorTerm::fixed(if constant == 0.0 { 0.0 } else { 0.5 });
        let noise = noise.plus_fixed(rounding).with_range(noise.range().shifted(constant));
        a.expect_room("addition", noise)?;
        let terms: Vec<_> = terms
            .iter()
            .zip(&factors)
            .map(|((x, factor), residues)| {
                let coeff = match factor {
                    1 => Coeff::One,
                    -1 => Coeff::MinusOne,
                    _ => Coeff::PerLimb(residues),
                };
                (coeff, x.view())
            })
            .collect();
        let (polys, b) = (a.polys(), self.ctx.backend());
        let mut buf = self.ctx.alloc(polys * basis.len())?;
        let dst = buf.view_mut(polys);
        if integer == 0 {
            b.lincomb(dst, &terms, basis, false)?;
        } else {
            // a constant is the same value in every slot, and part of the first polynomial only
            let residue = |q: u64| integer.rem_euclid(i128::from(q)) as u64;
            b.affine(dst, &terms, &basis.values().map(residue).collect::<Vec<_>>(), basis)?;
        }
        let held = if integer == 0 { held } else { held.unknown() };
        Ok(self.result_like(a, buf, polys, a.position(), noise).with_key(owner).with_held(held))
    }

    /// `round(constant * scale)`, refused where it does not fit below Q_level / 2.
    pub(crate) fn scaled_integer(&self, constant: f64, scale: Scale, level: usize) -> Result<i128> {
        expect_finite(&[constant.into()])?;
        let (hi, lo) = scale.parts();
        let rounded = (constant * hi).round();
        let available = (self.ctx.params().level(level).basis.log2() - 1.0).min(120.0);
        if rounded != 0.0 && rounded.abs().log2() >= available {
            let (magnitude, scale_log2, needed) = (constant.abs(), scale.log2(), rounded.abs().log2());
            return Err(Error::TooLarge { magnitude, scale_log2, needed, available, level: Some(level) });
        }
        Ok(rounded as i128 + (constant * lo + constant.mul_add(hi, -rounded)).round() as i128)
    }
}

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
        let made = self.result_like(a, buf, 3, Position { scale, ..a.position() }, noise);
        Ok(made.with_key(self.owner(a).or(b.key_id())).with_held(a.held().product(b.held())?))
    }

    /// Turns three polynomials into two by key switching.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize", 3, a.polys())?;
        let key = self.keys.relinearization()?;
        let plans = self.ctx.params().level(a.level());
        let finish = SwitchTail { add: a.view().slice(0, 2), division: &plans.mod_down, automorphism: None };
        let mut buf = self.ctx.alloc(2 * plans.basis.len())?;
        apply(&self.ctx, buf.view_mut(2), &plans.mod_up, a.view().poly(2), a.level(), key, finish)?;
        let noise = a.noise().plus(noise::relinearized(self.ctx.params(), a.level()));
        Ok(self.mapped(a, buf, 2, a.position(), noise))
    }

    /// `a * b`, relinearised, not rescaled.
    pub fn mul_relin(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.relinearize(&self.mul(a, b)?)
    }

    /// Divides by the level's own primes: one level down, scale divided by
    /// [`crate::Parameters::ratio`].
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        let plan = self.ctx.params().level(a.level()).rescale.as_ref();
        let plan = plan.ok_or(Error::levels_exhausted("rescale", 1, a.level()))?;
        let mut buf = self.ctx.alloc(a.polys() * plan.dst.len())?;
        self.ctx.backend().divide_round(buf.view_mut(a.polys()), a.view(), plan, None)?;
        Ok(self.rescaled(a, buf, a.polys(), a.noise()))
    }

    /// The ciphertext `a` with the error `noise`, divided by the level's primes into `buf`.
    fn rescaled(&self, a: &Ciphertext, buf: Buf, polys: usize, noise: Noise) -> Ciphertext {
        let (params, ratio) = (a.params(), a.params().ratio(a.level()));
        let (level, scale) = (a.level() - 1, a.scale() / ratio);
        let noise = noise.divided(ratio.log2(), noise::rounding_of(params, polys), scale);
        self.mapped(a, buf, polys, Position { level, scale }, noise)
    }

    /// Relinearises and rescales a product at once: adds P * (c0, c1) before the one division by P
    /// * q_l, q_l the level's primes (merged ModDown+Rescale, Algorithm 7 of de Castro et al.).
    pub fn relinearize_rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize_rescale", 3, a.polys())?;
        let params = self.ctx.params();
        let plans = params.level(a.level());
        let plan = plans.mod_down_rescale.as_ref();
        let plan = plan.ok_or(Error::levels_exhausted("relinearize_rescale", 1, a.level()))?;
        let key = self.keys.relinearization()?;
        let finish = SwitchTail { add: a.view().slice(0, 2), division: plan, automorphism: None };
        let mut buf = self.ctx.alloc(2 * plan.dst.len())?;
        apply(&self.ctx, buf.view_mut(2), &plans.mod_up, a.view().poly(2), a.level(), key, finish)?;
        Ok(self.rescaled(a, buf, 2, a.noise().plus(noise::relinearizing(params, a.level()))))
    }

    /// `a * b`, relinearised and rescaled.
    pub fn mul_relin_rescale(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Mult");
        if a.level() == 0 {
            return Err(Error::levels_exhausted("multiplication", 1, 0));
        }
        self.keys.relinearization()?;
        self.relinearize_rescale(&self.mul(a, b)?)
    }

    /// `a * p`, slot by slot. Levels must agree, scales multiply, nothing is rescaled.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        let scale = a.scale() * p.scale();
        let noise = a.noise().product(p.noise(), scale);
        a.expect_room("mul_plain", noise)?;
        let mut buf = self.ctx.alloc(a.polys() * a.basis().len())?;
        self.ctx.backend().mul(buf.view_mut(a.polys()), a.view(), p.view(), a.basis(), false)?;
        let made = self.result_like(a, buf, a.polys(), Position { scale, ..a.position() }, noise);
        Ok(made.with_held(a.held().times_plain(p.held(), a.slots())))
    }

    /// `sum of a_i * p_i` in one pass over the data, not rescaled. Levels and packings must agree,
    /// and all products must have the same scale.
    pub fn mul_plain_sum(&self, pairs: &[(&Ciphertext, &Plaintext)]) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        let &(first, p) = pairs.first().ok_or_else(|| Error::none("pairs"))?;
        let (op, scale) = ("mul_plain_sum", first.scale() * p.scale());
        let (mut owner, mut held) = (self.owner(first), first.held());
        for (a, p) in pairs {
            self.check_pair(op, first, a)?;
            held = held.sum(a.held())?;
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
        let made = self.result_like(first, buf, 2, Position { scale, ..first.position() }, noise);
        Ok(made.with_key(owner).with_held(held))
    }
}
