//! Bootstrapping of HEAAN: takes a ciphertext of small modulus to one of the same message with a
//! large modulus, by the exponential of Cheon, Han, Kim, Kim and Song, "Bootstrapping for
//! approximate homomorphic encryption", EUROCRYPT 2018.
//!
//! ```text
//! ModRaise        modulus 2^q  -> 2^log_q: t = m + 2^q * I, |I| < K
//! Trace           removes the coefficients that no slot uses, multiplies the others by N/(2 * n)
//! CoeffsToSlots   coefficients -> slots: one ciphertext of 2 * n slots, or two where n = N/2
//! EvalExp         t / 2^q      -> exp(2 pi i t / 2^q): degree 7 for an angle / 2^r, r squarings
//! sine            its imaginary part, or the corrected sine: m / 2^q
//! SlotsToCoeffs   slots        -> coefficients m
//! ```
//!
//! [`Budget`] has the modulus that each step spends; `docs/design/heaan.md` derives it.

mod exponential;
mod transform;

use ringjet_backend::BigTerm;
use transform::Transform;

use super::bootstrappers::{Bootstraps, Observer, Phase, check, in_groups};
use crate::diagonals::trace_rotations;
use crate::heaan::{
    BootstrapSpec, Budget, Ciphertext, Context, Evaluator, GUARD_BITS, Parameters, Position, bootstrapped,
    expect_margin,
};
use crate::rlwe::keyswitch::{KeyPlan, Progress};
use crate::{Error, Range, Result};

/// The prepared matrices of bootstrapping for one number of slots. Keys are not included.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use ringjet::circuits::heaan::Bootstrapper;
/// # use ringjet::{heaan::*, rng::Seed};
/// # fn main() -> ringjet::Result<()> {
/// let params = preset("heaan-n16-boot")?;
/// let ctx = Context::new(&params, Arc::new(ringjet_backend::Reference::default()));
/// let secret = SecretKey::generate(&params)?;
/// let plan = Bootstrapper::key_plan(&params, 3)?;
/// let keys = secret.evaluation_keys(&ctx, &plan, &Seed::from_os()?, |_, _| true)?;
/// let eval = Evaluator::new(&ctx, Arc::new(keys))?;
/// let boot = Bootstrapper::new(&ctx, &BootstrapSpec::new(&params, 3), |_, _| true)?;
///
/// let x = Plaintext::encode_real(&ctx, &[0.5, -0.25], params.log_p(), 3)?;
/// let x = secret.encrypt(&ctx, &x.clone().at(boot.spec().log_q), &Seed::from_os()?)?;
/// let y = boot.bootstrap(&eval, &x)?;
/// assert_eq!((x.log_q(), y.log_q()), (31, boot.budget().log_q));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Bootstrapper {
    ctx: Context,
    spec: BootstrapSpec,
    budget: Budget,
    coeffs_to_slots: Vec<Transform>,
    slots_to_coeffs: Vec<Transform>,
}

impl Bootstrapper {
    /// Makes the bootstrapper for `spec`. `progress(done, total)` is called after each matrix and
    /// stops the work when it returns false.
    ///
    /// # Errors
    /// [`Error::SlotCount`]; [`Error::ModulusExhausted`] where the steps take more modulus than the
    /// parameters have; [`Error::TooLarge`] where the message's scale is too near to the raised
    /// modulus; [`Error::Argument`] for a precision that is out of reach; [`Error::Interrupted`].
    pub fn new(ctx: &Context, spec: &BootstrapSpec, progress: impl FnMut(usize, usize) -> bool) -> Result<Self> {
        let _scope = ctx.scope("BootstrapMatrices");
        let budget = Budget::new(ctx.params(), spec)?;
        let (down, up) = (transform::coeffs_to_slots(&budget)?, transform::slots_to_coeffs(&budget, spec.corrected)?);
        let mut progress = Progress::new(down.len() + up.len(), progress);
        let mut prepare = |(factor, step)| -> Result<Transform> {
            let made = Transform::new(ctx, &factor, step)?;
            progress.step()?;
            Ok(made)
        };
        let coeffs_to_slots = down.into_iter().zip(&budget.coeffs_to_slots).map(&mut prepare).collect::<Result<_>>()?;
        let slots_to_coeffs = up.into_iter().zip(&budget.slots_to_coeffs).map(&mut prepare).collect::<Result<_>>()?;
        Ok(Self { ctx: ctx.clone(), spec: spec.clone(), budget, coeffs_to_slots, slots_to_coeffs })
    }

