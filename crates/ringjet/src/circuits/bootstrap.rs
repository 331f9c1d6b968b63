//! Bootstrapping: a ciphertext with no levels left becomes one of the same message with many (Cheon, Han, Kim, Kim and
//! Song 2018/153; EvalMod after Han and Ki 2019/688; the ephemeral sparse secret after 2022/024).
//!
//! ```text
//! SlotsToCoeffs   slots z       -> coefficients z                    the lowest levels
//! ModRaise        modulus q_0   -> Q, which adds q_0 I, |I| < K      under the ephemeral secret
//! CoeffsToSlots   coefficients  -> slots, real and imaginary parts apart
//! EvalMod         z + q_0 I     -> z, by q_0 / 2 pi sin(2 pi x / q_0)
//! ```
//!
//! SlotsToCoeffs comes first in all presets: its matrices meet the smallest ciphertexts there are, and EvalMod sees the
//! values themselves, whatever their pattern. It can also come last, at the levels below EvalMod: then EvalMod sees
//! coefficients, of which a constant vector has one large and a random vector none, and no level is spent before.

use std::f64::consts::TAU;

use ringjet_backend::{KeySwitch, KeySwitchInput};
use ringjet_math::embed::Coefficients;
use ringjet_math::evalmod;
use ringjet_math::fft::Complex64;

use super::shape::{
    Factor, check_slots, factors, groups, landing_level, landing_scale, low_scale, product_scale,
    slots_to_coeffs_level, spec,
};
use super::{BabySteps, Basis, EncodedTransform, Hoisting, LinearTransform, Polynomial, Schedule};
use crate::ckks::noise;
use crate::noise::{Added, Sources};
use crate::rlwe::keyswitch::{Finish, apply};
use crate::{Ciphertext, Context, Error, Evaluator, Noise, Parameters, Plaintext, Range, Result, Scale};

/// Everything bootstrapping needs besides keys, for one number of slots: encoded matrices and polynomials.
#[derive(Debug)]
pub struct Bootstrapper {
    ctx: Context,
    log_slots: u32,
    slots_to_coeffs: Vec<EncodedTransform>,
    coeffs_to_slots: Vec<EncodedTransform>,
    cosine: Polynomial,
    /// Of the approximation.
    cosine_error: f64,
    arcsine: Option<Polynomial>,
    /// X^(N/2), which is i in every slot, where EvalMod starts and where it ends.
    unit: [Plaintext; 2],
    /// Of the message while the modulus is raised.
    low_scale: Scale,
    /// Of the message as EvalMod leaves it.
    landed: Scale,
    tuning: Tuning,
}

/// Optimisations that can be left out, to measure what they bring. The results differ in rounding only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// Where linear transforms divide by P.
    pub hoisting: Hoisting,
    /// Whether diagonals keep repeated words once.
    pub compressed_diagonals: bool,
    /// Inner rotations of the linear transforms; as in [`KeyRequest::baby_steps`](crate::KeyRequest::baby_steps).
    pub baby_steps: BabySteps,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { hoisting: Hoisting::Double, compressed_diagonals: true, baby_steps: BabySteps::Cheapest }
    }
}

/// A part of bootstrapping, as reported to an observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Slots to coefficients.
    SlotsToCoeffs,
    /// To the ephemeral secret, up, and back.
    ModRaise,
    /// Coefficients to slots.
    CoeffsToSlots,
    /// Reduction modulo q_0.
    EvalMod,
}

/// Which parts of its values a bootstrap keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// Both, in one ciphertext.
    Both,
    /// The real ones.
    Real,
    /// Both, in a ciphertext each.
    Apart,
}

/// Bits by which each further pass magnifies what the last one missed: fewer than a pass is precise.
const PASS_BITS: i32 = 16;

/// Bits by which rounding errors grow in EvalMod, by the standard deviations that were measured of the presets: 12.5 for
/// `n16-boot`, 13.0 for `n15-boot`. The Chebyshev recurrence and the double-angle steps have some 5 each; the tapered scales
/// of the latter add roundings of their own. The tests hold the whole estimate against what is found.
pub const EVAL_MOD_GROWTH: f64 = 12.75;

