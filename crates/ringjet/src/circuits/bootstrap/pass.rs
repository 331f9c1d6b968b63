//! The phases of one bootstrap.

use super::joined::Joined;
use super::matrices::product_scale;
use super::{Bootstrapper, PASS_BITS, Parts, Phase, Steps};
use crate::circuits::polyeval::UNIT;
use crate::diagonals::trace_rotations;
use crate::{Ciphertext, Evaluator, Result, Scale};

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
        let low = |ct: &&Ciphertext| eval.align(ct, boot.input_level())?.everywhere().with_log_slots(self.log_slots);
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
        (low.iter().zip(out).zip(cts))
            .map(|((low, out), ct)| {
                let noise = self.noise(boot, low, (out.level(), ct.log_slots()), parts);
                Ok(out.with_noise(noise).with_log_slots(ct.log_slots())?.with_held(ct.held()))
            })
            .collect()
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
        let boot = self.ctx.params().expect_bootstrap()?;
        let (first, joined) = (boot.slots_to_coeffs_first, self.joined_for(parts));
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
        let x = self.coefficients(steps, x, joined)?;
        let apart = joined.is_none() && parts != Parts::Real;
        let (re, im) = self.parts(eval, x, apart)?;
        done(Phase::CoeffsToSlots)?;
        let mut out = match joined {
            Some(joined) => self.eval_mod_joined(steps, joined, re)?,
            None => self.eval_mod(steps, re)?,
        };
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
        let x = self.turned(steps, x, self.turns[0])?;
        self.slots_to_coeffs.iter().try_fold(x, |x, transform| steps.transform(transform, &x))
    }

    /// The coefficients of a raised ciphertext as slots: halves of the first half plus i times the
    /// second one. In `joined` they are multiplied by u, in twice the slots.
    fn coefficients(&self, steps: &impl Steps, mut x: Ciphertext, joined: Option<&Joined>) -> Result<Ciphertext> {
        let eval = steps.evaluator();
        let _scope = self.ctx.scope("CoeffsToSlots");
        let (params, slots) = (self.ctx.params(), self.log_slots);
        for r in trace_rotations(params.log_n(), params.expect_bootstrap()?.raised_log_slots(slots)) {
            // the sum has twice the values, which are the same values at twice the scale
            let sum = eval.add(&x, &eval.rotate_full(&x, r)?)?;
            x = sum.with_scale(sum.scale() * Scale::power_of_two(1)).with_magnitude(1.0);
        }
        x = self.turned(steps, x, self.turns[1])?;
        // the last matrix is part of `joined`
        let own = self.coeffs_to_slots.len().saturating_sub(usize::from(joined.is_some()));
        let x = self.coeffs_to_slots[..own].iter().try_fold(x, |x, transform| steps.transform(transform, &x))?;
        match joined {
            None => Ok(x),
            Some(joined) => {
                let x = x.repacked(slots + 1, x.noise());
                match &joined.matrix {
                    Some(last) => steps.transform(last, &x),
                    // a division can change the scale's last bit; scales are compared exactly
                    None => Ok(eval.rescale(&x)?.with_scale(self.rise.scales[1])),
                }
            }
        }
    }

    /// `x` rotated as the matrices that follow need it.
    fn turned(&self, steps: &impl Steps, x: Ciphertext, by: i64) -> Result<Ciphertext> {
        if by == 0 { Ok(x) } else { steps.evaluator().rotate(&x, by) }
    }

    /// Twice the real parts of `x`, and with `second` twice the imaginary parts.
    fn parts(&self, eval: &Evaluator, x: Ciphertext, second: bool) -> Result<(Ciphertext, Option<Ciphertext>)> {
        let _scope = self.ctx.scope("CoeffsToSlots");
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
        let (x, landing) = self.cosine_argument(steps, x)?;
        let mut y = steps.polynomial_at(&x, &self.cosine, landing)?.with_range(UNIT);
        for _ in 0..boot.double_angles {
            y = doubled(steps, &y)?;
        }
        if let Some(arcsine) = &self.arcsine {
            y = steps.polynomial_at(&y, arcsine, product_scale(params, boot))?;
        }
        Ok(y.with_scale(self.landed))
    }

    /// [`Self::eval_mod`] of real parts and imaginary parts in the two halves of the slots; the result
    /// has the values.
    fn eval_mod_joined(&self, steps: &impl Steps, joined: &Joined, x: Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("EvalMod");
        let (x, landing) = self.cosine_argument(steps, x)?;
        let y = joined.sine(steps, &x, &self.cosine, landing)?.with_scale(self.landed);
        Ok(y.repacked(self.log_slots, y.noise()))
    }

    /// The argument of the cosine's polynomial, and the scale of the polynomial's value.
    fn cosine_argument(&self, steps: &impl Steps, x: Ciphertext) -> Result<(Ciphertext, Scale)> {
        let depth = steps.depth(&self.cosine);
        steps.expect_levels("polynomial", &x, depth + usize::from(self.shift.is_some()))?;
        let x = match self.shift {
            Some(shift) => doubled(steps, &steps.combine(&[(&x, 1)], shift)?)?,
            None => x.with_range(UNIT),
        };
        let landing = self.ctx.params().scale(x.level() - depth);
        Ok((x, landing))
    }
}

/// `cos(2 a) = 2 * cos(a)^2 - 1`.
fn doubled(steps: &impl Steps, cosine: &Ciphertext) -> Result<Ciphertext> {
    Ok(steps.doubled(&steps.mul(cosine, cosine)?, None, -1.0)?.with_range(UNIT))
}
