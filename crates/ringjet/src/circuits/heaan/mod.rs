//! Bootstrapping: a ciphertext of little modulus becomes one of the same message with much of it, by the exponential of the
//! original (Cheon, Han, Kim, Kim and Song, "Bootstrapping for approximate homomorphic encryption", EUROCRYPT 2018).
//!
//! ```text
//! ModRaise        modulus 2^q  -> 2^log_q: t = m + 2^q I, |I| < K
//! Trace           forgets the coefficients between those of the slots, which it multiplies by N/2n
//! CoeffsToSlots   coefficients -> slots; real and imaginary parts beside each other, or apart where all slots are in use
//! EvalExp         t / 2^q      -> exp(2 pi i t / 2^q): degree 7 for an angle 2^r times as small, r squarings
//! sine            its imaginary part, with that of the square: m / 2^q
//! SlotsToCoeffs   slots        -> coefficients m
//! ```
//!
//! What each step takes of the modulus is in [`Budget`]; the argument is in `docs/design/heaan.md`.

mod exponential;
mod transform;

use ringjet_backend::BigTerm;
use transform::Transform;

use super::bootstrappers::{Bootstraps, Observer, Phase, check, run_many};
use crate::diagonals::trace_rotations;
use crate::heaan::{
    BootstrapSpec, Budget, Ciphertext, Context, Evaluator, GUARD_BITS, Parameters, Position, bootstrapped,
    expect_margin,
};
use crate::rlwe::keyswitch::{KeyPlan, KeyUse, Progress};
use crate::{Error, Range, Result};