impl Bootstrapper {
    /// Prepares for ciphertexts of `2^log_slots` slots. `progress(done, total)` is called after each matrix and stops the
    /// work when it returns false.
    ///
    /// # Errors
    /// [`Error::NoBootstrapping`], [`Error::Interrupted`], [`Error::Argument`] for too few slots.
    pub fn new(ctx: &Context, log_slots: u32, progress: impl FnMut(usize, usize) -> bool) -> Result<Self> {
        Self::with_tuning(ctx, log_slots, Tuning::default(), progress)
    }

    /// As [`Bootstrapper::new`], with optimisations left out.
    pub fn with_tuning(
        ctx: &Context,
        log_slots: u32,
        tuning: Tuning,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Self> {
        let _scope = ctx.scope("BootstrapMatrices");
        let params = ctx.params();
        let boot = spec(params)?;
        check_slots(params, log_slots)?;
        let slots = 1usize << log_slots;
        let total = boot.slots_to_coeffs.len() + boot.coeffs_to_slots.len();
        let mut done = 0;
        let mut encode = |factor: Factor, by: f64, level: usize, from: Scale, to: Scale| -> Result<EncodedTransform> {
            let encoded = match factor {
                Factor::Values(d) => {
                    let scaled = d
                        .into_iter()
                        .map(|(k, v)| (k, v.iter().map(|z| Complex64 { re: z.re * by, im: z.im * by }).collect()));
                    LinearTransform::from_diagonals(slots, scaled.collect())?
                        .keeping_magnitudes()
                        .compressed(tuning.compressed_diagonals)
                        .with_rule(tuning.baby_steps)
                        .encode_between(ctx, level, from, to)?
                }
                Factor::Shape(shape) => {
                    let how = (tuning.baby_steps, tuning.compressed_diagonals);
                    EncodedTransform::uncomputed(ctx, &shape, how, level, from, to)?
                }
            };
            done += 1;
            if progress(done, total) { Ok(encoded) } else { Err(Error::Interrupted) }
        };

        let low_scale = low_scale(params, boot);
        let landing = landing_level(params, boot);
        let landed = landing_scale(params, boot, low_scale);
        let (depth, level) = (boot.slots_to_coeffs.len(), slots_to_coeffs_level(params, boot));
        let (start, end) = if boot.slots_to_coeffs_first {
            (params.scale(level), low_scale)
        } else {
            (landed, params.scale(level - depth))
        };
        // from one scale to the other in equal steps
        let between = |i: usize| -> Scale {
            let log2 = start.log2() + (end.log2() - start.log2()) * i as f64 / depth as f64;
            match i {
                0 => start,
                _ if i == depth => end,
                _ => Scale::from_parts(log2.exp2(), 0.0).unwrap_or(start),
            }
        };
        let slots_to_coeffs = factors(ctx, log_slots, &groups(&boot.slots_to_coeffs, log_slots)?, false);
        let slots_to_coeffs = (slots_to_coeffs.into_iter().enumerate())
            .map(|(i, d)| encode(d, 1.0, level - i, between(i), between(i + 1)))
            .collect::<Result<Vec<_>>>()?;

        let max = params.max_level();
        // the real part is half the sum with the conjugate; a trace multiplied by N / 2n
        let constant = 0.5 * slots as f64 / params.max_slots() as f64;
        let coeffs_to_slots = factors(ctx, log_slots, &groups(&boot.coeffs_to_slots, log_slots)?, true);
        let coeffs_to_slots = (coeffs_to_slots.into_iter().enumerate())
            .map(|(i, d)| {
                let by = if i == 0 { constant } else { 1.0 };
                encode(d, by, max - i, params.scale(max - i), params.scale(max - i - 1))
            })
            .collect::<Result<Vec<_>>>()?;

        let log_ratio = params.level(0).basis.log2() - low_scale.log2();
        if !(1.0..=40.0).contains(&log_ratio) {
            return Err(Error::Parameters(format!(
                "bootstrapping: a message has {log_ratio:.1} bits of room below q_0: 1 to 40 are known, choose other scales"
            )));
        }
        let cosine = evalmod::cosine(boot.k, boot.double_angles, boot.degree, log_ratio);
        let cosine_error = cosine.error;
        let schedule = if boot.levelled { Schedule::Levelled } else { Schedule::Fewest };
        let cosine = Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &cosine.coefficients)?.scheduled(schedule);
        let arcsine = (boot.arcsine > 1)
            .then(|| {
                let by = log_ratio.exp2() * (landed / product_scale(params, boot)).value();
                let c: Vec<f64> = evalmod::arcsine(boot.arcsine).iter().map(|c| c * by).collect();
                Polynomial::new(Basis::Power, &c)
            })
            .transpose()?;
        let unit = |level: usize| -> Result<Plaintext> {
            let mut c = vec![0i64; params.n()];
            c[params.n() / 2] = 1;
            let buf = ctx.integer_poly(&Coefficients::I64(c), &params.level(level).basis)?;
            let range = Range::complex(1.0);
            Ok(Plaintext::from_buf(ctx, buf, level, Scale::power_of_two(0), log_slots, range).exact())
        };
        let unit = [unit(max - boot.coeffs_to_slots.len())?, unit(landing)?];
        Ok(Self {
            ctx: ctx.clone(),
            log_slots,
            slots_to_coeffs,
            coeffs_to_slots,
            cosine,
            cosine_error,
            arcsine,
            unit,
            low_scale,
            landed,
            tuning,
        })
    }

