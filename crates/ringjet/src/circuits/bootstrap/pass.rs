//! The phases of one bootstrap, and the estimated error of its result.

use std::f64::consts::TAU;

use super::matrices::product_scale;
use super::{Bootstrapper, PASS_BITS, Parts, Phase, Steps};
use crate::ckks::noise;
use crate::ckks::params::BootstrapSpec;
use crate::diagonals::trace_rotations;
use crate::noise::Added;
use crate::{Ciphertext, Evaluator, Noise, Range, Result};

impl Bootstrapper {
    /// Returns one result for each ciphertext: one, or two that share all phases but EvalMod.
    pub(super) fn run(
        &self,
        steps: &impl Steps,
        cts: &[&Ciphertext],
        parts: Parts,
        done: &mut impl FnMut(Phase) -> Result<()>,
    ) -> Result<Vec<Ciphertext>> {
        let eval = steps.evaluator();
        cts.iter().try_for_each(|ct| self.check(eval, ct))?;
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
            x = eval.add(&x, &eval.rotate_full(&x, r)?)?.with_magnitude(1.0);
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
        steps.evaluator().keys().relinearization()?;
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

    /// The estimated error of the result: the error of the input, the error of the sine or its
    /// arcsine for values up to 1, the errors of the transforms, and the noise of EvalMod.
    /// That noise grows by [`BootstrapSpec::eval_mod_growth`] bits, and by the ratio of q_0 to the
    /// message.
    fn noise(&self, boot: &BootstrapSpec, ct: &Ciphertext, level: usize, parts: Parts) -> Noise {
        let params = self.ctx.params();
        let to = params.scale(level);
        let room = self.low_ratio(params);
        let start = params.scale(params.max_level() - self.coeffs_to_slots.len()).value();
        let rounding = (2.0 * noise::rounding(params).variance).sqrt() / start;
        // where SlotsToCoeffs comes last, every slot sums errors of all coefficients
        let spread = if boot.slots_to_coeffs_first { 1.0 } else { f64::from(self.log_slots + 1).exp2().sqrt() };
        let computed = rounding * boot.eval_mod_growth().exp2() * room / TAU * spread;
        let shrunk = f64::from(-PASS_BITS * (boot.passes as i32 - 1)).exp2();
        // a double-angle step can multiply an error by 4; / 8, since few values have the largest
        let approximated = self.cosine_error * 4f64.powi(boot.double_angles as i32) * room / TAU / 8.0 * spread;
        // CoeffsToSlots works on multiples of q_0: each is a sum of numbers uniform in (-1/2, 1/2)
        let [down, up] = self.transform_errors;
        let multiples = f64::from(boot.secret_weight + 1) / 6.0;
        let magnitude = ct.noise().magnitude().min(1.0);
        let transformed = (down * magnitude * magnitude + up * multiples * (room * spread).powi(2)).sqrt();
        let error = boot.sine_error(room).hypot(computed).hypot(approximated).hypot(transformed) * shrunk * to.value();
        let range = match parts {
            Parts::Real | Parts::Apart => Range::within(ct.noise().range().largest_part(), true),
            _ => ct.noise().range(),
        };
        let own = noise::rounding(params) + Added::fixed(error);
        // the errors of the sine and of roundings within it are estimated, but have no proved bound
        ct.noise().moved(to).plus(own).with_range(range).unbounded()
    }
}
