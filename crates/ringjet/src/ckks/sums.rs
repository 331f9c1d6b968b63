//! Many rotations of one ciphertext by one decomposition, their sums, and long rescalings.

use std::collections::BTreeSet;
use std::sync::Arc;

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan};
use ringjet_backend::{Buf, Coeff, RotateFactor, RotateSum, RotateTerm};

use super::ciphertext::Position;
use super::{Ciphertext, Evaluator, noise};
use crate::noise::Noise;
use crate::rlwe::keyswitch::{KeyAt, hoist};
use crate::{Error, Result};

/// A rotation: its key, restricted to a level, and its automorphism.
pub(crate) type Switch<'a> = (KeyAt<'a>, Arc<AutomorphismPlan>);

impl Evaluator {
    /// The sum of `a` rotated by each of `steps`; a step of 0 adds `a` itself. The rotations share
    /// one decomposition and one division by P (double hoisting; Bossuat et al., "Efficient
    /// Bootstrapping ... with Non-sparse Keys", ePrint 2020/1203). Level and scale stay.
    /// Fails with [`Error::MissingRotationKey`]; [`Error::Argument`] where there are no steps.
    pub fn rotation_sum(&self, a: &Ciphertext, steps: &[i64]) -> Result<Ciphertext> {
        let _scope = self.context().scope("RotationSum");
        let params = self.context().params();
        let noise = self.rotations_noise(a, steps);
        let sum = self.sum_of_rotations(a, steps, &params.level(a.level()).mod_down)?;
        self.result_like(a, sum, 2, a.position(), noise.plus(noise::rounding(params))).everywhere().fits("rotation_sum")
    }

    /// [`Evaluator::rotation_sum`] of an unrescaled product, with one division for P and rescaling.
    /// Fails as [`Evaluator::rotation_sum`] does, and with [`Error::ModulusExhausted`].
    pub fn rotation_sum_rescale(&self, a: &Ciphertext, steps: &[i64]) -> Result<Ciphertext> {
        let _scope = self.context().scope("RotationSum");
        let (params, level) = (self.context().params(), a.level());
        let division = params.level(level).mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("rotation_sum_rescale", 1, 0))?;
        let sum = self.sum_of_rotations(a, steps, division)?;
        let (ratio, noise) = (params.ratio(level), self.rotations_noise(a, steps));
        let scale = a.scale() / ratio;
        let noise = noise.divided(ratio.log2(), noise::rounding(params), scale);
        self.result_like(a, sum, 2, Position { level: level - 1, scale }, noise).everywhere().fits("rotation_sum")
    }

    /// Divides by the primes of all levels above `level`, and the scale by the product of their
    /// [`crate::Parameters::ratio`]s. A scale below that product loses the values.
    /// Fails with [`Error::NoSuchLevel`] unless `level` is below the ciphertext's.
    pub fn rescale_to(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        let _scope = self.context().scope("RescaleTo");
        let (ctx, params) = (self.context(), self.context().params());
        self.check(a)?;
        if level >= a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level().saturating_sub(1) });
        }
        let plan = params.division(a.level(), level);
        let mut buf = ctx.alloc(a.polys() * plan.dst.len())?;
        ctx.backend().divide_round(buf.view_mut(a.polys()), a.view(), &plan, None)?;
        let scale = (level + 1..=a.level()).fold(a.scale(), |scale, l| scale / params.ratio(l));
        let bits = a.scale().log2() - scale.log2();
        let noise = a.noise().divided(bits, noise::rounding_of(params, a.polys()), scale);
        self.mapped(a, buf, a.polys(), Position { level, scale }, noise).fits("rescale_to")
    }

    pub(crate) fn switch(&self, a: &Ciphertext, steps: i64) -> Result<Switch<'_>> {
        let (galois, key) = self.rotation_key(a, steps)?;
        Ok((key.at(a.level())?, a.params().automorphism(galois)))
    }

    fn rotations_noise(&self, a: &Ciphertext, steps: &[i64]) -> Noise {
        let switching = noise::switching(self.context().params(), a.level());
        let once = steps.iter().map(|s| s.rem_euclid(a.slots() as i64)).collect::<BTreeSet<_>>().len();
        // repeated rotations have the same error
        let more = a.noise().noise_after_rotation(switching).repeated(steps.len() - once);
        let first = a.noise().rotations(once, switching);
        if once == steps.len() { first } else { first.sum(more) }
    }

    /// The sum of rotations over `P ++ Q_l`, divided by `by`.
    fn sum_of_rotations(&self, a: &Ciphertext, steps: &[i64], by: &DivisionPlan) -> Result<Buf> {
        let (ctx, params, level) = (self.context(), self.context().params(), a.level());
        self.check_degree("rotation_sum", a)?;
        if steps.is_empty() {
            return Err(Error::none("steps"));
        }
        let (b, plans, k) = (ctx.backend(), params.level(level), params.p().len());
        let (limbs, beta) = (plans.extended.len(), plans.mod_up.beta());
        let trivial = |s: i64| s.rem_euclid(a.slots() as i64) == 0;
        let switches = (steps.iter())
            .map(|&s| (!trivial(s)).then(|| self.switch(a, s)).transpose())
            .collect::<Result<Vec<_>>>()?;
        let mut lifted = ctx.alloc(2 * limbs)?;
        b.lincomb(lifted.view_mut(2).prefix(k), &[], params.p(), false)?;
        let terms = [(Coeff::PerLimb(&plans.mod_up.p_residues), a.view())];
        b.lincomb(lifted.view_mut(2).range(k, limbs - k), &terms, &plans.basis, false)?;
        let digits = match switches.iter().any(Option::is_some) {
            true => hoist(ctx, a.view().poly(1), level)?,
            false => ctx.alloc(beta * limbs)?,
        };
        let terms: Vec<_> = switches
            .iter()
            .map(|s| {
                let (key, automorphism) = (s.as_ref().map(|s| s.0.view()), s.as_ref().map(|s| &*s.1));
                RotateTerm { key, automorphism, factors: &[RotateFactor::One] }
            })
            .collect();
        let mut sum = ctx.alloc(2 * limbs)?;
        let what = RotateSum { digits: digits.view(beta), add: lifted.view(2), terms: &terms };
        b.hoisted_rotate_sum(sum.view_mut(2), &what, &plans.extended, false)?;
        let mut buf = ctx.alloc(2 * by.dst.len())?;
        b.divide_round(buf.view_mut(2), sum.view(2), by, None)?;
        Ok(buf)
    }
}
