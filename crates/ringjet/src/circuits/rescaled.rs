//! The double-hoisted linear transform with giant steps one level lower, for comparison.

use ringjet_backend::{Coeff, Rotation};

use super::EncodedTransform;
use crate::ckks::noise;
use crate::{Ciphertext, Error, Evaluator, Result};

impl EncodedTransform {
    /// Giant steps one level lower: their sums are divided by P and rescaled, and added up over `P ++ Q_(l-1)`.
    pub(super) fn double_rescaled(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, below) = (eval.context(), eval.context().params(), self.level - 1);
        let (b, plans, groups) = (ctx.backend(), params.level(below), self.groups.len());
        let (limbs, k) = (plans.extended.len(), params.p().len());
        let Some(division) = &params.level(self.level).mod_down_rescale else {
            return Err(Error::levels_exhausted("linear transform", 1, 0));
        };
        let sums = self.inner_sums(eval, x)?;
        let mut total = ctx.alloc(2 * limbs)?;
        b.lincomb(total.view_mut(2).prefix(k), &[], params.p(), false)?;
        let mut low = ctx.alloc(2 * plans.basis.len())?;
        let mut lifted = ctx.alloc(limbs)?;
        b.lincomb(lifted.view_mut(1).prefix(k), &[], params.p(), false)?;
        for (g, &outer) in self.groups.keys().enumerate() {
            b.divide_round(low.view_mut(2), sums.view(2 * groups).slice(2 * g, 2), division, None)?;
            let times_p = Coeff::PerLimb(&plans.mod_up.p_residues);
            if outer == 0 {
                let _scope = ctx.scope("Unrotated");
                let dst = total.view_mut(2).range(k, limbs - k);
                b.lincomb(dst, &[(times_p, low.view(2))], &plans.basis, g > 0)?;
            } else {
                let (galois, key) = eval.rotation_key(x, outer)?;
                let (key, automorphism) = (key.at(below)?, params.automorphism(galois));
                let dst = lifted.view_mut(1).range(k, limbs - k);
                b.lincomb(dst, &[(times_p, low.view(2).poly(0))], &plans.basis, false)?;
                let (mod_up, add) = (&plans.mod_up, lifted.view(1));
                let rotation = Rotation { mod_up, key: key.view(), automorphism: &automorphism, add };
                b.rotate_into(total.view_mut(2), low.view(2).poly(1), &rotation, g > 0)?;
            }
        }
        let mut buf = ctx.alloc(2 * plans.basis.len())?;
        b.divide_round(buf.view_mut(2), total.view(2), &plans.mod_down, None)?;
        let noise = self.noise(params, x.noise());
        let rounding = noise::rounding(params);
        let noise = noise.divided(params.ratio(self.level).log2(), rounding, self.to).plus(rounding);
        let made = Ciphertext::from_parts(params, buf, 2, below, self.to, x.log_slots(), noise);
        Ok(made.with_key(eval.owner(x)))
    }
}
