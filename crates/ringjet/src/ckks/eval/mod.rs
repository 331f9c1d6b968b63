//! The explicit evaluator: exact scales and levels, one operation a call (Tables II and III of de Castro et al.).
//!
//! Nothing is aligned behind the caller's back; the methods of [`super::auto`] do that on top of these.

mod constants;
mod products;

use ringjet_backend::{Buf, Coeff};

use super::ciphertext::Position;
use super::params::Parameters;
use super::{Ciphertext, Context, Evaluator, Plaintext, SwitchingKey, noise};
use crate::approximate::Operations;
use crate::noise::Added;
use crate::rlwe::keyswitch::{Finish, apply};
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
        let sign = if minus { Coeff::MinusOne } else { Coeff::One };
        let mut buf = ctx.alloc(a.polys() * a.basis().len())?;
        ctx.backend().copy(buf.view_mut(a.polys()), a.view())?;
        ctx.backend().lincomb(buf.view_mut(a.polys()).poly(0), &[(sign, p.view())], a.basis(), true)?;
        Ok(buf)
    }

    fn galois(ctx: &Context, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Buf> {
        let (division, automorphism) = (&ctx.params().level(a.level()).mod_down, ctx.params().automorphism(galois));
        let finish = Finish { add: a.view().poly(0), division, automorphism: Some(&automorphism) };
        apply(ctx, a.view().poly(1), a.level(), key, finish)
    }

    fn switching_error(a: &Ciphertext) -> Added {
        noise::switched(a.params(), a.level())
    }
}

impl Evaluator {
    /// `-a`.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.combine(&[(a, -1)], 0.0)
    }

    /// Forgets primes down to `level`: exact, the scale stays. Refused where `level` has primes that the ciphertext
    /// lacks.
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
        Ok(self.made(a, buf, a.polys(), Position { level, ..a.position() }, a.noise()))
    }
}