    /// Binary logarithm of the number of slots it is for.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// Bytes of the encoded matrices.
    pub fn matrix_bytes(&self) -> usize {
        self.slots_to_coeffs.iter().chain(&self.coeffs_to_slots).map(EncodedTransform::memory_bytes).sum()
    }

    /// The same message at the highest level of messages. Levels below [`BootstrapSpec::input_level`](crate::ckks::params::BootstrapSpec::input_level) are too few.
    ///
    /// # Errors
    /// [`Error::MissingBootstrappingKeys`] and other missing keys, [`Error::ModulusExhausted`], [`Error::SlotMismatch`],
    /// [`Error::ParameterMismatch`].
    pub fn bootstrap(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap_observed(eval, ct, false, |_| true)
    }

    /// As [`Bootstrapper::bootstrap`] for real values, without the EvalMod of the imaginary parts, about a quarter of
    /// the time; they are lost. Where SlotsToCoeffs comes last, nothing is saved and nothing lost.
    pub fn bootstrap_real(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap_observed(eval, ct, true, |_| true)
    }

    /// Either; `done(phase)` is called after each phase, EvalMod of the imaginary part being one of its own, and stops the
    /// work when it returns false.
    pub fn bootstrap_observed(
        &self,
        eval: &Evaluator,
        ct: &Ciphertext,
        real: bool,
        mut done: impl FnMut(Phase) -> bool,
    ) -> Result<Ciphertext> {
        let parts = if real { Parts::Real } else { Parts::Both };
        let mut all =
            self.run(eval, &[ct], parts, &mut |phase| if done(phase) { Ok(()) } else { Err(Error::Interrupted) })?;
        Ok(all.swap_remove(0))
    }

    /// Many ciphertexts, in their order. Real values share all but EvalMod, two and two, where SlotsToCoeffs comes first:
    /// `x + i y` is raised, and its parts never come together again. `done(count)` is called with the number of ciphertexts
    /// that are ready, and stops the work when it returns false.
    ///
    /// # Errors
    /// As [`Bootstrapper::bootstrap`], before any work where one of them cannot be bootstrapped; [`Error::Interrupted`].
    pub fn bootstrap_many(
        &self,
        eval: &Evaluator,
        cts: &[&Ciphertext],
        real: bool,
        mut done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        cts.iter().try_for_each(|ct| self.check(eval, ct))?;
        let pairs = real && spec(self.ctx.params())?.slots_to_coeffs_first;
        let mut out = Vec::with_capacity(cts.len());
        for group in cts.chunks(if pairs { 2 } else { 1 }) {
            let parts = match group.len() {
                2 => Parts::Apart,
                _ if real => Parts::Real,
                _ => Parts::Both,
            };
            out.extend(self.run(eval, group, parts, &mut |_| Ok(()))?);
            if !done(out.len()) {
                return Err(Error::Interrupted);
            }
        }
        Ok(out)
    }

