//! The phases of one bootstrap.

use super::matrices::product_scale;
use super::{Bootstrapper, PASS_BITS, Parts, Phase, Steps};
use crate::diagonals::trace_rotations;
use crate::{Ciphertext, Evaluator, Range, Result, Scale};

impl Bootstrapper {
    /// Returns one result for each ciphertext that passed [`Self::check`]: one, or two that share all
    /// phases but EvalMod.
    pub(super) fn run(
        &self,
        steps: &impl Steps,
        cts: &[&Ciphertext],
        parts: Parts,
        done: &mut impl FnMut(Phase) -> Result<()>,
    ) -> Result<Vec<Ciphertext>> {
        let eval = steps.evaluator();
        let boot = self.ctx.params().expect_bootstrap()?;
        let low = |ct: &&Ciphertext| Ok(eval.align(ct, boot.input_level())?.everywhere());
        let low = cts.iter().map(low).collect::<Result<Vec<_>>>()?;
        let mut out = self.pass(steps, &low, parts, done)?;
        for pass in 1..boot.passes {
            // The magnified error of the results so far is bootstrapped as a message; scaling it
            // back shrinks its own error.
            let bits = PASS_BITS * pass as i32;
            let magnified = (low.iter().zip(&out))
                .map(|(low, out)| {
                    // it is small: the results are precise to more than `bits` bits
                    let missing = eval.sub(low, &eval.align(out, low.level())?)?;
                    let missing = missing.with_magnitude(f64::from(-bits).exp2());
                    eval.scale_by(&missing, 1 << bits, missing.scale(), f64::from(bits).exp2())
                })
                .collect::<Result<Vec<_>>>()?;
            for (out, found) in out.iter_mut().zip(self.pass(steps, &magnified, parts, done)?) {
                let found = eval.align(&found, out.level())?;
                *out = eval.weighted_sum(&[(&*out, 1.0), (&found, f64::from(-bits).exp2())], out.level() - 1)?;
            }
        }
        Ok((low.iter().zip(out).zip(cts))
            .map(|((low, out), ct)| {
                let noise = self.noise(boot, low, out.level(), parts);
                out.with_noise(noise).with_held(ct.held())
            })
            .collect())
    }

    fn pass(
        &self,
        steps: &impl Steps,
        cts: &[Ciphertext],
        parts: Parts,
        done: &mut impl FnMut(Phase) -> Result<()>,
    ) -> Result<Vec<Ciphertext>> {
        let eval = steps.evaluator();
        let _scope = self.ctx.scope("Bootstrap");
        let first = self.ctx.params().expect_bootstrap()?.slots_to_coeffs_first;
        let mut x = match cts {
            [x, y] => eval.add(x, &eval.times_i(y)?)?,
            _ => cts[0].clone(),
        };
        if first {
            x = self.slots_to_coeffs(steps, x)?;
            done(Phase::SlotsToCoeffs)?;
        }
        let x = self.raise(eval, &x)?;
        done(Phase::ModRaise)?;
        // where SlotsToCoeffs comes last, the coefficients of real values fill both parts
        let (re, im) = self.coefficients(steps, x, parts != Parts::Real || !first)?;
        done(Phase::CoeffsToSlots)?;
        let mut out = self.eval_mod(steps, re)?;
        done(Phase::EvalMod)?;
        if let Some(im) = im {
            let im = self.eval_mod(steps, im)?;
            done(Phase::EvalMod)?;
            if parts == Parts::Apart {
                return Ok(vec![out, im]);
            }
            let im = self.times_i(eval, &im, 1)?;
            let _scope = (!first).then(|| self.ctx.scope("SlotsToCoeffs"));
            out = eval.add(&out, &im)?;
        }
        if !first {
            out = self.slots_to_coeffs(steps, out)?;
            done(Phase::SlotsToCoeffs)?;
        }
        Ok(vec![out])
    }

    fn slots_to_coeffs(&self, steps: &impl Steps, x: Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("SlotsToCoeffs");
        self.slots_to_coeffs.iter().try_fold(x, |x, transform| steps.transform(transform, &x))
    }

    /// The coefficients of a raised ciphertext as slots: the first half, and the `second` one.
    fn coefficients(
        &self,
        steps: &impl Steps,
        mut x: Ciphertext,
        second: bool,
    ) -> Result<(Ciphertext, Option<Ciphertext>)> {
        let eval = steps.evaluator();
        let _scope = self.ctx.scope("CoeffsToSlots");
        for r in trace_rotations(self.ctx.params().log_n(), self.log_slots) {
            // the sum has twice the values, which are the same values at twice the scale
            let sum = eval.add(&x, &eval.rotate_full(&x, r)?)?;
            x = sum.with_scale(sum.scale() * Scale::power_of_two(1)).with_magnitude(1.0);
        }
        for transform in &self.coeffs_to_slots {
            x = steps.transform(transform, &x)?;
        }
        let conjugate = eval.conjugate(&x)?;
        let re = eval.add(&x, &conjugate)?;
        let im = second.then(|| self.times_i(eval, &eval.sub(&conjugate, &x)?, 0)).transpose()?;
        Ok((re, im))
    }

    /// `i * x`, at the level at which EvalMod starts (`place` 0) or ends (1).
    fn times_i(&self, eval: &Evaluator, x: &Ciphertext, place: usize) -> Result<Ciphertext> {
        Ok(eval.mul_plain(x, &self.unit[place])?.with_scale(x.scale()))
    }

    /// Reduces `x`, in units of K * q_0, modulo q_0; the remainder is the message.
    pub(super) fn eval_mod(&self, steps: &impl Steps, x: Ciphertext) -> Result<Ciphertext> {
        let params = self.ctx.params();
        let _scope = self.ctx.scope("EvalMod");
        let boot = params.expect_bootstrap()?;
        let unit = Range::real(-1.0, 1.0);
        let doubled = |y: &Ciphertext| -> Result<Ciphertext> {
            // cos(2a) = 2 * cos(a)^2 - 1
            Ok(steps.doubled(&steps.mul(y, y)?, None, -1.0)?.with_range(unit))
        };
        let depth = steps.depth(&self.cosine);
        steps.expect_levels("polynomial", &x, depth + usize::from(self.shift.is_some()))?;
        let x = match self.shift {
            Some(shift) => doubled(&steps.combine(&[(&x, 1)], shift)?)?,
            None => x.with_range(unit),
        };
        let landing = params.scale(x.level() - depth);
        let mut y = steps.polynomial_at(&x, &self.cosine, landing)?.with_range(unit);
        for _ in 0..boot.double_angles {
            y = doubled(&y)?;
        }
        if let Some(arcsine) = &self.arcsine {
            y = steps.polynomial_at(&y, arcsine, product_scale(params, boot))?;
        }
        Ok(y.with_scale(self.landed))
    }
}
