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

mod matrices;
mod pass;
#[cfg(test)]
mod tests;

use matrices::matrices;
use matrices::{landing_scale, low_scale, product_scale};
use ringjet_math::embed::Coefficients;
use ringjet_math::evalmod;

use super::bootstrappers::{Bootstraps, Observer, Phase, check, run_many};
use super::polyeval::polynomial_at;
use super::{Arithmetic, Basis, EncodedTransform, Polynomial};
use crate::ckks::Position;
use crate::ckks::params::BootstrapSpec;
use crate::rlwe::keyswitch::{KeyPlan, Progress};
use crate::{Ciphertext, Context, Error, Evaluator, Parameters, Plaintext, Range, Result, Scale};
#[cfg(feature = "paper")]
pub(in crate::circuits) use matrices::Factor;
pub(in crate::circuits) use matrices::Matrix;

/// What runs the steps of a bootstrap: the evaluator itself, or one that orders computations as published cost models do.
pub trait Steps: Arithmetic<Params = Parameters, Scale = Scale> + Sized {
    /// A matrix times the slots of `x`.
    fn transform(&self, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
        transform.apply(self.evaluator(), x)
    }

    /// Levels that a polynomial takes.
    fn depth(&self, p: &Polynomial) -> usize {
        p.depth()
    }

    /// `p(x)` at the scale `landing`.
    fn polynomial_at(&self, x: &Ciphertext, p: &Polynomial, landing: Scale) -> Result<Ciphertext> {
        polynomial_at(self, x, p, landing)
    }
}

impl Steps for Evaluator {}

/// Everything bootstrapping needs besides keys, for one number of slots: encoded matrices and polynomials.
#[derive(Debug)]
pub struct Bootstrapper {
    ctx: Context,
    log_slots: u32,
    slots_to_coeffs: Vec<EncodedTransform>,
    coeffs_to_slots: Vec<EncodedTransform>,
    cosine: Polynomial,
    cosine_error: f64,
    arcsine: Option<Polynomial>,
    /// X^(N/2), which is i in every slot, where EvalMod starts and where it ends.
    unit: [Plaintext; 2],
    /// Of the message while the modulus is raised.
    low_scale: Scale,
    /// Of the message as EvalMod leaves it.
    landed: Scale,
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
    /// Fails with [`Error::NoBootstrapping`], [`Error::Interrupted`], [`Error::SlotCount`];
    /// [`Error::Argument`] for too few slots.
    pub fn new(ctx: &Context, log_slots: u32, progress: impl FnMut(usize, usize) -> bool) -> Result<Self> {
        Self::from_matrices(ctx, log_slots, ctx.params().expect_bootstrap()?.degree, progress, |m| m.encode(ctx))
    }