    fn check(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<()> {
        let params = self.ctx.params();
        params.expect_same("evaluator", eval.context().params())?;
        eval.check(ct)?;
        if ct.log_slots() != self.log_slots {
            return Err(Error::SlotMismatch { lhs: ct.slots(), rhs: 1 << self.log_slots });
        }
        let needed = spec(params)?.input_level();
        if ct.level() < needed {
            return Err(Error::levels_exhausted("bootstrapping", needed, ct.level()));
        }
        eval.keys().encapsulation()?;
        super::shape::expect_magnitude(ct.noise().range())
    }

    /// As many results as there are ciphertexts: one, or two whose parts stay apart.
    fn run(
        &self,
        eval: &Evaluator,
        cts: &[&Ciphertext],
        parts: Parts,
        done: &mut impl FnMut(Phase) -> Result<()>,
    ) -> Result<Vec<Ciphertext>> {
        cts.iter().try_for_each(|ct| self.check(eval, ct))?;
        let boot = spec(self.ctx.params())?;
        let low = cts.iter().map(|ct| eval.align(ct, boot.input_level())).collect::<Result<Vec<_>>>()?;
        let mut out = self.pass(eval, &low, parts, done)?;
        for pass in 1..boot.passes {
            // What the results so far lack, magnified, is a message like any other: its own error counts as much less.
            let bits = PASS_BITS * pass as i32;
            let magnified = (low.iter().zip(&out))
                .map(|(low, out)| {
                    // it is small: the results so far are precise to as many bits
                    let missing = eval.sub(low, &eval.align(out, low.level())?)?;
                    let missing = missing.with_magnitude(f64::from(-bits).exp2());
                    eval.scale_by(&missing, 1 << bits, missing.scale(), f64::from(bits).exp2())
                })
                .collect::<Result<Vec<_>>>()?;
            for (out, found) in out.iter_mut().zip(self.pass(eval, &magnified, parts, done)?) {
                let found = eval.align(&found, out.level())?;
                *out = eval.weighted_sum(&[(&*out, 1.0), (&found, f64::from(-bits).exp2())], out.level() - 1)?;
            }
        }
        Ok((low.iter().zip(out))
            .map(|(low, out)| {
                let noise = self.noise(low, out.level(), parts);
                out.with_noise(noise)
            })
            .collect())
    }

    fn pass(
        &self,
        eval: &Evaluator,
        cts: &[Ciphertext],
        parts: Parts,
        done: &mut impl FnMut(Phase) -> Result<()>,
    ) -> Result<Vec<Ciphertext>> {
        let params = self.ctx.params();
        let _scope = self.ctx.scope("Bootstrap");
        let first = spec(params)?.slots_to_coeffs_first;
        let mut x = match cts {
            [x, y] => eval.add(x, &eval.times_i(y)?)?,
            _ => cts[0].clone(),
        };
        if first {
            let _scope = self.ctx.scope("SlotsToCoeffs");
            x = self.slots_to_coeffs(eval, x)?;
            done(Phase::SlotsToCoeffs)?;
        }
        let mut x = self.raise(eval, &x)?;
        done(Phase::ModRaise)?;
        let scope = self.ctx.scope("CoeffsToSlots");
        for i in self.log_slots..params.log_n() - 1 {
            let turned = eval.rotate_full(&x, 1 << i)?;
            x = eval.add(&x, &turned)?.with_magnitude(1.0);
        }
        for transform in &self.coeffs_to_slots {
            x = transform.apply_with(eval, &x, self.tuning.hoisting)?;
        }
        let conjugate = eval.conjugate(&x)?;
        let re = eval.add(&x, &conjugate)?;
        // where SlotsToCoeffs comes last, coefficients of real values have both parts
        let im = if parts == Parts::Real && first {
            None
        } else {
            Some(self.times_i(eval, &eval.sub(&conjugate, &x)?, 0)?)
        };
        drop((x, conjugate, scope));
        done(Phase::CoeffsToSlots)?;
        let mut out = self.eval_mod(eval, re)?;
        done(Phase::EvalMod)?;
        if let Some(im) = im {
            let im = self.eval_mod(eval, im)?;
            done(Phase::EvalMod)?;
            if parts == Parts::Apart {
                return Ok(vec![out, im]);
            }
            let im = self.times_i(eval, &im, 1)?;
            let _scope = (!first).then(|| self.ctx.scope("SlotsToCoeffs"));
            out = eval.add(&out, &im)?;
        }
        if !first {
            let _scope = self.ctx.scope("SlotsToCoeffs");
            out = self.slots_to_coeffs(eval, out)?;
            done(Phase::SlotsToCoeffs)?;
        }
        Ok(vec![out])
    }

    fn slots_to_coeffs(&self, eval: &Evaluator, mut x: Ciphertext) -> Result<Ciphertext> {
        for transform in &self.slots_to_coeffs {
            x = transform.apply_with(eval, &x, self.tuning.hoisting)?;
        }
        Ok(x)
    }

    /// `i x`, at the level of EvalMod's start (0) or end (1).
    fn times_i(&self, eval: &Evaluator, x: &Ciphertext, place: usize) -> Result<Ciphertext> {
        Ok(eval.mul_plain(x, &self.unit[place])?.with_scale(x.scale()))
    }

    /// From q_0 to Q: the message gains multiples of q_0, few because the secret is sparse meanwhile. The result counts
    /// in units of K q_0.
    fn raise(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params) = (&self.ctx, self.ctx.params());
        let _scope = ctx.scope("ModRaise");
        let (plans, keys) = (params.raising()?, eval.keys().encapsulation()?);
        let (b, max) = (ctx.backend(), params.max_level());
        let mut low = ctx.alloc(2 * plans.own.len())?;
        let switch = KeySwitch {
            input: KeySwitchInput::Polynomial(x.view().poly(1)),
            key: keys.to_sparse.view(2 * plans.mod_up.beta()),
            mod_up: &plans.mod_up,
            division: &plans.mod_down,
            add: Some(x.view().poly(0)),
            automorphism: None,
        };
        b.key_switch(low.view_mut(2), &switch)?;
        let limbs = params.limbs(max);
        let mut high = ctx.alloc(2 * limbs)?;
        let mut digits = ctx.alloc(plans.raise.extended.len())?;
        for p in 0..2 {
            b.mod_up(digits.view_mut(1), low.view(2).poly(p), &plans.raise)?;
            for (i, &limb) in plans.rest.iter().chain(&plans.own).enumerate() {
                b.copy(high.view_mut(2).poly(p).range(limb, 1), digits.view(1).range(i, 1))?;
            }
        }
        let view = high.view(2);
        let finish = Finish { add: view.poly(0), division: &params.level(max).mod_down, automorphism: None };
        let buf = apply(ctx, view.poly(1), max, &keys.to_dense, finish)?;
        let noise = Noise::new(noise::switched(params, max), Range::complex(1.0), params.scale(max), Sources::NONE);
        let made = Ciphertext::from_parts(params, buf, 2, max, params.scale(max), self.log_slots, noise);
        Ok(made.with_key(eval.owner(x)))
    }