/// Everything bootstrapping needs besides keys, for one number of slots: its matrices, prepared for products.
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
    /// Prepares for `spec`. `progress(done, total)` is called after each matrix and stops the work when it returns false.
    ///
    /// # Errors
    /// [`Error::SlotCount`]; [`Error::ModulusExhausted`] where the parameters have less modulus than the steps take;
    /// [`Error::TooLarge`] where the message's scale is too near to the modulus that is raised;
    /// [`Error::Argument`] for a precision that is out of reach; [`Error::Interrupted`].
    pub fn new(ctx: &Context, spec: &BootstrapSpec, progress: impl FnMut(usize, usize) -> bool) -> Result<Self> {
        let _scope = ctx.scope("BootstrapMatrices");
        let budget = Budget::new(ctx.params(), spec)?;
        let (down, up) = (transform::coeffs_to_slots(&budget), transform::slots_to_coeffs(&budget, spec.corrected));
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

    /// The keys that bootstrapping ciphertexts of `2^log_slots` slots takes.
    /// Fails with [`Error::SlotCount`].
    pub fn key_plan(params: &Parameters, log_slots: u32) -> Result<KeyPlan> {
        params.bootstrap_keys(log_slots)
    }

    /// What it was made for.
    pub fn spec(&self) -> &BootstrapSpec {
        &self.spec
    }

    /// Scales and moduli of the steps.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Bytes of the prepared matrices.
    pub fn memory_bytes(&self) -> usize {
        self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs).map(Transform::memory_bytes).sum()
    }

    /// The same message at the same scale modulo `2^`[`Budget::log_q`]. The ciphertext is brought down to the modulus
    /// `2^`[`BootstrapSpec::log_q`] first. Values are taken to be of magnitude up to 1.
    ///
    /// # Errors
    /// [`Error::SlotMismatch`] for another packing; [`Error::ModulusExhausted`] for a ciphertext of less modulus than is
    /// raised; [`Error::TooLarge`] for a scale that is too near to it; [`Error::MissingRotationKey`],
    /// [`Error::MissingConjugationKey`], [`Error::MissingRelinearizationKey`], [`Error::ParameterMismatch`].
    pub fn bootstrap(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap_observed(eval, ct, |_| true)
    }

    /// [`Bootstrapper::bootstrap`] that calls `done` after each phase, the trace being part of ModRaise and an exponential with its
    /// sine EvalMod: [`Bootstrapper::phases`] times. It stops the work when it returns false.
    /// Fails as that does, and with [`Error::Interrupted`].
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
        Ok(out.with_noise(noise))
    }

    /// Many ciphertexts, in their order. `done(count)` is called after each with the number of those that are ready, and stops the
    /// work when it returns false.
    /// Fails as [`Bootstrapper::bootstrap`] does, before any work where one of them cannot be
    /// bootstrapped, and with [`Error::Interrupted`].
    pub fn bootstrap_many(
        &self,
        eval: &Evaluator,
        cts: &[&Ciphertext],
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        cts.iter().try_for_each(|ct| self.check(eval, ct))?;
        run_many(cts, 1, |one| Ok(vec![self.bootstrap(eval, one[0])?]), done)
    }

    /// Phases of one bootstrap: four, or five with two exponentials, where all slots are in use.
    pub fn phases(&self) -> usize {
        if self.budget.beside { 4 } else { 5 }
    }

    fn check(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<()> {
        check(&self.ctx, self.spec.log_slots, self.spec.log_q as usize, eval, ct)?;
        expect_margin(ct.log_scale(), self.spec.log_q)?;
        match eval.keys().missing(&self.ctx.params().bootstrap_keys(self.spec.log_slots)?).first() {
            None => Ok(()),
            Some(KeyUse::Relinearization) => Err(Error::MissingRelinearizationKey),
            Some(KeyUse::Conjugation) => Err(Error::MissingConjugationKey),
            Some(&KeyUse::Rotation(rotation)) => Err(Error::MissingRotationKey { rotation }),
        }
    }

    /// Coefficients as centred integers modulo the largest power of two, in units of the modulus they had. Multiplied by a
    /// power of two, so that the errors of rotations are small beside them.
    fn raise(&self, low: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("ModRaise");
        let (log_q, budget) = (self.ctx.params().log_q(), &self.budget);
        let term = BigTerm { factor: 1 << (budget.raised_scale - low.log_q()), ..low.term() };
        let buf = self.ctx.combine(2, &[term], log_q)?;
        // from here to the end magnitudes stay what the budget counts with
        let noise = low.noise().with_range(Range::complex(1.0));
        let position = Position::new(log_q, budget.raised_scale);
        Ok(Ciphertext::new(self.ctx.params(), buf, 2, position, low.log_slots(), noise))
    }

    /// The sum of all automorphisms that leave the slots where they are: coefficients of the slots are multiplied by N/2n, the
    /// others vanish.
    fn trace(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Trace");
        let mut sum = x.clone();
        for step in trace_rotations(self.ctx.params().log_n(), self.spec.log_slots) {
            sum = eval.add(&sum, &eval.rotate_full(&sum, step)?)?.with_magnitude(1.0);
        }
        sum.with_log_scale(self.budget.traced_scale)
    }

    /// `2 pi i t / 2^(q + r)` in the slots, for the coefficients t: the n real ones and then the n others in one ciphertext of
    /// 2n slots, or in two.
    fn coefficients(&self, eval: &Evaluator, x: Ciphertext) -> Result<Vec<Ciphertext>> {
        let _scope = self.ctx.scope("CoeffsToSlots");
        let x = self.coeffs_to_slots.iter().try_fold(x, |x, t| t.apply(eval, &x))?;
        let conjugate = eval.conjugate(&x)?;
        let first = eval.rescale(&eval.sub(&x, &conjugate)?, GUARD_BITS)?;
        if self.budget.beside {
            return Ok(vec![first]);
        }
        // x is i a - b: above is 2 i a, and here -i times -2 b
        let second = eval.neg(&eval.times_i(&eval.add(&x, &conjugate)?)?)?;
        Ok(vec![first, eval.rescale(&second, GUARD_BITS)?])
    }

    /// `2 i` times the imaginary part of the exponential, or what of it is nearer to the angle (see
    /// [`BootstrapSpec::corrected`]).
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

    /// Whether [`Parameters::bootstrapping`] wins anything.
    fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        self.bootstrapping(log_slots).map(|_| ())
    }

    fn prepare(ctx: &Context, log_slots: u32, progress: Observer<'_>) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, &ctx.params().bootstrapping(log_slots)?.0, progress)
    }

    fn log_slots(made: &Bootstrapper) -> u32 {
        made.spec.log_slots
    }

    /// At the scale `2^log_p` where the scale of `a` is larger.
    fn run(made: &Bootstrapper, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        made.bootstrap(eval, &eval.settle(a)?)
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