    /// With a cosine of this degree, and matrices as `encode` encodes them.
    pub(super) fn from_matrices(
        ctx: &Context,
        log_slots: u32,
        degree: usize,
        progress: impl FnMut(usize, usize) -> bool,
        encode: impl Fn(&Matrix) -> Result<EncodedTransform>,
    ) -> Result<Self> {
        let _scope = ctx.scope("BootstrapMatrices");
        let (params, all) = (ctx.params(), matrices(ctx, log_slots)?);
        let boot = params.expect_bootstrap()?;
        let mut progress = Progress::new(all[0].len() + all[1].len(), progress);
        let mut encode = |matrices: &[Matrix]| -> Result<Vec<EncodedTransform>> {
            let step = |matrix| encode(matrix).and_then(|made| progress.step().map(|()| made));
            matrices.iter().map(step).collect()
        };
        let (slots_to_coeffs, coeffs_to_slots) = (encode(&all[0])?, encode(&all[1])?);
        let low_scale = low_scale(params, boot);
        let landed = landing_scale(params, boot, low_scale);
        let log_ratio = params.level(0).basis.log2() - low_scale.log2();
        if !(1.0..=40.0).contains(&log_ratio) {
            return Err(Error::Parameters(format!(
                "bootstrapping: a message has {log_ratio:.1} bits of room below q_0: 1 to 40 are known, choose other scales"
            )));
        }
        let cosine = evalmod::cosine(boot.k, boot.double_angles, degree, log_ratio);
        let unit = |level| unit(ctx, level, log_slots);
        Ok(Self {
            ctx: ctx.clone(),
            log_slots,
            unit: [unit(params.max_level() - coeffs_to_slots.len())?, unit(params.landing_level(boot))?],
            slots_to_coeffs,
            coeffs_to_slots,
            cosine: Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &cosine.coefficients)?,
            cosine_error: cosine.error,
            arcsine: arcsine(params, boot, log_ratio, landed)?,
            low_scale,
            landed,
        })
    }

    /// The keys that bootstrapping ciphertexts of `2^log_slots` slots takes.
    /// Fails with [`Error::NoBootstrapping`], [`Error::SlotCount`]; [`Error::Argument`] for too few slots.
    pub fn key_plan(params: &Parameters, log_slots: u32) -> Result<KeyPlan> {
        params.bootstrap_keys(log_slots)
    }

    /// Binary logarithm of the number of slots it is for.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// Bytes of the encoded matrices.
    pub fn matrix_bytes(&self) -> usize {
        self.slots_to_coeffs.iter().chain(&self.coeffs_to_slots).map(EncodedTransform::memory_bytes).sum()
    }

    /// `q_0 / scale` while the modulus is raised: the room of a message.
    pub fn low_ratio(&self, params: &Parameters) -> f64 {
        params.level(0).basis.log2().exp2() / self.low_scale.value()
    }

    /// The same message at the highest level of messages. Levels below
    /// [`BootstrapSpec::input_level`] are too few.
    /// Fails with [`Error::MissingBootstrappingKeys`] and other missing keys,
    /// [`Error::ModulusExhausted`], [`Error::SlotMismatch`], [`Error::ParameterMismatch`].
    pub fn bootstrap(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrap_observed(eval, ct, false, |_| true)
    }

    /// As [`Bootstrapper::bootstrap`], by `steps`: an evaluator, in one order of computation or another. Where values are `real`
    /// the EvalMod of the imaginary parts is left out, about a quarter of the time, and they are lost; where SlotsToCoeffs comes
    /// last, nothing is saved and nothing lost. `done(phase)` is called after each phase, EvalMod of the imaginary part being one
    /// of its own, and stops the work when it returns false.
    pub fn bootstrap_observed(
        &self,
        steps: &impl Steps,
        ct: &Ciphertext,
        real: bool,
        mut done: impl FnMut(Phase) -> bool,
    ) -> Result<Ciphertext> {
        let parts = if real { Parts::Real } else { Parts::Both };
        let mut after = |phase| if done(phase) { Ok(()) } else { Err(Error::Interrupted) };
        Ok(self.run(steps, &[ct], parts, &mut after)?.swap_remove(0))
    }

    /// Many ciphertexts, in their order. Real values share all but EvalMod, two and two, where SlotsToCoeffs comes first:
    /// `x + i y` is raised, and its parts never come together again. `done(count)` is called with the number of ciphertexts
    /// that are ready, and stops the work when it returns false.
    /// Fails as [`Bootstrapper::bootstrap`] does, before any work where one of them cannot be
    /// bootstrapped, and with [`Error::Interrupted`].
    pub fn bootstrap_many(
        &self,
        eval: &Evaluator,
        cts: &[&Ciphertext],
        real: bool,
        done: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        cts.iter().try_for_each(|ct| self.check(eval, ct))?;
        let pairs = real && self.ctx.params().expect_bootstrap()?.slots_to_coeffs_first;
        let run = |group: &[&Ciphertext]| {
            let parts = match group.len() {
                2 => Parts::Apart,
                _ if real => Parts::Real,
                _ => Parts::Both,
            };
            self.run(eval, group, parts, &mut |_| Ok(()))
        };
        run_many(cts, if pairs { 2 } else { 1 }, run, done)
    }

    fn check(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<()> {
        let needed = self.ctx.params().expect_bootstrap()?.input_level();
        check(&self.ctx, self.log_slots, needed, eval, ct)?;
        eval.keys().encapsulation().map(|_| ())
    }
}

fn unit(ctx: &Context, level: usize, log_slots: u32) -> Result<Plaintext> {
    let mut c = vec![0i64; ctx.params().n()];
    c[ctx.params().n() / 2] = 1;
    let buf = ctx.integer_poly(&Coefficients::I64(c), &ctx.params().level(level).basis)?;
    let range = Range::complex(1.0);
    let position = Position { level, scale: Scale::power_of_two(0) };
    Ok(Plaintext::new(ctx, buf, position, log_slots, range).exact())
}

fn arcsine(params: &Parameters, boot: &BootstrapSpec, log_ratio: f64, landed: Scale) -> Result<Option<Polynomial>> {
    if boot.arcsine <= 1 {
        return Ok(None);
    }
    let by = log_ratio.exp2() * (landed / product_scale(params, boot)).value();
    let c: Vec<f64> = evalmod::arcsine(boot.arcsine).iter().map(|c| c * by).collect();
    Polynomial::new(Basis::Power, &c).map(Some)
}

impl Bootstraps for Parameters {
    type Bootstrapper = Bootstrapper;

    fn key_plan(&self, log_slots: u32) -> Result<KeyPlan> {
        self.bootstrap_keys(log_slots)
    }

    fn prepare(ctx: &Context, log_slots: u32, progress: Observer<'_>) -> Result<Bootstrapper> {
        Bootstrapper::new(ctx, log_slots, progress)
    }

    fn log_slots(made: &Bootstrapper) -> u32 {
        made.log_slots
    }

    fn run(made: &Bootstrapper, eval: &Evaluator, a: &Ciphertext) -> Result<Ciphertext> {
        made.bootstrap(eval, a)
    }

    fn span(eval: &Evaluator, _: u32, _: Option<&Bootstrapper>) -> Option<(usize, usize)> {
        let params = eval.context().params();
        let boot = params.bootstrap().filter(|_| eval.keys().has_ephemeral())?;
        Some((boot.input_level(), boot.output_level(params.top_level())))
    }

    fn is_due(a: &Ciphertext, levels: usize, (before, after): (usize, usize)) -> bool {
        a.level() < before + levels && levels <= after - before
    }
}