    /// `x` in units of K q_0 to its remainder modulo q_0, as a message.
    fn eval_mod(&self, eval: &Evaluator, x: Ciphertext) -> Result<Ciphertext> {
        let params = self.ctx.params();
        let _scope = self.ctx.scope("EvalMod");
        let boot = spec(params)?;
        let unit = Range::real(-1.0, 1.0);
        let mut y = eval.polynomial(&x.with_range(unit), &self.cosine)?.with_range(unit);
        for _ in 0..boot.double_angles {
            // cos 2a = 2 cos^2 a - 1
            let square = eval.mul_relin_rescale(&y, &y)?;
            y = eval.combine(&[(&square, 2)], -1.0)?.with_range(unit);
        }
        if let Some(arcsine) = &self.arcsine {
            y = eval.polynomial_to(&y, arcsine, product_scale(params, boot))?;
        }
        Ok(y.with_scale(self.landed))
    }

    /// `q_0 / scale` while the modulus is raised: the room of a message.
    pub fn low_ratio(&self, params: &Parameters) -> f64 {
        params.level(0).basis.log2().exp2() / self.low_scale.value()
    }

    /// The estimated error of the result: that of the input, what the sine or its arcsine leave of values up to 1, and the
    /// noise of EvalMod, which grows by about [`EVAL_MOD_GROWTH`] bits and by what a message is smaller than q_0.
    fn noise(&self, ct: &Ciphertext, level: usize, parts: Parts) -> Noise {
        let params = self.ctx.params();
        let to = params.scale(level);
        let room = self.low_ratio(params);
        let passes = params.bootstrap().map_or(1, |b| b.passes);
        let sine = evalmod::sine_error(params.bootstrap().map_or(1, |b| b.arcsine), room);
        let start = params.scale(params.max_level() - self.coeffs_to_slots.len()).value();
        let rounding = (2.0 * noise::rounding(params).variance).sqrt() / start;
        // where SlotsToCoeffs comes last, errors of coefficients add up in every slot
        let last = params.bootstrap().is_some_and(|b| !b.slots_to_coeffs_first);
        let spread = if last { f64::from(self.log_slots + 1).exp2().sqrt() } else { 1.0 };
        let computed = rounding * EVAL_MOD_GROWTH.exp2() * room / TAU * spread;
        let shrunk = f64::from(-PASS_BITS * (passes as i32 - 1)).exp2();
        // each double-angle step can multiply an error by 4; few values meet the largest errors
        let doubled = params.bootstrap().map_or(0, |b| b.double_angles);
        let approximated = self.cosine_error * 4f64.powi(doubled as i32) * room / TAU / 8.0 * spread;
        let error = sine.hypot(computed).hypot(approximated) * shrunk * to.value();
        let range = match parts {
            Parts::Real | Parts::Apart => Range::within(ct.noise().range().largest_part(), true),
            _ => ct.noise().range(),
        };
        let own = noise::rounding(params) + Added::fixed(error);
        // what the sine leaves, and roundings within it, have an estimate but no bound that is proved
        ct.noise().moved(to).plus(own).with_range(range).unbounded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ckks::params::{BootstrapChain, BootstrapSpec};
    use crate::rng::Seed;
    use crate::{KeyRequest, SecretKey};
    use ringjet_math::dft;
    use std::sync::Arc;

    pub(super) fn chain(log_n: u32) -> BootstrapChain {
        BootstrapChain {
            log_n,
            message_levels: 3,
            scale_bits: 40,
            first_bits: 50,
            log_ratio: 12.0,
            eval_mod_bits: 58.0,
            coeffs_to_slots_bits: 50.0,
            special: 4,
            bootstrap: BootstrapSpec::standard(log_n, 2),
        }
    }

    fn worst(got: &[Complex64], want: impl Fn(usize) -> Complex64) -> f64 {
        got.iter().enumerate().fold(0.0, |m, (i, z)| m.max((z.re - want(i).re).abs()).max((z.im - want(i).im).abs()))
    }

    /// Each phase against the clear.
    #[test]
    fn phases() {
        let params = Parameters::new(&chain(8).generate().unwrap().0.allow_insecure()).unwrap();
        let backend = ringjet_cpu::CpuBackend::new(Default::default()).unwrap();
        let ctx = Context::new(&params, Arc::new(backend));
        let (seed, log_slots, n) = (Seed::from_bytes([3; 32]), 7, 128);
        let secret = SecretKey::from_seed(&params, &seed);
        let request = KeyRequest { bootstrapping: vec![log_slots], ..KeyRequest::default() };
        let keys = secret.evaluation_keys(&ctx, &request, &seed, |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        let boot = Bootstrapper::new(&ctx, log_slots, |_, _| true).unwrap();
        let value = |i: usize| Complex64 { re: (i as f64).sin(), im: (i as f64 * 1.7).cos() };
        let values: Vec<Complex64> = (0..n).map(value).collect();
        let encrypt = |v: &[Complex64], level: usize| {
            let p = Plaintext::encode(&ctx, v, level, params.scale(level), log_slots).unwrap();
            secret.encrypt(&ctx, &p, &seed.derive(b"c", level as u64)).unwrap()
        };

        let level = boot.slots_to_coeffs.len();
        let mut x = encrypt(&values, level);
        let mut clear = values.clone();
        for (t, m) in boot.slots_to_coeffs.iter().zip(dft::slots_to_coeffs(log_slots, &[4, 3])) {
            x = t.apply(&eval, &x).unwrap();
            clear = dft::apply(&m, &clear);
        }
        assert_eq!(x.level(), 0);
        let got = secret.decrypt_values(&ctx, &x).unwrap().0;
        assert!(worst(&got, |i| clear[i]) < 1e-6, "SlotsToCoeffs {}", worst(&got, |i| clear[i]));

        let high = boot.raise(&eval, &x).unwrap();
        assert_eq!(high.level(), params.max_level());
        // a multiple of q_0 away, coefficient by coefficient
        let coefficients = |ct: &Ciphertext, unit: f64| -> Vec<f64> {
            let slots = secret.decrypt_values(&ctx, ct).unwrap().0;
            let mut w = slots;
            for m in dft::coeffs_to_slots(log_slots, &[7]) {
                w = dft::apply(&m, &w);
            }
            w.iter().flat_map(|z| [z.re * unit, z.im * unit]).collect()
        };
        let (low, raised) = (coefficients(&x, 1.0), coefficients(&high, 16.0 * boot.low_ratio(&params)));
        let q0 = boot.low_ratio(&params);
        for (a, b) in low.iter().zip(&raised) {
            let i = ((b - a) / q0).round();
            assert!(i.abs() < 16.0 && (b - a - i * q0).abs() < 1e-5 * q0.log2(), "ModRaise {a} {b} {i}");
        }

        let mut y = high.clone();
        let mut clear = secret.decrypt_values(&ctx, &high).unwrap().0;
        for (t, m) in boot.coeffs_to_slots.iter().zip(dft::coeffs_to_slots(log_slots, &[4, 3])) {
            y = t.apply(&eval, &y).unwrap();
            clear = dft::apply(&m, &clear);
        }
        let got = secret.decrypt_values(&ctx, &y).unwrap().0;
        let half = |i: usize| Complex64 { re: clear[i].re / 2.0, im: clear[i].im / 2.0 };
        assert!(worst(&got, half) < 1e-9, "CoeffsToSlots {}", worst(&got, half));

        // remainders of numbers near multiples of q_0
        let near: Vec<Complex64> = (0..n)
            .map(|i| Complex64 {
                re: ((i % 31) as f64 - 15.0 + values[i].re / boot.low_ratio(&params)) / 16.0,
                im: 0.0,
            })
            .collect();
        let z = boot.eval_mod(&eval, encrypt(&near, params.max_level() - boot.coeffs_to_slots.len())).unwrap();
        assert_eq!(z.level(), params.top_level());
        let got = secret.decrypt_values(&ctx, &z).unwrap().0;
        let real = |i: usize| Complex64 { re: values[i].re, im: 0.0 };
        assert!(worst(&got, real) < 1e-5, "EvalMod {}", worst(&got, real));
    }
}