    /// The keys that bootstrapping ciphertexts of `2^log_slots` slots needs.
    /// Fails with [`Error::SlotCount`].
    pub fn key_plan(params: &Parameters, log_slots: u32) -> Result<KeyPlan> {
        params.bootstrap_keys(log_slots)
    }

    /// The spec that the bootstrapper was made for.
    pub fn spec(&self) -> &BootstrapSpec {
        &self.spec
    }

    /// The scales and moduli of the steps.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Bytes of the prepared matrices.
    pub fn memory_bytes(&self) -> usize {
        self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs).map(Transform::memory_bytes).sum()
    }

    /// The same message at the same scale modulo `2^`[`Budget::log_q`]. The ciphertext is first
    /// brought down to `2^`[`BootstrapSpec::log_q`]. Values must have magnitudes up to 1.
    ///
    /// # Errors
    /// [`Error::SlotMismatch`] for another number of slots; [`Error::ModulusExhausted`] for less
    /// modulus than [`BootstrapSpec::log_q`]; [`Error::TooLarge`] for a scale too near to that
    /// modulus; [`Error::MissingRotationKey`], [`Error::MissingConjugationKey`],
    /// [`Error::MissingRelinearizationKey`], [`Error::ParameterMismatch`].
    pub fn bootstrap(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap_observed(eval, ct, |_| true)
    }

    /// [`Bootstrapper::bootstrap`] that calls `done` after each phase, [`Bootstrapper::phases`]
    /// times, and stops the work when `done` returns false. The trace is part of ModRaise. An
    /// exponential and its sine are one EvalMod. Fails as that does, and with
    /// [`Error::Interrupted`].
    pub fn bootstrap_observed(
        &self,
        eval: &Evaluator,
        ct: &Ciphertext,
        mut done: impl FnMut(Phase) -> bool,
    ) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Bootstrap");
        self.check(eval, ct)?;
        let mut after = |phase| if done(phase) { Ok(()) } else { Err(Error::Interrupted) };
        let low = eval.mod_down_to(ct, self.spec.log_q)?;
        let raised = self.trace(eval, &self.raise(&low)?.with_key(eval.owner(&low)))?;
        after(Phase::ModRaise)?;
        let mut parts = self.coefficients(eval, raised)?;
        after(Phase::CoeffsToSlots)?;
        for part in &mut parts {
            *part = self.sine(eval, part)?;
            after(Phase::EvalMod)?;
        }
        let sine = match &parts[..] {
            [all] => all.clone(),
            [real, imaginary] => eval.add(real, &eval.times_i(imaginary)?)?,
            _ => unreachable!("one ciphertext or two"),
        };
        drop(parts);
        let out = self.slots(eval, sine)?.with_log_scale(ct.log_scale())?;
        let noise = bootstrapped(self.ctx.params(), &self.spec, &self.budget, &low);
        after(Phase::SlotsToCoeffs)?;
        Ok(out.with_noise(noise).with_held(ct.held()))
    }

    /// Bootstraps many ciphertexts and keeps their order. `done(count)` is called after each one
    /// with the number of finished ciphertexts, and stops the work when it returns false.
    /// Fails as [`Bootstrapper::bootstrap`] does, before any work where one ciphertext cannot be
    /// bootstrapped, and with [`Error::Interrupted`].
    pub fn bootstrap_many(
        &self,
        eval: &Evaluator,
        cts: &[&Ciphertext],
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        cts.iter().try_for_each(|ct| self.check(eval, ct))?;
        in_groups(cts, 1, |one| Ok(vec![self.bootstrap(eval, one[0])?]), done)
    }

    /// The number of phases of one bootstrap: four, or five where all N/2 slots are in use.
    pub fn phases(&self) -> usize {
        if self.budget.beside { 4 } else { 5 }
    }

    fn check(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<()> {
        check(&self.ctx, self.spec.log_slots, self.spec.log_q as usize, eval, ct)?;
        expect_margin(ct.log_scale(), self.spec.log_q)?;
        match eval.keys().missing(&self.ctx.params().bootstrap_keys(self.spec.log_slots)?).first() {
            None => Ok(()),
            Some(&purpose) => Err(purpose.missing()),
        }
    }

    /// Reads the coefficients as centred integers modulo the largest modulus, in units of the old
    /// one, times a power of two that makes the errors of rotations small.
    fn raise(&self, low: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("ModRaise");
        let (log_q, budget) = (self.ctx.params().log_q(), &self.budget);
        let term = BigTerm { factor: 1 << (budget.raised_scale - low.log_q()), ..low.term() };
        let buf = self.ctx.combine(2, &[term], log_q)?;
        // from here on magnitudes are at most 1, as the budget assumes
        let noise = low.noise().with_range(Range::complex(1.0));
        let position = Position::new(log_q, budget.raised_scale);
        Ok(Ciphertext::new(self.ctx.params(), buf, 2, position, low.log_slots(), noise))
    }

    /// The sum of all automorphisms that keep the n slots: it multiplies the coefficients of these
    /// slots by N/(2 * n) and removes the others.
    fn trace(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Trace");
        let mut sum = x.clone();
        for step in trace_rotations(self.ctx.params().log_n(), self.spec.log_slots) {
            sum = eval.add(&sum, &eval.rotate_full(&sum, step)?)?.with_magnitude(1.0);
        }
        sum.with_log_scale(self.budget.traced_scale)
    }

    /// Takes the coefficients t to slots with the values `2 * pi * i * t / 2^(q + r)`: the n real
    /// parts, then the n imaginary parts, in one ciphertext of 2 * n slots or in two of n slots.
    fn coefficients(&self, eval: &Evaluator, x: Ciphertext) -> Result<Vec<Ciphertext>> {
        let _scope = self.ctx.scope("CoeffsToSlots");
        let x = self.coeffs_to_slots.iter().try_fold(x, |x, t| t.apply(eval, &x))?;
        let conjugate = eval.conjugate(&x)?;
        let first = eval.rescale(&eval.sub(&x, &conjugate)?, GUARD_BITS)?;
        if self.budget.beside {
            return Ok(vec![first]);
        }
        // with x = i * a - b, `first` is 2 * i * a, and this is -i * (-2 * b) = 2 * i * b
        let second = eval.neg(&eval.times_i(&eval.add(&x, &conjugate)?)?)?;
        Ok(vec![first, eval.rescale(&second, GUARD_BITS)?])
    }

    /// `2 * i` times the imaginary part of the exponential, or of
    /// [`corrected`](BootstrapSpec::corrected), which is nearer to the angle.
    fn sine(&self, eval: &Evaluator, z: &Ciphertext) -> Result<Ciphertext> {
        let y = exponential::exponential(eval, z, self.budget.squarings)?;
        let _scope = self.ctx.scope("Sine");
        let y = if self.spec.corrected { exponential::corrected(eval, &y)? } else { y };
        eval.sub(&y, &eval.conjugate(&y)?)
    }

    fn slots(&self, eval: &Evaluator, mut x: Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("SlotsToCoeffs");
        for (i, t) in self.slots_to_coeffs.iter().enumerate() {
            x = t.apply(eval, &x)?;
            if i == 0 && self.budget.beside {
                let n = 1i64 << self.spec.log_slots;
                x = eval.add(&x, &eval.rotate(&x, n)?)?.with_log_slots(self.spec.log_slots)?;
            }
        }
        eval.rescale(&x, GUARD_BITS)
    }
}

impl Bootstraps for Parameters {
    type Bootstrapper = Bootstrapper;

    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys(log_slots)
    }

    /// Also refuses where [`Parameters::bootstrapping`] would win no modulus.
    fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        self.bootstrapping(log_slots).map(|_| ())
    }

    fn prepare(ctx: &Context, log_slots: u32, progress: Observer<'_>) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, &ctx.params().bootstrapping(log_slots)?.0, progress)
    }

    fn log_slots(made: &Bootstrapper) -> u32 {
        made.spec.log_slots
    }

    /// Rescales `a` to the scale `2^log_p` first, where its scale is larger.
    fn run(made: &Bootstrapper, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        made.bootstrap(eval, &eval.rescale_to_default(a)?)
    }

    fn span(eval: &Evaluator, log_slots: u32, made: Option<&Bootstrapper>) -> Option<(usize, usize)> {
        if !eval.keys().is_complete(log_slots) {
            return None;
        }
        let span = |spec: &BootstrapSpec, budget: &Budget| (spec.log_q as usize, budget.log_q as usize);
        match made {
            Some(made) => Some(span(&made.spec, &made.budget)),
            None => eval.context().params().bootstrapping(log_slots).ok().map(|(spec, budget)| span(&spec, &budget)),
        }
    }

    fn is_due(a: &Ciphertext, bits: usize, (before, after): (usize, usize)) -> bool {
        (before..before + bits).contains(&(a.log_q() as usize)) && before + bits <= after
    }
}
